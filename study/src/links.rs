//! Results over links between nodes, as `redist-study-links` measures them.
//!
//! Times are milliseconds: medians over a process's rounds, and of these over the processes. Blocks
//! and arrays are in elements. Ranks are dealt to nodes in turn; links are in words of
//! `tests/cluster/up`.

use serde::{Deserialize, Serialize};

/// A schedule's time in one redistribution of one size on one network: a line of `schedules.csv`.
/// Sources are the first ranks, destinations those after; the array is in single precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedSchedule {
    /// Emulated nodes.
    pub nodes: usize,
    pub link: String,
    /// x→kx, kx→x or s→t.
    pub family: String,
    /// Elements in a block of the source.
    pub source_block: usize,
    /// Elements in a block of the destination.
    pub destination_block: usize,
    /// Source ranks.
    pub sources: usize,
    /// Destination ranks.
    pub destinations: usize,
    /// Extent, in elements.
    pub extent: usize,
    /// About the bytes of a rank of the larger side.
    pub bytes: usize,
    /// In steps, in phases, or by the library.
    pub way: String,
    pub method: String,
    /// Its steps; 0 for all at once.
    pub steps: usize,
    /// Bytes that the busiest link has to carry, over its rate.
    pub wire: f64,
    /// Computing the schedule and a rank's partners in it: the mean over the ranks.
    pub schedule: f64,
    /// A rank's time from the common start to its own end: the mean over the ranks, the longest
    /// run. It includes the schedule, except for a move by the library.
    pub most: f64,
    /// The same, in the mean over the runs.
    pub mean: f64,
    /// The same, as the median of the runs.
    pub median: f64,
    /// The same, in the shortest run.
    pub least: f64,
    /// The same of the data transfer time, which is a rank's time without computing the schedule,
    /// indices, packing and unpacking: sends and receives of all steps. `None` for a move by the
    /// library.
    #[serde(default)]
    pub transfer_most: Option<f64>,
    /// Mean of the runs.
    #[serde(default)]
    pub transfer_mean: Option<f64>,
    /// Median of the runs.
    #[serde(default)]
    pub transfer_median: Option<f64>,
    /// The shortest run.
    #[serde(default)]
    pub transfer_least: Option<f64>,
    /// From the first rank's start to the last rank's end: the median of the runs.
    pub total: f64,
}

/// A way's time to pack and unpack, in one redistribution on one network: a line of `moves.csv`.
/// The array is in single precision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedMove {
    /// Emulated nodes.
    pub nodes: usize,
    pub link: String,
    /// Ranks on either side, which are the same.
    pub ranks: usize,
    /// Elements of the array.
    pub elements: usize,
    pub source: String,
    pub destination: String,
    /// kr→r or r→kr.
    pub direction: String,
    /// Elements in the larger block over elements in the smaller one.
    pub k: usize,
    /// Elements in the smaller block.
    pub r: usize,
    pub method: String,
    /// The exchange: synchronous or not, in order or in any; empty for a move by the library.
    pub scheme: String,
    /// Microseconds after which a message is there, emulated; 0 where links have their own.
    #[serde(default)]
    pub latency: f64,
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
