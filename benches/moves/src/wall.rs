//! Times work of all ranks.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rustix::time::{ClockId, clock_gettime};

/// Returns seconds of the machine's one monotonic clock; `MPI_Wtime` may read a different clock.
pub fn now() -> f64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Measures from the first rank's start to the last rank's end. Collective.
pub fn wall(world: &SimpleCommunicator, work: impl FnOnce()) -> f64 {
    world.barrier();
    let start = now();
    work();
    let ends = [now(), -start];
    let mut most = [0.0; 2];
    world.all_reduce_into(&ends, &mut most, SystemOperation::max());
    most[0] + most[1]
}
