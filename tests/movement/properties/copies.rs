//! Copies of arrays move from the nearest copy.

use super::execution::{Tag, UNTOUCHED, expected, source_array};
use proptest::prelude::*;
use redist::exec::PlanWithCopies;
use redist::layout::{Dist, Layout, RankOrder, Ranks};
use redist::plan::Plan;
use redist::{Error, Side, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};
use std::collections::BTreeMap;

type Outcome = Result<(), TestCaseError>;

/// Returns all copies' ranks, each with its twin in the first copy; `None` if copies overlap.
pub fn ranks_of<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    copies: &[Layout<D>],
) -> Option<BTreeMap<usize, usize>> {
    let (mut ranks, grid) = (BTreeMap::new(), plan.descriptor(side));
    for copy in copies {
        let layouts = if side == Side::Source {
            (*copy, *plan.descriptor(Side::Destination).layout())
        } else {
            (*plan.descriptor(Side::Source).layout(), *copy)
        };
        let there = Plan::new(plan.extents(), layouts.0, layouts.1).unwrap();
        for number in 0..grid.ranks() {
            let rank = there.descriptor(side).nth_rank(number);
            if ranks.insert(rank, grid.nth_rank(number)).is_some() {
                return None;
            }
        }
    }
    Some(ranks)
}

fn copies_move<const D: usize>(
    case: &Case<D>,
    [sources, destinations]: [usize; 2],
) -> Result<(), TestCaseError> {
    let plan = case.plan();
    let (from, to) = (case.from.copies(sources), case.to.copies(destinations));
    let with_copies = PlanWithCopies::<Tag, D>::new(case.extents, &from, &to);
    let texts =
        [format!("{} copies {sources}", case.from), format!("{} copies {destinations}", case.to)];
    let parsed = PlanWithCopies::<Tag, D>::parse(case.extents, &texts[0], &texts[1]);
    prop_assert_eq!(
        parsed.map(|parsed| parsed.explain()).map_err(|error| error.to_string()),
        with_copies.as_ref().map(PlanWithCopies::explain).map_err(ToString::to_string)
    );
    let ranks = ranks_of(&plan, Side::Source, &from).zip(ranks_of(&plan, Side::Destination, &to));
    let Some((before, after)) = ranks else {
        prop_assert!(matches!(with_copies, Err(Error::Copies { .. })), "{:?}", with_copies.err());
        return Ok(());
    };
    let with_copies = with_copies.unwrap();
    let mut readers = vec![0; sources];
    (0..destinations).for_each(|copy| readers[with_copies.line(copy).0] += 1);
    prop_assert!(readers.iter().all(|readers| *readers <= destinations.div_ceil(sources)));

    let all = expected(&plan, &messages(case.extents, &case.from, &case.to));
    let last = before.keys().chain(after.keys()).max().unwrap();
    let moved = threads::run(last + 1, |communicator| {
        let rank = communicator.rank();
        let mut bound = with_copies.bind(communicator)?;
        let source = before.get(&rank).map_or(Vec::new(), |first| source_array(&plan, *first));
        let mut destination = vec![UNTOUCHED; bound.local_len(Side::Destination)];
        bound.run(&source, &mut destination)?;
        Ok::<_, Error>(destination)
    });
    for (rank, found) in moved.unwrap().into_iter().enumerate() {
        let expected = after.get(&rank).map_or(&[][..], |first| &all[*first]);
        prop_assert_eq!(found, expected, "rank {}", rank);
    }
    Ok(())
}

proptest! {
    #![proptest_config(one_in(4))]

    // feature: copies: broadcasts, all-gathers, replicas = `PlanWithCopies`, `copies k`
    #[test]
    fn one_dimension(case in cases::<1>(), sources in 1..4_usize, destinations in 1..4_usize) {
        copies_move(&case, [sources, destinations])?;
    }

    #[test]
    fn along_axes_of_the_grid(case in cases::<2>(), copies in 1..4_usize, place in 0..3_usize) {
        along_an_axis(&case, copies, place)?;
    }

    #[test]
    fn two_dimensions(case in cases::<2>(), sources in 1..3_usize, destinations in 1..3_usize) {
        copies_move(&case, [sources, destinations])?;
    }
}

