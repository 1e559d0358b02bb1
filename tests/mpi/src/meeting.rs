//! A barrier in which ranks sleep: between cells, and while they have no part in one.
//!
//! `MPI_Barrier` would keep a core for each rank that waits, which those that play need.

use mpi::collective::SystemOperation;
use mpi::request;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::thread;
use std::time::Duration;

/// The longest that a rank sleeps before it looks again.
const LONGEST: Duration = Duration::from_micros(500);

/// Waits for all ranks; returns `true` if all of them want to go on. Collective.
pub(crate) fn all_go_on(ranks: &SimpleCommunicator, here: bool) -> bool {
    let (own, mut least) = (u8::from(here), 0);
    request::scope(|scope| {
        let minimum = SystemOperation::min();
        let mut waiting = ranks.immediate_all_reduce_into(scope, &own, &mut least, minimum);
        let mut pause = LONGEST / 50;
        while let Err(again) = waiting.test() {
            waiting = again;
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST);
        }
    });
    least == 1
}
