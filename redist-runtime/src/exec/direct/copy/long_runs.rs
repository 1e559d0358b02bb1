//! Long runs, which prefetch themselves, line by line.
//!
//! Unsafe, since every line would be checked otherwise.

use super::runs::Runs;
use crate::cache::{LINE_BYTES, fence, fetch_to_read, stream_lines};
use core::ptr;

/// Prefetch distance.
pub(super) const AHEAD_BYTES: usize = 1024;

/// Length of runs from which they are stored past the caches in large arrays: lines that are stored
/// in part, at a run's ends, cost more than elsewhere.
const MIN_STREAMED_RUN_BYTES: usize = 1024;

/// The same, of runs that all begin alike in their lines.
const MIN_STREAMED_LINES_BYTES: usize = 256;

/// Size of a destination from which it is large for long runs: with the sources, and what other
/// ranks move at the same time, it has no room in a cache of 32 MiB.
pub(in super::super) const MIN_LARGE_BYTES: usize = 8 << 20;

/// Whether runs of `bytes` bytes go past the caches to a destination of `array` bytes.
pub(super) fn are_streamed(bytes: usize, array: usize) -> bool {
    let least = match bytes.is_multiple_of(LINE_BYTES) {
        true => MIN_STREAMED_LINES_BYTES,
        false => MIN_STREAMED_RUN_BYTES,
    };
    bytes >= least && array >= MIN_LARGE_BYTES
}

/// A run, and the one after it, or, of shorter ones than [`AHEAD_BYTES`], one of the next: what
/// follows a run may belong to another rank.
struct RunAndNext {
    here: (*const u8, *mut u8),
    next: (*const u8, *mut u8),
    bytes: usize,
}

impl RunAndNext {
    /// Both ends of what is about [`AHEAD_BYTES`] ahead of a byte of the run.
    #[inline(always)]
    fn ahead(&self, done: usize) -> (*const u8, *mut u8) {
        let place = done + AHEAD_BYTES;
        let ((from, to), place) = if self.bytes < AHEAD_BYTES {
            (self.next, done)
        } else if place < self.bytes {
            (self.here, place)
        } else {
            (self.next, place - self.bytes)
        };
        (from.wrapping_add(place), to.wrapping_add(place))
    }
}

impl Runs<'_> {
    /// Runs of at least a line.
    pub(super) fn of_long_runs(self) {
        assert!(self.bytes >= LINE_BYTES, "short runs");
        self.for_each_run(|run| {
            let fetch_ahead = |done: usize| {
                let (from, to) = run.ahead(done);
                fetch_to_read(from);
                fetch_to_read(to);
            };
            // SAFETY: these are the ends of one of the runs, at least a line long, which `checked`
            // found inside of arrays that do not overlap and that nothing else uses now.
            unsafe { copy_lines(run.here.0, run.here.1, run.bytes, fetch_ahead) };
        });
    }

    /// Runs to a large array, which go past the caches, where they would not stay: lines need not
    /// be read before they are written.
    pub(super) fn of_streamed_runs(self) {
        self.for_each_run(|run| {
            let fetch_ahead = |done: usize| fetch_to_read(run.ahead(done).0);
            // SAFETY: these are the ends of one of the runs, which `checked` found inside of arrays
            // that do not overlap and that nothing else uses now.
            unsafe { stream_lines(run.here.0, run.here.1, run.bytes, fetch_ahead) };
        });
        fence();
    }

    #[inline(always)]
    fn for_each_run(self, copy: impl Fn(RunAndNext)) {
        let ahead = (AHEAD_BYTES / self.bytes).max(1);
        for row in 0..self.outer.count {
            for run in 0..self.inner.count {
                let next = match (run + ahead).checked_sub(self.inner.count) {
                    None => (row, run + ahead),
                    Some(run) => (row + 1, run),
                };
                copy(RunAndNext {
                    here: self.place(row, run),
                    next: self.place(next.0, next.1),
                    bytes: self.bytes,
                });
            }
        }
    }
}

/// Copies at least a line's bytes, by lines of which the last two may overlap.
///
/// # Safety
/// `bytes` bytes, at least [`LINE_BYTES`], may be read and written, and the two places do not
/// overlap.
#[inline(always)]
pub(super) unsafe fn copy_lines(
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    fetch_ahead: impl Fn(usize),
) {
    let last = bytes - LINE_BYTES;
    // SAFETY: called below for lines that begin up to `last`, and so end before `bytes`.
    let copy = |at: usize| unsafe {
        ptr::copy_nonoverlapping(from.add(at), to.add(at), LINE_BYTES);
    };
    for done in (0..last).step_by(LINE_BYTES) {
        fetch_ahead(done);
        copy(done);
    }
    copy(last);
}
