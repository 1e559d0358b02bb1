//! Errors of layouts, and the limits that they report.

use super::const_text::{ConstText, in_const_words};

/// The largest extent: `2^63 - 1` elements on 64-bit machines, as for any Rust slice.
pub const MAX_EXTENT: usize = isize::MAX as usize;

/// The most parts of all rows of a dimension.
pub const MAX_PARTS_OF_ROWS: usize = 1 << 24;

/// The largest number of ranks, `2^31 - 1`, because MPI numbers them by an `int`.
pub const MAX_RANKS: usize = i32::MAX as usize;

/// A mistake in the numbers of one dimension, in elements. `ranks` are those along the dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BlockCyclicError {
    ZeroBlock,
    BlockTooLarge { block: usize },
    ZeroRanks,
    FirstOutsideGrid { first: usize, ranks: usize },
    ExtentTooLarge { extent: usize },
    BlockTooSmall { block: usize, ranks: usize, extent: usize },
    WrongNumberOfSizes { sizes: usize, ranks: usize },
    SizesMissExtent { sum: usize, extent: usize },
    SizesTooLarge,
    RowsMissExtent { rows: usize, sum: usize, extent: usize },
    PointsDoNotDivideRanks { points: usize, ranks: usize },
    TooManyParts { rows: usize, points: usize },
    CutsFall { place: usize, cut: usize, before: usize },
    CutOutside { place: usize, cut: usize, extent: usize },
    WrongNumberOfOwners { owners: usize, parts: usize },
    OwnerOutsideGrid { place: usize, owner: usize, ranks: usize },
    SplitMissesExtent { product: usize, extent: usize },
    FactorListed { place: usize },
    FactorOnRanks { place: usize, ranks: usize },
    FactorsOpen { place: usize },
    FactorRanks { product: usize, ranks: usize },
    SplitTooFine { parts: usize },
}

in_const_words!(BlockCyclicError);

impl BlockCyclicError {
    pub(crate) const fn words(self, start: ConstText) -> ConstText {
        match self {
            Self::ZeroBlock => start.text("a block must hold at least 1 element, found 0"),
            Self::BlockTooLarge { block } => start
                .filled("a block must hold at most {} elements, found {}", &[MAX_EXTENT, block]),
            Self::ZeroRanks => start.text("a grid extent must be at least 1, found 0"),
            Self::FirstOutsideGrid { first, ranks } => start.filled(
                "the first block goes to coordinate {}, but the grid has coordinates 0..{}; choose \
                 one of them",
                &[first, ranks],
            ),
            Self::ExtentTooLarge { extent } => {
                start.filled("an extent must be at most {}, found {}", &[MAX_EXTENT, extent])
            }
            Self::BlockTooSmall { block, ranks, extent } => start.filled(
                "block({}) on {rank} holds {element}, but the extent is {}; use `block` or \
                 `cyclic({})`",
                &[block, ranks, block.saturating_mul(ranks), extent, block],
            ),
            Self::WrongNumberOfSizes { sizes, ranks } => start.filled(
                "gen_block has {size}, but the grid has {rank} along the dimension; give each rank \
                 one size",
                &[sizes, ranks],
            ),
            Self::SizesMissExtent { sum, extent } => start
                .filled("the sizes of gen_block add up to {}, {} ", &[sum, sum.abs_diff(extent)])
                .text(if sum < extent { "less" } else { "more" })
                .filled(" than the extent {}; they must add up to it exactly", &[extent]),
            Self::SizesTooLarge => start.filled(
                "the sizes of gen_block add up to more than the largest extent, {}; use smaller sizes",
                &[MAX_EXTENT],
            ),
            Self::RowsMissExtent { rows, sum, extent } => start
                .filled("the {row} hold {point}, {} ", &[rows, sum, sum.abs_diff(extent)])
                .text(if sum < extent { "less" } else { "more" })
                .filled(
                    " than the extent {}; give at least one row, and lengths that add up to it exactly",
                    &[extent],
                ),
            Self::PointsDoNotDivideRanks { points, ranks } => start.filled(
                "the points of a row are divided among {rank}, but the grid has {rank} along the \
                 dimension; make that a multiple, at least 1",
                &[points, ranks],
            ),
            Self::TooManyParts { rows, points } => start.filled(
                "{row} divided among {rank} each are more than {} parts; divide them among fewer ranks",
                &[rows, points, MAX_PARTS_OF_ROWS],
            ),
            Self::CutsFall { place, cut, before } => start.filled(
                "cut {} of `blocks` is {}, below the {} before it (counted from 0); list cuts in order",
                &[place, cut, before],
            ),
            Self::CutOutside { place, cut, extent } => start.filled(
                "cut {} of `blocks` is {}, but the extent is {} (counted from 0); leave it out",
                &[place, cut, extent],
            ),
            Self::WrongNumberOfOwners { owners, parts } => start.filled(
                "`blocks` has {owner} for {part}; give each part one, and one more than there are cuts",
                &[owners, parts],
            ),
            Self::OwnerOutsideGrid { place, owner, ranks } => start.filled(
                "owner {} of `blocks` is {}, but the grid has coordinates 0..{} (counted from 0); choose one \
                 of them",
                &[place, owner, ranks],
            ),
            Self::SplitMissesExtent { product, extent } => start
                .filled("the factors of `split` hold {element}, {} ", &[product, product.abs_diff(extent)])
                .text(if product < extent { "less" } else { "more" })
                .filled(" than the extent {}; their product must be the extent", &[extent]),
            Self::FactorListed { place } => start.filled(
                "factor {} of `split` has a list (counted from 0); give it `*`, `block`, `block(b)`, \
                 `block balanced` or `cyclic(b)`",
                &[place],
            ),
            Self::FactorOnRanks { place, ranks } => start.filled(
                "factor {} of `split` is `*`, but on {rank} (counted from 0); leave its `onto` out",
                &[place, ranks],
            ),
            Self::FactorsOpen { place } => start.filled(
                "factor {} of `split` is the second one without its ranks (counted from 0); write them \
                 behind it, as in `block onto 2`",
                &[place],
            ),
            Self::FactorRanks { product, ranks } => start.filled(
                "the factors of `split` are on {rank}, but the grid has {rank} along the dimension; \
                 make their product that number",
                &[product, ranks],
            ),
            Self::SplitTooFine { parts } => start.filled(
                "`split` makes {} blocks, more than {}; choose larger ones",
                &[parts, MAX_PARTS_OF_ROWS],
            ),
        }
    }
}

