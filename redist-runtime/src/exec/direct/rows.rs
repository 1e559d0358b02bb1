//! Rows of many messages together: the innermost loops.
//!
//! Unsafe, since slices would be checked for every run, and runs are short: one check a row is enough.

use super::copy::{LINES, cells, copy_lines, copy_short};
use super::fetch::{LINE, fetch};
use crate::exec::kernels::{Network, Vectors};
use crate::exec::width::{Width, with_width};
use crate::plan::Side;
use crate::program::{MOST_COORDINATES, Rounds, Row, Run, Spacing};
use core::cell::UnsafeCell;
use core::ptr;

/// Bytes that are copied between asking for lines and asking for the next: of both sides together they stay in a small
/// part of a first cache.
const CHUNK: usize = 2 << 10;

/// Rounds that are copied together where there are not many more in a chunk: a number that the compiler knows.
const TOGETHER: usize = 8;

/// Bytes between a run that is copied and the one whose lines are asked for.
const AHEAD: usize = 1536;

/// What rows are copied with.
#[derive(Clone, Copy, Debug)]
pub(super) struct With {
    /// Bytes of an element.
    pub width: usize,
    /// Vectors that the processor has.
    pub vectors: Vectors,
}

/// Copies a row to the array of the only rank that it goes to.
///
/// # Panics
/// If the row reaches past the end of an array.
pub(super) fn copy_to_own(sources: &[&[u8]], destination: &mut [u8], row: Row<'_>, with: With) {
    let destination = cells(destination);
    // SAFETY: nobody else can use an array that is borrowed mutably, nor write to those that are borrowed.
    unsafe { copy_row(sources, |_| destination, row, with) };
}

/// Copies a row.
///
/// # Panics
/// If it reaches past the end of an array.
///
/// # Safety
/// While this runs, no other thread reads or writes what the row's runs have in `destinations`, and none writes to
/// `sources`.
pub(super) unsafe fn copy_row<'a>(
    sources: &[&[u8]],
    destination_of: impl Fn(usize) -> &'a [UnsafeCell<u8>],
    row: Row<'_>,
    with: With,
) {
    let With { width, vectors } = with;
    let mut fronts = Fronts {
        from: [ptr::null(); MOST_COORDINATES],
        to: [ptr::null_mut(); MOST_COORDINATES],
        room: [[0; MOST_COORDINATES]; 2],
    };
    for (number, (rank, at)) in row.sources.iter().enumerate() {
        let source = sources[*rank].get(*at * width..).expect("a source as long as its plan says");
        (fronts.from[number], fronts.room[0][number]) = (source.as_ptr(), source.len() / width);
    }
    for (number, (rank, at)) in row.destinations.iter().enumerate() {
        let to = destination_of(*rank).get(*at * width..).expect("a destination as long as its plan says");
        (fronts.to[number], fronts.room[1][number]) = (UnsafeCell::raw_get(to.as_ptr()), to.len() / width);
    }
    with_width!(width, width => row.interleaving.for_each(row.elements.clone(), &mut |rounds| {
        fronts.check(&rounds);
        // SAFETY: all runs of all rounds lie in the arrays, as has been checked. The caller vouches for other threads.
        unsafe { fronts.copy(&rounds, vectors, width) };
    }));
}

/// Where the row begins in the local arrays.
struct Fronts {
    from: [*const u8; MOST_COORDINATES],
    to: [*mut u8; MOST_COORDINATES],
    /// Elements from there to the arrays' ends, on each side.
    room: [[usize; MOST_COORDINATES]; 2],
}

impl Fronts {
    /// # Panics
    /// If a run does not lie in its arrays.
    fn check(&self, rounds: &Rounds<'_>) {
        let last = rounds.spacing.count.saturating_sub(1);
        let further = |at: usize, step: usize| at.saturating_add(step.saturating_mul(last));
        let at = [further(rounds.at.0, rounds.spacing.source), further(rounds.at.1, rounds.spacing.destination)];
        let fits = |side: usize, coordinate: u16, end: usize| {
            at[side].saturating_add(end) <= self.room[side][usize::from(coordinate)]
        };
        for (side, fronts) in rounds.fronts.iter().enumerate() {
            let all_fit = fronts.iter().all(|front| fits(side, front.coordinate, front.end));
            assert!(all_fit, "an array shorter than its plan");
        }
        if rounds.fronts.iter().any(|fronts| fronts.is_empty()) {
            for run in rounds.runs {
                let ends = [run.source, run.destination].map(|start| start as usize + run.len as usize);
                assert!(fits(0, run.from, ends[0]) && fits(1, run.to, ends[1]), "an array shorter than its plan");
            }
        }
    }
}

