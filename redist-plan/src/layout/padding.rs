//! Memory layouts of local arrays that are not dense.

use super::vocabulary::counted;
use super::{AnyDescriptor, MAX_EXTENT};

/// The memory layout of a local array, as its rank gives it. All numbers are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    /// The distance between neighbours along each dimension.
    Strides(Vec<usize>),
    /// The distance between neighbours along the second fastest dimension.
    Leading(usize),
    /// A larger array's extents in the layout's storage order, and where in it this one begins.
    Within([Vec<usize>; 2]),
}

/// Describes a wrong memory layout, in elements and this side's dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum PaddingError {
    #[error("dimension {dimension} has stride 0; strides must be at least 1")]
    ZeroStride { dimension: usize },
    #[error(
        "dimension {dimension} has stride {stride}, but what lies nearer together takes {}; \
         give it a stride of at least {span}", counted(*span, "element")
    )]
    Overlap {
        dimension: usize,
        stride: usize,
        /// From the first to the last element along the dimensions with shorter strides, inclusive.
        span: usize,
    },
    #[error(
        "the leading dimension is {leading}, but the local extent of dimension {dimension} is {extent}; \
         it must be at least {}", extent.max(&1)
    )]
    ShortLeadingDimension { dimension: usize, leading: usize, extent: usize },
    #[error(
        "the local extent of dimension {dimension} is {extent}, which from {origin} on does not fit into \
         the {allocated} allocated; allocate more, or begin further ahead"
    )]
    Outside { dimension: usize, origin: usize, extent: usize, allocated: usize },
    #[error(
        "dimension {dimension} ends past {MAX_EXTENT} elements, the most of an array; \
         use smaller strides or extents"
    )]
    TooLong { dimension: usize },
}

debug_in_words!(PaddingError);

/// The places in memory of a local array's elements.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct LocalPlaces {
    /// Extents of the array in memory.
    pub shape: Vec<usize>,
    /// Elements in memory from neighbour to neighbour along each dimension.
    pub strides: Vec<usize>,
    /// Elements in memory before the first one.
    pub first: usize,
    /// Elements that the memory has to have.
    pub len: usize,
}

impl Padding {
    /// Returns the places of the local array of `rank`.
    ///
    /// # Errors
    /// There is no such array.
    pub fn places(&self, array: &AnyDescriptor, rank: usize) -> Result<LocalPlaces, PaddingError> {
        let extents = array.local_extents(rank).unwrap_or_else(|| vec![0; array.dimensions()]);
        let mut places = match self {
            Padding::Strides(strides) => match strides.iter().position(|stride| *stride == 0) {
                Some(dimension) => return Err(PaddingError::ZeroStride { dimension }),
                None => LocalPlaces::of(extents.clone(), strides.clone()),
            },
            Padding::Leading(leading) => led(array, &extents, *leading)?,
            Padding::Within([allocated, origin]) => within(array, &extents, allocated, origin)?,
        };
        let span = if extents.contains(&0) { 0 } else { span(&extents, &places.strides)? };
        places.len = places.len.max(span);
        Ok(places)
    }
}

impl LocalPlaces {
    fn of(shape: Vec<usize>, strides: Vec<usize>) -> Self {
        Self { shape, strides, first: 0, len: 0 }
    }
}

fn led(
    array: &AnyDescriptor,
    extents: &[usize],
    leading: usize,
) -> Result<LocalPlaces, PaddingError> {
    let mut allocated = extents.to_vec();
    if let Some(dimension) = array.stored_order().last() {
        let extent = extents[dimension];
        if leading < extent.max(1) {
            return Err(PaddingError::ShortLeadingDimension { dimension, leading, extent });
        }
        allocated[dimension] = leading;
    }
    let strides = array.strides(&allocated);
    Ok(LocalPlaces::of(allocated, strides))
}

