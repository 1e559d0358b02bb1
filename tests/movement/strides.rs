//! Local arrays with gaps: errors, items of the macro, arrays that ranks divide, messages in steps.

use redist::exec::Binder;
use redist::layout::PaddingError;
use redist::threads::{self, Rank};
use redist::transport::{Route, Way};
use redist::{Bound, Element, Error, Redistribution, Side, TypedPlan, redistribute};

const GAP: f64 = -1.0;

redistribute! {
    pub struct TilesToRows: [f64; 300, 200] {
        from: scalapack(64, 48, 2, 2),
        to: (block, *) onto 3 ranks 1..4,
    }
}

redistribute! {
    /// Short runs for a few ranks, for which there is code in the binary.
    pub struct Cycles<const N: usize>: [f64; N, 40] {
        from: (*, cyclic(10)) onto 4,
        to: (*, cyclic(2)) onto 3,
    }
}

redistribute! {
    pub struct Given<T: Element>(n: usize): [T; 30, n] {
        from: (gen_block([4, 0, 26]), *) onto 3 storage fortran,
        to: (block, cyclic(7)) onto (2, 2) transposed,
    }
}

fn value([row, column]: [usize; 2]) -> f64 {
    (1000 * row + column) as f64
}

fn array(bound: &Bound<f64, 2>, side: Side, at: impl Fn([usize; 2]) -> f64) -> Vec<f64> {
    let mut array = vec![GAP; bound.local_len(side)];
    for index in bound.global_indices(side) {
        array[bound.local(side).offset_of(index).unwrap()] = at(index);
    }
    array
}

fn moves(bound: &mut Bound<f64, 2>, is_transposed: bool, starts: bool) -> Result<(), Error> {
    let source = array(bound, Side::Source, value);
    let mut destination = array(bound, Side::Destination, |_| -2.0);
    if starts {
        bound.start(&source, &mut destination)?.finish()?;
    } else {
        bound.run(&source, &mut destination)?;
    }
    let there = |[a, b]: [usize; 2]| value(if is_transposed { [b, a] } else { [a, b] });
    let expected = array(bound, Side::Destination, there);
    assert!(destination == expected, "rank {}", bound.rank());
    Ok(())
}

/// Binds rank 0 densely, 1 with leading dimensions, 2 in boxes, others with strides.
fn padded<'a, R: Redistribution<2> + ?Sized>(of: &'a R, rank: usize) -> Binder<'a, R, 2> {
    let plan = of.plan();
    [Side::Source, Side::Destination].into_iter().fold(of.binder(), |binder, side| {
        let [rows, columns] = plan.descriptor(side).local_extents(rank).unwrap_or([0, 0]);
        match rank {
            0 => binder,
            1 => binder.leading_dimension(side, rows.max(columns) + 3),
            2 => binder.within(side, [rows + 3, columns + 4], [1, 2]),
            _ => binder.strides(side, [3 * columns + 1, 2]),
        }
    })
}

fn moves_in_all_ways<R: Redistribution<2, Element = f64> + Sync>(of: &R, is_transposed: bool) {
    threads::run(of.plan().ranks(), |rank| {
        let binder = || padded(of, rank.rank());
        let mut bound = binder().bind(rank)?;
        assert_eq!(bound.way(), Way::Lent);
        assert!(bound.explain().contains("not all local arrays are dense"), "{}", bound.explain());
        let mut by_messages = binder().route(Route::Messages).bind(rank)?;
        for starts in [false, true, false] {
            moves(&mut bound, is_transposed, starts)?;
            moves(&mut by_messages, is_transposed, starts)?;
        }
        Ok::<_, Error>(())
    })
    .unwrap();
}

// feature: halos, leading dimensions, strides = `Binder::within`, `leading_dimension`, `strides`
#[test]
fn items_of_every_tier_move_padded_arrays() {
    moves_in_all_ways(&TilesToRows::new(), false);
    moves_in_all_ways(&TilesToRows::new().inverse(), false);
    moves_in_all_ways(&Cycles::<90>::new(), false);
    moves_in_all_ways(&Given::<f64>::new(41).unwrap(), true);
    let plan = TypedPlan::parse([77, 91], "(cyclic(3), *) onto 4", "(*, cyclic(5)) onto 3");
    moves_in_all_ways(&plan.unwrap(), false);
}

#[test]
fn ranks_divide_arrays_that_are_not_dense() {
    let plan =
        TypedPlan::parse([700, 410], "(block, *) onto 3", "(cyclic(7), cyclic(9)) onto (2, 2)");
    let plan = plan.unwrap();
    threads::run(4, |rank| {
        let mut bound = padded(&plan, rank.rank()).bind(rank)?;
        let text = bound.explain();
        assert!(text.contains("by all ranks, which divide the array"), "{text}");
        (0..2).try_for_each(|_| moves(&mut bound, false, false))
    })
    .unwrap();
}

#[test]
fn what_is_dense_after_all_is_moved_as_dense() {
    let plan = TypedPlan::<f64, 2>::parse([30, 20], "(block, *) onto 2", "(*, block) onto 2");
    let plan = plan.unwrap();
    threads::run(2, |rank| {
        let binder = plan.binder().leading_dimension(Side::Source, 20);
        let mut bound = binder.within(Side::Destination, [32, 10], [0, 0]).bind(rank)?;
        assert!(!bound.explain().contains("dense"), "{}", bound.explain());
        assert_eq!(bound.local_len(Side::Source), 300);
        assert_eq!(bound.local_len(Side::Destination), 320);
        moves(&mut bound, false, false)
    })
    .unwrap();
}

