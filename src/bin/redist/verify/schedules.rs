//! Verifies the schedules of a plan.

use super::proof::Tally;
use crate::words::counted;
use redist::Plan;
use redist::plan::schedule::{MessageGraph, Method, Schedule, Schedules, check};

/// The most entries of a checked schedule: ranks times steps.
const MAX_ENTRIES: usize = 1 << 30;

/// Describes every method with steps, given the elements that moved without any. Fails if a
/// schedule or its messages are wrong.
pub fn check_all<const D: usize>(plan: &Plan<D>, moved: Tally) -> Result<Vec<String>, String> {
    let graph = match MessageGraph::of(plan) {
        Ok(graph) => graph,
        Err(error) => return Ok(vec![format!("schedules are not checked: {error}")]),
    };
    let elements = graph.edges().iter().map(|edge| edge.elements).sum();
    let scheduled = Tally { elements, messages: graph.edges().len() };
    if scheduled != moved {
        return Err(format!("{moved:?} was moved, but schedules are made for {scheduled:?}"));
    }
    Method::ALL[1..].iter().map(|method| one(plan, *method, &graph)).collect()
}

fn one<const D: usize>(
    plan: &Plan<D>,
    method: Method,
    graph: &MessageGraph,
) -> Result<String, String> {
    match plan.schedule(method) {
        Ok(Some(schedule)) => checked(&*schedule, graph),
        Ok(None) => Ok(format!("{method}: has no steps")),
        Err(error) => {
            let error = error.to_string();
            let reason = error.strip_prefix(&format!("{method}: ")).unwrap_or(&error);
            Ok(format!("{method}: does not apply: {reason}"))
        }
    }
}

fn checked(schedule: &dyn Schedule, graph: &MessageGraph) -> Result<String, String> {
    let method = schedule.method();
    let entries = schedule.steps().saturating_mul(graph.sources() + graph.destinations());
    if entries > MAX_ENTRIES {
        return Ok(format!("{method}: not checked: {entries} entries are more than {MAX_ENTRIES}"));
    }
    let found = check(schedule, graph).map_err(|fault| format!("{method}: {fault}"))?;
    Ok(format!(
        "{method}: verified: {} without contention, every message in one of them; {} at least",
        counted(found.steps, "step"),
        found.least_steps
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_methods_are_looked_at() {
        let plan = Plan::parse([12], "block onto 2", "cyclic onto 2").expect("a plan");
        let lines = check_all(&plan, Tally { elements: 12, messages: 4 }).expect("right schedules");
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("circulant: verified: 2 steps"), "{lines:?}");
        assert!(check_all(&plan, Tally { elements: 12, messages: 3 }).is_err());
    }
}
