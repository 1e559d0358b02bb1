mod exchange;
pub mod packing;
mod phases;
pub mod schedules;

use crate::kind::Study;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_measuring::{Row, Task};
use redist_moves::ranks::Worker;
use std::error::Error;

pub fn tasks(study: Study, ranks: usize) -> Vec<Task> {
    let cases = match study {
        Study::Schedules => schedules::cases(ranks).len(),
        Study::HsuChung => packing::cases(ranks).len(),
    };
    (0..cases).map(|case| Task { row: case.to_string(), ranks }).collect()
}

pub fn work(
    study: Study,
    world: &SimpleCommunicator,
    worker: &Worker,
) -> Result<(), Box<dyn Error>> {
    let case: usize = worker.row.parse()?;
    let ranks = Communicator::size(world) as usize;
    let methods = match study {
        Study::Schedules => schedules::measure(&schedules::cases(ranks)[case], world, worker)?,
        Study::HsuChung => packing::measure(packing::cases(ranks)[case], world, worker)?,
    };
    if Communicator::rank(world) == 0 {
        Row::plain(&*worker.row, ranks, methods).tell();
    }
    Ok(())
}
