//! Distributions of one dimension.

use super::blocks::GivenBlocks;
use super::{BlockCyclic, BlockCyclicError, Factor};
use crate::interned::{Interner, interned};
use core::fmt;

/// The distribution of one dimension, in HPF's words; [`fmt::Display`] writes the macro's notation.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Dist;
/// use redist::Layout;
/// let rows = Layout::new([Dist::Cyclic(64), Dist::Collapsed], [4, 1]);
/// assert_eq!(rows.to_string(), "(cyclic(64), *) onto 4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dist {
    /// `*`: not distributed; takes no part of the process grid.
    Collapsed,
    /// `block`: one block of `ceil(extent / ranks)` elements for each rank.
    Block,
    /// `block(b)`: one block of `b` elements for each rank; these must cover the extent.
    BlockOf(usize),
    /// `block balanced`, `block balanced last`: one block for each rank, of which `extent mod ranks`
    /// have one element more: the first ones, or the last ones.
    Balanced {
        /// `true` if the last ranks have more.
        last: bool,
    },
    /// `cyclic(b)`: blocks of `b` elements dealt in turn; `cyclic` is `cyclic(1)`.
    Cyclic(usize),
    /// `gen_block([n0, …])`: one block a rank; sizes of 0 or more, which add up to the extent.
    GenBlock(&'static [usize]),
    /// `rows([n0, n1, …], block)`, `rows([n0, n1, …], cyclic(turn))`: rows of these lengths, which
    /// add up to the extent. With `points(q)`, each row is divided among `q` ranks.
    Rows {
        /// Points in each row, which may be 0.
        lengths: &'static [usize],
        /// Rows dealt at a time; `None` deals all in one turn (`block`).
        turn: Option<usize>,
        /// Ranks that share a row, in blocks of `ceil(length / points)`; a divisor of all ranks.
        points: usize,
    },
    /// `blocks([c0, c1, …], [o0, o1, …])`: parts between cuts, each on the rank of its owner. A rank
    /// stores its parts in the order of their indices.
    Blocks {
        /// First elements of all parts but the first; none is below the one before it.
        cuts: &'static [usize],
        /// The coordinate of each part in the grid, counted from `first`: one more than cuts.
        owners: &'static [usize],
    },
    /// `points([n0, n1, …])`: rows of these lengths, each divided among all ranks.
    Points(&'static [usize]),
    /// `split([n0, n1, …], d0, d1, …)`: the dimension as an array of `n0 × n1 × …` elements in
    /// row-major order, each of whose factors has a distribution and ranks of its own.
    Split(&'static [Factor]),
}

/// Factors that are known at run time, kept for the life of the program.
static FACTORS: Interner<[Factor]> = Interner::new();

impl Dist {
    /// Makes a `gen_block` of sizes known at run time; equal lists are kept once, and not freed.
    pub fn gen_block(sizes: &[usize]) -> Self {
        Dist::GenBlock(interned(sizes))
    }

    /// [`Dist::Rows`] with lengths that are known at run time, kept as by [`Dist::gen_block`].
    pub fn rows(lengths: &[usize], turn: Option<usize>, points: usize) -> Self {
        Dist::Rows { lengths: interned(lengths), turn, points }
    }

    /// [`Dist::Points`] with lengths that are known at run time, kept as by [`Dist::gen_block`].
    pub fn points(lengths: &[usize]) -> Self {
        Dist::Points(interned(lengths))
    }

    /// [`Dist::Blocks`] with lists that are known at run time, kept as by [`Dist::gen_block`].
    pub fn blocks(cuts: &[usize], owners: &[usize]) -> Self {
        Dist::Blocks { cuts: interned(cuts), owners: interned(owners) }
    }

    /// [`Dist::Split`] with factors that are known at run time, kept as by [`Dist::gen_block`].
    pub fn split(factors: &[Factor]) -> Self {
        Dist::Split(FACTORS.get(factors))
    }

    #[doc(hidden)]
    pub const fn of_rows(
        (lengths, turn, points): (&'static [usize], usize, usize),
        ranks: usize,
    ) -> Self {
        if points == ranks {
            return Dist::Points(lengths);
        }
        let block = turn == rows_in_one_turn(lengths, ranks, points);
        Dist::Rows { lengths, turn: if block { None } else { Some(turn) }, points }
    }

    /// Returns `true` unless the dimension stays whole.
    #[doc(hidden)]
    pub const fn is_distributed(&self) -> bool {
        !matches!(self, Dist::Collapsed)
    }

    /// Elements in the largest block; at least 1 unless written as 0.
    #[doc(hidden)]
    pub const fn block_size(&self, extent: usize, ranks: usize) -> usize {
        match self {
            Dist::Collapsed if extent == 0 => 1,
            Dist::Collapsed => extent,
            Dist::Block | Dist::Balanced { .. } if extent == 0 || ranks == 0 => 1,
            Dist::Block | Dist::Balanced { .. } => extent.div_ceil(ranks),
            Dist::BlockOf(block) | Dist::Cyclic(block) => *block,
            Dist::GenBlock(sizes) => GivenBlocks::new(sizes, 1, 1).largest,
            Dist::Rows { lengths, points, .. } => {
                GivenBlocks::new(lengths, 1, at_least_one(*points)).largest
            }
            Dist::Points(lengths) => GivenBlocks::new(lengths, 1, at_least_one(ranks)).largest,
            Dist::Blocks { cuts, owners } => {
                match BlockCyclic::listed(extent, (cuts, owners), ranks, 0) {
                    Ok(dealt) => dealt.block(),
                    Err(_) => 1,
                }
            }
            Dist::Split(factors) => match BlockCyclic::split(extent, factors, ranks, 0) {
                Ok(dealt) => dealt.block(),
                Err(_) => 1,
            },
        }
    }

    /// Returns the dimension itself: `extent` elements on `ranks` ranks, block 0 on rank `first`.
    ///
    /// # Errors
    /// The errors of [`BlockCyclic::new`], [`BlockCyclic::general`] and [`BlockCyclic::rows`], and
    /// a `block(b)` that does not cover the extent.
    #[doc(hidden)]
    pub const fn deal(
        &self,
        extent: usize,
        ranks: usize,
        first: usize,
    ) -> Result<BlockCyclic, BlockCyclicError> {
        match *self {
            Dist::Balanced { last } => BlockCyclic::balanced(extent, last, ranks, first),
            Dist::GenBlock(sizes) => BlockCyclic::general(extent, sizes, ranks, first),
            Dist::Rows { lengths, turn, points } => {
                let turn = match turn {
                    Some(turn) => turn,
                    None => rows_in_one_turn(lengths, ranks, points),
                };
                BlockCyclic::rows(extent, (lengths, turn, points), ranks, first)
            }
            Dist::Blocks { cuts, owners } => {
                BlockCyclic::listed(extent, (cuts, owners), ranks, first)
            }
            Dist::Split(factors) => BlockCyclic::split(extent, factors, ranks, first),
            Dist::Points(_) if ranks == 0 => Err(BlockCyclicError::ZeroRanks),
            Dist::Points(lengths) => BlockCyclic::rows(extent, (lengths, 1, ranks), ranks, first),
            Dist::BlockOf(block) if block > 0 && block.saturating_mul(ranks) < extent => {
                Err(BlockCyclicError::BlockTooSmall { block, ranks, extent })
            }
            _ => BlockCyclic::new(extent, self.block_size(extent, ranks), ranks, first),
        }
    }
}

const fn at_least_one(number: usize) -> usize {
    if number == 0 { 1 } else { number }
}

const fn rows_in_one_turn(lengths: &[usize], ranks: usize, points: usize) -> usize {
    at_least_one(lengths.len().div_ceil(at_least_one(ranks / at_least_one(points))))
}

/// Writes `[20, 27, 128 x 12]`: three or more equal lengths in a row are counted.
struct Lengths<'a>(&'a [usize]);

impl fmt::Display for Lengths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (number, alike) in self.0.chunk_by(|one, next| one == next).enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            match alike {
                [length] => write!(f, "{comma}{length}")?,
                [length, _] => write!(f, "{comma}{length}, {length}")?,
                _ => write!(f, "{comma}{} x {}", alike[0], alike.len())?,
            }
        }
        f.write_str("]")
    }
}

