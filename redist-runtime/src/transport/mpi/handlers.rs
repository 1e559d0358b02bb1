//! Errors of calls that are given no communicator.

use ::mpi::ffi::{self, MPI_Comm, MPI_Errhandler};

/// While this lives, such errors are returned; by default they end the job. The user's handlers
/// come back afterwards.
///
/// Libraries differ in the communicator that they report to: the world before MPI-4, from then on
/// that of the rank alone.
pub(super) struct ErrorsReturned([(MPI_Comm, MPI_Errhandler); 2]);

impl ErrorsReturned {
    pub fn new() -> Self {
        // SAFETY: MPI is initialised, as there is a communicator of ours; its predefined
        // communicators are alive.
        unsafe {
            Self(
                [ffi::RSMPI_COMM_WORLD, ffi::RSMPI_COMM_SELF]
                    .map(|communicator| replaced(communicator)),
            )
        }
    }
}

/// Has errors returned on a communicator, and tells what was done with them before.
///
/// # Safety
/// The communicator is alive.
unsafe fn replaced(communicator: MPI_Comm) -> (MPI_Comm, MPI_Errhandler) {
    // SAFETY: the caller vouches for the communicator; both handlers are constants of the library.
    unsafe {
        let mut before = ffi::RSMPI_ERRORS_RETURN;
        ffi::MPI_Comm_get_errhandler(communicator, &mut before);
        ffi::MPI_Comm_set_errhandler(communicator, ffi::RSMPI_ERRORS_RETURN);
        (communicator, before)
    }
}

impl Drop for ErrorsReturned {
    fn drop(&mut self) {
        for (communicator, before) in &mut self.0 {
            // SAFETY: predefined communicators live as long as MPI; the handle was got from one,
            // and freeing it is what the standard asks for: the handler itself stays with the
            // communicator.
            unsafe {
                ffi::MPI_Comm_set_errhandler(*communicator, *before);
                ffi::MPI_Errhandler_free(before);
            }
        }
    }
}
