//! Arguments of other libraries that say layouts.

use redist::layout::Dist;
use redist::layout::interchange::Placement;

/// The distribution of a dimension in `MPI_Type_create_darray`. Blocks have a length in elements; MPI's
/// default is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DarrayDist {
    /// `MPI_DISTRIBUTE_NONE`.
    Whole,
    /// `MPI_DISTRIBUTE_BLOCK`.
    Block(Option<i32>),
    /// `MPI_DISTRIBUTE_CYCLIC`.
    Cyclic(Option<i32>),
}

impl DarrayDist {
    /// Returns the distribution of a dimension that MPI has: one of a single block or of regular blocks.
    pub fn of(dist: Dist) -> Self {
        let darg = |block: usize| i32::try_from(block).ok();
        match dist {
            Dist::Block => Self::Block(None),
            Dist::BlockOf(block) => Self::Block(darg(block)),
            Dist::Cyclic(block) => Self::Cyclic(darg(block)),
            _ => Self::Whole,
        }
    }
}

/// The arguments of `MPI_Type_create_darray` that are equal on all processes. Lists have an entry for
/// each dimension.
#[derive(Clone, Debug)]
pub struct Darray {
    /// Extents of the array, in elements.
    pub gsizes: Vec<i32>,
    pub dists: Vec<DarrayDist>,
    /// Extents of the process grid.
    pub psizes: Vec<i32>,
    /// `true` if the order is `MPI_ORDER_FORTRAN`.
    pub fortran: bool,
}

/// A mesh of devices, with the placement of a tensor along each of its dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mesh {
    /// Devices along each of its dimensions.
    pub extents: Vec<usize>,
    /// Ranks of its devices, in row-major order.
    pub ranks: Vec<usize>,
    /// The placement along each of its dimensions.
    pub placements: Vec<Placement>,
}
