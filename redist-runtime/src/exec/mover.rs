//! A plan bound to the ranks of a communicator, behind the interface: arrays are bytes.

use super::decision::Decision;
use super::delivery::Delivery;
use super::kernels::Recipe;
use super::rank::{RankPacking, RankUnpacking};
use super::redistribution::Kernels;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Strategy;
use crate::plan::{AnyPlan, Piece, Side};
use crate::program::Envelope;
use crate::transport::{Channel, Proposal, Transport};
use core::fmt;
use std::sync::Arc;

/// What moves one rank's part of an array, as often as wanted.
pub(super) struct Mover<C> {
    pub rank: usize,
    source: RankPacking,
    pub destination: Delivery,
    pub decision: Decision,
    pub channel: C,
}

impl<C: Channel> Mover<C> {
    /// Collective. The description is what other ranks are told of the plan.
    pub fn new(
        plan: AnyPlan,
        windows: &[&[Piece]],
        kernels: Kernels,
        element: ElementType,
        communicator: &impl Transport<Channel = C>,
        strategy: Strategy,
        description: fmt::Arguments<'_>,
    ) -> Result<Self, Error> {
        let (rank, size, width) = (communicator.rank(), communicator.size(), element.bytes());
        let source = RankPacking::new(&plan, windows, kernels.pack, width, rank);
        let destination = RankUnpacking::new(&plan, windows, kernels.unpack, width, rank);
        // Collective, so it is asked for whatever the strategy: that of another rank may need it.
        let model = communicator.cost_model();
        let decision = match plan.ranks() {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => Decision::new(&plan, strategy, &model, width, rank),
        };
        let proposal = decision.as_ref().map_err(Error::clone).map(|decision| Proposal {
            element,
            digest: plan.digest(),
            description,
            method: decision.method,
            steps: decision.steps.as_deref(),
            outgoing: source.envelopes(),
            incoming: destination.envelopes(),
        });
        let mut channel = communicator.open(proposal)?;
        let destination = Delivery::new(&Arc::new(plan), (rank, width), &source, destination, &mut channel)?;
        Ok(Self { rank, source, destination, decision: decision?, channel })
    }

    pub fn run(&mut self, ready: Result<(), Error>, source: &[u8], destination: &mut [u8]) -> Result<(), Error> {
        let Self { source: from, destination: to, channel, .. } = self;
        let pack = &mut |messages: &mut [&mut [u8]]| from.pack(source, messages);
        channel.exchange(ready, source, destination, pack, &mut |arrived, destination| {
            to.deliver(arrived, source, destination);
        })
    }

    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        let from = &self.source;
        self.channel.begin(ready, &mut |messages| from.pack(source, messages))
    }

    pub fn complete(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        let Self { destination: to, channel, .. } = self;
        // Nothing but messages arrives, and all that was sent has been packed.
        channel.complete(&mut |arrived| to.deliver(arrived, &[], destination))
    }

    /// What this rank sends, its message to itself included.
    pub fn outgoing(&self) -> &[Envelope] {
        self.source.envelopes()
    }

    /// What this rank receives, its message from itself included.
    pub fn incoming(&self) -> &[Envelope] {
        self.destination.unpacking.envelopes()
    }

    pub fn kernels(&self) -> (Recipe, Recipe) {
        (self.source.kernel(), self.destination.unpacking.kernel())
    }

    /// Length of this rank's local array on one side, in elements.
    pub fn local_len(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source.local_len(),
            Side::Destination => self.destination.unpacking.local_len(),
        }
    }

    /// Whether this rank's arrays have so many elements.
    pub fn lengths(&self, source: usize, destination: usize) -> Result<(), Error> {
        self.check(Side::Source, source).and(self.check(Side::Destination, destination))
    }

    fn check(&self, side: Side, found: usize) -> Result<(), Error> {
        let (rank, expected) = (self.rank, self.local_len(side));
        if found == expected { Ok(()) } else { Err(Error::LocalLength { rank, side, expected, found }) }
    }
}
