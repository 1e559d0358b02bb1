//! Ranks are MPI processes (feature `mpi`), of the library that the process has loaded.
//!
//! A plan is bound to any intracommunicator: `plan.bind(&world)?`. The world is [`Environment::world`],
//! [parts of it](Communicator::split) are communicators, too; a [`RawCommunicator`] is a handle of other
//! code, and with the feature `rsmpi` those of the crate `mpi` serve as they are ([`AsCommunicator`]).
//!
//! The communicator is duplicated once for all plans; messages, error handlers
//! and everything else of the user's own is left as it is. Where all ranks share memory,
//! [`run`](crate::exec::Bound::run) sends no messages: arrays are shown to the others in chunks, in
//! a small shared window. Elsewhere receives are posted first, and each message is unpacked as it
//! arrives. With a schedule, a rank sends its messages in that order, one at a time. Short messages
//! between nodes travel with what nodes tell each other of a move in any case, those of all ranks of
//! a node together.
//!
//! Every return code of the library is checked; errors carry its class and text. Where the library
//! fails in the middle of a move, so that the other ranks cannot be told, the job is aborted, as MPI
//! does by default. So it is where a panic unwinds into `MPI_Finalize`, on which the others would
//! wait for ever. Other panics are those of [`abort_on_panic`].

mod abort;
mod array;
mod attribute;
mod channel;
mod communicator;
mod context;
#[doc(hidden)]
pub mod groups;
mod joined;
mod lend;
mod library;
mod life;
mod mail;
mod meetings;
mod packed;
mod parcels;
mod preflight;
mod ranks;
mod readiness;
mod reports;
mod shared;
mod staging;
mod tags;
mod vote;
mod way;
mod window;

pub use abort::abort_on_panic;
pub use array::SharedArray;
pub(crate) use context::Context;
pub(crate) use joined::JoinedRooms;
pub(crate) use mail::{Inbox, Posting};
pub(crate) use packed::SlotRooms;
pub use ranks::RawCommunicator;
pub(crate) use shared::SharedBytes;

#[cfg(feature = "rsmpi")]
pub use redist_mpi::rsmpi;
pub use redist_mpi::{
    AsCommunicator, Communicator, CommunicatorRef, Environment, Operation, Threading, initialize,
    initialize_with, world,
};
