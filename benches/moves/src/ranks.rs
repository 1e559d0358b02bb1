//! Runs a row's work on all ranks.

pub use crate::contest::UNIT;
pub use crate::nodes::Network;
pub use crate::worker::Worker;

use crate::contest::Contest;
use crate::peer::Ways;
use crate::{nodes, rows};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist_measuring::Task;
use std::error::Error;

impl Worker {
    /// Measures the row. Collective.
    pub fn work<W: Ways>(&self, world: &'static SimpleCommunicator) -> Result<(), Box<dyn Error>> {
        let ranks = usize::try_from(Communicator::size(world))?;
        let mut contest = Contest::<W>::new(world, self);
        if self.row.contains('|') {
            return Ok(contest.users_case(&self.row)?);
        }
        match rows::visit(ranks, &self.row, &mut contest) {
            0 => Err(format!("there is no row '{}' for {ranks} ranks", self.row).into()),
            _ => Ok(()),
        }
    }
}

/// Runs all ranks' `work`, between the first call of MPI and the last.
pub fn with_world(
    work: impl FnOnce(&'static SimpleCommunicator) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    redist::mpi::abort_on_panic();
    let universe = mpi::initialize().ok_or("MPI is initialised already")?;
    // Some ways keep it; it is gone with the process.
    work(Box::leak(Box::new(universe.world())))
}

/// Lists the table's rows for `ranks` ranks, or the cases between nodes.
pub fn tasks(ranks: usize, on_nodes: bool) -> Vec<Task> {
    let rows = match on_nodes {
        true => nodes::cases(ranks),
        false => rows::names(ranks).into_iter().map(str::to_owned).collect(),
    };
    rows.into_iter().map(|row| Task { row, ranks }).collect()
}