/// Each rank of the grid of all copies is at the place that its number says.
fn along_an_axis<const D: usize>(case: &Case<D>, copies: usize, place: usize) -> Outcome {
    let (mut from, mut to) = (case.from, case.to);
    (from.ranks, to.ranks) = (Ranks::From(1), Ranks::From(0));
    let axes = to.dists.iter().filter(|dist| **dist != Dist::Collapsed).count() + 1;
    let along = place % axes;
    let text = format!("{to} copies {copies} along {along}");
    let with_copies =
        PlanWithCopies::<Tag, D>::parse(case.extents, &from.to_string(), &text).unwrap();
    let plan = Plan::new(case.extents, from, to).unwrap();
    let all = expected(&plan, &messages(case.extents, &from, &to));
    // Ranks before the axis of the copies, in the order that fills the grid, are slower than it.
    let dealt = to.grid.iter().zip(&to.dists).filter(|(_, dist)| **dist != Dist::Collapsed);
    let mut grid: Vec<usize> = dealt.map(|(extent, _)| *extent).collect();
    let cells: usize = grid.iter().product();
    grid.insert(along, copies);
    let mut twins = vec![0; cells * copies];
    for (rank, twin) in twins.iter_mut().enumerate() {
        let (mut rest, mut distance) = (rank, 1);
        let fastest: Vec<usize> = match to.order {
            RankOrder::Row => (0..axes).rev().collect(),
            RankOrder::Col => (0..axes).collect(),
        };
        for axis in fastest {
            if axis != along {
                *twin += rest % grid[axis] * distance;
                distance *= grid[axis];
            }
            rest /= grid[axis];
        }
    }
    let size = plan.descriptor(Side::Source).ranks_end().max(twins.len());
    let moved = threads::run(size, |communicator| {
        let rank = communicator.rank();
        let mut bound = with_copies.bind(communicator)?;
        let source = if plan.descriptor(Side::Source).number_of(rank).is_some() {
            source_array(&plan, rank)
        } else {
            Vec::new()
        };
        let mut destination = vec![UNTOUCHED; bound.local_len(Side::Destination)];
        let shape: usize = bound.local_shape(Side::Destination).iter().product();
        assert_eq!(shape, destination.len());
        assert_eq!(bound.global_indices(Side::Destination).len(), destination.len());
        if rank % 2 == 0 {
            bound.start(&source, &mut destination)?.finish()?;
        } else {
            bound.run(&source, &mut destination)?;
        }
        Ok::<_, Error>(destination)
    });
    for (rank, found) in moved.unwrap().into_iter().enumerate() {
        let expected = twins.get(rank).map_or(&[][..], |twin| &all[*twin]);
        prop_assert_eq!(found, expected, "rank {}", rank);
    }
    Ok(())
}

fn layout(text: &str) -> Layout<1> {
    text.parse().unwrap()
}

/// The copy on the same ranks is the nearest, whatever its number.
#[test]
fn what_is_near_is_read() {
    let from = layout("block onto 2").copies(3);
    let to = [layout("block onto 2 ranks 4..6"), layout("block onto 2 ranks 0..2")];
    let near = PlanWithCopies::<u8, 1>::new([10], &from, &to).unwrap();
    assert_eq!((near.line(0).0, near.line(1).0), (2, 0));
    // One copy is read once, if there are enough.
    let to = layout("* ranks 0..1").copies(3);
    let all = PlanWithCopies::<u8, 1>::new([10], &from, &to).unwrap();
    let mut sources = [0, 1, 2].map(|copy| all.line(copy).0);
    sources.sort_unstable();
    assert_eq!(sources, [0, 1, 2]);
}

#[test]
fn what_cannot_be_is_told() {
    let (block, whole) = (layout("block onto 2"), layout("* ranks 1..2"));
    let told = |from: &[Layout<1>], to: &[Layout<1>]| {
        PlanWithCopies::<u8, 1>::new([10], from, to).unwrap_err().to_string()
    };
    assert_eq!(
        told(&[], &[whole]),
        "the copies of the source: it has none; a side has at least one"
    );
    assert_eq!(
        told(&[whole], &[block, whole]),
        "the copies of the destination: copy 1 is on rank 1, as one before it is; give each copy ranks of its own (`ranks`)"
    );
}

#[test]
fn a_mistake_in_words_names_the_side() {
    let error = PlanWithCopies::<u8, 1>::parse([10], "block onto 2", "* copies 0").unwrap_err();
    assert!(matches!(
        &error,
        Error::Plan(redist::plan::ParsePlanError::Notation { side: Side::Destination, .. })
    ));
    let error = Plan::<1>::parse([10], "block onto 2 copies 2", "*").unwrap_err();
    assert!(error.to_string().contains("`PlanWithCopies::parse`"), "{error}");
}

#[test]
fn one_rank_tells_all() {
    let broadcast = PlanWithCopies::<u16, 1>::parse([6], "* ranks 2..3", "* copies 4").unwrap();
    assert!(broadcast.explain().starts_with("copies: 1 of the source, 4 of the destination"));
    let found = threads::run(4, |rank| {
        let mut bound = broadcast.bind(rank)?;
        let (source, mut whole) = (vec![7; bound.local_len(Side::Source)], [0; 6]);
        assert_eq!(source.len(), if rank.rank() == 2 { 6 } else { 0 });
        bound.run(&source, &mut whole)?;
        Ok::<_, Error>(whole)
    });
    assert_eq!(found.unwrap(), [[7; 6]; 4]);
    let gathered = PlanWithCopies::<u16, 1>::parse([6], "cyclic onto 3", "* copies 3").unwrap();
    let found = threads::run(3, |rank| {
        let (mut bound, mut whole) = (gathered.bind(rank)?, [0; 6]);
        bound.run(&[rank.rank() as u16, rank.rank() as u16 + 3], &mut whole)?;
        Ok::<_, Error>(whole)
    });
    assert_eq!(found.unwrap(), [[0, 1, 2, 3, 4, 5]; 3]);
}
