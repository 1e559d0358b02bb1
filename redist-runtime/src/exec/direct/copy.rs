//! The innermost loops of direct copies.
//!
//! Unsafe, since slices would be checked for every run, and runs are short: one check covers all
//! runs of a copy.

mod long_runs;
mod runs;

use crate::cache::{LINE_BYTES, fence, fetch_to_read, stream};
use crate::exec::kernels::{AnyLength, CopyRun};
use crate::exec::with_const::with_const;
use crate::program::{Spacing, StridedCopy};
use core::cell::UnsafeCell;
use core::{array, ptr, slice};
#[cfg(test)]
pub(super) use long_runs::MIN_LARGE_BYTES;
use long_runs::{AHEAD_BYTES, are_streamed, copy_lines};
use runs::Runs;

/// Copies the strided runs of elements that are `width` bytes long from one array's bytes to
/// another's.
///
/// # Panics
/// If a run reaches past the end of either array; nothing is copied then.
#[inline]
pub(in crate::exec) fn copy_strided(
    from: &[u8],
    to: &mut [u8],
    strided: StridedCopy,
    width: usize,
) {
    // SAFETY: for this call `to` is borrowed exclusively and `from` is borrowed, so that nothing
    // else uses `to`, they do not overlap, and nothing writes to `from`.
    unsafe { copy_to_lent(from, cells(to), strided, width) }
}

/// An array in the form in which it is lent.
pub(super) fn cells(array: &mut [u8]) -> &[UnsafeCell<u8>] {
    // SAFETY: an `UnsafeCell` has the layout of what it holds, so that the place and the length are
    // those of the slice, which nothing else uses while this borrows it exclusively.
    unsafe { slice::from_raw_parts(array.as_mut_ptr().cast::<UnsafeCell<u8>>(), array.len()) }
}

/// As [`copy_strided`], to an array that other threads may be writing to at the same time.
///
/// # Panics
/// As [`copy_strided`].
///
/// # Safety
/// While this runs, nothing else reads or writes what these runs have in `to`, nothing writes to
/// `from`, and the two do not overlap.
#[inline]
pub(super) unsafe fn copy_to_lent(
    from: &[u8],
    to: &[UnsafeCell<u8>],
    strided: StridedCopy,
    width: usize,
) {
    let StridedCopy { len, inner, outer, .. } = strided;
    if len == 0 || inner.count == 0 || outer.count == 0 {
        return;
    }
    let large = to.len() >= MIN_STREAMED_BYTES;
    let across = len == 1 && outer.source == 1 && outer.count > 1 && inner.source > 1;
    // SAFETY: the value is used up before this returns, and until then the caller keeps all others
    // from what its runs have in `to`, and from writing to `from`, which does not overlap it.
    let runs = unsafe { Runs::checked(from, to, strided, width) };
    match across {
        true => runs.copy_across(large),
        false if are_streamed(len * width, to.len()) => runs.of_streamed_runs(),
        false => runs.copy(),
    }
}

/// Prefetch distances at both ends, in bytes.
#[derive(Clone, Copy)]
struct Ahead {
    source: usize,
    destination: usize,
}

impl Ahead {
    /// From run to run, spaced in bytes, where there are enough of them.
    #[inline(always)]
    fn of(runs: Spacing, bytes: usize) -> Option<Self> {
        let ahead = AHEAD_BYTES / bytes;
        let Spacing { count, source, destination } = runs;
        let ends = Self {
            source: ahead.wrapping_mul(source),
            destination: ahead.wrapping_mul(destination),
        };
        (count >= ahead + 4).then_some(ends)
    }

    /// Prefetches what lies ahead of `bytes` at these places.
    #[inline(always)]
    fn fetch(self, from: *const u8, to: *const u8, bytes: usize) {
        for line in (0..bytes).step_by(LINE_BYTES) {
            fetch_to_read(from.wrapping_add(self.source + line));
            fetch_to_read(to.wrapping_add(self.destination + line));
        }
    }
}

