//! Groups of runs: how one rank's elements go to peers in turn.

use super::block_cursor::BlockCursor;
use crate::arithmetic::{add_modulo, max, min};
use crate::plan::{Axis, Section, Side};
use core::ops::Range;

/// `count` runs of `len` elements for consecutive peers, cyclically. A kr→r source block is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunGroup {
    /// Elements of each run.
    pub len: usize,
    /// Number of runs.
    pub count: usize,
    /// Peer of the first run: its grid coordinate, or its index once peers are numbered.
    pub peer: usize,
}

/// Returns coordinate `rank`'s groups, in increasing index. Adjacent runs of one peer are joined.
pub(super) fn run_groups(
    axis: &Axis,
    side: Side,
    rank: usize,
    elements: Range<usize>,
) -> Vec<RunGroup> {
    let (own, peer) = (axis.side(side), axis.side(side.other()));
    let mut collector = RunCollector::new(peer.ranks());
    if peer.ranks() == 1 {
        collector.push(
            own.local_from(rank, elements.end) - own.local_from(rank, elements.start),
            1,
            0,
        );
    } else if let Some(block) = peer.regular_block().filter(|&block| block <= own.block()) {
        collector.cut_own_blocks(&own, (&peer, block), rank, elements);
    } else {
        collector.gather_per_peer_block(&own, &peer, rank, elements);
    }
    collector.groups
}

/// Collects runs into groups.
pub(super) struct RunCollector {
    /// Ranks of the other side along the dimension.
    peers: usize,
    groups: Vec<RunGroup>,
}

impl RunCollector {
    pub fn new(peers: usize) -> Self {
        Self { peers, groups: Vec::new() }
    }

    pub fn groups(self) -> Vec<RunGroup> {
        self.groups
    }

    /// Splits each own block into the end of a peer block, whole ones, and the start of one more.
    fn cut_own_blocks(
        &mut self,
        own: &Section,
        (peer, block): (&Section, usize),
        rank: usize,
        elements: Range<usize>,
    ) {
        let (mut held, mut other) =
            (BlockCursor::new(own, rank, elements.start), peer.block_at(elements.start));
        while held.start < elements.end {
            let block_end = min(held.end, elements.end);
            other = peer.block_from(other, held.start);
            let head_end = min(peer.end_of(other), block_end);
            let first = peer.deal().owner_of_block(other.number);
            self.push(head_end - held.start, 1, first);
            let left = block_end - head_end;
            let (whole, tail) = if left < block { (0, left) } else { (left / block, left % block) };
            let second = add_modulo(first, 1 % self.peers, self.peers);
            self.push(block, whole, second);
            self.push(tail, 1, add_modulo(second, modulo(whole, self.peers), self.peers));
            held.seek(held.end);
        }
    }

    fn gather_per_peer_block(
        &mut self,
        own: &Section,
        peer: &Section,
        rank: usize,
        elements: Range<usize>,
    ) {
        let Range { start: mut from, end } = elements;
        let (mut held, mut block) = (BlockCursor::new(own, rank, from), peer.block_at(from));
        while max(held.start, from) < end {
            let local = held.local_from(from);
            block = peer.block_from(block, max(held.start, from));
            from = min(peer.end_of(block), end);
            held.seek(from);
            self.push(held.local_from(from) - local, 1, peer.deal().owner_of_block(block.number));
        }
    }

    /// Adds runs, to the last group if they continue it.
    pub fn push(&mut self, len: usize, count: usize, peer: usize) {
        if len == 0 || count == 0 {
            return;
        }
        let Some(last) = self.groups.last_mut() else {
            return self.groups.push(RunGroup { len, count, peer });
        };
        let expected = add_modulo(last.peer, modulo(last.count, self.peers), self.peers);
        if last.count == 1 && count == 1 && last.peer == peer {
            last.len += len;
        } else if last.len == len && expected == peer {
            last.count += count;
        } else {
            self.groups.push(RunGroup { len, count, peer });
        }
    }
}

fn modulo(number: usize, modulus: usize) -> usize {
    if number < modulus { number } else { number % modulus }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    /// An extent, layouts, a rank of a side, and its groups: length, count, first peer.
    type Case<'a> = (usize, [&'a str; 2], (Side, usize), &'a [(usize, usize, usize)]);

    fn check(cases: &[Case<'_>]) {
        for &(extent, [from, to], (side, rank), expected) in cases {
            let axis = Plan::<1>::parse([extent], from, to).unwrap().axis(0);
            let group = |&(len, count, peer): &_| RunGroup { len, count, peer };
            let expected: Vec<RunGroup> = expected.iter().map(group).collect();
            assert_eq!(run_groups(&axis, side, rank, 0..extent), expected, "{from} -> {to}");
        }
    }

    const SOURCE: Side = Side::Source;

    #[test]
    fn a_source_block_of_kr_to_r_is_one_group() {
        check(&[
            (30, ["cyclic(10) onto 3", "cyclic(2) onto 3"], (SOURCE, 1), &[(2, 5, 2)]),
            (1_000_000, ["block onto 4", "cyclic onto 4"], (SOURCE, 2), &[(1, 250_000, 0)]),
        ]);
    }

    #[test]
    fn what_lies_together_is_one_run() {
        let two = (Side::Destination, 0);
        check(&[
            (30, ["cyclic(10) onto 3", "cyclic(2) onto 3"], two, &[(4, 2, 0), (2, 1, 2)]),
            (1_000_000, ["cyclic onto 4", "block onto 4"], (SOURCE, 1), &[(62_500, 4, 0)]),
            (100, ["cyclic(3) onto 4", "block onto 1"], (SOURCE, 1), &[(25, 1, 0)]),
        ]);
    }

    #[test]
    fn given_blocks_are_cut_and_gathered_like_others() {
        let (given, twos) = ("gen_block([3, 0, 17, 10]) onto 4 first 1", "cyclic(2) onto 3");
        let three = "gen_block([10, 0, 20]) onto 3";
        check(&[
            (30, [given, twos], (SOURCE, 3), &[(1, 1, 1), (2, 8, 2)]),
            (30, [twos, given], (SOURCE, 0), &[(2, 1, 1), (6, 1, 3), (2, 1, 0)]),
            (30, [given, three], (SOURCE, 3), &[(7, 1, 0), (10, 1, 2)]),
            (30, [given, "*"], (SOURCE, 3), &[(17, 1, 0)]),
        ]);
    }
}
