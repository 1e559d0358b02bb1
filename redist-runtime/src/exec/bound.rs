//! A plan bound to the ranks of a communicator: what `run` runs.

use super::rank::{Packing, Unpacking};
use super::redistribution::Kernels;
use crate::element::Element;
use crate::error::Error;
use crate::plan::{Piece, Plan, Side};
use crate::program::Envelope;
use crate::transport::{Channel, Proposal, Transport};

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
pub struct Bound<T: Element, C: Transport> {
    rank: usize,
    source: Packing<T>,
    destination: Unpacking<T>,
    channel: C::Channel<T>,
}

impl<T: Element, C: Transport> Bound<T, C> {
    pub(super) fn new<const D: usize>(
        plan: Plan<D>,
        windows: [&'static [Piece]; D],
        kernels: Kernels<T>,
        communicator: &C,
    ) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let source = Packing::new(&plan, &windows, kernels.pack, rank);
        let destination = Unpacking::new(&plan, &windows, kernels.unpack, rank);
        let proposal = match plan.ranks() {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => {
                Ok(Proposal { digest: plan.digest(), outgoing: source.envelopes(), incoming: destination.envelopes() })
            }
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
        let lengths = self.check(Side::Source, source.len());
        let ready = lengths.and(self.check(Side::Destination, destination.len()));
        let (from, to) = (&self.source, &self.destination);
        self.channel.exchange(
            ready,
            |messages| from.pack(source, messages),
            |messages| to.unpack(destination, messages),
        )
    }

    /// What this rank sends, its message to itself included.
    pub fn outgoing(&self) -> &[Envelope] {
        self.source.envelopes()
    }

    /// What this rank receives, its message from itself included.
    pub fn incoming(&self) -> &[Envelope] {
        self.destination.envelopes()
    }

    /// Length of this rank's local array on one side, in elements.
    pub fn local_len(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source.local_len(),
            Side::Destination => self.destination.local_len(),
        }
    }

    fn check(&self, side: Side, found: usize) -> Result<(), Error> {
        let (rank, expected) = (self.rank, self.local_len(side));
        if found == expected { Ok(()) } else { Err(Error::LocalLength { rank, side, expected, found }) }
    }
}
