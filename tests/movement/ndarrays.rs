//! Arrays of the crate `ndarray`: in C and Fortran order, padded, in boxes, as views.

use ndarray::{Array2, ArrayD, ArrayView2, ArrayViewMut2, ShapeBuilder, s};
use redist::threads::{self, Rank};
use redist::{Bound, Error, Redistribution, Side, TypedPlan, ok};

fn value([row, column]: [usize; 2]) -> u32 {
    (100 * row + column) as u32
}

fn plan() -> TypedPlan<u32, 2> {
    TypedPlan::parse([10, 8], "(block, *) onto 2", "(*, cyclic(3)) onto 2 storage fortran").unwrap()
}

fn filled(bound: &Bound<u32, 2>, side: Side) -> Array2<u32> {
    let mut array = bound.array(side, u32::MAX).unwrap();
    let memory = array.as_slice_memory_order_mut().unwrap();
    for index in bound.global_indices(side) {
        memory[bound.local(side).offset_of(index).unwrap()] = value(index);
    }
    array
}

#[test]
fn arrays_have_the_shape_and_the_order_of_their_layouts() {
    threads::run(2, |rank| {
        let mut bound = plan().bind(rank)?;
        let rows = filled(&bound, Side::Source);
        let mut columns = bound.array(Side::Destination, 0)?;
        assert!(rows.is_standard_layout() && columns.t().is_standard_layout());
        assert_eq!(rows[[1, 2]], value([5 * rank.rank() + 1, 2]));
        bound.run_arrays(&rows, &mut columns)?;
        assert_eq!(columns, filled(&bound, Side::Destination));
        // Views, and dimensions that are values.
        let view: ArrayView2<u32> = rows.view();
        let mut again: ArrayD<u32> = bound.array(Side::Destination, 0)?.into_dyn();
        bound.run_arrays(&view, &mut again.view_mut())?;
        assert_eq!(again, columns.into_dyn());
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn padding_keeps_its_values() {
    threads::run(2, |rank| {
        let plan = plan();
        let binder = plan.binder().within(Side::Source, [7, 9], [1, 1]);
        let mut bound = binder.leading_dimension(Side::Destination, 13).bind(rank)?;
        let halo = filled(&bound, Side::Source);
        assert_eq!((halo.shape(), halo[[0, 4]], halo[[6, 8]]), (&[7, 9][..], u32::MAX, u32::MAX));
        assert_eq!(halo.slice(s![1..6, 1..]), filled(&plan.bind(rank)?, Side::Source));
        let mut padded = bound.array(Side::Destination, u32::MAX)?;
        bound.run_arrays(&halo, &mut padded)?;
        assert_eq!(padded.shape()[0], 13);
        assert_eq!(padded, filled(&bound, Side::Destination));
        assert!(padded.slice(s![10.., ..]).iter().all(|element| *element == u32::MAX));
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn strides_may_be_those_of_another_order() {
    threads::run(2, |rank| {
        let plan = plan();
        let mut bound = plan.binder().strides(Side::Source, [1, 5]).bind(rank)?;
        let source = filled(&bound, Side::Source);
        assert!(source.t().is_standard_layout());
        let mut found = bound.array(Side::Destination, 0)?;
        bound.run_arrays(&source, &mut found)?;
        assert_eq!(found, filled(&bound, Side::Destination));
        Ok::<_, Error>(())
    })
    .unwrap();
}

fn told(
    bring: impl Fn(&mut Bound<u32, 2>, &Array2<u32>, &mut Array2<u32>) -> Result<(), Error> + Sync,
) -> Vec<Error> {
    let run = |rank: &Rank| {
        let mut bound = plan().bind(rank)?;
        let (rows, mut columns) =
            (filled(&bound, Side::Source), bound.array(Side::Destination, 7)?);
        let moved = match rank.rank() {
            1 => bring(&mut bound, &rows, &mut columns),
            _ => bound.run_arrays(&rows, &mut columns),
        };
        assert!(columns.iter().all(|element| *element == 7), "nothing is moved");
        // All ranks can go on.
        bound.run_arrays(&rows, &mut columns)?;
        assert_eq!(columns, filled(&bound, Side::Destination));
        Ok::<_, Error>(moved.unwrap_err())
    };
    threads::run(2, run).unwrap()
}

// feature: shapes compared = arrays of `ndarray`; otherwise lengths
#[test]
fn other_arrays_are_told_of_on_all_ranks() {
    let fortran = told(|bound, rows, columns| {
        let mut other = Array2::zeros((5, 8).f());
        other.assign(rows);
        bound.run_arrays(&other, columns)
    });
    assert!(matches!(fortran[1], Error::ArrayShape { rank: 1, side: Side::Source, .. }));
    assert_eq!(
        fortran[1].to_string(),
        "rank 1: the source has shape [5, 8] and strides [1, 5], but must have shape [5, 8] and strides \
         [8, 1]; make it by `Bound::array`, or bind with `Binder::strides`"
    );
    assert!(matches!(fortran[0], Error::PeerFailed { rank: 1, .. }), "{}", fortran[0]);
    // A value that is seen at all places, and arrays that are seen backwards.
    let one = Array2::from_elem((1, 1), 3);
    let broadcast = told(|bound, _, columns| {
        let all = one.broadcast((5, 8)).unwrap();
        bound.run_arrays(&all, columns)
    });
    assert!(matches!(broadcast[1], Error::ArrayShape { .. }), "{}", broadcast[1]);
    let backwards =
        told(|bound, rows, columns| bound.run_arrays(&rows.slice(s![..;-1, ..]), columns));
    assert!(matches!(backwards[1], Error::ArrayShape { .. }), "{}", backwards[1]);
    let transposed = told(|bound, rows, columns| {
        let mut destination: ArrayViewMut2<u32> = columns.view_mut();
        destination.swap_axes(0, 1);
        bound.run_arrays(rows, &mut destination)
    });
    let is_destination = matches!(transposed[1], Error::ArrayShape { side: Side::Destination, .. });
    assert!(is_destination, "{}", transposed[1]);
    let exchanged = told(|bound, rows, columns| bound.run_arrays(columns, &mut rows.clone()));
    assert!(matches!(exchanged[1], Error::ArrayShape { side: Side::Source, .. }));
    let words = exchanged[1].to_string();
    assert!(words.ends_with("; the arrays seem exchanged, so bring the source first"), "{words}");
}

/// Other code may have borrowed the gaps: the inside of a halo, every other column.
#[test]
fn sources_may_be_views_with_gaps() {
    threads::run(2, |rank| {
        let plan = plan();
        let expected = filled(&plan.bind(rank)?, Side::Destination);
        let dense = filled(&plan.bind(rank)?, Side::Source);
        let mut all = Array2::<u32>::from_elem((7, 18), u32::MAX);
        let (mut even, _odd) = all.multi_slice_mut((s![1..6, 1..17;2], s![1..6, 2..18;2]));
        even.assign(&dense);
        for binder in [
            plan.binder(),
            plan.binder().strides(Side::Source, [18, 2]),
            plan.binder().leading_dimension(Side::Source, 11),
            plan.binder().strides(Side::Source, [1, 5]),
            plan.binder().within(Side::Source, [7, 9], [2, 1]),
        ] {
            let mut bound = binder.bind(rank)?;
            for _ in 0..2 {
                let mut columns = bound.array(Side::Destination, 0)?;
                bound.run_arrays(&even, &mut columns)?;
                assert_eq!(columns, expected);
            }
        }
        let halo = Array2::from_shape_fn((7, 10), |(row, column)| {
            row.checked_sub(1)
                .zip(column.checked_sub(1))
                .and_then(|at| dense.get(at))
                .map_or(7, |v| *v)
        });
        let mut bound = plan.bind(rank)?;
        let mut columns = bound.array(Side::Destination, 0)?;
        bound.run_arrays(&halo.slice(s![1..6, 1..9]), &mut columns)?;
        assert_eq!(columns, expected);
        ok(())
    })
    .unwrap();
}

/// Gaps of a destination may be other code's: the first message names the right binding.
#[test]
fn destinations_with_gaps_are_told_of() {
    let told = told(|bound, rows, columns| {
        let (height, width) = columns.dim();
        let mut halo = Array2::from_elem((height + 2, width + 2), 7);
        let moved = bound.run_arrays(rows, &mut halo.slice_mut(s![1..=height, 1..=width]));
        assert!(halo.iter().all(|element| *element == 7));
        moved
    });
    assert!(
        matches!(told[1], Error::ArrayGaps { rank: 1, side: Side::Destination }),
        "{}",
        told[1]
    );
    for error in told {
        let words = "bring all of the array that it is a part of, and bind with `Binder::within`";
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn larger_arrays_are_told_of() {
    let told = told(|bound, _, columns| bound.run_arrays(&Array2::zeros((7, 10)), columns));
    assert!(told[1].to_string().ends_with("is a box of that array, bind with `Binder::within`"));
}

#[test]
fn arrays_with_gaps_are_not_made() {
    threads::run(2, |rank| {
        let bound = plan().binder().strides(Side::Source, [16, 2]).bind(rank)?;
        assert!(matches!(bound.array(Side::Source, 0), Err(Error::ArrayGaps { .. })));
        ok(())
    })
    .unwrap();
}

#[test]
fn ranks_that_hold_nothing_bring_any_empty_array() {
    let plan = TypedPlan::<u32, 2>::parse([4, 3], "(block, *) onto 2", "(*, *) ranks 1..2");
    let plan = plan.unwrap();
    threads::run(2, |rank| {
        let mut bound = plan.bind(rank)?;
        let rows = filled(&bound, Side::Source);
        let mut all = Array2::zeros([(0, 5), (4, 3)][rank.rank()]);
        bound.run_arrays(&rows, &mut all)?;
        assert_eq!(all.get((3, 2)).copied().unwrap_or(302), 302);
        let made = bound.array(Side::Destination, 9)?;
        assert_eq!((made.len(), made.iter().all(|element| *element == 9)), (all.len(), true));
        Ok::<_, Error>(())
    })
    .unwrap();
}
