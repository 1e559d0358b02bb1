//! Nodes that ranks are on: one, or those of `tests/cluster`.

use crate::case::Case;
use redist::mpi::{Communicator, Operation};

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
///
/// # Panics
/// The library fails.
pub fn nodes(world: &Communicator) -> usize {
    let node = world.split_shared(world.rank()).expect("ranks are on nodes");
    let mut nodes = [0_u64];
    let summed = world.allreduce(&[u64::from(node.rank() == 0)], &mut nodes, Operation::Sum);
    summed.expect("the library reduces");
    nodes[0] as usize
}
