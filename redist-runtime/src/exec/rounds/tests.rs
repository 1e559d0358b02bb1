//! Compares rounds with all boxes of all ranks one by one.

use super::*;
use crate::plan::Plan;

const PLANS: [([usize; 2], &str, &str); 10] = [
    ([50, 70], "(block, *) onto 4", "(cyclic(8), cyclic(8)) onto (2, 3)"),
    ([50, 70], "(cyclic(3), cyclic) onto (2, 2)", "(*, block) onto 6 storage fortran"),
    ([50, 70], "(gen_block([0, 40, 10]), *) onto 3", "(cyclic(7), *) onto 2 transposed"),
    ([50, 70], "(cyclic(16), block) onto (2, 2) of [90, 90] at [13, 20]", "(*, *)"),
    ([50, 70], "(block, *) onto 4", "(block, *) onto 3 ranks 4..7"),
    ([50, 70], "(block, *) onto 4 storage fortran", "(*, block) onto 4"),
    ([50, 1], "(cyclic(9), *) onto 3 of [90, 70] at [7, 0]", "(gen_block([3, 47]), *) onto 2"),
    (
        [50, 70],
        "(rows([3, 9, 13, 13, 9, 3], cyclic(2)), *) onto 2",
        "(*, points([10, 25, 25, 10])) onto 3",
    ),
    ([1, 1], "(*, *)", "(*, *)"),
    ([5, 0], "(block, *) onto 2", "(*, *)"),
];

const WIDTH: usize = 3;

/// A round costs an agreement: nobody waits for billions.
#[test]
fn a_move_in_too_many_rounds_is_refused_when_it_is_bound() {
    use crate::exec::{Redistribution, TypedPlan};
    use crate::transport::{Route, threads};
    let plan = TypedPlan::<u64, 1>::parse([1 << 22], "* onto 1", "* onto 1 ranks 1..2").unwrap();
    let bound = |max_bytes: usize| {
        threads::run(2, |rank| {
            let binder = plan.binder().route(Route::Messages).max_bytes(max_bytes);
            Ok::<_, Error>(binder.bind(rank).map(|bound| bound.rounds()))
        })
    };
    for found in bound(8).unwrap() {
        let told = found.map(|_| ()).unwrap_err().to_string();
        assert!(told.contains("in 4194304 rounds") && told.contains("allow more bytes"), "{told}");
    }
    for found in bound(64).unwrap() {
        assert_eq!(found.unwrap(), 1 << 19);
    }
}

fn any(extents: [usize; 2], from: &str, to: &str) -> AnyPlan {
    Plan::parse(extents, from, to).expect("a plan").into()
}

fn bytes(part: &AnyPlan, rank: usize, receives: bool) -> [usize; 2] {
    let [out, come] = SIDES.map(|side| WIDTH * part.moved(side, rank));
    [out, if receives { come } else { 0 }]
}

fn most(plan: &AnyPlan, receives: bool) -> usize {
    let sum = |rank| bytes(plan, rank, receives).into_iter().sum();
    (0..plan.ranks()).map(sum).max().unwrap_or(0)
}

fn cuts(plan: &AnyPlan, max_bytes: usize, receives: bool) -> Vec<Result<MoveRounds, Error>> {
    let ranks = 0..plan.ranks();
    ranks.map(|rank| MoveRounds::new(plan, rank, WIDTH, (max_bytes, 0, 0), receives)).collect()
}

#[test]
fn rounds_cover_the_section_once_and_fit_on_all_ranks() {
    let cases = PLANS.into_iter().flat_map(|plan| [false, true].map(|receives| (plan, receives)));
    for ((extents, from, to), receives) in cases {
        let plan = any(extents, from, to);
        for max_bytes in [6, 20, 100, 1000, 5000, most(&plan, receives), 1 << 20] {
            let cuts = cuts(&plan, max_bytes, receives);
            let shape = cuts[0].as_ref().expect("an element fits").shape.clone();
            for (rank, cut) in cuts.into_iter().enumerate() {
                let cut = cut.expect("an element fits");
                assert_eq!(cut.shape, shape, "all ranks cut alike");
                let told = format!("{from} to {to} in {max_bytes}, rank {rank}: {cut:?}");
                assert_eq!(cut.count() == 1, most(&plan, receives) <= max_bytes, "{told}");
                assert!(cut.bytes() <= max_bytes, "{told}");
                let (mut moved, mut room) = ([0; 2], [0; 2]);
                for round in 0..cut.count() {
                    let part = plan.part(&cut.indices(round));
                    let taken = bytes(&part, rank, receives);
                    assert!(taken.iter().sum::<usize>() <= max_bytes, "{told}");
                    for side in [0, 1] {
                        moved[side] += taken[side];
                        room[side] = taken[side].max(room[side]);
                    }
                }
                assert_eq!(moved, bytes(&plan, rank, receives), "{told}");
                assert!(room[0] <= cut.room[0] && room[1] <= cut.room[1], "{told} {room:?}");
            }
        }
    }
}

#[test]
fn the_least_that_is_needed_is_told_and_is_enough() {
    for (extents, from, to) in PLANS.into_iter().filter(|(extents, ..)| extents[1] > 0) {
        let plan = any(extents, from, to);
        for receives in [false, true] {
            for cut in cuts(&plan, 2, receives) {
                let Err(Error::Scratch { max_bytes: 2, needed }) = cut else {
                    panic!("{from} {to}: {cut:?}")
                };
                assert!(needed == WIDTH || (receives && needed == 2 * WIDTH));
                assert!(cuts(&plan, needed, receives).iter().all(Result::is_ok));
                assert!(cuts(&plan, needed - 1, receives).iter().all(Result::is_err));
            }
        }
    }
    let told = Error::Scratch { max_bytes: 1, needed: 8 }.to_string();
    assert!(told.contains("1 byte of a rank") && told.contains("alone needs 8"), "{told}");
}

#[test]
fn what_is_taken_already_is_left_out() {
    let plan = any([50, 70], "(block, *) onto 4", "(*, cyclic(8)) onto 3");
    let cut = |max_bytes, taken| MoveRounds::new(&plan, 1, WIDTH, (max_bytes, taken, 0), true);
    let (all, some) = (cut(1000, 0).expect("room"), cut(1500, 500).expect("room"));
    assert_eq!((all.shape, all.room), (some.shape, some.room));
    let told = cut(502, 500).expect_err("no room");
    assert_eq!(told, Error::Scratch { max_bytes: 502, needed: 506 });
}

#[test]
fn huge_extents_and_many_ranks_are_cut_at_once() {
    let line = |len, from, to| AnyPlan::from(Plan::parse([len], from, to).expect("a plan"));
    let longest = (1 << 63) - 1;
    let plan = line(longest, "cyclic(3) onto 1000000", "block onto 1000003");
    let cut = MoveRounds::new(&plan, 77, 8, (1 << 20, 0, 0), true).expect("room");
    assert!(cut.count() > 1 << 40 && cut.bytes() <= 1 << 20, "{cut:?}");
    let last = &cut.indices(cut.count() - 1)[0];
    assert_eq!((last.end, last.is_empty()), (longest, false));
    let plan = line(longest, "*", "*");
    let cut = MoveRounds::new(&plan, 0, 1, (2, 0, 0), true).expect("room");
    assert_eq!((cut.count(), cut.bytes()), (longest, 2));
}
