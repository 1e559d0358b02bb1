//! Edge colourings of the graph of messages, as tables.

use super::{MessageGraph, ScheduleError};

/// Most entries of a table: colours times ranks.
const MAX_TABLE_ENTRIES: usize = 1 << 24;

/// Stands for no message, and for no colour.
const NONE: u32 = u32::MAX;

/// The message of each colour at each rank that has messages. Colours are steps.
#[derive(Clone, Debug)]
pub(super) struct Colouring {
    /// Number of colours.
    pub colours: usize,
    /// Source ranks that have messages.
    sources: usize,
    /// Both ranks of each message, renumbered: sources first, without ranks that have no message.
    ends: Vec<[u32; 2]>,
    /// Elements of each message.
    pub sizes: Vec<usize>,
    /// Message of each colour, rank after rank; [`NONE`] if there is none.
    table: Vec<u32>,
    /// Colour of each message; [`NONE`] without one.
    colour_of: Vec<u32>,
}

impl Colouring {
    /// Fails with [`ScheduleError::TooManyColours`].
    pub fn of(graph: &MessageGraph) -> Result<Self, ScheduleError> {
        let colours = graph.least_steps();
        let sources = renumbered(graph.edges().iter().map(|edge| edge.source).collect());
        let destinations = renumbered(graph.edges().iter().map(|edge| edge.destination).collect());
        let first = sources.len() as u32;
        let end = |numbers: &[usize], rank| numbers.partition_point(|number| *number < rank) as u32;
        let edges = graph.edges().iter();
        let ends: Vec<[u32; 2]> = edges
            .map(|edge| [end(&sources, edge.source), first + end(&destinations, edge.destination)])
            .collect();
        let ranks = sources.len() + destinations.len();
        let Some(entries) =
            ranks.checked_mul(colours).filter(|entries| *entries <= MAX_TABLE_ENTRIES)
        else {
            return Err(ScheduleError::TooManyColours {
                ranks,
                steps: colours,
                limit: MAX_TABLE_ENTRIES,
            });
        };
        let sizes = graph.edges().iter().map(|edge| edge.elements).collect();
        Ok(Self {
            colours,
            sources: sources.len(),
            table: vec![NONE; entries],
            colour_of: vec![NONE; ends.len()],
            ends,
            sizes,
        })
    }

    pub fn ends(&self, edge: usize) -> [usize; 2] {
        self.ends[edge].map(|rank| rank as usize)
    }

    pub fn colour(&self, edge: usize) -> usize {
        self.colour_of[edge] as usize
    }

    pub fn at(&self, rank: usize, colour: usize) -> Option<usize> {
        Some(self.table[rank * self.colours + colour])
            .filter(|edge| *edge != NONE)
            .map(|edge| edge as usize)
    }

    pub fn row(&self, rank: usize) -> impl Iterator<Item = bool> {
        self.table[rank * self.colours..][..self.colours].iter().map(|edge| *edge != NONE)
    }

    pub fn ranks(&self) -> usize {
        self.table.len() / self.colours.max(1)
    }

    pub fn recolour(&mut self, edges: &[(usize, usize)]) {
        for (edge, _) in edges {
            if self.colour_of[*edge] != NONE {
                self.set(*edge, NONE);
            }
        }
        for (edge, colour) in edges {
            self.colour_of[*edge] = *colour as u32;
            self.set(*edge, *edge as u32);
        }
    }

    fn set(&mut self, edge: usize, entry: u32) {
        for rank in self.ends(edge) {
            self.table[rank * self.colours + self.colour_of[edge] as usize] = entry;
        }
    }

    /// Returns the largest message of a colour, the first among equals.
    pub fn largest(&self, colour: usize) -> Option<usize> {
        let edges = (0..self.sources).filter_map(|rank| self.at(rank, colour));
        edges.min_by_key(|edge| (core::cmp::Reverse(self.sizes[*edge]), *edge))
    }
}

fn renumbered(mut ranks: Vec<usize>) -> Vec<usize> {
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}
