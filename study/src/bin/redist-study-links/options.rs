//! The command line of `redist-study-links`.

use crate::latency::Latency;
use crate::papers::Study;
use clap::Parser;
use redist_measuring::bench::drawn_seed;
use redist_measuring::cluster::Link;
use redist_measuring::{Session, Task, Turns};
use redist_moves::ranks::Network;
use std::path::PathBuf;

/// Times the experiments of two papers between MPI ranks on emulated nodes (tests/cluster; needs
/// root). Writes `schedules.csv` or `moves.csv`, which `redist-study` shows.
#[derive(Parser, Clone, Debug)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// The experiment.
    #[arg(value_enum)]
    pub study: Study,
    /// Emulated nodes to run on, with one rank each.
    #[arg(long)]
    pub nodes: usize,
    /// The links between nodes: `2gbit`, or `2gbit,shallow` for a switch with small buffers.
    #[arg(long)]
    pub link: Link,
    /// Microseconds after which a message is there, in `hsu-chung` only: receivers wait for them.
    #[arg(long, default_value_t = 0.0)]
    pub latency: f64,
    /// Process groups for each case.
    #[arg(long, default_value_t = 3)]
    pub processes: usize,
    /// Rounds in each, after a round that warms up.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// Draws the same orders as the run that told this number.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Only so many cases, the first ones.
    #[arg(long, default_value_t = usize::MAX)]
    pub first: usize,
    /// The folder of the CSV, and of a line of JSON for each case and process group as it ends.
    #[arg(long, default_value = "target/links")]
    pub out: PathBuf,
}

impl Options {
    pub fn tasks(&self) -> Vec<Task> {
        self.study.tasks(self.nodes).into_iter().take(self.first).collect()
    }

    pub fn turns(&self) -> Turns {
        Turns { least: self.rounds, most: self.rounds, ..Turns::default() }
    }

    pub fn latency(&self) -> Latency {
        Latency(self.latency * 1e-6)
    }

    pub fn network(&self) -> Network {
        Network { nodes: self.nodes, link: self.link.clone() }
    }

    pub fn session(&self, name: &str) -> Session {
        let seed = self.seed.unwrap_or_else(drawn_seed);
        Session { name: name.into(), out: self.out.clone(), processes: self.processes, seed }
    }
}
