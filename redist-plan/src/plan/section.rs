//! Sections of dealt dimensions.

use crate::arithmetic::{max, min};
use crate::layout::{Block, BlockCyclic};

/// The elements `at..` of a dealt dimension (ScaLAPACK IA, JA). Indices count from `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    deal: BlockCyclic,
    /// Elements of the stored dimension before the section.
    at: usize,
}

impl Section {
    pub const fn new(deal: BlockCyclic, at: usize) -> Self {
        Self { deal, at }
    }

    pub(super) const fn with_block(self, block: usize) -> Self {
        Self { deal: self.deal.with_block(block), ..self }
    }

    pub(super) fn indexed(self) -> Self {
        Self { deal: self.deal.indexed(), ..self }
    }

    /// Returns the stored dimension.
    pub const fn deal(&self) -> BlockCyclic {
        self.deal
    }

    /// Returns the first index of the section in the stored dimension.
    pub const fn at(&self) -> usize {
        self.at
    }

    pub const fn block(&self) -> usize {
        self.deal.block()
    }

    pub const fn regular_block(&self) -> Option<usize> {
        self.deal.regular_block()
    }

    pub const fn ranks(&self) -> usize {
        self.deal.ranks()
    }

    /// Returns the section's start within its first block.
    pub const fn phase(&self) -> usize {
        self.at - self.block_at(0).start
    }

    /// The stored block that holds element `index`; it is numbered in the stored dimension.
    pub const fn block_at(&self, index: usize) -> Block {
        self.deal.block_at(self.at + index)
    }

    /// Returns the stored block that holds element `index`, searched from `block` on.
    pub const fn block_from(&self, block: Block, index: usize) -> Block {
        self.deal.block_from(block, self.at + index)
    }

    /// Returns the index at which a stored block ends; it may lie past the section.
    pub const fn end_of(&self, block: Block) -> usize {
        block.end() - self.at
    }

    /// Returns the number of the stored block that holds element `index`.
    pub const fn block_of(&self, index: usize) -> usize {
        self.block_at(index).number
    }

    /// Returns the index at which the block of `index` ends; scans given blocks.
    pub const fn block_end(&self, index: usize) -> usize {
        self.end_of(self.block_at(index))
    }

    pub const fn owner(&self, index: usize) -> usize {
        self.deal.owner(self.at + index)
    }

    pub const fn local(&self, index: usize) -> usize {
        self.deal.local(self.at + index)
    }

    /// Local index of the first element from `index` on that `rank` holds.
    pub const fn local_from(&self, rank: usize, index: usize) -> usize {
        self.deal.owned_below(rank, self.at + index)
    }

    pub const fn owned_below(&self, rank: usize, end: usize) -> usize {
        self.local_from(rank, end) - self.local_from(rank, 0)
    }

    /// Returns the elements from `index` on as a section of blocks of one size, with their number;
    /// `None` if blocks have listed sizes.
    pub(super) const fn stretch(&self, index: usize) -> Option<(Self, usize)> {
        match self.deal.stretch(self.at + index) {
            Some((deal, at, len)) => Some((Self { deal, at }, len)),
            None => None,
        }
    }

    /// Returns the most elements of `0..end` of the section on one rank. Scans given blocks once, or
    /// once a rank if its rows are apart.
    pub const fn most_owned_below(&self, end: usize) -> usize {
        if self.deal.has_stretches() {
            return self.longest_stretch_below(end);
        }
        if let Some(most) = self.deal.most_listed_between(self.at, self.at + end) {
            return most;
        }
        if self.deal.balanced_last().is_some() {
            return self.most_of_few_blocks(end);
        }
        let is_regular = self.regular_block().is_some();
        let looked_at = if is_regular { min(self.ranks(), 3) } else { self.ranks() };
        let (first, mut most, mut number) = (self.block_of(0), 0, 0);
        while number < looked_at {
            let rank = if is_regular { self.deal.owner_of_block(first + number) } else { number };
            most = max(most, self.owned_below(rank, end));
            number += 1;
        }
        most
    }

    /// Returns the most elements below `end` of a rank. Each rank has one block, and sizes only rise
    /// or only fall, so the largest whole block is next to the first or to the last.
    const fn most_of_few_blocks(&self, end: usize) -> usize {
        if end == 0 {
            return 0;
        }
        let (first, last) = (self.block_of(0), self.block_of(end - 1));
        let numbers = [first, min(first + 1, last), max(last.saturating_sub(1), first), last];
        let (mut most, mut number) = (0, 0);
        while number < numbers.len() {
            let owner = self.deal.owner_of_block(numbers[number]);
            most = max(most, self.owned_below(owner, end));
            number += 1;
        }
        most
    }

