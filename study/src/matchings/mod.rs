//! Schedules of any message graph with which Park, Prasanna and Raghavendra compare, and two more.

mod by_order;
mod table;
mod weighted;

use redist::Plan;
use redist::plan::schedule::{MessageGraph, Method, Schedule, ScheduleError, Schedules};
use std::fmt;
pub use table::StepTable;

/// A way to take the steps of a message graph one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The stepwise strategy of Desprez, Dongarra, Petitet, Randriamaro and Robert, *Scheduling
    /// Block-Cyclic Array Redistribution*: the fewest steps. Each step matches all ranks that have
    /// the most messages left, and among such matchings has the most elements.
    Stepwise,
    /// Their greedy strategy, for a low cost of transmission: each step is a matching with the most
    /// elements.
    Greedy,
    /// Ours: the longest message whose ranks are both free, and so on.
    LongestFirst,
    /// After Walker and Otto: messages in a drawn order, each in the first step in which both of its
    /// ranks are free. The papers that cite them only name a random schedule.
    Random,
}

impl Matching {
    /// Lists all matchings: the literature's first.
    pub const ALL: [Matching; 4] =
        [Matching::Stepwise, Matching::Greedy, Matching::LongestFirst, Matching::Random];

    /// Computes the steps of all ranks.
    pub fn schedule(self, graph: &MessageGraph) -> StepTable {
        match self {
            Matching::Stepwise => weighted::stepwise(graph),
            Matching::Greedy => weighted::greedy(graph),
            Matching::LongestFirst => by_order::longest_first(graph),
            Matching::Random => by_order::random(graph),
        }
    }
}

impl fmt::Display for Matching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Matching::Stepwise => "stepwise matchings",
            Matching::Greedy => "greedy matchings",
            Matching::LongestFirst => "longest first",
            Matching::Random => "random",
        })
    }
}

/// A schedule of the planner, or one of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Planner(Method),
    Matching(Matching),
}

impl Order {
    /// Lists the orders that a plan has.
    pub fn of(plan: &Plan<1>) -> Vec<Order> {
        let planned = Method::ALL.into_iter().filter(|method| plan.schedule(*method).is_ok());
        planned.map(Order::Planner).chain(Matching::ALL.map(Order::Matching)).collect()
    }

    /// Computes the schedule; `None` for all at once.
    pub fn schedule(self, plan: &Plan<1>) -> Result<Option<Box<dyn Schedule>>, ScheduleError> {
        match self {
            Order::Planner(method) => plan.schedule(method),
            Order::Matching(matching) => {
                Ok(Some(Box::new(matching.schedule(&MessageGraph::of(plan)?))))
            }
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Planner(method) => method.fmt(f),
            Order::Matching(matching) => matching.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScheduledCase;
    use redist::plan::schedule::{Checked, Edge, check};

    fn checked(matching: Matching, graph: &MessageGraph) -> Checked {
        check(&matching.schedule(graph), graph)
            .unwrap_or_else(|fault| panic!("{matching}: {fault}"))
    }

    fn graph(blocks: (usize, usize), ranks: (usize, usize)) -> MessageGraph {
        let case = ScheduledCase { family: "s→t", blocks, ranks };
        MessageGraph::of(&case.plan(1).unwrap()).unwrap()
    }

    /// Returns the most elements of any matching of these messages, by trying all.
    fn most(edges: &[Edge], taken: &mut Vec<Edge>) -> usize {
        let Some((edge, rest)) = edges.split_first() else {
            return taken.iter().map(|edge| edge.elements).sum();
        };
        let left_out = most(rest, taken);
        let free = |a: &Edge| a.source != edge.source && a.destination != edge.destination;
        if !taken.iter().all(free) {
            return left_out;
        }
        taken.push(*edge);
        let taken_in = most(rest, taken);
        taken.pop();
        left_out.max(taken_in)
    }

    #[test]
    fn all_are_schedules_and_stepwise_needs_the_fewest_steps() {
        for case in ScheduledCase::all(true).into_iter().chain(ScheduledCase::timed()) {
            let graph = MessageGraph::of(&case.plan(1 << 12).unwrap()).unwrap();
            for matching in Matching::ALL {
                let found = checked(matching, &graph);
                assert!(found.steps >= found.least_steps, "{matching}, {case:?}");
                if matching == Matching::Stepwise {
                    assert_eq!(found.steps, found.least_steps, "{case:?}");
                }
            }
        }
    }

    /// Each step of the greedy strategy has the most elements of any matching of what is left.
    #[test]
    fn each_greedy_step_has_the_most_elements() {
        for (blocks, ranks) in
            [((1, 2), (3, 4)), ((1, 3), (4, 4)), ((2, 3), (3, 5)), ((3, 5), (4, 3))]
        {
            let graph = graph(blocks, ranks);
            let schedule = Matching::Greedy.schedule(&graph);
            let mut rest = graph.edges().to_vec();
            for step in 0..schedule.steps() {
                let pairs = schedule.pairs(step);
                let elements: usize = pairs.iter().map(|(p, q)| graph.elements(*p, *q)).sum();
                assert_eq!(elements, most(&rest, &mut Vec::new()), "{blocks:?}, {ranks:?}, {step}");
                rest.retain(|edge| !pairs.contains(&(edge.source, edge.destination)));
            }
        }
    }

    #[test]
    fn the_longest_message_is_in_the_first_step() {
        let case = ScheduledCase { family: "x→kx", blocks: (1, 6), ranks: (4, 8) };
        let graph = MessageGraph::of(&case.plan(1 << 8).unwrap()).unwrap();
        let longest = graph.edges().iter().map(|edge| edge.elements).max();
        let first = Matching::LongestFirst.schedule(&graph).pairs(0);
        let lengths = first.iter().map(|(p, q)| graph.elements(*p, *q));
        assert_eq!(lengths.max(), longest);
    }

    /// Both ends of a message compute the same order.
    #[test]
    fn what_is_drawn_is_drawn_again() {
        let graph = graph((3, 5), (6, 6));
        let [once, again] = [(); 2].map(|()| Matching::Random.schedule(&graph));
        assert!((0..once.steps()).all(|step| once.pairs(step) == again.pairs(step)));
        assert_ne!(once.pairs(0), Matching::LongestFirst.schedule(&graph).pairs(0));
    }
}
