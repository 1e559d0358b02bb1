//! The schedule that the command recommends.

use redist_plan::plan::Plan;
use redist_schedules::{Candidate, CostModel, Method, Schedules};
use serde::Serialize;

/// Bytes of an element whose type is unknown.
const ASSUMED_BYTES: usize = 8;

/// The best method with steps, for ranks on a network.
#[derive(Serialize)]
pub struct Chosen {
    pub method: &'static str,
    /// Number of steps.
    pub steps: Option<usize>,
    /// Least steps of any schedule, if known.
    pub min_steps: Option<usize>,
    pub reason: String,
    /// Bytes of an element that the costs are for.
    pub costs_for_element_bytes: usize,
    /// The cheapest method, if all at once counts, too.
    pub cheapest: &'static str,
    pub candidates: Vec<Considered>,
}

/// A method with its costs, or the reason against it.
#[derive(Serialize)]
pub struct Considered {
    pub method: &'static str,
    /// Number of steps.
    pub steps: Option<usize>,
    /// Sum of the steps' longest messages, in elements.
    pub elements: Option<usize>,
    /// Seconds by the cost model.
    pub seconds: Option<f64>,
    pub reason: Option<String>,
}

impl Chosen {
    pub fn of<const D: usize>(plan: &Plan<D>, element_bytes: Option<usize>) -> Self {
        let bytes = element_bytes.unwrap_or(ASSUMED_BYTES);
        let choice = plan.choose_steps(&CostModel::NETWORK, bytes);
        let costs = |candidate: &&Candidate| {
            candidate.estimate.as_ref().map_or(f64::INFINITY, |estimate| estimate.seconds)
        };
        let chosen = choice.candidates.iter().find(|candidate| candidate.method == choice.method);
        let cheapest = choice.candidates.iter().min_by(|a, b| costs(a).total_cmp(&costs(b)));
        Chosen {
            method: name(choice.method),
            // Steps in which something moves: a closed form may have empty steps where the array is
            // short.
            steps: chosen.and_then(|candidate| Some(candidate.estimate.as_ref().ok()?.steps)),
            min_steps: choice.least_steps,
            costs_for_element_bytes: bytes,
            cheapest: name(cheapest.map_or(choice.method, |candidate| candidate.method)),
            candidates: choice.candidates.iter().map(considered).collect(),
            reason: choice.reason,
        }
    }
}

fn considered(candidate: &Candidate) -> Considered {
    let estimate = candidate.estimate.as_ref().ok();
    Considered {
        method: name(candidate.method),
        steps: estimate.map(|estimate| estimate.steps),
        elements: estimate.map(|estimate| estimate.elements),
        seconds: estimate.map(|estimate| estimate.seconds),
        reason: candidate.estimate.as_ref().err().map(ToString::to_string),
    }
}

fn name(method: Method) -> &'static str {
    match method {
        Method::AllAtOnce => "all_at_once",
        Method::Circulant => "circulant",
        Method::ClosedForm => "closed_form",
        Method::Koenig => "koenig",
        Method::Caterpillar => "caterpillar",
    }
}
