//! The caterpillar: a schedule for any blocks, with as many steps as the larger side has ranks.

use super::{Method, Schedule};

/// In step τ of `M = max(P, Q)`, source `p` is paired with destination `(τ - p) mod M`. Source: D.
/// W. Walker and S. W. Otto, *Redistribution of block-cyclic data distributions using MPI*; L.
/// Prylli and B. Tourancheau, *Fast runtime block cyclic data redistribution on multiprocessors*.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caterpillar {
    /// Ranks of the source's grid.
    sources: usize,
    /// Ranks of the destination's grid.
    destinations: usize,
}

impl Caterpillar {
    pub fn new(sources: usize, destinations: usize) -> Self {
        Self { sources, destinations }
    }

    /// Returns `(step - rank) mod M`, if it is below `others`.
    fn partner(&self, step: usize, rank: usize, others: usize) -> Option<usize> {
        let steps = self.steps();
        (step < steps && rank < steps)
            .then(|| (step + steps - rank) % steps)
            .filter(|partner| *partner < others)
    }
}

impl Schedule for Caterpillar {
    fn method(&self) -> Method {
        Method::Caterpillar
    }

    fn sources(&self) -> usize {
        self.sources
    }

    fn destinations(&self) -> usize {
        self.destinations
    }

    fn steps(&self) -> usize {
        self.sources.max(self.destinations)
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        self.partner(step, source, self.destinations).filter(|_| source < self.sources)
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        self.partner(step, destination, self.sources).filter(|_| destination < self.destinations)
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        (source < self.sources && destination < self.destinations)
            .then(|| (source + destination) % self.steps())
    }
}
