//! How ranks reach each other. A transport knows ranks, lengths and element types, but no layouts,
//! plans or packing.

mod arrays;
mod board;
mod channel;
mod lent;
mod messages;
mod move_vote;
#[cfg(feature = "mpi")]
pub mod mpi;
#[cfg(feature = "mpi")]
mod nodes;
mod options;
#[cfg(any(feature = "mpi", all(test, loom)))]
mod parcels;
mod partners;
mod proposal;
#[cfg(any(feature = "mpi", test))]
mod slots;
mod sync;
#[cfg(test)]
mod tests;
pub mod threads;
#[cfg(any(feature = "mpi", test, fuzzing))]
#[doc(hidden)]
pub mod wire;
#[cfg(not(feature = "mpi"))]
mod without_mpi;

pub(crate) use arrays::{Arrays, Source, Target};
pub(crate) use channel::{
    Access, Channel, ChannelFacts, Messaging, Outbox, Pull, Pulls, RankGroup, Rooms, Senders,
    slots_of,
};
use lent::LentArrays;
pub(crate) use lent::{Chunk, Leave, Lent, NO_CHUNK};
pub(crate) use messages::{Lists, Messages};
pub(crate) use move_vote::MoveVote;
#[cfg(feature = "mpi")]
pub(crate) use mpi::{Inbox, NodeEnd};
pub(crate) use options::Options;
pub use options::{Route, Way};
pub(crate) use partners::{GoesOn, Partners};
pub(crate) use proposal::{MessageSizes, Proposal};
#[cfg(not(feature = "mpi"))]
pub(crate) use without_mpi::NoMessages as Inbox;

/// A communicator: a group of ranks, seen from one of them.
///
/// [`threads::Rank`] is one. With the feature `mpi` so are every intracommunicator of
/// `redist::mpi`, a handle of other code, and the `Coupling` of two programs; with `rsmpi`
/// communicators of the crate `mpi`.
///
/// It cannot be implemented elsewhere, because memory safety rests on the ranks' agreement on a
/// plan before they use each other's arrays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no communicator that a plan could be bound to",
    label = "neither a rank of `threads::run` nor a communicator of MPI",
    note = "where ranks are threads, bring the `&threads::Rank` that `threads::run` gives its function",
    note = "over MPI, bring a communicator such as `&redist::mpi::world()?`, with the feature `mpi` of `redist`"
)]
pub trait Transport: RankGroup {}

impl<G: RankGroup> Transport for G {}
