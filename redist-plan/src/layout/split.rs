//! A dimension seen as an array of factors, each distributed by itself: `split([2, 4096], *, block)`.
//!
//! Arrays of different shapes list the same elements: `[3072, 64]` has the elements of
//! `[12, 256, 64]` in the same row-major order. A plan has the dimensions that both shapes have in
//! common, here 3072 and 64. A side with more dimensions says `split([12, 256], …)` for the first
//! one: its owners are those of `[12, 256]`, and so is the order of its local array, which is
//! row-major. Rows of factors rise with the index, and so do elements in a row. So a rank stores its
//! elements in the order of their indices, as the planner expects of any dimension.
//!
//! If the blocks fit, `split` is another distribution: a first factor in blocks is a `block`, and
//! a last factor whose blocks are dealt whole times is a `cyclic`. Such dimensions have closed forms
//! and a class. Others are runs of different lengths, which the planner walks through as through
//! those of a `gen_block`. Nothing is listed: owners and local indices are found factor by factor.

use super::blocks::Block;
use super::error::{BlockCyclicError, MAX_PARTS_OF_ROWS};
use super::factor::{Factor, FactorDeal, FactorDist};
use crate::arithmetic::{max, min};

/// Factors of a dimension, checked, of which at least one is on several ranks. A coordinate along
/// the dimension is one of the factors' grid, the last factor's the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct SplitBlocks {
    /// Extents, distributions and ranks.
    factors: &'static [Factor],
    /// Ranks of a factor that does not say them.
    rest: usize,
    /// Elements of all factors together.
    extent: usize,
    /// Number of the last factor on several ranks.
    last: usize,
    /// Elements of the factors behind that, which are not distributed.
    unit: usize,
    /// Blocks of the last distributed factor.
    in_row: usize,
    /// Blocks of the dimension.
    count: usize,
    /// Elements in the largest block, at least 1.
    pub largest: usize,
}

/// A dimension of factors, in the simplest words.
pub(super) enum FromFactors {
    /// Blocks of one size.
    Regular(usize),
    /// Blocks of two sizes, of which the last are longer, or the first.
    Balanced(bool),
    /// Others.
    Split(SplitBlocks),
}

/// A walk over the factors, from the first to the last distributed one.
struct Digits {
    /// Number of the next factor.
    factor: usize,
    /// Elements from one index of the factor before to the next.
    stride: usize,
    /// Coordinates from one of the factor before to the next.
    cells: usize,
}

impl Digits {
    const fn of(blocks: &SplitBlocks, ranks: usize) -> Self {
        Self { factor: 0, stride: blocks.extent, cells: ranks }
    }

    /// Returns the next factor's deal; its strides are the walk's then.
    const fn step(&mut self, blocks: &SplitBlocks) -> Option<FactorDeal> {
        if self.factor > blocks.last {
            return None;
        }
        let factor = &blocks.factors[self.factor];
        self.factor += 1;
        self.stride /= factor.extent;
        self.cells /= factor.on(blocks.rest);
        Some(blocks.deal(self.factor - 1))
    }
}

impl SplitBlocks {
    /// Checks the factors, and returns a simpler dimension that is the same, if there is one.
    ///
    /// # Errors
    /// No factor; extents whose product is not the extent; ranks whose product is not `ranks`; a
    /// wrong block; too many parts.
    pub const fn dealt(
        extent: usize,
        factors: &'static [Factor],
        ranks: usize,
    ) -> Result<FromFactors, BlockCyclicError> {
        let (rest, product) = match ranks_and_product(factors, ranks) {
            Ok(found) => found,
            Err(error) => return Err(error),
        };
        if product != extent || factors.is_empty() {
            return Err(BlockCyclicError::SplitMissesExtent { product, extent });
        }
        let (mut last, mut place, mut unit) = (factors.len(), 0, 1);
        while place < factors.len() {
            if let Err(error) = factors[place].deal(rest) {
                return Err(error);
            }
            (last, unit) = if factors[place].on(rest) > 1 {
                (place, 1)
            } else {
                (last, saturating(unit, factors[place].extent))
            };
            place += 1;
        }
        if last == factors.len() || extent == 0 {
            return Ok(FromFactors::Regular(max(extent, 1)));
        }
        let blocks = Self { factors, rest, extent, last, unit, in_row: 0, count: 0, largest: 1 };
        blocks.simplified(ranks)
    }

