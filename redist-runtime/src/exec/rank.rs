//! What one rank does without any other: pack its part into messages, unpack its part from
//! messages. Compiled once, for elements of a given number of bytes.

use super::across::{Across, Unpacked};
use super::calls::CopiedBytes;
use super::combine::UnpackTo;
use super::direct::copy_strided;
use super::engine::{for_each_row, run_row};
use super::half::Half;
use super::kernels::{Allowed, FromMessages, Kernel, KernelChoice, ToMessages, WrittenStep};
use super::transfer::{Packer, Refill, Unpacker, Whole};
use super::width::with_width;
use crate::program::{Clip, Envelope, LoopDim, MessageLoops, Program};
use std::sync::OnceLock;

/// One rank's packing, ready to run as often as wanted.
pub(super) struct RankPacking {
    half: Half<ToMessages>,
}

/// One rank's unpacking, ready to run as often as wanted.
pub(super) struct RankUnpacking {
    half: Half<FromMessages>,
    /// Where rows of messages are columns of the local array.
    across: Option<Across>,
    /// The places of each message's elements: made when messages first come one by one.
    loops: OnceLock<Vec<MessageLoops>>,
}

/// Rows of messages that are unpacked together where they are columns of the local array.
pub(super) const MOST_ACROSS: usize = 64;

/// Elements of a message that are unpacked together where it comes by itself: what they are copied
/// to fits a first-level cache where few messages share its lines.
const TILE_ELEMENTS: usize = 2048;

/// Bytes after which others are told how much has been packed.
const TOLD_BYTES: usize = 64 << 10;

/// Notes that there is no more.
struct UntilNone<'a, 'm> {
    refill: &'a mut dyn Refill<'m>,
    is_over: &'a mut bool,
}

impl<'m> Refill<'m> for UntilNone<'_, 'm> {
    fn refill(&mut self, message: usize, left: &mut &'m [u8], bytes: usize) -> bool {
        *self.is_over |= !self.refill.refill(message, left, bytes);
        !*self.is_over
    }
}

impl RankPacking {
    /// What a rank packs by its program, of elements of `width` bytes.
    pub fn new(
        program: Program,
        written: &'static [WrittenStep],
        (width, allowed): (usize, Allowed),
    ) -> Self {
        Self { half: Half::new(program, width, written, allowed) }
    }

    /// The same of a trapezoid only.
    pub fn clipped(self, clip: Clip) -> Self {
        Self { half: self.half.clipped(clip) }
    }

    /// Bytes of an element.
    pub fn width(&self) -> usize {
        self.half.width
    }

    /// All levels of the loop nest, the last of which is the row's.
    pub fn rows(&self) -> &[LoopDim] {
        &self.half.program.dims
    }

    /// The messages that it fills, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.half.program.envelopes()
    }

    /// Elements that the memory of the rank's local array has to have.
    pub fn local_len(&self) -> usize {
        self.half.program.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> KernelChoice {
        self.half.row.choice()
    }

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
        if let Some(clip) = &self.half.clip {
            self.pack_clipped(clip, local, messages);
            packed(0, messages);
            return self.half.walked();
        }
        let (Half { row, width, program, .. }, mut untold) = (&self.half, 0);
        let mut copied = CopiedBytes::default();
        let _fence = row.fence();
        for_each_row(self.half.levels(), program.first, 0, &mut |level, offset, message| {
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
            if row.pack(level, from, &mut messages[of_row], &mut tell, &mut copied) {
                return;
            }
            with_width!(*width, width => {
                run_row(&mut Packer { local, messages, width }, level, offset, message)
            });
            let elements: usize = level.counts.iter().sum();
            copied.walked += elements * width;
            tell(elements * width, &messages[message..message + level.peers.len()]);
        });
        packed(0, messages);
        copied
    }
}

impl RankUnpacking {
    /// What a rank unpacks by its program, of elements of `width` bytes.
    pub fn new(
        program: Program,
        written: &'static [WrittenStep],
        (width, allowed): (usize, Allowed),
    ) -> Self {
        let across = Across::of(&program);
        let half = Half::new(program, width, written, allowed);
        Self { loops: OnceLock::new(), across, half }
    }

