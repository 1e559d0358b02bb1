//! What one rank does without any other: pack its part into messages, unpack its part from
//! messages. Compiled once, for elements of a given number of bytes.

use super::across::Across;
use super::calls::CopiedBytes;
use super::combine::{UnpackTo, Unpacker};
use super::direct::copy_strided;
use super::engine::{evenly, for_each_row, run_row};
use super::kernels::{
    CopyDirection, FromMessages, Kernel, KernelChoice, RowKernel, RowSizes, ToMessages, Vectors,
    WrittenStep,
};
use super::transfer::{Packer, Refill, Transfer, Whole};
use crate::program::{Clip, Envelope, LoopDim, MessageLoops, Program};
use std::sync::OnceLock;

/// One rank's program in one direction, with what copies it, ready to run as often as wanted.
pub(super) struct RankCopier<D> {
    /// Bytes of an element.
    width: usize,
    program: Program,
    row: RowKernel<D>,
    /// Levels that rows are not part of: where rows are whole and lie together, several levels are
    /// one row.
    depth: usize,
    /// Where only a part of each row moves.
    clip: Option<Clip>,
    /// Where rows of messages that are unpacked are columns of the local array.
    across: Option<Across>,
    /// The places of each message's elements: made when messages first come one by one.
    loops: OnceLock<Vec<MessageLoops>>,
}

/// One rank's packing.
pub(super) type RankPacking = RankCopier<ToMessages>;

/// One rank's unpacking.
pub(super) type RankUnpacking = RankCopier<FromMessages>;

/// Elements of a message that are unpacked together where it comes by itself: what they are copied
/// to fits a first-level cache where few messages share its lines.
const TILE_ELEMENTS: usize = 2048;

/// Bytes after which others are told how much has been packed.
const TOLD_BYTES: usize = 64 << 10;

impl<D: CopyDirection> RankCopier<D> {
    /// What a rank copies by its program, of elements of `width` bytes; of a trapezoid only, where
    /// there is a clip.
    pub fn new(
        mut program: Program,
        written: &'static [WrittenStep],
        (width, vectors): (usize, Vectors),
        clip: Option<Clip>,
    ) -> Self {
        let whole = program.dims.len();
        let (row, depth) = match &clip {
            Some(clip) => {
                program.clip(clip);
                (RowKernel::without(Kernel::Copy, "a trapezoid has parts of rows"), whole)
            }
            None => row_kernel(&program, width, written, vectors),
        };
        // Other loops know nothing of several levels as one.
        let depth = if row.copies() { depth } else { whole };
        let across = if D::PACKS || clip.is_some() { None } else { Across::of(&program) };
        Self { width, program, row, depth, clip, across, loops: OnceLock::new() }
    }

    /// The messages that it fills, or reads, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.program.envelopes()
    }

    /// Elements that the memory of the rank's local array has to have.
    pub fn local_len(&self) -> usize {
        self.program.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> KernelChoice {
        let choice = self.row.choice();
        match self.across {
            Some(_) => KernelChoice { kernel: Kernel::Squares, ..choice },
            None => choice,
        }
    }

    /// All bytes of all messages, copied run by run.
    fn walked(&self) -> CopiedBytes {
        CopiedBytes { walked: self.program.moved() * self.width, ..CopiedBytes::default() }
    }

    /// The levels of the loop nest, the last of which is the row's.
    fn levels(&self) -> &[LoopDim] {
        &self.program.dims[..self.depth]
    }
}

/// What copies the rows of a program, and the levels that its rows are not part of.
fn row_kernel<D: CopyDirection>(
    program: &Program,
    element: usize,
    written: &'static [WrittenStep],
    vectors: Vectors,
) -> (RowKernel<D>, usize) {
    let (depth, unit) = folded(&program.dims);
    let bytes =
        program.local_len().checked_mul(element).filter(|bytes| isize::try_from(*bytes).is_ok());
    // No array exists with more bytes, so that nothing will be copied; kernels count on bytes that
    // can be numbered.
    let (Some(level), Some(array)) = (program.dims[..depth].last(), bytes) else {
        return (RowKernel::without(Kernel::Idle, "no elements"), depth);
    };
    // Code is written out for elements, not for several levels as one.
    let written = if depth == program.dims.len() { written } else { &[] };
    (RowKernel::new(level, RowSizes { bytes: element, unit, array }, written, vectors), depth)
}

