//! The innermost loops of direct copies.
//!
//! Unsafe, since slices would be checked for every run, and runs are short: one check for all runs of a lattice is enough.

use super::fetch::{AHEAD, Ahead, LINE, fence, fetch, stream};
use crate::program::{Lattice, Spacing};
use core::cell::UnsafeCell;
use core::{array, ptr, slice};

/// Copies the runs of a lattice of elements that are `width` bytes long from one array's bytes to another's.
///
/// # Panics
/// If a run reaches past the end of either array; nothing is copied then.
#[inline]
pub(in crate::exec) fn copy_lattice(from: &[u8], to: &mut [u8], lattice: Lattice, width: usize) {
    // SAFETY: nobody else can use an array that is borrowed mutably, nor write to one that is borrowed.
    unsafe { copy_to_lent(from, cells(to), lattice, width) }
}

/// An array as one that may be lent.
pub(super) fn cells(array: &mut [u8]) -> &[UnsafeCell<u8>] {
    // SAFETY: an `UnsafeCell` has the layout of what it holds, and nothing else uses the array while it is borrowed.
    unsafe { slice::from_raw_parts(array.as_mut_ptr().cast::<UnsafeCell<u8>>(), array.len()) }
}

/// As [`copy_lattice`], to an array that other threads may be writing to at the same time.
///
/// # Panics
/// As [`copy_lattice`].
///
/// # Safety
/// While this runs, no other thread reads or writes what the lattice's runs have in `to`, and none writes to `from`.
#[inline]
pub(super) unsafe fn copy_to_lent(from: &[u8], to: &[UnsafeCell<u8>], lattice: Lattice, width: usize) {
    let Lattice { source, destination, len, inner, outer } = lattice;
    if len == 0 || inner.count == 0 || outer.count == 0 {
        return;
    }
    let end = |start: usize, inner_spacing: usize, outer_spacing: usize| {
        let row = inner_spacing.checked_mul(inner.count - 1)?;
        let rows = outer_spacing.checked_mul(outer.count - 1)?;
        start.checked_add(row)?.checked_add(rows)?.checked_add(len)?.checked_mul(width)
    };
    let fits = |end: Option<usize>, available: usize| end.is_some_and(|end| end <= available);
    assert!(fits(end(source, inner.source, outer.source), from.len()), "a source shorter than its plan");
    assert!(
        fits(end(destination, inner.destination, outer.destination), to.len()),
        "a destination shorter than its plan"
    );
    let large = to.len() >= LARGE;
    // SAFETY: the first run lies in both arrays: the last does, and begins no earlier.
    let (from, to) =
        unsafe { (from.as_ptr().add(source * width), UnsafeCell::raw_get(to.as_ptr().add(destination * width))) };
    let bytes = |spacing: Spacing| Spacing {
        source: spacing.source * width,
        destination: spacing.destination * width,
        ..spacing
    };
    let runs = Runs { from, to, inner: bytes(inner), outer: bytes(outer) };
    let across = len == 1 && outer.source == 1 && outer.count > 1 && inner.source > 1;
    // SAFETY: all runs lie in both arrays, since the last does and the others begin no earlier; the arrays do not overlap,
    // since nobody may write to one of them; no other thread uses these elements, as the caller says.
    unsafe {
        match across {
            true => runs.copy_across(width, large),
            false => runs.copy(len * width),
        }
    }
}

/// A lattice at its place in memory; spacings are in bytes.
#[derive(Clone, Copy)]
struct Runs {
    from: *const u8,
    to: *mut u8,
    inner: Spacing,
    outer: Spacing,
}

macro_rules! of_constant_length {
    ($runs:ident, $function:ident, $bytes:ident, $otherwise:expr, $($constant:literal)*) => {
        match $bytes {
            // SAFETY: the caller vouches for runs of this length.
            $($constant => unsafe { $runs.$function::<$constant>() },)*
            _ => $otherwise,
        }
    };
}

