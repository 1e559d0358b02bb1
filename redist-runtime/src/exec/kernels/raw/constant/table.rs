//! A step as vectors: which units of what is read each vector that is written is put together from.
//!
//! Made by the compiler, where it knows the step. Kernels rely on what [`VectorTable::new`] establishes:
//! every vector that is read or written lies inside the step, in its stream.

use crate::arithmetic::min;
use crate::program::{MAX_STEP_PEERS, StepMove, StepMoves};

/// Units of a vector: bytes of a short one, lanes of 4 bytes of a long one.
pub(super) const VECTOR_UNITS: usize = 16;

/// A unit of a vector that an input does not have.
pub(super) const NONE: u8 = 0x80;

/// Largest number of bytes that are written in a step.
const MAX_STEP_BYTES: usize = 2048;

/// Largest number of vectors that are written.
const MAX_OUTPUTS: usize = MAX_STEP_BYTES / VECTOR_UNITS + MAX_STEP_PEERS;

/// Largest number of vectors that are read for one that is written.
pub(super) const MAX_INPUTS: usize = 8;

/// Largest number of vectors that are read.
const MAX_ALL_INPUTS: usize = 512;

/// Bytes of all vectors that are written, in percent of the bytes in them, that are few enough.
const FEW_WASTED: usize = 115;

/// A vector that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorWritten {
    /// Offset in its stream, in units.
    pub at: u16,
    /// The first of its inputs.
    pub first: u16,
    /// Number of its inputs.
    pub inputs: u8,
    /// Units that are written: all, or those of a stream that has fewer.
    pub units: u8,
    /// Where each unit comes from.
    pub origins: [Origin; VECTOR_UNITS],
}

/// A unit of a stream that is read, by its offset in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub stream: u8,
    pub at: u16,
}

/// A vector that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorRead {
    /// The stream.
    pub stream: u8,
    /// Units that may be read: all, or those of a stream that has fewer.
    pub units: u8,
    /// Offset in its stream, in units.
    pub at: u16,
    /// For each unit of the output, the unit of this vector that it is, or [`NONE`].
    pub take: [u8; VECTOR_UNITS],
}

/// The vectors of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable {
    outputs: [VectorWritten; MAX_OUTPUTS],
    inputs: [VectorRead; MAX_ALL_INPUTS],
    /// The first output of each stream that is written, and the end of the last.
    first: [usize; MAX_STEP_PEERS + 1],
    /// Bytes of each stream that is read.
    pub read: [usize; MAX_STEP_PEERS],
    /// Number of streams that are read.
    pub reads: usize,
    /// Bytes of each stream that is written.
    pub written: [usize; MAX_STEP_PEERS],
    /// Number of streams that are written.
    pub writes: usize,
    /// Largest number of bytes, up to 16, that all moves are multiples of.
    pub unit: usize,
    /// Number of periods; 0 if there is no table.
    pub times: usize,
}

/// Where each unit of the streams that are written comes from, one stream after the other.
type Origins = [Origin; MAX_STEP_BYTES];

const NOWHERE: Origin = Origin { stream: 0, at: 0 };

const NO_OUTPUT: VectorWritten =
    VectorWritten { at: 0, first: 0, inputs: 0, units: 0, origins: [NOWHERE; VECTOR_UNITS] };

const NO_INPUT: VectorRead = VectorRead { stream: 0, units: 0, at: 0, take: [NONE; VECTOR_UNITS] };

/// How vectors may reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum VectorReach {
    /// Only whole ones.
    Whole,
    /// Shorter ones, too, in streams that are shorter.
    Masked,
}

/// What vectors are made of.
#[derive(Clone, Copy)]
pub(super) struct Units {
    /// Bytes of a unit.
    pub bytes: usize,
    pub reach: VectorReach,
}

impl VectorTable {
    /// Nothing at all.
    pub const NONE: Self = Self {
        outputs: [NO_OUTPUT; MAX_OUTPUTS],
        inputs: [NO_INPUT; MAX_ALL_INPUTS],
        first: [0; MAX_STEP_PEERS + 1],
        read: [0; MAX_STEP_PEERS],
        reads: 0,
        written: [0; MAX_STEP_PEERS],
        writes: 0,
        unit: 16,
        times: 0,
    };

