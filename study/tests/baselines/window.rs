//! The window table's cost: never above another algorithm's, the same for any destination ranks.

use crate::cases::{axis, per_rank, whole};
use proptest::prelude::*;
use redist::plan::Axis;
use redist_study::baseline::{Aspen, Intersection, Operations, Window, all};
use redist_testing::strategies::config;

/// Checks comparisons of every rank, and set-ups where the other algorithm has any.
fn check_never_above(axis: &Axis) -> Result<(), TestCaseError> {
    let window = per_rank(axis, &Window);
    for algorithm in all().into_iter().filter(|algorithm| algorithm.applies(axis).is_ok()) {
        for (own, other) in window.iter().zip(per_rank(axis, algorithm)) {
            prop_assert!(
                own.comparisons <= other.comparisons,
                "{own:?}, {}: {other:?}",
                algorithm.name()
            );
            let counts_set_ups = algorithm.name() != "classical";
            prop_assert!(
                !counts_set_ups || own.set_ups <= other.set_ups,
                "{own:?}, {}: {other:?}",
                algorithm.name()
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn it_is_never_above_any_other(case in whole()) {
        check_never_above(&case.axis())?;
    }
}

#[test]
fn it_is_never_above_any_other_in_the_paper_s_blocks() {
    for (s, t) in
        [(1024, 256), (256, 1024), (30, 654), (654, 30), (50, 321), (321, 50), (30, 30), (1024, 50)]
    {
        for (p, q) in [(2, 2), (4, 8), (8, 4), (32, 32), (3, 1000)] {
            check_never_above(&axis(10_000, (s, p), (t, q))).unwrap();
        }
    }
}

fn of_a_rank(len: usize, s: usize, t: usize, q: usize, algorithm: &dyn Intersection) -> Operations {
    algorithm.intersect(&axis(len, (s, 5), (t, q)), 3, &mut Vec::new())
}

#[test]
fn it_is_flat_from_two_to_a_million_destination_ranks() {
    for (s, t) in [
        (7, 11),
        (30, 654),
        (654, 30),
        (63, 64),
        (10, 2),
        (2, 10),
        (1024, 256),
        (256, 1024),
        (8, 8),
    ] {
        let few = of_a_rank(1 << 40, s, t, 2, &Window);
        assert!(few.comparisons > 0 && few.comparisons < s + t, "{s} {t}: {few:?}");
        for q in [3, 5, 10, 64, 1000, 4096, 99_991, 1_000_000] {
            assert_eq!(of_a_rank(1 << 40, s, t, q, &Window), few, "{s} to {t} on {q} ranks");
        }
    }
}

/// Erratum E17, blocks of 7 on 5 ranks to blocks of 11: ASPEN's cost on the busiest rank grows with
/// the remote grid until its period is the extent.
#[test]
fn aspen_grows_until_its_period_saturates() {
    let busiest = |len, s, p, t, q| {
        let axis = axis(len, (s, p), (t, q));
        per_rank(&axis, &Aspen).iter().map(|rank| rank.comparisons).max().unwrap()
    };
    assert_eq!([1, 2, 3, 32, 1024].map(|q| busiest(100_000, 7, 5, 11, q)), [17, 34, 51, 544, 4417]);
    assert_eq!([1, 2, 64, 1024].map(|q| busiest(10_000, 30, 8, 654, q)), [44; 4]);
    let window = |q| {
        per_rank(&axis(100_000, (7, 5), (11, q)), &Window).iter().map(|rank| rank.comparisons).max()
    };
    assert_eq!([1, 2, 3, 32, 1024].map(window), [Some(17); 5]);
}
