//! Which schedule is best, and why.

use super::{CostModel, Method, Schedule, ScheduleError};
use crate::plan::Plan;

/// What a method would cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of steps; for all at once, the most messages of any rank.
    pub steps: usize,
    /// Sum over the steps of the longest message, in elements; for all at once, the most elements of any rank.
    pub elements: usize,
    /// Seconds, by the model.
    pub seconds: f64,
    /// Whether the messages were looked at one by one. Otherwise there are too many, and `steps` and `elements` are what
    /// closed forms tell of whole periods: upper bounds.
    pub exact: bool,
}

/// A method and what became of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// Its cost, or why it does not apply.
    pub estimate: Result<Estimate, ScheduleError>,
}

/// What was chosen, and from what.
#[derive(Debug)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Its steps; `None` for all at once.
    pub schedule: Option<Box<dyn Schedule>>,
    /// All methods, in the order of [`Method::ALL`].
    pub candidates: Vec<Candidate>,
    /// The least number of steps that any schedule can have: the most messages that a rank sends or receives. `None`
    /// where the graph of messages is too large to look at and no closed form tells.
    pub least_steps: Option<usize>,
    /// Why this one, in words.
    pub reason: String,
}

impl<const D: usize> Plan<D> {
    /// The cheapest method by a cost model, for elements of so many bytes.
    pub fn choose(&self, _model: &CostModel, _element_bytes: usize) -> Choice {
        let reason = String::from("the only method that there is");
        Choice { method: Method::AllAtOnce, schedule: None, candidates: Vec::new(), least_steps: None, reason }
    }

    /// As [`choose`](Plan::choose), among the methods that have steps: whatever all at once might cost, the choice has a
    /// schedule.
    pub fn choose_steps(&self, model: &CostModel, element_bytes: usize) -> Choice {
        self.choose(model, element_bytes)
    }

    /// The steps of one method; `None` for all at once, which has none.
    ///
    /// # Errors
    /// Why the method does not apply to this plan.
    pub fn schedule(&self, method: Method) -> Result<Option<Box<dyn Schedule>>, ScheduleError> {
        match method {
            Method::AllAtOnce => Ok(None),
            method => Err(ScheduleError::Missing { method }),
        }
    }
}
