//! The choice of storing past the caches, learnt from the time of moves: chunks in slots, and long runs
//! from there in large arrays. Cores without a common cache wait for a line that another core has just
//! written several times as long as for a line from memory. Processors differ in what a store past the
//! caches costs. No system says on which cores ranks are and stay.

use crate::cache::Stores;
use crate::learnt::{LearntTimes, SEGMENT};
use std::time::{Duration, Instant};

/// Rounds of a move from which stores past the caches may pay.
const MIN_ROUNDS: usize = 4;

/// Returns `true` if the choice matters for as many rounds; else stores go through the caches.
pub fn matter(rounds: usize) -> bool {
    rounds >= MIN_ROUNDS
}

/// Rounds from which a first move, without measurements, stores chunks past the caches.
const MIN_ROUNDS_UNKNOWN: usize = 16;

/// Rounds from which arrays are so large, 8 MiB by chunks of 64 KiB, that long runs of destinations may
/// go past the caches.
const MIN_ROUNDS_LARGE: usize = 128;

/// The ways of a move of chunks to store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkStores {
    /// Of chunks in slots.
    pub chunks: Stores,
    /// Of long runs in large destinations.
    pub destination: Stores,
}

impl ChunkStores {
    /// The ways, by their numbers; the last two are of large arrays only.
    const ALL: [Self; 4] = {
        const fn of(chunks: Stores, destination: Stores) -> ChunkStores {
            ChunkStores { chunks, destination }
        }
        use Stores::{Cached, Streamed};
        [of(Cached, Streamed), of(Streamed, Streamed), of(Cached, Cached), of(Streamed, Cached)]
    };

    pub fn of(number: u64) -> Self {
        Self::ALL[number as usize % Self::ALL.len()]
    }
}

/// The times of a plan's moves by each of the ways, or of segments of long moves: how long this rank
/// stores and copies. Its waits depend on turns of others.
#[derive(Debug)]
pub struct StoreTimes {
    /// Rounds of a move.
    rounds: usize,
    /// Number of the way that this move takes now.
    way: usize,
    /// Rounds of the segment under way, and whether one has ended in this move.
    segment: (usize, bool),
    /// Time that this rank has worked in the segment, if that tells anything.
    spent: Option<Duration>,
    /// Beginning of the work under way, if it is timed.
    begun: Option<Instant>,
    times: LearntTimes,
}

impl Default for StoreTimes {
    fn default() -> Self {
        Self::of(0)
    }
}

impl StoreTimes {
    /// Knows no times of moves of so many rounds.
    pub fn of(rounds: usize) -> Self {
        let ways = match rounds {
            0..MIN_ROUNDS => 1,
            MIN_ROUNDS..MIN_ROUNDS_LARGE => 2,
            _ => 4,
        };
        let (segment, times) = ((0, false), LearntTimes::of(ways));
        Self { rounds, way: 0, segment, spent: None, begun: None, times }
    }

    /// Begins a move, and returns the number of its first way.
    pub fn begin(&mut self) -> u64 {
        self.segment = (0, false);
        self.begin_segment()
    }

    fn begin_segment(&mut self) -> u64 {
        let first = usize::from(self.rounds >= MIN_ROUNDS_UNKNOWN);
        (self.way, self.spent) = (self.times.next(first), None);
        if !self.has_segments() {
            self.begin_time();
        }
        self.way as u64
    }

    fn begin_time(&mut self) {
        self.spent = self.times.is_timed().then_some(Duration::ZERO);
    }

    fn has_segments(&self) -> bool {
        self.rounds >= 2 * SEGMENT
    }

    /// Notes that this rank begins to store or copy.
    pub fn begin_work(&mut self) {
        self.begun = self.spent.map(|_| Instant::now());
    }

    /// Notes that this rank ends what it has begun, if it has.
    pub fn end_work(&mut self) {
        if let (Some(spent), Some(begun)) = (&mut self.spent, self.begun.take()) {
            *spent += begun.elapsed();
        }
    }

    /// Notes a round, and returns the number of the next way where a segment ends.
    pub fn note_round(&mut self) -> Option<u64> {
        if !self.has_segments() {
            return None;
        }
        self.segment.0 += 1;
        match self.segment.0 {
            SEGMENT => {
                self.segment = (0, true);
                self.times.note(self.way, self.spent);
                Some(self.begin_segment())
            }
            rounds => {
                if rounds == SEGMENT / 2 {
                    self.begin_time();
                }
                None
            }
        }
    }

    /// Ends a move. It counts whole if it has no segments.
    pub fn end(&mut self) {
        self.begun = None;
        if !self.segment.1 {
            self.times.note(self.way, self.spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways(times: &mut StoreTimes, moves: usize) -> Vec<u64> {
        let way = |_| {
            let way = times.begin();
            times.end();
            way
        };
        (0..moves).map(way).collect()
    }

    #[test]
    fn what_has_few_chunks_keeps_them_in_caches() {
        let first = |rounds| ChunkStores::of(StoreTimes::of(rounds).begin()).chunks;
        let (cached, streamed) = (Stores::Cached, Stores::Streamed);
        assert_eq!([3, 4, 15, 16].map(first), [cached, cached, cached, streamed]);
        assert_eq!(ways(&mut StoreTimes::of(3), 4), [0; 4]);
        assert_eq!(ways(&mut StoreTimes::of(4), 4), [0, 0, 1, 1]);
    }

    #[test]
    fn long_moves_try_all_ways_in_segments() {
        let mut times = StoreTimes::of(5 * SEGMENT);
        let mut found = vec![times.begin()];
        found.extend((0..5 * SEGMENT).filter_map(|_| times.note_round()));
        times.end();
        assert_eq!(found, [1, 1, 2, 2, 3, 3]);
        found = vec![times.begin()];
        found.extend((0..SEGMENT).filter_map(|_| times.note_round()));
        assert_eq!(found, [3, 0]);
    }
}
