//! Counts the elements that two coordinates exchange, in closed form.

use super::lattice::sum_of_rounds;
use super::{Axis, Section, Side};
use crate::arithmetic::min;

/// Most source blocks that are counted one by one: a block takes some 110 instructions, and the closed
/// form for any number of them 9,000 (x86-64, 29 November 2026).
const FEW_BLOCKS: usize = 16;

impl Axis {
    /// Counts the elements that source coordinate `source` sends to coordinate `destination`. Takes
    /// `O(log)` of blocks and grids; given blocks take time in proportion to them.
    pub const fn count(&self, source: usize, destination: usize) -> usize {
        let (own, peer) = (self.side(Side::Source), self.side(Side::Destination));
        match (own.regular_block(), peer.regular_block()) {
            (None, _) => self.in_given_blocks(&own, source, &peer, destination),
            (_, None) => self.in_given_blocks(&peer, destination, &own, source),
            (Some(block), Some(_)) => self.in_blocks(block, source, destination),
        }
    }

    /// Walks once over the given blocks of `rank`, and over the blocks of `other`, if given.
    const fn in_given_blocks(
        &self,
        own: &Section,
        rank: usize,
        theirs: &Section,
        other: usize,
    ) -> usize {
        let is_closed = theirs.deal().given_blocks().is_none();
        let (mut next, mut their_block) = (own.deal().first_given(rank), theirs.block_at(0));
        let mut count = 0;
        while let Some(block) = next {
            if block.start >= own.at() + self.len() {
                break;
            }
            next = own.deal().next_given(block);
            let mut index = block.start.saturating_sub(own.at());
            let end = min(block.end().saturating_sub(own.at()), self.len());
            if is_closed && index < end {
                count += theirs.owned_below(other, end) - theirs.owned_below(other, index);
                continue;
            }
            while index < end {
                their_block = theirs.block_from(their_block, index);
                let to = min(theirs.end_of(their_block), end);
                if theirs.deal().owner_of_block(their_block.number) == other {
                    count += to - index;
                }
                index = to;
            }
        }
        count
    }

    const fn in_blocks(&self, block: usize, source: usize, destination: usize) -> usize {
        let (own, peer) = (self.side(Side::Source), self.side(Side::Destination));
        let Some(first) = own.next_owned(source, 0) else {
            return 0;
        };
        if first >= self.len() {
            return 0;
        }
        let head = min(own.block_end(first), self.len());
        let mut count = peer.owned_below(destination, head) - peer.owned_below(destination, first);
        let stride = block.saturating_mul(own.ranks());
        let next = match own.next_owned(source, head) {
            Some(next) if next < self.len() => next,
            _ => return count,
        };
        let whole =
            if self.len() - next < block { 0 } else { (self.len() - next - block) / stride + 1 };
        count += match whole <= FEW_BLOCKS {
            true => self.in_few_blocks((next, block), stride, whole, destination),
            false => self.in_whole_blocks(next, stride, whole, destination),
        };
        if let Some(last) = next.checked_add(whole.saturating_mul(stride))
            && last < self.len()
        {
            count +=
                peer.owned_below(destination, self.len()) - peer.owned_below(destination, last);
        }
        count
    }

    /// Counts in `count` source blocks of `block` elements one by one, the first at `index`, `stride`
    /// elements apart.
    const fn in_few_blocks(
        &self,
        (mut index, block): (usize, usize),
        stride: usize,
        mut count: usize,
        destination: usize,
    ) -> usize {
        let (peer, mut elements) = (self.side(Side::Destination), 0);
        while count > 0 {
            elements +=
                peer.owned_below(destination, index + block) - peer.owned_below(destination, index);
            count -= 1;
            if count > 0 {
                index += stride;
            }
        }
        elements
    }

    /// Counts in `count` source blocks, the first at `index`, `stride` elements apart.
    const fn in_whole_blocks(
        &self,
        index: usize,
        stride: usize,
        count: usize,
        destination: usize,
    ) -> usize {
        let peer = self.side(Side::Destination);
        let (block, relative) = (peer.block() as i128, peer.deal().relative(destination) as i128);
        let round = peer.block() as u128 * peer.ranks() as u128;
        // Elements below x that `destination` holds: sum over rounds of max(0, x - a - m round) -
        // max(0, x - a - block - ..)
        let start = (index + peer.at()) as i128 - relative.saturating_mul(block);
        let s = self.side(Side::Source).block() as i128;
        sum_at(start + s, stride, count, round)
            .wrapping_sub(sum_at(start, stride, count, round))
            .wrapping_sub(sum_at(start + s - block, stride, count, round))
            .wrapping_add(sum_at(start - block, stride, count, round)) as usize
    }
}

const fn sum_at(start: i128, stride: usize, count: usize, round: u128) -> u128 {
    sum_of_rounds(start, stride as u128, count as u128, round)
}

#[cfg(test)]
mod tests {
    use crate::plan::{Plan, Side};

    #[test]
    fn few_blocks_are_counted_as_many() {
        for (from, to) in
            [("cyclic(10) onto 2", "cyclic(3) onto 5"), ("cyclic onto 3", "cyclic(7) onto 2")]
        {
            let plan = Plan::<1>::parse([20_000], from, to).unwrap();
            let axis = plan.axis(0);
            let block = axis.side(Side::Source).block();
            let stride = block * axis.side(Side::Source).ranks();
            for first in [0, block, 2 * stride + block] {
                for (count, destination) in (0..100).flat_map(|count| [(count, 0), (count, 1)]) {
                    let few = axis.in_few_blocks((first, block), stride, count, destination);
                    let many = axis.in_whole_blocks(first, stride, count, destination);
                    assert_eq!(few, many, "{count} from {first} to {destination}: {from} -> {to}");
                }
            }
        }
    }
}
