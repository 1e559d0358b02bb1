//! Innermost loops over rows of many messages. Unsafe, because runs are short and slices would
//! check each one; one check covers a row.

use super::copy::{cells, copy_run};
use super::exchange::{RowExchange, RowPointers};
use crate::cache::{LINE_BYTES, fetch_to_read};
use crate::exec::calls::CopiedBytes;
use crate::exec::kernels::{AnyLength, CopyRun, ExchangeCode, Memory, Network, Vectors};
use crate::exec::ways::{Learnt, MIN_LEARNT_BYTES, memories};
use crate::exec::with_const::with_const;
use crate::plan::Side;
use crate::program::{
    Grain, MAX_COORDINATES, RepeatedRuns, RowProgram, RowRuns, RowsBetween, Run, Spacing, Walk,
};
use core::cell::UnsafeCell;
use core::ops::Range;
use core::ptr;

/// Bytes between two prefetches: both sides together take little of a first-level cache.
const CHUNK_BYTES: usize = 2 << 10;

/// Rounds in a chunk if there are not many more; a compile-time constant.
const CHUNK_ROUNDS: usize = 8;

/// Prefetch distance between runs of a table, in bytes over all ranks. Both this distance and that
/// of strided copies measured fastest at their own place.
const TABLE_AHEAD_BYTES: usize = 1536;

/// Destination bytes of a tile. A tile and its sources stay in a second-level cache. First-level
/// tiles take twice the time with blocks of 30 by 50 elements.
pub(super) const TILE_BYTES: usize = 64 << 10;

/// Run length from which pairs of ranks are copied apart, because few cache lines hold two runs.
const MIN_LONG_RUN_BYTES: usize = 1 << 10;

/// Parameters of a rank's direct copies.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct CopyOptions {
    /// Bytes of an element.
    pub width: usize,
    /// Vector instructions that copies may use.
    pub vectors: Vectors,
    /// Compiled code for the blocks of rows, if there is any.
    pub written: Option<&'static ExchangeCode>,
    /// Elements of a tile, and of a long run.
    pub grain: Grain,
    /// Bytes of the elements that a rank moves.
    pub array: usize,
}

impl CopyOptions {
    pub fn new(width: usize, vectors: Vectors, written: Option<&'static ExchangeCode>) -> Self {
        let of_bytes = |bytes: usize| (bytes / width).max(1);
        let grain = Grain { tile: of_bytes(TILE_BYTES), long: of_bytes(MIN_LONG_RUN_BYTES) };
        Self { width, vectors, written, grain, array: 0 }
    }
}

/// Copies of rows of several messages.
#[derive(Clone, Debug)]
pub(super) struct RowCopies {
    pub program: RowProgram,
    pub walk: Walk,
    pub options: CopyOptions,
    /// Code for the rows, or `None` for the library's copies.
    pub ways: Learnt<Option<RowExchange>>,
}

impl RowCopies {
    pub fn new(program: RowProgram, options: CopyOptions) -> Self {
        let CopyOptions { width, vectors, written, array, .. } = options;
        let by = |memory: &Memory| {
            RowExchange::new(written, vectors, program.along(), (width, *memory)).map(Some)
        };
        let mut ways: Vec<_> = memories(array).iter().filter_map(by).collect();
        if array < MIN_LEARNT_BYTES {
            ways.truncate(1);
        }
        if ways.is_empty() || array >= MIN_LEARNT_BYTES {
            ways.push(None);
        }
        Self { walk: program.walk(), program, options, ways: Learnt::of(ways) }
    }

    /// Returns `true` if there is code for the rows.
    pub fn has_code(&self) -> bool {
        self.ways.first().is_some()
    }

    /// Returns the code that is tried first, or else `own`.
    pub fn in_words(&self, own: &str) -> String {
        match (self.ways.first(), self.ways.others()) {
            (Some(exchange), []) => exchange.in_words(),
            (Some(exchange), _) => {
                format!("{}, or else {own}, as was faster so far", exchange.in_words())
            }
            (None, _) => own.to_owned(),
        }
    }
}

pub(super) fn copy_rows_to_own<'a>(
    source_of: impl Fn(usize) -> &'a [u8],
    destination: &mut [u8],
    rows: RowsBetween<'_>,
    options: (CopyOptions, Option<&RowExchange>),
    copied: &mut CopiedBytes,
) {
    let destination = cells(destination);
    // SAFETY: this call borrows `destination` exclusively and borrows the sources. So nothing else
    // uses `destination`, they do not overlap, and nothing writes to a source.
    unsafe { copy_rows(source_of, |_| destination, rows, options, copied) }
}

