use super::Bound;
use crate::element::Element;
use crate::layout::{GlobalIndices, LocalArray};
use crate::plan::{Plan, Side};
use crate::program::StridedArray;

/// Shapes and places. Global indices are those of the side's stored array, see [`LocalArray`].
impl<T: Element, const D: usize> Bound<T, D> {
    /// Returns the plan.
    pub fn plan(&self) -> &Plan<D> {
        &self.plan
    }

    /// Returns this rank's local array on one side as one value, which borrows nothing.
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

    /// Returns the extents of this rank's local array; zeros if the rank holds nothing.
    pub fn local_extents(&self, side: Side) -> [usize; D] {
        self.local(side).extents()
    }

    /// Returns the extents of the enclosing array in memory, padding included
    /// ([`Binder::leading_dimension`](super::Binder::leading_dimension),
    /// [`within`](super::Binder::within)).
    pub fn local_shape(&self, side: Side) -> [usize; D] {
        let shape = &self.mover.array(side).shape;
        core::array::from_fn(|dimension| shape[dimension])
    }

    /// Returns the strides of this rank's local array, in elements.
    pub fn local_strides(&self, side: Side) -> [usize; D] {
        self.local(side).strides()
    }

    /// Returns the global index of the element at `offset` in this rank's local array.
    ///
    /// # Panics
    /// If the local array has no element there.
    pub fn global_index(&self, side: Side, offset: usize) -> [usize; D] {
        self.local(side).global_index(offset)
    }

    /// Iterates over the global indices of this rank's local array, in its storage order.
    pub fn global_indices(&self, side: Side) -> GlobalIndices<D> {
        self.local(side).global_indices()
    }

    /// Returns an element's offset in this rank's local array; `None` if it is not there.
    pub fn local_offset(&self, side: Side, global: [usize; D]) -> Option<usize> {
        self.local(side).offset_of(global)
    }

    /// Returns the rank that holds an element.
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
