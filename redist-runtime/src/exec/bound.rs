//! A plan bound to the ranks of a communicator: what `run` runs.

use super::engine::{self, for_each_row, run_deals};
use super::redistribution::{Kernels, PackKernel, UnpackKernel};
use super::transfer::{Packer, Unpacker};
use super::unrolled::{PackRow, UnpackRow};
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Piece, Plan, Side};
use crate::program::{Envelope, OwnBlocks, Program};
use crate::transport::{Channel, Proposal, Transport};

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
pub struct Bound<T, C> {
    rank: usize,
    source: Half<PackKernel<T>>,
    destination: Half<UnpackKernel<T>>,
    channel: C,
}

/// One side of this rank's work.
struct Half<K> {
    program: Program,
    /// The loop written for whole blocks, where there is one and it fits.
    blocks: Option<(K, OwnBlocks)>,
}

impl<K> Half<K> {
    fn new<const D: usize>(plan: &Plan<D>, side: Side, rank: usize, kernel: Option<K>) -> Self {
        let program = Program::new(plan, side, rank);
        let blocks = kernel.zip(program.own_blocks(plan, side, rank));
        Self { program, blocks }
    }

    fn check(&self, rank: usize, side: Side, found: usize) -> Result<(), Error> {
        let expected = self.program.local_len();
        if found == expected { Ok(()) } else { Err(Error::LocalLength { rank, side, expected, found }) }
    }
}

impl<T: Element, C: Channel<T>> Bound<T, C> {
    pub(super) fn new<const D: usize, M: Transport<Channel<T> = C>>(
        plan: Plan<D>,
        _windows: [&'static [Piece]; D],
        kernels: Kernels<T>,
        communicator: &M,
    ) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let source = Half::new(&plan, Side::Source, rank, kernels.pack);
        let destination = Half::new(&plan, Side::Destination, rank, kernels.unpack);
        let proposal = match plan.ranks() {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => Ok(Proposal {
                digest: plan.digest(),
                outgoing: source.program.envelopes(),
                incoming: destination.program.envelopes(),
            }),
        };
        let channel = communicator.open::<T>(proposal)?;
        Ok(Self { rank, source, destination, channel })
    }

    /// Moves the array: `source` is this rank's part before, `destination` its part after, both in elements and in
    /// their layout's storage order, empty where the rank holds nothing. Collective; plans and allocates nothing.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// # Errors
    /// A slice of the wrong length, here or on another rank, or a rank that is gone. Every rank then returns an error,
    /// and no destination has changed.
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        let lengths = self.source.check(self.rank, Side::Source, source.len());
        let ready = lengths.and(self.destination.check(self.rank, Side::Destination, destination.len()));
        let (from, to) = (&self.source, &self.destination);
        self.channel.exchange(
            ready,
            |messages| from.pack(source, messages),
            |messages| to.unpack(destination, messages),
        )
    }

    /// What this rank sends, its message to itself included.
    pub fn outgoing(&self) -> &[Envelope] {
        self.source.program.envelopes()
    }

    /// What this rank receives, its message from itself included.
    pub fn incoming(&self) -> &[Envelope] {
        self.destination.program.envelopes()
    }

    /// Length of this rank's local array on one side, in elements.
    pub fn local_len(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source.program.local_len(),
            Side::Destination => self.destination.program.local_len(),
        }
    }
}

impl<T: Element> Half<PackKernel<T>> {
    fn pack(&self, local: &[T], messages: &mut [&mut [T]]) {
        let Some((kernel, blocks)) = &self.blocks else {
            return engine::pack(&self.program, local, messages);
        };
        let whole = blocks.block * blocks.count;
        for_each_row(&self.program.levels, 0, 0, &mut |level, offset, message| {
            let row = &mut messages[message..message + level.peers.len()];
            kernel(PackRow { blocks, local: &local[offset..], messages: row });
            run_deals(&mut Packer { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
    }
}

impl<T: Element> Half<UnpackKernel<T>> {
    fn unpack(&self, local: &mut [T], messages: &mut [&[T]]) {
        let Some((kernel, blocks)) = &self.blocks else {
            return engine::unpack(&self.program, local, messages);
        };
        let whole = blocks.block * blocks.count;
        for_each_row(&self.program.levels, 0, 0, &mut |level, offset, message| {
            let row = &mut messages[message..message + level.peers.len()];
            kernel(UnpackRow { blocks, local: &mut local[offset..], messages: row });
            run_deals(&mut Unpacker { local, messages }, level, blocks.rest.iter(), offset + whole, message);
        });
    }
}