    /// Returns the longest run of the elements `0..end` on one rank.
    const fn longest_stretch_below(&self, end: usize) -> usize {
        let (mut block, mut index) = (self.block_at(0), 0);
        let (mut holder, mut held, mut most) = (self.ranks(), 0, 0);
        while index < end {
            let (owner, stop) =
                (self.deal.owner_of_block(block.number), min(self.end_of(block), end));
            held = if owner == holder { held + (stop - index) } else { stop - index };
            (holder, most, index) = (owner, max(most, held), stop);
            block = self.block_from(block, index);
        }
        most
    }

    #[doc(hidden)]
    pub fn most_owned_of(&self, len: usize) -> usize {
        self.deal.most_owned_of(len)
    }

    /// Returns the first element from `index` on that `rank` holds; `None` past the stored extent.
    pub const fn next_owned(&self, rank: usize, index: usize) -> Option<usize> {
        match self.deal.global(rank, self.local_from(rank, index)) {
            Some(global) => Some(global - self.at),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MAX_EXTENT;

    #[test]
    fn the_most_of_neighbours_is_held_by_one_somewhere_and_by_none_exceeded() {
        let regular = [(4, 3, 6), (1, 5, 0), (7, 2, 3), (40, 2, 0), (3, 1, 1)]
            .map(|(block, ranks, at)| (BlockCyclic::new(200, block, ranks, 0), at));
        let lengths: &[usize] = &[4, 9, 0, 21, 26, 40, 40, 26, 21, 9, 0, 4];
        let rows = [(1, 1, 3), (2, 1, 3), (1, 4, 4), (1, 2, 6), (5, 3, 6), (1, 1, 1), (1, 1, 40)]
            .map(|(turn, points, ranks)| {
                (BlockCyclic::rows(200, (lengths, turn, points), ranks, 0), 0)
            });
        for (deal, at) in regular.into_iter().chain(rows) {
            let (section, ranks) = (Section::new(deal.unwrap(), at), deal.unwrap().ranks());
            let held = |rank, start, len| {
                section.owned_below(rank, start + len) - section.owned_below(rank, start)
            };
            for len in 1..60 {
                let starts = || {
                    (0..=200 - at - len).flat_map(|start| (0..ranks).map(move |rank| (rank, start)))
                };
                let most = starts().map(|(rank, start)| held(rank, start, len)).max();
                assert_eq!(most, Some(section.most_owned_of(len)), "{deal:?} {len}");
            }
        }
        let given = Section::new(BlockCyclic::general(12, &[3, 0, 4, 5], 4, 0).unwrap(), 0);
        assert_eq!([4, 5, 6].map(|len| given.most_owned_of(len)), [4, 5, 5]);
        let huge = Section::new(BlockCyclic::new(MAX_EXTENT, MAX_EXTENT - 1, 9, 0).unwrap(), 0);
        assert_eq!(huge.most_owned_of(MAX_EXTENT), MAX_EXTENT - 1);
    }

    #[test]
    fn the_most_of_balanced_blocks_is_that_of_all_ranks() {
        for (extent, ranks, last) in [(200, 7, false), (200, 7, true), (5, 9, true), (47, 12, true)]
        {
            let deal = BlockCyclic::balanced(extent, last, ranks, 2).unwrap();
            for at in [0, 1, 3, extent / 2] {
                let section = Section::new(deal, at);
                for end in 0..=extent - at {
                    let most = (0..ranks).map(|rank| section.owned_below(rank, end)).max();
                    assert_eq!(most, Some(section.most_owned_below(end)), "{deal:?} {at} {end}");
                }
            }
        }
    }

    #[test]
    fn the_most_below_is_that_of_the_rank_that_holds_it() {
        let lengths: &[usize] = &[4, 9, 0, 21, 26, 40, 40, 26, 21, 9, 0, 4];
        let rows = [(1, 1, 12), (2, 1, 6), (3, 1, 7), (2, 1, 3), (1, 4, 4), (1, 2, 24), (6, 2, 4)];
        for (turn, points, ranks) in rows {
            let deal = BlockCyclic::rows(200, (lengths, turn, points), ranks, 1).unwrap();
            for at in [0, 3, 60] {
                let section = Section::new(deal, at);
                for end in 0..=200 - at {
                    let most = (0..ranks).map(|rank| section.owned_below(rank, end)).max();
                    assert_eq!(most, Some(section.most_owned_below(end)), "{deal:?} {at} {end}");
                }
            }
        }
    }
}