/// Copies rows, and counts bytes by kind of code. Panics if the last one reaches past an array's end.
///
/// # Safety
/// While this runs, nothing else touches the rows' runs in the destinations. Nothing writes to the
/// sources, and the two do not overlap.
pub(super) unsafe fn copy_rows<'s, 'a>(
    source_of: impl Fn(usize) -> &'s [u8],
    destination_of: impl Fn(usize) -> &'a [UnsafeCell<u8>],
    rows: RowsBetween<'_>,
    (options, exchange): (CopyOptions, Option<&RowExchange>),
    copied: &mut CopiedBytes,
) {
    let CopyOptions { width, .. } = options;
    let Some(last) = rows.count.checked_sub(1) else { return };
    let mut pointers = RowPointers {
        from: [ptr::null(); MAX_COORDINATES],
        to: [ptr::null_mut(); MAX_COORDINATES],
        room: [[0; MAX_COORDINATES]; 2],
    };
    for (number, end) in rows.sources.iter().enumerate() {
        let source = source_of(end.rank);
        let after = source.get(end.row(last) * width..).expect("a source as long as its plan says");
        // The first row does not lie behind the last.
        let from = source.as_ptr().wrapping_add(end.at * width);
        (pointers.from[number], pointers.room[0][number]) = (from, after.len() / width);
    }
    for (number, end) in rows.destinations.iter().enumerate() {
        let array = destination_of(end.rank);
        let after =
            array.get(end.row(last) * width..).expect("a destination as long as its plan says");
        let to = UnsafeCell::raw_get(array.as_ptr().wrapping_add(end.at * width));
        (pointers.to[number], pointers.room[1][number]) = (to, after.len() / width);
    }
    let done = match exchange {
        // SAFETY: `pointers` are of arrays borrowed while this runs, each with as many elements
        // behind its last row as its `room`. The caller keeps all others from the rows' elements in
        // the destinations and from writing to the sources, which do not overlap them.
        Some(exchange) => unsafe { exchange.copy(&pointers, &rows) },
        None => rows.elements.start..rows.elements.start,
    };
    let left = [rows.elements.start..done.start, done.end..rows.elements.end];
    if left.iter().any(|elements| !elements.is_empty()) {
        for _ in 0..rows.count {
            for elements in left.clone().into_iter().filter(|elements| !elements.is_empty()) {
                // SAFETY: `pointers` are of arrays borrowed while this runs, each with as many
                // elements of `width` bytes behind this row, or more, as its `room`, or none. The
                // caller keeps all others from the rows' elements in the destinations and from
                // writing to the sources, which do not overlap them.
                unsafe {
                    with_const!(
                        width,
                        WIDTH in [4 8 16] =>
                            copy_runs::<WIDTH>(&pointers, rows.row_runs, elements, options, copied),
                        else copy_runs::<0>(&pointers, rows.row_runs, elements, options, copied)
                    )
                }
            }
            pointers.advance([rows.sources, rows.destinations], width);
        }
    }
    let elements = exchange.map_or(0, |exchange| exchange.elements(&done));
    copied.written += elements * width * rows.count;
}

/// Copies the runs of these elements of a row.
///
/// # Safety
/// The contract of [`CheckedRounds::new`] holds, for all of them.
unsafe fn copy_runs<const WIDTH: usize>(
    pointers: &RowPointers,
    runs: &RowRuns,
    elements: Range<usize>,
    CopyOptions { width, vectors, .. }: CopyOptions,
    copied: &mut CopiedBytes,
) {
    runs.for_each(elements, &mut |rounds| {
        // SAFETY: the caller vouches for all rounds, and this call uses the value up.
        let rounds = unsafe { CheckedRounds::<WIDTH>::new(pointers, &rounds, width) };
        rounds.copy(vectors, copied);
    });
}

/// One run in all rounds.
#[derive(Clone, Copy)]
struct Column {
    /// Start of the run of the first round in its source.
    from: *const u8,
    /// Start of the run of the first round in its destination.
    to: *mut u8,
    /// Bytes from round to round, in the source and in the destination.
    steps: (usize, usize),
}

