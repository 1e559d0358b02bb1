//! The window table: the pieces of one window, the same for all ranks, grids and extents (`algorithms` §9).

use super::{Axis, Side};
use crate::arithmetic::min;

/// The elements of a dimension inside one source block and one destination block.
///
/// Block numbers count from the blocks in which the window begins; offsets count elements from the block's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// `len` elements from `source` on, going to `destination`: each a block number and an offset in the block.
    pub const fn new(source: (usize, usize), destination: (usize, usize), len: usize) -> Self {
        Self {
            source_block: source.0,
            source_offset: source.1,
            destination_block: destination.0,
            destination_offset: destination.1,
            len,
        }
    }

    /// The block of one side.
    pub const fn block(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source_block,
            Side::Destination => self.destination_block,
        }
    }

    /// The offset in the block of one side.
    pub const fn offset(&self, side: Side) -> usize {
        match side {
            Side::Source => self.source_offset,
            Side::Destination => self.destination_offset,
        }
    }
}

impl Axis {
    /// The piece that begins at element `index`, which must be a boundary, cut at `end`.
    pub const fn piece_at(&self, index: usize, end: usize) -> Piece {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let boundary = min(source.block_end(index), destination.block_end(index));
        let (from, to) = (index + source.phase(), index + destination.phase());
        Piece::new(
            (from / source.block(), from % source.block()),
            (to / destination.block(), to % destination.block()),
            min(boundary, end) - index,
        )
    }

    /// The pieces of one window in increasing order, one at a time: nothing is stored.
    pub const fn window_walk(&self) -> WindowWalk {
        WindowWalk { axis: *self, index: 0 }
    }

    /// The pieces of one window as a table that rustc's const evaluator can build.
    ///
    /// ```
    /// use redist_runtime::layout::{Dist, Layout};
    /// use redist_runtime::plan::{Axis, Piece, Plan};
    /// const FROM: Layout<1> = Layout::new([Dist::Cyclic(4)], [3]);
    /// const TO: Layout<1> = Layout::new([Dist::Cyclic(6)], [2]);
    /// const AXIS: Axis = Plan::constant([1003], FROM, TO).axis(0);
    /// static WINDOW: [Piece; AXIS.window_pieces()] = AXIS.window_table();
    /// assert_eq!(WINDOW.map(|piece| piece.len), [4, 2, 2, 4]);
    /// ```
    ///
    /// # Panics
    /// If `N` is neither [`Axis::window_pieces`] nor 0.
    pub const fn window_table<const N: usize>(&self) -> [Piece; N] {
        assert!(N == 0 || N == self.window_pieces(), "the length of a window table must be `Axis::window_pieces`");
        let mut table = [Piece::new((0, 0), (0, 0), 0); N];
        let (mut index, mut count) = (0, 0);
        while count < N {
            table[count] = self.piece_at(index, self.window());
            index += table[count].len;
            count += 1;
        }
        table
    }
}

/// Iterator over the pieces of one window; see [`Axis::window_walk`].
#[derive(Clone, Debug)]
pub struct WindowWalk {
    axis: Axis,
    index: usize,
}

impl Iterator for WindowWalk {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let end = self.axis.window();
        if self.index >= end {
            return None;
        }
        let piece = self.axis.piece_at(self.index, end);
        self.index += piece.len;
        Some(piece)
    }
}
