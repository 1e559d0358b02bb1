//! The choice of storing past the caches, learnt from the time of moves: chunks in slots, and long runs
//! from there in large arrays. Cores without a common cache wait for a line that another core has just
//! written several times as long as for a line from memory. Processors differ in what a store past the
//! caches costs. No system says on which cores ranks are and stay.

use crate::cache::Stores;
use crate::learnt::{LearntSegments, LearntTimes};
use std::time::{Duration, Instant};

/// Rounds of a move from which stores past the caches may pay.
const MIN_ROUNDS: usize = 4;

/// Returns `true` if the choice matters for as many rounds; else stores go through the caches.
pub fn matter(rounds: usize) -> bool {
    rounds >= MIN_ROUNDS
}

/// Rounds from which a first move, without measurements, stores chunks past the caches.
const MIN_ROUNDS_UNKNOWN: usize = 16;

/// Bytes of arrays that are so large that long runs of destinations may go past the caches.
const MIN_LARGE_BYTES: usize = 8 << 20;

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
    /// Number of the way that is tried first.
    first: usize,
    /// Number of the way that this move takes now.
    way: usize,
    segments: LearntSegments,
    /// Time that this rank has worked in the segment, if that tells anything.
    spent: Option<Duration>,
    /// Beginning of the work under way, if it is timed.
    begun: Option<Instant>,
    times: LearntTimes,
}

impl Default for StoreTimes {
    fn default() -> Self {
        Self::of(0, 0)
    }
}

impl StoreTimes {
    /// Knows no times of moves of so many rounds, by chunks of so many bytes.
    pub fn of(rounds: usize, chunk: usize) -> Self {
        let ways = match rounds {
            0..MIN_ROUNDS => 1,
            _ if rounds.saturating_mul(chunk) < MIN_LARGE_BYTES => 2,
            _ => 4,
        };
        let first = usize::from(rounds >= MIN_ROUNDS_UNKNOWN);
        let (segments, times) = (LearntSegments::of(rounds, chunk), LearntTimes::of(ways));
        Self { first, way: 0, segments, spent: None, begun: None, times }
    }

    /// Begins a move, and returns the number of its first way.
    pub fn begin(&mut self) -> u64 {
        self.segments.begin();
        self.begin_segment()
    }

    fn begin_segment(&mut self) -> u64 {
        (self.way, self.spent) = (self.times.next(self.first), None);
        self.begin_time();
        self.way as u64
    }

    /// Begins to time the segment, where it tells anything.
    fn begin_time(&mut self) {
        if self.spent.is_none() && self.segments.is_timed() && self.times.is_timed() {
            self.spent = Some(Duration::ZERO);
        }
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
        if self.segments.note_rounds(1) {
            self.times.note(self.way, self.spent);
            return Some(self.begin_segment());
        }
        self.begin_time();
        None
    }

    /// Ends a move. It counts whole if it has no segments.
    pub fn end(&mut self) {
        self.begun = None;
        if self.segments.is_whole() {
            self.times.note(self.way, self.spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: usize = 64 << 10;

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
        let first = |rounds| ChunkStores::of(StoreTimes::of(rounds, CHUNK).begin()).chunks;
        let (cached, streamed) = (Stores::Cached, Stores::Streamed);
        assert_eq!([3, 4, 15, 16].map(first), [cached, cached, cached, streamed]);
        assert_eq!(ways(&mut StoreTimes::of(3, CHUNK), 4), [0; 4]);
        assert_eq!(ways(&mut StoreTimes::of(4, CHUNK), 4), [0, 0, 1, 1]);
    }

    #[test]
    fn long_moves_try_all_ways_in_segments() {
        for chunk in [CHUNK, 4 * CHUNK] {
            // Of 4 MiB.
            let segment = (4 << 20) / chunk;
            let mut times = StoreTimes::of(5 * segment, chunk);
            let mut found = vec![times.begin()];
            found.extend((0..5 * segment).filter_map(|_| times.note_round()));
            times.end();
            assert_eq!(found, [1, 1, 2, 2, 3, 3]);
            found = vec![times.begin()];
            found.extend((0..segment).filter_map(|_| times.note_round()));
            assert_eq!(found, [3, 0]);
        }
    }

    #[test]
    fn second_halves_of_segments_are_timed() {
        let mut times = StoreTimes::of(512, CHUNK);
        times.begin();
        for round in 0..128 {
            times.begin_work();
            assert_eq!(times.begun.is_some(), round % 64 >= 32, "{round}");
            times.note_round();
        }
    }
}
