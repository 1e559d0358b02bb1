//! Communicators that plans are bound to. Unsafe, because handles of other libraries are taken to
//! be handles of communicators.

use super::attribute;
use super::communicator::OwnCommunicator;
use super::context::ContextUse;
use super::life::{check_that_mpi_is_there, told};
use super::open;
use super::preflight::Preflight;
use crate::error::Error;
use crate::transport::wire::PREFLIGHT_WORDS;
use crate::transport::{Channel, Proposal, RankGroup};
use redist_mpi::{AsCommunicator, Communicator, CommunicatorRef};
use std::ffi::c_void;

/// Borrows a communicator of the user's. Fails for an intercommunicator, or if MPI is not
/// initialised, or finalised.
fn borrowed(communicator: &impl AsCommunicator) -> Result<CommunicatorRef<'_>, Error> {
    check_that_mpi_is_there()?;
    communicator.borrowed().map_err(|why| told(0, why))
}

/// Duplicates a communicator of the user's. Collective.
pub fn duplicate(communicator: &impl AsCommunicator) -> Result<OwnCommunicator, Error> {
    OwnCommunicator::duplicate_of(&*borrowed(communicator)?)
}

/// Joined ranks, with the state that all plans on them share.
#[derive(Debug)]
pub struct JoinedRanks(ContextUse);

impl JoinedRanks {
    /// Takes the ranks of a communicator. Collective.
    pub fn on(communicator: OwnCommunicator) -> Result<Self, Error> {
        attribute::new(communicator).map(Self)
    }

    /// Returns their communicator.
    pub fn communicator(&self) -> &OwnCommunicator {
        self.0.communicator()
    }

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
        let mut compared = Preflight::of(rank_and_size(self), &proposal);
        let context = serving(self, compared.words())?;
        open::open(&context, proposal, compared)
    }
}

/// Returns the context that serves a communicator, and the least of each of the numbers over all
/// ranks, which set something up now. Collective.
pub(super) fn serving(
    communicator: &impl AsCommunicator,
    numbers: &mut [u64; PREFLIGHT_WORDS],
) -> Result<ContextUse, Error> {
    match JoinedRanks::of(communicator) {
        Some(JoinedRanks(context)) => context.set_up(numbers).map(|()| context.clone()),
        None => attribute::serving(&*borrowed(communicator)?, numbers),
    }
}

/// Returns no ranks if the library has ended, which binding reports.
fn rank_and_size(communicator: &impl AsCommunicator) -> (usize, usize) {
    let of = |ranks: &Communicator| (ranks.rank(), ranks.size());
    match JoinedRanks::of(communicator) {
        Some(ranks) => of(ranks.communicator()),
        None => borrowed(communicator).map(|borrowed| of(&borrowed)).unwrap_or_default(),
    }
}

/// A communicator that another library made, such as C, Fortran or BLACS; or the world.
#[derive(Debug)]
pub struct RawCommunicator(CommunicatorRef<'static>);

impl RawCommunicator {
    /// Returns all ranks of the launch.
    ///
    /// # Errors
    /// MPI is not initialised, or finalised, or was initialised only for a different thread.
    pub fn world() -> Result<Self, Error> {
        redist_mpi::world().map(Self).map_err(|why| told(0, why))
    }

    /// Borrows a handle of C: a pointer, or a number, as a word. The library never frees it. It
    /// sets only an attribute of its own on it.
    ///
    /// # Safety
    /// The handle is `MPI_COMM_NULL`, or a communicator of this process and of its loaded MPI
    /// library. It stays alive as long as this value is used to bind plans.
    ///
    /// # Errors
    /// MPI is not there, or the handle is that of no intracommunicator.
    pub unsafe fn new(raw: usize) -> Result<Self, Error> {
        // SAFETY: the communicator stays alive, as the caller promises.
        unsafe { CommunicatorRef::from_raw(raw) }.map(Self).map_err(|why| told(0, why))
    }

    /// Borrows a handle of Fortran. Fails if it is none of an intracommunicator.
    ///
    /// # Safety
    /// As for [`new`](Self::new).
    pub unsafe fn from_fortran(handle: i32) -> Result<Self, Error> {
        // SAFETY: the communicator stays alive, as the caller promises.
        unsafe { CommunicatorRef::from_fortran(handle) }.map(Self).map_err(|why| told(0, why))
    }

    /// Borrows a handle of C that lies in memory. Fails if it is none of an intracommunicator.
    ///
    /// # Safety
    /// As for [`new`](Self::new); the place holds a handle of the library's length.
    pub unsafe fn from_place(place: *const c_void) -> Result<Self, Error> {
        // SAFETY: a handle lies there, and the communicator stays alive, as the caller promises.
        unsafe { CommunicatorRef::from_place(place) }.map(Self).map_err(|why| told(0, why))
    }

    /// Returns this rank's number in the communicator.
    pub fn rank(&self) -> usize {
        Communicator::rank(&self.0)
    }

    /// Returns the number of ranks in the communicator.
    pub fn size(&self) -> usize {
        Communicator::size(&self.0)
    }
}

impl AsCommunicator for RawCommunicator {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, redist_mpi::Error> {
        AsCommunicator::borrowed(&self.0)
    }
}
