//! The innermost loops of direct copies.
//!
//! Unsafe, since slices would be checked for every run, and runs are short: one check covers all
//! runs of a copy.

use crate::exec::cache::{LINE_BYTES, fence, fetch_to_read, stream};
use crate::exec::kernels::{AnyLength, CopyRun};
use crate::exec::width::with_const;
use crate::program::{Spacing, StridedCopy};
use core::cell::UnsafeCell;
use core::{array, ptr, slice};

/// Prefetch distance.
const AHEAD_BYTES: usize = 1024;

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
    // SAFETY: `to` is borrowed exclusively and `from` is borrowed, so that no other thread uses
    // `to` or writes to `from`.
    unsafe { copy_to_lent(from, cells(to), strided, width) }
}

/// An array in the form in which it is lent.
pub(super) fn cells(array: &mut [u8]) -> &[UnsafeCell<u8>] {
    // SAFETY: an `UnsafeCell` has the layout of what it holds, and nothing else uses the array
    // while it is borrowed.
    unsafe { slice::from_raw_parts(array.as_mut_ptr().cast::<UnsafeCell<u8>>(), array.len()) }
}

/// As [`copy_strided`], to an array that other threads may be writing to at the same time.
///
/// # Panics
/// As [`copy_strided`].
///
/// # Safety
/// While this runs, no other thread reads or writes what these runs have in `to`, and none writes
/// to `from`.
#[inline]
pub(super) unsafe fn copy_to_lent(
    from: &[u8],
    to: &[UnsafeCell<u8>],
    strided: StridedCopy,
    width: usize,
) {
    let StridedCopy { source, destination, len, inner, outer } = strided;
    if len == 0 || inner.count == 0 || outer.count == 0 {
        return;
    }
    let end = |start: usize, inner_spacing: usize, outer_spacing: usize| {
        let row = inner_spacing.checked_mul(inner.count - 1)?;
        let rows = outer_spacing.checked_mul(outer.count - 1)?;
        start.checked_add(row)?.checked_add(rows)?.checked_add(len)?.checked_mul(width)
    };
    let fits = |end: Option<usize>, available: usize| end.is_some_and(|end| end <= available);
    assert!(
        fits(end(source, inner.source, outer.source), from.len()),
        "a source shorter than its plan"
    );
    assert!(
        fits(end(destination, inner.destination, outer.destination), to.len()),
        "a destination shorter than its plan"
    );
    let large = to.len() >= MIN_STREAMED_BYTES;
    // SAFETY: the first run lies in both arrays: the last does, and begins no earlier.
    let (from, to) = unsafe {
        (
            from.as_ptr().add(source * width),
            UnsafeCell::raw_get(to.as_ptr().add(destination * width)),
        )
    };
    let bytes = |spacing: Spacing| Spacing {
        source: spacing.source * width,
        destination: spacing.destination * width,
        ..spacing
    };
    let runs = Runs { from, to, inner: bytes(inner), outer: bytes(outer) };
    let across = len == 1 && outer.source == 1 && outer.count > 1 && inner.source > 1;
    // SAFETY: all runs lie in both arrays, since the last does and the others begin no earlier. The
    // arrays do not overlap, since `from` is borrowed shared and `to` may be written. The caller
    // vouches that no other thread uses these elements.
    unsafe {
        match across {
            true => runs.copy_across(width, large),
            false => runs.copy(len * width),
        }
    }
}

/// Strided runs at their place in memory; spacings are in bytes.
#[derive(Clone, Copy)]
struct Runs {
    from: *const u8,
    to: *mut u8,
    inner: Spacing,
    outer: Spacing,
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
        let ends = Self { source: ahead * source, destination: ahead * destination };
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

/// # Safety
/// Of all methods: runs of the length named may be read and written, and no source run overlaps a
/// destination run.
impl Runs {
    /// Copies row after row.
    unsafe fn copy(self, bytes: usize) {
        // SAFETY: as above.
        unsafe {
            with_const!(
                bytes,
                BYTES in [1 2 4 8 12 16 24 32 40 48 64 80 96 128 192 256] => self.of_length::<BYTES>(),
                else self.of_any_length(bytes)
            )
        }
    }

