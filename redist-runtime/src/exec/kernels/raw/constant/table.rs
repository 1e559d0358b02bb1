//! A step as vectors: which bytes of one side each vector of the other is put together from.
//!
//! Made by the compiler, where it knows the step. Kernels rely on what [`Table::new`] proves:
//! every vector that is read or written lies inside the step, on its side.

use crate::arithmetic::min;
use crate::program::{MAX_STEP_PEERS, RunStep};

/// Units of a vector: bytes of a short one, lanes of 4 bytes of a long one.
pub(super) const VECTOR_UNITS: usize = 16;

/// A unit of a vector that an input does not have.
pub(super) const NONE: u8 = 0x80;

/// Largest number of units of a step.
const MAX_UNITS: usize = 2048;

/// Largest number of vectors that are written.
pub(super) const MAX_OUTPUTS: usize = MAX_UNITS / VECTOR_UNITS + MAX_STEP_PEERS;

/// Largest number of vectors that are read for one that is written.
pub(super) const MAX_INPUTS: usize = 8;

/// Largest number of vectors that are read.
const MAX_ALL_INPUTS: usize = 512;

/// A vector that is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
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
pub(super) struct Input {
    /// The stream.
    pub stream: u8,
    /// Units that may be read: all, or those of a stream that has fewer.
    pub units: u8,
    /// Offset in its stream, in units.
    pub at: u16,
    /// For each unit of the output, the unit of this vector that it is, or [`NONE`].
    pub take: [u8; VECTOR_UNITS],
}

/// Vectors of one step. Streams are the messages, counted from the step's first peer, or the local
/// array, which is number 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    pub outputs: [Output; MAX_OUTPUTS],
    pub inputs: [Input; MAX_ALL_INPUTS],
    /// The first output of each stream that is written, and the end of the last.
    pub first: [usize; MAX_STEP_PEERS + 1],
    /// Number of messages.
    pub peers: usize,
    /// Bytes of the local array.
    pub span: usize,
    /// Bytes of each message.
    pub shares: [usize; MAX_STEP_PEERS],
    /// Largest number of bytes, up to 16, that all runs are multiples of.
    pub unit: usize,
    /// Number of periods.
    pub times: usize,
}

/// Where each unit of the streams that are written comes from.
type Origins = [Origin; MAX_UNITS];

const NOWHERE: Origin = Origin { stream: 0, at: 0 };

const NO_OUTPUT: Output =
    Output { at: 0, first: 0, inputs: 0, units: 0, origins: [NOWHERE; VECTOR_UNITS] };

const NO_INPUT: Input = Input { stream: 0, units: 0, at: 0, take: [NONE; VECTOR_UNITS] };

/// How vectors may reach.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Only whole ones.
    Whole,
    /// Shorter ones, too, in streams that are shorter.
    Masked,
}

impl Table {
    /// Nothing at all.
    pub const NONE: Self = Self {
        outputs: [NO_OUTPUT; MAX_OUTPUTS],
        inputs: [NO_INPUT; MAX_ALL_INPUTS],
        first: [0; MAX_STEP_PEERS + 1],
        peers: 0,
        span: 0,
        shares: [0; MAX_STEP_PEERS],
        unit: 16,
        times: 0,
    };

    /// The vectors of as many periods as fill them best, of elements of `width` bytes. `None` where
    /// runs are not made of units, or nothing fits.
    pub const fn new(
        step: &RunStep,
        width: usize,
        packs: bool,
        unit: usize,
        reach: Reach,
    ) -> Option<Self> {
        let runs = step.runs();
        let mut run = 0;
        while run < runs.len() {
            let Some(bytes) = (runs[run].len as usize).checked_mul(width) else { return None };
            if bytes == 0 || !bytes.is_multiple_of(unit) {
                return None;
            }
            run += 1;
        }
        let Some(bytes) = step.len().checked_mul(width) else { return None };
        let (mut times, mut best, mut best_waste) = (1, 0, usize::MAX);
        while bytes / unit * times <= MAX_UNITS && bytes * times <= MAX_STEP_BYTES {
            let waste = waste(step, width, packs, unit, reach, times);
            if waste < best_waste {
                (best, best_waste) = (times, waste);
            }
            if waste <= 115 {
                break;
            }
            times += 1;
        }
        if best == 0 { None } else { Self::of(step, width, packs, unit, reach, best) }
    }

