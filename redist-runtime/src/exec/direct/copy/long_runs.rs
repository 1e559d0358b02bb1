//! Copies long runs line by line, with prefetches. Unsafe, because slices would check each line.

use super::runs::Runs;
use crate::cache::{LINE_BYTES, fence, fetch_to_read, stream_lines};
use core::ptr;

pub(super) const AHEAD_BYTES: usize = 1024;

/// Run length from which stores to large arrays bypass the caches. Shorter runs lose, because
/// partial lines at their ends cost more that way.
const MIN_STREAMED_RUN_BYTES: usize = 1024;

/// The same for runs that are whole lines.
const MIN_STREAMED_LINES_BYTES: usize = 256;

/// Destination size that, with sources and other ranks' data, exceeds a cache of 32 MiB.
pub(in super::super) const MIN_LARGE_BYTES: usize = 8 << 20;

pub(super) fn are_streamed(bytes: usize, array: usize) -> bool {
    let least = match bytes.is_multiple_of(LINE_BYTES) {
        true => MIN_STREAMED_LINES_BYTES,
        false => MIN_STREAMED_RUN_BYTES,
    };
    bytes >= least && array >= MIN_LARGE_BYTES
}

/// A run and a later one: the next, or one about [`AHEAD_BYTES`] ahead if runs are shorter. The
/// bytes behind a run may belong to another rank.
struct RunAndNext {
    here: (*const u8, *mut u8),
    next: (*const u8, *mut u8),
    bytes: usize,
}

impl RunAndNext {
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
    pub(super) fn of_long_runs(self) {
        assert!(self.bytes >= LINE_BYTES, "short runs");
        self.for_each_run(|run| {
            let fetch_ahead = |done: usize| {
                let (from, to) = run.ahead(done);
                fetch_to_read(from);
                fetch_to_read(to);
            };
            // SAFETY: these are the ends of one run of at least a line. `checked` found it inside
            // arrays that do not overlap and that nothing else uses now.
            unsafe { copy_lines(run.here.0, run.here.1, run.bytes, fetch_ahead) };
        });
    }

    /// Copies runs to a large array past the caches, because no line need be read before its store.
    pub(super) fn of_streamed_runs(self) {
        self.for_each_run(|run| {
            let fetch_ahead = |done: usize| fetch_to_read(run.ahead(done).0);
            // SAFETY: these are the ends of one run, which `checked` found inside arrays that do
            // not overlap and that nothing else uses now.
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

/// Copies at least a line's bytes; the last two lines may overlap.
///
/// # Safety
/// `bytes` bytes, at least [`LINE_BYTES`], may be read and written. The places do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_lines(
    from: *const u8,
    to: *mut u8,
    bytes: usize,
    fetch_ahead: impl Fn(usize),
) {
    let last = bytes - LINE_BYTES;
    // SAFETY: the calls below pass lines that begin at most at `last`, so they end before `bytes`.
    let copy = |at: usize| unsafe {
        ptr::copy_nonoverlapping(from.add(at), to.add(at), LINE_BYTES);
    };
    for done in (0..last).step_by(LINE_BYTES) {
        fetch_ahead(done);
        copy(done);
    }
    copy(last);
}
