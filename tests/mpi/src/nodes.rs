//! Nodes of the ranks: one, or the nodes of `tests/cluster`.

use crate::case::Case;
use redist::mpi::{Communicator, Operation};

/// Returns `true` if a test can run on `REDIST_MPI_NODES` nodes; the default is 1. With 0, wanted
/// nodes are not available, so every test is left out.
pub(crate) fn allow(case: &Case) -> bool {
    match std::env::var("REDIST_MPI_NODES").as_deref() {
        Err(_) | Ok("1") => true,
        Ok("0") => false,
        Ok(_) => !case.on_one_node,
    }
}

/// Returns `true` if the ranks of this run are on several nodes.
pub fn several_nodes() -> bool {
    std::env::var("REDIST_MPI_NODES").is_ok_and(|nodes| !matches!(nodes.as_str(), "0" | "1"))
}

/// Returns `true` if a rank learns of a fault of one of the first ranks, all of which exchange
/// elements: only those ranks do.
pub fn learns(world: &Communicator, ranks: usize) -> bool {
    world.rank() < ranks
}

/// Returns the number of nodes of a communicator's ranks. Collective.
pub fn nodes(world: &Communicator) -> usize {
    let node = world.split_shared(world.rank()).expect("ranks are on nodes");
    let mut nodes = [0_u64];
    let summed = world.allreduce(&[u64::from(node.rank() == 0)], &mut nodes, Operation::Sum);
    summed.expect("the library reduces");
    nodes[0] as usize
}
