//! Repeated matchings of the greatest weight, by Kuhn and Munkres' assignment.
//!
//! Desprez, Dongarra, Petitet, Randriamaro and Robert use Jonker and Volgenant's algorithm, which
//! finds an assignment of the same weight in the same `O(n³)`. A step takes one assignment, and
//! there are at most `P + Q` steps, hence their `O((P + Q)⁴)`.

use super::StepTable;
use pathfinding::prelude::{Matrix, kuhn_munkres};
use redist::plan::schedule::{Edge, MessageGraph, Schedule};

/// Matches in each step all ranks that have the most messages left. A bipartite graph always has
/// such a matching, so the steps are as many as the messages of the busiest rank.
pub fn stepwise(graph: &MessageGraph) -> StepTable {
    repeat(graph, |rest| {
        let mut left = [vec![0; graph.sources()], vec![0; graph.destinations()]];
        for edge in rest {
            left[0][edge.source] += 1;
            left[1][edge.destination] += 1;
        }
        let most = left.iter().flatten().copied().max().unwrap_or(0);
        // One more busiest rank outweighs all elements of a step.
        let all: i64 = rest.iter().map(|edge| edge.elements as i64).sum();
        let weight = |edge: &Edge| {
            let busiest = [left[0][edge.source], left[1][edge.destination]];
            let busiest = busiest.into_iter().filter(|messages| *messages == most).count();
            (all + 1) * busiest as i64 + edge.elements as i64
        };
        rest.iter().map(weight).collect()
    })
}

/// Matches in each step the messages with the most elements together.
pub fn greedy(graph: &MessageGraph) -> StepTable {
    repeat(graph, |rest| rest.iter().map(|edge| edge.elements as i64).collect())
}

/// Takes matchings of the greatest weight until no message is left. `weights` are of the messages
/// that are left, and positive.
fn repeat(graph: &MessageGraph, weights: impl Fn(&[Edge]) -> Vec<i64>) -> StepTable {
    let mut table = StepTable::for_ranks_of(graph);
    let mut rest = graph.edges().to_vec();
    while !rest.is_empty() {
        let step = table.steps();
        let chosen = heaviest(graph, &rest, &weights(&rest));
        let is_chosen = |edge: &Edge| chosen.contains(&(edge.source, edge.destination));
        rest.iter().filter(|edge| is_chosen(edge)).for_each(|edge| table.put(step, edge));
        rest.retain(|edge| !is_chosen(edge));
    }
    table
}

/// Returns the assignment of sources to destinations with the greatest weight. Some of its pairs
/// have no message.
fn heaviest(graph: &MessageGraph, edges: &[Edge], weights: &[i64]) -> Vec<(usize, usize)> {
    // The crate assigns rows, which must not be more than columns.
    let is_turned = graph.sources() > graph.destinations();
    let turn = |(a, b): (usize, usize)| if is_turned { (b, a) } else { (a, b) };
    let (rows, columns) = turn((graph.sources(), graph.destinations()));
    let mut matrix = Matrix::new(rows, columns, 0);
    for (edge, weight) in edges.iter().zip(weights) {
        matrix[turn((edge.source, edge.destination))] = *weight;
    }
    let (_, columns) = kuhn_munkres(&matrix);
    columns.into_iter().enumerate().map(turn).collect()
}
