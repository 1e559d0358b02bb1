//! Layouts: everything about one side of a move but the extents.

use super::{Dist, RankOrder, Ranks, StorageOrder};
use crate::arithmetic::saturating_product;

/// The most ranks of all copies of a side.
pub const MAX_COPIED_RANKS: usize = 1 << 20;

/// The mapping of an array of `D` dimensions: everything but the extents.
///
/// [`Display`](core::fmt::Display) writes the macro's notation, [`FromStr`](core::str::FromStr)
/// reads it:
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Dist;
/// use redist::Layout;
/// let layout: Layout<2> = "(cyclic(64), block) onto (2, 2) first (1, 0)".parse()?;
/// assert_eq!(layout, Layout::new([Dist::Cyclic(64), Dist::Block], [2, 2]).first([1, 0]));
/// assert_eq!(layout.to_string(), "(cyclic(64), block) onto (2, 2) first (1, 0)");
/// assert_eq!((layout.grid, layout.first), ([2, 2], [1, 0]));
/// # Ok::<(), redist::layout::NotationError>(())
/// ```
///
/// Each word of the notation is a field and a method; only `onto` is [`grid`](Layout::grid).
/// [`Descriptor::new`](super::Descriptor::new) checks a layout, with the extents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Layout<const D: usize> {
    /// The distribution of each dimension.
    pub dists: [Dist; D],
    /// `onto`: extents of the process grid, in ranks; 1 if a dimension is collapsed.
    pub grid: [usize; D],
    /// `first`: the grid coordinate that holds block 0 of each dimension (ScaLAPACK RSRC, CSRC).
    pub first: [usize; D],
    /// `ranks`: the ranks of the communicator that form the grid.
    pub ranks: Ranks,
    /// `order`: how consecutive ranks fill the grid.
    pub order: RankOrder,
    /// `storage`: how each rank stores its part.
    pub storage: StorageOrder,
    /// `of`: extents of the stored array, in elements, where the moved part is a section of it.
    pub of: Option<[usize; D]>,
    /// `at`: the stored array's index at which the section begins (ScaLAPACK IA, JA, zero-based).
    pub at: [usize; D],
    /// `axes`: axis `d` of the source array becomes axis `axes[d]` of this one.
    pub axes: [usize; D],
}

impl<const D: usize> Layout<D> {
    /// Distributes each dimension on a grid extent (in ranks; 1 if collapsed). Block 0 is on
    /// coordinate 0, ranks from 0 on are in row-major order, storage is C's, the array is whole.
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
            ranks: Ranks::From(0),
            order: RankOrder::Row,
            storage: StorageOrder::C,
            of: None,
            at: [0; D],
            axes,
        }
    }

    /// With block 0 of each dimension on this grid coordinate (ScaLAPACK RSRC, CSRC).
    pub const fn first(self, first: [usize; D]) -> Self {
        Self { first, ..self }
    }

    /// On these ranks of the communicator, in the order that fills the grid (BLACS `gridmap`).
    pub const fn ranks(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }

    /// With consecutive ranks filling the grid in this order.
    pub const fn order(self, order: RankOrder) -> Self {
        Self { order, ..self }
    }

    /// With each rank storing its part in this order.
    pub const fn storage(self, storage: StorageOrder) -> Self {
        Self { storage, ..self }
    }

    /// For a section, at [`at`](Layout::at), of a stored array of these extents, in elements.
    pub const fn of(self, extents: [usize; D]) -> Self {
        Self { of: Some(extents), ..self }
    }

    /// For the section that begins at this stored index (ScaLAPACK IA, JA, zero-based).
    pub const fn at(self, at: [usize; D]) -> Self {
        Self { at, ..self }
    }

    /// For an array whose axis `axes[d]` was axis `d` of the source; for destinations only.
    pub const fn axes(self, axes: [usize; D]) -> Self {
        Self { axes, ..self }
    }

    /// Returns this layout and copies of it, each on the ranks after the ranks of the copy before.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Layout;
    /// let pairs = "cyclic(4) onto 2".parse::<Layout<1>>()?.copies(3);
    /// let ranks: Vec<String> = pairs.iter().map(ToString::to_string).collect();
    /// assert_eq!(ranks[2], "cyclic(4) onto 2 ranks 4..6");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn copies(self, copies: usize) -> Vec<Self> {
        let ranks = saturating_product(&self.grid);
        let copy = |number: usize| self.ranks(self.ranks.behind(ranks.saturating_mul(number)));
        (0..copies).map(copy).collect()
    }

    #[doc(hidden)]
    pub fn ranks_of_copies(&self, copies: usize) -> usize {
        self.grid.iter().fold(copies, |ranks, along| ranks.saturating_mul((*along).max(1)))
    }
}

impl Layout<2> {
    /// ScaLAPACK's layout: MB × NB blocks on a P × Q row-major grid, Fortran storage.
    pub const fn scalapack(
        mb: usize,
        nb: usize,
        p: usize,
        q: usize,
        rsrc: usize,
        csrc: usize,
    ) -> Self {
        Layout::new([Dist::Cyclic(mb), Dist::Cyclic(nb)], [p, q])
            .first([rsrc, csrc])
            .storage(StorageOrder::Fortran)
    }
}
