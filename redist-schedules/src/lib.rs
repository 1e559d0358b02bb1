//! Schedules of `redist`, which re-exports all of it: messages in steps. In a step, no rank sends or
//! receives more than one message.
#![forbid(unsafe_code)]
#![allow(missing_docs)] // `redist` hides the names of this crate.

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
mod koenig;
mod method;
mod product;
mod reason;
mod reduced;
mod steps;

pub use check::{Checked, ScheduleFault, check};
pub use choice::Schedules;
pub use cost::CostModel;
pub use error::ScheduleError;
pub use estimate::Estimate;
pub use method::Method;
pub use reason::{Candidate, Choice};
pub use redist_plan::plan::{Edge, MessageGraph};
pub use steps::{Step, steps};

use core::fmt;

/// A sequence of steps, each of them a partial matching of source ranks and destination ranks.
/// Ranks are numbered in their own side's grid, from 0; in one dimension they are coordinates.
pub trait Schedule: fmt::Debug + Send + Sync {
    fn method(&self) -> Method;

    fn sources(&self) -> usize;

    fn destinations(&self) -> usize;

    fn steps(&self) -> usize;

    /// Returns `source`'s receiver in a step; `None` if it is idle. They may have no message.
    fn destination(&self, step: usize, source: usize) -> Option<usize>;

    fn source(&self, step: usize, destination: usize) -> Option<usize>;

    /// Returns the step of two ranks; `None` if there is none.
    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        (0..self.steps()).find(|step| self.destination(*step, source) == Some(destination))
    }

    /// Lists the pairs (source, destination) of a step, by source.
    fn pairs(&self, step: usize) -> Vec<(usize, usize)> {
        let pair = |source| self.destination(step, source).map(|destination| (source, destination));
        (0..self.sources()).filter_map(pair).collect()
    }
}
