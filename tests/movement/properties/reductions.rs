//! Sums of addends in drawn layouts, beside a sum by hand in the same order.

use super::copies::ranks_of;
use super::execution::{Tag, UNTOUCHED, expected, source_array};
use proptest::prelude::*;
use redist::exec::{Reduction, max, min, sum};
use redist::layout::Layout;
use redist::plan::Plan;
use redist::{Error, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns an element of an addend. Sums of these depend on the order of their addends.
fn addend(copy: usize, [rank, offset]: Tag) -> f64 {
    let (spread, place) = ([1e16, 1.0, -1e16, 3.0, 1e-3], (7 * rank + offset) as usize);
    spread[(copy + place) % spread.len()] * (place % 7 + 1) as f64
}

/// Returns the copy of each rank of a side, and the rank's twin in the first copy; `None` if copies
/// overlap.
fn copies_of<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    copies: &[Layout<D>],
) -> Option<BTreeMap<usize, (usize, usize)>> {
    let twins = ranks_of(plan, side, copies)?;
    let in_copy = |(copy, layout): (usize, &Layout<D>)| {
        let ranks = ranks_of(plan, side, &[*layout]).expect("one copy overlaps with none");
        ranks.into_keys().map(move |rank| (rank, copy)).collect::<Vec<_>>()
    };
    let all = copies.iter().enumerate().flat_map(in_copy);
    Some(all.map(|(rank, copy)| (rank, (copy, twins[&rank]))).collect())
}

fn adds<const D: usize>(
    case: &Case<D>,
    [addends, copies]: [usize; 2],
) -> Result<(), TestCaseError> {
    let (plan, from, to) = (case.plan(), case.from.copies(addends), case.to.copies(copies));
    let reduction = Reduction::<f64, D>::new(case.extents, &from, &to);
    let ranks = copies_of(&plan, Side::Source, &from).zip(copies_of(&plan, Side::Destination, &to));
    let Some((before, after)) = ranks else {
        prop_assert!(matches!(reduction, Err(Error::Copies { .. })), "{:?}", reduction.err());
        return Ok(());
    };
    let reduction = reduction.unwrap();
    let size = before.keys().chain(after.keys()).max().unwrap() + 1;
    let moved = threads::run(size, |communicator| {
        let rank = communicator.rank();
        let mut bound = reduction.bind(communicator)?;
        let source = before.get(&rank).map_or(Vec::new(), |(copy, twin)| {
            source_array(&plan, *twin).into_iter().map(|tag| addend(*copy, tag)).collect()
        });
        let mut found = vec![f64::INFINITY; bound.local_len(Side::Destination)];
        // The second time, over what is there.
        bound.run(&source, &mut found, sum)?;
        bound.run(&source, &mut found, |addend, total| *total += addend)?;
        Ok::<_, Error>(found)
    });
    let all = expected(&plan, &messages(case.extents, &case.from, &case.to));
    let by_hand = |tag: &Tag| match *tag {
        UNTOUCHED => f64::INFINITY,
        tag => (1..addends).fold(addend(0, tag), |total, copy| total + addend(copy, tag)),
    };
    for (rank, found) in moved.unwrap().into_iter().enumerate() {
        let expected = after.get(&rank).map_or(&[][..], |(_, twin)| &all[*twin]);
        let expected: Vec<u64> = expected.iter().map(|tag| by_hand(tag).to_bits()).collect();
        let found: Vec<u64> = found.iter().map(|total| total.to_bits()).collect();
        prop_assert_eq!(found, expected, "rank {}", rank);
    }
    Ok(())
}

proptest! {
    #![proptest_config(one_in(4))]

    // feature: sums of addends, in one call or two = `Reduction`
    #[test]
    fn one_dimension(case in cases::<1>(), addends in 1..5_usize, copies in 1..4_usize) {
        adds(&case, [addends, copies])?;
    }

    #[test]
    fn two_dimensions(case in cases::<2>(), addends in 1..4_usize, copies in 1..3_usize) {
        adds(&case, [addends, copies])?;
    }
}

