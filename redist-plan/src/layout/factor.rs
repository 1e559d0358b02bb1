//! Factors of a dimension that is seen as an array, and the deal of each in closed form.

use super::balanced::BalancedBlocks;
use super::blocks::Block;
use super::error::{BlockCyclicError, MAX_EXTENT};
use crate::arithmetic::{max, min};
use core::fmt;

/// A factor of a dimension that is seen as an array: see [`Dist::Split`](super::Dist::Split).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Factor {
    /// Elements along the factor.
    pub extent: usize,
    /// Its distribution.
    pub dist: FactorDist,
    /// Ranks along the factor; `None` for those that the other factors leave.
    pub ranks: Option<usize>,
}

/// The distribution of a factor: a word of [`Dist`](super::Dist) without a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FactorDist {
    /// `*`: not distributed.
    Collapsed,
    /// `block`: one block of `ceil(extent / ranks)` elements for each rank.
    Block,
    /// `block(b)`: one block of `b` elements for each rank.
    BlockOf(usize),
    /// `block balanced`, `block balanced last`: one block for each rank, of two sizes.
    Balanced {
        /// `true` if the last ranks have more.
        last: bool,
    },
    /// `cyclic(b)`: blocks of `b` elements dealt in turn.
    Cyclic(usize),
}

impl fmt::Display for FactorDist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactorDist::Collapsed => f.write_str("*"),
            FactorDist::Block => f.write_str("block"),
            FactorDist::BlockOf(block) => write!(f, "block({block})"),
            FactorDist::Balanced { last: false } => f.write_str("block balanced"),
            FactorDist::Balanced { last: true } => f.write_str("block balanced last"),
            FactorDist::Cyclic(1) => f.write_str("cyclic"),
            FactorDist::Cyclic(block) => write!(f, "cyclic({block})"),
        }
    }
}

impl Factor {
    /// A factor of `extent` elements on the ranks that the other factors leave.
    pub const fn new(extent: usize, dist: FactorDist) -> Self {
        Self { extent, dist, ranks: None }
    }

    /// On so many ranks.
    pub const fn onto(self, ranks: usize) -> Self {
        Self { ranks: Some(ranks), ..self }
    }

    pub(super) const fn is_distributed(&self) -> bool {
        !matches!(self.dist, FactorDist::Collapsed)
    }

    /// Ranks along the factor, where the other factors leave `rest`.
    pub(super) const fn on(&self, rest: usize) -> usize {
        match (self.ranks, self.is_distributed()) {
            (Some(ranks), _) => ranks,
            (None, true) => rest,
            (None, false) => 1,
        }
    }

    /// Deals the factor, where the other factors leave `rest` ranks.
    pub(super) const fn deal(&self, rest: usize) -> Result<FactorDeal, BlockCyclicError> {
        let Self { extent, dist, .. } = *self;
        let ranks = self.on(rest);
        let blocks = match dist {
            _ if ranks == 0 => return Err(BlockCyclicError::ZeroRanks),
            FactorDist::Collapsed => FactorBlocks::Regular(max(extent, 1)),
            FactorDist::Block => FactorBlocks::Regular(max(extent.div_ceil(ranks), 1)),
            FactorDist::Balanced { last } => match BalancedBlocks::new(extent, ranks, last) {
                Ok(blocks) => FactorBlocks::Balanced(blocks),
                Err(block) => FactorBlocks::Regular(block),
            },
            FactorDist::BlockOf(0) | FactorDist::Cyclic(0) => {
                return Err(BlockCyclicError::ZeroBlock);
            }
            FactorDist::BlockOf(block) if block.saturating_mul(ranks) < extent => {
                return Err(BlockCyclicError::BlockTooSmall { block, ranks, extent });
            }
            FactorDist::BlockOf(block) | FactorDist::Cyclic(block) if block > MAX_EXTENT => {
                return Err(BlockCyclicError::BlockTooLarge { block });
            }
            FactorDist::BlockOf(block) | FactorDist::Cyclic(block) => FactorBlocks::Regular(block),
        };
        Ok(FactorDeal { extent, ranks, blocks })
    }
}

/// Blocks of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FactorBlocks {
    /// Elements of each, at least 1.
    Regular(usize),
    Balanced(BalancedBlocks),
}

/// A factor in blocks, dealt from coordinate 0 of its own on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FactorDeal {
    /// Elements along the factor.
    pub extent: usize,
    /// Ranks along the factor.
    pub ranks: usize,
    blocks: FactorBlocks,
}

impl FactorDeal {
    /// Elements in the largest block.
    pub const fn block(&self) -> usize {
        match &self.blocks {
            FactorBlocks::Regular(block) => *block,
            FactorBlocks::Balanced(blocks) => blocks.largest(),
        }
    }

    /// Elements in every block; `None` if they differ.
    pub const fn regular_block(&self) -> Option<usize> {
        match &self.blocks {
            FactorBlocks::Regular(block) => Some(*block),
            FactorBlocks::Balanced(_) => None,
        }
    }

    /// Of blocks of two sizes: `true` if the last ones are longer.
    pub const fn balanced_last(&self) -> Option<bool> {
        match &self.blocks {
            FactorBlocks::Regular(_) => None,
            FactorBlocks::Balanced(blocks) => Some(blocks.is_last_longer()),
        }
    }

    /// Returns the number of blocks.
    pub const fn count(&self) -> usize {
        match &self.blocks {
            FactorBlocks::Regular(block) => self.extent.div_ceil(*block),
            FactorBlocks::Balanced(blocks) => blocks.ranks,
        }
    }

    /// Returns the block of an index, which ends with the factor.
    pub const fn block_at(&self, index: usize) -> Block {
        match &self.blocks {
            FactorBlocks::Regular(block) => {
                let start = index / *block * *block;
                Block { number: index / *block, start, len: min(*block, self.extent - start) }
            }
            FactorBlocks::Balanced(blocks) => blocks.at(index),
        }
    }

    pub const fn owner_of_block(&self, number: usize) -> usize {
        number % self.ranks
    }

    pub const fn owner(&self, index: usize) -> usize {
        self.owner_of_block(self.block_at(index).number)
    }

    /// Counts the indices `0..end` of a coordinate.
    pub const fn below(&self, coordinate: usize, end: usize) -> usize {
        let len = match &self.blocks {
            FactorBlocks::Regular(len) => *len,
            FactorBlocks::Balanced(blocks) => return blocks.below(coordinate, end),
        };
        let (blocks, within) = (end / len, end % len);
        let (rounds, extra) = (blocks / self.ranks, blocks % self.ranks);
        let more = if coordinate < extra {
            len
        } else if coordinate == extra {
            within
        } else {
            0
        };
        rounds * len + more
    }

    /// Counts the indices of a coordinate.
    pub const fn share(&self, coordinate: usize) -> usize {
        self.below(coordinate, self.extent)
    }

    /// Returns the index that a coordinate has at a place of which it has that many.
    pub const fn global(&self, coordinate: usize, local: usize) -> Option<usize> {
        match &self.blocks {
            FactorBlocks::Regular(len) => {
                Some((local / *len * self.ranks + coordinate) * *len + local % *len)
            }
            FactorBlocks::Balanced(blocks) => blocks.global(coordinate, local),
        }
    }
}
