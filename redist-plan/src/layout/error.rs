use super::vocabulary::counted;

/// The largest extent: `2^63 - 1` elements on 64-bit machines, as for any Rust slice.
pub const MAX_EXTENT: usize = isize::MAX as usize;

/// The most parts of all rows of a dimension.
pub const MAX_PARTS_OF_ROWS: usize = 1 << 24;

/// The largest number of ranks, `2^31 - 1`, because MPI numbers them by an `int`.
pub const MAX_RANKS: usize = i32::MAX as usize;

/// A mistake in the numbers of one dimension, in elements. `ranks` are those along the dimension.
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)]
pub enum BlockCyclicError {
    #[error("a block must hold at least 1 element, found 0")]
    ZeroBlock,
    #[error("a block must hold at most {MAX_EXTENT} elements, found {block}")]
    BlockTooLarge { block: usize },
    #[error("a grid extent must be at least 1, found 0")]
    ZeroRanks,
    #[error(
        "the first block goes to coordinate {first}, but the grid has coordinates 0..{ranks}; choose one of them"
    )]
    FirstOutsideGrid { first: usize, ranks: usize },
    #[error("an extent must be at most {MAX_EXTENT}, found {extent}")]
    ExtentTooLarge { extent: usize },
    #[error(
        "block({block}) on {} holds {}, but the extent is {extent}; use `block` or `cyclic({block})`",
        counted(*ranks, "rank"), counted(block.saturating_mul(*ranks), "element")
    )]
    BlockTooSmall { block: usize, ranks: usize, extent: usize },
    #[error(
        "gen_block has {}, but the grid has {} along the dimension; give each rank one size",
        counted(*sizes, "size"), counted(*ranks, "rank")
    )]
    WrongNumberOfSizes { sizes: usize, ranks: usize },
    #[error(
        "the sizes of gen_block add up to {sum}, {} {} the extent {extent}; they must add up to it exactly",
        sum.abs_diff(*extent), if sum < extent { "less than" } else { "more than" }
    )]
    SizesMissExtent { sum: usize, extent: usize },
    #[error(
        "the sizes of gen_block add up to more than the largest extent, {MAX_EXTENT}; use smaller sizes"
    )]
    SizesTooLarge,
    #[error(
        "the {} hold {}, {} {} the extent {extent}; give at least one row, and lengths that add up to it exactly",
        counted(*rows, "row"), counted(*sum, "point"), sum.abs_diff(*extent),
        if sum < extent { "less than" } else { "more than" }
    )]
    RowsMissExtent { rows: usize, sum: usize, extent: usize },
    #[error(
        "the points of a row are divided among {}, but the grid has {} along the dimension; make that a multiple, at least 1",
        counted(*points, "rank"), counted(*ranks, "rank")
    )]
    PointsDoNotDivideRanks { points: usize, ranks: usize },
    #[error(
        "{} divided among {} each are more than {MAX_PARTS_OF_ROWS} parts; divide them among fewer ranks",
        counted(*rows, "row"), counted(*points, "rank")
    )]
    TooManyParts { rows: usize, points: usize },
}

debug_in_words!(BlockCyclicError);

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)]
pub enum LayoutError {
    #[error("dimension {dimension}: {error}")]
    #[doc(hidden)]
    Dimension { dimension: usize, error: BlockCyclicError },
    #[error(
        "dimension {dimension} is collapsed (`*`), but the grid gives it {}; give it 1", counted(*ranks, "rank")
    )]
    #[doc(hidden)]
    CollapsedOnGrid { dimension: usize, ranks: usize },
    #[error(
        "the grid and its first rank {base} reach past rank 2^31 - 1, the last that MPI can number; use a smaller grid"
    )]
    #[doc(hidden)]
    TooManyRanks { base: usize },
    #[error(
        "`ranks` lists {}, but the grid has {}; list one rank for each", counted(*listed, "rank"), counted(*cells, "cell")
    )]
    #[doc(hidden)]
    WrongNumberOfRanks { listed: usize, cells: usize },
    #[error(
        "`ranks` lists rank {rank} twice, at places {first} and {second} (counted from 0); a rank has one cell of the \
         grid"
    )]
    #[doc(hidden)]
    RankTwice { rank: usize, first: usize, second: usize },
    #[error(
        "`ranks` lists rank {rank} at place {place} (counted from 0), above 2^31 - 2, the highest of any communicator; \
         use a lower one"
    )]
    #[doc(hidden)]
    RankTooHigh { rank: usize, place: usize },
    #[error("the array has more than {MAX_EXTENT} elements; use smaller extents")]
    #[doc(hidden)]
    TooManyElements,
}

debug_in_words!(LayoutError);
