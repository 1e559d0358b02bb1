//! Owners and local indices: ScaLAPACK's TOOLS, zero-based, without overflow, and for GEN_BLOCK.

use super::BlockCyclic;
use super::block_cyclic::Blocks;
use super::blocks::Block;
use crate::arithmetic::{add_modulo, min, subtract_modulo};

impl BlockCyclic {
    /// Returns the block of element `global`. Blocks of one size go on past the extent; a GEN_BLOCK
    /// has one more, without an end. Scans the sizes of a GEN_BLOCK.
    #[inline]
    pub const fn block_at(&self, global: usize) -> Block {
        match &self.blocks {
            Blocks::Regular(block) => {
                let number = global / *block;
                Block { number, start: number * *block, len: *block }
            }
            Blocks::Balanced(blocks) => blocks.at(global),
            Blocks::Given(blocks) => blocks.at(global),
            Blocks::Listed(blocks) => blocks.at(global),
            Blocks::Split(blocks) => blocks.at(global),
        }
    }

    /// Returns the block of an element, searched from `block` on: a walk looks at each size once.
    #[inline]
    pub const fn block_from(&self, block: Block, global: usize) -> Block {
        match &self.blocks {
            Blocks::Given(blocks) => blocks.holding(block, global),
            Blocks::Listed(blocks) => blocks.holding(block, global),
            Blocks::Split(blocks) => blocks.holding(block, global),
            Blocks::Regular(_) if global < block.end() => block,
            Blocks::Regular(_) if global == block.end() => self.block_after(block),
            Blocks::Regular(_) => self.block_at(global),
            Blocks::Balanced(_) if global < block.end() => block,
            Blocks::Balanced(blocks) => blocks.at(global),
        }
    }

    /// Returns the next block that holds anything.
    #[inline]
    pub const fn block_after(&self, block: Block) -> Block {
        match &self.blocks {
            Blocks::Given(blocks) => blocks.holding(block, block.end()),
            Blocks::Listed(blocks) => blocks.holding(block, block.end()),
            Blocks::Split(blocks) => blocks.at(block.end()),
            Blocks::Balanced(blocks) => blocks.at(block.end()),
            Blocks::Regular(_) => Block { number: block.number + 1, start: block.end(), ..block },
        }
    }

    /// Returns `rank`'s first block of given sizes, empty or not.
    #[doc(hidden)]
    pub const fn first_given(&self, rank: usize) -> Option<Block> {
        match &self.blocks {
            Blocks::Given(blocks) => blocks.first_of(self.relative(rank)),
            Blocks::Listed(blocks) => blocks.first_of(self.relative(rank)),
            Blocks::Split(blocks) => blocks.next_of(self.relative(rank), self.ranks, 0),
            Blocks::Balanced(blocks) => Some(blocks.block(self.relative(rank))),
            Blocks::Regular(_) => None,
        }
    }

    /// Returns the next such block of the same rank.
    #[doc(hidden)]
    pub const fn next_given(&self, block: Block) -> Option<Block> {
        match &self.blocks {
            Blocks::Given(blocks) => blocks.next_of_same(block, self.ranks),
            Blocks::Listed(blocks) => blocks.next_of_same(block),
            Blocks::Split(blocks) => {
                let relative = blocks.relative_owner(block.number, self.ranks);
                blocks.next_of(relative, self.ranks, block.end())
            }
            Blocks::Regular(_) | Blocks::Balanced(_) => None,
        }
    }

    /// Returns the rank's distance from `first`, going up: the number of its first block.
    #[inline]
    pub const fn relative(&self, rank: usize) -> usize {
        subtract_modulo(rank, self.first, self.ranks)
    }

    #[inline]
    /// Returns the rank that holds block number `block`.
    pub const fn owner_of_block(&self, block: usize) -> usize {
        let relative = match &self.blocks {
            Blocks::Regular(_) | Blocks::Balanced(_) => block % self.ranks,
            Blocks::Given(blocks) => blocks.relative_owner(block, self.ranks),
            Blocks::Listed(blocks) if block < blocks.count() => blocks.owners[block],
            Blocks::Listed(_) => 0,
            Blocks::Split(blocks) => blocks.relative_owner(block, self.ranks),
        };
        add_modulo(relative, self.first, self.ranks)
    }

    /// Returns the rank that holds element `global` (ScaLAPACK `indxg2p`).
    #[doc(alias = "indxg2p")]
    #[inline]
    pub const fn owner(&self, global: usize) -> usize {
        self.owner_of_block(match &self.blocks {
            Blocks::Listed(blocks) => blocks.at(global).number,
            Blocks::Split(blocks) => blocks.at(global).number,
            Blocks::Regular(block) => global / *block,
            Blocks::Balanced(blocks) => blocks.at(global).number,
            Blocks::Given(blocks) => blocks.at(global).number,
        })
    }

    /// Returns the owner's local index of element `global` (ScaLAPACK `indxg2l`).
    #[doc(alias = "indxg2l")]
    #[inline]
    pub const fn local(&self, global: usize) -> usize {
        match &self.blocks {
            Blocks::Regular(block) => global / *block / self.ranks * *block + global % *block,
            Blocks::Balanced(blocks) => global - blocks.at(global).start,
            Blocks::Given(blocks) => {
                let block = blocks.at(global);
                blocks.local_start(block.number, self.ranks) + (global - block.start)
            }
            Blocks::Listed(blocks) => {
                let block = blocks.at(global);
                blocks.local_start(block.number) + (global - block.start)
            }
            Blocks::Split(blocks) => {
                let owner = blocks.relative_owner(blocks.at(global).number, self.ranks);
                blocks.below(owner, self.ranks, global)
            }
        }
    }

