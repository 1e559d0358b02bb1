//! The experiments by name: their cases, one rank's measuring, and the lines of their files.

use crate::latency::Latency;
use crate::{packing, schedules};
use clap::ValueEnum;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_measuring::{Row, Task};
use redist_moves::ranks::Worker;
use std::error::Error;

/// A paper whose experiments are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Study {
    /// Park, Prasanna and Raghavendra: schedules.
    Schedules,
    /// Hsu and Chung: ways to pack and unpack.
    HsuChung,
}

impl Study {
    /// Returns the word of the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Lists the cases for so many ranks, each by its number.
    pub fn tasks(self, ranks: usize) -> Vec<Task> {
        let cases = match self {
            Study::Schedules => schedules::cases(ranks).len(),
            Study::HsuChung => packing::cases(ranks).len(),
        };
        (0..cases).map(|case| Task { row: case.to_string(), ranks }).collect()
    }

    /// Measures one case, and prints the result on rank 0. Collective.
    pub fn work(
        self,
        world: &SimpleCommunicator,
        (worker, latency): (&Worker, Latency),
    ) -> Result<(), Box<dyn Error>> {
        let case: usize = worker.row.parse()?;
        let ranks = Communicator::size(world) as usize;
        let methods = match self {
            Study::Schedules => schedules::measure(&schedules::cases(ranks)[case], world, worker)?,
            Study::HsuChung => {
                packing::measure(packing::cases(ranks)[case], world, (worker, latency))?
            }
        };
        if Communicator::rank(world) == 0 {
            Row::plain(&*worker.row, ranks, methods).tell();
        }
        Ok(())
    }
}