    /// The vectors of as many periods as fill them best, of elements of `width` bytes. `None` where
    /// moves are not made of units, or nothing fits.
    pub const fn new(moves: &StepMoves, width: usize, units: Units) -> Option<Self> {
        let Some(bytes) = moves.elements().checked_mul(width) else { return None };
        if bytes == 0 || !unit(moves, width).is_multiple_of(units.bytes) {
            return None;
        }
        let (mut times, mut best, mut least) = (1, 0, usize::MAX);
        while times <= MAX_STEP_BYTES / bytes && read_fits(moves, width, times) {
            let waste = waste(moves, width * times, units);
            if waste < least {
                (best, least) = (times, waste);
            }
            if waste <= FEW_WASTED {
                break;
            }
            times += 1;
        }
        if best == 0 { None } else { Self::empty(moves, width, best).filled(moves, width, units) }
    }

    const fn empty(moves: &StepMoves, width: usize, times: usize) -> Self {
        let (reads, writes) = (moves.read().len(), moves.written().len());
        let unit = unit(moves, width);
        let mut table = Self { reads, writes, unit, times, ..Self::NONE };
        let mut stream = 0;
        while stream < MAX_STEP_PEERS {
            if stream < reads {
                table.read[stream] = moves.read()[stream] * width * times;
            }
            if stream < writes {
                table.written[stream] = moves.written()[stream] * width * times;
            }
            stream += 1;
        }
        table
    }

