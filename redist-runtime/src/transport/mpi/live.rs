//! Communicators of the user's, whichever way they come in, and errors in this crate's words.

use super::attribute::check_that_mpi_is_there;
use super::communicator::OwnCommunicator;
use crate::error::Error;
use redist_mpi::{AsCommunicator, Communicator, CommunicatorRef};

/// A communicator of the user's.
///
/// # Errors
/// MPI is not initialised, or finalised; or it is an intercommunicator.
pub(super) fn borrowed(communicator: &impl AsCommunicator) -> Result<CommunicatorRef<'_>, Error> {
    check_that_mpi_is_there()?;
    communicator.borrowed().map_err(|why| told(0, why))
}

/// A duplicate. Collective.
pub(super) fn duplicate(communicator: &impl AsCommunicator) -> Result<OwnCommunicator, Error> {
    duplicate_of(&*borrowed(communicator)?)
}

/// A duplicate. Collective.
pub(super) fn duplicate_of(communicator: &Communicator) -> Result<OwnCommunicator, Error> {
    check_that_mpi_is_there()?;
    communicator.duplicate().map(OwnCommunicator::adopt).map_err(|why| told(0, why))
}

/// The ranks that share memory with this one, in their order. Collective.
pub(super) fn node(communicator: &Communicator) -> Result<OwnCommunicator, Error> {
    let rank = communicator.rank();
    let node = communicator.split_shared(rank).map(OwnCommunicator::adopt);
    node.map_err(|why| told(rank, why))
}

/// An error of a rank, in the words of this crate.
pub(super) fn told(rank: usize, why: redist_mpi::Error) -> Error {
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
