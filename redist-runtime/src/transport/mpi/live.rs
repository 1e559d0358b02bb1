//! Communicators that are alive, which is all that many calls of the library need.

use super::attribute::check_that_mpi_is_there;
use super::communicator::{OwnCommunicator, checked};
use super::constants::{
    errors_return, no_communicator, no_info, shares_memory, this_rank_alone, world,
};
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm};
use ::mpi::traits::{AsRaw, Communicator};
use std::ffi::c_int;
use std::marker::PhantomData;

/// A communicator of this process that is not freed in `'a`, in which MPI is initialised.
///
/// That MPI has not been finalised since is checked before plans are bound or moved
/// ([`check_that_mpi_is_there`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveCommunicator<'a> {
    pub raw: MPI_Comm,
    alive: PhantomData<&'a ()>,
}

impl<'a> LiveCommunicator<'a> {
    /// # Safety
    /// `raw` is a communicator of this process, which is not freed in `'a`.
    pub unsafe fn new(raw: MPI_Comm) -> Self {
        Self { raw, alive: PhantomData }
    }

    /// That of a value of the crate `mpi`.
    pub fn of(communicator: &'a (impl Communicator + AsRaw<Raw = MPI_Comm>)) -> Self {
        // SAFETY: `AsRaw`, an unsafe trait, gives the handle of a communicator that the value
        // borrows or owns; it is freed when its owner is dropped, which the borrow for `'a` keeps
        // from happening.
        unsafe { Self::new(communicator.as_raw()) }
    }

    /// All ranks of the launch. Where MPI is not initialised a call on it ends the program.
    pub fn world() -> LiveCommunicator<'static> {
        LiveCommunicator { raw: world(), alive: PhantomData }
    }

    /// This rank alone. Where MPI is not initialised a call on it ends the program.
    pub fn this_rank_alone() -> LiveCommunicator<'static> {
        LiveCommunicator { raw: this_rank_alone(), alive: PhantomData }
    }

    /// This rank's number, and the number of ranks.
    ///
    /// # Errors
    /// What the library says; or that MPI has been finalised.
    pub fn rank_and_size(self) -> Result<(usize, usize), Error> {
        check_that_mpi_is_there()?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: the communicator is alive in `'a`; the number outlives the call.
        checked(0, "MPI_Comm_rank", unsafe { ffi::MPI_Comm_rank(self.raw, &mut rank) })?;
        // SAFETY: the communicator is alive in `'a`; the number outlives the call.
        checked(0, "MPI_Comm_size", unsafe { ffi::MPI_Comm_size(self.raw, &mut size) })?;
        Ok((rank as usize, size as usize))
    }

    /// A duplicate of an intracommunicator. Collective.
    ///
    /// # Errors
    /// What the library says; that it is an intercommunicator; or that MPI has been finalised.
    pub fn duplicate(self) -> Result<OwnCommunicator, Error> {
        check_that_mpi_is_there()?;
        let mut inter = 0;
        // SAFETY: the communicator is alive in `'a`; the number outlives the call.
        let code = unsafe { ffi::MPI_Comm_test_inter(self.raw, &mut inter) };
        checked(0, "MPI_Comm_test_inter", code)?;
        if inter != 0 {
            let reason = "it is an intercommunicator; merge it first".into();
            return Err(Error::Unavailable { what: "a plan on this communicator".into(), reason });
        }
        // SAFETY: the communicator is alive in `'a`; what the call makes has no other owner, and is
        // an intracommunicator as `self` is.
        unsafe { OwnCommunicator::made(0, "MPI_Comm_dup", |own| ffi::MPI_Comm_dup(self.raw, own)) }
    }

    /// The ranks that share memory with this one, in their order. Collective.
    pub fn node(self) -> Result<OwnCommunicator, Error> {
        let (rank, _) = self.rank_and_size()?;
        // SAFETY: the communicator is alive in `'a`; what the call makes has no other owner, and is
        // an intracommunicator, as all that it makes are.
        unsafe {
            OwnCommunicator::made(rank, "MPI_Comm_split_type", |node| {
                let order = rank as c_int;
                ffi::MPI_Comm_split_type(self.raw, shares_memory(), order, no_info(), node)
            })
        }
    }

    /// Has the errors of calls on it returned.
    pub fn return_errors(self) -> Result<(), Error> {
        // SAFETY: the communicator is alive in `'a`; the handler is a constant of the library.
        let code = unsafe { ffi::MPI_Comm_set_errhandler(self.raw, errors_return()) };
        checked(0, "MPI_Comm_set_errhandler", code)
    }

    /// Ends the job.
    pub fn abort(self, exit_code: c_int) {
        // SAFETY: the communicator is alive in `'a`; the call does not return, so that nothing is
        // used after it.
        unsafe { ffi::MPI_Abort(self.raw, exit_code) };
    }
}

impl OwnCommunicator {
    /// What a call of the library makes, on rank `rank`, as errors say.
    ///
    /// # Safety
    /// Where the call says that it succeeded it has written an intracommunicator that has no other
    /// owner.
    pub unsafe fn made(
        rank: usize,
        call: &'static str,
        make: impl FnOnce(&mut MPI_Comm) -> c_int,
    ) -> Result<Self, Error> {
        let mut raw = no_communicator();
        checked(rank, call, make(&mut raw))?;
        // SAFETY: the call succeeded, so that its handle is what the caller of this says.
        unsafe { Self::adopt(raw) }
    }
}
