//! Descriptors: a layout with the extents of its array.

use super::{BlockCyclic, Layout, LayoutError, MAX_EXTENT, RankOrder, StorageOrder};
use crate::arithmetic::saturating_product;

/// A checked [`Layout`] of an array with known extents: each element's owner and local offset.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Descriptor;
/// use redist::Layout;
/// let layout: Layout<2> = "(cyclic(2), block) onto (2, 2) ranks 4..8".parse()?;
/// let array = Descriptor::new([5, 6], layout)?;
/// assert_eq!(array.local_extents(4), Some([3, 3])); // rows 0 1 4, columns 0 1 2
/// assert_eq!(array.owner([2, 5]), 7);
/// assert_eq!(array.local_offset([4, 1]), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Descriptor<const D: usize> {
    layout: Layout<D>,
    axes: [BlockCyclic; D],
    /// Ranks in the grid.
    ranks: usize,
    /// One past the highest rank of the grid.
    ranks_end: usize,
}

impl<const D: usize> Descriptor<D> {
    /// An axis without elements on one rank, in place of axes that are still to be made.
    pub(crate) const UNIT: BlockCyclic = match BlockCyclic::new(0, 1, 1, 0) {
        Ok(unit) => unit,
        Err(_) => unreachable!(),
    };

    /// Checks a layout with the extents (in elements) of the array as it is stored.
    ///
    /// # Errors
    /// The layout breaks a rule.
    pub const fn new(extents: [usize; D], layout: Layout<D>) -> Result<Self, LayoutError> {
        let mut axes = [Self::UNIT; D];
        let (mut elements, mut ranks) = (1usize, 1usize);
        let mut empty = false;
        let mut dimension = 0;
        while dimension < D {
            let (extent, grid) = (extents[dimension], layout.grid[dimension]);
            if !layout.dists[dimension].is_distributed() && grid != 1 {
                return Err(LayoutError::CollapsedOnGrid { dimension, ranks: grid });
            }
            axes[dimension] =
                match layout.dists[dimension].deal(extent, grid, layout.first[dimension]) {
                    Ok(axis) => axis,
                    Err(error) => return Err(LayoutError::Dimension { dimension, error }),
                };
            empty |= extent == 0;
            elements = elements.saturating_mul(if extent == 0 { 1 } else { extent });
            ranks = ranks.saturating_mul(grid);
            dimension += 1;
        }
        if !empty && elements > MAX_EXTENT {
            return Err(LayoutError::TooManyElements);
        }
        let ranks_end = match layout.ranks.end(ranks) {
            Ok(end) => end,
            Err(error) => return Err(error),
        };
        let layout = layout.ranks(layout.ranks.simplified());
        Ok(Self { layout, axes, ranks, ranks_end })
    }

    /// Returns the layout, with a map of consecutive ranks as a range.
    pub const fn layout(&self) -> &Layout<D> {
        &self.layout
    }

    /// Returns the extents of the stored array, in elements.
    pub const fn extents(&self) -> [usize; D] {
        let mut extents = [0; D];
        let mut dimension = 0;
        while dimension < D {
            extents[dimension] = self.axes[dimension].extent();
            dimension += 1;
        }
        extents
    }

    #[doc(hidden)]
    pub const fn axis(&self, dimension: usize) -> BlockCyclic {
        self.axes[dimension]
    }

    /// Returns the same descriptor with indices of listed sizes: see [`BlockCyclic::indexed`].
    pub(crate) fn indexed(self) -> Self {
        Self { axes: self.axes.map(BlockCyclic::indexed), ..self }
    }

    /// Returns the number of ranks in the grid.
    pub const fn ranks(&self) -> usize {
        self.ranks
    }

    /// Returns one past the highest rank of the grid.
    #[doc(hidden)]
    pub const fn ranks_end(&self) -> usize {
        self.ranks_end
    }

    /// Returns the rank of the communicator that fills cell `number` of the grid, counted from 0.
    ///
    /// # Panics
    /// The grid has no such cell.
    #[doc(hidden)]
    pub const fn nth_rank(&self, number: usize) -> usize {
        assert!(number < self.ranks, "the grid has fewer ranks");
        self.layout.ranks.nth(number)
    }

    /// Returns the number of the cell that `rank` fills, from 0; `None` if it is not in the grid.
    #[doc(hidden)]
    pub const fn number_of(&self, rank: usize) -> Option<usize> {
        self.layout.ranks.number_of(rank, self.ranks)
    }

    /// Returns the grid coordinates of `rank` of the communicator; `None` if it is not in the grid.
    #[doc(hidden)]
    pub const fn coordinates(&self, rank: usize) -> Option<[usize; D]> {
        match self.number_of(rank) {
            Some(number) => Some(self.coordinates_of(number)),
            None => None,
        }
    }

