//! Local arrays with their shape, for callers that know it. Unsafe: names and lists are in C's
//! memory.

use crate::element;
use crate::layout::check_size;
use crate::pointers::{list, reference, text};
use crate::status::{Refusal, length};
use redist::exec::WrongArgument;
use redist::{AnyElement, Side};
use redist_doors::MAX_DIMENSIONS;
use std::ffi::{c_char, c_void};

/// A local array, with what its caller knows of it. Begin with `redist_array array =
/// REDIST_ARRAY_INIT;`.
#[derive(Debug)]
#[repr(C)]
pub struct LocalArray {
    /// `sizeof(redist_array)`.
    pub size: usize,
    /// The name of the element type, as for `redist_bind`. It is not compared if it is NULL.
    pub element: *const c_char,
    /// The first element in memory. A source is only read. It may be NULL if the array has none.
    pub data: *mut c_void,
    /// Elements of the memory, as for `redist_run`.
    pub len: i64,
    /// Number of the array's dimensions; 0 if the shape is not to be compared.
    pub dimensions: i32,
    /// 0.
    pub reserved: i32,
    /// Extents of the array, dimension by dimension.
    pub shape: *const i64,
    /// Distance of neighbours along each dimension, in elements.
    pub strides: *const i64,
}

/// A caller's array, as far as it is known.
pub struct Given {
    /// Address of the first element.
    pub address: usize,
    /// Number of elements that the caller states.
    pub len: i64,
    pub element: Option<AnyElement>,
    pub shape: Option<Shape>,
}

/// The first entries are an array's.
pub struct Shape {
    /// Number of dimensions.
    dimensions: usize,
    /// Elements along each dimension.
    extents: [usize; MAX_DIMENSIONS],
    /// Elements from neighbour to neighbour along each dimension.
    strides: [isize; MAX_DIMENSIONS],
}

impl Shape {
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.dimensions]
    }

    pub fn strides(&self) -> &[isize] {
        &self.strides[..self.dimensions]
    }
}

impl Given {
    /// # Safety
    /// The pointer is NULL, or points to an array. Its name is NULL or a text that ends with a zero.
    /// Its lists are NULL, or have an entry for each dimension. Nothing writes to them while this
    /// runs.
    pub unsafe fn read(array: *const LocalArray, name: &str) -> Result<Self, Refusal> {
        // SAFETY: if the pointer is not NULL, there is an array, as the caller promises.
        let array = unsafe { reference(array, name) }?;
        check_size::<LocalArray>(array.size, "redist_array")?;
        let dimensions = usize::try_from(array.dimensions).ok().filter(|it| *it <= MAX_DIMENSIONS);
        let dimensions = dimensions.ok_or_else(|| {
            let found = array.dimensions;
            Refusal::argument(format!(
                "`{name}.dimensions` is {found}, and must be 0 to {MAX_DIMENSIONS}"
            ))
        })?;
        // SAFETY: each list that is not NULL has an entry for each dimension, as the caller promises.
        let (shape, strides) = unsafe {
            (list(array.shape, dimensions, "shape")?, list(array.strides, dimensions, "strides")?)
        };
        let mut found =
            Shape { dimensions, extents: [0; MAX_DIMENSIONS], strides: [0; MAX_DIMENSIONS] };
        for at in 0..dimensions {
            found.extents[at] = length(shape[at], "shape")?;
            found.strides[at] = strides[at] as isize;
        }
        let shape = (dimensions > 0).then_some(found);
        // SAFETY: the name is NULL, or a text that ends with a zero, as the caller promises.
        let element = unsafe { named(array.element) }?;
        Ok(Self { address: array.data.addr(), len: array.len, element, shape })
    }

    /// Returns the bytes of an array of a rank, whose elements must have the type of the plan.
    pub fn bytes(&self, element: AnyElement, rank: usize, side: Side) -> Result<usize, Refusal> {
        let wrong = |argument| Refusal::of_move(rank, argument);
        if let Some(brought) = self.element {
            element::check(element, brought).map_err(wrong)?;
        }
        let elements = usize::try_from(self.len).ok();
        let bytes = elements.and_then(|len| len.checked_mul(element.bytes()));
        match (elements, bytes.filter(|bytes| isize::try_from(*bytes).is_ok())) {
            (Some(elements @ 1..), Some(_)) if self.address == 0 => {
                Err(wrong(WrongArgument::Null { side, elements }))
            }
            (_, Some(bytes)) => Ok(bytes),
            (_, None) => Err(wrong(WrongArgument::Length { side, length: self.len })),
        }
    }
}

/// # Safety
/// The pointer is NULL, or to bytes that end with a zero and are not written to while this runs.
pub unsafe fn named(name: *const c_char) -> Result<Option<AnyElement>, Refusal> {
    if name.is_null() {
        return Ok(None);
    }
    // SAFETY: it is not NULL, and the caller promises a text there.
    element::named(unsafe { text(name, "element") }?).map(Some)
}