    /// Returns the dimension in blocks of one size, or of two, if it is one.
    const fn simplified(self, ranks: usize) -> Result<FromFactors, BlockCyclicError> {
        let (deal, along) = (self.deal(self.last), self.factors[self.last].extent);
        let rows = self.extent / (along * self.unit);
        let is_alone = deal.ranks == ranks;
        if let Some(block) = deal.regular_block()
            && is_alone
            && (rows == 1 || along.is_multiple_of(saturating(block, ranks)))
        {
            // A block that reaches past a short factor would, in elements, be too large.
            return Ok(FromFactors::Regular(min(block, along) * self.unit));
        }
        if let Some(last) = deal.balanced_last()
            && is_alone
            && rows == 1
            && self.unit == 1
        {
            return Ok(FromFactors::Balanced(last));
        }
        let in_row = deal.count();
        let count = saturating(rows, in_row);
        if count > MAX_PARTS_OF_ROWS {
            return Err(BlockCyclicError::SplitTooFine { parts: count });
        }
        let largest = max(min(deal.block(), along) * self.unit, 1);
        Ok(FromFactors::Split(Self { in_row, count, largest, ..self }))
    }

    /// Returns the deal of a factor.
    const fn deal(&self, place: usize) -> FactorDeal {
        match self.factors[place].deal(self.rest) {
            Ok(deal) => deal,
            Err(_) => unreachable!(),
        }
    }

    /// Returns the deal of a factor; `None` behind the last that is on several ranks.
    pub const fn nth(&self, place: usize) -> Option<FactorDeal> {
        if place <= self.last { Some(self.deal(place)) } else { None }
    }

    /// Returns the factors in words that are the same for equal numbers.
    pub fn canonical(&self) -> Vec<Factor> {
        let several = (0..=self.last).filter(|place| self.deal(*place).ranks > 1).count() > 1;
        let factor = |place| {
            let deal = self.deal(place);
            let dist = match (deal.ranks, deal.balanced_last()) {
                (1, _) => FactorDist::Collapsed,
                (_, Some(last)) => FactorDist::Balanced { last },
                (ranks, None) if saturating(deal.block(), ranks) >= deal.extent => {
                    FactorDist::BlockOf(deal.block())
                }
                _ => FactorDist::Cyclic(deal.block()),
            };
            let ranks = (several && deal.ranks > 1).then_some(deal.ranks);
            Factor { extent: deal.extent, dist, ranks }
        };
        let unit = (self.unit > 1).then(|| Factor::new(self.unit, FactorDist::Collapsed));
        (0..=self.last).map(factor).chain(unit).collect()
    }

    pub const fn count(&self) -> usize {
        self.count
    }

    /// The block that holds element `global`. Elements past the extent count as one more block.
    pub const fn at(&self, global: usize) -> Block {
        if global >= self.extent {
            let len = usize::MAX - self.extent;
            return Block { number: self.count, start: self.extent, len };
        }
        let along = self.factors[self.last].extent;
        let (row, within) = (global / (along * self.unit), global / self.unit % along);
        let block = self.deal(self.last).block_at(within);
        Block {
            number: row * self.in_row + block.number,
            start: (row * along + block.start) * self.unit,
            len: (min(block.end(), along) - block.start) * self.unit,
        }
    }

    /// Returns the block of element `global`, searched from `block` on.
    pub const fn holding(&self, block: Block, global: usize) -> Block {
        if global < block.end() { block } else { self.at(global) }
    }

