//! Ranks are MPI processes (feature `mpi`), of the library that the process has loaded.
//!
//! A plan binds to any intracommunicator: `plan.bind(&world)?`. [`Environment::world`] and [parts
//! of it](Communicator::split) are communicators. A [`RawCommunicator`] is a handle of other code.
//! With the feature `rsmpi` communicators of the crate `mpi` serve as they are
//! ([`AsCommunicator`]).
//!
//! All plans share one duplicate of the communicator; the user's messages and error handlers stay
//! untouched. On nodes whose ranks share memory, [`run`](crate::exec::Bound::run) publishes arrays
//! in chunks, in a few pages of it. Between nodes each message is unpacked while it arrives.
//!
//! Errors of the library carry its class and text. If it fails in the middle of a move, other ranks
//! cannot be notified, so the job is aborted. A panic that unwinds into `MPI_Finalize` also aborts
//! it, because the other ranks would wait for ever. [`abort_on_panic`] covers other panics.

mod array;
mod array_memory;
mod attribute;
mod channel;
mod communicator;
mod context;
mod cores;
mod early;
mod far;
mod forgotten;
mod gateway;
mod inbox;
mod life;
mod memory;
mod misfit;
mod near;
mod node;
mod node_slots;
mod open;
mod packed;
mod posting;
mod preflight;
mod ranks;
mod reason;
mod segments;
mod sends;
mod shared;
mod sweep;
mod tags;
mod transfers;
mod under_way;
mod vote;
mod way;

/// The interface of the crate `redist-coupling`, which joins programs, and of no other user.
#[doc(hidden)]
pub mod groups {
    pub use super::communicator::OwnCommunicator;
    pub use super::life::told;
    pub use super::ranks::{JoinedRanks, duplicate};
    pub use super::vote::Readiness;
}

pub use array::SharedArray;
pub(crate) use context::ContextUse;
pub(crate) use gateway::GatewayRooms;
pub(crate) use inbox::Inbox;
pub use life::abort_on_panic;
pub(crate) use near::NodeEnd;
pub(crate) use posting::Posting;
pub use ranks::RawCommunicator;
pub(crate) use shared::SharedBytes;

#[cfg(feature = "rsmpi")]
pub use redist_mpi::rsmpi;
pub use redist_mpi::{
    AsCommunicator, Communicator, CommunicatorRef, Environment, Operation, Threading, initialize,
    initialize_with, world,
};
