//! Compares the shape and the strides of a caller's array with the bound plan's.

use super::any_packing::AnyPacking;
use super::mover::Mover;
use crate::error::Error;
use crate::plan::Side;
use crate::program::StridedArray;

impl Mover {
    /// Checks an array that is brought whole, with its shape, as other languages know it. An array
    /// of a padded plan may be longer along the dimension that is stored slowest. Arrays of one
    /// dimension, of another number of dimensions than the plan's, and of a plan that was bound with
    /// strides of its own, are compared only by their lengths.
    pub(super) fn holds(
        &self,
        side: Side,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<(), Error> {
        check_shape(self.array(side), (self.rank(), side), shape, strides)
    }

    /// Returns the error of an array of another shape or other strides.
    #[cfg(feature = "ndarray")]
    pub(super) fn misfit(&self, side: Side, shape: &[usize], strides: &[isize]) -> Error {
        misfit(self.array(side), (self.rank(), side), shape, strides)
    }
}

/// Checks an array that is brought whole by a rank: see [`Mover::holds`].
pub(super) fn check_shape(
    array: &StridedArray,
    of: (usize, Side),
    shape: &[usize],
    strides: &[isize],
) -> Result<(), Error> {
    match is_held(array, shape, strides) {
        true => Ok(()),
        false => Err(misfit(array, of, shape, strides)),
    }
}

/// Checks the elements of a rank's dense local arrays, by side.
pub(super) fn check_lengths(
    parts: &[StridedArray; 2],
    rank: usize,
    found: [usize; 2],
) -> Result<(), Error> {
    let lens = parts.each_ref().map(|part| part.len);
    let exchanged = lens.iter().eq(found.iter().rev());
    for side in [Side::Source, Side::Destination] {
        let (expected, found) = (lens[side as usize], found[side as usize]);
        if expected != found {
            return Err(Error::LocalLength { rank, side, expected, found, exchanged });
        }
    }
    Ok(())
}

impl AnyPacking {
    /// Checks an array that is brought whole, of `len` elements of memory: see
    /// [`AnyBound::check_array`](super::AnyBound::check_array). A padded array may be longer.
    ///
    /// # Errors
    /// Another shape, other strides, or another length.
    pub fn check_array(
        &self,
        side: Side,
        len: usize,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<(), Error> {
        let (array, rank) = (self.array(side), self.rank());
        if !is_held(array, shape, strides) {
            return Err(misfit(array, (rank, side), shape, strides));
        }
        let (expected, found) = (array.len, len);
        match found == expected || (array.may_be_longer && found > expected) {
            true => Ok(()),
            false => Err(Error::LocalLength { rank, side, expected, found, exchanged: false }),
        }
    }
}

/// Returns `true` if an array fits a shape and strides that are brought.
fn is_held(array: &StridedArray, shape: &[usize], strides: &[isize]) -> bool {
    let is_empty = array.len == 0 && shape.contains(&0);
    if shape.len() < 2 || shape.len() != array.shape.len() || is_empty {
        return true;
    }
    let Some(slowest) = slowest_of_a_box(array) else { return true };
    let extends = |at: usize| match array.may_be_longer && slowest == at {
        true => shape[at] >= array.shape[at],
        false => shape[at] == array.shape[at],
    };
    // A single index never uses its stride.
    let strides_fit =
        |at: usize| array.shape[at] <= 1 || usize::try_from(strides[at]) == Ok(array.strides[at]);
    (0..shape.len()).all(|at| extends(at) && strides_fit(at))
}

fn misfit(
    array: &StridedArray,
    (rank, side): (usize, Side),
    shape: &[usize],
    strides: &[isize],
) -> Error {
    Error::ArrayShape {
        rank,
        side,
        shape: array.shape.clone(),
        strides: array.strides.clone(),
        found_shape: shape.to_vec(),
        found_strides: strides.to_vec(),
        exchanged: false,
    }
}

/// Returns the dimension with the longest stride of an array whose elements fill a box; `None` for
/// other strides.
fn slowest_of_a_box(array: &StridedArray) -> Option<usize> {
    let StridedArray { shape, strides, .. } = array;
    let longer = |at: &usize| shape[*at] > 1;
    let dense = |at: usize| {
        let faster = (0..shape.len()).filter(longer).filter(|other| strides[*other] < strides[at]);
        faster.fold(1, |elements: usize, other| elements.saturating_mul(shape[other]))
    };
    let mut dimensions = (0..shape.len()).filter(longer);
    let slowest = dimensions.clone().max_by_key(|at| strides[*at]);
    dimensions.all(|at| strides[at] == dense(at)).then(|| slowest.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slowest(shape: [usize; 2], strides: [usize; 2]) -> Option<usize> {
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        slowest_of_a_box(&StridedArray { shape, strides, ..Default::default() })
    }

    #[test]
    fn boxes_have_a_slowest_dimension() {
        assert_eq!(slowest([3, 4], [4, 1]), Some(0));
        assert_eq!(slowest([3, 4], [1, 3]), Some(1));
        assert_eq!(slowest([1, 4], [9, 1]), Some(1));
        assert_eq!(slowest([3, 4], [8, 2]), None);
        assert_eq!(slowest([3, 4], [5, 1]), None);
    }
}
