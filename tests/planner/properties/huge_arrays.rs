//! Plans with numbers of every magnitude: a plan or an error, never a panic.

use super::huge::any_magnitude;
use proptest::prelude::*;
use redist::Layout;
use redist::layout::{Dist, MAX_EXTENT, Ranks};
use redist::plan::{Plan, Side};
use redist_testing::strategies::{Case, config};

fn sizes() -> impl Strategy<Value = [usize; 3]> {
    prop::array::uniform3(any_magnitude(0..=usize::MAX))
}

fn layouts() -> impl Strategy<Value = Layout<3>> {
    let dist = prop_oneof![Just(Dist::Block), any_magnitude(1..=MAX_EXTENT).prop_map(Dist::Cyclic)];
    let (dists, grid) = (prop::array::uniform3(dist), prop::array::uniform3(1..=3usize));
    (dists, grid, 0..9usize)
        .prop_map(|(dists, grid, base)| Layout::new(dists, grid).ranks(Ranks::From(base)))
}

fn extents() -> impl Strategy<Value = [usize; 3]> {
    (sizes(), any::<[bool; 3]>()).prop_map(|(sizes, large)| {
        let mut left = MAX_EXTENT;
        let mut extent = |size: usize, large| {
            let extent = if large { size.min(left) } else { size.min(left) % 1000 };
            left /= extent.max(1);
            extent
        };
        [extent(sizes[0], large[0]), extent(sizes[1], large[1]), extent(sizes[2], large[2])]
    })
}

/// One extent of 0 empties the array, for any product of the rest.
fn empty_cases() -> impl Strategy<Value = Case<3>> {
    (sizes(), 0..3usize, layouts(), layouts()).prop_map(|(sizes, empty, from, to)| {
        let mut extents = sizes.map(|size| size.min(MAX_EXTENT));
        extents[empty] = 0;
        Case { extents, from, to }
    })
}

fn all_pairs(plan: &Plan<3>) -> impl Iterator<Item = (usize, usize)> + use<> {
    let ranks = 0..plan.ranks();
    ranks.clone().flat_map(move |p| ranks.clone().map(move |q| (p, q)))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_numbers_make_a_plan_or_an_error(
        extents in sizes(), blocks in sizes(), grid in sizes(), first in sizes(), stored in sizes(), at in sizes(),
    ) {
        let layout = Layout::new(blocks.map(Dist::Cyclic), grid).first(first).ranks(Ranks::From(first[0]));
        let section = Layout::new([Dist::Block, Dist::Collapsed, Dist::BlockOf(blocks[0])], grid).of(stored).at(at);
        for (from, to) in [(layout, section), (section, layout), (layout, layout)] {
            match Plan::new(extents, from, to) {
                Ok(plan) => prop_assert!(plan.explain().contains("digest")),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn all_that_is_there_is_moved(extents in extents(), from in layouts(), to in layouts()) {
        let plan = Case { extents, from, to }.plan();
        let moved: usize = all_pairs(&plan).map(|(p, q)| plan.volume(p, q)).sum();
        prop_assert_eq!(moved, extents.iter().product::<usize>());
        for side in [Side::Source, Side::Destination] {
            let held: usize = (0..plan.ranks()).map(|rank| plan.descriptor(side).local_len(rank)).sum();
            prop_assert_eq!(held, moved, "{}", side);
        }
    }

    #[test]
    fn nothing_moves_in_an_empty_array(case in empty_cases()) {
        let plan = case.plan();
        for (p, q) in all_pairs(&plan) {
            prop_assert_eq!(plan.volume(p, q), 0, "{} to {}", p, q);
            prop_assert_eq!(plan.descriptor(Side::Source).local_len(p), 0, "rank {}", p);
        }
        prop_assert!(plan.explain().contains("digest"));
    }
}
