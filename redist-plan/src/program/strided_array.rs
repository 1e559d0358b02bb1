use crate::layout::{AnyDescriptor, LocalPlaces, Padding, PaddingError};
use std::sync::Arc;

pub type StridedArrays = Arc<[Arc<[StridedArray; 2]>]>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StridedArray {
    pub shape: Vec<usize>,
    pub strides: Vec<usize>,
    pub first: usize,
    pub len: usize,
    pub may_be_longer: bool,
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
