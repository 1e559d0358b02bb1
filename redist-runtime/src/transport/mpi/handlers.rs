//! Errors of calls that are given no communicator.

use super::constants::errors_return;
use super::live::LiveCommunicator;
use ::mpi::ffi::{self, MPI_Errhandler};

/// While this lives, such errors are returned; by default they end the job. The user's handlers
/// come back afterwards.
///
/// Libraries differ in the communicator that they report to: the world before MPI-4, from then on
/// that of the rank alone.
pub(super) struct ErrorsReturned([(LiveCommunicator<'static>, MPI_Errhandler); 2]);

impl ErrorsReturned {
    pub fn new() -> Self {
        Self([LiveCommunicator::world(), LiveCommunicator::this_rank_alone()].map(replaced))
    }
}

/// Has errors returned on a communicator, and tells what was done with them before. An error of
/// this has no place to be told.
fn replaced(
    communicator: LiveCommunicator<'static>,
) -> (LiveCommunicator<'static>, MPI_Errhandler) {
    let mut before = errors_return();
    // SAFETY: the communicator is alive as long as MPI, and the place for the handler outlives the
    // call.
    unsafe { ffi::MPI_Comm_get_errhandler(communicator.raw, &mut before) };
    let _ = communicator.return_errors();
    (communicator, before)
}

impl Drop for ErrorsReturned {
    fn drop(&mut self) {
        for (communicator, before) in &mut self.0 {
            // SAFETY: the communicators are alive as long as MPI; `replaced` got the handle from
            // one, and freeing it is what the standard asks for: the handler itself stays with the
            // communicator. Or that failed, and the handle is a constant that both calls take.
            unsafe {
                ffi::MPI_Comm_set_errhandler(communicator.raw, *before);
                ffi::MPI_Errhandler_free(before);
            }
        }
    }
}
