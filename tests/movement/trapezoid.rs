//! Moves of a trapezoid of a matrix: random layouts against brute force.

use proptest::prelude::*;
use redist::exec::{Binder, scale_add};
use redist::plan::schedule::Method;
use redist::plan::{Diag, Uplo};
use redist::threads;
use redist::transport::Route;
use redist::{Bound, Error, Plan, Redistribution, Side, TypedPlan};
use redist_testing::strategies::{Case, cases, config, one_in};
use std::collections::BTreeMap;

type Moves = TypedPlan<[u32; 2], 2>;

const PARTS: [(Uplo, Diag); 4] = [
    (Uplo::Upper, Diag::NonUnit),
    (Uplo::Upper, Diag::Unit),
    (Uplo::Lower, Diag::NonUnit),
    (Uplo::Lower, Diag::Unit),
];

const UNTOUCHED: [u32; 2] = [u32::MAX; 2];

/// As `insidemat` of ScaLAPACK.
fn is_inside((uplo, diag): (Uplo, Diag), [m, n]: [usize; 2], [i, j]: [usize; 2]) -> bool {
    let [m, n, i, j] = [m, n, i, j].map(|number| number as i64);
    match (uplo, diag) {
        (Uplo::Upper, Diag::NonUnit) => i - j <= (m - n).max(0),
        (Uplo::Upper, Diag::Unit) => i - j < (m - n).max(0),
        (Uplo::Lower, Diag::NonUnit) => j - i <= (n - m).max(0),
        (Uplo::Lower, Diag::Unit) => j - i < (n - m).max(0),
    }
}

fn in_section(plan: &Plan<2>, side: Side, index: [usize; 2]) -> Option<[usize; 2]> {
    let (at, extents) = (plan.descriptor(side).layout().at, plan.extents());
    let found = [0, 1].map(|dimension| {
        let axis = plan.axis_on(side, dimension);
        index[axis].checked_sub(at[axis]).filter(|inside| *inside < extents[dimension])
    });
    Some([found[0]?, found[1]?])
}

fn source(plan: &Plan<2>, rank: usize) -> Vec<[u32; 2]> {
    let value = |index| {
        let place = in_section(plan, Side::Source, index).map(|place| place.map(|at| at as u32));
        place.unwrap_or([7; 2])
    };
    plan.descriptor(Side::Source).local(rank).global_indices().map(value).collect()
}

fn expected(plan: &Plan<2>, part: (Uplo, Diag), rank: usize) -> Vec<[u32; 2]> {
    let value = |index| match in_section(plan, Side::Destination, index) {
        Some(place) if is_inside(part, plan.extents(), place) => place.map(|at| at as u32),
        _ => UNTOUCHED,
    };
    plan.descriptor(Side::Destination).local(rank).global_indices().map(value).collect()
}

fn binder(plan: &Moves, (uplo, diag): (Uplo, Diag)) -> Binder<'_, Moves, 2> {
    plan.binder().trapezoid(uplo, diag)
}

fn moved(bound: &mut Bound<[u32; 2], 2>) -> Result<[Vec<[u32; 2]>; 3], Error> {
    let from = source(bound.plan(), bound.rank());
    let mut to = [(); 3].map(|()| vec![UNTOUCHED; bound.local_len(Side::Destination)]);
    bound.run(&from, &mut to[0])?;
    bound.start(&from, &mut to[1])?.finish()?;
    bound.run_with(&from, &mut to[2], |moved, kept| {
        assert_eq!(*kept, UNTOUCHED, "each element comes once");
        *kept = moved;
    })?;
    Ok(to)
}

fn threads_move_the_trapezoid(plan: Plan<2>, part: (Uplo, Diag)) -> Result<(), TestCaseError> {
    let moves = Moves::from(plan);
    let moved = threads::run(plan.ranks(), |rank| moved(&mut binder(&moves, part).bind(rank)?));
    for (rank, found) in moved.expect("all ranks bind the same").into_iter().enumerate() {
        for found in found {
            prop_assert_eq!(found, expected(&plan, part, rank), "{:?}, rank {}", part, rank);
        }
    }
    Ok(())
}

fn messages_are_those_of_the_trapezoid(
    plan: Plan<2>,
    part: (Uplo, Diag),
) -> Result<(), TestCaseError> {
    let moves = Moves::from(plan);
    let mut packed: BTreeMap<(usize, usize), Vec<[u32; 2]>> = BTreeMap::new();
    for rank in 0..plan.ranks() {
        let packing = binder(&moves, part).packing(rank);
        let mut buffers: Vec<_> =
            packing.envelopes().iter().map(|to| vec![UNTOUCHED; to.len]).collect();
        let mut slices: Vec<_> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&source(&plan, rank), &mut slices);
        packed.extend(packing.envelopes().iter().map(|to| (rank, to.rank)).zip(buffers));
    }
    let [m, n] = plan.extents();
    let indices = (0..m).flat_map(|i| (0..n).map(move |j| [i, j]));
    let inside = indices.filter(|place| is_inside(part, [m, n], *place)).count();
    prop_assert_eq!(packed.values().map(Vec::len).sum::<usize>(), inside);
    for rank in 0..plan.ranks() {
        let unpacking = binder(&moves, part).unpacking(rank);
        let mut array = vec![UNTOUCHED; unpacking.local_len()];
        let envelopes = unpacking.envelopes().iter();
        let messages: Vec<_> = envelopes.map(|from| &packed[&(from.rank, rank)][..]).collect();
        unpacking.unpack(&mut array, &messages);
        prop_assert_eq!(array, expected(&plan, part, rank), "{:?}, rank {}", part, rank);
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn messages(case in cases::<2>(), part in prop::sample::select(&PARTS)) {
        messages_are_those_of_the_trapezoid(Case::plan(&case), part)?;
    }
}

