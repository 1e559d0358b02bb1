//! The layout of an array without its extents: what the notation says.

use super::{Dist, RankOrder, StorageOrder};

/// Where an array of `D` dimensions lives: distributions, process grid, ranks, orders; everything but the extents.
///
/// Written in the macro's notation by [`Display`](core::fmt::Display) and read back by [`FromStr`](core::str::FromStr):
///
/// ```
/// use redist_runtime::layout::{Dist, Layout};
/// let layout: Layout<2> = "(cyclic(64), block) onto (2, 2) first (1, 0)".parse()?;
/// assert_eq!(layout, Layout::new([Dist::Cyclic(64), Dist::Block], [2, 2]).first([1, 0]));
/// assert_eq!(layout.to_string(), "(cyclic(64), block) onto (2, 2) first (1, 0)");
/// # Ok::<(), redist_runtime::layout::NotationError>(())
/// ```
///
/// Building one checks nothing; [`Descriptor::new`](super::Descriptor::new) checks it together with the extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Layout<const D: usize> {
    pub(super) dists: [Dist; D],
    pub(super) grid: [usize; D],
    pub(super) first: [usize; D],
    pub(super) base: usize,
    pub(super) rank_order: RankOrder,
    pub(super) storage_order: StorageOrder,
    pub(super) stored: Option<[usize; D]>,
    pub(super) at: [usize; D],
    pub(super) axes: [usize; D],
}

impl<const D: usize> Layout<D> {
    /// A distribution and a grid extent (in ranks) for each dimension of the array; 1 where it is collapsed.
    ///
    /// Block 0 on coordinate 0, ranks from 0 on in row-major order, C storage, the whole array.
    pub const fn new(dists: [Dist; D], grid: [usize; D]) -> Self {
        let mut axes = [0; D];
        let mut axis = 0;
        while axis < D {
            axes[axis] = axis;
            axis += 1;
        }
        Self {
            dists,
            grid,
            first: [0; D],
            base: 0,
            rank_order: RankOrder::Row,
            storage_order: StorageOrder::C,
            stored: None,
            at: [0; D],
            axes,
        }
    }

    /// ScaLAPACK's layout: MB × NB blocks on a P × Q row-major grid, block (0, 0) on (RSRC, CSRC), Fortran storage.
    pub const fn scalapack(mb: usize, nb: usize, p: usize, q: usize, rsrc: usize, csrc: usize) -> Layout<2> {
        Layout::new([Dist::Cyclic(mb), Dist::Cyclic(nb)], [p, q])
            .first([rsrc, csrc])
            .storage_order(StorageOrder::Fortran)
    }

    /// The grid coordinate that holds block 0 of each dimension (RSRC, CSRC).
    pub const fn first(self, first: [usize; D]) -> Self {
        Self { first, ..self }
    }

    /// The rank, in the communicator, of the grid's first process.
    pub const fn base(self, base: usize) -> Self {
        Self { base, ..self }
    }

    /// How consecutive ranks fill the grid.
    pub const fn rank_order(self, rank_order: RankOrder) -> Self {
        Self { rank_order, ..self }
    }

    /// How each rank stores its part.
    pub const fn storage_order(self, storage_order: StorageOrder) -> Self {
        Self { storage_order, ..self }
    }

    /// The moved part is a section of a stored array of extents `of`, beginning at index `at` of it
    /// (ScaLAPACK IA, JA, zero-based).
    pub const fn section(self, of: [usize; D], at: [usize; D]) -> Self {
        Self { stored: Some(of), at, ..self }
    }

    /// Axis `d` of the source array becomes axis `axes[d]` of this one. Only a destination may say so.
    pub const fn axes(self, axes: [usize; D]) -> Self {
        Self { axes, ..self }
    }

    /// The distribution of each dimension.
    pub const fn dists(&self) -> [Dist; D] {
        self.dists
    }

    /// Ranks along each dimension.
    pub const fn grid(&self) -> [usize; D] {
        self.grid
    }

    /// The coordinate of block 0 of each dimension.
    pub const fn first_coordinates(&self) -> [usize; D] {
        self.first
    }

    /// The rank of the grid's first process.
    pub const fn base_rank(&self) -> usize {
        self.base
    }

    /// How consecutive ranks fill the grid.
    pub const fn grid_order(&self) -> RankOrder {
        self.rank_order
    }

    /// How each rank stores its part.
    pub const fn local_order(&self) -> StorageOrder {
        self.storage_order
    }

    /// Extents of the stored array, where the moved part is a section of it.
    pub const fn stored_extents(&self) -> Option<[usize; D]> {
        self.stored
    }

    /// Where the moved part begins in the stored array.
    pub const fn section_start(&self) -> [usize; D] {
        self.at
    }

    /// The axis of this array that each axis of the source becomes.
    pub const fn axis_permutation(&self) -> [usize; D] {
        self.axes
    }
}
