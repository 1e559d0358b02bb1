//! A step as vectors: the units of the input vectors that make each output vector.
//!
//! Computed at compile time. Kernels rely on [`VectorTable::new`]: every vector read or written
//! lies inside the step, in its stream.
//!
//! The compiler evaluates these functions about as fast as an interpreter, and checks a constant
//! field by field. Calls are slowest. So tables are arrays of numbers, made grain by grain (a grain
//! divides all moves), and the innermost loops call nothing.

use crate::program::{MAX_STEP_BYTES, MAX_STEP_PEERS, StepMoves};
use redist_plan::arithmetic::{max, min};

/// Bytes of a short vector, of SSE, NEON, and half of AVX2.
pub(super) const SHORT_BYTES: usize = 16;

/// Accepted bytes of written vectors, in percent of the bytes in them.
const FEW_WASTED: usize = 115;

/// The vectors that a stream's share of a step may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VectorReach {
    /// Whole ones: a share that is shorter has none.
    Whole,
    /// Shorter ones, too: masks leave out the lanes that the share lacks.
    Masked,
}

/// The vectors of a kind of processor, and what they consist of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    /// Bytes of a unit.
    pub bytes: usize,
    /// Units of a vector.
    pub count: usize,
    pub reach: VectorReach,
}

impl Units {
    pub const SHORT: Self = Self { bytes: 1, count: SHORT_BYTES, reach: VectorReach::Whole };

    pub const fn lanes(bytes: usize) -> Self {
        Self { bytes, count: 64 / bytes, reach: VectorReach::Masked }
    }
}

/// Returns `true` if a vector of `some` units is shorter than its reach allows.
const fn too_short(some: usize, units: Units) -> bool {
    some < units.count && matches!(units.reach, VectorReach::Whole)
}

/// Number of a byte that no input gives: shuffles then write 0.
pub(super) const NONE: u8 = 0x80;

/// Most vectors that a step writes.
const MAX_OUTPUTS: usize = MAX_STEP_BYTES / SHORT_BYTES + MAX_STEP_PEERS;

/// Most vectors that one written vector is made of.
pub(super) const MAX_INPUTS: usize = 8;

/// Most units of the inputs of all written vectors together: it bounds the code's size.
const MAX_ALL_INPUT_UNITS: usize = 512 * SHORT_BYTES;

/// Most units of a vector.
const MAX_LANES: usize = 64;

/// More than any place in a stream, and of no lower bits.
const OFFSET: usize = 1 << 16;

/// Returns the place of a vector that is read or written: its stream's number, its units, and its
/// offset in units, of 8, 8 and 16 bits. A shorter stream has fewer units than a vector. A number,
/// because compilers check and fold it at once.
const fn placed(stream: usize, units: usize, at: usize) -> u32 {
    (at << 16 | units << 8 | stream) as u32
}

/// Returns the units of a place.
pub(super) const fn units_of(place: u32) -> usize {
    (place >> 8) as u8 as usize
}

/// Bytes of each stream in a step. A binary keeps these, and not the table that they are of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// Bytes of each stream that is read.
    pub read: [usize; MAX_STEP_PEERS],
    /// Streams that are read.
    pub reads: usize,
    /// Bytes of each stream that is written.
    pub written: [usize; MAX_STEP_PEERS],
    /// Streams that are written.
    pub writes: usize,
}

impl Shares {
    pub const NONE: Self =
        Self { read: [0; MAX_STEP_PEERS], reads: 0, written: [0; MAX_STEP_PEERS], writes: 0 };

    pub const fn new(moves: &StepMoves, width: usize) -> Self {
        let (read, written) = (moves.read(), moves.written());
        let (reads, writes) = (read.len(), written.len());
        let (mut shares, mut stream) = (Self { reads, writes, ..Self::NONE }, 0);
        while stream < MAX_STEP_PEERS {
            if stream < reads {
                shares.read[stream] = read[stream] * width;
            }
            if stream < writes {
                shares.written[stream] = written[stream] * width;
            }
            stream += 1;
        }
        shares
    }
}

/// The shares of a step for copies, without its runs: a binary keeps all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedStep {
    pub shares: Shares,
    /// Runs of each stream that is written.
    runs: [usize; MAX_STEP_PEERS],
}

impl CopiedStep {
    /// Returns no shares for moves that are missing, or too long to gain anything.
    pub const fn new(moves: &Option<StepMoves>, width: usize) -> Self {
        let mut step = Self { shares: Shares::NONE, runs: [0; MAX_STEP_PEERS] };
        let Some(moves) = moves else { return step };
        match moves.elements().checked_mul(width) {
            Some(1..=MAX_STEP_BYTES) => step.shares = Shares::new(moves, width),
            _ => return step,
        }
        let mut stream = 0;
        while stream < step.shares.writes {
            step.runs[stream] = moves.first(stream + 1) - moves.first(stream);
            stream += 1;
        }
        step
    }

    pub const fn count(&self, stream: usize) -> usize {
        self.runs[stream]
    }
}

