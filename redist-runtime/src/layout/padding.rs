//! Local arrays that are not dense: what a rank says of its own.

use super::vocabulary::counted;
use super::{AnyDescriptor, MAX_EXTENT};

/// What a rank says of how its local array lies in memory. All numbers are in elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Padding {
    /// The distance between neighbours along each dimension.
    Strides(Vec<usize>),
    /// The distance between neighbours along the second fastest dimension.
    Leading(usize),
    /// The extents of a larger array in the layout's storage order, and where in it the local array
    /// begins.
    Within([Vec<usize>; 2]),
}

/// Why no local array lies in memory in the way that a rank has said.
#[derive(Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum PaddingError {
    /// A stride of 0 would put all indices at one place.
    #[error("dimension {dimension} has stride 0; strides must be at least 1")]
    ZeroStride {
        /// The dimension, of the array as this side stores it.
        dimension: usize,
    },
    /// Elements would lie at the same place, or between each other.
    #[error(
        "dimension {dimension} has stride {stride}, but what lies nearer together takes {}; \
         give it a stride of at least {span}", counted(*span, "element")
    )]
    Overlap {
        /// The dimension, of the array as this side stores it.
        dimension: usize,
        /// Its stride, in elements.
        stride: usize,
        /// From the first to the last element along the dimensions with shorter strides, with both.
        span: usize,
    },
    /// A leading dimension does not hold the local rows (Fortran storage) or columns (C storage).
    #[error(
        "the leading dimension is {leading}, but the local extent of dimension {dimension} is {extent}; \
         it must be at least {}", max_1(*extent)
    )]
    ShortLeadingDimension {
        /// The dimension that is stored fastest.
        dimension: usize,
        /// The leading dimension, in elements.
        leading: usize,
        /// The local extent.
        extent: usize,
    },
    /// A local array reaches out of the array that it is said to be in.
    #[error(
        "the local extent of dimension {dimension} is {extent}, which from {origin} on does not fit into \
         the {allocated} allocated; allocate more, or begin further ahead"
    )]
    Outside {
        /// The dimension, of the array as this side stores it.
        dimension: usize,
        /// Index of the first element in the allocated array.
        origin: usize,
        /// The local extent.
        extent: usize,
        /// The extent of the allocated array.
        allocated: usize,
    },
    /// No array is that long.
    #[error(
        "dimension {dimension} ends past {MAX_EXTENT} elements, the most of an array; \
         use smaller strides or extents"
    )]
    TooLong {
        /// The dimension, of the array as this side stores it.
        dimension: usize,
    },
}

debug_in_words!(PaddingError);

fn max_1(extent: usize) -> usize {
    extent.max(1)
}

/// Strides, where the first element lies, and how many elements the memory has to have.
pub type Places = (Vec<usize>, [usize; 2]);

impl Padding {
    /// Where the elements of the local array of `rank` lie.
    ///
    /// # Errors
    /// There is no such array.
    pub fn places(&self, array: &AnyDescriptor, rank: usize) -> Result<Places, PaddingError> {
        let extents = array.local_extents(rank).unwrap_or_else(|| vec![0; array.dimensions()]);
        let (strides, [first, allocated]) = match self {
            Padding::Strides(strides) => match strides.iter().position(|stride| *stride == 0) {
                Some(dimension) => return Err(PaddingError::ZeroStride { dimension }),
                None => (strides.clone(), [0, 0]),
            },
            Padding::Leading(leading) => (led(array, &extents, *leading)?, [0, 0]),
            Padding::Within([allocated, origin]) => within(array, &extents, allocated, origin)?,
        };
        let span = if extents.contains(&0) { 0 } else { span(&extents, &strides)? };
        Ok((strides, [first, span.max(allocated)]))
    }
}

/// The strides of an array whose fastest dimension has `leading` elements.
fn led(
    array: &AnyDescriptor,
    extents: &[usize],
    leading: usize,
) -> Result<Vec<usize>, PaddingError> {
    let mut allocated = extents.to_vec();
    if let Some(dimension) = array.stored_order().last() {
        let extent = extents[dimension];
        if leading < extent.max(1) {
            return Err(PaddingError::ShortLeadingDimension { dimension, leading, extent });
        }
        allocated[dimension] = leading;
    }
    Ok(array.strides(&allocated))
}

/// The strides of a dense array of extents `allocated`; where in it the element at `origin` is, and
/// how many elements it has.
fn within(
    array: &AnyDescriptor,
    extents: &[usize],
    allocated: &[usize],
    origin: &[usize],
) -> Result<Places, PaddingError> {
    for dimension in 0..array.dimensions() {
        let [origin, extent, allocated] = [origin, extents, allocated].map(|list| list[dimension]);
        if origin.checked_add(extent).is_none_or(|end| end > allocated) {
            return Err(PaddingError::Outside { dimension, origin, extent, allocated });
        }
    }
    let strides = array.strides(allocated);
    if allocated.contains(&0) {
        return Ok((strides, [0, 0]));
    }
    let end = |dimension: usize| strides[dimension].saturating_mul(allocated[dimension]);
    let too_long = array.stored_order().rev().find(|dimension| end(*dimension) > MAX_EXTENT);
    if let Some(dimension) = too_long {
        return Err(PaddingError::TooLong { dimension });
    }
    let first = strides.iter().zip(origin).map(|(stride, origin)| stride * origin).sum();
    Ok((strides, [first, allocated.iter().product()]))
}

/// From the first to the last element, with both; there is one.
///
/// # Errors
/// Elements lie at the same place, or between each other; or too far apart for any array.
fn span(extents: &[usize], strides: &[usize]) -> Result<usize, PaddingError> {
    // Where there is but one index, its stride is never used.
    let mut dimensions: Vec<usize> = (0..extents.len()).filter(|&d| extents[d] > 1).collect();
    dimensions.sort_by_key(|&dimension| strides[dimension]);
    dimensions.into_iter().try_fold(1usize, |span, dimension| {
        let stride = strides[dimension];
        if stride < span {
            return Err(PaddingError::Overlap { dimension, stride, span });
        }
        let longer = stride.checked_mul(extents[dimension] - 1);
        let longer = longer.and_then(|further| further.checked_add(span));
        longer.filter(|len| *len <= MAX_EXTENT).ok_or(PaddingError::TooLong { dimension })
    })
}
