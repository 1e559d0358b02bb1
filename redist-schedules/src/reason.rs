//! Says why a method was chosen.

use super::estimate::{Prices, longest_messages};
use super::{Estimate, MessageGraph, Method, Schedule, ScheduleError};
use redist_plan::layout::vocabulary::counted;
use redist_plan::plan::{AnyPlan, Axis, Effort, Side};

/// A method that was considered.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Candidate {
    /// The method.
    pub method: Method,
    /// Its cost, or the reason against it.
    pub estimate: Result<Estimate, ScheduleError>,
}

/// The chosen method, with all that were considered. [`Display`](core::fmt::Display) makes a small
/// table of it.
#[derive(Debug)]
pub struct Choice {
    /// The chosen method.
    pub method: Method,
    /// Its steps; `None` for all at once.
    pub schedule: Option<Box<dyn Schedule>>,
    /// All methods, in the order of [`Method::ALL`].
    pub candidates: Vec<Candidate>,
    /// The least number of steps of any schedule; `None` if finding it takes too long.
    pub least_steps: Option<usize>,
    /// Reason of the choice, in words.
    pub reason: String,
}

pub(super) fn reason(
    plan: &AnyPlan,
    (method, schedule): (Method, Option<&dyn Schedule>),
    candidates: &[Candidate],
    (least_steps, graph): (Option<usize>, &Result<MessageGraph, ScheduleError>),
    prices: Prices<'_>,
) -> String {
    let Some(estimate) = estimate_of(candidates, method) else {
        return format!("{method}: the only one that applies");
    };
    if estimate.elements == 0 {
        return format!("{method}: nothing moves");
    }
    let Some(schedule) = schedule else {
        return all_at_once(estimate, candidates, prices);
    };
    let mut text = format!("{method}: {}", counted(estimate.steps, "step"));
    text += match least_steps {
        Some(least) if least == estimate.steps => ", the least possible,",
        _ => "",
    };
    text += &sizes(schedule, graph, estimate);
    text += &rival(candidates, method, estimate);
    if turn_about(plan, method) {
        text += "; the dimensions have their bottlenecks on different sides, so that their product is not the shortest";
    }
    text
}

fn estimate_of(candidates: &[Candidate], method: Method) -> Option<&Estimate> {
    candidates.iter().find(|candidate| candidate.method == method)?.estimate.as_ref().ok()
}

fn all_at_once(estimate: &Estimate, candidates: &[Candidate], prices: Prices<'_>) -> String {
    let mut text = format!(
        "{}: no rank has more than {} or {}",
        Method::AllAtOnce,
        counted(estimate.steps, "message"),
        counted(estimate.elements, "element")
    );
    if prices.model.contention == 0.0 {
        return text + "; without contention no order of messages is better";
    }
    let stepped = candidates.iter().filter(|candidate| candidate.method != Method::AllAtOnce);
    let seconds =
        |candidate: &Candidate| Some((candidate.estimate.as_ref().ok()?.seconds, candidate.method));
    if let Some((seconds, method)) = stepped.filter_map(seconds).min_by(|a, b| a.0.total_cmp(&b.0))
    {
        text += &format!(
            "; {} s, where the {method} would take {} s",
            time(estimate.seconds),
            time(seconds)
        );
    }
    text
}

fn sizes(
    schedule: &dyn Schedule,
    graph: &Result<MessageGraph, ScheduleError>,
    estimate: &Estimate,
) -> String {
    let elements = estimate.elements;
    let Ok(graph) = graph else {
        return format!(" of no more than {} in all", counted(elements, "element"));
    };
    let longest = longest_messages(schedule, graph);
    match (longest.iter().min(), longest.iter().max()) {
        (Some(least), Some(most)) if least == most => {
            format!(" of {} each", counted(*most, "element"))
        }
        (Some(least), Some(most)) => {
            format!(" of {least} to {}, {elements} in all", counted(*most, "element"))
        }
        _ => String::new(),
    }
}

fn rival(candidates: &[Candidate], method: Method, estimate: &Estimate) -> String {
    let caterpillar = estimate_of(candidates, Method::Caterpillar);
    let Some(other) = caterpillar.filter(|_| method != Method::Caterpillar) else {
        return String::new();
    };
    let name = Method::Caterpillar;
    match (other.steps == estimate.steps, other.elements == estimate.elements) {
        (false, _) => format!("; {name} would take {}", other.steps),
        (true, false) => {
            format!("; {name} would take {} in all", counted(other.elements, "element"))
        }
        (true, true) => format!("; {name} would take as many"),
    }
}

/// Returns `true` if a closed-form product is too long because neither side is the bottleneck in all
/// dimensions.
fn turn_about(plan: &AnyPlan, method: Method) -> bool {
    let most = |axis: &Axis| {
        let mut effort = Effort::NONE;
        [Side::Source, Side::Destination].map(|side| axis.most_partners(side, &mut effort))
    };
    let degrees: Vec<_> = plan.axes().iter().map(most).collect();
    matches!(method, Method::Circulant | Method::ClosedForm)
        && degrees.iter().flatten().all(|figure| figure.is_exact)
        && !degrees.iter().all(|[out, into]| out.value <= into.value)
        && !degrees.iter().all(|[out, into]| out.value >= into.value)
}

fn time(seconds: f64) -> String {
    format!("{seconds:.2e}")
}
