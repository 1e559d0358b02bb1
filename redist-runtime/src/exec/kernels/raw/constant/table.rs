//! A step as vectors: the units of the input vectors that make each output vector.
//!
//! Computed at compile time. Kernels rely on [`VectorTable::new`]: every vector read or written
//! lies inside the step, in its stream.
//!
//! The compiler evaluates these functions about as fast as an interpreter, and checks a constant
//! field by field. Calls are slowest. So tables are arrays of numbers, made grain by grain (a grain
//! divides all moves), and the innermost loops call nothing.

use super::fit::{SHORT_BYTES, Units, best_times, too_short};
use super::shares::Shares;
use crate::program::{MAX_STEP_BYTES, MAX_STEP_PEERS, StepMoves};
use redist_plan::arithmetic::min;

pub(super) const NONE: u8 = 0x80;

const MAX_OUTPUTS: usize = MAX_STEP_BYTES / SHORT_BYTES + MAX_STEP_PEERS;

pub(super) const MAX_INPUTS: usize = 8;

const MAX_ALL_INPUTS: usize = 512;
const MAX_INPUT_UNITS: usize = 512 * SHORT_BYTES;

/// More than any place in a stream, and of no lower bits.
const OFFSET: usize = 1 << 16;

/// A stream's last vector overlaps the one before.
const MAX_GRAINS: usize = MAX_STEP_BYTES + MAX_STEP_PEERS * 64;

/// A vector that is read or written: its stream, its units (all, or those of a shorter stream), and
/// its offset in the stream, in units. A number, because compilers fold it at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place(u32);

impl Place {
    const fn new(stream: u8, units: u8, at: u16) -> Self {
        Self((at as u32) << 16 | (units as u32) << 8 | stream as u32)
    }

    #[inline]
    pub const fn stream(self) -> usize {
        (self.0 & 0xFF) as usize
    }

    #[inline]
    pub const fn units(self) -> u8 {
        (self.0 >> 8) as u8
    }

    #[inline]
    pub const fn at(self) -> usize {
        (self.0 >> 16) as usize
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct VectorTable {
    outputs: WrittenVectors,
    /// Places, as numbers: compilers check lists of numbers at once.
    inputs: [u32; MAX_ALL_INPUTS],
    /// By grain of each output: the number among its inputs, and the unit in that, a byte each.
    taken: [u16; MAX_GRAINS],
    first: [usize; MAX_STEP_PEERS + 1],
    pub shares: Shares,
    /// Grain: the largest number of bytes, up to 16, that divides all moves.
    pub unit: usize,
    pub times: usize,
    pub units: Units,
}

#[derive(Clone, Copy, Debug)]
struct WrittenVectors {
    places: [u32; MAX_OUTPUTS],
    first: [u16; MAX_OUTPUTS],
    taken: [u16; MAX_OUTPUTS],
    inputs: [u8; MAX_OUTPUTS],
}

/// By grain of all written streams: its place in the stream read, and the number of that, from the
/// sixteenth bit on.
type Origins = [u32; MAX_STEP_BYTES];

impl VectorTable {
    /// No vectors, at one place for all steps: copies cost compile time.
    pub const NOTHING: &'static Self = &Self::NONE;

    pub const NONE: Self = Self {
        outputs: WrittenVectors {
            places: [0; MAX_OUTPUTS],
            first: [0; MAX_OUTPUTS],
            taken: [0; MAX_OUTPUTS],
            inputs: [0; MAX_OUTPUTS],
        },
        inputs: [0; MAX_ALL_INPUTS],
        taken: [0; MAX_GRAINS],
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
        let times = best_times(moves, width, units);
        if times == 0 {
            return None;
        }
        let (shares, unit) = (Shares::new(moves, width * times), moves.unit(width));
        Self { shares, unit, times, units, ..Self::NONE }.filled(moves, width)
    }

    const fn filled(mut self, moves: &StepMoves, width: usize) -> Option<Self> {
        let units = self.units;
        let origins = self.origins(moves, width);
        let (mut count, mut ends, mut stream, mut base) = (0, (0, 0), 0, 0);
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
                self.outputs.places[count] = Place::new(stream as u8, some as u8, at as u16).0;
                match self.gather(&origins, base + at, (count, ends)) {
                    Some(next) => ends = next,
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

    /// Finds the inputs of output `count`, whose first unit is `from` of all. Its inputs and grains
    /// begin at the ends of those before; returns the next ends.
    const fn gather(
        &mut self,
        origins: &Origins,
        from: usize,
        (count, (first, first_taken)): (usize, (usize, usize)),
    ) -> Option<(usize, usize)> {
        let units = self.units;
        let grain = self.unit / units.bytes;
        let (mut end, mut taken, mut origin) = (first, first_taken, from / grain);
        let last = origin + Place(self.outputs.places[count]).units() as usize / grain;
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
                let full = end == MAX_ALL_INPUTS
                    || (end + 1) * units.count > MAX_INPUT_UNITS
                    || end - first == MAX_INPUTS;
                if full || too_short(some, units) {
                    return None;
                }
                let from = min(at, len - some);
                self.inputs[end] = Place::new(stream as u8, some as u8, from as u16).0;
                (begins[stream], ends[stream]) = (from, from + some);
                taken_from[stream] = ((end - first) << 8) + OFFSET - from;
                end += 1;
            }
            // Streams are whole grains, so a vector has all of a grain or nothing.
            self.taken[taken] = (taken_from[stream] + at) as u16;
            taken += 1;
            origin += 1;
        }
        self.outputs.first[count] = first as u16;
        self.outputs.taken[count] = first_taken as u16;
        self.outputs.inputs[count] = (end - first) as u8;
        Some((end, taken))
    }

    pub const fn output(&self, stream: usize, number: usize) -> Place {
        Place(self.outputs.places[self.first[stream] + number])
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

    /// Returns an input of an output; no units if there is none.
    pub const fn input(&self, stream: usize, number: usize, input: usize) -> Place {
        if input >= self.inputs_of(stream, number) {
            return Place(0);
        }
        Place(self.inputs[self.outputs.first[self.first[stream] + number] as usize + input])
    }

    /// Fills in the units that an output takes from an input, numbered from `base` on.
    pub const fn takes<const UNITS: usize>(
        &self,
        (stream, number, input): (usize, usize, usize),
        base: usize,
        mut takes: [u8; UNITS],
    ) -> [u8; UNITS] {
        if input >= self.inputs_of(stream, number) {
            return takes;
        }
        let number = self.first[stream] + number;
        let (grain, lanes) =
            (self.unit / self.units.bytes, Place(self.outputs.places[number]).units() as usize);
        let (mut lane, mut place) = (0, self.outputs.taken[number] as usize);
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
