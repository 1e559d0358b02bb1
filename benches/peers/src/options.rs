//! Options of the bench of peers.

use crate::kind::Kind;
use crate::transforms;
use clap::Parser;
use redist_measuring::bench::drawn_seed;
use redist_measuring::cluster::Link;
use redist_measuring::{Session, Task, Turns};
use redist_moves::ranks::{Network, tasks};
use std::path::PathBuf;

/// Moves the same arrays with redist, ScaLAPACK, derived datatypes, a table of segments and a loop
/// over elements.
///
/// All of them run in one group of processes, in turns whose order each round draws, so
/// ratios are comparable although times are not. Every figure is a multiple of two memcpy passes
/// over every rank's bytes, all ranks at once. Each row has several process groups of its own;
/// figures are their median, least and most.
#[derive(Parser, Clone, Debug)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// Numbers of ranks, each with rows of its own; the table has cases for 2 and 4. By default both, or,
    /// on several nodes, one rank a node.
    #[arg(long, value_delimiter = ',')]
    pub ranks: Vec<usize>,
    /// Emulated nodes to run on, to which ranks are dealt in turn (tests/cluster; needs root). There
    /// are other cases then, from 64 KiB a rank to 16 MiB.
    #[arg(long)]
    pub nodes: Option<usize>,
    /// The links between nodes: `2gbit`, or `2gbit,shallow` for a switch with small buffers; without
    /// it, as fast as the machine is.
    #[arg(long, requires = "nodes")]
    pub link: Option<Link>,
    /// Instead of the cases of the table: matrices that are transposed, or scaled and added, beside
    /// ScaLAPACK's `pdtran` and `pdgeadd`.
    #[arg(long, conflicts_with_all = ["nodes", "case", "methods", "extra"])]
    pub transforms: bool,
    /// Process groups for each row.
    #[arg(long, default_value_t = 3)]
    pub processes: usize,
    /// Rounds in each, exactly. Without it there are 5 at least, and more (401 at most) until the
    /// seconds below are spent. The median counts, and a round before them does not.
    #[arg(long, alias = "repetitions")]
    pub rounds: Option<usize>,
    /// Seconds for the rounds of a row in each process group.
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,
    /// Draws the same orders as the run that told this number.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Only cases whose name contains this.
    #[arg(long, default_value = "")]
    pub only: String,
    /// Only methods whose name contains one of these; some of redist's are off unless they are
    /// named.
    #[arg(long, value_delimiter = ',')]
    pub methods: Vec<String>,
    /// A case of your own besides the table: 'f64 4096,4096 | scalapack(64, 64, 2, 2) |
    /// scalapack(32, 32, 2, 2)'; the extents, and both layouts in the macro's notation. May be
    /// given several times.
    #[arg(long)]
    pub case: Vec<String>,
    /// A program that moves arrays, too: it is launched with as many ranks for each case, reads the
    /// case from its standard input and answers on rank 0's standard output. The protocol is in the
    /// README beside this.
    #[arg(long)]
    pub extra: Vec<PathBuf>,
    /// The folder of the table, CSV and SVG, and of a line of JSON for each row and process group
    /// as it ends.
    #[arg(long, default_value = "target/peers")]
    pub out: PathBuf,
}

impl Options {
    fn ranks(&self) -> Vec<usize> {
        match (&self.ranks[..], self.nodes) {
            ([], Some(nodes)) => vec![nodes],
            ([], None) => vec![2, 4],
            (asked, _) => asked.to_vec(),
        }
    }

    pub fn kind(&self) -> Kind {
        if self.transforms { Kind::Transforms } else { Kind::Moves }
    }

    pub fn tasks(&self) -> Vec<Task> {
        self.ranks().into_iter().flat_map(|ranks| self.tasks_on(ranks)).collect()
    }

    fn tasks_on(&self, ranks: usize) -> Vec<Task> {
        let rows = match self.kind() {
            Kind::Moves => tasks(ranks, self.nodes.is_some()),
            Kind::Transforms => transforms::tasks(ranks),
        };
        let wanted = |task: &Task| task.row.contains(&self.only);
        let own = self.case.iter().map(|row| Task { row: row.clone(), ranks });
        rows.into_iter().filter(wanted).chain(own).collect()
    }

    pub fn turns(&self) -> Turns {
        let turns = Turns { seconds: self.seconds, ..Turns::default() };
        self.rounds.map_or(turns, |rounds| Turns { least: rounds, most: rounds, ..turns })
    }

    pub fn network(&self) -> Option<Network> {
        self.nodes.zip(self.link.clone()).map(|(nodes, link)| Network { nodes, link })
    }

    pub fn session(&self, name: &str) -> Session {
        let seed = self.seed.unwrap_or_else(drawn_seed);
        Session { name: name.into(), out: self.out.clone(), processes: self.processes, seed }
    }
}
