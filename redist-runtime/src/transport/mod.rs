//! How messages get from rank to rank.
//!
//! A transport knows ranks, lengths and element types; nothing of layouts, plans or packing.

#[cfg(feature = "mpi")]
pub mod mpi;
mod recycle;
pub mod threads;

use crate::element::Element;
use crate::error::Error;
use crate::plan::Digest;
use crate::program::Envelope;

/// A group of ranks, seen from one of them: what an MPI communicator is.
///
/// # Contract
/// - [`open`](Transport::open) and [`Channel::begin`] are collective: every rank of the group calls them, in the
///   same order. A rank with nothing to send or to receive takes part with no messages.
/// - An error on one rank reaches all of them, as an error: none hangs, and none writes to its destination.
/// - Messages arrive in any order; a rank's message to itself stays in its own memory.
pub trait Transport {
    /// What [`open`](Transport::open) makes.
    type Channel<T: Element>: Channel<T>;

    /// This rank's number in the group.
    fn rank(&self) -> usize;

    /// Number of ranks in the group.
    fn size(&self) -> usize;

    /// Sets up repeated exchanges of the same messages, and everything they need in memory.
    ///
    /// A rank that could not prepare brings its error instead of a proposal.
    ///
    /// # Errors
    /// Its own error; or, naming the rank, that another could not prepare, proposed something else, or is gone.
    fn open<T: Element>(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Self::Channel<T>, Error>;
}

/// What a rank brings to [`Transport::open`].
#[derive(Clone, Copy, Debug)]
pub struct Proposal<'a> {
    /// The plan's digest: the same on all ranks.
    pub digest: Digest,
    /// The messages it sends.
    pub outgoing: &'a [Envelope],
    /// The messages it receives.
    pub incoming: &'a [Envelope],
}

/// Messages between ranks, the same ones every time.
pub trait Channel<T> {
    /// True where [`complete`](Channel::complete) hands messages over one by one, false where it hands over all at once.
    const ONE_BY_ONE: bool;

    /// Begins to move all messages. Allocates nothing.
    ///
    /// `pack` is given a slice for each outgoing message, in the order proposed, and fills it. It is called only if this
    /// rank is `ready`; a rank that is not takes part all the same, so that the others learn of it.
    ///
    /// # Errors
    /// Naming the rank, that another is gone.
    fn begin(&mut self, ready: Result<(), Error>, pack: impl FnOnce(&mut [&mut [T]])) -> Result<(), Error>;

    /// True if [`complete`](Channel::complete) would not wait any more.
    ///
    /// # Errors
    /// As [`complete`](Channel::complete).
    fn test(&mut self) -> Result<bool, Error>;

    /// Ends what [`begin`](Channel::begin) began. `unpack` is called only if every rank was ready.
    ///
    /// # Errors
    /// This rank's own error, if it was not ready; or, naming the rank, that another was not, or is gone.
    fn complete(&mut self, unpack: impl FnMut(Arrived<'_, '_, T>)) -> Result<(), Error>;
}

/// Messages that have arrived, in the order proposed.
pub enum Arrived<'a, 'm, T> {
    /// All of them.
    All(&'a mut [&'m [T]]),
    /// The one of this number.
    One(usize, &'m [T]),
}
