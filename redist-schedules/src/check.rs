//! Checks any schedule against the messages of its plan.

use super::{MessageGraph, Schedule};

/// The figures of a schedule for the messages of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Steps in which a message moves; a schedule may have more.
    pub steps: usize,
    /// Sum over the steps of the longest message, in elements.
    pub elements: usize,
    /// The least number of steps of any schedule: the most messages of any rank.
    pub least_steps: usize,
    /// A lower bound of `elements` for any schedule.
    pub least_elements: usize,
}

/// An error in a schedule, at the message between two ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ScheduleFault {
    /// The schedule is for other grids.
    #[error(
        "the schedule is for {sources} → {destinations} ranks, the messages for {expected_sources} → {expected_destinations}"
    )]
    Grids {
        sources: usize,
        destinations: usize,
        expected_sources: usize,
        expected_destinations: usize,
    },
    /// The two ends of a pair do not agree.
    #[error(
        "step {step}: source {source_rank} and destination {destination} do not name each other"
    )]
    OneSided { step: usize, source_rank: usize, destination: usize },
    /// A rank's partner does not exist.
    #[error(
        "step {step}: a pair of source {source_rank} and destination {destination}, which is not in the grids"
    )]
    Outside { step: usize, source_rank: usize, destination: usize },
    /// A message is in two steps.
    #[error(
        "the message from {source_rank} to {destination} is in step {first} and in step {second}"
    )]
    Twice { source_rank: usize, destination: usize, first: usize, second: usize },
    /// A message is in no step.
    #[error("the message from {source_rank} to {destination} is in no step")]
    Missing { source_rank: usize, destination: usize },
    /// A pair's step is not the step that the schedule names for it.
    #[error(
        "source {source_rank} meets destination {destination} in step {step}, but `meeting` says {found:?}"
    )]
    Meeting { source_rank: usize, destination: usize, step: usize, found: Option<usize> },
}

/// Checks that every step is a partial matching, seen alike from both sides, and that every message
/// is in one step. Takes time of steps times ranks.
///
/// # Errors
/// The first fault.
pub fn check(schedule: &dyn Schedule, graph: &MessageGraph) -> Result<Checked, ScheduleFault> {
    grids(schedule, graph)?;
    let mut step_of = vec![None; graph.edges().len()];
    for step in 0..schedule.steps() {
        for source_rank in 0..graph.sources() {
            if let Some(destination) = schedule.destination(step, source_rank) {
                pair(schedule, graph, (step, source_rank, destination))?;
                record(&mut step_of, graph, (step, source_rank, destination))?;
            }
        }
        for destination in 0..graph.destinations() {
            if let Some(source_rank) = schedule.source(step, destination) {
                pair(schedule, graph, (step, source_rank, destination))?;
            }
        }
    }
    let mut sizes = Vec::with_capacity(step_of.len());
    for (edge, step) in graph.edges().iter().zip(step_of) {
        let (source_rank, destination) = (edge.source, edge.destination);
        let step = step.ok_or(ScheduleFault::Missing { source_rank, destination })?;
        let found = schedule.meeting(source_rank, destination);
        if found != Some(step) {
            return Err(ScheduleFault::Meeting { source_rank, destination, step, found });
        }
        sizes.push((step, edge.elements));
    }
    let longest = longest(sizes);
    let elements = longest.iter().fold(0, |sum: usize, size| sum.saturating_add(*size));
    let (least_steps, least_elements) = (graph.least_steps(), graph.least_elements());
    Ok(Checked { steps: longest.len(), elements, least_steps, least_elements })
}

/// Returns the longest message of every step, from the step and the size of each message.
pub(super) fn longest(mut sizes: Vec<(usize, usize)>) -> Vec<usize> {
    sizes.sort_unstable();
    sizes
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|step| step.last())
        .map(|(_, size)| *size)
        .collect()
}

fn grids(schedule: &dyn Schedule, graph: &MessageGraph) -> Result<(), ScheduleFault> {
    let (sources, destinations) = (schedule.sources(), schedule.destinations());
    let (expected_sources, expected_destinations) = (graph.sources(), graph.destinations());
    if (sources, destinations) == (expected_sources, expected_destinations) {
        return Ok(());
    }
    Err(ScheduleFault::Grids { sources, destinations, expected_sources, expected_destinations })
}