/// Rounds of runs in arrays that do not overlap. Nothing else uses the runs' bytes in `'a`. All
/// methods rely on this; only [`new`](CheckedRounds::new) establishes it. It holds for parts.
#[derive(Clone, Copy)]
struct CheckedRounds<'a, const WIDTH: usize> {
    pointers: &'a RowPointers,
    rounds: &'a RepeatedRuns<'a>,
    /// Bytes of an element. [`width`](Self::width) returns them as a constant unless `WIDTH` is 0.
    bytes: usize,
}

impl<'a, const WIDTH: usize> CheckedRounds<'a, WIDTH> {
    /// Panics if a run does not lie in its arrays. Each run is checked, or lies in its coordinate's
    /// span ([`RepeatedRuns`]).
    ///
    /// # Safety
    /// In `'a`, each pointer's array has as many elements of `width` bytes as `room` says. While
    /// the value and its parts are used, nothing else reads or writes the runs in the destinations.
    /// Nothing writes to the sources, and the two do not overlap.
    #[inline(always)]
    unsafe fn new(pointers: &'a RowPointers, rounds: &'a RepeatedRuns<'a>, bytes: usize) -> Self {
        pointers.check(rounds);
        Self { pointers, rounds, bytes }
    }

    #[inline(always)]
    fn width(self) -> usize {
        if WIDTH > 0 { WIDTH } else { self.bytes }
    }

    fn copy(self, vectors: Vectors, copied: &mut CopiedBytes) {
        let all = self.rounds.elements * self.rounds.spacing.count * self.width();
        let (spans, spacing) = (self.rounds.spans(), self.rounds.spacing);
        let lines = |side: usize, step: usize| spans[side].len() * step;
        let bytes = lines(0, spacing.source).max(lines(1, spacing.destination)) * self.width();
        let together = (CHUNK_BYTES / bytes.max(1)).min(spacing.count);
        let together = if (CHUNK_ROUNDS..2 * CHUNK_ROUNDS).contains(&together) {
            CHUNK_ROUNDS
        } else {
            together
        };
        copied.own += all;
        match spacing.count < 2 || together < 2 {
            true => self.one_by_one(),
            false => self.chunks(together, vectors),
        }
    }

    /// Copies rounds in chunks, run by run or by a network.
    fn chunks(self, together: usize, vectors: Vectors) {
        let (Self { rounds, .. }, width) = (self, self.width());
        let bytes = rounds.run_len() * width;
        let deals = rounds.turns().map(|side| side == Side::Source);
        let network =
            deals.and_then(|deals| Network::new(vectors, deals, bytes, rounds.runs().len()));
        let mut left = *rounds;
        while left.spacing.count > 0 {
            let rounds = &left.take_front(together);
            let chunk = CheckedRounds::<WIDTH> { rounds, ..self };
            chunk.fetch(together);
            match &network {
                Some(network) => chunk.by_network(network),
                None => chunk.by_runs(),
            }
        }
    }

    fn by_network(self, network: &Network) {
        let (runs, deals) = (self.rounds.runs(), self.rounds.turns() == Some(Side::Source));
        let mut across = [ptr::null_mut(); MAX_COORDINATES];
        for (across, run) in across.iter_mut().zip(runs) {
            let Column { from, to, .. } = self.column(run);
            *across = if deals { to } else { from.cast_mut() };
        }
        let Column { from, to, .. } = self.column(&runs[0]);
        let local = if deals { from.cast_mut() } else { to };
        // SAFETY: all rounds lie inside arrays that do not overlap, and nothing else uses the
        // written elements, by this type's invariant. On the side of `turns` they lie together in
        // one array from the first run on. There is one run of `len` elements for each array of the
        // other side. On that side they lie together, too. This holds if and only if there is a
        // side ([`RepeatedRuns::turns`]); without one there is no network.
        unsafe { network.copy(self.rounds.spacing.count, local, &mut across[..runs.len()]) };
    }

    fn by_runs(self) {
        with_const!(
            self.rounds.run_len() * self.width(),
            BYTES in [1 2 4 8 12 16 24 32 40 48 64] => self.of_length::<BYTES>(),
            else self.of_any_length()
        )
    }

