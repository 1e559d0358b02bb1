//! What ranks tell the process that reports: a line of JSON a case.

use serde::{Deserialize, Serialize};

/// One case, measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// What it is called.
    pub case: String,
    /// The element type, the extents and both layouts, in the macro's notation.
    pub element: String,
    /// Extents, in elements.
    pub extents: Vec<usize>,
    /// The source.
    pub from: String,
    /// The destination.
    pub to: String,
    /// Number of ranks.
    pub ranks: usize,
    /// Seconds of two `memcpy` passes over every rank's bytes, all ranks at once: the median.
    pub memcpy: f64,
    /// Seconds that the links between nodes need: the bytes of the node that sends or receives most,
    /// over their rate. `None` on one node, or with links of no stated rate.
    pub wire: Option<f64>,
    /// The methods, in the order of the columns.
    pub methods: Vec<Method>,
}

/// One method on one case. Times are from the first rank's start to the last rank's end, in
/// seconds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Method {
    /// What it is called.
    pub name: String,
    /// Its times, or why it cannot do this case.
    pub outcome: Result<Times, String>,
}

/// Times of one method, in seconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Times {
    /// Before the first call: plans, types, tables, buffers.
    pub setup: f64,
    /// The same again: the median of later times, of which the first has what a process and a
    /// communicator need once. Programs of the user's need not tell.
    #[serde(default)]
    pub setup_again: Option<f64>,
    /// The first call.
    pub first: f64,
    /// The median of the later calls.
    pub median: f64,
    /// The fastest of them.
    pub least: f64,
    /// Elements of all ranks that were wrong after the first call or after the last.
    pub wrong: u64,
}
