//! One dimension of a redistribution, from every element: sender, receiver, places.

use crate::dealing::{Deal, Dealt};
use std::collections::BTreeMap;

/// Adjacent elements in both local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub source: usize,
    pub destination: usize,
    pub len: usize,
}

/// The elements of each pair (source rank, destination rank), by increasing global index.
pub type ByPair = BTreeMap<(usize, usize), Vec<Stretch>>;

/// The move of `len` elements: from `source_at` on in one deal to `destination_at` on in a second
/// deal.
#[derive(Clone, Debug)]
pub struct Movement {
    pub len: usize,
    pub source: Dealt,
    pub destination: Dealt,
    pub source_at: usize,
    pub destination_at: usize,
}

impl Movement {
    pub fn whole(source: Deal, destination: Deal) -> Self {
        Self::sections(source.extent, (source, 0), (destination, 0))
    }

    pub fn sections(len: usize, source: (Deal, usize), destination: (Deal, usize)) -> Self {
        Self {
            len,
            source: source.0.simulate(),
            destination: destination.0.simulate(),
            source_at: source.1,
            destination_at: destination.1,
        }
    }

    pub fn pair(&self, index: usize) -> (usize, usize) {
        (
            self.source.owner[self.source_at + index],
            self.destination.owner[self.destination_at + index],
        )
    }

    pub fn offsets(&self, index: usize) -> (usize, usize) {
        (
            self.source.local[self.source_at + index],
            self.destination.local[self.destination_at + index],
        )
    }

    pub fn count(&self, source: usize, destination: usize) -> usize {
        (0..self.len).filter(|&index| self.pair(index) == (source, destination)).count()
    }

    /// Returns `true` if a piece begins at `index`: a block of either side does, or the moved part.
    pub fn is_cut(&self, index: usize) -> bool {
        index == 0
            || self.source.begins_block[self.source_at + index]
            || self.destination.begins_block[self.destination_at + index]
    }

    pub fn piece_lengths(&self) -> Vec<usize> {
        let mut lengths = Vec::new();
        for index in 0..self.len {
            if self.is_cut(index) {
                lengths.push(0);
            }
            *lengths.last_mut().expect("index 0 is a cut") += 1;
        }
        lengths
    }

    pub fn pieces(&self) -> ByPair {
        self.stretches(|movement, index, _| !movement.is_cut(index))
    }

    /// Returns pieces that are also cut at every multiple of `period`, as in a walk through it.
    pub fn pieces_cut_every(&self, period: usize) -> ByPair {
        self.stretches(|movement, index, _| {
            !movement.is_cut(index) && !index.is_multiple_of(period)
        })
    }

    /// Returns the runs: pieces joined if they touch in both local arrays.
    pub fn runs(&self) -> ByPair {
        self.stretches(|movement, index, last| {
            movement.offsets(index) == (last.source + last.len, last.destination + last.len)
        })
    }

    fn stretches(&self, continues: impl Fn(&Self, usize, Stretch) -> bool) -> ByPair {
        let mut pairs = ByPair::new();
        for index in 0..self.len {
            let stretches = pairs.entry(self.pair(index)).or_default();
            match stretches.last_mut() {
                Some(last) if continues(self, index, *last) => last.len += 1,
                _ => stretches.push(self.single(index)),
            }
        }
        pairs
    }

    fn single(&self, index: usize) -> Stretch {
        let (source, destination) = self.offsets(index);
        Stretch { source, destination, len: 1 }
    }
}

pub fn glue(pieces: &[Stretch]) -> Vec<Stretch> {
    let mut runs: Vec<Stretch> = Vec::new();
    for piece in pieces {
        match runs.last_mut() {
            Some(run)
                if (run.source + run.len, run.destination + run.len)
                    == (piece.source, piece.destination) =>
            {
                run.len += piece.len;
            }
            _ => runs.push(*piece),
        }
    }
    runs
}
