//! How messages get from rank to rank.
//!
//! A transport knows ranks, lengths and element types; nothing of layouts, plans or packing.

mod costed;
#[cfg(feature = "mpi")]
pub mod mpi;
mod order;
mod recycle;
pub mod threads;

use crate::element::ElementType;
use crate::error::Error;
use crate::plan::Digest;
use crate::plan::schedule::{CostModel, Method};
use crate::program::{Envelope, Footprint, RankChunks, Step};
use core::cell::UnsafeCell;
use core::fmt;
use core::ops::Range;

pub use costed::Costed;

/// A group of ranks, seen from one of them: what an MPI communicator is.
///
/// # Contract
/// - [`cost_model`](Transport::cost_model), [`open`](Transport::open), and [`Channel::begin`] or
///   [`Channel::exchange`], of which some ranks may call the one and some the other, are collective: every rank of the
///   group calls them, in the same order. A rank with nothing to send or to receive takes part with no messages.
/// - An error on one rank reaches all of them, as an error: none hangs, and none writes to its destination.
/// - Messages arrive in any order; a rank's message to itself stays in its own memory.
pub trait Transport {
    /// What [`open`](Transport::open) makes.
    type Channel: Channel;

    /// This rank's number in the group.
    fn rank(&self) -> usize;

    /// Number of ranks in the group.
    fn size(&self) -> usize;

    /// What messages cost, by which a schedule is chosen: the same on all ranks. Collective.
    fn cost_model(&self) -> CostModel {
        CostModel::SHARED_MEMORY
    }

    /// The same ranks with another model, if the caller knows better: all ranks must bring the same.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::plan::schedule::CostModel;
    /// use redist::transport::{Transport, threads};
    /// let measured = CostModel { startup: 5e-6, per_byte: 8e-11, contention: 0.5 };
    /// threads::run(2, |rank| {
    ///     let communicator = rank.with_cost_model(measured);
    ///     assert_eq!(communicator.cost_model(), measured); // plans are bound to `&communicator`
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), threads::Failure<redist::Error>>(())
    /// ```
    fn with_cost_model(&self, model: CostModel) -> Costed<'_, Self>
    where
        Self: Sized,
    {
        Costed::new(self, model)
    }

    /// Sets up repeated exchanges of the same messages, and everything they need in memory.
    ///
    /// A rank that could not prepare brings its error instead of a proposal.
    ///
    /// # Errors
    /// Its own error; or, naming the rank, that another could not prepare, proposed something else, or is gone.
    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Self::Channel, Error>;
}

/// What a rank brings to [`Transport::open`].
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// What is moved: the same on all ranks.
    pub element: ElementType,
    /// The plan's digest: the same on all ranks.
    pub digest: Digest,
    /// The plan in words, a line for each of its parts: what ranks are told of each other's where digests differ.
    pub description: fmt::Arguments<'a>,
    /// The method that made the schedule: the same on all ranks.
    pub method: Method,
    /// This rank's steps, with each of its messages once; `None` where all go at once.
    pub steps: Option<&'a [Step]>,
    /// The messages it sends.
    pub outgoing: &'a [Envelope],
    /// The messages it receives.
    pub incoming: &'a [Envelope],
}

/// Fills all outgoing messages, in the order proposed.
pub type Pack<'a> = &'a mut dyn FnMut(&mut [&mut [u8]]);

/// Takes what arrives to the destination array.
pub type Unpack<'a> = &'a mut dyn FnMut(Arrived<'_, '_>, &mut [u8]);

/// Messages between ranks, the same ones every time. Arrays and messages are the bytes of elements, lengths are in elements
/// unless they are said to be in bytes.
pub trait Channel {
    /// Asks for all messages to be handed over together, as [`Arrived::All`], rather than one by one as they arrive: for
    /// those whose messages share cache lines of the destination, which each message by itself would fetch anew.
    fn hand_over_together(&mut self) {}

    /// True where [`exchange`](Channel::exchange) may hand over all ranks' arrays instead of messages.
    fn lends(&self) -> bool {
        false
    }

    /// Whether it wants to be told where messages lie, by [`take_footprints`](Channel::take_footprints).
    fn wants_footprints(&self) -> bool {
        false
    }

