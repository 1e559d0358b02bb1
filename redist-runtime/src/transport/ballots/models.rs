//! Models of votes in memory, with a ring of two lines: `loom` runs them in all orders.

use super::tests::{Sum, ballots_at, vote, words};
use super::{Ballots, PART_BYTES, RING};
use crate::transport::tests::in_parts::{self, MemoryInParts};

fn model(preemptions: usize, ranks: usize, body: impl Fn(&Ballots<Sum>) + Send + Sync + 'static) {
    // SAFETY: all are made before a rank goes on. Threads of a model are one thread in truth, and
    // each keeps the memory.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { ballots_at(memory, rank) };
    in_parts::model(preemptions, (ranks, PART_BYTES), make, body);
}

#[test]
fn lines_are_used_anew() {
    model(2, 2, |ballots| (1..5).for_each(|round| assert_eq!(vote(ballots, round), 2 * round)));
}

#[test]
fn ballots_wait_for_lines() {
    model(1, 2, |ballots| {
        let numbers: Vec<u64> =
            (0..RING as u64 + 2).map(|vote| ballots.post(words(ballots.rank, vote))).collect();
        for number in numbers.into_iter().rev() {
            ballots.wait(number, || Ok::<(), ()>(())).unwrap();
            assert_eq!(ballots.take(number), Some(Sum(2 * number)));
        }
    });
}

#[test]
fn three_ranks_vote() {
    model(0, 3, |ballots| assert_eq!(vote(ballots, 4), 12));
}

#[test]
fn a_rank_that_has_ended_is_counted() {
    model(2, 2, |ballots| match ballots.rank {
        0 => {
            ballots.post(words(0, 3));
            ballots.end();
        }
        _ => assert_eq!([vote(ballots, 4), vote(ballots, 4)], [7, 1004]),
    });
}
