//! What programs that meet are made of: the interface of the crate `redist-coupling`, which joins
//! them, and of nobody else.

pub use super::communicator::OwnCommunicator;
pub use super::life::{is_over, told};
pub use super::ranks::JoinedRanks;
pub use super::readiness::Readiness;

use super::ranks::borrowed;
use crate::error::Error;
use redist_mpi::AsCommunicator;

/// A duplicate of a communicator of the user's. Collective.
///
/// # Errors
/// MPI is not there, or what the library says.
pub fn duplicate(communicator: &impl AsCommunicator) -> Result<OwnCommunicator, Error> {
    OwnCommunicator::duplicate_of(&*borrowed(communicator)?)
}
