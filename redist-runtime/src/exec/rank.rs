//! What one rank does without any other: pack its part into messages, unpack its part from messages.

use super::arrival::Arrival;
use super::engine::{for_each_row, run_deals, run_row};
use super::generated::unrolled::{PackRow, UnpackRow};
use super::redistribution::{PackKernel, UnpackKernel};
use super::transfer::{Packer, Unpacker};
use crate::element::Element;
use crate::plan::{Piece, Plan, Side};
use crate::program::{Envelope, OwnBlocks, Program};

/// One rank's packing, ready to run as often as wanted.
pub struct Packing<T>(Half<PackKernel<T>>);

/// One rank's unpacking, ready to run as often as wanted.
pub struct Unpacking<T>(Half<UnpackKernel<T>>);

struct Half<K> {
    program: Program,
    /// The loop written for whole blocks, where there is one and it fits.
    blocks: Option<(K, OwnBlocks)>,
}

impl<K> Half<K> {
    fn new<const D: usize>(
        plan: &Plan<D>,
        windows: &[&[Piece]; D],
        kernel: Option<K>,
        side: Side,
        rank: usize,
    ) -> Self {
        let program = Program::new(plan, windows, side, rank);
        // Blocks that begin with different peers cannot be dealt with together; sorting by message beats that.
        let sorted = program.levels.last().is_some_and(|fastest| fastest.period.is_some());
        let blocks = program.own_blocks(plan, side, rank).filter(|blocks| blocks.starts.len() == 1 || !sorted);
        let blocks = kernel.zip(blocks);
        Self { program, blocks }
    }
}

impl<T: Element> Packing<T> {
    pub(super) fn new<const D: usize>(
        plan: &Plan<D>,
        windows: &[&[Piece]; D],
        kernel: Option<PackKernel<T>>,
        rank: usize,
    ) -> Self {
        Self(Half::new(plan, windows, kernel, Side::Source, rank))
    }

    /// The messages that it fills, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.0.program.envelopes()
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.0.program.local_len()
    }

    /// Packs the local array into the messages, each as long as its envelope says, in the envelopes' order.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn pack(&self, local: &[T], messages: &mut [&mut [T]]) {
        let Half { program, blocks } = &self.0;
        for_each_row(&program.levels, 0, 0, &mut |level, offset, message| {
            let Some((kernel, blocks)) = blocks else {
                let mut packer = Packer { local, messages: &mut *messages };
                return run_row(&mut packer, level, offset, message);
            };
            let row = &mut messages[message..message + level.peers.len()];
            kernel(PackRow { blocks, local: &local[offset..], messages: row });
            let whole = blocks.block * blocks.count;
            run_deals(&mut Packer { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
    }
}

impl<T: Element> Unpacking<T> {
    pub(super) fn new<const D: usize>(
        plan: &Plan<D>,
        windows: &[&[Piece]; D],
        kernel: Option<UnpackKernel<T>>,
        rank: usize,
    ) -> Self {
        Self(Half::new(plan, windows, kernel, Side::Destination, rank))
    }

    /// The messages that it reads, in order.
    pub fn envelopes(&self) -> &[Envelope] {
        self.0.program.envelopes()
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.0.program.local_len()
    }

    /// What unpacking one message at a time needs.
    pub(super) fn arrival(&self) -> Arrival {
        Arrival::of(&self.0.program)
    }

    /// Unpacks one message.
    pub(super) fn unpack_one(&self, arrival: &Arrival, local: &mut [T], message: usize, data: &[T]) {
        arrival.unpack(&self.0.program, local, message, data);
    }

    /// Unpacks the messages, each as long as its envelope says, into the local array; the mirror of [`Packing::pack`].
    /// Elements outside the moved section keep their values.
    ///
    /// # Panics
    /// If `local` or a message is shorter than the program says.
    pub fn unpack(&self, local: &mut [T], messages: &mut [&[T]]) {
        let Half { program, blocks } = &self.0;
        for_each_row(&program.levels, 0, 0, &mut |level, offset, message| {
            let Some((kernel, blocks)) = blocks else {
                let mut unpacker = Unpacker { local: &mut *local, messages: &mut *messages };
                return run_row(&mut unpacker, level, offset, message);
            };
            let row = &mut messages[message..message + level.peers.len()];
            kernel(UnpackRow { blocks, local: &mut local[offset..], messages: row });
            let whole = blocks.block * blocks.count;
            run_deals(&mut Unpacker { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
    }
}
