//! What a bound plan tells of this rank's local arrays, and of who holds which element.

use super::Bound;
use crate::element::Element;
use crate::layout::{GlobalIndices, LocalArray};
use crate::plan::{Plan, Side};
use crate::program::StridedArray;

/// Shapes and places. Global indices are those of the array as it is stored on the side, see
/// [`LocalArray`].
impl<T: Element, const D: usize> Bound<T, D> {
    /// Who sends what to whom.
    pub fn plan(&self) -> &Plan<D> {
        &self.plan
    }

    /// This rank's local array on one side: all of the below in one value, which borrows nothing.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::Side;
    /// use redist::transport::threads;
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([6, 4], "(cyclic(2), *) onto 3", "(*, block) onto 2")?;
    /// threads::run(3, |rank| {
    ///     let mut bound = plan.bind(rank)?;
    ///     let value = |[row, column]: [usize; 2]| (10 * row + column) as f64;
    ///     let rows: Vec<f64> = bound.global_indices(Side::Source).map(value).collect();
    ///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&rows, &mut columns)?;
    ///     for (offset, found) in columns.iter().enumerate() {
    ///         let index = bound.global_index(Side::Destination, offset);
    ///         assert_eq!(*found, value(index));
    ///         assert_eq!(bound.local_offset(Side::Destination, index), Some(offset));
    ///     }
    ///     assert_eq!(bound.owner(Side::Destination, [5, 3]), 1);
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(&self, side: Side) -> LocalArray<D> {
        let StridedArray { strides, first, .. } = self.mover.array(side);
        self.plan.local(side, self.mover.rank()).placed(strides, *first)
    }

    /// Extents of this rank's local array on one side, in elements; zeros where it holds nothing.
    pub fn local_extents(&self, side: Side) -> [usize; D] {
        self.local(side).extents()
    }

    /// Extents of the array in memory that holds this rank's local array on one side: those of the
    /// local array, but where the rank has said how it is padded
    /// ([`Binder::leading_dimension`](super::Binder::leading_dimension),
    /// [`within`](super::Binder::within)).
    pub fn local_shape(&self, side: Side) -> [usize; D] {
        let shape = &self.mover.array(side).shape;
        core::array::from_fn(|dimension| shape[dimension])
    }

    /// The distance, in elements, between neighbours along each dimension of this rank's local
    /// array on one side: as the rank has said, or those of a dense array.
    pub fn local_strides(&self, side: Side) -> [usize; D] {
        self.local(side).strides()
    }

    /// The global index of the element that lies `offset` elements from the start of this rank's
    /// local array.
    ///
    /// # Panics
    /// If the local array has no element there.
    pub fn global_index(&self, side: Side, offset: usize) -> [usize; D] {
        self.local(side).global_index(offset)
    }

    /// The global indices of this rank's local array, in the order in which the elements of a dense
    /// one lie.
    pub fn global_indices(&self, side: Side) -> GlobalIndices<D> {
        self.local(side).global_indices()
    }

    /// Where this rank keeps the element with a global index, in elements from the start of its
    /// local array; `None` where another rank has it, or the array no such element.
    pub fn local_offset(&self, side: Side, global: [usize; D]) -> Option<usize> {
        self.local(side).offset_of(global)
    }

    /// The rank that holds the element with a global index.
    ///
    /// # Panics
    /// If the array has no such element.
    pub fn owner(&self, side: Side, global: [usize; D]) -> usize {
        let array = self.plan.descriptor(side);
        let extents = array.extents();
        let inside = (0..D).all(|dimension| global[dimension] < extents[dimension]);
        assert!(inside, "an array of {extents:?} elements has none at {global:?}");
        array.owner(global)
    }
}
