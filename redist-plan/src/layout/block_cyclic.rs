//! One dealt dimension: constructors, and the facts that they check.

use super::balanced::BalancedBlocks;
use super::blocks::GivenBlocks;
use super::error::{BlockCyclicError, MAX_EXTENT, MAX_PARTS_OF_ROWS};
use super::factor::{Factor, FactorDeal};
use super::listed::ListedBlocks;
use super::split::{FromFactors, SplitBlocks};
use crate::arithmetic::min;

/// Deals `extent` elements in blocks of `block` to `ranks` ranks in turn, from rank `first` on.
///
/// Rank `(B + first) mod ranks` holds block `B`, and stores its blocks one after the other. BLOCK
/// is `block = ceil(extent / ranks)`, CYCLIC is `block = 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockCyclic {
    /// Elements of the dimension.
    pub(super) extent: usize,
    pub(super) blocks: Blocks,
    /// Ranks along the dimension.
    pub(super) ranks: usize,
    /// Rank that holds block 0, counted along the dimension.
    pub(super) first: usize,
}

/// Sizes of the blocks of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Blocks {
    /// All of this size, at least 1 element.
    Regular(usize),
    Balanced(BalancedBlocks),
    Given(GivenBlocks),
    Listed(ListedBlocks),
    Split(SplitBlocks),
}

impl BlockCyclic {
    /// # Errors
    /// A zero block or grid, `first` outside the grid, a block or an extent above [`MAX_EXTENT`].
    pub const fn new(
        extent: usize,
        block: usize,
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        if block == 0 {
            return Err(BlockCyclicError::ZeroBlock);
        }
        match Self::checked(extent, Blocks::Regular(block), ranks, first) {
            Ok(_) if block > MAX_EXTENT => Err(BlockCyclicError::BlockTooLarge { block }),
            dealt => dealt,
        }
    }

    /// Makes one block for each rank, of which the first or the last `extent mod ranks` have one
    /// element more. Blocks that `block` has, too, are made as it makes them.
    ///
    /// # Errors
    /// Sizes or ranks that [`BlockCyclic::new`] refuses.
    pub const fn balanced(
        extent: usize,
        last: bool,
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        if ranks == 0 {
            return Err(BlockCyclicError::ZeroRanks);
        }
        match BalancedBlocks::new(extent, ranks, last) {
            Ok(blocks) => Self::checked(extent, Blocks::Balanced(blocks), ranks, first),
            Err(block) => Self::new(extent, block, ranks, first),
        }
    }

    /// Makes a GEN_BLOCK: one block for each rank, block `i` of `sizes[i]` elements, 0 or more.
    ///
    /// # Errors
    /// The errors of [`BlockCyclic::new`]; not one size for each rank; sizes that do not add up to
    /// the extent.
    pub const fn general(
        extent: usize,
        sizes: &'static [usize],
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        let blocks = Blocks::Given(GivenBlocks::new(sizes, 1, 1));
        let dealt = match Self::checked(extent, blocks, ranks, first) {
            Ok(dealt) => dealt,
            Err(error) => return Err(error),
        };
        match sum_of(sizes) {
            _ if sizes.len() != ranks => {
                Err(BlockCyclicError::WrongNumberOfSizes { sizes: sizes.len(), ranks })
            }
            sum if sum > MAX_EXTENT => Err(BlockCyclicError::SizesTooLarge),
            sum if sum != extent => Err(BlockCyclicError::SizesMissExtent { sum, extent }),
            _ => Ok(dealt),
        }
    }

    /// Gives the parts between `cuts` to the listed `owners`, coordinates counted from `first`.
    ///
    /// # Errors
    /// Sizes or ranks that [`BlockCyclic::new`] refuses; cuts that fall or are above the extent;
    /// not one owner for each part; an owner outside of the grid.
    pub const fn listed(
        extent: usize,
        parts: (&'static [usize], &'static [usize]),
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        match ListedBlocks::new(extent, parts, ranks) {
            Err(_) if ranks == 0 => Err(BlockCyclicError::ZeroRanks),
            Err(error) => Err(error),
            Ok(blocks) => Self::checked(extent, Blocks::Listed(blocks), ranks, first),
        }
    }

