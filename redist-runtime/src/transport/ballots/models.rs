//! Models of votes in memory, with a ring of two lines: by `loom`, in all orders.

use super::tests::{Memory, Sum, vote, words};
use super::{Ballots, RING};
use crate::transport::threads::models::check;
use std::rc::Rc;
use std::sync::Arc;

/// Runs `body` on every rank.
fn model(preemptions: usize, ranks: usize, body: impl Fn(&Ballots<Sum>) + Send + Sync + 'static) {
    let body = Arc::new(body);
    check(preemptions, move || {
        let memory = Rc::new(Memory::new(ranks));
        let start = |rank| {
            // SAFETY: all are made before a rank goes on; threads of a model are one thread in
            // truth, and each keeps the memory.
            let ballots = unsafe { memory.ballots(rank) };
            let (memory, body) = (Rc::clone(&memory), body.clone());
            move || {
                body(&ballots);
                drop(memory);
            }
        };
        let mut bodies = (0..ranks).map(start).collect::<Vec<_>>().into_iter();
        let first = bodies.next();
        let others: Vec<_> = bodies.map(loom::thread::spawn).collect();
        first.into_iter().for_each(|first| first());
        others.into_iter().for_each(|rank| rank.join().unwrap());
    });
}

/// More votes than lines, one after the other.
#[test]
fn lines_are_used_anew() {
    model(2, 2, |ballots| (1..5).for_each(|round| assert_eq!(vote(ballots, round), 2 * round)));
}

/// A rank that is ahead by more votes than there are lines keeps them.
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
