//! What can be asked for.

use crate::cluster::Link;
use clap::{Parser, ValueEnum};
use std::path::PathBuf;

/// Moves the same arrays with redist, ScaLAPACK, derived datatypes, a table of segments and a loop
/// over elements.
///
/// All of them run in one group of processes, in turn, so that ratios mean something where times do
/// not: every figure is a multiple of two memcpy passes over every rank's bytes, all ranks at once.
#[derive(Parser, Clone, Debug)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// Numbers of ranks, each a run of its own; the table has cases for 2 and 4. By default both, or,
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
    /// Instead of the cases of the table: an experiment of a paper, over links between nodes.
    /// Writes `schedules.csv` or `moves.csv`, which `redist-study links` shows.
    #[arg(long, value_enum, requires = "link")]
    pub study: Option<Study>,
    /// Instead of the cases of the table: matrices that are transposed, or scaled and added, beside
    /// ScaLAPACK's `pdtran` and `pdgeadd`.
    #[arg(long, conflicts_with_all = ["nodes", "case", "methods", "extra"])]
    pub transforms: bool,
    /// How often each method moves each array, after two calls that are not counted; the median
    /// counts.
    #[arg(long, default_value_t = 11)]
    pub repetitions: usize,
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
    /// Where the table, CSV and SVG go.
    #[arg(long, default_value = "target/peers")]
    pub out: PathBuf,
    /// Called by the bench itself, as a rank.
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// Experiments of papers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Study {
    /// Park, Prasanna and Raghavendra: schedules.
    Schedules,
    /// Hsu and Chung: ways to pack and unpack.
    HsuChung,
}

/// What redist can do instead of what it does by itself.
const ON_DEMAND: [&str; 10] = [
    "redist, measured network",
    "redist, shared source",
    "redist, all at once",
    "redist, pieces of 1 MiB",
    "redist, derived types",
    "redist, joined",
    "redist, circulant",
    "redist, closed form",
    "redist, König",
    "redist, caterpillar",
];

/// Cases on several nodes, for `P` ranks and a grid of `Q` × `R` of them: the bytes of a rank, and
/// what is moved.
const BETWEEN_NODES: [&str; 15] = [
    "8 KiB a rank, 16² → 8²: f64 64,N | scalapack(16, 16, Q, R) | scalapack(8, 8, Q, R)",
    "8 KiB a rank, rows → columns: f64 64,N | (block, *) onto P | (*, block) onto P",
    "8 KiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "64 KiB a rank, 64² → 32²: f64 256,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "64 KiB a rank, rows → columns: f64 256,N | (block, *) onto P | (*, block) onto P",
    "64 KiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "1 MiB a rank, 64² → 32²: f64 1024,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "1 MiB a rank, rows → columns: f64 1024,N | (block, *) onto P | (*, block) onto P",
    "1 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "16 MiB a rank, 64² → 32²: f64 4096,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "16 MiB a rank, rows → columns: f64 4096,N | (block, *) onto P | (*, block) onto P",
    "16 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
    "128 MiB a rank, 64² → 32²: f64 8192,N | scalapack(64, 64, Q, R) | scalapack(32, 32, Q, R)",
    "128 MiB a rank, rows → columns: f64 8192,N | (block, *) onto P | (*, block) onto P",
    "128 MiB a rank, cyclic(10) → (2): f32 L | cyclic(10) onto P | cyclic(2) onto P",
];

/// A case on several nodes for as many ranks.
fn between_nodes(case: &str, ranks: usize) -> String {
    let mib = if case.contains(" KiB") { 1.0 / 1024.0 } else { 1.0 };
    let number: f64 = case.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(1.0);
    let bytes = (number * mib * f64::from(1 << 20)) as usize * ranks;
    let rows: usize = case
        .split_once("f64 ")
        .and_then(|(_, rest)| rest.split(',').next()?.parse().ok())
        .unwrap_or(1);
    let across =
        (1..=ranks).rev().find(|q| ranks.is_multiple_of(*q) && q * q <= ranks).unwrap_or(1);
    case.replace(",N", &format!(",{}", bytes / 8 / rows))
        .replace("f32 L", &format!("f32 {}", bytes / 4))
        .replace("onto P", &format!("onto {ranks}"))
        .replace("Q, R)", &format!("{}, {across})", ranks / across))
}

impl Options {
    /// Numbers of ranks, each a run of its own.
    pub fn ranks(&self) -> Vec<usize> {
        match (&self.ranks[..], self.nodes) {
            ([], Some(nodes)) => vec![nodes],
            ([], None) => vec![2, 4],
            (asked, _) => asked.to_vec(),
        }
    }

    /// The user's cases and, on several nodes, those that are meant for them.
    pub fn cases(&self, ranks: usize) -> Vec<String> {
        let more = if self.nodes.is_some() { &BETWEEN_NODES[..] } else { &[] };
        let wanted = more.iter().filter(|case| case.contains(&self.only));
        let more = wanted.map(|case| between_nodes(case, ranks));
        more.chain(self.case.iter().cloned()).collect()
    }

    /// Whether a method was asked for, by a part of its name; where none is named, all are but
    /// those on demand.
    pub fn wants(&self, method: &str) -> bool {
        match self.methods.as_slice() {
            [] => !ON_DEMAND.contains(&method),
            named => named.iter().any(|part| method.contains(part.as_str())),
        }
    }
}
