//! The blocks of one dimension: all of one size, or (HPF's GEN_BLOCK) of sizes that are given one
//! by one.

use crate::arithmetic::{max, min};

/// One block of a dealt dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Its number, from 0. Empty blocks are numbered, too.
    pub number: usize,
    /// Its first element.
    pub start: usize,
    /// Elements in it. Blocks of one size may reach past the extent.
    pub len: usize,
}

impl Block {
    /// One past its last element; `usize::MAX` where that does not fit.
    pub const fn end(&self) -> usize {
        self.start.saturating_add(self.len)
    }
}

/// How large the blocks of a dimension are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Blocks {
    /// All of this size, at least 1 element.
    Regular(usize),
    /// One for each rank.
    Given(GivenBlocks),
}

/// The sizes of a GEN_BLOCK: at least one, and they add up to the extent, so that no sum of them
/// overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GivenBlocks {
    sizes: &'static [usize],
    /// The largest size, at least 1; kept, since finding it takes a scan.
    largest: usize,
}

impl GivenBlocks {
    pub const fn new(sizes: &'static [usize]) -> Self {
        let (mut largest, mut number) = (1, 0);
        while number < sizes.len() {
            if sizes[number] > largest {
                largest = sizes[number];
            }
            number += 1;
        }
        Self { sizes, largest }
    }

    pub const fn sizes(&self) -> &'static [usize] {
        self.sizes
    }

    pub const fn largest(&self) -> usize {
        self.largest
    }

    /// Block number `number`; `None` past the last.
    const fn block(&self, number: usize) -> Option<Block> {
        if number >= self.sizes.len() {
            return None;
        }
        let mut block = self.first();
        while block.number < number {
            block = self.after(block);
        }
        Some(block)
    }

    /// Element `local` of block number `number`.
    pub const fn global(&self, number: usize, local: usize) -> Option<usize> {
        match self.block(number) {
            Some(block) if local < block.len => Some(block.start + local),
            _ => None,
        }
    }

    /// How many of the elements `0..end` are in block number `number`.
    pub const fn below(&self, number: usize, end: usize) -> usize {
        match self.block(number) {
            Some(block) => min(max(end, block.start), block.end()) - block.start,
            None => 0,
        }
    }

    /// The block that holds element `global`.
    pub const fn at(&self, global: usize) -> Block {
        self.holding(self.first(), global)
    }

    const fn first(&self) -> Block {
        Block { number: 0, start: 0, len: self.sizes[0] }
    }

    /// The block that holds element `global`, searched from `block` on, which must not begin after
    /// it.
    ///
    /// What lies past the extent counts as one more block, so that a walk need not look where it
    /// ends.
    pub const fn holding(&self, mut block: Block, global: usize) -> Block {
        while block.end() <= global && block.number < self.sizes.len() {
            block = self.after(block);
        }
        block
    }

    const fn after(&self, block: Block) -> Block {
        let (number, start) = (block.number + 1, block.end());
        let len = if number < self.sizes.len() { self.sizes[number] } else { usize::MAX - start };
        Block { number, start, len }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_blocks_are_numbered_and_hold_nothing() {
        let blocks = GivenBlocks::new(&[0, 3, 0, 0, 2, 0]);
        let holding = |global| blocks.at(global);
        assert_eq!(holding(0), Block { number: 1, start: 0, len: 3 });
        assert_eq!(holding(3), Block { number: 4, start: 3, len: 2 });
        assert_eq!((holding(5).number, holding(5).end()), (6, usize::MAX));
        assert_eq!(blocks.block(2), Some(Block { number: 2, start: 3, len: 0 }));
        assert_eq!((blocks.block(6), blocks.largest()), (None, 3));
    }
}