    /// Returns the coordinate that holds block `number`; 0 past the last.
    pub const fn relative_owner(&self, number: usize, ranks: usize) -> usize {
        if number >= self.count {
            return 0;
        }
        let (row, block) = (number / self.in_row, number % self.in_row);
        let mut rest = row * self.factors[self.last].extent * self.unit;
        let (mut digits, mut owner) = (Digits::of(self, ranks), 0);
        while let Some(deal) = digits.step(self) {
            let coordinate = if digits.factor > self.last {
                deal.owner_of_block(block)
            } else {
                deal.owner(rest / digits.stride)
            };
            rest %= digits.stride;
            owner += coordinate * digits.cells;
        }
        owner
    }

    /// Counts all elements of a coordinate.
    const fn share(&self, relative: usize, ranks: usize) -> usize {
        let (mut digits, mut rest, mut share) = (Digits::of(self, ranks), relative, self.unit);
        while let Some(deal) = digits.step(self) {
            share *= deal.share(rest / digits.cells);
            rest %= digits.cells;
        }
        share
    }

    /// Counts the elements `0..end` of a coordinate.
    pub const fn below(&self, relative: usize, ranks: usize, end: usize) -> usize {
        let mut share = self.share(relative, ranks);
        if share == 0 || end >= self.extent {
            return share;
        }
        let (mut digits, mut coordinate) = (Digits::of(self, ranks), relative);
        let (mut rest, mut count) = (end, 0);
        while let Some(deal) = digits.step(self) {
            let (own, index) = (coordinate / digits.cells, rest / digits.stride);
            (coordinate, rest) = (coordinate % digits.cells, rest % digits.stride);
            share /= deal.share(own);
            count += deal.below(own, index) * share;
            if deal.owner(index) != own {
                return count;
            }
        }
        count + rest
    }

    /// Returns a coordinate's element `local`, if it has that many.
    pub const fn global(&self, relative: usize, ranks: usize, local: usize) -> Option<usize> {
        let mut share = self.share(relative, ranks);
        if local >= share {
            return None;
        }
        let (mut digits, mut coordinate) = (Digits::of(self, ranks), relative);
        let (mut rest, mut global) = (local, 0);
        while let Some(deal) = digits.step(self) {
            let own = coordinate / digits.cells;
            coordinate %= digits.cells;
            share /= deal.share(own);
            let Some(index) = deal.global(own, rest / share) else { return None };
            global += index * digits.stride;
            rest %= share;
        }
        Some(global + rest)
    }

    /// Returns a coordinate's first block that ends after element `from`.
    pub const fn next_of(&self, relative: usize, ranks: usize, from: usize) -> Option<Block> {
        match self.global(relative, ranks, self.below(relative, ranks, from)) {
            Some(global) => Some(self.at(global)),
            None => None,
        }
    }
}

/// Returns the ranks of a factor that does not say them, and the product of the extents.
const fn ranks_and_product(
    factors: &[Factor],
    ranks: usize,
) -> Result<(usize, usize), BlockCyclicError> {
    let (mut said, mut product, mut open) = (1usize, 1usize, 0);
    let mut place = 0;
    while place < factors.len() {
        let Factor { extent, dist, ranks } = factors[place];
        if let (FactorDist::Collapsed, Some(ranks)) = (dist, ranks)
            && ranks != 1
        {
            return Err(BlockCyclicError::FactorOnRanks { place, ranks });
        }
        (said, open) = match ranks {
            Some(ranks) => (saturating(said, ranks), open),
            None => (said, open + factors[place].is_distributed() as usize),
        };
        if open > 1 {
            return Err(BlockCyclicError::FactorsOpen { place });
        }
        product = saturating(product, extent);
        place += 1;
    }
    if ranks == 0 || said == 0 {
        return Err(BlockCyclicError::ZeroRanks);
    }
    if !ranks.is_multiple_of(said) || (open == 0 && said != ranks) {
        return Err(BlockCyclicError::FactorRanks { product: said, ranks });
    }
    Ok((ranks / said, product))
}

const fn saturating(a: usize, b: usize) -> usize {
    a.saturating_mul(b)
}

#[cfg(test)]
mod tests;
