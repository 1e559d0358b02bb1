//! Communicators that plans are bound to.
//!
//! Unsafe, since handles of other libraries are taken to be those of communicators.

use super::attribute;
use super::channel::MpiChannel;
use super::communicator::OwnCommunicator;
use super::context::Context;
use super::life::{check_that_mpi_is_there, told};
use crate::error::Error;
use crate::transport::{Channel, Proposal, RankGroup};
use redist_mpi::{AsCommunicator, Communicator, CommunicatorRef};
use std::ffi::c_void;
use std::sync::Arc;

/// A communicator of the user's.
///
/// # Errors
/// MPI is not initialised, or finalised; or it is an intercommunicator.
pub(super) fn borrowed(communicator: &impl AsCommunicator) -> Result<CommunicatorRef<'_>, Error> {
    check_that_mpi_is_there()?;
    communicator.borrowed().map_err(|why| told(0, why))
}

/// Ranks that were joined, with what all plans on them share.
#[derive(Debug)]
pub struct JoinedRanks(Arc<Context>);

impl JoinedRanks {
    /// The ranks of a communicator. Collective.
    ///
    /// # Errors
    /// What the library says.
    pub fn on(communicator: OwnCommunicator) -> Result<Self, Error> {
        attribute::context_on(communicator).map(Self)
    }

    /// Their communicator.
    pub fn communicator(&self) -> &OwnCommunicator {
        self.0.communicator()
    }

    /// Those of a communicator, if they were joined so.
    fn of(communicator: &impl AsCommunicator) -> Option<&Self> {
        communicator.kept()?.downcast_ref()
    }
}

impl<C: AsCommunicator> RankGroup for C {
    fn rank(&self) -> usize {
        rank_and_size(self).0
    }

    fn size(&self) -> usize {
        rank_and_size(self).1
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        Ok(Box::new(MpiChannel::open(&context(self)?, proposal)?))
    }
}

/// What plans on a communicator share. Collective.
pub(super) fn context(communicator: &impl AsCommunicator) -> Result<Arc<Context>, Error> {
    match JoinedRanks::of(communicator) {
        Some(JoinedRanks(context)) => Ok(Arc::clone(context)),
        None => attribute::context_of(&*borrowed(communicator)?),
    }
}

/// No ranks where the library has none any more, as binding will say.
fn rank_and_size(communicator: &impl AsCommunicator) -> (usize, usize) {
    let of = |ranks: &Communicator| (ranks.rank(), ranks.size());
    match JoinedRanks::of(communicator) {
        Some(ranks) => of(ranks.communicator().live()),
        None => borrowed(communicator).map(|borrowed| of(&borrowed)).unwrap_or_default(),
    }
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
        redist_mpi::world().map(Self).map_err(|why| told(0, why))
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
