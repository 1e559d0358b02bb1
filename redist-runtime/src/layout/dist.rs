//! How one dimension is dealt out, in HPF's words.

use super::block_cyclic::{BlockCyclic, BlockCyclicError};
use core::fmt;

/// The distribution of one dimension, in HPF's words. [`fmt::Display`] writes it in the macro's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dist {
    /// `*`: not distributed; takes no part of the process grid.
    Collapsed,
    /// `block`: one block of `ceil(extent / ranks)` elements for each rank.
    Block,
    /// `block(b)`: one block of `b` elements for each rank; `b` times the ranks must cover the extent.
    BlockOf(usize),
    /// `cyclic(b)`: blocks of `b` elements dealt in turn; `cyclic` is `cyclic(1)`.
    Cyclic(usize),
}

impl Dist {
    /// True unless the dimension stays whole.
    pub const fn is_distributed(&self) -> bool {
        !matches!(self, Dist::Collapsed)
    }

    /// Elements in a block of a dimension of `extent` elements on `ranks` ranks; at least 1 unless written as 0.
    pub const fn block_size(&self, extent: usize, ranks: usize) -> usize {
        match self {
            Dist::Collapsed if extent == 0 => 1,
            Dist::Collapsed => extent,
            Dist::Block if extent == 0 || ranks == 0 => 1,
            Dist::Block => extent.div_ceil(ranks),
            Dist::BlockOf(block) | Dist::Cyclic(block) => *block,
        }
    }

    /// The dimension itself: `extent` elements on `ranks` ranks, block 0 on rank `first`.
    ///
    /// # Errors
    /// As [`BlockCyclic::new`], and a `block(b)` that does not cover the extent.
    pub const fn deal(&self, extent: usize, ranks: usize, first: usize) -> Result<BlockCyclic, BlockCyclicError> {
        if let Dist::BlockOf(block) = *self
            && block > 0
            && block.saturating_mul(ranks) < extent
        {
            return Err(BlockCyclicError::BlockTooSmall { block, ranks, extent });
        }
        BlockCyclic::new(extent, self.block_size(extent, ranks), ranks, first)
    }
}

impl fmt::Display for Dist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dist::Collapsed => f.write_str("*"),
            Dist::Block => f.write_str("block"),
            Dist::BlockOf(block) => write!(f, "block({block})"),
            Dist::Cyclic(1) => f.write_str("cyclic"),
            Dist::Cyclic(block) => write!(f, "cyclic({block})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_the_ceiling_and_never_zero() {
        assert_eq!(Dist::Block.block_size(10, 4), 3);
        assert_eq!(Dist::Block.block_size(0, 4), 1);
        assert_eq!(Dist::Collapsed.block_size(0, 1), 1);
    }

    #[test]
    fn block_of_must_cover_the_extent() {
        assert!(Dist::BlockOf(3).deal(9, 3, 0).is_ok());
        let error = Dist::BlockOf(3).deal(10, 3, 0).unwrap_err();
        assert!(error.to_string().contains("block(3) on 3 ranks holds 9 elements, but the extent is 10"), "{error}");
    }
}