    const fn filled(mut self, moves: &StepMoves, width: usize, units: Units) -> Option<Self> {
        let origins = self.origins(moves, width, units);
        let (mut count, mut inputs, mut stream, mut base) = (0, 0, 0, 0);
        while stream < self.writes {
            self.first[stream] = count;
            let (len, mut done) = (self.written[stream] / units.bytes, 0);
            while done < len {
                let some = min(len, VECTOR_UNITS);
                if count == MAX_OUTPUTS || too_short(some, units) {
                    return None;
                }
                // The last vector ends with its stream.
                let at = min(done, len - some);
                self.outputs[count] = VectorWritten {
                    at: at as u16,
                    first: inputs as u16,
                    units: some as u8,
                    ..NO_OUTPUT
                };
                match self.gather(&origins, base + at, (count, inputs), units) {
                    Some(end) => inputs = end,
                    None => return None,
                }
                count += 1;
                done += VECTOR_UNITS;
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

    const fn origins(&self, moves: &StepMoves, width: usize, units: Units) -> Origins {
        let mut base = [0; MAX_STEP_PEERS];
        let mut stream = 1;
        while stream < MAX_STEP_PEERS {
            base[stream] = base[stream - 1] + self.written[stream - 1] / units.bytes;
            stream += 1;
        }
        let (mut origins, mut time) = ([NOWHERE; MAX_STEP_BYTES], 0);
        while time < self.times {
            let mut number = 0;
            while number < moves.list().len() {
                let one = moves.list()[number];
                let (from, to) = (one.from as usize, one.to as usize);
                let source = moves.read()[from] * time + one.source as usize;
                let destination = moves.written()[to] * time + one.destination as usize;
                let at = source * width / units.bytes;
                let place = base[to] + destination * width / units.bytes;
                let mut unit = 0;
                while unit < one.len as usize * width / units.bytes {
                    origins[place + unit] = Origin { stream: one.from, at: (at + unit) as u16 };
                    unit += 1;
                }
                number += 1;
            }
            time += 1;
        }
        origins
    }

    /// Finds the inputs of output number `count`, whose first unit is number `from` of all; returns
    /// the end of its inputs.
    const fn gather(
        &mut self,
        origins: &Origins,
        from: usize,
        (count, first): (usize, usize),
        units: Units,
    ) -> Option<usize> {
        let (mut end, mut lane) = (first, 0);
        while lane < self.outputs[count].units as usize {
            let Origin { stream, at } = origins[from + lane];
            self.outputs[count].origins[lane] = origins[from + lane];
            let mut input = first;
            while input < end && !self.inputs[input].has(stream, at) {
                input += 1;
            }
            if input == end {
                let len = self.read[stream as usize] / units.bytes;
                let some = min(len, VECTOR_UNITS);
                let full = end == MAX_ALL_INPUTS || end - first == MAX_INPUTS;
                if full || too_short(some, units) {
                    return None;
                }
                let at = min(at as usize, len - some) as u16;
                self.inputs[end] = VectorRead { stream, units: some as u8, at, ..NO_INPUT };
                end += 1;
            }
            self.inputs[input].take[lane] = (at - self.inputs[input].at) as u8;
            lane += 1;
        }
        self.outputs[count].inputs = (end - first) as u8;
        Some(end)
    }

    /// VectorWritten number `number` of a stream.
    pub const fn output(&self, stream: usize, number: usize) -> VectorWritten {
        self.outputs[self.first[stream] + number]
    }

    /// Number of outputs of a stream.
    pub const fn count(&self, stream: usize) -> usize {
        self.first[stream + 1] - self.first[stream]
    }

    /// Number of inputs of an output; none where there is no such output.
    pub const fn inputs_of(&self, stream: usize, number: usize) -> usize {
        if number < self.count(stream) { self.output(stream, number).inputs as usize } else { 0 }
    }

    /// VectorRead number `input` of an output; one that takes nothing where there is no such input.
    pub const fn input(&self, stream: usize, number: usize, input: usize) -> VectorRead {
        match input < self.inputs_of(stream, number) {
            true => self.inputs[self.output(stream, number).first as usize + input],
            false => NO_INPUT,
        }
    }
}

impl VectorRead {
    /// Whether this vector has a unit of a stream.
    const fn has(&self, stream: u8, at: u16) -> bool {
        self.stream == stream && at >= self.at && at - self.at < self.units as u16
    }
}

const fn too_short(some: usize, units: Units) -> bool {
    some < VECTOR_UNITS && matches!(units.reach, VectorReach::Whole)
}

/// Whether offsets in what is read fit an [`Origin`].
const fn read_fits(moves: &StepMoves, width: usize, times: usize) -> bool {
    let mut stream = 0;
    while stream < moves.read().len() {
        match moves.read()[stream].checked_mul(width * times) {
            Some(bytes) if bytes <= u16::MAX as usize => {}
            _ => return false,
        }
        stream += 1;
    }
    true
}

/// Largest number of bytes, up to 16, that all moves begin at and end at multiples of.
const fn unit(moves: &StepMoves, width: usize) -> usize {
    let (mut unit, mut number) = (16, 0);
    while number < moves.list().len() {
        let StepMove { source, destination, len, .. } = moves.list()[number];
        while !(source as usize * width).is_multiple_of(unit)
            || !(destination as usize * width).is_multiple_of(unit)
            || !(len as usize * width).is_multiple_of(unit)
        {
            unit /= 2;
        }
        number += 1;
    }
    unit
}

/// Bytes of all vectors that are written, in percent of the bytes in them, of elements of `width`
/// bytes; more than anything where vectors may not be as short as they had to be.
const fn waste(moves: &StepMoves, width: usize, units: Units) -> usize {
    let (mut stream, mut vectors, mut bytes) = (0, 0, 0);
    let vector = units.bytes * VECTOR_UNITS;
    while stream < moves.written().len() {
        let share = moves.written()[stream] * width;
        if too_short(min(share / units.bytes, VECTOR_UNITS), units) {
            return usize::MAX;
        }
        vectors += share.div_ceil(vector);
        bytes += share;
        stream += 1;
    }
    let mut stream = 0;
    while stream < moves.read().len() {
        let share = moves.read()[stream] * width / units.bytes;
        if share > 0 && too_short(min(share, VECTOR_UNITS), units) {
            return usize::MAX;
        }
        stream += 1;
    }
    (vectors * vector * 100).div_ceil(bytes)
}
