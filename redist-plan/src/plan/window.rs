//! The pieces of one window, the same for all ranks, grids and extents.

use super::{Axis, Side};
use crate::arithmetic::min;
use crate::interned::Interner;
use core::iter;

/// The elements of a dimension inside one source block and one destination block. Blocks count from
/// those in which the window begins; offsets are in elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub struct Piece {
    pub source_block: usize,
    pub source_offset: usize,
    pub destination_block: usize,
    pub destination_offset: usize,
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
}

static TURNED: Interner<[Piece]> = Interner::new();

/// Returns the window table of the inverse from that of a dimension; equal ones are kept once.
#[doc(hidden)]
pub fn turned(table: &[Piece]) -> &'static [Piece] {
    let turned = table.iter().map(|piece| {
        let place = |side| (piece.block(side), piece.offset(side));
        Piece::new(place(Side::Destination), place(Side::Source), piece.len)
    });
    if table.is_empty() { &[] } else { TURNED.get(&turned.collect::<Vec<_>>()) }
}

impl Axis {
    /// Returns the piece that begins at boundary `index`, cut at `end`.
    pub const fn piece_at(&self, index: usize, end: usize) -> Piece {
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let blocks = (source.block_at(index), destination.block_at(index));
        let boundary = min(source.end_of(blocks.0), destination.end_of(blocks.1));
        Piece::new(
            (blocks.0.number - source.block_of(0), source.at() + index - blocks.0.start),
            (blocks.1.number - destination.block_of(0), destination.at() + index - blocks.1.start),
            min(boundary, end) - index,
        )
    }

    /// Returns the pieces of one window in increasing order; nothing is stored.
    pub fn window_walk(&self) -> impl Iterator<Item = Piece> + use<> {
        let (axis, end, mut index) = (*self, self.window(), 0);
        iter::from_fn(move || {
            let piece = (index < end).then(|| axis.piece_at(index, end))?;
            index += piece.len;
            Some(piece)
        })
    }

    /// Returns the pieces of one window as a table that rustc's const evaluator can build.
    ///
    /// # Panics
    /// `N` is neither [`Axis::window_pieces`] nor 0.
    pub const fn window_table<const N: usize>(&self) -> [Piece; N] {
        assert!(
            N == 0 || N == self.window_pieces(),
            "the length of a window table must be `Axis::window_pieces`"
        );
        let mut table = [Piece::new((0, 0), (0, 0), 0); N];
        let (end, mut index, mut count) = (self.window(), 0, 0);
        while count < N {
            table[count] = self.piece_at(index, end);
            index += table[count].len;
            count += 1;
        }
        table
    }
}
