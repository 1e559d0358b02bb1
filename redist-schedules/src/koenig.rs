//! König's edge colouring: any graph of messages in as few steps as its busiest rank has messages.
//! Source: D. König, *Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre*
//! (1916). An edge takes a colour that is free at both its ranks. Else `a` is free at its source
//! and `b` at its destination. The path from the destination of colours `a, b, a, …` cannot end at
//! the source, because the graph has two sides. After the colours change places along it, `a` is
//! free at both. This takes `O(E (P + Q))` at worst. The largest edges come first, and
//! [`balance`](super::balance) evens the steps out.

use super::balance::balance;
use super::colouring::Colouring;
use super::{MessageGraph, Method, Schedule, ScheduleError};

/// A schedule kept as the step of each message.
#[derive(Clone, Debug)]
pub(super) struct Koenig {
    /// Ranks of the source's grid.
    sources: usize,
    /// Ranks of the destination's grid.
    destinations: usize,
    /// Number of steps.
    steps: usize,
    /// Each message as source, step and destination, sorted.
    by_source: Vec<(usize, usize, usize)>,
    /// Each message as destination, step and source, sorted.
    by_destination: Vec<(usize, usize, usize)>,
}

impl Koenig {
    /// Fails with [`ScheduleError::TooManyColours`].
    pub fn of(graph: &MessageGraph) -> Result<Self, ScheduleError> {
        let mut colouring = Colouring::of(graph)?;
        colour(&mut colouring);
        balance(&mut colouring, graph.least_elements());
        let edges = graph.edges().iter().enumerate();
        let mut by_source: Vec<_> = edges
            .map(|(number, edge)| (edge.source, colouring.colour(number), edge.destination))
            .collect();
        let mut by_destination: Vec<_> = by_source
            .iter()
            .map(|(source, step, destination)| (*destination, *step, *source))
            .collect();
        by_source.sort_unstable();
        by_destination.sort_unstable();
        let (sources, destinations, steps) =
            (graph.sources(), graph.destinations(), colouring.colours);
        Ok(Self { sources, destinations, steps, by_source, by_destination })
    }
}

pub(super) fn colour(colouring: &mut Colouring) {
    let mut order: Vec<usize> = (0..colouring.sizes.len()).collect();
    order.sort_unstable_by_key(|edge| (core::cmp::Reverse(colouring.sizes[*edge]), *edge));
    for edge in order {
        let [source, destination] = colouring.ends(edge);
        let common =
            colouring.row(source).zip(colouring.row(destination)).position(|(a, b)| !a && !b);
        let colour = common.unwrap_or_else(|| {
            let (a, b) = (free(colouring, source), free(colouring, destination));
            exchange(colouring, destination, (a, b));
            a
        });
        colouring.recolour(&[(edge, colour)]);
    }
}

/// Returns the first free colour of a rank; the rank has an edge without a colour.
fn free(colouring: &Colouring, rank: usize) -> usize {
    colouring.row(rank).position(|taken| !taken).unwrap_or(0)
}

/// Exchanges two colours along the path that leaves `rank` by the first of them.
fn exchange(colouring: &mut Colouring, rank: usize, (mut colour, mut other): (usize, usize)) {
    let (mut rank, mut path) = (rank, Vec::new());
    while let Some(edge) = colouring.at(rank, colour) {
        path.push((edge, other));
        let [source, destination] = colouring.ends(edge);
        rank = if rank == source { destination } else { source };
        (colour, other) = (other, colour);
    }
    colouring.recolour(&path);
}

fn find(triples: &[(usize, usize, usize)], key: (usize, usize)) -> Option<usize> {
    let found = triples.binary_search_by_key(&key, |(rank, step, _)| (*rank, *step)).ok()?;
    Some(triples[found].2)
}

impl Schedule for Koenig {
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
        self.steps
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        find(&self.by_source, (source, step))
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        find(&self.by_destination, (destination, step))
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let first = self.by_source.partition_point(|(rank, _, _)| *rank < source);
        let own = self.by_source[first..].iter().take_while(|(rank, _, _)| *rank == source);
        own.into_iter().find(|(_, _, met)| *met == destination).map(|(_, step, _)| *step)
    }
}
