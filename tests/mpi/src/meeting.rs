//! A barrier in which ranks sleep, because `MPI_Barrier` would keep a core for each waiting rank.
//! Unsafe, because the library writes while a rank sleeps.

use redist::mpi::{Communicator, Operation};
use std::thread;
use std::time::Duration;

const LONGEST: Duration = Duration::from_micros(500);

/// Waits for all ranks; returns `true` if all of them want to go on. Collective.
pub(crate) fn all_go_on(ranks: &Communicator, here: bool) -> bool {
    let (own, mut least) = ([u8::from(here)], [0_u8]);
    // SAFETY: both are untouched until the request is complete, or the job has ended, below.
    let begun = unsafe { ranks.iallreduce(own.as_ptr(), least.as_mut_ptr(), 1, Operation::Min) };
    let mut waiting = begun.expect("the library meets");
    let mut pause = LONGEST / 50;
    while !waiting.test().unwrap_or_else(|_| ranks.abort(1)) {
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST);
    }
    least == [1]
}
