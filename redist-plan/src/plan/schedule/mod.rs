//! Schedules: messages in steps. In a step, no rank sends or receives more than one message.
//!
//! One file an algorithm, all behind the trait [`Schedule`].

mod aligned;
mod balance;
mod caterpillar;
mod check;
mod choice;
mod circulant;
mod closed_form;
mod colouring;
mod cost;
mod error;
mod estimate;
mod graph;
mod koenig;
mod method;
mod product;
mod reason;
mod reduced;

pub use check::{Checked, ScheduleFault, check};

pub use cost::CostModel;
pub use error::ScheduleError;
pub use estimate::Estimate;
pub use graph::{Edge, MessageGraph};
pub use method::Method;
pub use reason::{Candidate, Choice};

use core::fmt;

/// A sequence of steps, each of them a partial matching of source ranks and destination ranks.
///
/// Ranks are numbered in their own side's grid, from 0: the first rank of a side that begins at
/// rank 6 of the communicator is 0 here. In one dimension the number is the coordinate.
pub trait Schedule: fmt::Debug + Send + Sync {
    /// Returns the method that made it.
    fn method(&self) -> Method;

    /// Number of source ranks.
    fn sources(&self) -> usize;

    /// Number of destination ranks.
    fn destinations(&self) -> usize;

    /// Number of steps.
    fn steps(&self) -> usize;

    /// Whom `source` sends to in a step; `None` where it is idle. The pair may have no message, if
    /// the array is too short.
    fn destination(&self, step: usize, source: usize) -> Option<usize>;

    /// Whom `destination` receives from in a step: the inverse of
    /// [`destination`](Schedule::destination).
    fn source(&self, step: usize, destination: usize) -> Option<usize>;

    /// The step in which two ranks meet; `None` where they never do. A search through all steps,
    /// unless the method knows better, and all of this crate do.
    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        (0..self.steps()).find(|step| self.destination(*step, source) == Some(destination))
    }

    /// The pairs (source, destination) of a step, by source.
    fn pairs(&self, step: usize) -> Vec<(usize, usize)> {
        let pair = |source| self.destination(step, source).map(|destination| (source, destination));
        (0..self.sources()).filter_map(pair).collect()
    }
}
