//! A rank's groups, from a window table that was planned at compile time for all ranks.

use super::RunGroup;
use super::run_group::RunCollector;
use crate::arithmetic::{add_modulo, min, saturating_lcm};
use crate::plan::{Axis, Piece, Side, WindowTable};

/// A window table, indexed by the phase of one side's blocks.
pub(super) struct WindowIndex<'a> {
    axis: &'a Axis,
    side: Side,
    table: &'a [Piece],
    /// Start of the pieces of each phase in the table, and the end of the last.
    starts: Vec<usize>,
}

impl<'a> WindowIndex<'a> {
    /// Returns `None` without a table, and for sections and given blocks, whose numbers do not fit
    /// it.
    pub fn new(axis: &'a Axis, table: WindowTable<'a>, side: Side) -> Option<Self> {
        let table = table.for_axis(axis)?;
        let mut starts = Vec::new();
        for (index, piece) in table.iter().enumerate() {
            // Blocks are numbered without gaps, so a new one is the next phase.
            if piece.block(side) == starts.len() {
                starts.push(index);
            }
        }
        starts.push(table.len());
        Some(Self { axis, side, table, starts })
    }

    /// Returns the groups of coordinate `rank` for the elements `0..end`: see
    /// [`run_groups`](super::run_group::run_groups).
    pub fn groups(&self, rank: usize, end: usize) -> Vec<RunGroup> {
        let (own, peer) = (self.axis.side(self.side), self.axis.side(self.side.other()));
        let mut collector = RunCollector::new(peer.ranks());
        let window = saturating_lcm(own.block(), peer.block());
        let (own_blocks, peer_blocks) = (window / own.block(), window / peer.block());
        let mut block = own.deal().relative(rank);
        while let Some(begin) = block.checked_mul(own.block()).filter(|&begin| begin < end) {
            let (window, phase) = (block / own_blocks, block % own_blocks);
            let pieces = &self.table[self.starts[phase]..self.starts[phase + 1]];
            let first_peer_block = window * peer_blocks + pieces[0].block(self.side.other());
            let mut owner = peer.deal().owner_of_block(first_peer_block);
            let mut left = min(end - begin, own.block());
            for piece in pieces {
                collector.push(min(piece.len, left), 1, owner);
                left -= min(piece.len, left);
                owner = add_modulo(owner, 1 % peer.ranks(), peer.ranks());
            }
            block = match block.checked_add(own.ranks()) {
                Some(next) => next,
                None => break,
            };
        }
        collector.groups()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, WindowPieces};

    #[test]
    fn given_blocks_are_walked() {
        let axis = Plan::<1>::parse([9], "gen_block([4, 0, 5]) onto 3", "cyclic(2) onto 2")
            .unwrap()
            .axis(0);
        let regular = Plan::<1>::parse([9], "cyclic(3) onto 3", "cyclic(2) onto 2").unwrap();
        let window = WindowPieces::<4>::of(regular.axis(0));
        assert!(WindowIndex::new(&regular.axis(0), window.table(), Side::Source).is_some());
        assert!(WindowIndex::new(&axis, window.table(), Side::Source).is_none());
        assert!(WindowIndex::new(&axis, window.table(), Side::Destination).is_none());
    }
}
