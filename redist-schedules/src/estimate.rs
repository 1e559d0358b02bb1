//! Costs of schedules by the model.

use super::aligned::CostedSchedule;
use super::check::longest;
use super::reduced::Reduced;
use super::{CostModel, MessageGraph, Method, Schedule};
use redist_plan::plan::{AnyPlan, Axis, Side};

/// The cost of a method for a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Number of steps with a message; for all at once, the most messages of any rank.
    pub steps: usize,
    /// Sum of the steps' longest messages, in elements; for all at once, the most of any rank.
    pub elements: usize,
    /// Seconds by the model.
    pub seconds: f64,
}

/// A cost model for elements of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices<'a> {
    pub model: &'a CostModel,
    /// Bytes of an element.
    pub element_bytes: usize,
}

impl Prices<'_> {
    fn estimate(&self, steps: usize, elements: usize) -> Estimate {
        let seconds = self.model.seconds(steps, elements as f64 * self.element_bytes as f64);
        Estimate { steps, elements, seconds }
    }

    fn all_at_once(&self, messages: usize, elements: usize) -> Estimate {
        let bytes = elements as f64 * self.element_bytes as f64 * (1.0 + self.model.contention);
        Estimate { steps: messages, elements, seconds: self.model.seconds(messages, bytes) }
    }
}

/// The source of a plan's costs.
#[derive(Debug)]
pub(super) enum Costs<'a> {
    /// All messages.
    Graph(&'a MessageGraph),
    /// Upper bounds, for plans with too many messages.
    Bounds(&'a AnyPlan),
}

impl Costs<'_> {
    pub fn least_steps(&self) -> Option<usize> {
        match self {
            Costs::Graph(graph) => Some(graph.least_steps()),
            Costs::Bounds(plan) => {
                let most = plan.steps();
                most.is_exact.then_some(most.value)
            }
        }
    }

    pub fn all_at_once(&self, prices: Prices<'_>) -> Estimate {
        match self {
            Costs::Graph(graph) => prices.all_at_once(graph.least_steps(), graph.busiest()),
            Costs::Bounds(plan) => prices.all_at_once(plan.steps().value, busiest(plan)),
        }
    }

    pub fn schedule(&self, line: &CostedSchedule, prices: Prices<'_>) -> Estimate {
        match self {
            Costs::Graph(graph) => {
                let longest = longest_messages(&*line.schedule, graph);
                prices.estimate(
                    longest.len(),
                    longest.iter().fold(0, |sum, size| sum.saturating_add(*size)),
                )
            }
            Costs::Bounds(_) => prices.estimate(line.schedule.steps(), line.elements),
        }
    }
}

pub(super) fn longest_messages(schedule: &dyn Schedule, graph: &MessageGraph) -> Vec<usize> {
    let met = graph
        .edges()
        .iter()
        .filter_map(|edge| Some((schedule.meeting(edge.source, edge.destination)?, edge)));
    longest(met.map(|(step, edge)| (step, edge.elements)).collect())
}

fn busiest(plan: &AnyPlan) -> usize {
    let most = |side| {
        let along = |axis: &Axis| axis.side(side).most_owned_below(axis.len());
        plan.axes().iter().map(along).fold(1, |product: usize, most| product.saturating_mul(most))
    };
    most(Side::Source).max(most(Side::Destination))
}

pub(super) fn caterpillar_elements(plan: &AnyPlan, steps: usize) -> usize {
    let longest =
        |(dimension, axis): (usize, &Axis)| match Reduced::of(axis, dimension, Method::Caterpillar)
        {
            Ok(reduced) => reduced.longest_message(),
            Err(_) => axis.len(),
        };
    let longest = plan
        .axes()
        .iter()
        .enumerate()
        .map(longest)
        .fold(1, |product: usize, most| product.saturating_mul(most));
    longest.min(busiest(plan)).saturating_mul(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::product::closed;
    use crate::{Method, ScheduleError};
    use redist_plan::layout::{Dist, Layout};
    use redist_plan::plan::Plan;

    const PRICES: Prices<'_> = Prices { model: &CostModel::NETWORK, element_bytes: 8 };

    fn plans() -> Vec<Plan<1>> {
        let mut plans = Vec::new();
        for (s, t) in [(1, 3), (4, 2), (5, 3), (6, 4), (7, 7)] {
            for (p, q) in [(1, 4), (4, 1), (3, 5), (6, 4), (4, 4)] {
                for extent in [1, 5, 17, 60, 101, 420, 1000] {
                    plans.extend([0, 3].map(|at| {
                        let layout = |block, ranks: usize| {
                            let layout = Layout::new([Dist::Cyclic(block)], [ranks]);
                            layout.first([ranks - 1]).of([extent + 9]).at([at])
                        };
                        Plan::new([extent], layout(s, p), layout(t, q)).unwrap()
                    }));
                }
            }
        }
        plans
    }

    #[test]
    fn bounds_hold() {
        let mut whole = 0;
        for plan in plans() {
            let graph = MessageGraph::of(&plan).unwrap();
            let any = AnyPlan::from(plan);
            let (exact, bounds) = (Costs::Graph(&graph), Costs::Bounds(&any));
            let (at_once, bound) = (exact.all_at_once(PRICES), bounds.all_at_once(PRICES));
            assert!(bound.steps >= at_once.steps, "{plan}");
            assert_eq!(bound.elements, at_once.elements, "{plan}");
            if let Some(least) = bounds.least_steps() {
                assert_eq!(least, graph.least_steps(), "{plan}");
                whole += 1;
            }
            for method in [Method::Circulant, Method::ClosedForm] {
                let line = match closed(&any, method) {
                    Ok(line) => line,
                    Err(
                        ScheduleError::NotMultiples { .. } | ScheduleError::NoClosedForm { .. },
                    ) => {
                        continue;
                    }
                    Err(error) => panic!("{error}"),
                };
                let [exact, bound] = [&exact, &bounds].map(|costs| costs.schedule(&line, PRICES));
                assert!(bound.steps >= exact.steps, "{plan}: {method}");
                assert!(bound.elements >= exact.elements, "{plan}: {method}");
                assert!(bound.seconds >= exact.seconds);
                let period = plan.axis(0).period();
                if plan.axis(0).len() > period && plan.axis(0).len().is_multiple_of(period) {
                    assert_eq!(bound.steps, exact.steps, "{plan}: {method}");
                    // Not every step of a mixed group has a message of its largest class.
                    let is_mixed = method == Method::ClosedForm;
                    assert!(bound.elements == exact.elements || is_mixed, "{plan}");
                }
            }
            let longest = graph.edges().iter().map(|edge| edge.elements).max().unwrap_or(0);
            assert!(caterpillar_elements(&any, 1) >= longest, "{plan}");
        }
        assert!(whole > 100, "{whole}");
    }
}
