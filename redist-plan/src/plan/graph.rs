//! The graph of a plan's messages.

use super::{AnyPlan, Axis, Plan, Side};
use core::ops::Range;

/// A message, in elements, between ranks numbered in their side's grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Edge {
    /// Number of the sender in the source's grid.
    pub source: usize,
    /// Number of the receiver in the destination's grid.
    pub destination: usize,
    /// Elements of the message.
    pub elements: usize,
}

/// A plan has more messages than are looked at.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the graph of messages has up to {messages} edges, more than the {limit} that are looked at; \
     use a closed form or the caterpillar"
)]
#[non_exhaustive]
pub struct TooManyMessages {
    /// An upper bound of the plan's messages.
    pub messages: usize,
    /// Most messages of a graph.
    pub limit: usize,
}

debug_in_words!(TooManyMessages);

/// All messages of a plan: the bipartite graph whose edge colourings are the schedules. It takes
/// memory and time in proportion to the messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageGraph {
    /// Ranks of the source's grid.
    sources: usize,
    /// Ranks of the destination's grid.
    destinations: usize,
    edges: Vec<Edge>,
}

impl MessageGraph {
    /// Most messages of a graph.
    pub const MAX_MESSAGES: usize = 1 << 18;

    /// Builds the graph of a plan.
    ///
    /// # Errors
    /// The plan has more than [`MAX_MESSAGES`](Self::MAX_MESSAGES).
    pub fn of<const D: usize>(plan: &Plan<D>) -> Result<Self, TooManyMessages> {
        Self::of_any(&plan.into())
    }

    /// Builds the graph of a plan of any number of dimensions.
    ///
    /// # Errors
    /// Those of [`of`](Self::of).
    pub fn of_any(plan: &AnyPlan) -> Result<Self, TooManyMessages> {
        let too_many = |messages| TooManyMessages { messages, limit: Self::MAX_MESSAGES };
        let most = plan.axes().iter().map(most_edges);
        if let Some(messages) = most.filter(|most| *most > Self::MAX_MESSAGES).max() {
            return Err(too_many(messages));
        }
        let lines: Vec<Vec<Edge>> = plan.axes().iter().map(edges).collect();
        let messages =
            lines.iter().fold(1, |product: usize, line| product.saturating_mul(line.len()));
        if messages > Self::MAX_MESSAGES {
            return Err(too_many(messages));
        }
        let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
        let mut edges: Vec<Edge> =
            (0..messages).map(|number| product(plan, &lines, number)).collect();
        edges.sort_unstable();
        Ok(Self { sources: from.ranks(), destinations: to.ranks(), edges })
    }

    /// Returns the number of ranks of the source's grid.
    pub fn sources(&self) -> usize {
        self.sources
    }

    /// Returns the number of ranks of the destination's grid.
    pub fn destinations(&self) -> usize {
        self.destinations
    }

    /// Returns the messages, by source, then by destination.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// Returns a pair's message: its place among [`edges`](Self::edges).
    pub fn position(&self, source: usize, destination: usize) -> Option<usize> {
        self.edges
            .binary_search_by_key(&(source, destination), |edge| (edge.source, edge.destination))
            .ok()
    }

    /// Returns the elements of one message; 0 if there is none.
    pub fn elements(&self, source: usize, destination: usize) -> usize {
        self.position(source, destination).map_or(0, |position| self.edges[position].elements)
    }

    /// Returns the least number of steps of any schedule (Kőnig's theorem).
    pub fn least_steps(&self) -> usize {
        self.sides().iter().flatten().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the most elements that a rank sends or receives.
    pub fn busiest(&self) -> usize {
        let sum =
            |sizes: &Vec<usize>| sizes.iter().fold(0, |sum: usize, size| sum.saturating_add(*size));
        self.sides().iter().flatten().map(sum).max().unwrap_or(0)
    }

    /// Bounds the sum of the steps' longest messages from below. The i-th longest step is no
    /// shorter than any rank's i-th longest message, because a rank's messages are in different
    /// steps.
    pub fn least_elements(&self) -> usize {
        let mut longest: Vec<usize> = Vec::new();
        for mut sizes in self.sides().into_iter().flatten() {
            sizes.sort_unstable_by(|a, b| b.cmp(a));
            longest.resize(longest.len().max(sizes.len()), 0);
            longest.iter_mut().zip(sizes).for_each(|(longest, size)| *longest = size.max(*longest));
        }
        longest.iter().fold(0, |sum: usize, size| sum.saturating_add(*size))
    }

    fn sides(&self) -> [Vec<Vec<usize>>; 2] {
        let mut by_destination = self.edges.clone();
        by_destination.sort_unstable_by_key(|edge| edge.destination);
        let sizes = |chunk: &[Edge]| chunk.iter().map(|edge| edge.elements).collect();
        [
            self.edges.chunk_by(|a, b| a.source == b.source).map(sizes).collect(),
            by_destination.chunk_by(|a, b| a.destination == b.destination).map(sizes).collect(),
        ]
    }
}

fn product(plan: &AnyPlan, lines: &[Vec<Edge>], number: usize) -> Edge {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let mut product = Edge { source: 0, destination: 0, elements: 1 };
    let mut rest = number;
    for (dimension, line) in lines.iter().enumerate() {
        let edge = line[rest % line.len()];
        rest /= line.len();
        product.source += edge.source * from.number_distance(dimension);
        product.destination +=
            edge.destination * to.number_distance(plan.destination_axis(dimension));
        product.elements *= edge.elements;
    }
    product
}

fn pairs(axis: &Axis) -> usize {
    axis.side(Side::Source).ranks().saturating_mul(axis.side(Side::Destination).ranks())
}

fn most_edges(axis: &Axis) -> usize {
    pairs(axis).min(axis.pieces_below(axis.period()))
}

/// Pieces that a walk passes in the time of one count in closed form.
const PIECES_WALKED_PER_COUNT: usize = 16;

fn edges(axis: &Axis) -> Vec<Edge> {
    let counted =
        axis.pieces_below(axis.period()) > pairs(axis).saturating_mul(PIECES_WALKED_PER_COUNT);
    if counted { count(axis) } else { walk(axis) }
}

fn count(axis: &Axis) -> Vec<Edge> {
    let (sources, destinations) =
        (axis.side(Side::Source).ranks(), axis.side(Side::Destination).ranks());
    let edge = |source, destination| Edge {
        source,
        destination,
        elements: axis.count(source, destination),
    };
    let row = |source| (0..destinations).map(move |destination| edge(source, destination));
    (0..sources).flat_map(row).filter(|edge| edge.elements > 0).collect()
}

fn walk(axis: &Axis) -> Vec<Edge> {
    let (repeats, rest) = (axis.len() / axis.period().max(1), axis.len() % axis.period().max(1));
    let edge = |(piece, [source, destination]): (Range<usize>, [usize; 2])| {
        let last = rest.clamp(piece.start, piece.end) - piece.start;
        Edge { source, destination, elements: piece.len() * repeats + last }
    };
    let mut pieces: Vec<Edge> = axis.owned_pieces(0..axis.period()).map(edge).collect();
    pieces.sort_unstable();
    let message = |pieces: &[Edge]| Edge {
        elements: pieces.iter().map(|piece| piece.elements).sum(),
        ..pieces[0]
    };
    pieces
        .chunk_by(|a, b| (a.source, a.destination) == (b.source, b.destination))
        .map(message)
        .collect()
}