    /// The same of a trapezoid only.
    pub fn clipped(self, clip: Clip) -> Self {
        Self { half: self.half.clipped(clip), across: None, ..self }
    }

    /// Where only a part of each row moves.
    pub fn clip(&self) -> Option<&Clip> {
        self.half.clip.as_ref()
    }

    /// The messages that it reads, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.half.program.envelopes()
    }

    /// Bytes of an element.
    pub fn width(&self) -> usize {
        self.half.width
    }

    /// All levels of the loop nest, the last of which is the row's.
    pub fn rows(&self) -> &[LoopDim] {
        &self.half.program.dims
    }

    /// Where the local array begins in its memory.
    pub fn first(&self) -> usize {
        self.half.program.first
    }

    /// Elements that the memory of the rank's local array has to have.
    pub fn local_len(&self) -> usize {
        self.half.program.local_len()
    }

    /// What copies the rank's rows, and why: chosen when this was made.
    pub fn kernel(&self) -> KernelChoice {
        let choice = self.half.row.choice();
        match self.across {
            Some(_) => KernelChoice { kernel: Kernel::Squares, ..choice },
            None => choice,
        }
    }

    /// Where rows of messages are columns of the local array.
    pub fn across(&self) -> Option<&Across> {
        self.across.as_ref()
    }

    /// True where [`unpack`](Self::unpack) with all messages is so much faster than with one at a
    /// time that it is worth waiting for all of them: where runs are short, every message touches
    /// the same cache lines.
    pub fn prefers_together(&self) -> bool {
        self.half.row.has_short_runs()
    }

    /// Unpacks the bytes of message number `message` of the envelopes into those of the local
    /// array, by the message's own loops. The first call sorts the program by message, and allocates
    /// for that.
    ///
    /// # Panics
    /// If there is no such message, or `local` or `data` is shorter than the program says.
    pub fn unpack_message(&self, local: &mut [u8], message: usize, data: &[u8]) {
        if let Some(clip) = &self.half.clip {
            return self.unpack_clipped_message(clip, local, message, data);
        }
        let Half { program, width, .. } = &self.half;
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
        self.unpack_as_they_come(local, messages, &mut Whole)
    }

    /// As [`unpack`](Self::unpack), of messages that need not be there yet, as far as `refill` has
    /// them; stops where it has no more.
    pub fn unpack_as_they_come<'m>(
        &self,
        local: &mut [u8],
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) -> CopiedBytes {
        if let Some(clip) = &self.half.clip {
            self.unpack_clipped(clip, &mut UnpackTo::Array(local), messages, refill);
            return self.half.walked();
        }
        let Half { row, width, program, .. } = &self.half;
        if let Some(across) = &self.across {
            let from = &mut Unpacked { messages, refill, width: *width, most: MOST_ACROSS };
            across.unpack((&program.dims, program.first), from, &mut |message, runs| {
                copy_strided(message, local, runs, *width);
            });
            return self.half.walked();
        }
        let (mut copied, mut is_over) = (CopiedBytes::default(), false);
        let _fence = row.fence();
        for_each_row(self.half.levels(), program.first, 0, &mut |level, offset, message| {
            if level.peers.is_empty() || is_over {
                return;
            }
            let of_row = message..message + level.peers.len();
            let to = &mut local[offset * width..];
            let mut refill = UntilNone { refill: &mut *refill, is_over: &mut is_over };
            let from = (message, &mut messages[of_row.clone()]);
            if row.unpack(level, to, from, &mut refill, &mut copied) {
                return;
            }
            for (number, count) in of_row.zip(&level.counts) {
                let (left, bytes) = (&mut messages[number], count * width);
                if left.len() < bytes && !refill.refill(number, left, bytes) {
                    return;
                }
            }
            with_width!(*width, width => {
                run_row(&mut Unpacker { local, messages, width }, level, offset, message)
            });
            copied.walked += level.counts.iter().sum::<usize>() * width;
        });
        copied
    }
}