/// Runs of one length, at both ends so many bytes further on each time.
#[derive(Clone, Copy)]
struct Column {
    from: *const u8,
    to: *mut u8,
    steps: Spacing,
}

macro_rules! of_constant_length {
    ($fronts:ident, $function:ident, $arguments:tt, $bytes:ident, $otherwise:expr, $($constant:literal)*) => {
        match $bytes {
            // SAFETY: the caller vouches for runs of this length.
            $($constant => unsafe { $fronts.$function::<$constant, _> $arguments },)*
            _ => $otherwise,
        }
    };
}

/// # Safety
/// Of all methods: all runs of all rounds may be read and written.
impl Fronts {
    unsafe fn copy(&self, rounds: &Rounds<'_>, vectors: Vectors, width: impl Width) {
        let lines = |side: usize, step: usize| rounds.fronts[side].len() * step;
        let bytes = lines(0, rounds.spacing.source).max(lines(1, rounds.spacing.destination)) * width.bytes();
        let together = (CHUNK / bytes.max(1)).min(rounds.spacing.count);
        let together = if (TOGETHER..2 * TOGETHER).contains(&together) { TOGETHER } else { together };
        // SAFETY: as above.
        unsafe {
            if rounds.spacing.count < 2 || together < 2 {
                return self.one_by_one(rounds, width);
            }
            self.chunks(rounds, together, vectors, width);
        }
    }

