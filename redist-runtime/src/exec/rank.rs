//! Packing and unpacking of one rank. Compiled once, for elements of `width` bytes.

use super::across::Across;
use super::calls::CopiedBytes;
use super::engine::{for_each_row, run_row};
use super::kernels::{
    CopyDirection, FromMessages, Kernel, KernelChoice, RowCode, RowKernel, RowSizes, StepCode,
    ToMessages, Vectors,
};
use super::transfer::{Refill, UnpackTo, Unpacker, packer, whole};
use super::ways::{Learnt, MIN_LEARNT_BYTES, memories};
use crate::program::{Clip, Envelope, LoopDim, Program};

/// Packs or unpacks one rank's local array, as often as wanted.
pub(super) struct RankCopier<D> {
    /// Bytes of an element.
    width: usize,
    program: Program,
    /// Ways to copy a row, of which the fastest so far is taken.
    rows: Learnt<RowCopier<D>>,
    /// Parts of rows that move, if the move is of a trapezoid.
    clip: Option<Clip>,
    /// Unpacks in squares, if rows of messages are columns here.
    across: Option<Across>,
}

/// A way to copy the rows of a rank.
struct RowCopier<D> {
    kernel: RowKernel<D>,
    /// Levels of the loop nest; the kernel copies the levels below as one.
    depth: usize,
}

/// Packs the local array.
pub(super) type RankPacking = RankCopier<ToMessages>;

/// Unpacks to the local array.
pub(super) type RankUnpacking = RankCopier<FromMessages>;

/// Packed bytes after which the channel is notified.
const TOLD_BYTES: usize = 64 << 10;

impl<D: CopyDirection> RankCopier<D> {
    pub fn new(
        mut program: Program,
        written: &'static [StepCode],
        (width, vectors): (usize, Vectors),
        clip: Option<Clip>,
    ) -> Self {
        let depth = program.dims.len();
        let rows = match &clip {
            Some(clip) => {
                program.clip(clip);
                let kernel = RowKernel::without(Kernel::Copy, "a trapezoid has parts of rows");
                vec![RowCopier { kernel, depth }]
            }
            None => RowCopier::all(&program, width, written, vectors),
        };
        let across = if D::PACKS || clip.is_some() { None } else { Across::of(&program) };
        Self { width, program, rows: Learnt::of(rows), clip, across }
    }

    /// Keeps only the way that is tried first.
    pub fn without_learning(self) -> Self {
        Self { rows: self.rows.first_only(), ..self }
    }

    pub fn envelopes(&self) -> &[Envelope] {
        self.program.envelopes()
    }

    /// Returns the elements that the local array's memory must have.
    pub fn local_len(&self) -> usize {
        self.program.local_len()
    }

    pub fn kernel(&self) -> KernelChoice {
        let choice = self.rows.first().kernel.choice();
        match self.across {
            Some(_) => KernelChoice { kernel: Kernel::Squares, ..choice },
            None => choice,
        }
    }

    fn walked(&self) -> CopiedBytes {
        CopiedBytes { own: self.program.moved() * self.width, ..CopiedBytes::default() }
    }

    /// Returns the kernels, with the one that is tried first.
    pub fn in_words(&self) -> String {
        let others = self.rows.others().iter().map(|row| row.kernel.choice().without_reason());
        match others.collect::<Vec<_>>().as_slice() {
            [] => self.kernel().to_string(),
            others => {
                let others = others.join(", or by ");
                format!("{}; or by {others}, as was faster so far", self.kernel())
            }
        }
    }
}

impl<D: CopyDirection> RowCopier<D> {
    /// Returns the ways to copy the rows, and first the way without measurements.
    fn all(
        program: &Program,
        element: usize,
        written: &'static [StepCode],
        vectors: Vectors,
    ) -> Vec<Self> {
        let (depth, unit) = folded(&program.dims);
        let bytes = program.local_len().checked_mul(element);
        let bytes = bytes.filter(|bytes| isize::try_from(*bytes).is_ok());
        // No array has more bytes than addresses, and kernels rely on that.
        let (Some(level), Some(array)) = (program.dims[..depth].last(), bytes) else {
            return vec![Self { kernel: RowKernel::without(Kernel::Idle, "no elements"), depth }];
        };
        // Code is compiled for elements, not for joined levels.
        let steps = if depth == program.dims.len() { written } else { &[] };
        let by = |code| {
            let kernel =
                RowKernel::new(level, RowSizes { bytes: element, unit, array }, code, vectors);
            // Other loops do not join levels.
            let depth = if kernel.copies() { depth } else { program.dims.len() };
            Self { kernel, depth }
        };
        let mut memories = memories(array).iter().map(|memory| RowCode { steps, memory: *memory });
        let mut all: Vec<_> = memories.next().map(by).into_iter().collect();
        let is_asked_for = written.iter().any(|step| step.always);
        let is_compiled = all.iter().all(|row| row.kernel.choice().is_compiled());
        if is_compiled && !is_asked_for && array >= MIN_LEARNT_BYTES {
            all.extend(memories.chain([RowCode::NONE]).map(by));
        }
        all
    }

    fn levels<'a>(&self, program: &'a Program) -> &'a [LoopDim] {
        &program.dims[..self.depth]
    }
}

