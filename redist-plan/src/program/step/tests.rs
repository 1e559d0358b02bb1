//! Each rank's elements repeat a step, and steps bound what code is compiled.

use super::*;
use crate::plan::{Plan, Side, WindowTable};
use crate::program::LoopDim;

fn peers(runs: impl Iterator<Item = (usize, usize)>, count: usize) -> Vec<usize> {
    let each: Vec<usize> = runs.flat_map(|(peer, len)| core::iter::repeat_n(peer, len)).collect();
    each.iter().map(|peer| (peer + count - each[0]) % count).collect()
}

/// Returns `true` if each rank's elements repeat one of the steps, from one of its first blocks on.
fn agrees(own: (usize, usize), peer: (usize, usize)) -> bool {
    let blocks = BlocksAndRanks::new(own, peer);
    let steps: Vec<RunStep> = (0..blocks.cycles()).filter_map(|cycle| blocks.step(cycle)).collect();
    let [from, to] = [own, peer].map(|(block, ranks)| format!("cyclic({block}) onto {ranks}"));
    let plan = Plan::<1>::parse([60_000], &from, &to).unwrap();
    (0..own.1).all(|rank| {
        let dim = LoopDim::new(&plan.axis(0), WindowTable::NONE, Side::Source, rank);
        let runs = dim.all_groups().flat_map(|group| {
            (0..group.count).map(|step| ((group.peer + step) % dim.peers.len(), group.len))
        });
        let each = peers(runs, dim.peers.len());
        steps.iter().any(|step| {
            let runs = step.runs().map(|run| (run.peer.into(), run.len.into()));
            let expected = peers(runs, step.shares().len());
            (0..each.len() / 2).step_by(own.0).any(|skip| {
                let (count, first) = (step.shares().len(), each[skip]);
                let found = each[skip..].iter().map(|found| (found + count - first) % count);
                found.zip(expected.iter().cycle()).all(|(found, expected)| found == *expected)
            })
        })
    })
}

#[test]
fn each_rank_repeats_a_step() {
    for (own, peer) in [
        ((10, 3), (2, 3)),
        ((2, 3), (10, 3)),
        ((4, 3), (6, 5)),
        ((6, 5), (4, 3)),
        ((5, 3), (1, 7)),
        ((7, 3), (5, 2)),
        ((1, 2), (10, 4)),
        ((8, 3), (12, 4)),
        ((1000, 4), (2, 4)),
    ] {
        assert!(agrees(own, peer), "{own:?} -> {peer:?}");
    }
}

#[test]
fn cycles_with_the_same_runs_are_one() {
    let steps = |blocks: BlocksAndRanks| -> Vec<bool> {
        (0..5).map(|cycle| blocks.new_step(cycle).is_some()).collect()
    };
    // Whole blocks of 5 for ranks in turn, wherever a rank's blocks are in the blocks of 20.
    let alike = BlocksAndRanks::new((5, 4), (20, 4));
    assert_eq!((alike.cycles(), steps(alike)), (4, vec![true, false, false, false, false]));
    // Blocks of 4 at the start and at the end of one of 6 are not cut; those amid are.
    let cut = BlocksAndRanks::new((4, 3), (6, 5));
    assert_eq!((cut.cycles(), steps(cut)), (3, vec![true, false, true, false, false]));
}

#[test]
fn shares_are_what_runs_add_up_to() {
    let step = BlocksAndRanks::new((4, 3), (6, 5)).step(1).unwrap();
    let mut shares = vec![0; step.shares().len()];
    for run in step.runs() {
        shares[usize::from(run.peer)] += usize::from(run.len);
    }
    assert_eq!((shares.as_slice(), shares.iter().sum()), (step.shares(), step.elements()));
}

#[test]
fn there_is_no_step_of_what_does_not_fit_or_goes_to_one_peer() {
    for (own, peer) in [
        ((10, 3), (2, 1)),
        ((1, 3), (1, 3)),
        ((301, 2), (300, 3)),
        ((16, 2), (1, 16)),
        ((0, 2), (1, 3)),
        ((usize::MAX, 2), (usize::MAX, 3)),
        ((usize::MAX / 2, 2), (usize::MAX / 3, 3)),
    ] {
        let blocks = BlocksAndRanks::new(own, peer);
        assert!(blocks.step(0).is_none(), "{own:?} -> {peer:?}");
    }
}

#[test]
fn turns_are_told_by_lengths_and_by_peers() {
    let mut seen = [[0; 2]; 2];
    for (own, peer, ranks, peers) in
        (1..144).flat_map(|n| (2..5).map(move |p| (n / 12 + 1, n % 12 + 1, 2, p)))
    {
        let blocks = BlocksAndRanks::new((own, ranks), (peer, peers));
        for step in (0..blocks.cycles()).filter_map(|cycle| blocks.step(cycle)) {
            let (runs, count): (Vec<_>, _) = (step.runs().collect(), step.shares().len());
            let one_length = runs.iter().all(|run| run.len == runs[0].len);
            let round: Vec<u8> = (0..count).map(|peer| u8::try_from(peer).unwrap()).collect();
            let in_turn = runs
                .chunks(count)
                .all(|turn| turn.iter().map(|run| run.peer).eq(round.iter().copied()));
            assert_eq!(step.is_in_turn(), one_length && in_turn, "{blocks:?} {step:?}");
            seen[usize::from(one_length)][usize::from(in_turn)] += 1;
        }
    }
    assert!(seen.iter().flatten().all(|&steps| steps > 0), "{seen:?}");
}