proptest! {
    #![proptest_config(one_in(4))]

    #[test]
    fn planes(case in cases::<2>(), part in prop::sample::select(&PARTS)) {
        threads_move_the_trapezoid(Case::plan(&case), part)?;
    }
}

// feature: trapezoids of matrices = `Binder::trapezoid`
#[test]
fn larger_matrices() {
    for extents in [[61, 61], [40, 75], [75, 40], [1, 50], [50, 1]] {
        for (from, to) in [
            ("scalapack(4, 4, 2, 2)", "scalapack(3, 7, 2, 3)"),
            ("(cyclic(3), cyclic(2)) onto (2, 2)", "(cyclic(5), *) onto 3 storage fortran"),
            (
                "(cyclic(8), cyclic(8)) onto (2, 3) of [200, 190] at [33, 18]",
                "(cyclic(7), cyclic(5)) onto (2, 2) of [100, 110] at [9, 21] axes (1, 0)",
            ),
        ] {
            let plan = Plan::parse(extents, from, to).unwrap();
            for part in PARTS {
                threads_move_the_trapezoid(plan, part).unwrap();
                messages_are_those_of_the_trapezoid(plan, part).unwrap();
            }
        }
    }
}

/// `tril(alpha * A) + beta * B`, of a transposed B of other elements.
#[test]
fn a_triangle_is_scaled_and_added() {
    let to = "(*, cyclic(2)) onto 3 storage fortran axes (1, 0)";
    let plan = TypedPlan::<f32, 2>::parse([20, 20], "(cyclic(3), *) onto 3", to).unwrap();
    threads::run(3, |rank| {
        let mut bound = plan.binder().trapezoid(Uplo::Lower, Diag::Unit).bind(rank)?;
        let value = |[row, column]: [usize; 2]| (100 * row + column) as f32;
        let from: Vec<f32> = bound.global_indices(Side::Source).map(value).collect();
        let mut to = vec![0.25_f64; bound.local_len(Side::Destination)];
        bound.run_with(&from, &mut to, scale_add(2.0, 4.0))?;
        for ([column, row], found) in bound.global_indices(Side::Destination).zip(to) {
            let sum = 2.0 * f64::from(value([row, column])) + 1.0;
            assert_eq!(found, if column < row { sum } else { 0.25 });
        }
        Ok::<_, Error>(())
    })
    .unwrap();
}

fn square() -> Moves {
    Moves::parse([12, 12], "(cyclic(2), *) onto 3", "(*, block) onto 3").unwrap()
}

#[test]
fn ranks_compare_trapezoids() {
    let differ = |parts: [Option<(Uplo, Diag)>; 2]| {
        let plan = square();
        let bind = |rank: &threads::Rank| {
            let binder = plan.binder().route(Route::Messages);
            let bound = match parts[usize::from(rank.rank() == 1)] {
                Some((uplo, diag)) => binder.trapezoid(uplo, diag).bind(rank),
                None => binder.bind(rank),
            };
            Ok::<_, Error>(bound.expect_err("they differ"))
        };
        threads::run(3, bind).unwrap()
    };
    let upper = Some((Uplo::Upper, Diag::NonUnit));
    for other in [None, Some((Uplo::Upper, Diag::Unit)), Some((Uplo::Lower, Diag::NonUnit))] {
        for error in differ([upper, other]) {
            let Error::DifferentPlan { rank: 1, ours, .. } = &error else { panic!("{error}") };
            assert!(ours.ends_with(", the upper trapezoid with its diagonal"), "{ours}");
        }
    }
}

#[test]
fn what_a_trapezoid_cannot_have_is_an_error() {
    let plan = square();
    threads::run(3, |rank| {
        let binder = || plan.binder().trapezoid(Uplo::Upper, Diag::Unit);
        let error = binder().route(Route::Chunks).bind(rank).expect_err("there is no such route");
        assert!(error.to_string().contains("chunks"), "{error}");
        let error = binder().method(Method::Koenig).bind(rank).expect_err("there are no steps");
        assert!(matches!(&error, Error::Unavailable { .. }), "{error}");
        // The default has none.
        let text = binder().method(Method::AllAtOnce).bind(rank)?.explain();
        assert!(text.contains("; of the upper trapezoid without its diagonal"), "{text}");
        assert!(text.contains("by one memcpy per run: a trapezoid has parts of rows"), "{text}");
        Ok::<_, Error>(())
    })
    .unwrap();
}
