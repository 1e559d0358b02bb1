//! Messages in an order, each in the first step in which both of its ranks are free.

use super::StepTable;
use redist::plan::schedule::{Edge, MessageGraph, Schedule};
use redist_measuring::Shuffle;
use std::cmp::Reverse;

/// The seed that all ranks draw by.
const SEED: u64 = 1996;

/// Takes the longest messages first.
pub fn longest_first(graph: &MessageGraph) -> StepTable {
    let mut edges = graph.edges().to_vec();
    edges.sort_by_key(|edge| Reverse(edge.elements));
    first_fit(graph, edges.iter())
}

/// Takes messages in an order that is drawn.
pub fn random(graph: &MessageGraph) -> StepTable {
    let order = Shuffle::new(SEED).order(graph.edges().len());
    first_fit(graph, order.iter().map(|number| &graph.edges()[*number]))
}

fn first_fit<'a>(graph: &MessageGraph, edges: impl Iterator<Item = &'a Edge>) -> StepTable {
    let mut table = StepTable::for_ranks_of(graph);
    for edge in edges {
        let step = (0..=table.steps()).find(|step| table.is_free(*step, edge));
        table.put(step.unwrap_or(table.steps()), edge);
    }
    table
}