/// Joins levels whose rows are whole, contiguous and for one peer. Returns the remaining levels,
/// and the elements that are a unit of the last level.
fn folded(levels: &[LoopDim]) -> (usize, usize) {
    let (mut depth, mut unit) = (levels.len(), 1);
    while let [.., slower, fastest] = &levels[..depth]
        && let [count] = fastest.counts[..]
        && fastest.stride == unit
        && slower.stride == unit * count
        && fastest.start == 0
    {
        (depth, unit) = (depth - 1, unit * count);
    }
    (depth, unit)
}

impl RankPacking {
    /// Packs the local array into the messages, in the envelopes' order. Returns the bytes copied
    /// by kind of code. Panics if `local` or a message is shorter than the program needs.
    pub fn pack(&self, local: &[u8], messages: &mut [&mut [u8]]) -> CopiedBytes {
        self.pack_and_tell(local, messages, &mut |_, _| ())
    }

    /// Packs as [`pack`](Self::pack), and reports the bytes still to pack to `packed` now and then.
    pub fn pack_and_tell<'m>(
        &self,
        local: &[u8],
        messages: &mut [&'m mut [u8]],
        packed: &mut dyn FnMut(usize, &[&'m mut [u8]]),
    ) -> CopiedBytes {
        let Self { width, program, .. } = self;
        let (width, mut copied, mut untold) = (*width, CopiedBytes::default(), 0);
        if let Some(clip) = &self.clip {
            let mut pack = packer(local, messages, width);
            clip.for_each_run(program, &mut |message, runs| pack(message, runs, runs.elements()));
            drop(pack);
            packed(0, messages);
            return self.walked();
        }
        let mut taken = self.rows.take();
        let RowCopier { kernel: row, .. } = self.rows.way(taken);
        let levels = self.rows.way(taken).levels(program);
        let mut pack_row = |level: &LoopDim, offset: usize, message: usize| {
            if level.peers.is_empty() {
                return;
            }
            let (of_row, from) = (message..message + level.peers.len(), &local[offset * width..]);
            let mut tell = |bytes, messages: &[&'m mut [u8]]| {
                untold += bytes;
                if untold >= TOLD_BYTES {
                    untold = 0;
                    packed(message, messages);
                }
            };
            if row.pack(from, &mut messages[of_row.clone()], &mut tell, &mut copied) {
                return;
            }
            run_row(&mut packer(local, messages, width), level, offset, message);
            let bytes = level.counts.iter().sum::<usize>() * width;
            copied.own += bytes;
            tell(bytes, &messages[of_row]);
        };
        taken.copy(|| for_each_row(levels, program.first, 0, &mut pack_row));
        self.rows.note(taken);
        packed(0, messages);
        copied
    }
}

impl RankUnpacking {
    /// Unpacks the messages into the local array. Counts and panics as [`RankPacking::pack`].
    pub fn unpack(&self, local: &mut [u8], messages: &mut [&[u8]]) -> CopiedBytes {
        self.unpack_to(&mut UnpackTo::Array(local), messages, &mut whole)
    }

    /// Unpacks as [`unpack`](Self::unpack), to an array or a function. Asks `refill` for missing
    /// parts, and stops when it has none left.
    pub fn unpack_to<'m>(
        &self,
        to: &mut UnpackTo<'_>,
        messages: &mut [&'m [u8]],
        refill: &mut Refill<'_, 'm>,
    ) -> CopiedBytes {
        let (Program { dims, first, .. }, width) = (&self.program, self.width);
        let by = &mut Unpacker { to, messages, refill, width, is_over: false };
        match (&self.clip, &self.across) {
            (None, None) => self.unpack_rows(by),
            (None, Some(across)) => {
                across.unpack((dims, *first), by);
                self.walked()
            }
            (Some(clip), _) => {
                clip.for_each_run(&self.program, &mut |message, runs| {
                    if by.has(message, runs.elements()) {
                        by.copy(message, runs, runs.elements());
                    }
                });
                self.walked()
            }
        }
    }

    fn unpack_rows(&self, by: &mut Unpacker<'_, '_, '_>) -> CopiedBytes {
        let (mut copied, width) = (CopiedBytes::default(), self.width);
        let mut taken = self.rows.take();
        let row = self.rows.way(taken);
        let (levels, is_array) = match by.to {
            UnpackTo::Array(_) => (row.levels(&self.program), true),
            // A function receives elements, not joined levels.
            UnpackTo::Function(_) => (&self.program.dims[..], false),
        };
        let mut lens = by.messages.iter().zip(self.envelopes());
        let is_whole = lens.all(|(message, envelope)| message.len() >= envelope.len * width);
        let mut unpack_row = |level: &LoopDim, offset: usize, message: usize| {
            if level.peers.is_empty() || by.is_over {
                return;
            }
            let mut of_row = message..message + level.peers.len();
            if let UnpackTo::Array(local) = &mut *by.to {
                let from = (message, &mut by.messages[of_row.clone()]);
                let to = &mut local[offset * width..];
                let refill = if is_whole { None } else { Some(&mut *by.refill) };
                let done = row.kernel.unpack(to, from, refill, &mut copied);
                if let Some(is_whole) = done {
                    by.is_over = !is_whole;
                    return;
                }
            }
            if of_row.all(|number| by.has(number, level.counts[number - message])) {
                let copy = &mut |message, runs, len| by.copy(message, runs, len);
                run_row(copy, level, offset, message);
                copied.own += level.counts.iter().sum::<usize>() * width;
            }
        };
        taken.copy(|| for_each_row(levels, self.program.first, 0, &mut unpack_row));
        // Else it has waited, or has called a function.
        if is_whole && is_array {
            self.rows.note(taken);
        }
        copied
    }
}
