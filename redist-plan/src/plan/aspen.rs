//! ASPEN (Foyer, Tate, McIntosh-Smith, Algorithm 4), corrected: one rank's pieces of one period.
//! The walk visits the rank's blocks, and in each the other side's. Both sides get the same pieces
//! in order.

use super::{Axis, Section, Side};
use crate::arithmetic::{add_modulo, max, min};
use crate::layout::Block;

/// A piece of one period (ASPEN's tuple). Repetition `n < count` lies `n * period / ranks` elements
/// further on either side; only the last may be shorter. Offsets are in the two local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct PeriodicPiece {
    /// Coordinate of the rank on the other side.
    pub peer: usize,
    /// Offset in the rank's local array, in elements.
    pub own_offset: usize,
    /// Offset in the peer's local array, in elements.
    pub peer_offset: usize,
    /// Elements of each repetition but the last.
    pub len: usize,
    /// Repetitions, at least 1.
    pub count: usize,
    /// Elements of the last repetition.
    pub last_len: usize,
}

/// Iterator over the periodic pieces of one rank; see [`Axis::aspen`].
#[derive(Clone, Debug)]
pub struct Aspen {
    own: Section,
    peer: Section,
    /// Coordinate of the rank on its own side.
    rank: usize,
    /// Indices after which every owner repeats.
    period: usize,
    /// Whole periods of the dimension, and the indices after them.
    repeats: (usize, usize),
    /// Index at which the next piece begins.
    index: usize,
    /// Offset of that index in the rank's local array, in elements.
    own_offset: usize,
    /// Index at which the rank's block ends, or the period, if earlier.
    own_end: usize,
    peer_block: PeerBlock,
}

/// The other side's block that holds the walk's index.
#[derive(Clone, Copy, Debug)]
struct PeerBlock {
    block: Block,
    /// Distance of its owner from the rank of block 0.
    relative: usize,
    /// Local index of the block's first element on its owner.
    local_start: usize,
    /// Elements of the block before the walk's index.
    offset: usize,
    /// Index of the section at which the block ends.
    end: usize,
}

impl Axis {
    /// Returns the pieces of coordinate `rank` of `side`, in increasing global index. Takes a
    /// division for each own block of a [period](Axis::period), and `O(1)` memory.
    pub const fn aspen(&self, side: Side, rank: usize) -> Aspen {
        let (own, peer) = (self.side(side), self.side(side.other()));
        let (len, period) = (self.len(), self.period());
        let repeats = (len / max(period, 1), len % max(period, 1));
        let peer_block = PeerBlock::entered(&peer, peer.block_at(0), 0);
        let mut walk = Aspen {
            own,
            peer,
            rank,
            period,
            repeats,
            index: 0,
            own_offset: 0,
            own_end: 0,
            peer_block,
        };
        walk.enter_block(0);
        walk
    }
}

impl Aspen {
    /// Goes to the rank's first element from `index` on, or to the period's end.
    const fn enter_block(&mut self, index: usize) {
        self.index = match self.own.next_owned(self.rank, index) {
            Some(next) if next < self.period => next,
            _ => self.period,
        };
        self.own_offset = self.own.local_from(self.rank, self.index);
        self.own_end = min(self.own.block_end(self.index), self.period);
        let block = self.peer.block_from(self.peer_block.block, self.index);
        self.peer_block = PeerBlock::entered(&self.peer, block, self.index);
    }
}

impl PeerBlock {
    const fn entered(peer: &Section, block: Block, index: usize) -> Self {
        let deal = peer.deal();
        Self {
            block,
            relative: deal.relative(deal.owner_of_block(block.number)),
            local_start: deal.local_start(block),
            offset: peer.at() + index - block.start,
            end: peer.end_of(block),
        }
    }

    /// Goes to the adjacent block: the step that gives ASPEN its name.
    const fn shift(&mut self, peer: &Section) {
        let block = peer.deal().block_after(self.block);
        if peer.regular_block().is_none() {
            *self = Self::entered(peer, block, block.start - peer.at());
            return;
        }
        self.relative += block.number - self.block.number;
        if self.relative >= peer.ranks() {
            self.relative -= peer.ranks();
            self.local_start += block.len;
        }
        (self.block, self.offset, self.end) = (block, 0, peer.end_of(block));
    }
}

impl Iterator for Aspen {
    type Item = PeriodicPiece;

    fn next(&mut self) -> Option<PeriodicPiece> {
        if self.index >= self.period {
            return None;
        }
        let block = self.peer_block;
        let end = min(block.end, self.own_end);
        let (len, (whole, rest)) = (end - self.index, self.repeats);
        let clipped = self.index < rest;
        let piece = PeriodicPiece {
            peer: add_modulo(block.relative, self.peer.deal().first(), self.peer.ranks()),
            own_offset: self.own_offset,
            peer_offset: block.local_start + block.offset,
            len,
            count: whole + clipped as usize,
            last_len: if clipped { min(len, rest - self.index) } else { len },
        };
        if end == self.own_end {
            self.enter_block(end);
        } else {
            self.index = end;
            self.own_offset += len;
            self.peer_block.shift(&self.peer);
        }
        Some(piece)
    }
}