fn pair(
    schedule: &dyn Schedule,
    graph: &MessageGraph,
    (step, source_rank, destination): (usize, usize, usize),
) -> Result<(), ScheduleFault> {
    if source_rank >= graph.sources() || destination >= graph.destinations() {
        return Err(ScheduleFault::Outside { step, source_rank, destination });
    }
    let (to, from) = (schedule.destination(step, source_rank), schedule.source(step, destination));
    if (to, from) == (Some(destination), Some(source_rank)) {
        return Ok(());
    }
    Err(ScheduleFault::OneSided { step, source_rank, destination })
}

fn record(
    step_of: &mut [Option<usize>],
    graph: &MessageGraph,
    (second, source_rank, destination): (usize, usize, usize),
) -> Result<(), ScheduleFault> {
    let Some(position) = graph.position(source_rank, destination) else {
        return Ok(());
    };
    match step_of[position].replace(second) {
        None => Ok(()),
        Some(first) => Err(ScheduleFault::Twice { source_rank, destination, first, second }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Method;
    use redist_plan::plan::Plan;

    /// A schedule that is written by hand, right or wrong.
    #[derive(Debug)]
    struct Written {
        /// By step, the destination of each source; `None` for one that sends nothing.
        destinations: Vec<[Option<usize>; 2]>,
        /// `false` if destinations do not see their sources.
        seen: bool,
    }

    impl Schedule for Written {
        fn method(&self) -> Method {
            Method::Koenig
        }

        fn sources(&self) -> usize {
            2
        }

        fn destinations(&self) -> usize {
            2
        }

        fn steps(&self) -> usize {
            self.destinations.len()
        }

        fn destination(&self, step: usize, source: usize) -> Option<usize> {
            self.destinations[step][source]
        }

        fn source(&self, step: usize, destination: usize) -> Option<usize> {
            self.destinations[step].iter().position(|met| self.seen && *met == Some(destination))
        }
    }

    fn fault(destinations: &[[Option<usize>; 2]], seen: bool) -> Option<ScheduleFault> {
        let plan = Plan::<1>::parse([4], "cyclic(1) onto 2", "cyclic(2) onto 2").unwrap();
        let written = Written { destinations: destinations.to_vec(), seen };
        check(&written, &MessageGraph::of(&plan).unwrap()).err()
    }

    #[test]
    fn every_fault_is_found() {
        let (straight, crossed) = ([Some(0), Some(1)], [Some(1), Some(0)]);
        assert_eq!(fault(&[straight, crossed], true), None);
        let (source_rank, destination) = (0, 0);
        let one_sided = ScheduleFault::OneSided { step: 0, source_rank, destination };
        assert_eq!(fault(&[straight, crossed], false), Some(one_sided));
        let contention = ScheduleFault::OneSided { step: 0, source_rank: 1, destination };
        assert_eq!(fault(&[[Some(0), Some(0)], crossed], true), Some(contention));
        let outside = ScheduleFault::Outside { step: 1, source_rank, destination: 2 };
        assert_eq!(fault(&[straight, [Some(2), None]], true), Some(outside));
        let twice = ScheduleFault::Twice { source_rank, destination, first: 0, second: 2 };
        assert_eq!(fault(&[straight, crossed, straight], true), Some(twice));
        let missing = ScheduleFault::Missing { source_rank: 1, destination: 0 };
        assert_eq!(fault(&[straight, [Some(1), None]], true), Some(missing));
    }

    #[test]
    fn other_grids_are_told() {
        let plan = Plan::<1>::parse([4], "cyclic(1) onto 3", "cyclic(2) onto 2").unwrap();
        let written = Written { destinations: Vec::new(), seen: true };
        let fault = check(&written, &MessageGraph::of(&plan).unwrap()).unwrap_err();
        assert_eq!(fault.to_string(), "the schedule is for 2 → 2 ranks, the messages for 3 → 2");
    }
}