    /// Tells where the elements of each outgoing message lie in the source array, and those of each incoming one in the
    /// destination array, in the order proposed. Collective, where it is [wanted](Channel::wants_footprints).
    ///
    /// # Errors
    /// What all ranks need cannot be made from them: the same error on every rank.
    fn take_footprints(&mut self, outgoing: &[Footprint], incoming: &[Footprint]) -> Result<(), Error> {
        let _ = (outgoing, incoming);
        Ok(())
    }

    /// The longest chunk, in elements, of source arrays that [`exchange`](Channel::exchange) shows to the other ranks where
    /// it can show them in chunks, instead of messages.
    fn longest_chunk(&self) -> Option<usize> {
        None
    }

    /// Names the chunks of this rank's source array, where there is a [longest](Channel::longest_chunk). All ranks have
    /// equally many.
    fn stage(&mut self, chunks: RankChunks) {
        let _ = chunks;
    }

    /// Begins to move all messages, without regard to steps: between this and [`complete`](Channel::complete) nobody
    /// would be there to take the next one. Memory for messages may be allocated when this is
    /// called for the first time; nothing is allocated otherwise.
    ///
    /// `pack` is given a slice for each outgoing message, in the order proposed, and fills it. It is called only if this
    /// rank is `ready`; a rank that is not takes part all the same, so that the others learn of it.
    ///
    /// # Errors
    /// Naming the rank, that another is gone.
    fn begin(&mut self, ready: Result<(), Error>, pack: Pack<'_>) -> Result<(), Error>;

    /// True if [`complete`](Channel::complete) would not wait any more.
    ///
    /// # Errors
    /// As [`complete`](Channel::complete).
    fn test(&mut self) -> Result<bool, Error>;

    /// Ends what [`begin`](Channel::begin) began. `unpack` is called only if every rank was ready.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or is gone.
    fn complete(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) -> Result<(), Error>;

    /// [`begin`](Channel::begin) and [`complete`](Channel::complete) in one, in the steps proposed. Allocates nothing, but
    /// where [`begin`](Channel::begin) would have for the first time.
    ///
    /// `source` and `destination` are this rank's whole arrays. A channel that [lends](Channel::lends) may let the other
    /// ranks read the one and write to the other until this returns, and hand over theirs; `unpack` is given this rank's
    /// destination with everything else that arrives.
    ///
    /// It must end even where some ranks begin and complete instead, however late they do the latter.
    ///
    /// # Errors
    /// As [`begin`](Channel::begin) and [`complete`](Channel::complete).
    fn exchange(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
        pack: Pack<'_>,
        unpack: Unpack<'_>,
    ) -> Result<(), Error> {
        let _ = source;
        self.begin(ready, pack)?;
        self.complete(&mut |arrived| unpack(arrived, destination))
    }
}

/// The arrays that all ranks of an exchange lend each other until the last is through, by rank.
#[derive(Debug)]
pub struct Lent<'a, 'm> {
    /// Nobody writes to these.
    pub sources: &'a [&'m [u8]],
    /// Each element may be written to by one rank, which all have to agree on; nobody else uses it.
    pub destinations: &'a [&'m [UnsafeCell<u8>]],
}

/// A rank's arrays, seen as the messages that leave from them and arrive in them.
pub trait Ends {
    /// Packs some elements of an outgoing message, by their numbers in it.
    fn pack(&mut self, message: usize, elements: Range<usize>, fragment: &mut [u8]);

    /// Unpacks some elements of an incoming message.
    fn unpack(&mut self, message: usize, elements: Range<usize>, fragment: &[u8]);
}

/// A chunk of a rank's source array.
#[derive(Clone, Copy, Debug)]
pub struct Chunk<'m> {
    /// Its [number](RankChunks::number).
    pub number: usize,
    /// The bytes of the chunk; where they are this rank's own, of its whole array.
    pub bytes: &'m [u8],
}

/// What has arrived.
pub enum Arrived<'a, 'm> {
    /// No messages: all ranks' arrays, to copy between.
    Lent(Lent<'a, 'm>),
    /// The source arrays of all ranks, by rank; they may be longer than they should by some elements.
    Sources(&'a [&'m [u8]]),
    /// A chunk of the source array of each rank, by rank, which are all chunks in the course of a run.
    Chunks(&'a [Chunk<'m>]),
    /// All messages, in the order proposed.
    All(&'a mut [&'m [u8]]),
    /// The message of this number.
    One(usize, &'m [u8]),
    /// Parts of messages, whose turn it is as they come: what is to be called with this rank's arrays, and moves them.
    Parts(&'a mut dyn FnMut(&mut dyn Ends)),
}
