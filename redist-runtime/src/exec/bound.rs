//! A plan bound to the ranks of a communicator: what `run` runs.

use super::decision::Decision;
use super::delivery::Delivery;
use super::kernels::Recipe;
use super::rank::{Packing, Unpacking};
use super::redistribution::Kernels;
use super::started::Started;
use crate::element::Element;
use crate::error::Error;
use crate::plan::schedule::{Method, Strategy};
use crate::plan::{Piece, Plan, Side};
use crate::program::{Envelope, Step};
use crate::transport::{Channel, Proposal, Transport};

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
pub struct Bound<T: Element, C: Transport> {
    rank: usize,
    source: Packing<T>,
    pub(super) destination: Delivery<T>,
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
        let destination = Delivery::new(plan, rank, &source, destination, &mut channel)?;
        Ok(Self { rank, source, destination, decision: decision?, channel })
    }

    /// Moves the array: `source` is this rank's part before, `destination` its part after, both in elements and in
    /// their layout's storage order, empty where the rank holds nothing. Collective; plans nothing, and allocates nothing
    /// but memory for messages, and tables to pack and unpack them by, when they are first needed.
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
        let Self { source: from, destination: to, channel, .. } = self;
        let pack = |messages: &mut [&mut [T]]| from.pack(source, messages);
        channel.exchange(ready, source, destination, pack, |arrived, destination| {
            to.deliver(arrived, source, destination);
        })
    }

    /// Begins a move, so that the caller can do other work until it [finishes](Started::finish). Collective.
    ///
    /// The source has been packed when this returns, and may be written to. The destination is lent until the move is
    /// finished or dropped; dropping it waits, too.
    ///
    /// All messages are under way at once, whatever the schedule: until the move is finished nobody would be there to
    /// send those of the next step. Memory for messages, and tables to copy them by, are allocated when they are first
    /// needed: in the first move of this sort, or the first [`run`](Bound::run) that sends messages. Other ranks may
    /// [`run`](Bound::run) the same move, or finish theirs in any order.
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
        // Nothing but messages arrives, and all that was sent has been packed.
        channel.complete(|arrived| to.deliver(arrived, &[], destination))
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
        self.destination.unpacking.envelopes()
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
        (self.source.kernel(), self.destination.unpacking.kernel())
    }

    /// Length of this rank's local array on one side, in elements.
    pub fn local_len(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source.local_len(),
            Side::Destination => self.destination.unpacking.local_len(),
        }
    }

    fn check(&self, side: Side, found: usize) -> Result<(), Error> {
        let (rank, expected) = (self.rank, self.local_len(side));
        if found == expected { Ok(()) } else { Err(Error::LocalLength { rank, side, expected, found }) }
    }
}
