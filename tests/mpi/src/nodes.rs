//! Nodes that ranks are on: one, or those of `tests/cluster`.

use crate::case::Case;
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// Whether a test can be run on as many nodes as `REDIST_MPI_NODES` says: 1 where it is not set,
/// and 0 where nodes were wanted and cannot be had, so that every test is left out.
pub(crate) fn allow(case: &Case) -> bool {
    match std::env::var("REDIST_MPI_NODES").as_deref() {
        Err(_) | Ok("1") => true,
        Ok("0") => false,
        Ok(_) => !case.on_one_node,
    }
}

/// The number of nodes that the ranks of a communicator are on. Collective.
pub fn nodes(world: &SimpleCommunicator) -> usize {
    let is_first = world.split_shared(world.rank()).rank() == 0;
    let mut nodes = 0u64;
    world.all_reduce_into(&u64::from(is_first), &mut nodes, SystemOperation::sum());
    nodes as usize
}
