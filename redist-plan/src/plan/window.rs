//! The pieces of one window, the same for all ranks, grids and extents.

use super::{Axis, Side};
use crate::arithmetic::min;
use crate::layout::Block;

/// The elements of a dimension inside one source block and one destination block. Blocks count from
/// the two blocks in which the window begins; offsets are in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Piece {
    /// Number of the source block.
    pub source_block: usize,
    /// Offset in the source block.
    pub source_offset: usize,
    /// Number of the destination block.
    pub destination_block: usize,
    /// Offset in the destination block.
    pub destination_offset: usize,
    /// Number of elements.
    pub len: usize,
}

impl Piece {
    /// Makes a piece from two blocks' numbers and the offsets in them.
    pub const fn new(source: (usize, usize), destination: (usize, usize), len: usize) -> Self {
        Self {
            source_block: source.0,
            source_offset: source.1,
            destination_block: destination.0,
            destination_offset: destination.1,
            len,
        }
    }

    pub const fn block(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source_block,
            Side::Destination => self.destination_block,
        }
    }

    pub const fn offset(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source_offset,
            Side::Destination => self.destination_offset,
        }
    }

    /// Returns `true` if all numbers are the same, in constants, too.
    pub(super) const fn is(&self, other: &Self) -> bool {
        self.source_block == other.source_block
            && self.source_offset == other.source_offset
            && self.destination_block == other.destination_block
            && self.destination_offset == other.destination_offset
            && self.len == other.len
    }
}

impl Axis {
    /// Returns the piece that begins at boundary `index`, cut at `end`.
    pub const fn piece_at(&self, index: usize, end: usize) -> Piece {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let first = (source.block_of(0), destination.block_of(0));
        self.piece_of((source.block_at(index), destination.block_at(index)), first, index, end)
    }

    /// Returns these blocks' piece that begins at `index`; blocks are numbered from `first`.
    const fn piece_of(
        &self,
        blocks: (Block, Block),
        first: (usize, usize),
        index: usize,
        end: usize,
    ) -> Piece {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let boundary = min(source.end_of(blocks.0), destination.end_of(blocks.1));
        Piece::new(
            (blocks.0.number - first.0, source.at() + index - blocks.0.start),
            (blocks.1.number - first.1, destination.at() + index - blocks.1.start),
            min(boundary, end) - index,
        )
    }

    /// Returns the pieces of one window in increasing order; nothing is stored.
    pub const fn window_walk(&self) -> WindowWalk {
        let blocks =
            (self.side(Side::Source).block_at(0), self.side(Side::Destination).block_at(0));
        WindowWalk {
            axis: *self,
            end: self.window(),
            first: (blocks.0.number, blocks.1.number),
            blocks,
            index: 0,
        }
    }
}

/// Iterator over the pieces of one window; see [`Axis::window_walk`].
#[derive(Clone, Debug)]
pub struct WindowWalk {
    axis: Axis,
    /// Index at which the window ends.
    end: usize,
    /// Numbers of the window's first blocks.
    first: (usize, usize),
    /// The blocks of the next piece, or, at the end, of the last one.
    blocks: (Block, Block),
    /// Index at which the next piece begins.
    index: usize,
}

impl WindowWalk {
    pub(super) const fn step(&mut self) -> Option<Piece> {
        if self.index >= self.end {
            return None;
        }
        let (source, destination) =
            (self.axis.side(Side::Source), self.axis.side(Side::Destination));
        self.blocks = (
            source.block_from(self.blocks.0, self.index),
            destination.block_from(self.blocks.1, self.index),
        );
        let piece = self.axis.piece_of(self.blocks, self.first, self.index, self.end);
        self.index += piece.len;
        Some(piece)
    }
}

impl Iterator for WindowWalk {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        self.step()
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use std::time::{Duration, Instant};

    /// A walk that searched each block from the first one on would take 64 times as long.
    #[test]
    fn a_walk_takes_time_in_proportion_to_given_blocks() {
        let least = |blocks: usize| {
            let from = format!("gen_block([3 x {blocks}]) onto {blocks}");
            let plan = Plan::<1>::parse([3 * blocks], &from, "cyclic(2) onto 4").unwrap();
            let walk = |_| {
                let began = Instant::now();
                assert_eq!(plan.axis(0).window_walk().count(), 2 * blocks);
                began.elapsed()
            };
            (0..5).map(walk).min().unwrap_or(Duration::MAX)
        };
        let (few, many) = (least(2_000), least(16_000));
        assert!(many < 24 * few, "{many:?} against {few:?} for an eighth of the blocks");
    }
}