#[test]
fn the_least_and_the_greatest_go_to_all_ranks() {
    let all_reduce = Reduction::<i32, 1>::parse([5], "* copies 3", "* copies 3").unwrap();
    assert!(all_reduce.explain().starts_with("sums: 3 addends, 3 of the destination"));
    let found = threads::run(3, |rank| {
        let mut bound = all_reduce.bind(rank)?;
        let own: Vec<i32> = (0..5).map(|at| (at * 5 + rank.rank() as i32 * 7) % 11 - 5).collect();
        let (mut least, mut greatest) = ([0; 5], [0; 5]);
        bound.run(&own, &mut least, min)?;
        bound.run(&own, &mut greatest, max)?;
        Ok::<_, Error>((least, greatest))
    });
    let of = |pick: fn(i32, i32) -> i32| {
        let addend = |rank: i32, at: i32| (at * 5 + rank * 7) % 11 - 5;
        [0, 1, 2, 3, 4].map(|at| pick(pick(addend(0, at), addend(1, at)), addend(2, at)))
    };
    assert_eq!(found.unwrap(), [(of(i32::min), of(i32::max)); 3]);
}

#[test]
fn what_is_not_moved_stays() {
    let (from, to) = ("* of 8 at 2 copies 2", "block onto 2 of 12 at 3");
    let reduction = Reduction::<u8, 1>::parse([4], from, to).unwrap();
    let found = threads::run(2, |rank| {
        let mut bound = reduction.bind(rank)?;
        let mut part = [9; 6];
        bound.run(&[1 + rank.rank() as u8; 8], &mut part, sum)?;
        Ok::<_, Error>(part)
    });
    assert_eq!(found.unwrap(), [[9, 9, 9, 3, 3, 3], [3, 9, 9, 9, 9, 9]]);
}

#[test]
fn mistakes_are_told_and_cost_one_move() {
    let reduction = Reduction::<u32, 1>::parse([6], "* copies 2", "block onto 2").unwrap();
    let (reduction, other) = (&reduction, &TypedPlan::<u32, 1>::parse([2], "*", "*").unwrap());
    threads::run(2, |rank| {
        let mut bound = reduction.bind(rank)?;
        let (source, mut part) = (vec![1; 6 - rank.rank()], [7; 3]);
        let told = bound.run(&source, &mut part, sum).unwrap_err().to_string();
        assert!(told.contains("rank 1"), "{told}");
        assert_eq!(part, [7; 3], "nothing has moved");

        let panics = rank.rank() == 0;
        let call = AssertUnwindSafe(|| {
            bound.run(&[1; 6], &mut part, |addend, total| {
                let nested = other.bind(rank).err().map(|error| error.to_string());
                assert!(nested.is_some(), "a function that binds is refused");
                assert!(!panics, "amid a function");
                *total += addend;
            })
        });
        match catch_unwind(call) {
            Ok(moved) => moved.map(|()| assert!(!panics && part == [2; 3]))?,
            Err(_) => assert!(panics),
        }
        bound.run(&[5; 6], &mut part, sum)?;
        assert_eq!(part, [10; 3]);
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn what_cannot_be_is_told() {
    let layout = |text: &str| text.parse::<Layout<1>>().unwrap();
    let told = |from: &[Layout<1>], to: &[Layout<1>]| {
        Reduction::<u8, 1>::new([10], from, to).unwrap_err().to_string()
    };
    let whole = layout("*");
    assert_eq!(
        told(&[], &[whole]),
        "the copies of the source: it has none; a side has at least one"
    );
    assert_eq!(
        told(&[whole, layout("block onto 2")], &[whole]),
        "the copies of the source: copy 1 is on rank 0, as one before it is; give each copy ranks of its own (`ranks`)"
    );
    assert_eq!(
        told(&whole.copies(300), &whole.copies(300)),
        "the copies of the destination: 300 of them and 300 addends are more than 65536 pairs; ask for fewer"
    );
}
