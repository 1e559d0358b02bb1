//! Layouts in ScaLAPACK's terms: two dimensions, Fortran storage, ranks in row order. Shares no
//! code with the planner, as no loop written by hand would.

use redist::layout::{RankOrder, Ranks, StorageOrder};
use redist::{Plan, Side};

/// Both sides of a move of an M × N matrix; a vector is a matrix of one column.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    /// M and N.
    pub extents: [usize; 2],
    /// The source.
    pub from: Grid,
    /// The destination.
    pub to: Grid,
}

/// How one side deals the matrix out.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// P and Q.
    pub shape: [usize; 2],
    /// MB and NB.
    pub blocks: [usize; 2],
}

/// Neighbouring elements of a rank's own part of one dimension.
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// The first, in the local array.
    pub start: usize,
    /// How many.
    pub len: usize,
}

impl Geometry {
    /// The geometry of a plan; `None` if ScaLAPACK has no words for it.
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

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.shape[0] * self.shape[1]
    }

    /// A rank's row and column; `None` outside the grid.
    pub fn coordinates(&self, rank: usize) -> Option<[usize; 2]> {
        (rank < self.ranks()).then_some([rank / self.shape[1], rank % self.shape[1]])
    }

    /// Rows and columns of a rank's local array.
    pub fn local(&self, extents: [usize; 2], rank: usize) -> [usize; 2] {
        let Some(at) = self.coordinates(rank) else { return [0; 2] };
        [0, 1].map(|d| numroc(extents[d], self.blocks[d], at[d], self.shape[d]))
    }

    /// The elements that coordinate `own` of this side shares with `peer` of the other along a
    /// dimension. Two cursors walk both sequences of blocks, and merge neighbours.
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