    /// Deals each factor of the dimension, seen as an array in row-major order, by itself.
    ///
    /// # Errors
    /// Sizes or ranks that [`BlockCyclic::new`] refuses, of a factor too; extents or ranks of
    /// factors whose products are not those of the dimension; a list; too many blocks.
    pub const fn split(
        extent: usize,
        factors: &'static [Factor],
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        match SplitBlocks::dealt(extent, factors, ranks) {
            Ok(FromFactors::Regular(block)) => Self::new(extent, block, ranks, first),
            Ok(FromFactors::Balanced(last)) => Self::balanced(extent, last, ranks, first),
            Ok(FromFactors::Split(blocks)) => {
                Self::checked(extent, Blocks::Split(blocks), ranks, first)
            }
            Err(error) => Err(error),
        }
    }

    /// Deals rows of `lengths[i]` points each, 0 or more, as of a reduced grid. Each row is cut
    /// into `points` blocks of `ceil(length / points)`. `turn` rows at a time go to the `ranks /
    /// points` groups of `points` ranks in turn.
    ///
    /// # Errors
    /// The errors of [`BlockCyclic::new`]; no rows; lengths that do not add up to the extent;
    /// `turn` 0; ranks that are no multiple of `points`; more than [`MAX_PARTS_OF_ROWS`].
    pub const fn rows(
        extent: usize,
        (lengths, turn, points): (&'static [usize], usize, usize),
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        if turn == 0 {
            return Err(BlockCyclicError::ZeroBlock);
        }
        if points == 0 || !ranks.is_multiple_of(points) {
            return Err(BlockCyclicError::PointsDoNotDivideRanks { points, ranks });
        }
        let sum = sum_of(lengths);
        if lengths.is_empty() || sum != extent {
            let rows = lengths.len();
            return Err(BlockCyclicError::RowsMissExtent { rows, sum, extent });
        }
        if lengths.len().saturating_mul(points) > MAX_PARTS_OF_ROWS {
            return Err(BlockCyclicError::TooManyParts { rows: lengths.len(), points });
        }
        // Equal distributions are written alike: one group has all turns, and no turn is longer
        // than all rows.
        let turn = if points == ranks { 1 } else { min(turn, lengths.len()) };
        Self::checked(extent, Blocks::Given(GivenBlocks::new(lengths, turn, points)), ranks, first)
    }

    const fn checked(
        extent: usize,
        blocks: Blocks,
        ranks: usize,
        first: usize,
    ) -> Result<Self, BlockCyclicError> {
        if ranks == 0 {
            return Err(BlockCyclicError::ZeroRanks);
        }
        if first >= ranks {
            return Err(BlockCyclicError::FirstOutsideGrid { first, ranks });
        }
        if extent > MAX_EXTENT {
            return Err(BlockCyclicError::ExtentTooLarge { extent });
        }
        Ok(Self { extent, blocks, ranks, first })
    }

    /// Changes the block, of a dimension on one rank: no owner and no local index changes.
    #[doc(hidden)]
    pub const fn with_block(self, block: usize) -> Self {
        Self { blocks: Blocks::Regular(block), ..self }
    }

    /// Returns the same dimension with indices of listed sizes, so that a rank looks at its own
    /// blocks alone. Equal lists share an index, which is never freed.
    #[doc(hidden)]
    pub fn indexed(self) -> Self {
        let blocks = match self.blocks {
            Blocks::Given(blocks) => Blocks::Given(blocks.indexed()),
            Blocks::Listed(blocks) => Blocks::Listed(blocks.indexed()),
            Blocks::Regular(_) | Blocks::Balanced(_) | Blocks::Split(_) => self.blocks,
        };
        Self { blocks, ..self }
    }

    /// Returns the number of elements.
    pub const fn extent(&self) -> usize {
        self.extent
    }

    /// Elements in a block (ScaLAPACK MB or NB), or in the largest.
    pub const fn block(&self) -> usize {
        match &self.blocks {
            Blocks::Regular(block) => *block,
            Blocks::Balanced(blocks) => blocks.largest(),
            Blocks::Given(blocks) => blocks.largest,
            Blocks::Listed(blocks) => blocks.largest,
            Blocks::Split(blocks) => blocks.largest,
        }
    }

    /// Elements in every block; `None` if each has a size of its own.
    pub const fn regular_block(&self) -> Option<usize> {
        match &self.blocks {
            Blocks::Regular(block) => Some(*block),
            _ => None,
        }
    }

    /// Returns cuts and owners of listed parts.
    pub const fn listed_parts(&self) -> Option<(&'static [usize], &'static [usize])> {
        match &self.blocks {
            Blocks::Listed(blocks) => Some((blocks.cuts, blocks.owners)),
            _ => None,
        }
    }

    /// Returns `true` if the dimension is an array of factors that is no simpler one.
    pub const fn is_split(&self) -> bool {
        matches!(self.blocks, Blocks::Split(_))
    }

    /// Returns the factors of a dimension that is no simpler one: each one's deal.
    pub(crate) const fn nth_factor(&self, place: usize) -> Option<FactorDeal> {
        match &self.blocks {
            Blocks::Split(blocks) => blocks.nth(place),
            _ => None,
        }
    }

    /// Returns the factors of a `split` that is no simpler distribution, the same for equal owners.
    #[doc(hidden)]
    pub fn factors(&self) -> Option<Vec<Factor>> {
        match &self.blocks {
            Blocks::Split(blocks) => Some(blocks.canonical()),
            _ => None,
        }
    }

    /// Of a `block balanced` that is no `block`: `true` if the last blocks are the longer ones.
    pub const fn balanced_last(&self) -> Option<bool> {
        match &self.blocks {
            Blocks::Balanced(blocks) => Some(blocks.is_last_longer()),
            _ => None,
        }
    }

    /// Returns `true` if no rank holds more than one block.
    pub const fn has_one_block_each(&self) -> bool {
        match &self.blocks {
            Blocks::Regular(block) => block.saturating_mul(self.ranks) >= self.extent,
            Blocks::Balanced(_) => true,
            Blocks::Given(_) => self.given_sizes().is_some(),
            Blocks::Listed(_) | Blocks::Split(_) => false,
        }
    }

    /// Returns blocks of one size that are dealt as these are, from element `index` on, its index
    /// among them, and the number of elements for which that is so.
    pub(crate) const fn stretch(&self, index: usize) -> Option<(Self, usize, usize)> {
        match &self.blocks {
            Blocks::Regular(_) => Some((*self, index, usize::MAX)),
            Blocks::Balanced(blocks) => {
                let stretch = blocks.stretch(index);
                let blocks = Blocks::Regular(stretch.block);
                let deal = Self { extent: stretch.extent, blocks, ..*self };
                Some((deal, stretch.index, stretch.left))
            }
            Blocks::Given(_) | Blocks::Listed(_) | Blocks::Split(_) => None,
        }
    }

    /// Returns the sizes of a GEN_BLOCK, or of rows that are dealt as one is.
    pub const fn given_sizes(&self) -> Option<&'static [usize]> {
        match &self.blocks {
            Blocks::Given(blocks)
                if blocks.parts == 1 && blocks.turn == 1 && blocks.lengths.len() == self.ranks =>
            {
                Some(blocks.lengths)
            }
            _ => None,
        }
    }

