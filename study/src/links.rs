//! What is measured over links between nodes: by `redist-peers --study`, shown by `redist-study
//! links`.
//!
//! All times are in milliseconds: medians over the rounds of a process, and of these over the
//! processes.

use serde::{Deserialize, Serialize};

/// What a schedule took, in one redistribution on one network: a line of `schedules.csv`.
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
    /// Destination ranks: the first of all.
    pub destinations: usize,
    /// Elements of the array, in double precision.
    pub extent: usize,
    /// Who made the schedule.
    pub method: String,
    /// Its steps; 0 for all at once.
    pub steps: usize,
    /// Bytes that the busiest link has to carry, over its rate.
    pub wire: f64,
    /// Computing the schedule and a rank's partners in it: the median rank.
    pub schedule: f64,
    /// Exchanging packed messages, of the rank that takes longest.
    pub transfer_most: f64,
    /// The mean over the ranks.
    pub transfer_mean: f64,
    /// The median rank.
    pub transfer_median: f64,
    /// The rank that is done first.
    pub transfer_least: f64,
    /// Schedule, indices, packing, transfer, unpacking, one after the other: from the first rank's
    /// start to the last rank's end.
    pub total: f64,
    /// A move by the library in these steps, planned before.
    pub moved: f64,
    /// How far processes are apart in the total: the most less the least, over the median.
    #[serde(default)]
    pub total_apart: f64,
    /// Likewise in the library's move.
    #[serde(default)]
    pub moved_apart: f64,
}

/// What a way to pack and unpack took, in one redistribution on one network: a line of
/// `moves.csv`.
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
    /// Who packed and unpacked.
    pub method: String,
    /// Bytes that the busiest link has to carry, over its rate.
    pub wire: f64,
    /// Exchanging packed messages, all at once: the rank that takes longest. A move by the library
    /// has no such phase.
    pub communication: Option<f64>,
    /// Indices, packing, exchange, unpacking: from the first rank's start to the last rank's end.
    pub total: f64,
    /// How far processes are apart in the total: the most less the least, over the median.
    #[serde(default)]
    pub total_apart: f64,
}
