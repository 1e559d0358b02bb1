//! Ranks are MPI processes (feature `mpi`, on the crate [`rsmpi`], which is called `mpi`).
//!
//! A plan is bound to any intracommunicator, `plan.bind(&world)?`, or to a foreign handle by [`RawCommunicator`]. The
//! communicator is duplicated once for all plans; messages, error handlers and everything else of the user's own is left as
//! it is. Where all ranks share memory, [`run`](crate::exec::Bound::run) sends no messages: arrays are shown to the others
//! in chunks, in a small shared window. Elsewhere receives are posted first, and each message is unpacked as it arrives.
//! Where there is a schedule, a rank sends the message of a step when its own messages of the step before, either way, are
//! through.
//!
//! Every return code of the library is checked; errors carry its class and text. A panic on one rank leaves the others
//! waiting for ever, as in any MPI program, unless [`abort_on_panic`] was called.

mod abort;
mod array;
mod attribute;
mod channel;
mod communicator;
mod context;
mod coupling;
mod datatype;
mod fragments;
mod groups;
mod handlers;
mod lend;
mod node;
mod preflight;
mod route;
mod sending;
mod shared;
mod side;
mod staging;
mod together;
mod typed;
mod vote;
mod window;

pub use abort::abort_on_panic;
pub use array::SharedArray;
pub use channel::MpiChannel;
pub use context::set_tag_limit;
pub use coupling::{Coupling, Programs};
pub use fragments::set_fragment_size;
#[doc(hidden)]
pub use lend::Destination;
pub use route::{Routable, Route, Routed};
#[doc(hidden)]
pub use shared::SharedBytes;
pub use side::set_message_limit;

/// The crate that speaks to the library, in the version that plans are bound with.
pub use ::mpi as rsmpi;

use crate::error::Error;
use crate::plan::schedule::CostModel;
use crate::transport::{Proposal, Transport};
use ::mpi::ffi::MPI_Comm;
use ::mpi::traits::{AsRaw, Communicator};
use context::Context;

impl<C: Communicator + AsRaw<Raw = MPI_Comm>> Transport for C {
    type Channel = MpiChannel;

    fn rank(&self) -> usize {
        Communicator::rank(self) as usize
    }

    fn size(&self) -> usize {
        Communicator::size(self) as usize
    }

    fn cost_model(&self) -> CostModel {
        // SAFETY: the handle comes from a live communicator of the crate `mpi`.
        unsafe { Context::of(self.as_raw()) }.map_or(CostModel::NETWORK, |context| context.cost_model())
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        self.open_via(Route::Automatic, proposal)
    }
}

impl<C: Communicator + AsRaw<Raw = MPI_Comm>> Routable for C {
    fn open_via(&self, route: Route, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        // SAFETY: the handle comes from a live communicator of the crate `mpi`.
        MpiChannel::open(&unsafe { Context::of(self.as_raw()) }?, route, proposal)
    }
}

/// A communicator that another library made: C, Fortran (by `MPI_Comm_f2c`), or BLACS.
#[derive(Debug)]
pub struct RawCommunicator {
    raw: MPI_Comm,
    rank: usize,
    size: usize,
}

impl RawCommunicator {
    /// Borrows a handle. It is never freed, and nothing is set on it but an attribute of our own.
    ///
    /// # Safety
    /// `raw` is an intracommunicator of this process, of the library that the crate `mpi` was built for, and stays alive
    /// as long as this value is used to bind plans.
    ///
    /// # Errors
    /// What the library says of the handle.
    pub unsafe fn new(raw: MPI_Comm) -> Result<Self, Error> {
        // SAFETY: the caller vouches for the handle.
        let (rank, size) = unsafe { communicator::rank_and_size(raw) }?;
        Ok(Self { raw, rank, size })
    }
}

impl Transport for RawCommunicator {
    type Channel = MpiChannel;

    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn cost_model(&self) -> CostModel {
        // SAFETY: whoever made this value vouched for the handle.
        unsafe { Context::of(self.raw) }.map_or(CostModel::NETWORK, |context| context.cost_model())
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        self.open_via(Route::Automatic, proposal)
    }
}

impl Routable for RawCommunicator {
    fn open_via(&self, route: Route, proposal: Result<Proposal<'_>, Error>) -> Result<MpiChannel, Error> {
        // SAFETY: whoever made this value vouched for the handle.
        MpiChannel::open(&unsafe { Context::of(self.raw) }?, route, proposal)
    }
}
