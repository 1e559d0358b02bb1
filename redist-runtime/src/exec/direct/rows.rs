//! Copies rows of many messages together: the innermost loops.
//!
//! Unsafe, since slices would be checked for every run, and runs are short: one check covers a row.

use super::copy::copy_run;
use crate::exec::cache::{LINE_BYTES, fetch_to_read};
use crate::exec::kernels::{AnyLength, CopyRun, Network, Vectors};
use crate::exec::width::{Width, with_const, with_width};
use crate::plan::Side;
use crate::program::{MAX_COORDINATES, RepeatedRuns, Row, Run, Spacing};
use core::cell::UnsafeCell;
use core::ptr;

/// Bytes that are copied between two prefetches: of both sides together they fill a small part of a
/// first-level cache.
const CHUNK_BYTES: usize = 2 << 10;

/// Rounds in a chunk where there are not many more: a number that the compiler knows.
const CHUNK_ROUNDS: usize = 8;

/// Prefetch distance between runs of a table, in bytes of all ranks' runs together. It is longer
/// than that of strided copies, which measured slower here, as this one did there.
const TABLE_AHEAD_BYTES: usize = 1536;

/// What rows are copied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyOptions {
    /// Bytes of an element.
    pub width: usize,
    /// Vectors that the processor has.
    pub vectors: Vectors,
}

/// Copies a row.
///
/// # Panics
/// If it reaches past the end of an array.
///
/// # Safety
/// While this runs, no other thread reads or writes what the row's runs have in `destinations`, and
/// none writes to `sources`.
pub(super) unsafe fn copy_row<'a>(
    sources: &[&[u8]],
    destination_of: impl Fn(usize) -> &'a [UnsafeCell<u8>],
    row: Row<'_>,
    options: CopyOptions,
) {
    let CopyOptions { width, vectors } = options;
    let mut pointers = RowPointers {
        from: [ptr::null(); MAX_COORDINATES],
        to: [ptr::null_mut(); MAX_COORDINATES],
        room: [[0; MAX_COORDINATES]; 2],
    };
    for (number, (rank, at)) in row.sources.iter().enumerate() {
        let source = sources[*rank].get(*at * width..).expect("a source as long as its plan says");
        (pointers.from[number], pointers.room[0][number]) = (source.as_ptr(), source.len() / width);
    }
    for (number, (rank, at)) in row.destinations.iter().enumerate() {
        let to = destination_of(*rank)
            .get(*at * width..)
            .expect("a destination as long as its plan says");
        (pointers.to[number], pointers.room[1][number]) =
            (UnsafeCell::raw_get(to.as_ptr()), to.len() / width);
    }
    with_width!(width, width => row.row_runs.for_each(row.elements.clone(), &mut |rounds| {
        pointers.check(&rounds);
        // SAFETY: `check` found all runs of all rounds inside the arrays; the caller vouches for
        // other threads.
        unsafe { pointers.copy(&rounds, vectors, width) };
    }));
}

/// The start of the row in each local array.
struct RowPointers {
    from: [*const u8; MAX_COORDINATES],
    to: [*mut u8; MAX_COORDINATES],
    /// Elements from there to the ends of the arrays, on each side.
    room: [[usize; MAX_COORDINATES]; 2],
}

impl RowPointers {
    /// # Panics
    /// If a run does not lie in its arrays.
    fn check(&self, rounds: &RepeatedRuns<'_>) {
        let last = rounds.spacing.count.saturating_sub(1);
        let further = |at: usize, step: usize| at.saturating_add(step.saturating_mul(last));
        let at = [
            further(rounds.at.0, rounds.spacing.source),
            further(rounds.at.1, rounds.spacing.destination),
        ];
        let fits = |side: usize, coordinate: u16, end: usize| {
            at[side].saturating_add(end) <= self.room[side][usize::from(coordinate)]
        };
        for (side, spans) in rounds.spans.iter().enumerate() {
            let all_fit = spans.iter().all(|span| fits(side, span.coordinate, span.end));
            assert!(all_fit, "an array shorter than its plan");
        }
        if rounds.spans.iter().any(|spans| spans.is_empty()) {
            for run in rounds.runs {
                let ends =
                    [run.source, run.destination].map(|start| start as usize + run.len as usize);
                assert!(
                    fits(0, run.from, ends[0]) && fits(1, run.to, ends[1]),
                    "an array shorter than its plan"
                );
            }
        }
    }
}