impl fmt::Display for Dist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dist::Collapsed => f.write_str("*"),
            Dist::Block => f.write_str("block"),
            Dist::BlockOf(block) => write!(f, "block({block})"),
            Dist::Balanced { last: false } => f.write_str("block balanced"),
            Dist::Balanced { last: true } => f.write_str("block balanced last"),
            Dist::Cyclic(1) => f.write_str("cyclic"),
            Dist::Cyclic(block) => write!(f, "cyclic({block})"),
            Dist::GenBlock(sizes) => write!(f, "gen_block({})", Lengths(sizes)),
            Dist::Points(lengths) => write!(f, "points({})", Lengths(lengths)),
            Dist::Blocks { cuts, owners } => {
                write!(f, "blocks({}, {})", Lengths(cuts), Lengths(owners))
            }
            Dist::Split(factors) => {
                let extents: Vec<usize> = factors.iter().map(|factor| factor.extent).collect();
                write!(f, "split({}", Lengths(&extents))?;
                for Factor { dist, ranks, .. } in *factors {
                    write!(f, ", {dist}")?;
                    if let Some(ranks) = ranks {
                        write!(f, " onto {ranks}")?;
                    }
                }
                f.write_str(")")
            }
            Dist::Rows { lengths, turn, points } => {
                write!(f, "rows({}, ", Lengths(lengths))?;
                match turn {
                    None => f.write_str("block")?,
                    Some(1) => f.write_str("cyclic")?,
                    Some(turn) => write!(f, "cyclic({turn})")?,
                }
                if *points == 1 { f.write_str(")") } else { write!(f, ", points({points}))") }
            }
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
        let words = "block(3) on 3 ranks holds 9 elements, but the extent is 10";
        assert!(error.to_string().contains(words), "{error}");
    }

    #[test]
    fn gen_block_can_be_a_constant() {
        const ROWS: Dist = Dist::GenBlock(&[3, 0, 5]);
        const DEAL: Result<BlockCyclic, BlockCyclicError> = ROWS.deal(8, 3, 0);
        assert_eq!(DEAL.map(|deal| (deal.owner(3), deal.block())), Ok((2, 5)));
        assert_eq!((ROWS.to_string().as_str(), ROWS.block_size(8, 3)), ("gen_block([3, 0, 5])", 5));
        let many = Dist::gen_block(&[[2; 8448].as_slice(), &[1; 1152]].concat());
        assert_eq!(many.to_string(), "gen_block([2 x 8448, 1 x 1152])");
    }
}
