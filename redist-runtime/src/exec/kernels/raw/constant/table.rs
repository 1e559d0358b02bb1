//! A step as vectors: the units of the input vectors that make each output vector.
//!
//! Computed at compile time. Kernels rely on [`VectorTable::new`]: every vector read or written
//! lies inside the step, in its stream.
//!
//! The compiler evaluates these functions about as fast as an interpreter, and checks a constant
//! field by field. Calls are slowest. So tables are arrays of numbers, made grain by grain (a grain
//! divides all moves), and the innermost loops call nothing.

use super::fit::{SHORT_BYTES, Units, read_fits, too_short, waste};
use super::shares::Shares;
use crate::program::{MAX_STEP_BYTES, MAX_STEP_PEERS, StepMoves};
use redist_plan::arithmetic::min;

pub(super) const NONE: u8 = 0x80;

const MAX_OUTPUTS: usize = MAX_STEP_BYTES / SHORT_BYTES + MAX_STEP_PEERS;

pub(super) const MAX_INPUTS: usize = 8;

const MAX_ALL_INPUTS: usize = 512;
const MAX_INPUT_UNITS: usize = 512 * SHORT_BYTES;

/// Accepted bytes of written vectors, in percent of the bytes in them.
const FEW_WASTED: usize = 115;

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

#[derive(Clone, Copy, Debug)]
pub(super) struct VectorRead<const UNITS: usize = SHORT_BYTES> {
    pub stream: u8,
    /// Readable units: all, or those of a shorter stream.
    pub units: u8,
    /// Offset in its stream, in units.
    pub at: u16,
    /// Unit of this vector for each unit of the output, or [`NONE`].
    pub take: [u8; UNITS],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable {
    outputs: WrittenVectors,
    inputs: ReadVectors,
    first: [usize; MAX_STEP_PEERS + 1],
    pub shares: Shares,
    /// Grain: the largest number of bytes, up to 16, that divides all moves.
    pub unit: usize,
    pub times: usize,
    pub units: Units,
}

#[derive(Clone, Copy, Debug)]
struct WrittenVectors {
    at: [u16; MAX_OUTPUTS],
    first: [u16; MAX_OUTPUTS],
    inputs: [u8; MAX_OUTPUTS],
    units: [u8; MAX_OUTPUTS],
}

#[derive(Clone, Copy, Debug)]
struct ReadVectors {
    stream: [u8; MAX_ALL_INPUTS],
    units: [u8; MAX_ALL_INPUTS],
    at: [u16; MAX_ALL_INPUTS],
    take: [u8; MAX_INPUT_UNITS],
}

struct Origins {
    streams: [u8; MAX_STEP_BYTES],
    places: [u16; MAX_STEP_BYTES],
}

impl VectorTable {
    /// No vectors, at one place for all steps: copies cost compile time.
    pub const NOTHING: &'static Self = &Self::NONE;

    pub const NONE: Self = Self {
        outputs: WrittenVectors {
            at: [0; MAX_OUTPUTS],
            first: [0; MAX_OUTPUTS],
            inputs: [0; MAX_OUTPUTS],
            units: [0; MAX_OUTPUTS],
        },
        inputs: ReadVectors {
            stream: [0; MAX_ALL_INPUTS],
            units: [0; MAX_ALL_INPUTS],
            at: [0; MAX_ALL_INPUTS],
            take: [NONE; MAX_INPUT_UNITS],
        },
        first: [0; MAX_STEP_PEERS + 1],
        shares: Shares::NONE,
        unit: 16,
        times: 0,
        units: Units::SHORT,
    };

    /// Makes the vectors of the number of periods that fills them best, for elements of `width`
    /// bytes. Returns `None` if moves are not whole units, or nothing fits.
    pub const fn new(moves: &StepMoves, width: usize, units: Units) -> Option<Self> {
        let Some(bytes) = moves.elements().checked_mul(width) else { return None };
        if bytes == 0 || !moves.unit(width).is_multiple_of(units.bytes) {
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
        if best == 0 {
            return None;
        }
        let (shares, unit) = (Shares::new(moves, width * best), moves.unit(width));
        Self { shares, unit, times: best, units, ..Self::NONE }.filled(moves, width)
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
            base[stream] = base[stream - 1] + self.shares.written[stream - 1] / units.bytes;
            stream += 1;
        }
        let (grain, mut time) = (self.unit / units.bytes, 0);
        let (read, written) = (moves.read(), moves.written());
        let mut origins = Origins { streams: [0; MAX_STEP_BYTES], places: [0; MAX_STEP_BYTES] };
        while time < self.times {
            let mut number = 0;
            while number < moves.count() {
                let one = moves.get(number);
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

    /// Finds the inputs of output `count`, whose first unit is `from` of all; returns their end.
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
                let len = self.shares.read[stream as usize] / units.bytes;
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
            // Streams are whole grains, so a vector has all of a grain or nothing.
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

    /// Returns an output's offset in its stream and its written units: all, or a shorter stream's.
    pub const fn output(&self, stream: usize, number: usize) -> (usize, u8) {
        let number = self.first[stream] + number;
        (self.outputs.at[number] as usize, self.outputs.units[number])
    }

    pub const fn count(&self, stream: usize) -> usize {
        self.first[stream + 1] - self.first[stream]
    }

    pub const fn inputs_of(&self, stream: usize, number: usize) -> usize {
        match number < self.count(stream) {
            true => self.outputs.inputs[self.first[stream] + number] as usize,
            false => 0,
        }
    }

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