    #[inline]
    fn fetch(self, together: usize) {
        let (Self { pointers, rounds, .. }, width) = (self, self.width());
        let ([sources, destinations], Spacing { source, destination, .. }) =
            (rounds.spans(), rounds.spacing);
        let (size, further) = (width, (together * source, together * destination));
        for span in sources {
            let place = pointers.from[usize::from(span.coordinate)];
            let offset = (span.start as usize + rounds.at.0 + further.0) * size;
            fetch_lines(place.wrapping_add(offset), further.0 * size);
        }
        for span in destinations {
            let place = pointers.to[usize::from(span.coordinate)];
            let offset = (span.start as usize + rounds.at.1 + further.1) * size;
            fetch_lines(place.wrapping_add(offset), further.1 * size);
        }
    }

    // A call for each chunk takes up to a third longer.
    #[inline(always)]
    fn of_length<const BYTES: usize>(self) {
        let (count, size) = (self.rounds.spacing.count, self.width());
        assert!(BYTES == self.rounds.run_len() * size, "runs of another length");
        for run in self.rounds.runs() {
            let column = self.column(run);
            // SAFETY: all runs are `run_len` elements long ([`RepeatedRuns`]), which are `BYTES`
            // bytes, as checked above. In all `count` rounds they lie inside arrays that do not
            // overlap, and nothing else uses the written elements, by this type's invariant.
            unsafe {
                match count {
                    // No loop: the count is a constant.
                    CHUNK_ROUNDS => column.copy::<BYTES>(CHUNK_ROUNDS),
                    _ => column.copy::<BYTES>(count),
                }
            }
        }
    }

    #[inline(always)]
    fn of_any_length(self) {
        let count = self.rounds.spacing.count;
        for run in self.rounds.runs() {
            let bytes = run.len as usize * self.width();
            let column = self.column(run);
            // SAFETY: the run has `bytes` bytes. In all `count` rounds it lies inside arrays that
            // do not overlap, and nothing else uses the written elements, by this type's invariant.
            unsafe {
                with_const!(
                    bytes,
                    BYTES in [1 2 3 4 5 6 7 8 12 16 24] => column.copy::<BYTES>(count),
                    else column.each(count, |from, to| AnyLength::copy(from, to, bytes))
                )
            }
        }
    }

    #[inline(always)]
    fn column(self, run: &Run) -> Column {
        let (Self { pointers, rounds, .. }, width) = (self, self.width());
        let Spacing { source, destination, .. } = rounds.spacing;
        let steps = (source * width, destination * width);
        // The remainder removes a bounds check; there are fewer coordinates.
        let place = |coordinate: u16| usize::from(coordinate) % MAX_COORDINATES;
        let (from, to) = (pointers.from[place(run.from)], pointers.to[place(run.to)]);
        let from = from.wrapping_add((run.source as usize + rounds.at.0) * width);
        let to = to.wrapping_add((run.destination as usize + rounds.at.1) * width);
        Column { from, to, steps }
    }

    /// Copies round by round; each run prefetches a later one.
    fn one_by_one(self) {
        let (Self { rounds, .. }, width) = (self, self.width());
        let (runs, size) = (rounds.runs(), width);
        let ahead = (TABLE_AHEAD_BYTES * runs.len() / (rounds.elements * size).max(1)).clamp(1, 16);
        let mut left = *rounds;
        while left.spacing.count > 0 {
            let here = CheckedRounds::<WIDTH> { rounds: &left.take_front(1), ..self };
            for (number, run) in runs.iter().enumerate() {
                if let Some(next) = runs.get(number + ahead) {
                    let Column { from, to, .. } = here.column(next);
                    fetch_lines(from, next.len as usize * size);
                    fetch_lines(to, next.len as usize * size);
                }
                let Column { from, to, .. } = here.column(run);
                // SAFETY: these are the ends of a run of one round, in arrays that do not overlap;
                // nothing else uses the written elements, by this type's invariant.
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
    #[inline(always)]
    fn each(self, count: usize, copy: impl Fn(*const u8, *mut u8)) {
        let Self { mut from, mut to, steps } = self;
        for _ in 0..count {
            copy(from, to);
            (from, to) = (from.wrapping_add(steps.0), to.wrapping_add(steps.1));
        }
    }

    /// # Safety
    /// Runs of `BYTES` bytes of `count` rounds may be read and written, and do not overlap.
    #[inline(always)]
    unsafe fn copy<const BYTES: usize>(self, count: usize) {
        // SAFETY: `each` passes both ends of the run in each of `count` rounds. The caller vouches
        // that `BYTES` bytes may be read and written there and do not overlap.
        self.each(count, |from, to| unsafe { ptr::copy_nonoverlapping(from, to, BYTES) });
    }
}