/// A mistake in a layout. Dimensions and places count from 0. The macro and the command line tell
/// the variants apart, to mark a word; programs show the text.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Descriptor;
/// let error = Descriptor::new([9], "block(2) onto 3".parse()?).unwrap_err();
/// assert!(error.to_string().contains("holds 6 elements, but the extent is 9; use `block` or `cyclic(2)`"));
/// # Ok::<(), redist::layout::NotationError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum LayoutError {
    #[doc(hidden)]
    Dimension { dimension: usize, error: BlockCyclicError },
    #[doc(hidden)]
    CollapsedOnGrid { dimension: usize, ranks: usize },
    #[doc(hidden)]
    TooManyRanks { base: usize },
    #[doc(hidden)]
    WrongNumberOfRanks { listed: usize, cells: usize },
    #[doc(hidden)]
    RankTwice { rank: usize, first: usize, second: usize },
    #[doc(hidden)]
    RankTooHigh { rank: usize, place: usize },
    #[doc(hidden)]
    TooManyElements,
}

in_const_words!(LayoutError);

impl LayoutError {
    pub(crate) const fn words(self, start: ConstText) -> ConstText {
        match self {
            Self::Dimension { dimension, error } => {
                error.words(start.filled("dimension {}: ", &[dimension]))
            }
            Self::CollapsedOnGrid { dimension, ranks } => start.filled(
                "dimension {} is collapsed (`*`), but the grid gives it {rank}; give it 1",
                &[dimension, ranks],
            ),
            Self::TooManyRanks { base } => start.filled(
                "the grid and its first rank {} reach past rank 2^31 - 1, the last that MPI can \
                 number; use a smaller grid",
                &[base],
            ),
            Self::WrongNumberOfRanks { listed, cells } => start.filled(
                "`ranks` lists {rank}, but the grid has {cell}; list one rank for each",
                &[listed, cells],
            ),
            Self::RankTwice { rank, first, second } => start.filled(
                "`ranks` lists rank {} twice, at places {} and {} (counted from 0); a rank has one \
                 cell of the grid",
                &[rank, first, second],
            ),
            Self::RankTooHigh { rank, place } => start.filled(
                "`ranks` lists rank {} at place {} (counted from 0), above 2^31 - 2, the highest of \
                 any communicator; use a lower one",
                &[rank, place],
            ),
            Self::TooManyElements => start
                .filled("the array has more than {} elements; use smaller extents", &[MAX_EXTENT]),
        }
    }
}