impl Runs<'_> {
    /// Copies row after row.
    fn copy(self) {
        with_const!(
            self.bytes,
            BYTES in [1 2 3 4 6 8 12 16 24 32 40 48 64 80 96 128 192 256] => self.of_length::<BYTES>(),
            else self.of_any_length()
        )
    }

    /// Runs of a constant length, copied by register moves.
    #[inline]
    fn of_length<const BYTES: usize>(self) {
        assert!(BYTES == self.bytes, "runs of another length");
        // SAFETY: this is called below, with both ends of runs of these, all of them `BYTES` bytes
        // long: row `row` of `outer.count`, and in it runs up to `inner.count`. `checked` found them
        // inside of arrays that do not overlap and that nothing else uses now.
        let copy = |(from, to): (*const u8, *mut u8)| unsafe {
            ptr::copy_nonoverlapping(from, to, BYTES);
        };
        let ahead = Ahead::of(self.inner, BYTES);
        for row in 0..self.outer.count {
            let mut row = self.part(row, 0);
            for _ in 0..self.inner.count / 4 {
                if let Some(ahead) = ahead.filter(|_| BYTES < LINE_BYTES) {
                    ahead.fetch(row.from, row.to, 1);
                }
                for run in 0..4 {
                    let (from, to) = row.place(0, run);
                    if let Some(ahead) = ahead.filter(|_| BYTES >= LINE_BYTES) {
                        ahead.fetch(from, to, BYTES);
                    }
                    copy((from, to));
                }
                row = row.part(0, 4);
            }
            (0..self.inner.count % 4).for_each(|run| copy(row.place(0, run)));
        }
    }

    fn of_any_length(self) {
        if self.bytes >= 2 * AHEAD_BYTES {
            return self.of_long_runs();
        }
        let ahead = Ahead::of(self.inner, self.bytes);
        for row in 0..self.outer.count {
            for run in 0..self.inner.count {
                let (from, to) = self.place(row, run);
                if let Some(ahead) = ahead {
                    ahead.fetch(from, to, self.bytes);
                }
                // SAFETY: these are the ends of one of the runs, which `checked` found inside of
                // arrays that do not overlap and that nothing else uses now.
                unsafe { copy_run(from, to, self.bytes) };
            }
        }
    }

    /// Transposes: copies single elements that are neighbours in the source to the rows of the
    /// destination, a few columns at a time, so that a cache line of the source is read once.
    /// Stores whole lines of a large array past the caches.
    fn copy_across(self, large: bool) {
        let side = LINE_BYTES / self.bytes.max(1);
        let together = self.inner.destination == self.bytes;
        if !together || self.inner.count < side || self.outer.count < side {
            return self.copy();
        }
        match self.bytes {
            4 => self.across::<4, 16>(large),
            8 => self.across::<8, 8>(large),
            16 => self.across::<16, 4>(large),
            _ => self.copy(),
        }
    }

    /// Copies square blocks with sides of a cache line, and the margins. Blocks are aligned with
    /// the destination's lines where all rows are aligned alike, and [`STRIP_BLOCKS`] of them
    /// follow the source's lines before the next columns.
    #[inline]
    fn across<const BYTES: usize, const SIDE: usize>(self, large: bool) {
        assert!(BYTES == self.bytes && BYTES == self.inner.destination, "elements not in rows");
        let is_even = self.outer.destination.is_multiple_of(LINE_BYTES);
        let before = if is_even { self.to.align_offset(LINE_BYTES) / BYTES } else { 0 };
        let before = before.min(self.inner.count);
        let columns = (self.inner.count - before) / SIDE * SIDE;
        let rows = self.outer.count / SIDE * SIDE;
        let streams = large && is_even && self.place(0, before).1.addr().is_multiple_of(LINE_BYTES);
        for strip in (0..rows).step_by(STRIP_BLOCKS * SIDE) {
            for column in (before..before + columns).step_by(SIDE) {
                for row in (strip..rows.min(strip + STRIP_BLOCKS * SIDE)).step_by(SIDE) {
                    let block = self.part(row, column);
                    block.fetch_ahead::<SIDE>(streams);
                    // SAFETY: `SIDE` rows and columns are there, since `rows` and `columns` are
                    // multiples of it and not more than are left; elements have `BYTES` bytes and
                    // lie together in rows, as checked above. If `streams`, the first row begins
                    // with a line of the destination in column `before`, and so does every row in
                    // this one, whole lines further on.
                    unsafe {
                        if streams {
                            block.block::<BYTES, SIDE, true>()
                        } else {
                            block.block::<BYTES, SIDE, false>()
                        }
                    };
                }
            }
        }
        if streams {
            fence();
        }
        self.columns(before).of_length::<BYTES>();
        self.part(0, before + columns).of_length::<BYTES>();
        self.part(rows, before).columns(columns).of_length::<BYTES>();
    }

    /// Prefetches the block after the next in the source and the next in the destination; or, for
    /// nontemporal stores, only the source's next columns.
    #[inline(always)]
    fn fetch_ahead<const SIDE: usize>(self, streams: bool) {
        for line in 0..SIDE {
            if streams {
                fetch_to_read(self.from.wrapping_add((line + SIDE) * self.inner.source));
            } else {
                fetch_to_read(self.from.wrapping_add(line * self.inner.source + 2 * LINE_BYTES));
                fetch_to_read(self.to.wrapping_add((line + SIDE) * self.outer.destination));
            }
        }
    }

    /// Copies a square block; every line of it is written once.
    ///
    /// # Safety
    /// There are at least `SIDE` rows and columns, of elements of `BYTES` bytes that lie together
    /// in the rows of the destination; if `STREAMS`, each row begins at a multiple of `BYTES`.
    #[inline]
    unsafe fn block<const BYTES: usize, const SIDE: usize, const STREAMS: bool>(self) {
        for row in 0..SIDE {
            let (from, to) = self.place(row, 0);
            let place = |column: usize| from.wrapping_add(column * self.inner.source);
            let element = |column: usize| place(column).cast::<[u8; BYTES]>();
            // SAFETY: the caller says that there is a run in this row and each of these columns, so
            // that its bytes may be read and written, and where its bytes are in the destination:
            // at the row's beginning, one after the other, and aligned if `STREAMS`. Arrays of
            // bytes may lie anywhere.
            unsafe {
                if STREAMS {
                    for column in 0..SIDE {
                        stream::<BYTES>(place(column), to.wrapping_add(column * BYTES));
                    }
                } else {
                    let line: [[u8; BYTES]; SIDE] =
                        array::from_fn(|column| element(column).read_unaligned());
                    to.cast::<[[u8; BYTES]; SIDE]>().write_unaligned(line);
                }
            }
        }
    }
}

/// Size of a destination from which it has left the caches by the time it is used again.
pub(super) const MIN_STREAMED_BYTES: usize = 16 << 20;

/// Blocks in a strip: enough to read the source in long stretches, few enough for the destination's
/// lines to stay in a second-level cache even where rows are a power of two apart.
const STRIP_BLOCKS: usize = 16;

/// Length of runs up to which moves of registers are used.
const MAX_MOVES_BYTES: usize = 256;

/// Copies one run.
///
/// # Safety
/// `bytes` bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_run(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller says that `bytes` bytes may be read and written, and do not overlap; those
    // that are copied by lines are more than a line has.
    unsafe {
        match bytes > MAX_MOVES_BYTES {
            true => copy_lines(from, to, bytes, |_| ()),
            false => AnyLength::copy(from, to, bytes),
        }
    }
}
