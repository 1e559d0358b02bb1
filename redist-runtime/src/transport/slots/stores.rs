//! The choice of storing chunks past the caches, learnt from the time of moves. Cores without a
//! common cache wait for a line that another core has just written several times as long as for a
//! line from memory. No system says on which cores ranks are and stay.

use std::time::{Duration, Instant};

/// Rounds of a move from which stores past the caches may pay.
const MIN_ROUNDS: usize = 4;

/// Returns `true` if the choice matters for as many rounds; else chunks go through the caches.
pub fn matter(rounds: usize) -> bool {
    rounds >= MIN_ROUNDS
}

/// Rounds from which a first move, without measurements, stores past the caches.
const MIN_ROUNDS_UNKNOWN: usize = 16;

/// Moves that try each way twice.
const FIRST_MOVES: u64 = 4;

/// Moves between two trials of the slower way.
const TRY_AGAIN: u64 = 32;

/// Remembered moves of a way: the least time counts, because other programs share the cores.
const REMEMBERED: usize = 4;

/// The way to store chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Through the caches.
    #[default]
    Cached,
    /// Past the caches.
    Streamed,
}

impl Stores {
    fn other(self) -> Self {
        match self {
            Stores::Cached => Stores::Streamed,
            Stores::Streamed => Stores::Cached,
        }
    }
}

/// The times of a plan's moves by either kind of stores.
#[derive(Debug, Default)]
pub struct StoreTimes {
    /// The move under way.
    begun: Option<(Stores, Instant)>,
    /// Moves that were timed.
    moves: u64,
    last: Stores,
    /// Times of each way since it was last taken up.
    took: [[Option<Duration>; REMEMBERED]; 2],
}

impl StoreTimes {
    pub fn next(&self, rounds: usize) -> Stores {
        let first = match rounds {
            0..MIN_ROUNDS => return Stores::Cached,
            MIN_ROUNDS..MIN_ROUNDS_UNKNOWN => Stores::Cached,
            _ => Stores::Streamed,
        };
        let best = match self.least(Stores::Cached) <= self.least(Stores::Streamed) {
            true => Stores::Cached,
            false => Stores::Streamed,
        };
        match self.moves {
            0..FIRST_MOVES if self.moves.is_multiple_of(2) => first,
            0..FIRST_MOVES => first.other(),
            moves if moves.is_multiple_of(TRY_AGAIN) => best.other(),
            _ => best,
        }
    }

    pub fn begin(&mut self, stores: Stores, rounds: usize) {
        self.begun = matter(rounds).then(|| (stores, Instant::now()));
    }

    pub fn learn(&mut self) {
        if let Some((stores, begun)) = self.begun.take() {
            self.note(stores, begun.elapsed());
        }
    }

    fn note(&mut self, stores: Stores, took: Duration) {
        let times = &mut self.took[stores as usize];
        if stores != self.last {
            // Old times: ranks may be on other cores now.
            *times = Default::default();
        }
        times[(self.moves % REMEMBERED as u64) as usize] = Some(took);
        self.last = stores;
        self.moves += 1;
    }

    fn least(&self, stores: Stores) -> Duration {
        self.took[stores as usize].iter().flatten().min().copied().unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the ways that moves take, if each way takes as many microseconds.
    fn taken(learnt: &mut StoreTimes, moves: usize, cached: u64, streamed: u64) -> Vec<Stores> {
        let next = |_| {
            let stores = learnt.next(100);
            let took = if stores == Stores::Cached { cached } else { streamed };
            learnt.note(stores, Duration::from_micros(took));
            stores
        };
        (0..moves).map(next).collect()
    }

    fn count(taken: &[Stores], stores: Stores) -> usize {
        taken.iter().filter(|one| **one == stores).count()
    }

    #[test]
    fn the_faster_way_is_taken_but_for_trials() {
        for (cached, streamed, best) in [(10, 20, Stores::Cached), (20, 10, Stores::Streamed)] {
            let mut learnt = StoreTimes::default();
            let all = taken(&mut learnt, 10 * TRY_AGAIN as usize - 3, cached, streamed);
            // Two trials at first, and a trial in each later row.
            assert_eq!(count(&all, best), all.len() - 2 - 9);
            // One slow move changes nothing.
            learnt.note(best, Duration::from_secs(1));
            assert_eq!(learnt.next(100), best);
        }
    }

    #[test]
    fn ranks_that_get_to_other_cores_are_noticed() {
        let (mut learnt, row) = (StoreTimes::default(), TRY_AGAIN as usize);
        taken(&mut learnt, row - 3, 10, 20);
        let after = taken(&mut learnt, 4 * row, 40, 20);
        assert_eq!(after[0], Stores::Cached);
        assert!(count(&after, Stores::Streamed) > 4 * row - 3 - 2 * REMEMBERED, "{after:?}");
    }

    #[test]
    fn what_has_few_chunks_keeps_them_in_caches() {
        let first = |rounds| StoreTimes::default().next(rounds);
        let (cached, streamed) = (Stores::Cached, Stores::Streamed);
        assert_eq!([3, 4, 15, 16].map(first), [cached, cached, cached, streamed]);
        let mut learnt = StoreTimes::default();
        learnt.note(cached, Duration::from_micros(10));
        assert_eq!([3, 4].map(|rounds| learnt.next(rounds)), [cached, streamed]);
    }
}
