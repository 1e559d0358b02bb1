//! The own blocks of a rank along its fastest dimension, for loops over whole blocks.

use super::RunGroup;
use super::loop_dim::{LoopDim, number};
use super::run_group::run_groups;
use crate::arithmetic::saturating_lcm;
use crate::plan::{Axis, Side};

/// The whole blocks that a rank holds along one dimension, and the groups of its last partial
/// block.
///
/// The pieces of a block depend only on its [phase](BlockStart::phase), so that one loop or window
/// table per phase serves every block of every rank.
#[derive(Clone, Debug)]
pub struct OwnBlocks {
    /// Elements in a block.
    pub(crate) block: usize,
    /// Number of whole blocks.
    pub(crate) count: usize,
    /// The blocks of one period, which repeat.
    pub(crate) starts: Vec<BlockStart>,
    /// The groups of the last block, where it is not whole.
    pub(crate) rest: Vec<RunGroup>,
}

/// How one block begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockStart {
    /// The block's place in the window.
    pub phase: usize,
    /// The peer of its first piece.
    pub peer: usize,
}

impl OwnBlocks {
    /// The blocks of coordinate `rank`. `None` where going block by block would be wrong: in a
    /// section, which may begin inside a block, and with a `gen_block`, whose blocks do not repeat.
    /// Nor is it worth it with one peer, or where a block of the other side spans several own
    /// blocks, which lie together and are better copied as one.
    pub(crate) fn new(axis: &Axis, side: Side, rank: usize, dim: &LoopDim) -> Option<Self> {
        let (own, peer) = (axis.side(side), axis.side(side.other()));
        let (block, peer_block) = own.regular_block().zip(peer.regular_block())?;
        let stride = block.saturating_mul(own.ranks());
        if own.at() > 0 || peer.at() > 0 || peer.ranks() == 1 || stride < peer_block {
            return None;
        }
        let phases = saturating_lcm(block, peer_block) / block;
        let count = own.owned_below(rank, axis.len()) / block;
        let first = own.deal().relative(rank);
        let index = |number: usize| (first + number * own.ranks()) * block;
        let in_period = (axis.period() / stride).max(1);
        let starts = (0..count.min(if axis.period() < axis.len() { in_period } else { count }))
            .map(|number| BlockStart {
                phase: (first + number * own.ranks()) % phases,
                peer: dim.peer(peer.owner(index(number))),
            })
            .collect();
        let mut rest = match count * block < own.owned_below(rank, axis.len()) {
            true => run_groups(axis, side, rank, index(count)..axis.len()),
            false => Vec::new(),
        };
        number(&mut rest, &dim.peers);
        Some(Self { block, count, starts, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn blocks(extent: usize, from: &str, to: &str, side: Side, rank: usize) -> Option<OwnBlocks> {
        let axis = Plan::<1>::parse([extent], from, to).unwrap().axis(0);
        OwnBlocks::new(&axis, side, rank, &LoopDim::new(&axis, &[], side, rank))
    }

    #[test]
    fn blocks_repeat_with_the_period() {
        let start = |peer| [BlockStart { phase: 0, peer }];
        let whole = blocks(1003, "cyclic(10) onto 3", "cyclic(2) onto 3", Side::Source, 0).unwrap();
        assert_eq!((whole.block, whole.count, whole.starts.as_slice()), (10, 34, &start(0)[..]));
        assert!(whole.rest.is_empty());
        let short = blocks(1003, "cyclic(10) onto 3", "cyclic(2) onto 3", Side::Source, 1).unwrap();
        let rest = [RunGroup { len: 2, count: 1, peer: 2 }, RunGroup { len: 1, count: 1, peer: 0 }];
        assert_eq!(
            (short.count, short.starts.as_slice(), short.rest.as_slice()),
            (33, &start(2)[..], &rest[..])
        );
    }

    #[test]
    fn runs_over_several_blocks_are_left_to_the_groups() {
        assert!(
            blocks(1003, "cyclic(10) onto 3", "cyclic(2) onto 3", Side::Destination, 0).is_none()
        );
        assert!(
            blocks(1003, "cyclic(10) onto 3", "cyclic(2) onto 5", Side::Destination, 0).is_some()
        );
        assert!(blocks(1003, "cyclic(10) onto 3", "cyclic(2) onto 1", Side::Source, 0).is_none());
        assert!(
            blocks(1003, "cyclic(10) onto 3", "gen_block([3, 1000]) onto 2", Side::Source, 0)
                .is_none()
        );
        assert!(
            blocks(1003, "gen_block([3, 1000]) onto 2", "cyclic(2) onto 3", Side::Source, 1)
                .is_none()
        );
    }
}
