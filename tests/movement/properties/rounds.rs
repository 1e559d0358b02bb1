//! Moves within any memory bound end as other moves do.

use super::execution::{Tag, UNTOUCHED, expected, source_array};
use proptest::prelude::*;
use redist::exec::Binder;
use redist::transport::{Route, Way};
use redist::{Error, Plan, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};

type Bind<'a, const D: usize> = Binder<'a, TypedPlan<Tag, D>, D>;

const WIDTH: usize = size_of::<Tag>();

fn moved<const D: usize>(
    plan: &Plan<D>,
    max_bytes: usize,
    binder: impl Fn(&TypedPlan<Tag, D>) -> Bind<'_, D> + Sync,
) -> Vec<[Vec<Tag>; 3]> {
    let dynamic = TypedPlan::<Tag, D>::from(*plan);
    let moved = threads::run(plan.ranks(), |communicator| {
        let rank = communicator.rank();
        let mut bound = binder(&dynamic).max_bytes(max_bytes).bind(communicator)?;
        let (source, len) = (source_array(plan, rank), bound.local_len(Side::Destination));
        let scratch = bound.scratch_bytes();
        assert!(scratch <= max_bytes);
        let mut arrays = [(); 3].map(|()| vec![UNTOUCHED; len]);
        for (turn, array) in arrays.iter_mut().enumerate() {
            if turn == 0 || (turn == 2 && rank % 2 == 0) {
                bound.run(&source, array)?;
            } else {
                bound.run_with(&source, array, |moved, kept| {
                    assert_eq!(*kept, UNTOUCHED, "each element arrives once");
                    *kept = moved;
                })?;
            }
            let held = bound.held_bytes();
            match bound.way() {
                Way::Messages => assert_eq!(held, scratch, "what is stated is what is held"),
                _ => assert!(held <= max_bytes && scratch == 0, "{held} of {max_bytes}"),
            }
        }
        // Moves that need all at once fail on ranks that want or receive it, and do not affect the
        // next one.
        let (rounds, mut array) = (bound.rounds(), vec![UNTOUCHED; len]);
        let started = match rank % 3 {
            0 => bound.run(&source, &mut array),
            _ => bound.start(&source, &mut array).and_then(|started| started.finish()),
        };
        let starts = |rank: usize| !rank.is_multiple_of(3);
        let is_told = |from: usize| starts(from) && plan.volume(from, rank) > 0;
        if rounds > 1 && (starts(rank) || (0..plan.ranks()).any(is_told)) {
            assert!(started.is_err() && array.iter().all(|tag| *tag == UNTOUCHED), "{started:?}");
        } else if started.is_ok() {
            assert_eq!(array, arrays[0]);
        } else {
            // A later round of a sender fails, because it receives from such a rank.
            assert!(rounds > 1 && plan.ranks() > 1, "{started:?}");
        }
        bound.run(&source, &mut array)?;
        assert_eq!(array, arrays[0]);
        Ok::<_, Error>(arrays)
    });
    moved.unwrap_or_else(|failure| panic!("{max_bytes} bytes: {failure}"))
}

fn arrays_move_within_the_bound<const D: usize>(
    case: &Case<D>,
    elements: usize,
) -> Result<(), TestCaseError> {
    let plan = case.plan();
    let expected = expected(&plan, &messages(case.extents, &case.from, &case.to));
    let max_bytes = elements * WIDTH;
    let check = |found: Vec<[Vec<Tag>; 3]>| {
        for (rank, arrays) in found.iter().enumerate() {
            for array in arrays {
                prop_assert_eq!(array, &expected[rank], "rank {}", rank);
            }
        }
        Ok(())
    };
    check(moved(&plan, max_bytes, |plan| plan.binder()))?;
    check(moved(&plan, max_bytes, |plan| plan.binder().route(Route::Messages)))?;
    Ok(())
}

proptest! {
    #![proptest_config(one_in(8))]

    // feature: memory within a bound (max_bytes)
    #[test]
    fn one_dimension(case in cases::<1>(), elements in 1..15_usize) {
        arrays_move_within_the_bound(&case, elements)?;
    }

    #[test]
    fn two_dimensions(case in cases::<2>(), elements in 2..60_usize) {
        arrays_move_within_the_bound(&case, elements)?;
    }

    #[test]
    fn three_dimensions(case in cases::<3>(), elements in 4..90_usize) {
        arrays_move_within_the_bound(&case, elements)?;
    }
}
