//! A plan bound to the ranks of a communicator: what `run` runs.

use super::decision::Decision;
use super::direct::{Direct, Share};
use super::fragments::{Arrays, Footprints};
use super::kernels::Recipe;
use super::rank::{Packing, Unpacking};
use super::redistribution::Kernels;
use super::started::Started;
use crate::element::Element;
use crate::error::Error;
use crate::plan::schedule::{Method, Strategy};
use crate::plan::{Piece, Plan, Side};
use crate::program::{Envelope, Step};
use crate::transport::{Arrived, Channel, Proposal, Transport};

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
pub struct Bound<T: Element, C: Transport> {
    rank: usize,
    source: Packing<T>,
    destination: Unpacking<T>,
    /// Where the source arrays of other ranks may arrive.
    pub(super) direct: Option<Direct>,
    /// Where the arrays of all ranks may arrive.
    share: Option<Share>,
    /// For transports that take elements from where they lie.
    footprints: Footprints,
    decision: Decision,
    pub(super) channel: C::Channel<T>,
}

impl<T: Element, C: Transport> Bound<T, C> {
    pub(super) fn new<const D: usize>(
        plan: Plan<D>,
        windows: [&'static [Piece]; D],
        kernels: Kernels<T>,
        communicator: &C,
        strategy: Strategy,
    ) -> Result<Self, Error> {
        let (rank, size) = (communicator.rank(), communicator.size());
        let source = Packing::new(&plan, &windows, kernels.pack, rank);
        let destination = Unpacking::new(&plan, &windows, kernels.unpack, rank);
        // Collective, so it is asked for whatever the strategy: that of another rank may need it.
        let model = communicator.cost_model();
        let decision = match plan.ranks() {
            needed if needed > size => Err(Error::TooFewRanks { needed, size }),
            _ => Decision::new(&plan, strategy, &model, size_of::<T>(), rank),
        };
        let proposal = decision.as_ref().map_err(Error::clone).map(|decision| Proposal {
            digest: plan.digest(),
            method: decision.method,
            steps: decision.steps.as_deref(),
            outgoing: source.envelopes(),
            incoming: destination.envelopes(),
        });
        let mut channel = communicator.open::<T>(proposal)?;
        if destination.prefers_together() {
            channel.hand_over_together();
        }
        destination.prepare_messages();
        let mut footprints = Footprints::default();
        if channel.wants_footprints() {
            footprints = [source.footprints(), destination.footprints()];
            channel.take_footprints(&footprints[0], &footprints[1])?;
        }
        let share = channel.lends_all().then(|| Share::new::<T, D>(&plan, rank));
        let mut direct = channel.lends().then(|| Direct::new::<T, D>(&plan, rank));
        if let Some((direct, longest)) = direct.as_mut().zip(channel.longest_chunk()) {
            channel.stage(direct.in_chunks(&plan, longest));
        }
        Ok(Self { rank, source, destination, direct, share, footprints, decision: decision?, channel })
    }

    /// Moves the array: `source` is this rank's part before, `destination` its part after, both in elements and in
    /// their layout's storage order, empty where the rank holds nothing. Collective; plans nothing, and allocates nothing
    /// but memory for messages, when it is first needed.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// Where ranks are threads and there are no steps, nothing is packed: the ranks divide the array among them, each
    /// copies its share from all source arrays to all destinations, and this returns when nobody uses either any more.
    /// Where they are processes of one node, each copies its part from chunks of the others' source arrays, which they show
    /// in a small window of shared memory.
    ///
    /// # Errors
    /// A slice of the wrong length, here or on another rank, or a rank that is gone. Every rank then returns an error,
    /// and no destination has changed.
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        let ready = self.lengths(source.len(), destination.len());
        let Self { source: from, destination: to, direct, share, footprints, channel, .. } = self;
        let unpack = |arrived: Arrived<'_, '_, T>, destination: &mut [T]| match (arrived, &mut *share, &mut *direct) {
            (Arrived::Lent(lent), Some(share), _) => share.copy(&lent),
            (Arrived::Chunk(round, sources), _, Some(direct)) => direct.copy_round(round, sources, destination),
            (Arrived::Parts(exchange), ..) => exchange(&mut Arrays { footprints, source, destination }),
            (arrived, ..) => deliver(to, destination, arrived),
        };
        channel.exchange(ready, source, destination, |messages| from.pack(source, messages), unpack)
    }

    /// Begins a move, so that the caller can do other work until it [finishes](Started::finish). Collective.
    ///
    /// The source has been packed when this returns, and may be written to. The destination is lent until the move is
    /// finished or dropped; dropping it waits, too.
    ///
    /// All messages are under way at once, whatever the schedule: until the move is finished nobody would be there to
    /// send those of the next step. Memory for messages is allocated when it is first needed: at the first call of this,
    /// or at the first [`run`](Bound::run) that sends messages. Other ranks may [`run`](Bound::run) the same move, or finish
    /// theirs in any order.
    ///
    /// # Errors
    /// As [`run`](Bound::run).
    pub fn start<'a>(&'a mut self, source: &[T], destination: &'a mut [T]) -> Result<Started<'a, T, C>, Error> {
        let (ready, from) = (self.lengths(source.len(), destination.len()), &self.source);
        self.channel.begin(ready.clone(), |messages| from.pack(source, messages))?;
        match ready {
            Ok(()) => Ok(Started::new(self, destination)),
            // The others learn of it when they finish; this rank has nothing to overlap.
            Err(error) => Err(self.complete(destination).err().unwrap_or(error)),
        }
    }

    pub(super) fn test(&mut self) -> Result<bool, Error> {
        self.channel.test()
    }

    pub(super) fn complete(&mut self, destination: &mut [T]) -> Result<(), Error> {
        let Self { destination: to, channel, .. } = self;
        channel.complete(|arrived| deliver(to, destination, arrived))
    }

    pub(super) fn lengths(&self, source: usize, destination: usize) -> Result<(), Error> {
        self.check(Side::Source, source).and(self.check(Side::Destination, destination))
    }

    /// What this rank sends, its message to itself included.
    pub fn outgoing(&self) -> &[Envelope] {
        self.source.envelopes()
    }

    /// What this rank receives, its message from itself included.
    pub fn incoming(&self) -> &[Envelope] {
        self.destination.envelopes()
    }

    /// The method that ordered the messages in time.
    pub fn method(&self) -> Method {
        self.decision.method
    }

    /// What this rank does in which step of [`run`](Bound::run); `None` where all messages go at once.
    pub fn steps(&self) -> Option<&[Step]> {
        self.decision.steps.as_deref()
    }

    /// Why this method, in words.
    pub fn reason(&self) -> &str {
        &self.decision.reason
    }

    /// What packs and what unpacks this rank's messages, and why: chosen when the plan was bound.
    pub fn kernels(&self) -> (Recipe, Recipe) {
        (self.source.kernel(), self.destination.kernel())
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

/// Unpacks what has arrived.
fn deliver<T: Element>(to: &Unpacking<T>, destination: &mut [T], arrived: Arrived<'_, '_, T>) {
    match arrived {
        Arrived::All(messages) => to.unpack(destination, messages),
        Arrived::One(message, data) => to.unpack_message(destination, message, data),
        Arrived::Lent(_) | Arrived::Chunk(..) | Arrived::Parts(_) => {
            unreachable!("only those who run a move are there for this")
        }
    }
}
