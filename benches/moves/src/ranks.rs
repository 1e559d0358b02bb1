//! A rank of a bench: what it is asked, and what it does.

pub use crate::contest::UNIT;
pub use crate::nodes::Network;

use crate::contest::Contest;
use crate::peer::Ways;
use crate::{nodes, rows};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use pico_args::Arguments;
use redist_measuring::cluster::Link;
use redist_measuring::{Task, Turns};
use std::error::Error;

/// What the ranks of one process group measure.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The row: a name of the table, or a case.
    pub row: String,
    /// How often ways take turns.
    pub turns: Turns,
    /// Ways whose names contain one of these; where there is none, all that users get unasked.
    pub methods: Vec<String>,
    /// Nodes and their links, if their speed is known.
    pub network: Option<Network>,
    /// Whether repeated set-ups are left out.
    pub moves_only: bool,
}

impl Worker {
    /// Takes what a rank is asked off its command line.
    ///
    /// # Errors
    /// A value that is not understood.
    pub fn from_arguments(
        row: String,
        turns: Turns,
        arguments: &mut Arguments,
    ) -> Result<Self, pico_args::Error> {
        let methods: Option<String> = arguments.opt_value_from_str("--methods")?;
        let methods = methods.iter().flat_map(|names| names.split(',')).map(str::to_owned);
        let nodes: Option<usize> = arguments.opt_value_from_str("--nodes")?;
        let link: Option<Link> = arguments.opt_value_from_str("--link")?;
        let network = nodes.zip(link).map(|(nodes, link)| Network { nodes, link });
        let moves_only = arguments.contains("--moves-only");
        Ok(Self { row, turns, methods: methods.collect(), network, moves_only })
    }

    /// The options that say the same.
    pub fn to_arguments(&self, seed: u64) -> Vec<String> {
        let mut words = vec!["--worker".into(), self.row.clone()];
        words.extend(self.turns.to_arguments(seed));
        if !self.methods.is_empty() {
            words.extend(["--methods".into(), self.methods.join(",")]);
        }
        if let Some(Network { nodes, link }) = &self.network {
            words.extend(["--nodes".into(), nodes.to_string(), "--link".into(), link.to_string()]);
        }
        words.extend(self.moves_only.then(|| "--moves-only".into()));
        words
    }

    /// Whether a way was asked for, by a part of its name.
    pub fn wants<W: Ways>(&self, way: &str) -> bool {
        match self.methods.as_slice() {
            [] => !W::ON_DEMAND.contains(&way),
            named => named.iter().any(|part| way.contains(part.as_str())),
        }
    }

    /// Measures the row. Collective.
    ///
    /// # Errors
    /// A row that is not known; the same on all ranks.
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

/// Hands all ranks over, between the first call of MPI and the last.
///
/// # Errors
/// MPI was initialised before, or what `work` says.
pub fn with_world(
    work: impl FnOnce(&'static SimpleCommunicator) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    redist::mpi::abort_on_panic();
    let universe = mpi::initialize().ok_or("MPI is initialised already")?;
    // Some ways keep it; it is gone with the process.
    work(Box::leak(Box::new(universe.world())))
}

/// The rows of the table for as many ranks, or, on nodes, the cases between them.
pub fn tasks(ranks: usize, on_nodes: bool) -> Vec<Task> {
    let rows = match on_nodes {
        true => nodes::cases(ranks),
        false => rows::names(ranks).into_iter().map(str::to_owned).collect(),
    };
    rows.into_iter().map(|row| Task { row, ranks }).collect()
}