    /// Runs of a constant length, copied by register moves.
    unsafe fn of_length<const BYTES: usize>(self) {
        let ahead = Ahead::of(self.inner, BYTES);
        for row in 0..self.outer.count {
            let mut row = self.part(row, 0);
            for _ in 0..self.inner.count / 4 {
                if let Some(ahead) = ahead.filter(|_| BYTES < LINE_BYTES) {
                    ahead.fetch(row.from, row.to, 1);
                }
                for run in 0..4 {
                    let Self { from, to, .. } = row.part(0, run);
                    if let Some(ahead) = ahead.filter(|_| BYTES >= LINE_BYTES) {
                        ahead.fetch(from, to, BYTES);
                    }
                    // SAFETY: as above.
                    unsafe { ptr::copy_nonoverlapping(from, to, BYTES) };
                }
                row = row.part(0, 4);
            }
            for run in 0..self.inner.count % 4 {
                let Self { from, to, .. } = row.part(0, run);
                // SAFETY: as above.
                unsafe { ptr::copy_nonoverlapping(from, to, BYTES) };
            }
        }
    }

    unsafe fn of_any_length(self, bytes: usize) {
        if bytes >= 2 * AHEAD_BYTES {
            // SAFETY: as above.
            return unsafe { self.of_long_runs(bytes) };
        }
        let ahead = Ahead::of(self.inner, bytes);
        for row in 0..self.outer.count {
            for run in 0..self.inner.count {
                let Self { from, to, .. } = self.part(row, run);
                if let Some(ahead) = ahead {
                    ahead.fetch(from, to, bytes);
                }
                // SAFETY: as above.
                unsafe { copy_run(from, to, bytes) };
            }
        }
    }

    /// Long runs, which prefetch themselves and, near their end, the next run: what follows a run
    /// in the destination may belong to another rank.
    unsafe fn of_long_runs(self, bytes: usize) {
        for row in 0..self.outer.count {
            for run in 0..self.inner.count {
                let is_last = run + 1 == self.inner.count;
                let (here, next) = (
                    self.part(row, run),
                    self.part(row + usize::from(is_last), if is_last { 0 } else { run + 1 }),
                );
                let fetch_ahead = |done: usize| {
                    let (of, place) = if done + AHEAD_BYTES < bytes {
                        (here, done + AHEAD_BYTES)
                    } else {
                        (next, done + AHEAD_BYTES - bytes)
                    };
                    fetch_to_read(of.from.wrapping_add(place));
                    fetch_to_read(of.to.wrapping_add(place));
                };
                // SAFETY: as above.
                unsafe { copy_lines(here.from, here.to, bytes, fetch_ahead) };
            }
        }
    }

    /// Transposes: copies single elements that are neighbours in the source to the rows of the
    /// destination, a few columns at a time, so that a cache line of the source is read once.
    /// Stores whole lines of a large array past the caches.
    unsafe fn copy_across(self, bytes: usize, large: bool) {
        let side = LINE_BYTES / bytes.max(1);
        if self.inner.destination != bytes || self.inner.count < side || self.outer.count < side {
            // SAFETY: as above.
            return unsafe { self.copy(bytes) };
        }
        // SAFETY: as above.
        unsafe {
            match bytes {
                4 => self.across::<4, 16>(large),
                8 => self.across::<8, 8>(large),
                16 => self.across::<16, 4>(large),
                _ => self.copy(bytes),
            }
        }
    }

