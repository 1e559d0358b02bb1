//! Votes between ranks that are threads.

use super::{Ballots, Tally, WORDS};
#[cfg(not(loom))]
use super::{PART_BYTES, RING};
#[cfg(not(loom))]
use crate::transport::tests::in_parts;
use crate::transport::tests::in_parts::MemoryInParts;
#[cfg(not(loom))]
use std::sync::Mutex;

/// The sum of the first words; a rank that has ended counts as a thousand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum(pub u64);

impl Tally for Sum {
    fn count(&mut self, rank: usize, ballot: Option<[u64; WORDS]>) {
        self.0 += match ballot {
            Some(words) => {
                assert_eq!(words[1..], [rank as u64; WORDS - 1]);
                words[0]
            }
            None => 1000,
        };
    }
}

/// # Safety
/// As for [`Ballots::new`], with this in place of the memory.
pub unsafe fn ballots_at(memory: &MemoryInParts, rank: usize) -> Ballots<Sum> {
    let parts = memory.parts();
    let names = (0..parts.len()).collect();
    // SAFETY: parts have as many bytes (`run` here, and the models); the caller promises the rest.
    unsafe { Ballots::new(parts, names, rank) }
}

pub fn words(rank: usize, first: u64) -> [u64; WORDS] {
    let mut words = [rank as u64; WORDS];
    words[0] = first;
    words
}

pub fn vote(ballots: &Ballots<Sum>, value: u64) -> u64 {
    let number = ballots.post(words(ballots.rank, value));
    ballots.wait(number, || Ok::<(), ()>(())).unwrap();
    ballots.take(number).unwrap().0
}

#[cfg(not(loom))]
fn run(ranks: usize, body: impl Fn(&Ballots<Sum>) + Sync) {
    // SAFETY: every rank makes this call once, and waits for the others; the memory outlives them.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { ballots_at(memory, rank) };
    in_parts::run((ranks, PART_BYTES), make, body);
}

#[cfg(not(loom))]
#[test]
fn all_learn_the_same_of_each_vote() {
    for ranks in 1..5 {
        run(ranks, |ballots| {
            for round in 0..10 * RING as u64 {
                let all: u64 = (0..ranks as u64).map(|rank| rank * round).sum();
                assert_eq!(vote(ballots, ballots.rank as u64 * round), all);
            }
        });
    }
}

/// Many more votes than lines: all posted before the first is taken, in another order on each rank.
#[cfg(not(loom))]
#[test]
fn votes_may_be_asked_for_in_any_order() {
    const VOTES: u64 = 5 * RING as u64 + 3;
    run(3, |ballots| {
        for times in 1..4 {
            let mut numbers: Vec<(u64, u64)> = (0..VOTES)
                .map(|vote| (ballots.post(words(ballots.rank, vote * times)), vote))
                .collect();
            match ballots.rank {
                0 => {}
                1 => numbers.reverse(),
                _ => numbers.rotate_left(VOTES as usize / 2),
            }
            for (number, vote) in numbers {
                ballots.wait(number, || Ok::<(), ()>(())).unwrap();
                assert_eq!(ballots.take(number), Some(Sum(3 * vote * times)));
                assert!(ballots.take(number + VOTES).is_none(), "no rank has voted on that");
            }
        }
        assert_eq!(ballots.state.borrow().open.len(), 0);
    });
}

/// Later votes count it as ended; its earlier ballots count.
#[cfg(not(loom))]
#[test]
fn a_rank_that_has_ended_is_counted_as_that() {
    run(3, |ballots| {
        if ballots.rank == 1 {
            ballots.post(words(1, 5));
            return ballots.end();
        }
        let sums: Vec<u64> = (0..2 * RING as u64 + 2).map(|_| vote(ballots, 5)).collect();
        assert_eq!((sums[0], &sums[1..]), (15, &[1010; 2 * RING + 1][..]));
        ballots.end();
        while !ballots.have_all_ended() {
            std::thread::yield_now();
        }
    });
}

