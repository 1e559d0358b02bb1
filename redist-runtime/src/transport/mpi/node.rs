//! Whether ranks share a node, and so memory.

use super::communicator::{OwnCommunicator, checked, rank_and_size};
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm};

/// The ranks of a communicator that share memory with this one, in their order. Collective.
///
/// # Safety
/// `raw` is a live intracommunicator.
pub(super) unsafe fn of(raw: MPI_Comm) -> Result<OwnCommunicator, Error> {
    // SAFETY: the caller vouches for the handle.
    let (rank, _) = unsafe { rank_and_size(raw) }?;
    // SAFETY: constants of the library.
    let (mut node, shared, no_info) =
        unsafe { (ffi::RSMPI_COMM_NULL, ffi::RSMPI_COMM_TYPE_SHARED, ffi::RSMPI_INFO_NULL) };
    // SAFETY: as above; every rank of the communicator makes this call.
    let code = unsafe { ffi::MPI_Comm_split_type(raw, shared, rank as i32, no_info, &mut node) };
    checked(rank, "MPI_Comm_split_type", code)?;
    // SAFETY: `node` was made just now, and is freed by its owner alone.
    unsafe { OwnCommunicator::adopt(node) }
}
