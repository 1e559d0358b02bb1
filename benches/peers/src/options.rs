//! What can be asked for.

use clap::Parser;
use std::path::PathBuf;

/// Moves the same arrays with redist, ScaLAPACK, derived datatypes, a table of segments and a loop
/// over elements.
///
/// All of them run in one group of processes, in turn, so that ratios mean something where times do
/// not: every figure is a multiple of two memcpy passes over every rank's bytes, all ranks at once.
#[derive(Parser, Clone, Debug)]
#[command(version, max_term_width = 100)]
pub struct Options {
    /// Numbers of ranks, each a run of its own; the table has cases for 2 and 4.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 4])]
    pub ranks: Vec<usize>,
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

/// What redist can do instead of what it does by itself.
const ON_DEMAND: [&str; 4] = [
    "redist, shared source",
    "redist, whole messages",
    "redist, derived types",
    "redist, fragments",
];

impl Options {
    /// Whether a method was asked for, by a part of its name; where none is named, all are but
    /// those on demand.
    pub fn wants(&self, method: &str) -> bool {
        match self.methods.as_slice() {
            [] => !ON_DEMAND.contains(&method),
            named => named.iter().any(|part| method.contains(part.as_str())),
        }
    }
}