    /// Returns the owner's local index of the first element of a block.
    #[doc(hidden)]
    pub const fn local_start(&self, block: Block) -> usize {
        match &self.blocks {
            Blocks::Regular(len) => block.number / self.ranks * *len,
            Blocks::Balanced(_) => 0,
            Blocks::Given(blocks) => blocks.local_start(block.number, self.ranks),
            Blocks::Listed(blocks) => blocks.local_start(block.number),
            Blocks::Split(blocks) => {
                let owner = blocks.relative_owner(block.number, self.ranks);
                blocks.below(owner, self.ranks, block.start)
            }
        }
    }

    /// Returns the element that `rank` keeps at `local`, if it has that many (ScaLAPACK `indxl2g`).
    #[doc(alias = "indxl2g")]
    #[inline]
    pub const fn global(&self, rank: usize, local: usize) -> Option<usize> {
        match &self.blocks {
            Blocks::Regular(block) => self.global_in_rounds(*block, rank, local),
            Blocks::Balanced(blocks) => blocks.global(self.relative(rank), local),
            Blocks::Given(blocks) => blocks.global(self.relative(rank), self.ranks, local),
            Blocks::Listed(blocks) => blocks.global(self.relative(rank), local),
            Blocks::Split(blocks) => blocks.global(self.relative(rank), self.ranks, local),
        }
    }

    #[inline]
    const fn global_in_rounds(&self, len: usize, rank: usize, local: usize) -> Option<usize> {
        let Some(blocks) = (local / len).checked_mul(self.ranks) else {
            return None;
        };
        let Some(block) = blocks.checked_add(self.relative(rank)) else {
            return None;
        };
        let Some(start) = block.checked_mul(len) else {
            return None;
        };
        match start.checked_add(local % len) {
            Some(global) if global < self.extent => Some(global),
            _ => None,
        }
    }

    /// Bounds, never falling with `len`, the elements of any `len` neighbours that one rank holds.
    #[doc(hidden)]
    pub fn most_owned_of(&self, len: usize) -> usize {
        match &self.blocks {
            Blocks::Regular(block) => {
                let round = block.saturating_mul(self.ranks);
                len / round * block + min(*block, len % round)
            }
            Blocks::Balanced(blocks) => min(len, blocks.largest()),
            Blocks::Given(blocks) => blocks.most_of(self.ranks, len),
            Blocks::Listed(_) | Blocks::Split(_) => min(len, self.longest_share()),
        }
    }

    pub(crate) const fn has_stretches(&self) -> bool {
        match &self.blocks {
            Blocks::Given(blocks) => blocks.has_stretches(self.ranks),
            _ => false,
        }
    }

    /// Returns the most elements of `from..end` on one rank, where parts are listed.
    pub(crate) const fn most_listed_between(&self, from: usize, end: usize) -> Option<usize> {
        match &self.blocks {
            Blocks::Listed(blocks) => Some(blocks.most_between((from, end), self.ranks)),
            _ => None,
        }
    }

    /// Counts the elements that `rank` holds (ScaLAPACK `numroc`).
    #[inline]
    pub const fn numroc(&self, rank: usize) -> usize {
        self.owned_below(rank, self.extent)
    }

    #[inline]
    /// Counts the elements `0..end` of `rank`.
    pub const fn owned_below(&self, rank: usize, end: usize) -> usize {
        match &self.blocks {
            Blocks::Regular(block) => self.owned_in_rounds(*block, rank, end),
            Blocks::Balanced(blocks) => blocks.below(self.relative(rank), end),
            Blocks::Given(blocks) => blocks.below(self.relative(rank), self.ranks, end),
            Blocks::Listed(blocks) => blocks.below(self.relative(rank), end),
            Blocks::Split(blocks) => blocks.below(self.relative(rank), self.ranks, end),
        }
    }

    #[inline]
    const fn owned_in_rounds(&self, len: usize, rank: usize, end: usize) -> usize {
        let blocks = end / len;
        let (rounds, extra) = (blocks / self.ranks, blocks % self.ranks);
        let relative = self.relative(rank);
        rounds * len
            + if relative < extra {
                len
            } else if relative == extra {
                end % len
            } else {
                0
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MAX_EXTENT;

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let deal = BlockCyclic::new(MAX_EXTENT, MAX_EXTENT, usize::MAX, usize::MAX - 1).unwrap();
        assert_eq!(deal.numroc(usize::MAX - 1), MAX_EXTENT);
        assert_eq!(deal.owner(MAX_EXTENT - 1), usize::MAX - 1);
        let fine = BlockCyclic::new(MAX_EXTENT, 1, usize::MAX, 0).unwrap();
        assert_eq!((fine.numroc(MAX_EXTENT - 1), fine.numroc(MAX_EXTENT)), (1, 0));
        let given = BlockCyclic::general(MAX_EXTENT, &[1, MAX_EXTENT - 1], 2, 1).unwrap();
        assert_eq!((given.owner(MAX_EXTENT - 1), given.local(MAX_EXTENT - 1)), (0, MAX_EXTENT - 2));
    }
}