    /// Copies square blocks with sides of a cache line, and the margins. Blocks are aligned with
    /// the destination's lines where all rows are aligned alike, and [`STRIP_BLOCKS`] of them
    /// follow the source's lines before the next columns.
    unsafe fn across<const BYTES: usize, const SIDE: usize>(self, large: bool) {
        let is_even = self.outer.destination.is_multiple_of(LINE_BYTES);
        let before = if is_even { self.to.align_offset(LINE_BYTES) / BYTES } else { 0 };
        let before = before.min(self.inner.count);
        let columns = (self.inner.count - before) / SIDE * SIDE;
        let rows = self.outer.count / SIDE * SIDE;
        let streams = large && is_even && self.part(0, before).to.addr().is_multiple_of(LINE_BYTES);
        for strip in (0..rows).step_by(STRIP_BLOCKS * SIDE) {
            for column in (before..before + columns).step_by(SIDE) {
                for row in (strip..rows.min(strip + STRIP_BLOCKS * SIDE)).step_by(SIDE) {
                    let block = self.part(row, column);
                    block.fetch_ahead::<SIDE>(streams);
                    // SAFETY: as above, for `SIDE` rows and columns; if `streams`, every row begins
                    // with a line of the destination here.
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
        let after = before + columns;
        // SAFETY: as above, for elements of the first and the last columns, and of the last rows
        // between them.
        unsafe {
            self.columns(0, before).of_length::<BYTES>();
            self.columns(after, self.inner.count - after).of_length::<BYTES>();
            let last = self.part(rows, 0).columns(before, columns);
            Self { outer: Spacing { count: self.outer.count - rows, ..self.outer }, ..last }
                .of_length::<BYTES>();
        }
    }

    /// Some columns of all rows.
    fn columns(self, first: usize, count: usize) -> Self {
        Self { inner: Spacing { count, ..self.inner }, ..self.part(0, first) }
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

    /// Everything from a row and a column on.
    fn part(self, row: usize, column: usize) -> Self {
        let from = row * self.outer.source + column * self.inner.source;
        let to = row * self.outer.destination + column * self.inner.destination;
        Self { from: self.from.wrapping_add(from), to: self.to.wrapping_add(to), ..self }
    }

    /// Copies a square block; every line of it is written once.
    #[inline]
    unsafe fn block<const BYTES: usize, const SIDE: usize, const STREAMS: bool>(self) {
        for row in 0..SIDE {
            let Self { from, to, .. } = self.part(row, 0);
            let place = |column: usize| from.wrapping_add(column * self.inner.source);
            if STREAMS {
                for column in 0..SIDE {
                    // SAFETY: as above; the row begins with a line, so that each element is
                    // aligned.
                    unsafe { stream::<BYTES>(place(column), to.wrapping_add(column * BYTES)) };
                }
                continue;
            }
            let element = |column: usize| place(column).cast::<[u8; BYTES]>();
            // SAFETY: as above.
            let line: [[u8; BYTES]; SIDE] =
                array::from_fn(|column| unsafe { element(column).read_unaligned() });
            // SAFETY: as above; a row's elements lie together in the destination.
            unsafe { to.cast::<[[u8; BYTES]; SIDE]>().write_unaligned(line) };
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
    // SAFETY: the caller vouches for both places; more than a line's bytes are copied by lines.
    unsafe {
        match bytes > MAX_MOVES_BYTES {
            true => copy_lines(from, to, bytes, |_| ()),
            false => AnyLength::copy(from, to, bytes),
        }
    }
}

/// Copies at least a line's bytes, by lines of which the last two may overlap.
///
/// # Safety
/// As [`copy_run`].
#[inline(always)]
unsafe fn copy_lines(from: *const u8, to: *mut u8, bytes: usize, fetch_ahead: impl Fn(usize)) {
    let last = bytes - LINE_BYTES;
    for done in (0..last).step_by(LINE_BYTES) {
        fetch_ahead(done);
        // SAFETY: the line ends before `bytes`, since `done < last`.
        unsafe { ptr::copy_nonoverlapping(from.add(done), to.add(done), LINE_BYTES) };
    }
    // SAFETY: these are the last bytes.
    unsafe { ptr::copy_nonoverlapping(from.add(last), to.add(last), LINE_BYTES) };
}
