//! Figures of one phase on all ranks, and whether all of them are right.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_measuring::{Measured, Method, Spread};

pub fn phase(method: &str, phase: &str, samples: &[f64]) -> Method {
    Method::timed(format!("{method} | {phase}"), samples)
}

pub fn milliseconds(measured: &Measured, method: &str, phase: &str) -> Option<Spread> {
    measured.figure(&format!("{method} | {phase}"), |_, times| times.median * 1e3)
}

pub fn of_all(world: &SimpleCommunicator, mine: f64) -> Vec<f64> {
    let mut all = vec![0.0; Communicator::size(world) as usize];
    world.all_gather_into(&mine, &mut all[..]);
    all
}

/// Returns `true` if all ranks agree that all is well. Collective.
pub fn all_right(world: &SimpleCommunicator, mine: bool) -> bool {
    let mut all = 0;
    world.all_reduce_into(&i32::from(mine), &mut all, SystemOperation::min());
    all == 1
}