/// # Safety
/// Of all methods: runs of the length named may be read and written, and no source run overlaps a destination run.
impl Runs {
    /// Copies row after row.
    unsafe fn copy(self, bytes: usize) {
        // SAFETY: as above.
        let otherwise = || unsafe { self.of_any_length(bytes) };
        of_constant_length!(self, of_length, bytes, otherwise(), 1 2 4 8 12 16 24 32 40 48 64 80 96 128 192 256)
    }

    /// Runs of a length that the compiler can turn into register moves.
    unsafe fn of_length<const BYTES: usize>(self) {
        let ahead = Ahead::of(self.inner, BYTES);
        for row in 0..self.outer.count {
            let mut row = self.part(row, 0);
            for _ in 0..self.inner.count / 4 {
                if let Some(ahead) = ahead.filter(|_| BYTES < LINE) {
                    ahead.fetch(row.from, row.to, 1);
                }
                for run in 0..4 {
                    let Self { from, to, .. } = row.part(0, run);
                    if let Some(ahead) = ahead.filter(|_| BYTES >= LINE) {
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
        if Ahead::is_within(bytes) {
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
                unsafe {
                    if bytes > LINES {
                        copy_lines(from, to, bytes, |_| ());
                    } else {
                        copy_short(from, to, bytes);
                    }
                }
            }
        }
    }

    /// Runs in which lines are asked for ahead; near the end of one, those of the next: what lies after a run in the
    /// destination may be another rank's.
    unsafe fn of_long_runs(self, bytes: usize) {
        for row in 0..self.outer.count {
            for run in 0..self.inner.count {
                let is_last = run + 1 == self.inner.count;
                let (here, next) =
                    (self.part(row, run), self.part(row + usize::from(is_last), if is_last { 0 } else { run + 1 }));
                let fetch_ahead = |done: usize| {
                    let (of, place) =
                        if done + AHEAD < bytes { (here, done + AHEAD) } else { (next, done + AHEAD - bytes) };
                    fetch(of.from.wrapping_add(place));
                    fetch(of.to.wrapping_add(place));
                };
                // SAFETY: as above.
                unsafe { copy_lines(here.from, here.to, bytes, fetch_ahead) };
            }
        }
    }

    /// Copies single elements that neighbour each other in the source down its rows: a few columns of the destination at a
    /// time, so that a cache line of the source is read once. To a large array, whole lines are stored past the caches.
    unsafe fn copy_across(self, bytes: usize, large: bool) {
        let side = LINE / bytes.max(1);
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

    /// Square blocks whose sides are cache lines, and what is left at their sides. Blocks begin with the destination's
    /// lines where all rows do alike, and follow the source's lines for [`STRIP`] blocks before the next columns' turn.
    unsafe fn across<const BYTES: usize, const SIDE: usize>(self, large: bool) {
        let is_even = self.outer.destination.is_multiple_of(LINE);
        let before = if is_even { self.to.align_offset(LINE) / BYTES } else { 0 };
        let before = before.min(self.inner.count);
        let columns = (self.inner.count - before) / SIDE * SIDE;
        let rows = self.outer.count / SIDE * SIDE;
        let streams = large && is_even && self.part(0, before).to.addr().is_multiple_of(LINE);
        for strip in (0..rows).step_by(STRIP * SIDE) {
            for column in (before..before + columns).step_by(SIDE) {
                for row in (strip..rows.min(strip + STRIP * SIDE)).step_by(SIDE) {
                    let block = self.part(row, column);
                    block.fetch_ahead::<SIDE>(streams);
                    // SAFETY: as above, for elements of `SIDE` rows and columns; where lines are stored past the caches, all
                    // rows of the destination begin with one here.
                    unsafe {
                        if streams { block.block::<BYTES, SIDE, true>() } else { block.block::<BYTES, SIDE, false>() }
                    };
                }
            }
        }
        if streams {
            fence();
        }
        let after = before + columns;
        // SAFETY: as above, for elements of the first and the last columns, and of the last rows between them.
        unsafe {
            self.columns(0, before).of_length::<BYTES>();
            self.columns(after, self.inner.count - after).of_length::<BYTES>();
            let last = self.part(rows, 0).columns(before, columns);
            Self { outer: Spacing { count: self.outer.count - rows, ..self.outer }, ..last }.of_length::<BYTES>();
        }
    }

    /// Some columns of all rows.
    fn columns(self, first: usize, count: usize) -> Self {
        Self { inner: Spacing { count, ..self.inner }, ..self.part(0, first) }
    }

    /// Asks for the lines of the block after the next in the source, and of the next in the destination; or, where nothing
    /// of the destination is read, for those of the source's next columns.
    #[inline(always)]
    fn fetch_ahead<const SIDE: usize>(self, streams: bool) {
        for line in 0..SIDE {
            if streams {
                fetch(self.from.wrapping_add((line + SIDE) * self.inner.source));
            } else {
                fetch(self.from.wrapping_add(line * self.inner.source + 2 * LINE));
                fetch(self.to.wrapping_add((line + SIDE) * self.outer.destination));
            }
        }
    }

    /// Everything from a row and a column on.
    fn part(self, row: usize, column: usize) -> Self {
        let from = row * self.outer.source + column * self.inner.source;
        let to = row * self.outer.destination + column * self.inner.destination;
        Self { from: self.from.wrapping_add(from), to: self.to.wrapping_add(to), ..self }
    }

    /// A square block, of which every line is written once.
    #[inline]
    unsafe fn block<const BYTES: usize, const SIDE: usize, const STREAMS: bool>(self) {
        for row in 0..SIDE {
            let Self { from, to, .. } = self.part(row, 0);
            let place = |column: usize| from.wrapping_add(column * self.inner.source);
            if STREAMS {
                for column in 0..SIDE {
                    // SAFETY: as above; the row begins with a line, of which this is an element.
                    unsafe { stream::<BYTES>(place(column), to.wrapping_add(column * BYTES)) };
                }
                continue;
            }
            let element = |column: usize| place(column).cast::<[u8; BYTES]>();
            // SAFETY: as above.
            let line: [[u8; BYTES]; SIDE] = array::from_fn(|column| unsafe { element(column).read_unaligned() });
            // SAFETY: as above; a row's elements lie together in the destination.
            unsafe { to.cast::<[[u8; BYTES]; SIDE]>().write_unaligned(line) };
        }
    }
}

/// Bytes of a destination from which on it is long gone from the caches when it is next used.
pub(super) const LARGE: usize = 16 << 20;

/// Blocks in a strip: enough for whole stretches of the source, few enough for the destination's lines to stay in a second
/// cache even where rows are a power of two apart.
const STRIP: usize = 16;

/// Bytes of a run up to which it is copied in chunks of [`CHUNK`] bytes.
pub(super) const LINES: usize = 256;

/// Copies a few bytes, in chunks of which the last two may overlap.
///
/// # Safety
/// So many bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_short(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: every chunk ends with the bytes or before; `CHUNK` of them are there at least.
    unsafe {
        if bytes < CHUNK {
            return ptr::copy_nonoverlapping(from, to, bytes);
        }
        let mut done = 0;
        while done + CHUNK < bytes {
            ptr::copy_nonoverlapping(from.add(done), to.add(done), CHUNK);
            done += CHUNK;
        }
        ptr::copy_nonoverlapping(from.add(bytes - CHUNK), to.add(bytes - CHUNK), CHUNK);
    }
}

/// Bytes of a register that every machine has.
const CHUNK: usize = 16;

/// Copies at least a cache line's bytes; the last two lines of the copy may overlap.
///
/// # Safety
/// So many bytes may be read and written, and the two places do not overlap.
#[inline(always)]
pub(super) unsafe fn copy_lines(from: *const u8, to: *mut u8, bytes: usize, fetch_ahead: impl Fn(usize)) {
    let (mut done, last) = (0, bytes - LINE);
    while done < last {
        fetch_ahead(done);
        let (from, to) = (from.wrapping_add(done), to.wrapping_add(done));
        // SAFETY: every line ends with the bytes or before.
        unsafe { ptr::copy_nonoverlapping(from, to, LINE) };
        done += LINE;
    }
    // SAFETY: these are the last bytes.
    unsafe { ptr::copy_nonoverlapping(from.add(last), to.add(last), LINE) };
}