    /// Returns the coordinates of cell `number`.
    #[doc(hidden)]
    pub const fn coordinates_of(&self, number: usize) -> [usize; D] {
        let mut rest = number;
        let mut coordinates = [0; D];
        let mut step = 0;
        while step < D {
            let dimension = self.nth_fastest_of_grid(step);
            coordinates[dimension] = rest % self.layout.grid[dimension];
            rest /= self.layout.grid[dimension];
            step += 1;
        }
        coordinates
    }

    /// Returns the rank of the communicator at grid coordinates that lie in the grid.
    #[doc(hidden)]
    pub const fn rank_at(&self, coordinates: [usize; D]) -> usize {
        let mut number = 0;
        let mut step = D;
        while step > 0 {
            step -= 1;
            let dimension = self.nth_fastest_of_grid(step);
            number = number * self.layout.grid[dimension] + coordinates[dimension];
        }
        self.layout.ranks.nth(number)
    }

    /// Returns the distance between the numbers of neighbouring cells along a dimension.
    #[doc(hidden)]
    pub const fn number_distance(&self, dimension: usize) -> usize {
        let (mut distance, mut step) = (1, 0);
        while self.nth_fastest_of_grid(step) != dimension {
            distance *= self.layout.grid[self.nth_fastest_of_grid(step)];
            step += 1;
        }
        distance
    }

    const fn nth_fastest_of_grid(&self, step: usize) -> usize {
        match self.layout.order {
            RankOrder::Row => D - 1 - step,
            RankOrder::Col => step,
        }
    }

    /// Extents of the part that `rank` stores, in elements; `None` where it is not in the grid.
    #[doc(hidden)]
    pub const fn local_extents(&self, rank: usize) -> Option<[usize; D]> {
        let Some(coordinates) = self.coordinates(rank) else {
            return None;
        };
        let mut extents = [0; D];
        let mut dimension = 0;
        while dimension < D {
            extents[dimension] = self.axes[dimension].numroc(coordinates[dimension]);
            dimension += 1;
        }
        Some(extents)
    }

    /// Returns the number of elements that `rank` stores; 0 if it is not in the grid.
    #[doc(hidden)]
    pub const fn local_len(&self, rank: usize) -> usize {
        match self.local_extents(rank) {
            Some(extents) => saturating_product(&extents),
            None => 0,
        }
    }

    /// Returns the distance, in elements, between neighbours in a local array of these extents.
    #[doc(hidden)]
    pub const fn strides(&self, local_extents: [usize; D]) -> [usize; D] {
        let mut strides = [0; D];
        let mut stride = 1usize;
        let mut step = 0;
        while step < D {
            let dimension = match self.layout.storage {
                StorageOrder::C => D - 1 - step,
                StorageOrder::Fortran => step,
            };
            strides[dimension] = stride;
            stride = stride.saturating_mul(local_extents[dimension]);
            step += 1;
        }
        strides
    }

    /// Returns the rank that holds the element with this global index in the stored array.
    pub const fn owner(&self, global: [usize; D]) -> usize {
        let mut coordinates = [0; D];
        let mut dimension = 0;
        while dimension < D {
            coordinates[dimension] = self.axes[dimension].owner(global[dimension]);
            dimension += 1;
        }
        self.rank_at(coordinates)
    }

    /// Returns the owner's local index of that element, in elements from the start.
    #[doc(hidden)]
    pub const fn local_offset(&self, global: [usize; D]) -> usize {
        let Some(extents) = self.local_extents(self.owner(global)) else {
            return 0;
        };
        let strides = self.strides(extents);
        let mut offset = 0;
        let mut dimension = 0;
        while dimension < D {
            offset += self.axes[dimension].local(global[dimension]) * strides[dimension];
            dimension += 1;
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Dist;

    #[test]
    fn errors_name_the_dimension() {
        let on_grid = Layout::new([Dist::Collapsed, Dist::Block], [2, 2]);
        assert_eq!(
            Descriptor::new([4, 4], on_grid),
            Err(LayoutError::CollapsedOnGrid { dimension: 0, ranks: 2 })
        );
        let zero = Layout::new([Dist::Block, Dist::Cyclic(0)], [2, 2]);
        let error = Descriptor::new([4, 4], zero).unwrap_err();
        assert_eq!(error.to_string(), "dimension 1: a block must hold at least 1 element, found 0");
        let big = Layout::new([Dist::Block, Dist::Block], [2, 2]);
        assert_eq!(Descriptor::new([1 << 40, 1 << 40], big), Err(LayoutError::TooManyElements));
        assert!(Descriptor::new([1 << 40, 0], big).is_ok());
        let wide = Layout::new([Dist::Block, Dist::Block], [1 << 16, 1 << 16]);
        assert_eq!(Descriptor::new([4, 4], wide), Err(LayoutError::TooManyRanks { base: 0 }));
    }
}
