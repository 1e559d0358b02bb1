//! A step as vectors: which units of what is read each vector that is written is put together from.
//!
//! Made by the compiler, where it knows the step. Kernels rely on what [`VectorTable::new`] establishes:
//! every vector that is read or written lies inside the step, in its stream.
//!
//! The compiler looks at each field of a constant, but at an array of numbers as a whole, and walks
//! through these functions about as fast as an interpreter does, calls of functions above all. So
//! tables are arrays of numbers, are made by grains (what moves are multiples of, and not each of
//! its bytes), and the innermost loops call nothing.

use super::fit::{SHORT_BYTES, Units, read_fits, too_short, unit, waste};
use crate::program::{MAX_STEP_PEERS, StepMoves};
use redist_plan::arithmetic::min;

/// A unit of a vector that an input does not have.
pub(super) const NONE: u8 = 0x80;

/// Largest number of bytes that are written in a step.
const MAX_STEP_BYTES: usize = 2048;

/// Largest number of vectors that are written, and of units of all of them.
const MAX_OUTPUTS: usize = MAX_STEP_BYTES / SHORT_BYTES + MAX_STEP_PEERS;
const MAX_OUTPUT_UNITS: usize = MAX_STEP_BYTES + 64 * MAX_STEP_PEERS;

/// Largest number of vectors that are read for one that is written.
pub(super) const MAX_INPUTS: usize = 8;

/// Largest number of vectors that are read, and of units of all of them.
const MAX_ALL_INPUTS: usize = 512;
const MAX_INPUT_UNITS: usize = 512 * SHORT_BYTES;

/// Bytes of all vectors that are written, in percent of the bytes in them, that are few enough.
const FEW_WASTED: usize = 115;

/// Numbers of a list from the first of vector number `number` on, of as many units.
macro_rules! of_vector {
    ($list:expr, $number:expr, $units:expr) => {{
        let (mut units, mut unit, first) = ([0; $units], 0, $number * $units);
        while unit < $units {
            units[unit] = $list[first + unit];
            unit += 1;
        }
        units
    }};
}

/// A short vector that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorWritten {
    /// Offset in its stream, in bytes.
    pub at: usize,
    /// Where the bytes come from that grains begin at: the stream, and the offset there.
    pub streams: [u8; SHORT_BYTES],
    pub places: [u16; SHORT_BYTES],
}

/// A vector of as many units that is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorRead<const UNITS: usize = SHORT_BYTES> {
    /// The stream.
    pub stream: u8,
    /// Units that may be read: all, or those of a stream that has fewer.
    pub units: u8,
    /// Offset in its stream, in units.
    pub at: u16,
    /// For each unit of the output, the unit of this vector that it is, or [`NONE`].
    pub take: [u8; UNITS],
}

/// The vectors of one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable {
    outputs: WrittenVectors,
    inputs: ReadVectors,
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
    /// Largest number of bytes, up to 16, that all moves are multiples of: a grain.
    pub unit: usize,
    /// Number of periods; 0 if there is no table.
    pub times: usize,
    /// What its vectors are made of.
    pub units: Units,
}

/// The fields of each [`VectorWritten`], and the first of its inputs and their number.
#[derive(Clone, Copy, Debug)]
struct WrittenVectors {
    at: [u16; MAX_OUTPUTS],
    first: [u16; MAX_OUTPUTS],
    inputs: [u8; MAX_OUTPUTS],
    units: [u8; MAX_OUTPUTS],
    streams: [u8; MAX_OUTPUT_UNITS],
    places: [u16; MAX_OUTPUT_UNITS],
}

/// The fields of each [`VectorRead`].
#[derive(Clone, Copy, Debug)]
struct ReadVectors {
    stream: [u8; MAX_ALL_INPUTS],
    units: [u8; MAX_ALL_INPUTS],
    at: [u16; MAX_ALL_INPUTS],
    take: [u8; MAX_INPUT_UNITS],
}

/// Where each grain of the streams that are written comes from, one stream after the other: the
/// stream, and the offset there in units.
struct Origins {
    streams: [u8; MAX_STEP_BYTES],
    places: [u16; MAX_STEP_BYTES],
}

impl VectorTable {
    /// Nothing at all.
    pub const NONE: Self = Self {
        outputs: WrittenVectors {
            at: [0; MAX_OUTPUTS],
            first: [0; MAX_OUTPUTS],
            inputs: [0; MAX_OUTPUTS],
            units: [0; MAX_OUTPUTS],
            streams: [0; MAX_OUTPUT_UNITS],
            places: [0; MAX_OUTPUT_UNITS],
        },
        inputs: ReadVectors {
            stream: [0; MAX_ALL_INPUTS],
            units: [0; MAX_ALL_INPUTS],
            at: [0; MAX_ALL_INPUTS],
            take: [NONE; MAX_INPUT_UNITS],
        },
        first: [0; MAX_STEP_PEERS + 1],
        read: [0; MAX_STEP_PEERS],
        reads: 0,
        written: [0; MAX_STEP_PEERS],
        writes: 0,
        unit: 16,
        times: 0,
        units: Units::SHORT,
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
        if best == 0 { None } else { Self::empty(moves, width, best, units).filled(moves, width) }
    }