/// A vector and the places of its inputs, as numbers.
#[derive(Clone, Copy)]
pub(super) struct WrittenVector {
    /// Place that is written, as `placed` packs it.
    pub output: u32,
    /// Inputs in use.
    pub count: usize,
    /// Places that are read, as `placed` packs them.
    pub inputs: [u32; MAX_INPUTS],
}

/// The vectors that a step writes, stream after stream, with the vectors that each is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable {
    /// Place of each written vector, as `placed` packs it.
    outputs: [u32; MAX_OUTPUTS],
    /// Inputs of each written vector.
    counts: [u8; MAX_OUTPUTS],
    /// Room for all inputs of each output.
    inputs: [u32; MAX_OUTPUTS * MAX_INPUTS],
    /// By grain of each output: the number among its inputs, and the unit in that, a byte each.
    taken: [u16; MAX_OUTPUTS * MAX_LANES],
    /// Index of each stream's first written vector, and the number of all of them.
    first: [usize; MAX_STEP_PEERS + 1],
    pub shares: Shares,
    /// Grain: the largest number of bytes, up to 16, that divides all moves.
    pub unit: usize,
    /// Periods of a step; 0 if there is no table.
    pub times: usize,
    /// The kind of vectors.
    pub units: Units,
}

/// By grain of all written streams: its place in the stream read, and the number of that, from the
/// sixteenth bit on.
type Origins = [u32; MAX_STEP_BYTES];

impl VectorTable {
    /// No vectors, at one place for all steps: copies cost compile time.
    pub const NOTHING: &'static Self = &Self::NONE;

    pub const NONE: Self = Self {
        outputs: [0; MAX_OUTPUTS],
        counts: [0; MAX_OUTPUTS],
        inputs: [0; MAX_OUTPUTS * MAX_INPUTS],
        taken: [0; MAX_OUTPUTS * MAX_LANES],
        first: [0; MAX_STEP_PEERS + 1],
        shares: Shares::NONE,
        unit: 16,
        times: 0,
        units: Units::SHORT,
    };

    /// Makes the vectors of the number of periods that fills them best, for elements of `width`
    /// bytes. Returns none if moves are not whole units, or nothing fits.
    pub const fn new(moves: &StepMoves, width: usize, units: Units) -> Self {
        match moves.elements().checked_mul(width) {
            Some(1..) if moves.unit(width).is_multiple_of(units.bytes) => {}
            _ => return Self::NONE,
        }
        let times = best_times(moves, width, units);
        if times == 0 {
            return Self::NONE;
        }
        let (shares, unit) = (Shares::new(moves, width * times), moves.unit(width));
        match (Self { shares, unit, times, units, ..Self::NONE }).filled(moves, width) {
            Some(table) => table,
            None => Self::NONE,
        }
    }

    const fn filled(mut self, moves: &StepMoves, width: usize) -> Option<Self> {
        let units = self.units;
        let origins = self.origins(moves, width);
        let (mut count, mut inputs, mut stream, mut base) = (0, 0, 0, 0);
        while stream < self.shares.writes {
            self.first[stream] = count;
            let (len, mut done) = (self.shares.written[stream] / units.bytes, 0);
            while done < len {
                let some = min(len, units.count);
                if count == MAX_OUTPUTS || too_short(some, units) {
                    return None;
                }
                // The last vector ends with its stream.
                let at = min(done, len - some);
                self.outputs[count] = placed(stream, some, at);
                match self.gather(&origins, base + at, count) {
                    Some(found) => inputs += found,
                    None => return None,
                }
                if inputs * units.count > MAX_ALL_INPUT_UNITS {
                    return None;
                }
                count += 1;
                done += units.count;
            }
            base += len;
            stream += 1;
        }
        while stream <= MAX_STEP_PEERS {
            self.first[stream] = count;
            stream += 1;
        }
        Some(self)
    }

    const fn origins(&self, moves: &StepMoves, width: usize) -> Origins {
        let units = self.units;
        let mut base = [0; MAX_STEP_PEERS];
        let mut stream = 1;
        while stream < MAX_STEP_PEERS {
            base[stream] = base[stream - 1] + self.shares.written[stream - 1] / units.bytes;
            stream += 1;
        }
        let grain = self.unit / units.bytes;
        let (read, written, mut number) = (moves.read(), moves.written(), 0);
        let mut origins = [0; MAX_STEP_BYTES];
        while number < moves.count() {
            let one = moves.get(number);
            let (from, to) = (one.from as usize, one.to as usize);
            let mut source = one.from as u32 * OFFSET as u32
                + (one.source as usize * width / units.bytes) as u32;
            let source_step = (read[from] * width / units.bytes) as u32;
            let mut destination =
                (base[to] + one.destination as usize * width / units.bytes) / grain;
            let destination_step = written[to] * width / self.unit;
            let (len, mut time) = (one.len as usize * width / self.unit, 0);
            while time < self.times {
                let (mut place, mut origin, end) = (destination, source, destination + len);
                while place < end {
                    origins[place] = origin;
                    place += 1;
                    origin += grain as u32;
                }
                source += source_step;
                destination += destination_step;
                time += 1;
            }
            number += 1;
        }
        origins
    }

