//! What a panic does to an MPI job.

use ::mpi::ffi;
use std::panic;

/// The exit code of a job that was aborted because of a panic.
const PANICKED: i32 = 101;

/// Makes a panic on any thread of this rank abort the whole job, after the usual message.
///
/// Without it the other ranks wait for ever for the one that panicked: unwinding ends in
/// `MPI_Finalize`, which waits for them. To be called once, before or after MPI is initialised.
pub fn abort_on_panic() {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        usual(info);
        if ::mpi::is_initialized() && !::mpi::is_finalized() {
            // SAFETY: MPI is initialised and not finalised, so its predefined communicator is
            // alive.
            unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, PANICKED) };
        }
    }));
}
