//! How one dimension is dealt out, in HPF's words.

use super::blocks::GivenBlocks;
use super::{BlockCyclic, BlockCyclicError};
use crate::interned::interned;
use core::fmt;

/// The distribution of one dimension, in HPF's words. [`fmt::Display`] writes it in the macro's
/// notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dist {
    /// `*`: not distributed; takes no part of the process grid.
    Collapsed,
    /// `block`: one block of `ceil(extent / ranks)` elements for each rank.
    Block,
    /// `block(b)`: one block of `b` elements for each rank; `b` times the ranks must cover the
    /// extent.
    BlockOf(usize),
    /// `cyclic(b)`: blocks of `b` elements dealt in turn; `cyclic` is `cyclic(1)`.
    Cyclic(usize),
    /// `gen_block([n0, n1, …])`: one block for each rank, of the size that is listed for it, which
    /// may be 0. The sizes add up to the extent. [`Dist::gen_block`] takes sizes that are known at
    /// run time.
    GenBlock(&'static [usize]),
}

impl Dist {
    /// `gen_block` with sizes that are known at run time.
    ///
    /// The sizes are kept until the program ends, so that a layout stays a plain value. Equal lists
    /// are kept once.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::layout::Dist;
    /// assert_eq!(Dist::gen_block(&vec![3, 4, 5]), Dist::GenBlock(&[3, 4, 5]));
    /// ```
    pub fn gen_block(sizes: &[usize]) -> Self {
        Dist::GenBlock(interned(sizes))
    }

    /// True unless the dimension stays whole.
    pub const fn is_distributed(&self) -> bool {
        !matches!(self, Dist::Collapsed)
    }

    /// Elements in a block of a dimension of `extent` elements on `ranks` ranks; at least 1 unless
    /// written as 0. Of a `gen_block`, elements in the largest block.
    pub const fn block_size(&self, extent: usize, ranks: usize) -> usize {
        match self {
            Dist::Collapsed if extent == 0 => 1,
            Dist::Collapsed => extent,
            Dist::Block if extent == 0 || ranks == 0 => 1,
            Dist::Block => extent.div_ceil(ranks),
            Dist::BlockOf(block) | Dist::Cyclic(block) => *block,
            Dist::GenBlock(sizes) => GivenBlocks::new(sizes).largest(),
        }
    }

    /// The dimension itself: `extent` elements on `ranks` ranks, block 0 on rank `first`.
    ///
    /// # Errors
    /// As [`BlockCyclic::new`] and [`BlockCyclic::general`], and a `block(b)` that does not cover
    /// the extent.
    pub const fn deal(
        &self,
        extent: usize,
        ranks: usize,
        first: usize,
    ) -> Result<BlockCyclic, BlockCyclicError> {
        match *self {
            Dist::GenBlock(sizes) => BlockCyclic::general(extent, sizes, ranks, first),
            Dist::BlockOf(block) if block > 0 && block.saturating_mul(ranks) < extent => {
                Err(BlockCyclicError::BlockTooSmall { block, ranks, extent })
            }
            _ => BlockCyclic::new(extent, self.block_size(extent, ranks), ranks, first),
        }
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
            Dist::GenBlock(sizes) => write!(f, "gen_block({sizes:?})"),
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
        assert!(
            error
                .to_string()
                .contains("block(3) on 3 ranks holds 9 elements, but the extent is 10"),
            "{error}"
        );
    }

    #[test]
    fn gen_block_can_be_a_constant() {
        const ROWS: Dist = Dist::GenBlock(&[3, 0, 5]);
        const DEAL: Result<BlockCyclic, BlockCyclicError> = ROWS.deal(8, 3, 0);
        assert_eq!(DEAL.map(|deal| (deal.owner(3), deal.block())), Ok((2, 5)));
        assert_eq!((ROWS.to_string().as_str(), ROWS.block_size(8, 3)), ("gen_block([3, 0, 5])", 5));
    }
}
