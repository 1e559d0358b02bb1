//! Whether MPI is there, and its errors in this crate's words.

use crate::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};

/// True from the beginning of `MPI_Finalize`.
static FINALIZING: AtomicBool = AtomicBool::new(false);

/// Notes that `MPI_Finalize` has begun.
pub(super) fn note_the_end() {
    FINALIZING.store(true, Ordering::Relaxed);
}

/// Whether MPI is finalised, or about to be: nothing may be freed any more, as other ranks may not
/// do so, too.
pub fn is_over() -> bool {
    FINALIZING.load(Ordering::Relaxed) || redist_mpi::is_over()
}

/// Before any call of the library that a caller may make after its end.
///
/// # Errors
/// MPI [is over](is_over).
pub(super) fn check_that_mpi_is_there() -> Result<(), Error> {
    if !is_over() {
        return Ok(());
    }
    let reason = "MPI has been finalised".into();
    Err(Error::Unavailable { what: "a move or a plan".into(), reason })
}

/// An error of a rank, in the words of this crate.
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
