//! An index's place on the destination's side, moved forward by additions.

use super::regular::Blocks;

/// An index as the destination sees it, which moves forward without dividing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Elements in a block of the destination.
    block: usize,
    /// Ranks of the destination.
    ranks: usize,
    /// The owner's number, counted from the rank of block 0.
    relative: usize,
    /// The owner's local index of the block's first element.
    local: usize,
    /// Elements from the block's first element to the index.
    offset: usize,
}

/// A distance by which a cursor advances, divided once.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Whole blocks in the distance, modulo the ranks: by how many ranks the owner moves on.
    relative: usize,
    /// Elements by which the owner's local index grows: a block for each whole round of ranks.
    local: usize,
    /// Elements of the distance beyond its whole blocks.
    offset: usize,
}

impl Cursor {
    #[inline]
    pub fn at(index: usize, blocks: &Blocks) -> Self {
        let (block, ranks) = (blocks.block, blocks.ranks);
        let step = Step::of(index, blocks);
        Self { block, ranks, relative: step.relative, local: step.local, offset: step.offset }
    }

    #[inline]
    pub fn relative(&self) -> usize {
        self.relative
    }

    #[inline]
    pub fn local(&self) -> usize {
        self.local + self.offset
    }

    #[inline]
    pub fn left(&self) -> usize {
        self.block - self.offset
    }

    #[inline]
    pub fn shift(&mut self) {
        self.offset = 0;
        self.next_owner();
    }

    #[inline]
    pub fn advance(&mut self, step: &Step) {
        if self.left() > step.offset {
            self.offset += step.offset;
        } else {
            self.offset = step.offset - self.left();
            self.next_owner();
        }
        let gap = self.ranks - step.relative;
        if self.relative < gap {
            self.relative += step.relative;
        } else {
            self.relative -= gap;
            self.local = self.local.saturating_add(self.block);
        }
        self.local = self.local.saturating_add(step.local);
    }

    #[inline]
    fn next_owner(&mut self) {
        self.relative += 1;
        if self.relative == self.ranks {
            (self.relative, self.local) = (0, self.local.saturating_add(self.block));
        }
    }
}

impl Step {
    #[inline]
    pub fn of(elements: usize, blocks: &Blocks) -> Self {
        let number = elements / blocks.block;
        Self {
            relative: number % blocks.ranks,
            local: number / blocks.ranks * blocks.block,
            offset: elements % blocks.block,
        }
    }
}
