//! The interface of the crate `redist-coupling`, which joins programs, and of no other user.

pub use super::communicator::OwnCommunicator;
pub use super::life::told;
pub use super::ranks::JoinedRanks;
pub use super::readiness::Readiness;

use super::ranks::borrowed;
use crate::error::Error;
use redist_mpi::AsCommunicator;

/// Duplicates a communicator of the user's. Collective.
pub fn duplicate(communicator: &impl AsCommunicator) -> Result<OwnCommunicator, Error> {
    OwnCommunicator::duplicate_of(&*borrowed(communicator)?)
}
