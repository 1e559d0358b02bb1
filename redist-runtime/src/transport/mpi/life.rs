//! The state of MPI, and its errors as errors of this crate.

use crate::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

/// `true` from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

pub(super) fn note_the_end() {
    FINALIZING.store(true, Ordering::Relaxed);
}

/// Returns `true` if MPI is finalised, or about to be: nothing may be freed any more, because other
/// ranks may not do so either.
pub fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || redist_mpi::is_over()
}

/// Checks that MPI is running, before any call that a user may make after its end.
pub(super) fn check_that_mpi_is_there() -> Result<(), Error> {
    if is_over() { Err(told(0, redist_mpi::Error::Finalized)) } else { Ok(()) }
}

/// Words an error of a rank as this crate does.
pub fn told(rank: usize, why: redist_mpi::Error) -> Error {
    let plan =
        |on: &str, reason: String| Error::Unavailable { what: format!("a plan{on}"), reason };
    match why {
        redist_mpi::Error::Call(error) => {
            let redist_mpi::CallError { call, class_number, text, .. } = *error;
            Error::Library { rank, call, class: class_number, text }
        }
        redist_mpi::Error::Finalized => {
            let reason = "MPI has been finalised".into();
            Error::Unavailable { what: "a move or a plan".into(), reason }
        }
        redist_mpi::Error::Threads => {
            let reason = "MPI was initialised for its main thread alone; initialise it for more";
            plan(" on this thread", reason.into())
        }
        redist_mpi::Error::Library(error) => plan(" over MPI", error.to_string()),
        other => plan(" on this communicator", other.to_string()),
    }
}