/// One run in all rounds, with the step of each side in bytes.
#[derive(Clone, Copy)]
struct Column {
    from: *const u8,
    to: *mut u8,
    steps: (usize, usize),
}

/// # Safety
/// Of all methods: all runs of all rounds may be read and written.
impl RowPointers {
    unsafe fn copy(&self, rounds: &RepeatedRuns<'_>, vectors: Vectors, width: impl Width) {
        let lines = |side: usize, step: usize| rounds.spans[side].len() * step;
        let bytes = lines(0, rounds.spacing.source).max(lines(1, rounds.spacing.destination))
            * width.bytes();
        let together = (CHUNK_BYTES / bytes.max(1)).min(rounds.spacing.count);
        let together = if (CHUNK_ROUNDS..2 * CHUNK_ROUNDS).contains(&together) {
            CHUNK_ROUNDS
        } else {
            together
        };
        // SAFETY: as above.
        unsafe {
            if rounds.spacing.count < 2 || together < 2 {
                return self.one_by_one(rounds, width);
            }
            self.chunks(rounds, together, vectors, width);
        }
    }

    /// Copies chunks of some rounds, run by run or by a network.
    unsafe fn chunks(
        &self,
        rounds: &RepeatedRuns<'_>,
        together: usize,
        vectors: Vectors,
        width: impl Width,
    ) {
        let (mut at, mut left) = (rounds.at, rounds.spacing.count);
        let bytes = rounds.len * width.bytes();
        let deals = rounds.turns.map(|side| side == Side::Source);
        let network =
            deals.and_then(|deals| Network::new(vectors, deals, bytes, rounds.runs.len()));
        while left > 0 {
            let count = together.min(left);
            let further = (together * rounds.spacing.source, together * rounds.spacing.destination);
            self.fetch(rounds, at, further, width);
            let chunk =
                RepeatedRuns { at, spacing: Spacing { count, ..rounds.spacing }, ..*rounds };
            // SAFETY: as above, for the next rounds of all.
            unsafe {
                match &network {
                    Some(network) => self.by_network(&chunk, network, width),
                    None => self.by_runs(&chunk, bytes, width),
                }
            }
            at = (at.0 + further.0, at.1 + further.1);
            left -= count;
        }
    }

    unsafe fn by_network(&self, rounds: &RepeatedRuns<'_>, network: &Network, width: impl Width) {
        let mut across = [ptr::null_mut(); MAX_COORDINATES];
        // SAFETY: as above. On one side all rounds lie together, from the first run on; on the
        // other, each run's rounds do.
        unsafe {
            for (across, run) in across.iter_mut().zip(rounds.runs) {
                let Column { from, to, .. } = self.column(run, rounds, width);
                *across = if rounds.turns == Some(Side::Source) { to } else { from.cast_mut() };
            }
            let Column { from, to, .. } = self.column(&rounds.runs[0], rounds, width);
            let local = if rounds.turns == Some(Side::Source) { from.cast_mut() } else { to };
            network.copy(rounds.spacing.count, local, &mut across[..rounds.runs.len()]);
        }
    }

    /// Run by run, each in all rounds.
    unsafe fn by_runs(&self, rounds: &RepeatedRuns<'_>, bytes: usize, width: impl Width) {
        // SAFETY: as above; all runs have `bytes` bytes, unless that is 0.
        unsafe {
            with_const!(
                bytes,
                BYTES in [1 2 4 8 12 16 24 32 40 48 64] => self.of_length::<BYTES>(rounds, width),
                else self.of_any_length(rounds, width)
            )
        }
    }

    /// Prefetches the next chunk.
    #[inline]
    fn fetch(
        &self,
        rounds: &RepeatedRuns<'_>,
        at: (usize, usize),
        further: (usize, usize),
        width: impl Width,
    ) {
        let size = width.bytes();
        for span in rounds.spans[0] {
            let place = self.from[usize::from(span.coordinate)];
            let offset = (span.start as usize + at.0 + further.0) * size;
            fetch_lines(place.wrapping_add(offset), further.0 * size);
        }
        for span in rounds.spans[1] {
            let place = self.to[usize::from(span.coordinate)];
            let offset = (span.start as usize + at.1 + further.1) * size;
            fetch_lines(place.wrapping_add(offset), further.1 * size);
        }
    }