    /// Some rounds together, run by run or by a network.
    unsafe fn chunks(&self, rounds: &Rounds<'_>, together: usize, vectors: Vectors, width: impl Width) {
        let (mut at, mut left) = (rounds.at, rounds.spacing.count);
        let bytes = rounds.len * width.bytes();
        let deals = rounds.turns.map(|side| side == Side::Source);
        let network = deals.and_then(|deals| Network::new(vectors, deals, bytes, rounds.runs.len()));
        while left > 0 {
            let count = together.min(left);
            let further = (together * rounds.spacing.source, together * rounds.spacing.destination);
            self.fetch(rounds, at, further, width);
            let chunk = Rounds { at, spacing: Spacing { count, ..rounds.spacing }, ..*rounds };
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

    unsafe fn by_network(&self, rounds: &Rounds<'_>, network: &Network, width: impl Width) {
        let mut across = [ptr::null_mut(); MOST_COORDINATES];
        // SAFETY: as above. All rounds lie together on one side, from the first run on; on the other, each run does.
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

    unsafe fn by_runs(&self, rounds: &Rounds<'_>, bytes: usize, width: impl Width) {
        // SAFETY: as above.
        let otherwise = || unsafe { self.of_any_length(rounds, width) };
        of_constant_length!(self, of_length, (rounds, width), bytes, otherwise(), 1 2 4 8 12 16 24 32 40 48 64);
    }

    /// Asks for the lines of the next chunk.
    #[inline]
    fn fetch(&self, rounds: &Rounds<'_>, at: (usize, usize), further: (usize, usize), width: impl Width) {
        let size = width.bytes();
        for front in rounds.fronts[0] {
            let place = self.from[usize::from(front.coordinate)];
            let place = place.wrapping_add((front.start as usize + at.0 + further.0) * size);
            (0..further.0 * size).step_by(LINE).for_each(|line| fetch(place.wrapping_add(line)));
        }
        for front in rounds.fronts[1] {
            let place = self.to[usize::from(front.coordinate)];
            let place = place.wrapping_add((front.start as usize + at.1 + further.1) * size);
            (0..further.1 * size).step_by(LINE).for_each(|line| fetch(place.wrapping_add(line)));
        }
    }

    unsafe fn of_length<const BYTES: usize, W: Width>(&self, rounds: &Rounds<'_>, width: W) {
        if rounds.spacing.count == TOGETHER {
            for run in rounds.runs {
                // SAFETY: as above.
                unsafe { self.column(run, rounds, width).copy_together::<BYTES>() };
            }
            return;
        }
        for run in rounds.runs {
            // SAFETY: as above.
            unsafe { self.column(run, rounds, width).copy::<BYTES>() };
        }
    }

    unsafe fn of_any_length(&self, rounds: &Rounds<'_>, width: impl Width) {
        for run in rounds.runs {
            let bytes = run.len as usize * width.bytes();
            // SAFETY: as above.
            unsafe {
                let column = self.column(run, rounds, width);
                match bytes {
                    4 => column.copy::<4>(),
                    8 => column.copy::<8>(),
                    16 => column.copy::<16>(),
                    24 => column.copy::<24>(),
                    _ => column.copy_any(bytes),
                }
            }
        }
    }

    /// A run in all rounds.
    #[inline(always)]
    fn column(&self, run: &Run, rounds: &Rounds<'_>, width: impl Width) -> Column {
        let Spacing { count, source, destination } = rounds.spacing;
        let steps = Spacing { count, source: source * width.bytes(), destination: destination * width.bytes() };
        // There are fewer coordinates: the remainder spares a check.
        let place = |coordinate: u16| usize::from(coordinate) % MOST_COORDINATES;
        let (from, to) = (self.from[place(run.from)], self.to[place(run.to)]);
        let from = from.wrapping_add((run.source as usize + rounds.at.0) * width.bytes());
        let to = to.wrapping_add((run.destination as usize + rounds.at.1) * width.bytes());
        Column { from, to, steps }
    }

    /// Round by round; some runs before a run is copied, its lines are asked for.
    unsafe fn one_by_one(&self, rounds: &Rounds<'_>, width: impl Width) {
        let Rounds { runs, spacing, .. } = *rounds;
        let size = width.bytes();
        let ahead = (AHEAD * runs.len() / (rounds.elements * size).max(1)).clamp(1, 16);
        for round in 0..spacing.count {
            let at = |round: usize| (rounds.at.0 + round * spacing.source, rounds.at.1 + round * spacing.destination);
            let here = Rounds { at: at(round), spacing: Spacing::ONE, ..*rounds };
            for (number, run) in runs.iter().enumerate() {
                let bytes = run.len as usize * size;
                // SAFETY: as above.
                unsafe {
                    if let Some(next) = runs.get(number + ahead) {
                        let Column { from, to, .. } = self.column(next, &here, width);
                        for line in (0..next.len as usize * size).step_by(LINE) {
                            fetch(from.wrapping_add(line));
                            fetch(to.wrapping_add(line));
                        }
                    }
                    let Column { from, to, .. } = self.column(run, &here, width);
                    if bytes > LINES { copy_lines(from, to, bytes, |_| ()) } else { copy_short(from, to, bytes) }
                }
            }
        }
    }
}

/// # Safety
/// Of all methods: all of it may be read and written.
impl Column {
    #[inline(always)]
    unsafe fn copy<const BYTES: usize>(self) {
        let Self { mut from, mut to, steps } = self;
        let mut each = || {
            // SAFETY: as above.
            unsafe { ptr::copy_nonoverlapping(from, to, BYTES) };
            (from, to) = (from.wrapping_add(steps.source), to.wrapping_add(steps.destination));
        };
        for _ in 0..steps.count / 4 {
            each();
            each();
            each();
            each();
        }
        (0..steps.count % 4).for_each(|_| each());
    }

    /// As [`copy`](Self::copy), for [`TOGETHER`] runs, without a loop.
    #[inline(always)]
    unsafe fn copy_together<const BYTES: usize>(self) {
        let Self { mut from, mut to, steps } = self;
        for _ in 0..TOGETHER {
            // SAFETY: as above.
            unsafe { ptr::copy_nonoverlapping(from, to, BYTES) };
            (from, to) = (from.wrapping_add(steps.source), to.wrapping_add(steps.destination));
        }
    }

    unsafe fn copy_any(self, bytes: usize) {
        let Self { mut from, mut to, steps } = self;
        for _ in 0..steps.count {
            // SAFETY: as above.
            unsafe { copy_short(from, to, bytes) };
            (from, to) = (from.wrapping_add(steps.source), to.wrapping_add(steps.destination));
        }
    }
}
