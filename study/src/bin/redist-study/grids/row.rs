//! A case in counts and times, and ASPEN's operations of a dimension.

use crate::processes::Timed;
use redist::plan::Axis;
use redist_study::baseline::{Aspen, Intersection, Operations, Segments};
use serde::Serialize;

/// One case: operations of all source ranks, and times of one.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The grid or the parts, in words.
    pub case: String,
    pub source: String,
    pub destination: String,
    /// Source ranks and destination ranks of all programs.
    pub sources: usize,
    /// Destination ranks of all programs.
    pub destinations: usize,
    /// Elements of the array.
    pub elements: usize,
    /// Pairs of programs that share a part; 1 for one program.
    pub plans: usize,
    /// Messages between ranks, messages to themselves included.
    pub messages: usize,
    /// Set-ups and comparisons of ASPEN's walk, in all dimensions.
    pub operations: usize,
    /// Source blocks times destination blocks: what the classical algorithm compares.
    pub classical: usize,
    /// Making all plans of all pairs.
    pub plan_nanoseconds: f64,
    /// ASPEN's walk of all source ranks.
    pub intersect_nanoseconds: f64,
    /// Making the programs of a source rank and of a destination rank.
    pub program_nanoseconds: f64,
    /// Packing and unpacking by these two.
    pub pack_nanoseconds: f64,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![
            &mut self.plan_nanoseconds,
            &mut self.intersect_nanoseconds,
            &mut self.program_nanoseconds,
            &mut self.pack_nanoseconds,
        ]
    }
}

/// Counts ASPEN's operations of all source ranks of a dimension.
pub fn aspen(axis: &Axis, ranks: usize, found: &mut Vec<Segments>) -> Operations {
    let add = |sum, rank| sum + Aspen.intersect(axis, rank, found);
    (0..ranks).fold(Operations::default(), add)
}
