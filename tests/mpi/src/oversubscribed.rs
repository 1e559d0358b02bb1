//! Remedies for more ranks than cores. A waiting rank of MPICH polls, and keeps its core. A step of
//! a collective call then takes up to several milliseconds. So a timer makes such ranks yield, and
//! tests repeat less often.

use crate::implementation::Implementation;
use crate::yielding;
use redist::mpi::Communicator;
use std::thread;
use std::time::Duration;

/// Time for a rank to poll: a few times a step of a collective call.
const POLLING: Duration = Duration::from_micros(200);

/// This fraction of the rounds remains if every step waits for a timer.
const FRACTION: u64 = 4;

pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn crowded(ranks: usize) -> bool {
    Implementation::of_this_rank().spins() && ranks >= cores()
}

/// Starts the timer if needed. Each of a job's `ranks` calls it, once MPI has been initialised.
pub(crate) fn share_cores(ranks: usize) {
    if crowded(ranks) {
        yielding::after_every(POLLING).expect("a process may have a timer");
    }
}

/// Returns the number of repetitions for `usual` rounds: a quarter if spinning ranks share cores.
/// All ranks of a machine get the same. A fault that shows only with the full number, such as an
/// exhausted resource, needs a test on one or two ranks as well.
pub fn rounds(world: &Communicator, usual: u64) -> u64 {
    if crowded(world.size()) { usual.div_ceil(FRACTION) } else { usual }
}
