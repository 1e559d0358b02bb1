//! Communicators that C and Fortran pass.
//!
//! Unsafe, since a handle is a communicator because its caller says so.

use crate::status::{Refusal, Status};
use mpi::ffi::{MPI_Comm, RSMPI_COMM_NULL, RSMPI_Comm_f2c, RSMPI_Fint};
use redist::mpi::RawCommunicator;

/// A communicator, to be used at once.
///
/// # Safety
/// The handle is `MPI_COMM_NULL`, or an intracommunicator or intercommunicator of this process that
/// stays alive as long as the value is used.
pub unsafe fn communicator(handle: MPI_Comm) -> Result<RawCommunicator, Refusal> {
    check_mpi()?;
    // SAFETY: a constant of the MPI library, which is read only.
    if handle == unsafe { RSMPI_COMM_NULL } {
        return Err(Refusal::argument("the communicator is MPI_COMM_NULL"));
    }
    // SAFETY: MPI is initialised, and the caller says that the handle, which is not the one of no
    // communicator, is a communicator that stays alive. Calls on an intercommunicator are errors
    // when a plan is bound.
    Ok(unsafe { RawCommunicator::from_place((&raw const handle).cast()) }?)
}

/// The handle of C for a handle of Fortran.
///
/// # Safety
/// The number is a handle of this process, as `MPI_Comm_c2f` or a Fortran program has it.
pub unsafe fn from_fortran(handle: i32) -> Result<MPI_Comm, Refusal> {
    check_mpi()?;
    // SAFETY: MPI is initialised, and the caller says that the number is a handle of Fortran's.
    Ok(unsafe { RSMPI_Comm_f2c(handle as RSMPI_Fint) })
}

/// MPI is there.
pub fn check_mpi() -> Result<(), Refusal> {
    let wrong = match (mpi::is_initialized(), mpi::is_finalized()) {
        (false, _) => "MPI is not initialised: call `MPI_Init` before",
        (true, true) => "MPI is finalised: bind plans, and move, before",
        (true, false) => return Ok(()),
    };
    Err(Refusal::new(Status::RedistMpi, wrong))
}
