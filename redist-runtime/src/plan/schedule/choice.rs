//! Which schedule is best, and why.

use super::{CostModel, Method, Schedule};
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
}

/// A method and what became of it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// Its cost, or why it does not apply.
    pub estimate: Result<Estimate, String>,
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

    /// The steps of one method; `None` for all at once, which has none.
    ///
    /// # Errors
    /// Why the method does not apply to this plan.
    pub fn schedule(&self, method: Method) -> Result<Option<Box<dyn Schedule>>, String> {
        match method {
            Method::AllAtOnce => Ok(None),
            method => Err(format!("{method}: not there yet")),
        }
    }
}
