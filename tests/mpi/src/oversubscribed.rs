//! More ranks than cores: what that slows down, and what tests do about it.
//!
//! A rank of MPICH that waits polls, and never gives up its core. Where ranks share cores, the one
//! that all others wait for runs when the system takes a core from one of them: up to several
//! milliseconds later, at every step of every collective call. So a timer has such ranks yield as
//! they poll; and what tests repeat, they repeat less often.

use crate::implementation::Implementation;
use crate::yielding;
use redist::mpi::Communicator;
use std::thread;
use std::time::Duration;

/// How long a rank may poll: a few times what a step of a collective call takes.
const POLLING: Duration = Duration::from_micros(200);

/// A fraction of the rounds is left where every step waits for a timer.
const FRACTION: u64 = 4;

/// Cores that this process may use.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Whether ranks of this number share cores, and do not give them up by themselves.
fn crowded(ranks: usize) -> bool {
    Implementation::of_this_rank().spins() && ranks >= cores()
}

/// To be called by each of a job's `ranks`, once MPI has been initialised.
pub(crate) fn share_cores(ranks: usize) {
    if crowded(ranks) {
        yielding::after_every(POLLING).expect("a process may have a timer");
    }
}

/// How often to repeat what `usual` rounds test well: as often, or a quarter of that where ranks
/// that spin share cores.
///
/// All ranks of a machine get the same number. What only the full number shows, such as something
/// that runs out, belongs into a test that runs on one or two ranks as well.
pub fn rounds(world: &Communicator, usual: u64) -> u64 {
    if crowded(world.size()) { usual.div_ceil(FRACTION) } else { usual }
}
