//! Mistakes in lists of indices.

/// A mistake in the lists of ranks. Ranks, places and indices count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)]
pub enum ListError {
    #[error(
        "the {side} list has index {index} at place {place}, but there are {extent} indices; list 0..{extent}"
    )]
    Outside { side: crate::plan::Side, place: usize, index: usize, extent: usize },
    #[error(
        "index {index} is in the source lists of ranks {ranks:?}; list it once, or declare such elements equal"
    )]
    Twice { index: usize, ranks: [usize; 2] },
    #[error("rank {rank} wants index {index}, which no source list has; leave it out")]
    Nowhere { index: usize, rank: usize },
    #[error(
        "a source list and a destination list are of {extents:?} indices; make both of one number"
    )]
    OtherExtent { extents: [usize; 2] },
}