fn within(
    array: &AnyDescriptor,
    extents: &[usize],
    allocated: &[usize],
    origin: &[usize],
) -> Result<LocalPlaces, PaddingError> {
    for dimension in 0..array.dimensions() {
        let [origin, extent, allocated] = [origin, extents, allocated].map(|list| list[dimension]);
        if origin.checked_add(extent).is_none_or(|end| end > allocated) {
            return Err(PaddingError::Outside { dimension, origin, extent, allocated });
        }
    }
    let strides = array.strides(allocated);
    if allocated.contains(&0) {
        return Ok(LocalPlaces::of(allocated.to_vec(), strides));
    }
    let end = |dimension: usize| strides[dimension].saturating_mul(allocated[dimension]);
    let too_long = array.stored_order().rev().find(|dimension| end(*dimension) > MAX_EXTENT);
    if let Some(dimension) = too_long {
        return Err(PaddingError::TooLong { dimension });
    }
    let first = strides.iter().zip(origin).map(|(stride, origin)| stride * origin).sum();
    let len = allocated.iter().product();
    Ok(LocalPlaces { shape: allocated.to_vec(), strides, first, len })
}

/// Counts elements from first to last, inclusive. Fails if they overlap or reach too far.
fn span(extents: &[usize], strides: &[usize]) -> Result<usize, PaddingError> {
    // The stride of a single index is never used.
    let dimensions = (0..extents.len()).filter(|&dimension| extents[dimension] > 1);
    let mut strides: Vec<_> = dimensions.map(|dimension| (strides[dimension], dimension)).collect();
    strides.sort_unstable();
    strides.into_iter().try_fold(1usize, |span, (stride, dimension)| {
        if stride < span {
            return Err(PaddingError::Overlap { dimension, stride, span });
        }
        let longer = stride.checked_mul(extents[dimension] - 1);
        let longer = longer.and_then(|further| further.checked_add(span));
        longer.filter(|len| *len <= MAX_EXTENT).ok_or(PaddingError::TooLong { dimension })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Descriptor, Layout};

    fn places(layout: &str, padding: Padding) -> Result<LocalPlaces, PaddingError> {
        let layout: Layout<3> = layout.parse().unwrap();
        padding.places(&AnyDescriptor::from(&Descriptor::new([4, 5, 6], layout).unwrap()), 0)
    }

    const C: &str = "(block, *, *) onto 2";
    const FORTRAN: &str = "(block, *, *) onto 2 storage fortran";

    #[test]
    fn a_leading_dimension_pads_what_is_stored_fastest() {
        let padded = places(C, Padding::Leading(8)).unwrap();
        assert_eq!((padded.strides, padded.first, padded.len), (vec![40, 8, 1], 0, 40 + 32 + 6));
        assert_eq!(padded.shape, [2, 5, 8]);
        let padded = places(FORTRAN, Padding::Leading(8)).unwrap();
        assert_eq!((padded.strides, padded.len), (vec![1, 8, 40], 1 + 32 + 200 + 1));
    }

    #[test]
    fn a_box_begins_at_its_origin() {
        let within = Padding::Within([vec![4, 7, 9], vec![1, 0, 2]]);
        let padded = places(C, within.clone()).unwrap();
        assert_eq!((padded.strides, padded.first, padded.len), (vec![63, 9, 1], 65, 252));
        let padded = places(FORTRAN, within).unwrap();
        assert_eq!((padded.strides, padded.first, padded.len), (vec![1, 4, 28], 57, 252));
    }

    #[test]
    fn strides_that_are_taken_keep_elements_apart() {
        let mut taken = 0;
        for strides in (0..40 * 40 * 40).map(|at| [at % 40, at / 40 % 40, at / 1600]) {
            let Ok(padded) = places(C, Padding::Strides(strides.to_vec())) else { continue };
            let mut held = vec![false; padded.len];
            for index in (0..2 * 5 * 6).map(|at| [at / 30, at / 6 % 5, at % 6]) {
                let place: usize = index.iter().zip(strides).map(|(at, stride)| at * stride).sum();
                assert!(!core::mem::replace(&mut held[place], true), "{strides:?}");
            }
            assert_eq!(held.last(), Some(&true));
            taken += 1;
        }
        assert!(taken > 100, "{taken}");
    }

    #[test]
    fn what_is_longer_than_any_array_is_none() {
        for (padding, dimension) in [
            (Padding::Strides(vec![usize::MAX, 6, 1]), 0),
            (Padding::Strides(vec![1, 2, MAX_EXTENT / 4]), 2),
            (Padding::Leading(MAX_EXTENT / 2), 1),
            (Padding::Within([vec![2, MAX_EXTENT, 6], vec![0; 3]]), 1),
        ] {
            let error = places(C, padding).unwrap_err();
            assert_eq!(error, PaddingError::TooLong { dimension });
        }
    }
}
