//! Extents, blocks and grids near 2^63. Only algorithms whose cost does not grow with them are run.

use crate::cases::axis;
use proptest::prelude::*;
use redist::layout::MAX_EXTENT;
use redist::plan::{Axis, Side};
use redist_study::baseline::{Intersection, Segments, Window, all};
use redist_testing::strategies::config;

/// Checks every family's first and last repetition against the owner and local index maps.
fn check(axis: &Axis, rank: usize, algorithm: &dyn Intersection) -> Result<(), TestCaseError> {
    let mut found = Vec::new();
    algorithm.intersect(axis, rank, &mut found);
    let (source, destination) = (axis.side(Side::Source), axis.side(Side::Destination));
    let mut elements = 0;
    for family in &found {
        let Segments { start, len, count, last_len, .. } = *family;
        let last = start + (count - 1) * family.stride;
        prop_assert!(last + last_len <= axis.len() && last_len >= 1 && last_len <= len);
        prop_assert_eq!((source.owner(start), source.local(start)), (rank, family.source_offset));
        prop_assert_eq!(
            (destination.owner(start), destination.local(start)),
            (family.peer, family.destination_offset)
        );
        prop_assert_eq!((source.owner(last), source.owner(last + last_len - 1)), (rank, rank));
        elements += (count - 1) * len + last_len;
    }
    prop_assert_eq!(elements, source.owned_below(rank, axis.len()), "{}", algorithm.name());
    Ok(())
}

fn near(most: usize) -> impl Strategy<Value = usize> {
    (0..50usize, 0..3u32).prop_map(move |(less, half)| (most >> half) - less)
}

proptest! {
    #![proptest_config(config())]

    /// Few blocks: all are quick, except algorithms that go through ranks, or units that divide
    /// blocks.
    #[test]
    fn huge_blocks(
        (len, s, t) in (near(MAX_EXTENT), near(MAX_EXTENT), near(MAX_EXTENT)), (p, q) in (1..9usize, 1..9usize)
    ) {
        let axis = axis(len, (s, p), (t, q));
        let quick = |algorithm: &&dyn Intersection| {
            algorithm.applies(&axis).is_ok() && algorithm.name() != "basic cycle"
        };
        for algorithm in all().into_iter().filter(quick) {
            (0..p).try_for_each(|rank| check(&axis, rank, algorithm))?;
        }
    }

    /// Small blocks on few ranks: what folds to a period is quick.
    #[test]
    fn huge_extents(len in near(MAX_EXTENT), (s, t) in (1..20usize, 1..20usize), (p, q) in (1..9usize, 1..9usize)) {
        let axis = axis(len, (s, p), (t, q));
        for algorithm in all() {
            let folds = ["FALLS", "PITFALLS", "ASPEN", "window table"].contains(&algorithm.name());
            if folds {
                (0..p).try_for_each(|rank| check(&axis, rank, algorithm))?;
            }
        }
    }

    #[test]
    fn huge_grids(len in near(MAX_EXTENT), (s, t) in (1..20usize, 1..20usize), p in 1..9usize, q in near(i32::MAX as usize)) {
        let axis = axis(len, (s, p), (t, q));
        (0..p).try_for_each(|rank| check(&axis, rank, &Window))?;
    }
}
