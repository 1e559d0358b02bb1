//! Innermost loops of direct copies. Unsafe, because runs are short and slices would check each
//! one. One check covers all runs of a copy.

use crate::cache::{LINE_BYTES, Stores, copy_lines, fence, fetch_to_read, stream, stream_lines};
use crate::exec::kernels::{AnyLength, CopyRun};
use crate::exec::with_const::with_const;
use crate::program::{Spacing, StridedCopy};
use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::{array, ptr, slice};

/// Copies strided runs of elements of `width` bytes between two arrays. Panics if a run passes the
/// end of either array; nothing is copied then.
#[inline]
pub(in crate::exec) fn copy_strided(
    from: &[u8],
    to: &mut [u8],
    strided: StridedCopy,
    width: usize,
) {
    copy_stored(from, to, strided, (width, Stores::Streamed));
}

/// Copies and panics as [`copy_strided`]. Stores long runs to a large array as `stores` says.
#[inline]
pub(in crate::exec) fn copy_stored(
    from: &[u8],
    to: &mut [u8],
    strided: StridedCopy,
    stored: (usize, Stores),
) {
    // SAFETY: this call borrows `to` exclusively and borrows `from`. So nothing else uses `to`, the
    // two do not overlap, and nothing writes to `from`.
    unsafe { copy_to_lent(from, cells(to), strided, stored) }
}

pub(super) fn cells(array: &mut [u8]) -> &[UnsafeCell<u8>] {
    // SAFETY: an `UnsafeCell` has the layout of its content, so the slice has its place and length.
    // The exclusive borrow keeps all others from it.
    unsafe { slice::from_raw_parts(array.as_mut_ptr().cast::<UnsafeCell<u8>>(), array.len()) }
}

/// Copies and panics as [`copy_stored`], to an array that other threads may write.
/// # Safety
/// While this runs, nothing else touches these runs in `to`. Nothing writes to `from`, and the two
/// do not overlap.
#[inline]
pub(super) unsafe fn copy_to_lent(
    from: &[u8],
    to: &[UnsafeCell<u8>],
    strided: StridedCopy,
    (width, stores): (usize, Stores),
) {
    let StridedCopy { len, inner, outer, .. } = strided;
    if len == 0 || inner.count == 0 || outer.count == 0 {
        return;
    }
    let large = to.len() >= MIN_STREAMED_BYTES;
    let across = len == 1 && outer.source == 1 && outer.count > 1 && inner.source > 1;
    // SAFETY: the value is used up before this returns. Until then the caller keeps all others from
    // the bytes of its runs in `to` and from writing to `from`, which does not overlap `to`.
    let runs = unsafe { Runs::checked(from, to, strided, width) };
    match across {
        true => runs.copy_across(large),
        false if stores == Stores::Streamed && are_streamed(len * width, to.len()) => {
            runs.of_streamed_runs();
        }
        false => runs.copy(),
    }
}

/// Strided runs in two arrays that do not overlap. Nothing else uses their bytes in `'a`. Spacings
/// are in bytes. All methods rely on this; only [`checked`](Runs::checked) establishes it. It holds
/// for parts.
#[derive(Clone, Copy)]
struct Runs<'a> {
    /// Start of the first run in the source.
    from: *const u8,
    /// Start of the first run in the destination.
    to: *mut u8,
    /// Bytes of each run.
    bytes: usize,
    inner: Spacing,
    outer: Spacing,
    /// Borrows both arrays.
    arrays: PhantomData<&'a UnsafeCell<u8>>,
}

impl<'a> Runs<'a> {
    /// Checks all runs of a copy of elements of `width` bytes. Panics if one passes an array's end.
    ///
    /// # Safety
    /// While the value and its parts are used, nothing else touches the bytes of the runs in `to`.
    /// Nothing writes to `from`, and the two do not overlap.
    #[inline(always)]
    unsafe fn checked(
        from: &'a [u8],
        to: &'a [UnsafeCell<u8>],
        strided: StridedCopy,
        width: usize,
    ) -> Self {
        let StridedCopy { source, destination, len, inner, outer } = strided;
        // The last run of the last row ends last. No intermediate number exceeds its end in bytes,
        // so none overflows if the end fits. Unused spacings may overflow.
        let end = |start: usize, inner_spacing: usize, outer_spacing: usize| {
            let row = inner_spacing.checked_mul(inner.count.saturating_sub(1))?;
            let rows = outer_spacing.checked_mul(outer.count.saturating_sub(1))?;
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
        let spaced = |spacing: Spacing| Spacing {
            source: spacing.source.wrapping_mul(width),
            destination: spacing.destination.wrapping_mul(width),
            ..spacing
        };
        Self {
            from: from.as_ptr().wrapping_add(source * width),
            to: UnsafeCell::raw_get(to.as_ptr()).wrapping_add(destination * width),
            bytes: len * width,
            inner: spaced(inner),
            outer: spaced(outer),
            arrays: PhantomData,
        }
    }

    #[inline(always)]
    fn part(self, row: usize, column: usize) -> Self {
        let (from, to) = self.place(row, column);
        let left = |spacing: Spacing, first: usize| Spacing {
            count: spacing.count.saturating_sub(first),
            ..spacing
        };
        Self { from, to, inner: left(self.inner, column), outer: left(self.outer, row), ..self }
    }

    fn columns(self, count: usize) -> Self {
        Self { inner: Spacing { count: count.min(self.inner.count), ..self.inner }, ..self }
    }

    /// Returns both ends of a run. Past the last run, the addresses are only for prefetches.
    #[inline(always)]
    fn place(&self, row: usize, column: usize) -> (*const u8, *mut u8) {
        let offset = |of_row: usize, of_column: usize| {
            row.wrapping_mul(of_row).wrapping_add(column.wrapping_mul(of_column))
        };
        (
            self.from.wrapping_add(offset(self.outer.source, self.inner.source)),
            self.to.wrapping_add(offset(self.outer.destination, self.inner.destination)),
        )
    }
}

/// Distances from a run to the run that is prefetched with it.
#[derive(Clone, Copy)]
struct Ahead {
    /// Bytes in the source.
    source: usize,
    /// Bytes in the destination.
    destination: usize,
}

impl Ahead {
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

