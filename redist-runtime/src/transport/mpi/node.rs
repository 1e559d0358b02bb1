//! Whether ranks share a node, and so memory.

use super::communicator::{OwnCommunicator, checked, rank_and_size};
use crate::error::Error;
use crate::plan::schedule::CostModel;
use ::mpi::ffi::{self, MPI_Comm};

/// What messages cost on a communicator: shared memory, if all its ranks are on one node, else a network. The same on all
/// ranks. Collective.
///
/// Where the library cannot tell, a network is assumed; ranks that it tells different things find their schedules to
/// differ when they compare them.
///
/// # Safety
/// `raw` is a live communicator.
pub(super) unsafe fn cost_model(raw: MPI_Comm) -> CostModel {
    // SAFETY: the caller vouches for the handle.
    match unsafe { share_a_node(raw) } {
        Ok(true) => CostModel::SHARED_MEMORY,
        Ok(false) | Err(_) => CostModel::NETWORK,
    }
}

/// # Safety
/// `raw` is a live communicator.
unsafe fn share_a_node(raw: MPI_Comm) -> Result<bool, Error> {
    let mut inter = 0;
    // SAFETY: the caller vouches for the handle; `inter` outlives the call.
    checked(0, "MPI_Comm_test_inter", unsafe { ffi::MPI_Comm_test_inter(raw, &mut inter) })?;
    if inter != 0 {
        return Ok(false);
    }
    // SAFETY: as above.
    let (_, size) = unsafe { rank_and_size(raw) }?;
    // SAFETY: as above.
    Ok(unsafe { of(raw) }?.size() == size)
}

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
    // SAFETY: `node` was made just now, and nobody else frees it.
    unsafe { OwnCommunicator::adopt(node) }
}
