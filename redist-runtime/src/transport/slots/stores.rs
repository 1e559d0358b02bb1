//! The choice of storing chunks past the caches, learnt from the time of moves. Cores without a
//! common cache wait for a line that another core has just written several times as long as for a
//! line from memory. No system says on which cores ranks are and stay.

use crate::learnt::LearntTimes;
use std::time::Instant;

/// Rounds of a move from which stores past the caches may pay.
const MIN_ROUNDS: usize = 4;

/// Returns `true` if the choice matters for as many rounds; else chunks go through the caches.
pub fn matter(rounds: usize) -> bool {
    rounds >= MIN_ROUNDS
}

/// Rounds from which a first move, without measurements, stores past the caches.
const MIN_ROUNDS_UNKNOWN: usize = 16;

/// The way to store chunks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stores {
    /// Through the caches.
    #[default]
    Cached,
    /// Past the caches.
    Streamed,
}

/// The times of a plan's moves by either kind of stores.
#[derive(Debug)]
pub struct StoreTimes {
    /// The move under way.
    begun: Option<(Stores, Option<Instant>)>,
    /// By [`Stores`].
    times: LearntTimes,
}

impl Default for StoreTimes {
    fn default() -> Self {
        Self { begun: None, times: LearntTimes::of(2) }
    }
}

impl StoreTimes {
    pub fn next(&self, rounds: usize) -> Stores {
        let first = match rounds {
            0..MIN_ROUNDS => return Stores::Cached,
            MIN_ROUNDS..MIN_ROUNDS_UNKNOWN => Stores::Cached,
            _ => Stores::Streamed,
        };
        match self.times.next(first as usize) {
            0 => Stores::Cached,
            _ => Stores::Streamed,
        }
    }

    pub fn begin(&mut self, stores: Stores, rounds: usize) {
        self.begun = matter(rounds).then(|| (stores, self.times.is_timed().then(Instant::now)));
    }

    pub fn learn(&mut self) {
        if let Some((stores, begun)) = self.begun.take() {
            self.times.note(stores as usize, begun.map(|begun| begun.elapsed()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_few_chunks_keeps_them_in_caches() {
        let first = |rounds| StoreTimes::default().next(rounds);
        let (cached, streamed) = (Stores::Cached, Stores::Streamed);
        assert_eq!([3, 4, 15, 16].map(first), [cached, cached, cached, streamed]);
        let mut learnt = StoreTimes::default();
        for _ in 0..2 {
            learnt.begin(cached, 4);
            learnt.learn();
        }
        assert_eq!([3, 4].map(|rounds| learnt.next(rounds)), [cached, streamed]);
    }
}