    /// Of rows that are no GEN_BLOCK: lengths, rows in a turn, and ranks that share a row.
    pub const fn given_rows(&self) -> Option<(&'static [usize], usize, usize)> {
        match &self.blocks {
            Blocks::Given(blocks) if self.given_sizes().is_none() => {
                Some((blocks.lengths, blocks.turn, blocks.parts))
            }
            _ => None,
        }
    }

    /// Returns the number of blocks of listed sizes, empty ones too.
    pub const fn given_blocks(&self) -> Option<usize> {
        match &self.blocks {
            Blocks::Regular(_) | Blocks::Balanced(_) => None,
            Blocks::Given(blocks) => Some(blocks.count()),
            Blocks::Listed(blocks) => Some(blocks.count()),
            Blocks::Split(blocks) => Some(blocks.count()),
        }
    }

    /// Elements of each rank, where blocks have listed sizes.
    pub fn given_shares(&self) -> Option<Vec<usize>> {
        let count = self.given_blocks()?;
        let mut shares = vec![0; self.ranks];
        let mut block = self.block_at(0);
        while block.number < count {
            shares[self.owner_of_block(block.number)] += block.len;
            block = self.block_after(block);
        }
        Some(shares)
    }

    /// Elements of the rank that holds most; counts the elements of each rank if blocks have listed
    /// sizes.
    pub fn longest_share(&self) -> usize {
        match self.given_shares() {
            Some(shares) => shares.into_iter().max().unwrap_or(0),
            None => min(self.block(), self.extent).max(self.numroc(self.first)),
        }
    }