/// How many levels are left when those are one whose rows are whole, go to one peer and lie
/// together; and how many elements are then one element of the last.
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
    /// Packs the bytes of the local array into those of the messages, in the envelopes' order;
    /// returns what copied how many of them.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn pack(&self, local: &[u8], messages: &mut [&mut [u8]]) -> CopiedBytes {
        self.pack_and_tell(local, messages, &mut |_, _| ())
    }

    /// As [`pack`](Self::pack), and calls `packed` now and then with the number of a message, and
    /// what is left to be packed of it and of those after it: in the middle of some, and when all
    /// is packed.
    pub fn pack_and_tell<'m>(
        &self,
        local: &[u8],
        messages: &mut [&'m mut [u8]],
        packed: &mut dyn FnMut(usize, &[&'m mut [u8]]),
    ) -> CopiedBytes {
        let Self { row, width, program, .. } = self;
        let (width, mut copied, mut untold) = (*width, CopiedBytes::default(), 0);
        if let Some(clip) = &self.clip {
            let mut packer = Packer { local, messages, width };
            clip.for_each_run(&program.dims, &mut |run| {
                packer.take(run.message, evenly(run.at, run.len, run.stride));
            });
            packed(0, messages);
            return self.walked();
        }
        for_each_row(self.levels(), program.first, 0, &mut |level, offset, message| {
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
            run_row(&mut Packer { local, messages, width }, level, offset, message);
            let bytes = level.counts.iter().sum::<usize>() * width;
            copied.walked += bytes;
            tell(bytes, &messages[of_row]);
        });
        packed(0, messages);
        copied
    }
}

impl RankUnpacking {
    /// True where unpacking all messages together is so much faster than one at a time that it is
    /// worth waiting for all of them: where runs are short, every message touches the same cache
    /// lines.
    pub fn prefers_together(&self) -> bool {
        self.row.has_short_runs()
    }

    /// Unpacks the bytes of message number `message` of the envelopes into those of the local
    /// array, by the message's own loops. The first call sorts the program by message, and allocates
    /// for that.
    ///
    /// # Panics
    /// If there is no such message, or `local` or `data` is shorter than the program says.
    pub fn unpack_message(&self, local: &mut [u8], message: usize, data: &[u8]) {
        let Self { program, width, .. } = self;
        if let Some(clip) = &self.clip {
            let (to, messages) = (&mut UnpackTo::Array(local), &mut [data][..]);
            let mut by =
                Unpacker { to, messages, refill: &mut Whole, width: *width, is_over: false };
            return clip.for_each_run(&program.dims, &mut |run| {
                if run.message == message {
                    by.take(0, evenly(run.at, run.len, run.stride));
                }
            });
        }
        let loops = &self.loops.get_or_init(|| program.message_loops())[message];
        let len = loops.message_len();
        for start in (0..len).step_by(TILE_ELEMENTS) {
            let elements = start..len.min(start + TILE_ELEMENTS);
            let tile = &data[elements.start * width..elements.end * width];
            loops.for_each(elements, &mut |copies| {
                copy_strided(tile, local, copies.reversed(), *width);
            });
        }
    }

    /// Unpacks the bytes of the messages into those of the local array; the mirror of
    /// [`RankPacking::pack`], and counts alike.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn unpack(&self, local: &mut [u8], messages: &mut [&[u8]]) -> CopiedBytes {
        self.unpack_to(&mut UnpackTo::Array(local), messages, &mut Whole)
    }

    /// As [`unpack`](Self::unpack), to an array or a function, of messages that need not be there
    /// yet, as far as `refill` has them; stops where it has no more. What a function is given counts
    /// as not copied.
    pub fn unpack_to<'m>(
        &self,
        to: &mut UnpackTo<'_>,
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) -> CopiedBytes {
        let (Program { dims, first, .. }, width) = (&self.program, self.width);
        let levels = match to {
            UnpackTo::Array(_) => self.levels(),
            // A function is given elements, not several levels as one.
            UnpackTo::Function(_) => dims,
        };
        let by = &mut Unpacker { to, messages, refill, width, is_over: false };
        let copied = match (&self.clip, &self.across) {
            (None, None) => self.unpack_rows(levels, by),
            (None, Some(across)) => {
                across.unpack((dims, *first), by);
                self.walked()
            }
            (Some(clip), _) => {
                clip.for_each_run(dims, &mut |run| {
                    if by.has(run.message, run.len) {
                        by.take(run.message, evenly(run.at, run.len, run.stride));
                    }
                });
                self.walked()
            }
        };
        by.to.counted(copied)
    }

    fn unpack_rows(&self, levels: &[LoopDim], by: &mut Unpacker<'_, '_, '_>) -> CopiedBytes {
        let (mut copied, width) = (CopiedBytes::default(), self.width);
        for_each_row(levels, self.program.first, 0, &mut |level, offset, message| {
            if level.peers.is_empty() || by.is_over {
                return;
            }
            let mut of_row = message..message + level.peers.len();
            if let UnpackTo::Array(local) = &mut *by.to {
                let from = (message, &mut by.messages[of_row.clone()]);
                let to = &mut local[offset * width..];
                let done = self.row.unpack(to, from, by.refill, &mut copied);
                if let Some(is_whole) = done {
                    by.is_over = !is_whole;
                    return;
                }
            }
            if of_row.all(|number| by.has(number, level.counts[number - message])) {
                run_row(by, level, offset, message);
                copied.walked += level.counts.iter().sum::<usize>() * width;
            }
        });
        copied
    }
}
