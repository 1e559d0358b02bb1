use super::{Axis, Side};
use crate::arithmetic::{max, min};
use core::iter;

/// A piece of one period (ASPEN's tuple). Repetition `n < count` lies `n * period / ranks` elements
/// further on either side; only the last may be shorter. Offsets are in the two local arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub struct PeriodicPiece {
    pub peer: usize,
    pub own_offset: usize,
    pub peer_offset: usize,
    pub len: usize,
    pub count: usize,
    pub last_len: usize,
}

impl Axis {
    /// Returns the pieces of coordinate `rank` of `side` in one [period](Axis::period), in
    /// increasing global index: in each own block, the other side's. Both sides get the same.
    ///
    /// Source: ASPEN (Foyer, Tate, McIntosh-Smith, Algorithm 4), corrected.
    pub fn aspen(&self, side: Side, rank: usize) -> impl Iterator<Item = PeriodicPiece> + use<> {
        let (own, peer, period) = (self.side(side), self.side(side.other()), self.period());
        let (whole, rest) = (self.len() / max(period, 1), self.len() % max(period, 1));
        let (mut index, mut block) = (0, peer.block_at(0));
        iter::from_fn(move || {
            let start = own.next_owned(rank, index).filter(|start| *start < period)?;
            block = peer.block_from(block, start);
            index = min(min(own.block_end(start), peer.end_of(block)), period);
            let (len, clipped) = (index - start, start < rest);
            Some(PeriodicPiece {
                peer: peer.deal().owner_of_block(block.number),
                own_offset: own.local_from(rank, start),
                peer_offset: peer.deal().local_start(block) + (peer.at() + start - block.start),
                len,
                count: whole + usize::from(clipped),
                last_len: if clipped { min(len, rest - start) } else { len },
            })
        })
    }
}
