//! Ranks are MPI processes (feature `mpi`, on the crate [`rsmpi`], which is called `mpi`).
//!
//! A plan is bound to any intracommunicator, `plan.bind(&world)?`, or to a foreign handle by
//! [`RawCommunicator`]. The communicator is duplicated once for all plans; messages, error handlers
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
mod completions;
mod constants;
mod context;
mod coupling;
mod groups;
mod handlers;
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
mod request;
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

/// The crate that speaks to the library, in the version that plans are bound with.
pub use ::mpi as rsmpi;

use crate::error::Error;
use crate::transport::{Channel, Proposal, RankGroup};
use ::mpi::ffi::MPI_Comm;
use ::mpi::traits::{AsRaw, Communicator};
use channel::MpiChannel;
use context::Context;
use live::LiveCommunicator;
use std::marker::PhantomData;
use std::sync::Arc;

impl<C: Communicator + AsRaw<Raw = MPI_Comm>> RankGroup for C {
    fn rank(&self) -> usize {
        rank_and_size(self).0
    }

    fn size(&self) -> usize {
        rank_and_size(self).1
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        open(&Context::of(LiveCommunicator::of(self))?, proposal)
    }
}

/// No ranks where the library has none any more, as binding will say.
fn rank_and_size(communicator: &(impl Communicator + AsRaw<Raw = MPI_Comm>)) -> (usize, usize) {
    LiveCommunicator::of(communicator).rank_and_size().unwrap_or_default()
}

fn open(
    context: &Arc<Context>,
    proposal: Result<Proposal<'_>, Error>,
) -> Result<Box<dyn Channel>, Error> {
    Ok(Box::new(MpiChannel::open(context, proposal)?))
}

/// A communicator that another library made: C, Fortran (by `MPI_Comm_f2c`), or BLACS.
#[derive(Debug)]
pub struct RawCommunicator {
    raw: MPI_Comm,
    rank: usize,
    size: usize,
    /// Communicators stay on their thread, also where the library numbers them.
    thread: PhantomData<*const ()>,
}

impl RawCommunicator {
    /// Borrows a handle. It is never freed, and nothing is set on it but an attribute of our own.
    ///
    /// # Safety
    /// `raw` is an intracommunicator of this process, of the library that the crate `mpi` was built
    /// for, and stays alive as long as this value is used to bind plans.
    ///
    /// # Errors
    /// What the library says of the handle.
    pub unsafe fn new(raw: MPI_Comm) -> Result<Self, Error> {
        let mut new = Self { raw, rank: 0, size: 0, thread: PhantomData };
        (new.rank, new.size) = new.live().rank_and_size()?;
        Ok(new)
    }

    fn live(&self) -> LiveCommunicator<'_> {
        // SAFETY: the caller of `new`, which alone makes such values, says that the communicator
        // stays alive as long as this value is used, and so as long as it is borrowed.
        unsafe { LiveCommunicator::new(self.raw) }
    }

    /// This rank's number in the communicator.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks in the communicator.
    pub fn size(&self) -> usize {
        self.size
    }
}

impl RankGroup for RawCommunicator {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        open(&Context::of(self.live())?, proposal)
    }
}
