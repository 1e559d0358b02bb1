use super::Bound;
use crate::element::Element;
use crate::layout::LocalArray;
use crate::plan::{Plan, Side};
use crate::program::StridedArray;
use core::fmt::Debug;
use core::iter::FusedIterator;

/// Shapes and places. Global indices are those of the side's stored array, see [`LocalArray`].
impl<T: Element, const D: usize> Bound<T, D> {
    /// Returns the plan.
    pub fn plan(&self) -> &Plan<D> {
        &self.plan
    }

    /// Returns this rank's local array on one side: extents, strides, offsets and global indices.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, RuntimePlan, Side, threads};
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([6, 4], "(cyclic(2), *) onto 3", "(*, block) onto 2")?;
    /// threads::run(3, |rank| {
    ///     let mut bound = plan.bind(rank)?;
    ///     let value = |[row, column]: [usize; 2]| (10 * row + column) as f64;
    ///     let rows: Vec<f64> = bound.global_indices(Side::Source).map(value).collect();
    ///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&rows, &mut columns)?;
    ///     let local = bound.local(Side::Destination);
    ///     for (offset, found) in columns.iter().enumerate() {
    ///         let index = local.global_index(offset);
    ///         assert_eq!(*found, value(index));
    ///         assert_eq!(local.offset_of(index), Some(offset));
    ///     }
    ///     assert_eq!(bound.plan().descriptor(Side::Destination).owner([5, 3]), 1);
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(&self, side: Side) -> LocalArray<D> {
        let StridedArray { strides, first, .. } = self.mover.array(side);
        self.plan.descriptor(side).local(self.mover.rank()).placed(strides, *first)
    }

    /// Returns the extents of the enclosing array in memory, padding included
    /// ([`Binder::leading_dimension`](super::Binder::leading_dimension),
    /// [`within`](super::Binder::within)).
    pub fn local_shape(&self, side: Side) -> [usize; D] {
        let shape = self.mover.local_shape(side);
        core::array::from_fn(|dimension| shape[dimension])
    }

    /// Iterates over the global indices of this rank's local array, in its storage order.
    pub fn global_indices(
        &self,
        side: Side,
    ) -> impl ExactSizeIterator<Item = [usize; D]> + FusedIterator + Clone + Debug + use<T, D> {
        self.local(side).global_indices()
    }
}
