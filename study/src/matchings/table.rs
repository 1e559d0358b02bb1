//! A schedule that is kept as a table.

use redist::plan::schedule::{Edge, MessageGraph, Method, Schedule};

/// The partners of all ranks in one step.
#[derive(Debug)]
struct Step {
    /// The receiver of each source.
    to: Vec<Option<usize>>,
    /// The sender to each destination.
    from: Vec<Option<usize>>,
}

/// A schedule as a table of steps and ranks.
#[derive(Debug)]
pub struct StepTable {
    /// Source ranks.
    sources: usize,
    /// Destination ranks.
    destinations: usize,
    steps: Vec<Step>,
}

impl StepTable {
    /// Makes an empty schedule for the ranks of a graph.
    pub fn for_ranks_of(graph: &MessageGraph) -> Self {
        Self { sources: graph.sources(), destinations: graph.destinations(), steps: Vec::new() }
    }

    /// Returns `true` if neither rank of a message has a partner in a step. Steps beyond the last
    /// one are free.
    pub fn is_free(&self, step: usize, edge: &Edge) -> bool {
        self.steps.get(step).is_none_or(|step| {
            step.to[edge.source].is_none() && step.from[edge.destination].is_none()
        })
    }

    /// Puts a message into a step, which is at most the one after the last.
    pub fn put(&mut self, step: usize, edge: &Edge) {
        if step == self.steps.len() {
            let (to, from) = (vec![None; self.sources], vec![None; self.destinations]);
            self.steps.push(Step { to, from });
        }
        let step = &mut self.steps[step];
        step.to[edge.source] = Some(edge.destination);
        step.from[edge.destination] = Some(edge.source);
    }
}

impl Schedule for StepTable {
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