    /// Ranks along the dimension (ScaLAPACK NPROW or NPCOL).
    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns the rank that holds block 0 (ScaLAPACK RSRC or CSRC).
    pub const fn first(&self) -> usize {
        self.first
    }
}

const fn sum_of(sizes: &[usize]) -> usize {
    let (mut sum, mut number) = (0usize, 0);
    while number < sizes.len() {
        sum = sum.saturating_add(sizes[number]);
        number += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_do_not_fit_say_by_how_much() {
        let error =
            |extent, sizes, ranks| BlockCyclic::general(extent, sizes, ranks, 0).unwrap_err();
        let message = |extent, sizes, ranks| error(extent, sizes, ranks).to_string();
        assert!(message(9, &[4, 5], 3).contains("gen_block has 2 sizes, but the grid has 3 ranks"));
        assert!(message(10, &[4, 5], 2).contains("add up to 9, 1 less than the extent 10"));
        assert!(message(7, &[4, 5], 2).contains("add up to 9, 2 more than the extent 7"));
        assert_eq!(error(9, &[usize::MAX, 2], 2), BlockCyclicError::SizesTooLarge);
        assert_eq!(error(0, &[], 0), BlockCyclicError::ZeroRanks);
    }

    #[test]
    fn rows_that_do_not_fit_say_why() {
        let error = |extent, rows, ranks| BlockCyclic::rows(extent, rows, ranks, 0).unwrap_err();
        let message = |extent, rows, ranks| error(extent, rows, ranks).to_string();
        let short = message(10, (&[4, 5], 1, 1), 3);
        assert!(short.contains("2 rows hold 9 points, 1 less than the extent 10"), "{short}");
        let odd = message(9, (&[4, 5], 1, 2), 3);
        assert!(odd.contains("divided among 2 ranks, but the grid has 3"), "{odd}");
        assert!(message(9, (&[4, 5], 1, 0), 3).contains("among 0 ranks"));
        assert_eq!(error(9, (&[4, 5], 0, 1), 3), BlockCyclicError::ZeroBlock);
        assert_eq!(error(9, (&[4, 5], 1, 1), 0), BlockCyclicError::ZeroRanks);
        assert!(message(0, (&[], 1, 1), 3).contains("0 rows hold 0 points"));
        let many = message(9, (&[4, 5], 1, 1 << 24), 1 << 24);
        assert!(many.contains("2 rows divided among 16777216 ranks each"), "{many}");
        assert!(BlockCyclic::rows(9, (&[9], 1, 1 << 24), 1 << 24, 0).is_ok());
    }
}
