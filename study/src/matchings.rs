//! Schedules of repeated bipartite matchings, with which Park, Prasanna and Raghavendra compare.

use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use redist::Plan;
use redist::plan::schedule::{Edge, MessageGraph, Method, Schedule, ScheduleError};
use std::cmp::Reverse;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// As many messages as possible, by Dinic's algorithm: Hopcroft and Karp's phases here.
    Maximum,
    /// The longest message whose ranks are both free, and so on.
    BySize,
}

impl Matching {
    pub const ALL: [Matching; 2] = [Matching::Maximum, Matching::BySize];

    pub fn schedule(self, graph: &MessageGraph) -> Matchings {
        let (sources, destinations) = (graph.sources(), graph.destinations());
        let mut rest = graph.edges().to_vec();
        if self == Matching::BySize {
            rest.sort_by_key(|edge| Reverse(edge.elements));
        }
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let chosen = match self {
                Matching::Maximum => maximum(sources, destinations, &rest),
                Matching::BySize => by_size(sources, destinations, &rest),
            };
            let mut step = Step { to: vec![None; sources], from: vec![None; destinations] };
            let mut number = 0;
            rest.retain(|edge| {
                number += 1;
                if chosen[number - 1] {
                    step.to[edge.source] = Some(edge.destination);
                    step.from[edge.destination] = Some(edge.source);
                }
                !chosen[number - 1]
            });
            steps.push(step);
        }
        Matchings { sources, destinations, steps }
    }
}

impl fmt::Display for Matching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Matching::Maximum => "maximum matchings",
            Matching::BySize => "greedy by size",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Planner(Method),
    Matching(Matching),
}

impl Order {
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

fn maximum(sources: usize, destinations: usize, edges: &[Edge]) -> Vec<bool> {
    let (begin, end) = (sources + destinations, sources + destinations + 1);
    let messages = edges.iter().map(|edge| (edge.source, sources + edge.destination));
    let sends = (0..sources).map(|source| (begin, source));
    let receives = (sources..begin).map(|destination| (destination, end));
    let all = messages.chain(sends).chain(receives);
    let [begin, end] = [begin, end].map(NodeIndex::new);
    let network = DiGraph::<(), u32>::from_edges(
        all.map(|(from, to)| (NodeIndex::new(from), NodeIndex::new(to), 1)),
    );
    let (_, flows) = dinics(&network, begin, end);
    flows[..edges.len()].iter().map(|flow| *flow > 0).collect()
}

/// Flags messages whose ranks are still free, in the order of the list.
fn by_size(sources: usize, destinations: usize, edges: &[Edge]) -> Vec<bool> {
    let (mut sends, mut receives) = (vec![false; sources], vec![false; destinations]);
    let mut choose = |edge: &Edge| {
        let free = !sends[edge.source] && !receives[edge.destination];
        if free {
            (sends[edge.source], receives[edge.destination]) = (true, true);
        }
        free
    };
    edges.iter().map(&mut choose).collect()
}

#[derive(Debug)]
struct Step {
    to: Vec<Option<usize>>,
    from: Vec<Option<usize>>,
}

/// A schedule of matchings, kept as a table.
#[derive(Debug)]
pub struct Matchings {
    sources: usize,
    destinations: usize,
    steps: Vec<Step>,
}

impl Schedule for Matchings {
    /// Names the planner's method for any graph, because it has none of repeated matchings.
    fn method(&self) -> Method {
        Method::Koenig
    }

    fn sources(&self) -> usize {
        self.sources
    }

    fn destinations(&self) -> usize {
        self.destinations
    }

    fn steps(&self) -> usize {
        self.steps.len()
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        self.steps[step].to[source]
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        self.steps[step].from[destination]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ScheduledCase;
    use redist::plan::schedule::check;

    fn most(edges: &[Edge], taken: &mut Vec<Edge>) -> usize {
        let Some((edge, rest)) = edges.split_first() else { return taken.len() };
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
    fn schedules_are_right_and_have_the_fewest_steps_at_least() {
        for case in ScheduledCase::all(true).into_iter().chain(ScheduledCase::timed()) {
            let graph = MessageGraph::of(&case.plan(1 << 12).unwrap()).unwrap();
            for matching in Matching::ALL {
                let checked = check(&matching.schedule(&graph), &graph);
                let checked = checked.unwrap_or_else(|fault| panic!("{matching}: {fault}"));
                assert!(checked.steps >= checked.least_steps, "{matching}, {case:?}");
            }
        }
    }

    #[test]
    fn the_first_step_is_a_maximum_matching() {
        for (blocks, ranks) in [((1, 2), (3, 4)), ((1, 3), (4, 4)), ((2, 3), (3, 5))] {
            let case = ScheduledCase { family: "s→t", blocks, ranks };
            let graph = MessageGraph::of(&case.plan(1).unwrap()).unwrap();
            let first = Matching::Maximum.schedule(&graph).pairs(0).len();
            assert_eq!(first, most(graph.edges(), &mut Vec::new()), "{case:?}");
        }
    }

    #[test]
    fn the_longest_message_is_in_the_first_step_by_size() {
        let case = ScheduledCase { family: "x→kx", blocks: (1, 6), ranks: (4, 8) };
        let graph = MessageGraph::of(&case.plan(1 << 8).unwrap()).unwrap();
        let longest = graph.edges().iter().map(|edge| edge.elements).max();
        let first = Matching::BySize.schedule(&graph).pairs(0);
        let lengths = first.iter().map(|(p, q)| graph.elements(*p, *q));
        assert_eq!(lengths.max(), longest);
    }
}
