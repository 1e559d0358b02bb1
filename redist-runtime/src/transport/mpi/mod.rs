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
mod apart;
mod array;
mod attribute;
mod channel;
mod communicator;
mod context;
mod coupling;
mod groups;
mod inbox;
mod joined;
mod lend;
mod library;
mod live;
mod mail;
mod meeting;
mod meetings;
mod node_votes;
mod open_votes;
mod packed;
mod pieces;
mod posting;
mod preflight;
mod programs;
mod readiness;
mod reports;
mod sending;
mod shared;
mod staging;
mod tags;
mod under_way;
mod vote;
mod way;
mod window;

pub use abort::abort_on_panic;
pub use array::SharedArray;
pub use coupling::Coupling;
pub(crate) use inbox::Inbox;
pub(crate) use joined::JoinedRooms;
pub(crate) use packed::SlotRooms;
pub(crate) use posting::Posting;
pub(crate) use programs::Pair;
pub use programs::Programs;
pub(crate) use readiness::Readiness;
pub(crate) use shared::SharedBytes;

#[cfg(feature = "rsmpi")]
pub use redist_mpi::rsmpi;
pub use redist_mpi::{
    AsCommunicator, Communicator, CommunicatorRef, Environment, Operation, Threading, initialize,
    initialize_with, world,
};

use crate::error::Error;
use crate::transport::{Channel, Proposal, RankGroup};
use channel::MpiChannel;
use context::Context;
use live::{borrowed, told};
use std::ffi::c_void;
use std::sync::Arc;

impl<C: AsCommunicator> RankGroup for C {
    fn rank(&self) -> usize {
        rank_and_size(self).0
    }

    fn size(&self) -> usize {
        rank_and_size(self).1
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        open(&Context::of(&*borrowed(self)?)?, proposal)
    }
}

fn open(
    context: &Arc<Context>,
    proposal: Result<Proposal<'_>, Error>,
) -> Result<Box<dyn Channel>, Error> {
    Ok(Box::new(MpiChannel::open(context, proposal)?))
}

/// No ranks where the library has none any more, as binding will say.
fn rank_and_size(communicator: &impl AsCommunicator) -> (usize, usize) {
    let of = |ranks: &Communicator| (ranks.rank(), ranks.size());
    borrowed(communicator).map(|borrowed| of(&borrowed)).unwrap_or_default()
}

/// A communicator that another library made: C, Fortran or BLACS; or that of all ranks.
#[derive(Debug)]
pub struct RawCommunicator(CommunicatorRef<'static>);

impl RawCommunicator {
    /// All ranks of the launch.
    ///
    /// # Errors
    /// MPI is not initialised, or finalised, or was initialised for another thread alone.
    pub fn world() -> Result<Self, Error> {
        world().map(Self).map_err(|why| told(0, why))
    }

    /// Borrows a handle of C: a pointer, or a number, as a word. It is never freed, and nothing is set
    /// on it but an attribute of our own.
    ///
    /// # Safety
    /// `raw` is `MPI_COMM_NULL`, or a communicator of this process and of the library that this
    /// process has loaded, and stays alive as long as this value is used to bind plans.
    ///
    /// # Errors
    /// MPI is not there, or the handle is that of no intracommunicator.
    pub unsafe fn new(raw: usize) -> Result<Self, Error> {
        // SAFETY: the caller says that the communicator stays alive.
        unsafe { CommunicatorRef::from_raw(raw) }.map(Self).map_err(|why| told(0, why))
    }

    /// The same of a handle of Fortran.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    ///
    /// # Errors
    /// As there.
    pub unsafe fn from_fortran(handle: i32) -> Result<Self, Error> {
        // SAFETY: the caller says that the communicator stays alive.
        unsafe { CommunicatorRef::from_fortran(handle) }.map(Self).map_err(|why| told(0, why))
    }

    /// The same of a handle of C that lies in memory.
    ///
    /// # Safety
    /// As for [`new`](Self::new); a handle lies at the place, of as many bytes as the library's.
    ///
    /// # Errors
    /// As there.
    pub unsafe fn from_place(place: *const c_void) -> Result<Self, Error> {
        // SAFETY: the caller says that a handle lies there, and that the communicator stays alive.
        unsafe { CommunicatorRef::from_place(place) }.map(Self).map_err(|why| told(0, why))
    }

    /// This rank's number in the communicator.
    pub fn rank(&self) -> usize {
        Communicator::rank(&self.0)
    }

    /// Number of ranks in the communicator.
    pub fn size(&self) -> usize {
        Communicator::size(&self.0)
    }
}

impl AsCommunicator for RawCommunicator {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, redist_mpi::Error> {
        AsCommunicator::borrowed(&self.0)
    }
}