    unsafe fn of_length<const BYTES: usize>(&self, rounds: &RepeatedRuns<'_>, width: impl Width) {
        let count = rounds.spacing.count;
        for run in rounds.runs {
            let column = self.column(run, rounds, width);
            // SAFETY: as above.
            unsafe {
                match count {
                    // Without a loop.
                    CHUNK_ROUNDS => column.copy::<BYTES>(CHUNK_ROUNDS),
                    _ => column.copy::<BYTES>(count),
                }
            }
        }
    }

    unsafe fn of_any_length(&self, rounds: &RepeatedRuns<'_>, width: impl Width) {
        let count = rounds.spacing.count;
        for run in rounds.runs {
            let bytes = run.len as usize * width.bytes();
            let column = self.column(run, rounds, width);
            // SAFETY: as above.
            unsafe {
                with_const!(
                    bytes,
                    BYTES in [4 8 16 24] => column.copy::<BYTES>(count),
                    else column.each(count, |from, to| AnyLength::copy(from, to, bytes))
                )
            }
        }
    }

    /// A run in all rounds.
    #[inline(always)]
    fn column(&self, run: &Run, rounds: &RepeatedRuns<'_>, width: impl Width) -> Column {
        let Spacing { source, destination, .. } = rounds.spacing;
        let steps = (source * width.bytes(), destination * width.bytes());
        // There are fewer coordinates: the remainder removes a bounds check.
        let place = |coordinate: u16| usize::from(coordinate) % MAX_COORDINATES;
        let (from, to) = (self.from[place(run.from)], self.to[place(run.to)]);
        let from = from.wrapping_add((run.source as usize + rounds.at.0) * width.bytes());
        let to = to.wrapping_add((run.destination as usize + rounds.at.1) * width.bytes());
        Column { from, to, steps }
    }

    /// Round by round, each run prefetching a later one.
    unsafe fn one_by_one(&self, rounds: &RepeatedRuns<'_>, width: impl Width) {
        let RepeatedRuns { runs, spacing, .. } = *rounds;
        let size = width.bytes();
        let ahead = (TABLE_AHEAD_BYTES * runs.len() / (rounds.elements * size).max(1)).clamp(1, 16);
        for round in 0..spacing.count {
            let at =
                (rounds.at.0 + round * spacing.source, rounds.at.1 + round * spacing.destination);
            let here = RepeatedRuns { at, spacing: Spacing::ONE, ..*rounds };
            for (number, run) in runs.iter().enumerate() {
                if let Some(next) = runs.get(number + ahead) {
                    let Column { from, to, .. } = self.column(next, &here, width);
                    fetch_lines(from, next.len as usize * size);
                    fetch_lines(to, next.len as usize * size);
                }
                let Column { from, to, .. } = self.column(run, &here, width);
                // SAFETY: as above.
                unsafe { copy_run(from, to, run.len as usize * size) };
            }
        }
    }
}

#[inline(always)]
fn fetch_lines(from: *const u8, bytes: usize) {
    (0..bytes).step_by(LINE_BYTES).for_each(|line| fetch_to_read(from.wrapping_add(line)));
}

impl Column {
    /// Calls `copy` with both places of each of `count` rounds.
    #[inline(always)]
    fn each(self, count: usize, copy: impl Fn(*const u8, *mut u8)) {
        let Self { mut from, mut to, steps } = self;
        for _ in 0..count {
            copy(from, to);
            (from, to) = (from.wrapping_add(steps.0), to.wrapping_add(steps.1));
        }
    }

    /// # Safety
    /// Runs of `BYTES` bytes of `count` rounds may be read and written.
    #[inline(always)]
    unsafe fn copy<const BYTES: usize>(self, count: usize) {
        // SAFETY: as the caller says.
        self.each(count, |from, to| unsafe { ptr::copy_nonoverlapping(from, to, BYTES) });
    }
}
