//! Local arrays: places and global indices of one rank's elements.

use super::{Descriptor, StorageOrder};
use core::fmt::Debug;
use core::iter::FusedIterator;

/// One rank's local array: its shape, and the global index of each element.
///
/// Local arrays are dense and in the layout's storage order, unless their rank bound them with
/// other strides (`Binder::strides`). Indices count in the stored array of this side, in its own
/// axes, from its start (not from a section's start).
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Descriptor;
/// use redist::Layout;
/// let layout: Layout<2> = "(cyclic(2), block) onto (2, 2)".parse()?;
/// let local = Descriptor::new([5, 6], layout)?.local(1);
/// // Rows 0 1 4, columns 3 4 5.
/// assert_eq!((local.extents(), local.strides(), local.len()), ([3, 3], [3, 1], 9));
/// assert_eq!(local.global_index(7), [4, 4]);
/// assert_eq!(local.offset_of([4, 4]), Some(7));
/// assert_eq!(local.offset_of([2, 4]), None); // on rank 3
/// let rows: Vec<usize> = local.global_indices().map(|[row, _]| row).collect();
/// assert_eq!(rows, [0, 0, 0, 1, 1, 1, 4, 4, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalArray<const D: usize> {
    array: Descriptor<D>,
    /// The rank, numbered in the communicator.
    rank: usize,
    /// Its coordinates in the grid; `None` if it is not in the grid.
    coordinates: Option<[usize; D]>,
    /// Elements along each dimension.
    extents: [usize; D],
    /// Elements in memory from neighbour to neighbour along each dimension.
    strides: [usize; D],
    /// Elements in memory before the first one.
    first: usize,
}

impl<const D: usize> Descriptor<D> {
    /// The local array of `rank` of the communicator; an empty one where it is not in the grid. A
    /// communicator may have ranks past the grid's last, which hold nothing.
    pub const fn local(&self, rank: usize) -> LocalArray<D> {
        let extents = match self.local_extents(rank) {
            Some(extents) => extents,
            None => [0; D],
        };
        let (coordinates, strides) = (self.coordinates(rank), self.strides(extents));
        LocalArray { array: *self, rank, coordinates, extents, strides, first: 0 }
    }
}

impl<const D: usize> LocalArray<D> {
    /// Returns the same array at other places in memory.
    #[doc(hidden)]
    pub fn placed(self, strides: &[usize], first: usize) -> Self {
        Self { strides: core::array::from_fn(|dimension| strides[dimension]), first, ..self }
    }

    /// Returns the extents of the local array, in elements; zeros if the rank is not in the grid.
    pub const fn extents(&self) -> [usize; D] {
        self.extents
    }

    /// Returns the distances, in elements, between neighbours along each dimension: 1 along the
    /// fastest. ScaLAPACK's LLD is that of dimension 1 of a matrix in Fortran storage.
    pub const fn strides(&self) -> [usize; D] {
        self.strides
    }

    /// Returns the number of elements; what lies between them does not count.
    pub const fn len(&self) -> usize {
        self.array.local_len(self.rank)
    }

    /// Returns `true` if the rank stores nothing.
    #[doc(hidden)]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The index in the whole array of the element `offset` elements from the start of the memory.
    ///
    /// # Panics
    /// If the local array has no element there.
    pub fn global_index(&self, offset: usize) -> [usize; D] {
        self.index_at(offset).unwrap_or_else(|| {
            panic!("offset {offset} is outside of a local array of {} elements", self.len())
        })
    }

    fn index_at(&self, offset: usize) -> Option<[usize; D]> {
        let mut rest = offset.checked_sub(self.first).filter(|_| !self.is_empty())?;
        let mut order: [usize; D] = core::array::from_fn(|step| self.nth_slowest(step));
        order.sort_unstable_by_key(|&dimension| core::cmp::Reverse(self.strides[dimension]));
        let mut index = [0; D];
        for dimension in order {
            // The stride of a single index is never used.
            let (stride, extent) = (self.strides[dimension], self.extents[dimension]);
            let local = if extent == 1 { 0 } else { rest / stride };
            if local >= extent {
                return None;
            }
            index[dimension] = self.global(dimension, local);
            rest -= local * stride;
        }
        (rest == 0).then_some(index)
    }

    /// The offset of the element with this global index; `None` where this rank does not have it.
    pub fn offset_of(&self, global: [usize; D]) -> Option<usize> {
        let coordinates = self.coordinates?;
        let mut offset = self.first;
        for dimension in 0..D {
            let axis = self.array.axis(dimension);
            if global[dimension] >= axis.extent()
                || axis.owner(global[dimension]) != coordinates[dimension]
            {
                return None;
            }
            offset += axis.local(global[dimension]) * self.strides[dimension];
        }
        Some(offset)
    }