    const fn of(
        step: &RunStep,
        width: usize,
        packs: bool,
        unit: usize,
        reach: Reach,
        times: usize,
    ) -> Option<Self> {
        let mut table = Self::empty(step, width, times);
        let origins = origins(step, width, packs, unit, times, &table.shares);
        let (mut count, mut inputs, mut stream, mut base) = (0, 0, 0, 0);
        let streams = if packs { table.peers } else { 1 };
        while stream < streams {
            table.first[stream] = count;
            let len = if packs { table.shares[stream] } else { table.span } / unit;
            let mut done = 0;
            while done < len {
                let units = min(len, VECTOR_UNITS);
                if units < VECTOR_UNITS && matches!(reach, Reach::Whole) {
                    return None;
                }
                // The last vector ends with its stream.
                let at = min(done, len - units);
                let output = Output {
                    at: at as u16,
                    first: inputs as u16,
                    inputs: 0,
                    units: units as u8,
                    origins: [NOWHERE; VECTOR_UNITS],
                };
                if count == MAX_OUTPUTS {
                    return None;
                }
                table.outputs[count] = output;
                match table.gather(&origins, base + at, (count, inputs), (packs, unit, reach)) {
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
            table.first[stream] = count;
            stream += 1;
        }
        Some(table)
    }

    /// Output number `number` of a stream.
    pub const fn output(&self, stream: usize, number: usize) -> Output {
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

    /// Input number `input` of an output; one that takes nothing where there is no such input.
    pub const fn input(&self, stream: usize, number: usize, input: usize) -> Input {
        match input < self.inputs_of(stream, number) {
            true => self.inputs[self.output(stream, number).first as usize + input],
            false => NO_INPUT,
        }
    }

    const fn empty(step: &RunStep, width: usize, times: usize) -> Self {
        let (peers, span) = (step.shares().len(), step.len() * width * times);
        let mut table = Self { peers, span, times, ..Self::NONE };
        let mut peer = 0;
        while peer < table.peers {
            table.shares[peer] = step.shares()[peer] * width * times;
            peer += 1;
        }
        let mut run = 0;
        while run < step.runs().len() {
            while !(step.runs()[run].len as usize * width).is_multiple_of(table.unit) {
                table.unit /= 2;
            }
            run += 1;
        }
        table
    }

    /// Finds the inputs of output number `count`, whose first unit is number `from` of all; returns
    /// the end of its inputs.
    const fn gather(
        &mut self,
        origins: &Origins,
        from: usize,
        (count, first): (usize, usize),
        (packs, unit, reach): (bool, usize, Reach),
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
                if end == MAX_ALL_INPUTS || end - first == MAX_INPUTS {
                    return None;
                }
                let len = if packs { self.span } else { self.shares[stream as usize] } / unit;
                let units = min(len, VECTOR_UNITS);
                if units < VECTOR_UNITS && matches!(reach, Reach::Whole) {
                    return None;
                }
                self.inputs[end].stream = stream;
                self.inputs[end].units = units as u8;
                self.inputs[end].at = min(at as usize, len - units) as u16;
                end += 1;
            }
            self.inputs[input].take[lane] = (at - self.inputs[input].at) as u8;
            lane += 1;
        }
        self.outputs[count].inputs = (end - first) as u8;
        Some(end)
    }
}

impl Input {
    /// Whether this vector has a unit of a stream.
    const fn has(&self, stream: u8, at: u16) -> bool {
        self.stream == stream && at >= self.at && at - self.at < self.units as u16
    }
}

/// Largest number of bytes of a step.
const MAX_STEP_BYTES: usize = 2048;

/// Bytes of all vectors that are written, in percent of the bytes in them; more than anything where
/// vectors may not be as short as they had to be.
const fn waste(
    step: &RunStep,
    width: usize,
    packs: bool,
    unit: usize,
    reach: Reach,
    times: usize,
) -> usize {
    let (mut peer, mut vectors) = (0, 0);
    let vector = unit * VECTOR_UNITS;
    while peer < step.shares().len() {
        let share = step.shares()[peer] * width * times;
        if share < vector && matches!(reach, Reach::Whole) {
            return usize::MAX;
        }
        vectors += share.div_ceil(vector);
        peer += 1;
    }
    let span = step.len() * width * times;
    if !packs {
        vectors = span.div_ceil(vector);
    }
    (vectors * vector * 100).div_ceil(span)
}

/// Where each unit of what is written comes from: of the messages, one after the other, when
/// packing, and of the local array when unpacking.
const fn origins(
    step: &RunStep,
    width: usize,
    packs: bool,
    unit: usize,
    times: usize,
    shares: &[usize; MAX_STEP_PEERS],
) -> Origins {
    let mut origins = [NOWHERE; MAX_UNITS];
    // Where each message begins among all, and how much of it has been seen, in units.
    let (mut base, mut seen, mut peer) = ([0; MAX_STEP_PEERS], [0; MAX_STEP_PEERS], 1);
    while peer < MAX_STEP_PEERS {
        base[peer] = base[peer - 1] + shares[peer - 1] / unit;
        peer += 1;
    }
    let (mut local, mut time) = (0, 0);
    while time < times {
        let (mut run, runs) = (0, step.runs());
        while run < runs.len() {
            let (peer, mut left) = (runs[run].peer as usize, runs[run].len as usize * width / unit);
            while left > 0 {
                if packs {
                    origins[base[peer] + seen[peer]] = Origin { stream: 0, at: local as u16 };
                } else {
                    origins[local] = Origin { stream: peer as u8, at: seen[peer] as u16 };
                }
                seen[peer] += 1;
                local += 1;
                left -= 1;
            }
            run += 1;
        }
        time += 1;
    }
    origins
}