/// A rank that asks while others still vote decides for all, and so does one that is not able.
#[cfg(not(loom))]
#[test]
fn all_ranks_free_memory_or_none_does() {
    for (waits, is_able) in [(true, true), (false, true), (true, false)] {
        let freed = Mutex::new(Vec::new());
        run(3, |ballots| {
            let is_last = ballots.rank == 2;
            let is_able = is_able || !is_last;
            if !is_able {
                assert!(!ballots.frees_memory(false));
            }
            while !waits && is_last && freed.lock().unwrap().len() < 2 {
                std::thread::yield_now();
            }
            ballots.end();
            while waits && !ballots.have_all_ended() {
                std::thread::yield_now();
            }
            let frees = ballots.frees_memory(is_able);
            freed.lock().unwrap().push(frees);
        });
        assert_eq!(freed.into_inner().unwrap(), [waits && is_able; 3], "{waits} {is_able}");
    }
}

#[cfg(not(loom))]
#[test]
fn what_is_over_outlasts_the_memory() {
    run(2, |ballots| {
        let numbers: Vec<u64> =
            (0..3).map(|vote| ballots.post(words(ballots.rank, vote))).collect();
        // Rank 0 has one more, which rank 1 never sees.
        let more = (ballots.rank == 0).then(|| ballots.post(words(0, 9)));
        ballots.wait_for_all(|| Ok::<(), ()>(()), |sum| sum.0 < 4).unwrap();
        let taken: Vec<_> = numbers.iter().map(|number| ballots.take(*number)).collect();
        assert_eq!(taken, [Some(Sum(0)), Some(Sum(2)), Some(Sum(4))]);
        assert!(more.is_none_or(|number| ballots.take(number).is_none()));
    });
}

#[cfg(not(loom))]
#[test]
fn a_rank_that_waits_makes_progress() {
    run(2, |ballots| {
        if ballots.rank == 0 {
            let (number, mut calls) = (ballots.post(words(0, 1)), 0);
            let progress = || {
                calls += 1;
                if calls < 4 { Ok(()) } else { Err("enough") }
            };
            assert_eq!(ballots.wait(number, progress), Err("enough"));
        }
    });
}

/// Each rank sees each vote once, and one of them claims it.
#[cfg(not(loom))]
#[test]
fn one_rank_tells_others_of_a_vote() {
    use std::sync::atomic::{AtomicU64, Ordering};
    const VOTES: u64 = 2 * RING as u64;
    let told: Vec<AtomicU64> = (0..VOTES).map(|_| AtomicU64::new(0)).collect();
    run(3, |ballots| {
        for vote in 0..VOTES {
            assert_eq!(ballots.post(words(ballots.rank, vote)), vote);
            while !ballots.is_complete(vote) {
                let Some(complete) = ballots.next_complete() else {
                    std::thread::yield_now();
                    continue;
                };
                assert_eq!((complete, ballots.tally(complete)), (vote, Sum(3 * vote)));
                told[vote as usize].fetch_add(ballots.claim(vote).into(), Ordering::Relaxed);
            }
            assert_eq!(ballots.take(vote), Some(Sum(3 * vote)));
        }
    });
    assert!(told.iter().all(|times| times.load(Ordering::Relaxed) == 1));
}

/// Other nodes receive each vote that no rank here joins any more, once.
#[cfg(not(loom))]
#[test]
fn the_last_that_ends_tells_others() {
    for _ in 0..50 {
        let told = Mutex::new(Vec::new());
        run(3, |ballots| {
            ballots.post(words(ballots.rank, 5));
            while ballots.next_complete().is_none() {
                std::thread::yield_now();
            }
            ballots.claim(0);
            if ballots.rank == 1 {
                // This rank votes once more; the others end in that vote, before or after.
                ballots.post(words(1, 7));
                while let Some(number) = ballots.next_complete() {
                    if ballots.claim(number) {
                        told.lock().unwrap().push((number, ballots.tally(number)));
                    }
                }
            }
            ballots.end();
            told.lock().unwrap().extend(ballots.last_words());
        });
        let mut told = told.into_inner().unwrap();
        told.sort_unstable_by_key(|(number, _)| *number);
        assert_eq!(told[0], (1, Sum(2007)));
        assert!(told[1..].is_empty() || told[1..] == [(2, Sum(3000))], "{told:?}");
    }
}
