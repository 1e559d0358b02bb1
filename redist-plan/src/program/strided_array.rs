//! Local arrays as they lie in memory.

use crate::layout::{AnyDescriptor, LocalPlaces, Padding, PaddingError};
use std::sync::Arc;

/// Both local arrays of every rank.
pub type StridedArrays = Arc<[Arc<[StridedArray; 2]>]>;

/// The places of one rank's elements in memory, on one side. All numbers are in elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StridedArray {
    /// Extents of the array in memory, padding included.
    pub shape: Vec<usize>,
    /// Distance from neighbour to neighbour along each dimension.
    pub strides: Vec<usize>,
    /// Elements in memory before the first one.
    pub first: usize,
    /// Elements that the memory must have.
    pub len: usize,
    /// `true` if the memory may have more.
    pub may_be_longer: bool,
    /// `true` if the elements do not lie as in a dense array.
    pub has_gaps: bool,
}

impl StridedArray {
    pub fn dense(array: &AnyDescriptor, rank: usize) -> Self {
        let extents = array.local_extents(rank).unwrap_or_else(|| vec![0; array.dimensions()]);
        let (strides, len) = (array.strides(&extents), array.local_len(rank));
        Self { shape: extents, strides, len, ..Self::default() }
    }

    /// # Errors
    /// The padding holds no such array.
    pub fn padded(
        array: &AnyDescriptor,
        rank: usize,
        padding: &Padding,
    ) -> Result<Self, PaddingError> {
        let LocalPlaces { shape, strides, first, len } = padding.places(array, rank)?;
        let dense = Self::dense(array, rank);
        let extents = array.local_extents(rank).unwrap_or_default();
        // The stride of a single index is never used.
        let differs = |axis: usize| extents[axis] > 1 && strides[axis] != dense.strides[axis];
        let has_gaps = dense.len > 0 && (first > 0 || (0..extents.len()).any(differs));
        Ok(Self { shape, strides, first, len, may_be_longer: true, has_gaps })
    }
}