    /// Returns the indices in the whole array of all elements, in the order of a dense local array.
    pub fn global_indices(
        &self,
    ) -> impl ExactSizeIterator<Item = [usize; D]> + FusedIterator + Clone + Debug + use<D> {
        let len = self.len();
        let start = if len > 0 { self.global_index(self.first) } else { [0; D] };
        GlobalIndices { local: *self, next: [0; D], global: start, left: len }
    }

    fn nth_slowest(&self, step: usize) -> usize {
        match self.array.layout().storage {
            StorageOrder::C => step,
            StorageOrder::Fortran => D - 1 - step,
        }
    }

    fn global(&self, dimension: usize, local: usize) -> usize {
        let coordinate = self.coordinates.map_or(0, |coordinates| coordinates[dimension]);
        self.array.axis(dimension).global(coordinate, local).unwrap_or(0)
    }
}

/// Iterates over the elements of a local array: see [`LocalArray::global_indices`].
#[derive(Clone, Debug)]
struct GlobalIndices<const D: usize> {
    local: LocalArray<D>,
    /// Index of the next element in the local array.
    next: [usize; D],
    /// Index of the next element in the whole array.
    global: [usize; D],
    /// Elements that are still to come.
    left: usize,
}

impl<const D: usize> Iterator for GlobalIndices<D> {
    type Item = [usize; D];

    fn next(&mut self) -> Option<[usize; D]> {
        self.left = self.left.checked_sub(1)?;
        let index = self.global;
        for dimension in (0..D).map(|step| self.local.nth_slowest(D - 1 - step)) {
            let next = self.next[dimension] + 1;
            let wraps = next == self.local.extents[dimension];
            self.next[dimension] = if wraps { 0 } else { next };
            self.global[dimension] = self.local.global(dimension, self.next[dimension]);
            if !wraps {
                break;
            }
        }
        Some(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<const D: usize> ExactSizeIterator for GlobalIndices<D> {}

impl<const D: usize> FusedIterator for GlobalIndices<D> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    fn check<const D: usize>(extents: [usize; D], layout: &str) {
        let array = Descriptor::new(extents, layout.parse::<Layout<D>>().unwrap()).unwrap();
        let mut elements = 0;
        for rank in 0..array.ranks_end() + 1 {
            let local = array.local(rank);
            assert_eq!(local.len(), array.local_len(rank));
            assert_eq!(local.global_indices().len(), local.len());
            for (offset, index) in local.global_indices().enumerate() {
                assert_eq!(local.global_index(offset), index);
                assert_eq!((array.owner(index), array.local_offset(index)), (rank, offset));
                assert_eq!(local.offset_of(index), Some(offset));
                let neighbour = array.local((rank + 1) % array.ranks());
                assert_eq!(neighbour.offset_of(index).is_some(), array.ranks() == 1);
                elements += 1;
            }
        }
        assert_eq!(elements, extents.iter().product::<usize>(), "{layout}");
    }

    #[test]
    fn every_element_is_found_from_either_end() {
        check([23], "cyclic(3) onto 4 first 2");
        check([23], "cyclic(3) onto 1");
        check([0], "block onto 3");
        check([9, 7], "(cyclic(2), cyclic(3)) onto (2, 2)");
        let turned = "first (1, 1) ranks 2..6 order col storage fortran";
        check([9, 7], &format!("(cyclic(2), cyclic(3)) onto (2, 2) {turned}"));
        check([12, 5], "(gen_block([3, 0, 4, 5]), *) onto 4");
        check([4, 5, 6], "(block, *, cyclic) onto (3, 2) storage fortran");
    }

    #[test]
    fn ranks_outside_of_the_grid_store_nothing() {
        let array =
            Descriptor::new([4, 6], "(block, *) onto 2 ranks 1..".parse().unwrap()).unwrap();
        for rank in [0, 3] {
            let local = array.local(rank);
            assert_eq!((local.extents(), local.len()), ([0, 0], 0));
            assert_eq!((local.offset_of([0, 0]), local.global_indices().next()), (None, None));
        }
        assert_eq!(array.local(2).offset_of([4, 0]), None);
    }

    #[test]
    #[should_panic(expected = "offset 12 is outside of a local array of 12 elements")]
    fn offsets_have_to_be_inside() {
        let array = Descriptor::new([4, 6], "(block, *) onto 2".parse().unwrap()).unwrap();
        array.local(0).global_index(12);
    }
}
