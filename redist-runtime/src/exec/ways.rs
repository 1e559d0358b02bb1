//! Ways to copy the same elements, of which the fastest so far is taken: code that the compiler wrote,
//! with and without fetching lines ahead, and the library's own. Each rank learns for itself.

use super::kernels::Memory;
use crate::learnt::LearntTimes;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Bytes of a rank's array from which its copies are timed. Clocks would cost less than 1 % from
/// there on, and in smaller arrays, which stay in first-level caches, code for the blocks wins.
pub(super) const MIN_LEARNT_BYTES: usize = 32 << 10;

/// Bytes of an array from which code that fetches ahead is tried.
const MIN_FETCHED_BYTES: usize = 1 << 20;

/// Bytes of an array from which code that fetches ahead is tried first. With AVX-512, packing 64 MiB
/// took .89 to 1.07 of the time of a run-time plan then, and 1.36 to 1.56 without (Intel Xeon,
/// 29 November 2026).
const MIN_FETCHED_FIRST_BYTES: usize = 4 << 20;

/// Returns the ways of compiled code to reach the memory of an array of so many bytes.
pub(super) fn memories(array: usize) -> &'static [Memory] {
    match array {
        ..MIN_FETCHED_BYTES => &[Memory::Cached],
        MIN_FETCHED_BYTES..MIN_FETCHED_FIRST_BYTES => &[Memory::Cached, Memory::Prefetched],
        _ => &[Memory::Prefetched, Memory::Cached],
    }
}

/// One way or several, of which any may be taken. Several threads may take some at a time.
#[derive(Debug)]
pub(super) struct Learnt<W> {
    ways: Vec<W>,
    /// Moves that take the fastest way, and are not timed.
    untimed: AtomicU64,
    /// Number of the fastest way.
    fastest: AtomicUsize,
    times: Mutex<LearntTimes>,
}

/// A way that is taken for a move, with the time of its copies so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    /// Number of the way.
    number: usize,
    /// `true` if the time of its copies tells anything.
    is_timed: bool,
    /// Time of its copies so far.
    spent: Duration,
}

impl Taken {
    /// Copies, and adds the time of it.
    pub fn copy<R>(&mut self, copy: impl FnOnce() -> R) -> R {
        let begun = self.is_timed.then(Instant::now);
        let copied = copy();
        self.spent += begun.map_or(Duration::ZERO, |begun| begun.elapsed());
        copied
    }
}

impl<W> Learnt<W> {
    /// Takes one way at least, and first the first one.
    pub fn of(ways: Vec<W>) -> Self {
        assert!(!ways.is_empty(), "a way to copy");
        // All moves by a single way.
        let untimed = if ways.len() == 1 { u64::MAX } else { 0 };
        Self {
            untimed: untimed.into(),
            fastest: 0.into(),
            times: LearntTimes::of(ways.len()).into(),
            ways,
        }
    }

    pub fn first(&self) -> &W {
        &self.ways[0]
    }

    pub fn others(&self) -> &[W] {
        &self.ways[1..]
    }

    pub fn first_only(mut self) -> Self {
        self.ways.truncate(1);
        Self::of(self.ways)
    }

    /// Takes the first way in as many moves, untimed: something else is tried in them.
    pub fn begin_after(&self, moves: u64) {
        let untimed = self.untimed.load(Relaxed);
        self.untimed.store(untimed.saturating_add(moves), Relaxed);
    }

    pub fn way(&self, taken: Taken) -> &W {
        &self.ways[taken.number]
    }

    /// Takes the way of the next move.
    pub fn take(&self) -> Taken {
        // No other memory is looked at: a move of a small array takes a microsecond.
        let (untimed, fastest) = (self.untimed.load(Relaxed), self.fastest.load(Relaxed));
        if untimed > 0 {
            self.untimed.store(untimed - 1, Relaxed);
            return Taken { number: fastest, ..Taken::default() };
        }
        // Another thread learns where the lock is not free.
        match self.times.try_lock() {
            Ok(times) => {
                let (number, is_timed) = (times.next(0), times.is_timed());
                Taken { number, is_timed, spent: Duration::ZERO }
            }
            _ => Taken::default(),
        }
    }

    /// Notes that a move has ended.
    pub fn note(&self, Taken { number, is_timed, spent }: Taken) {
        if is_timed && let Ok(mut times) = self.times.try_lock() {
            times.note(number, Some(spent));
            let (untimed, fastest) = times.pass();
            self.fastest.store(fastest, Relaxed);
            self.untimed.store(untimed, Relaxed);
        }
    }
}

impl<W: Clone> Clone for Learnt<W> {
    /// Knows no times.
    fn clone(&self) -> Self {
        Self::of(self.ways.clone())
    }
}
