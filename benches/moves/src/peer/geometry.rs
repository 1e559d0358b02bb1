//! Layouts in ScaLAPACK's terms: two dimensions, Fortran storage, ranks in row order. Shares no
//! code with the planner.

use redist::layout::{RankOrder, Ranks, StorageOrder};
use redist::{Plan, Side};

/// Both sides of a move of an M × N matrix; a vector has one column.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// M and N.
    pub extents: [usize; 2],
    pub from: Grid,
    pub to: Grid,
}

/// One side's process grid and blocks.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// P and Q.
    pub shape: [usize; 2],
    /// MB and NB.
    pub blocks: [usize; 2],
}

/// Adjacent elements of a rank's part of one dimension, in the local array.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Global index of the first element.
    pub start: usize,
    /// Number of elements.
    pub len: usize,
}

impl Geometry {
    pub fn of<const D: usize>(plan: &Plan<D>) -> Option<Self> {
        let extent = |dimension| if dimension < D { plan.axis(dimension).len() } else { 1 };
        let plain = (0..D).all(|dimension| plan.destination_axis(dimension) == dimension);
        let [from, to] = [Side::Source, Side::Destination].map(|side| Grid::of(plan, side));
        let extents = [extent(0), extent(1)];
        (plain && (1..=2).contains(&D)).then_some(Self { extents, from: from?, to: to? })
    }
}

impl Grid {
    fn of<const D: usize>(plan: &Plan<D>, side: Side) -> Option<Self> {
        let (own, mut grid) = (plan.descriptor(side), Self { shape: [1; 2], blocks: [1; 2] });
        let layout = own.layout();
        for dimension in 0..D.min(2) {
            let axis = own.axis(dimension);
            if axis.first() != 0 || axis.extent() != plan.axis(dimension).len() {
                return None;
            }
            grid.shape[dimension] = axis.ranks();
            grid.blocks[dimension] = axis.regular_block()?;
        }
        let stored = D == 1 || layout.storage == StorageOrder::Fortran;
        (stored && layout.ranks == Ranks::From(0) && layout.order == RankOrder::Row).then_some(grid)
    }

    pub fn ranks(&self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// Returns a rank's row and column; `None` outside the grid.
    pub fn coordinates(&self, rank: usize) -> Option<[usize; 2]> {
        (rank < self.ranks()).then_some([rank / self.shape[1], rank % self.shape[1]])
    }

    pub fn local(&self, extents: [usize; 2], rank: usize) -> [usize; 2] {
        let Some(at) = self.coordinates(rank) else { return [0; 2] };
        [0, 1].map(|d| numroc(extents[d], self.blocks[d], at[d], self.shape[d]))
    }

    /// Returns the elements of a dimension that coordinate `own` of this side shares with `peer` of
    /// the opposite side. Two cursors walk both sequences of blocks.
    pub fn intervals(
        &self,
        other: &Grid,
        extent: usize,
        d: usize,
        own: usize,
        peer: usize,
    ) -> Vec<Interval> {
        let (mut mine, mut theirs) = (own * self.blocks[d], peer * other.blocks[d]);
        let (mut held, mut found): (usize, Vec<Interval>) = (0, Vec::new());
        while mine < extent && theirs < extent {
            let ends =
                ((mine + self.blocks[d]).min(extent), (theirs + other.blocks[d]).min(extent));
            let (from, to) = (mine.max(theirs), ends.0.min(ends.1));
            if from < to {
                let (start, len) = (held + from - mine, to - from);
                match found.last_mut() {
                    Some(last) if last.start + last.len == start => last.len += len,
                    _ => found.push(Interval { start, len }),
                }
            }
            if ends.0 <= ends.1 {
                mine += self.blocks[d] * self.shape[d];
                held += self.blocks[d];
            } else {
                theirs += other.blocks[d] * other.shape[d];
            }
        }
        found
    }
}

fn numroc(extent: usize, block: usize, coordinate: usize, ranks: usize) -> usize {
    let (rounds, rest) = (extent / (block * ranks), extent % (block * ranks));
    rounds * block + rest.saturating_sub(coordinate * block).min(block)
}