    const fn empty(moves: &StepMoves, width: usize, times: usize, units: Units) -> Self {
        let (reads, writes) = (moves.read().len(), moves.written().len());
        let unit = unit(moves, width);
        let mut table = Self { reads, writes, unit, times, units, ..Self::NONE };
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

    const fn filled(mut self, moves: &StepMoves, width: usize) -> Option<Self> {
        let units = self.units;
        let origins = self.origins(moves, width);
        let (mut count, mut inputs, mut stream, mut base) = (0, 0, 0, 0);
        while stream < self.writes {
            self.first[stream] = count;
            let (len, mut done) = (self.written[stream] / units.bytes, 0);
            while done < len {
                let some = min(len, units.count);
                if count == MAX_OUTPUTS || too_short(some, units) {
                    return None;
                }
                // The last vector ends with its stream.
                let at = min(done, len - some);
                self.outputs.at[count] = at as u16;
                self.outputs.first[count] = inputs as u16;
                self.outputs.units[count] = some as u8;
                match self.gather(&origins, base + at, (count, inputs)) {
                    Some(end) => inputs = end,
                    None => return None,
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
            base[stream] = base[stream - 1] + self.written[stream - 1] / units.bytes;
            stream += 1;
        }
        let (grain, mut time) = (self.unit / units.bytes, 0);
        let (list, read, written) = (moves.list(), moves.read(), moves.written());
        let mut origins = Origins { streams: [0; MAX_STEP_BYTES], places: [0; MAX_STEP_BYTES] };
        while time < self.times {
            let mut number = 0;
            while number < list.len() {
                let one = list[number];
                let (from, to) = (one.from as usize, one.to as usize);
                let source = read[from] * time + one.source as usize;
                let destination = written[to] * time + one.destination as usize;
                let mut at = source * width / units.bytes;
                let mut place = (base[to] + destination * width / units.bytes) / grain;
                let end = place + one.len as usize * width / self.unit;
                while place < end {
                    origins.streams[place] = one.from;
                    origins.places[place] = at as u16;
                    place += 1;
                    at += grain;
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
    ) -> Option<usize> {
        let units = self.units;
        let (grain, lanes) = (self.unit / units.bytes, self.outputs.units[count] as usize);
        let (mut end, mut lane, mut origin) = (first, 0, from / grain);
        while lane < lanes {
            let (stream, at) = (origins.streams[origin], origins.places[origin]);
            self.outputs.streams[count * units.count + lane] = stream;
            self.outputs.places[count * units.count + lane] = at;
            let mut input = first;
            while input < end {
                let begin = self.inputs.at[input];
                let is_near = at >= begin && at - begin < self.inputs.units[input] as u16;
                if is_near && self.inputs.stream[input] == stream {
                    break;
                }
                input += 1;
            }
            if input == end {
                let len = self.read[stream as usize] / units.bytes;
                let some = min(len, units.count);
                let full = end == MAX_ALL_INPUTS
                    || (end + 1) * units.count > MAX_INPUT_UNITS
                    || end - first == MAX_INPUTS;
                if full || too_short(some, units) {
                    return None;
                }
                self.inputs.stream[end] = stream;
                self.inputs.units[end] = some as u8;
                self.inputs.at[end] = min(at as usize, len - some) as u16;
                end += 1;
            }
            // Streams are whole numbers of grains, so that a vector has all of one, or nothing.
            let (mut take, end_of_grain) = ((at - self.inputs.at[input]) as u8, lane + grain);
            let place = input * units.count;
            while lane < end_of_grain {
                self.inputs.take[place + lane] = take;
                take += 1;
                lane += 1;
            }
            origin += 1;
        }
        self.outputs.inputs[count] = (end - first) as u8;
        Some(end)
    }

    /// Output number `number` of a stream, of a table of short vectors.
    pub const fn short_output(&self, stream: usize, number: usize) -> VectorWritten {
        let (WrittenVectors { streams, places, .. }, at) =
            (&self.outputs, self.output(stream, number).0);
        let number = self.first[stream] + number;
        VectorWritten {
            at,
            streams: of_vector!(streams, number, SHORT_BYTES),
            places: of_vector!(places, number, SHORT_BYTES),
        }
    }

    /// Where output number `number` of a stream is in it, and how many units are written: all, or
    /// those of a stream that has fewer.
    pub const fn output(&self, stream: usize, number: usize) -> (usize, u8) {
        let number = self.first[stream] + number;
        (self.outputs.at[number] as usize, self.outputs.units[number])
    }

    /// Number of outputs of a stream.
    pub const fn count(&self, stream: usize) -> usize {
        self.first[stream + 1] - self.first[stream]
    }

    /// Number of inputs of an output; none where there is no such output.
    pub const fn inputs_of(&self, stream: usize, number: usize) -> usize {
        match number < self.count(stream) {
            true => self.outputs.inputs[self.first[stream] + number] as usize,
            false => 0,
        }
    }

    /// Input number `input` of an output; one that takes nothing where there is no such input.
    pub const fn input<const UNITS: usize>(
        &self,
        stream: usize,
        number: usize,
        input: usize,
    ) -> VectorRead<UNITS> {
        if input >= self.inputs_of(stream, number) {
            return VectorRead { stream: 0, units: 0, at: 0, take: [NONE; UNITS] };
        }
        let ReadVectors { stream: streams, units, at, take } = &self.inputs;
        let input = self.outputs.first[self.first[stream] + number] as usize + input;
        VectorRead {
            stream: streams[input],
            units: units[input],
            at: at[input],
            take: of_vector!(take, input, UNITS),
        }
    }
}