    /// Finds the inputs of an output whose first unit is `from` of all, and returns their number.
    const fn gather(&mut self, origins: &Origins, from: usize, output: usize) -> Option<usize> {
        let units = self.units;
        let grain = self.unit / units.bytes;
        let (mut count, mut taken, mut origin) = (0, output * MAX_LANES, from / grain);
        let last = origin + units_of(self.outputs[output]) / grain;
        // Streams are read from front to back, so only the last input of one may have more. Of that,
        // its range, and the number of what is taken from its stream's start.
        let (mut begins, mut ends) = ([0; MAX_STEP_PEERS], [0; MAX_STEP_PEERS]);
        let mut taken_from = [0; MAX_STEP_PEERS];
        while origin < last {
            let packed = origins[origin] as usize;
            let (stream, at) = (packed / OFFSET, packed % OFFSET);
            if at < begins[stream] || at >= ends[stream] {
                let len = self.shares.read[stream] / units.bytes;
                let some = min(len, units.count);
                if count == MAX_INPUTS || too_short(some, units) {
                    return None;
                }
                let from = min(at, len - some);
                self.inputs[output * MAX_INPUTS + count] = placed(stream, some, from);
                (begins[stream], ends[stream]) = (from, from + some);
                taken_from[stream] = (count << 8) + OFFSET - from;
                count += 1;
            }
            // Streams are whole grains, so a vector has all of a grain or nothing.
            self.taken[taken] = (taken_from[stream] + at) as u16;
            taken += 1;
            origin += 1;
        }
        self.counts[output] = count as u8;
        Some(count)
    }

    pub const fn count(&self, stream: usize) -> usize {
        self.first[stream + 1] - self.first[stream]
    }

    /// Returns a written vector of a stream; one of no units if there is none.
    pub const fn vector(&self, stream: usize, number: usize) -> WrittenVector {
        let mut vector = WrittenVector { output: 0, count: 0, inputs: [0; MAX_INPUTS] };
        if number >= self.count(stream) {
            return vector;
        }
        let (number, mut input) = (self.first[stream] + number, 0);
        (vector.output, vector.count) = (self.outputs[number], self.counts[number] as usize);
        while input < vector.count {
            vector.inputs[input] = self.inputs[number * MAX_INPUTS + input];
            input += 1;
        }
        vector
    }

    /// Fills in the units that an output takes from an input, numbered from `base` on.
    pub const fn takes<const UNITS: usize>(
        &self,
        (stream, number, input): (usize, usize, usize),
        base: usize,
        mut takes: [u8; UNITS],
    ) -> [u8; UNITS] {
        if number >= self.count(stream) {
            return takes;
        }
        let number = self.first[stream] + number;
        let (grain, lanes) = (self.unit / self.units.bytes, units_of(self.outputs[number]));
        let (mut lane, mut place) = (0, number * MAX_LANES);
        while lane < lanes {
            let end = lane + grain;
            let taken = self.taken[place] as usize;
            if taken >> 8 == input {
                let mut unit = base + taken % 256;
                while lane < end {
                    takes[lane] = unit as u8;
                    unit += 1;
                    lane += 1;
                }
            }
            lane = end;
            place += 1;
        }
        takes
    }
}

/// Returns the number of periods whose written vectors waste least: the first of less than
/// [`FEW_WASTED`]. Returns 0 if vectors would be too short, or offsets too long.
const fn best_times(moves: &StepMoves, width: usize, units: Units) -> usize {
    let (read, written, vector) = (moves.read(), moves.written(), units.bytes * units.count);
    let (mut first, mut last, mut stream) = (1, MAX_STEP_BYTES / (moves.elements() * width), 0);
    while stream < read.len() + written.len() {
        let is_read = stream < read.len();
        let share = if is_read { read[stream] } else { written[stream - read.len()] };
        let bytes = share.saturating_mul(width);
        if bytes == 0 && !is_read {
            return 0;
        }
        if bytes > 0 && matches!(units.reach, VectorReach::Whole) {
            first = max(first, vector.div_ceil(bytes));
        }
        if bytes > 0 && is_read {
            last = min(last, u16::MAX as usize / bytes);
        }
        stream += 1;
    }
    let (mut best, mut least, mut times) = (0, usize::MAX, first);
    while times <= last && least > FEW_WASTED {
        let (mut vectors, mut bytes, mut stream) = (0, 0, 0);
        while stream < written.len() {
            let share = written[stream] * width * times;
            vectors += share.div_ceil(vector);
            bytes += share;
            stream += 1;
        }
        let wasted = (vectors * vector * 100).div_ceil(bytes);
        if wasted < least {
            (best, least) = (times, wasted);
        }
        times += 1;
    }
    best
}