    #[inline(always)]
    fn fetch(self, from: *const u8, to: *const u8, bytes: usize) {
        for line in (0..bytes).step_by(LINE_BYTES) {
            fetch_to_read(from.wrapping_add(self.source + line));
            fetch_to_read(to.wrapping_add(self.destination + line));
        }
    }
}

impl Runs<'_> {
    fn copy(self) {
        with_const!(
            self.bytes,
            BYTES in [1 2 3 4 6 8 12 16 24 32 40 48 64 80 96 128 192 256] => self.of_length::<BYTES>(),
            else self.of_any_length()
        )
    }

    #[inline]
    fn of_length<const BYTES: usize>(self) {
        assert!(BYTES == self.bytes, "runs of another length");
        // SAFETY: the calls below pass both ends of a run of `BYTES` bytes. It is in row `row` of
        // `outer.count`, run at most `inner.count`. `checked` found all runs inside disjoint arrays
        // that nothing else uses now.
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
                // SAFETY: these are the ends of one run, which `checked` found inside arrays that
                // do not overlap and that nothing else uses now.
                unsafe { copy_run(from, to, self.bytes) };
            }
        }
    }

    /// Transposes: copies neighbours in the source to rows of the destination, a few columns at a
    /// time, to read each cache line of the source once. Stores to a large array bypass the caches.
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

    /// Copies square blocks with the side of a cache line, in strips, then the margins. Aligns
    /// blocks with the destination's lines if rows allow.
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
                    // SAFETY: `SIDE` rows and columns are there, because `rows` and `columns` are
                    // multiples of it and do not exceed the rest. Elements have `BYTES` bytes and
                    // lie together in rows, as checked above. If `streams`, the first row begins
                    // with a line of the destination in column `before`; so does each row in this
                    // column, whole lines further on.
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

    /// Copies a square block, writing each line once.
    ///
    /// # Safety
    /// There are at least `SIDE` rows and columns. Elements of `BYTES` bytes lie together in the
    /// rows of the destination. If `STREAMS`, each row begins at a multiple of `BYTES`.
    #[inline]
    unsafe fn block<const BYTES: usize, const SIDE: usize, const STREAMS: bool>(self) {
        for row in 0..SIDE {
            let (from, to) = self.place(row, 0);
            let place = |column: usize| from.wrapping_add(column * self.inner.source);
            let element = |column: usize| place(column).cast::<[u8; BYTES]>();
            // SAFETY: the caller has a run in this row for each of these columns, so its bytes may
            // be read and written. In the destination they lie one after the other from the row's
            // beginning, aligned if `STREAMS`. Arrays of bytes need no alignment.
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

    fn of_long_runs(self) {
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
    fn of_streamed_runs(self) {
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

/// Prefetch distance within long runs, and over short ones, in bytes of runs.
const AHEAD_BYTES: usize = 1024;

/// Run length from which stores to large arrays bypass the caches. Shorter runs lose, because
/// partial lines at their ends cost more that way.
const MIN_STREAMED_RUN_BYTES: usize = 1024;

/// The same for runs that are whole lines.
const MIN_STREAMED_LINES_BYTES: usize = 256;

/// Destination size that, with sources and other ranks' data, exceeds a cache of 32 MiB.
pub(super) const MIN_LARGE_BYTES: usize = 8 << 20;

fn are_streamed(bytes: usize, array: usize) -> bool {
    let least = match bytes.is_multiple_of(LINE_BYTES) {
        true => MIN_STREAMED_LINES_BYTES,
        false => MIN_STREAMED_RUN_BYTES,
    };
    bytes >= least && array >= MIN_LARGE_BYTES
}

/// A run and a later one: the next, or one about [`AHEAD_BYTES`] ahead if runs are shorter. The
/// bytes behind a run may belong to another rank.
struct RunAndNext {
    /// Start of the run in the source and in the destination.
    here: (*const u8, *mut u8),
    /// Start of the later run in the source and in the destination.
    next: (*const u8, *mut u8),
    /// Bytes of each run.
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

/// Destination size from which its first lines leave the caches before the next use.
pub(super) const MIN_STREAMED_BYTES: usize = 16 << 20;

/// Blocks in a strip. Enough for long stretches of the source; few enough to keep the destination's
/// lines in a second-level cache, even if rows are a power of two apart.
const STRIP_BLOCKS: usize = 16;

/// Longest run, in bytes, that is copied by moves and not line by line.
const MAX_MOVES_BYTES: usize = 256;

/// # Safety
/// `bytes` bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_run(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller vouches for `bytes` bytes on both sides, which do not overlap. Runs copied
    // by lines are longer than a line.
    unsafe {
        match bytes > MAX_MOVES_BYTES {
            true => copy_lines(from, to, bytes, |_| ()),
            false => AnyLength::copy(from, to, bytes),
        }
    }
}
