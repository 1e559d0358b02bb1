//! Results over links between nodes, as `redist-peers --study` measures and `redist-study` shows.
//!
//! Times are milliseconds: medians over a process's rounds, and of these over the processes.

use serde::{Deserialize, Serialize};

/// A schedule's time in one redistribution of one size on one network: a line of `schedules.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedSchedule {
    /// Nodes, to which ranks are dealt in turn.
    pub nodes: usize,
    /// The links between them, in words of `tests/cluster/up`.
    pub link: String,
    /// x→kx, kx→x or s→t.
    pub family: String,
    /// Elements in a block of the source.
    pub source_block: usize,
    /// Elements in a block of the destination.
    pub destination_block: usize,
    /// Source ranks: the first of all.
    pub sources: usize,
    /// Destination ranks: those after the sources.
    pub destinations: usize,
    /// Elements of the array, in double precision.
    pub extent: usize,
    /// About the bytes of a rank of the larger side.
    pub bytes: usize,
    /// In steps, in phases, or by the library.
    pub way: String,
    /// The schedule's method.
    pub method: String,
    /// Its steps; 0 for all at once.
    pub steps: usize,
    /// Bytes that the busiest link has to carry, over its rate.
    pub wire: f64,
    /// Computing the schedule and a rank's partners in it: the mean over the ranks.
    pub schedule: f64,
    /// A rank's time from the common start to its own end: the mean over the ranks, and the longest
    /// of the runs. It includes the schedule, except for a move by the library.
    pub most: f64,
    /// The mean of the runs.
    pub mean: f64,
    /// The median of the runs.
    pub median: f64,
    /// The shortest run.
    pub least: f64,
    /// From the first rank's start to the last rank's end: the median of the runs.
    pub total: f64,
}

/// A way's time to pack and unpack, in one redistribution on one network: a line of `moves.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedMove {
    /// Nodes, to which ranks are dealt in turn.
    pub nodes: usize,
    /// The links between them, in words of `tests/cluster/up`.
    pub link: String,
    /// Ranks of either side.
    pub ranks: usize,
    /// Elements of the array, in single precision.
    pub elements: usize,
    /// The source's distribution.
    pub source: String,
    /// The destination's.
    pub destination: String,
    /// kr→r or r→kr.
    pub direction: String,
    /// Small blocks in a large one.
    pub k: usize,
    /// Elements in a small block.
    pub r: usize,
    /// The way's name.
    pub method: String,
    /// The exchange: synchronous or not, in order or in any; empty for a move by the library.
    pub scheme: String,
    /// Bytes that the busiest link has to carry, over its rate.
    pub wire: f64,
    /// Indices, packing and unpacking of the slowest rank; `None` for a move by the library.
    pub packing: Option<f64>,
    /// The rest of a rank's time, which is the exchange: the rank that takes longest.
    pub communication: Option<f64>,
    /// Indices, packing, exchange, unpacking: from the first rank's start to the last rank's end.
    pub total: f64,
    /// How far processes are apart in the total: the most less the least, over the median.
    #[serde(default)]
    pub total_apart: f64,
}