fn plan() -> TypedPlan<f64, 2> {
    TypedPlan::parse([10, 9], "(block, *) onto 2", "(*, cyclic) onto 3 storage fortran").unwrap()
}

fn told(
    say: impl Fn(Binder<'_, TypedPlan<f64, 2>, 2>) -> Binder<'_, TypedPlan<f64, 2>, 2> + Sync,
) -> Vec<Error> {
    let plan = plan();
    let bind = |rank: &Rank| {
        let binder = plan.binder();
        let binder = if rank.rank() == 1 { say(binder) } else { binder };
        Ok::<_, Error>(binder.bind(rank).map(drop).unwrap_err())
    };
    threads::run(3, bind).unwrap()
}

#[test]
fn arrays_that_cannot_be_are_told_of_on_all_ranks() {
    let huge = usize::MAX / 2;
    let source = Side::Source;
    for (errors, expected, words) in [
        (
            told(|binder| binder.strides(source, [0, 1])),
            PaddingError::ZeroStride { dimension: 0 },
            "dimension 0 has stride 0; strides must be at least 1",
        ),
        (
            told(|binder| binder.strides(source, [8, 1])),
            PaddingError::Overlap { dimension: 0, stride: 8, span: 9 },
            "dimension 0 has stride 8, but what lies nearer together takes 9 elements; give it a \
             stride of at least 9",
        ),
        (
            told(|binder| binder.strides(source, [2, 2])),
            PaddingError::Overlap { dimension: 1, stride: 2, span: 9 },
            "dimension 1 has stride 2",
        ),
        (
            told(|binder| binder.strides(source, [huge, 1])),
            PaddingError::TooLong { dimension: 0 },
            "the most of an array",
        ),
        (
            told(|binder| binder.leading_dimension(source, 8)),
            PaddingError::ShortLeadingDimension { dimension: 1, leading: 8, extent: 9 },
            "the leading dimension is 8, but the local extent of dimension 1 is 9; it must be at \
             least 9",
        ),
        (
            told(|binder| binder.within(source, [6, 9], [2, 0])),
            PaddingError::Outside { dimension: 0, origin: 2, extent: 5, allocated: 6 },
            "the local extent of dimension 0 is 5, which from 2 on does not fit into the 6 allocated",
        ),
        (
            told(|binder| binder.within(source, [9, 9], [huge, 0])),
            PaddingError::Outside { dimension: 0, origin: huge, extent: 5, allocated: 9 },
            "does not fit into the 9 allocated",
        ),
        (
            told(|binder| binder.within(source, [huge, 10], [0, 0])),
            PaddingError::TooLong { dimension: 0 },
            "use smaller strides or extents",
        ),
    ] {
        for (rank, error) in errors.iter().enumerate() {
            let text = error.to_string();
            assert!(text.contains(words), "{text}");
            match error {
                Error::Padding { rank: 1, side: Side::Source, error } if rank == 1 => {
                    assert_eq!(*error, expected);
                    assert!(text.starts_with("rank 1: of the local source array, "), "{text}");
                }
                Error::PeerFailed { rank: 1, .. } if rank != 1 => {}
                _ => panic!("rank {rank}: {error}"),
            }
        }
    }
}

#[test]
fn strides_of_what_there_is_not_do_not_matter() {
    let plan = TypedPlan::<u16, 2>::parse([1, 3], "(*, *)", "(*, block) onto 2").unwrap();
    threads::run(2, |rank| {
        let binder = plan.binder().strides(Side::Source, [1, 2]);
        let mut bound = binder.strides(Side::Destination, [1, 1]).bind(rank)?;
        let source = if rank.rank() == 0 { vec![5, 0, 6, 0, 7] } else { Vec::new() };
        let mut destination = [[0; 2], [0; 2]][rank.rank()];
        bound.run(&source, &mut destination)?;
        assert_eq!(destination, [[5, 6], [7, 0]][rank.rank()]);
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn arrays_that_are_too_short_are_told_of_on_all_ranks() {
    let plan = plan();
    let errors = threads::run(3, |rank| {
        let mut bound =
            plan.binder().collectively().leading_dimension(Side::Destination, 12).bind(rank)?;
        assert_eq!(bound.local_len(Side::Destination), 2 * 12 + 10);
        let source = vec![0.0; bound.local_len(Side::Source)];
        let missing = usize::from(rank.rank() == 2);
        let mut short = vec![0.0; 34 - missing];
        let error = bound.run(&source, &mut short).unwrap_err();
        bound.run(&source, &mut vec![0.0; 3 * 12 + missing])?;
        Ok::<_, Error>(error)
    });
    let errors = errors.unwrap();
    assert!(
        matches!(
            errors[2],
            Error::ShortArray { rank: 2, side: Side::Destination, needed: 34, found: 33, .. }
        ),
        "{}",
        errors[2]
    );
    let words = "the local destination array must hold at least 34 elements";
    for error in &errors {
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(matches!(errors[0], Error::PeerFailed { rank: 2, .. }), "{}", errors[0]);
}

#[test]
#[should_panic(expected = "rank 1: of the local source array, the leading dimension is 3")]
fn what_cannot_be_packed_from_is_told() {
    plan().binder().leading_dimension(Side::Source, 3).packing(1);
}
