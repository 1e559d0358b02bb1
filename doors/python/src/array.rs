//! Numpy arrays as bytes. Unsafe, because numpy's arrays are pointers: `Look` proves once all that
//! the slices need.

use crate::words::of_side;
use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use redist::{Error, Side};
use redist_doors::LocalPart;

/// A refusal: its text is for this rank's user, its reason for other ranks.
#[derive(Debug)]
pub struct Misfit {
    pub words: String,
    pub error: Box<Error>,
}

pub struct Expected {
    pub rank: usize,
    pub side: Side,
    pub shape: Vec<usize>,
    /// Axes of one element or none have any stride.
    pub strides: Vec<usize>,
    pub dtype: Py<PyArrayDescr>,
    pub itemsize: usize,
}

pub struct Look {
    data: *mut u8,
    bytes: usize,
}

impl Expected {
    pub fn dense(
        side: Side,
        rank: usize,
        part: LocalPart,
        dtype: &Bound<'_, PyArrayDescr>,
    ) -> Self {
        let (dtype, itemsize) = (dtype.clone().unbind(), dtype.itemsize());
        Self { rank, side, shape: part.extents, strides: part.strides, dtype, itemsize }
    }

    /// Expects arrays with the strides of this one; `None` if these are dense.
    pub fn like(&mut self, array: &Bound<'_, PyAny>) -> Result<Option<Vec<usize>>, Misfit> {
        let array = self.of_this_shape(array)?;
        let mut strides = self.strides.clone();
        let axes = strides.iter_mut().zip(array.strides()).zip(&self.shape);
        for ((stride, &found), _) in axes.filter(|(_, extent)| **extent > 1) {
            let elements = usize::try_from(found).ok().filter(|found| *found > 0);
            let elements = elements.filter(|found| found.is_multiple_of(self.itemsize));
            *stride =
                elements.ok_or_else(|| self.strides_refused(array.strides()))? / self.itemsize;
        }
        let is_dense = strides == self.strides || self.is_empty();
        self.strides = strides;
        Ok((!is_dense).then(|| self.strides.clone()))
    }

    pub fn look(&self, array: &Bound<'_, PyAny>) -> Result<Look, Misfit> {
        let array = self.of_this_shape(array)?;
        let pairs = self.shape.iter().zip(&self.strides).zip(array.strides());
        let is_as_bound = |((extent, stride), found): ((&usize, &usize), &isize)| {
            *extent <= 1 || usize::try_from(*found) == Ok(stride * self.itemsize)
        };
        if !self.is_empty() && !{ pairs }.all(is_as_bound) {
            return Err(self.other_strides(array.strides()));
        }
        // SAFETY: the object is numpy's array, by its type, and lives while it is borrowed.
        let fields = unsafe { &(*array.as_array_ptr()).fields };
        if self.side == Side::Destination && fields.flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(self.refused("is read-only; bring an array that may be written to"));
        }
        Ok(Look { data: fields.data.cast(), bytes: self.span() * self.itemsize })
    }

    fn span(&self) -> usize {
        let last = |(extent, stride): (&usize, &usize)| (extent - 1) * stride;
        match self.is_empty() {
            true => 0,
            false => 1 + self.shape.iter().zip(&self.strides).map(last).sum::<usize>(),
        }
    }

    fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    fn of_this_shape<'a, 'py>(
        &self,
        array: &'a Bound<'py, PyAny>,
    ) -> Result<&'a Bound<'py, PyUntypedArray>, Misfit> {
        let found = |array: &Bound<'_, PyAny>| type_name(array);
        let other = |_| self.refused(&format!("is a {}; bring an array of numpy's", found(array)));
        let array = array.cast::<PyUntypedArray>().map_err(other)?;
        if is_masked(array).unwrap_or(true) {
            return Err(self.refused(
                "is a masked array, whose mask would stay behind; bring its `data`, and move \
                 `numpy.ma.getmaskarray` of it by a plan for `bool`",
            ));
        }
        let dtype = self.dtype.bind(array.py());
        if !array.dtype().is_equiv_to(dtype) {
            let words = format!(
                "has the dtype {}, but the plan is for {dtype}; bring an array of that, or make \
                 a plan for the other",
                array.dtype()
            );
            return Err(self.refused(&words));
        }
        if array.shape() != self.shape && !(self.is_empty() && array.is_empty()) {
            return Err(self.misfit(
                array.strides(),
                array.shape(),
                &format!(
                    "has the shape {}, but must have {}; `empty({:?})` makes one",
                    tuple(array.shape()),
                    tuple(&self.shape),
                    of_side(self.side)
                ),
            ));
        }
        Ok(array)
    }

    fn other_strides(&self, found: &[isize]) -> Misfit {
        let must: Vec<usize> = self.strides.iter().map(|stride| stride * self.itemsize).collect();
        let side = of_side(self.side);
        let words = format!(
            "has the strides {} in bytes, but must have {}; bring one that `empty({side:?})` made, \
             or bind with `{side}_like` an array like this one",
            tuple(found),
            tuple(&must)
        );
        self.misfit(found, &self.shape, &words)
    }

    fn strides_refused(&self, found: &[isize]) -> Misfit {
        let words = format!(
            "has the strides {} in bytes, which must be positive multiples of the {} bytes of an \
             element; `numpy.ascontiguousarray` makes a copy that fits",
            tuple(found),
            self.itemsize
        );
        self.misfit(found, &self.shape, &words)
    }

    fn misfit(&self, strides: &[isize], shape: &[usize], words: &str) -> Misfit {
        let bytes = self.itemsize as isize;
        let error = Error::ArrayShape {
            rank: self.rank,
            side: self.side,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            found_shape: shape.into(),
            found_strides: strides.iter().map(|stride| stride / bytes).collect(),
        };
        Misfit { words: self.words(words), error: error.into() }
    }

    pub fn refused(&self, reason: &str) -> Misfit {
        let what = format!("a move of the {} array of rank {}", of_side(self.side), self.rank);
        let error = Error::Unavailable { what, reason: format!("it {reason}") };
        Misfit { words: self.words(reason), error: error.into() }
    }

    fn words(&self, reason: &str) -> String {
        format!("rank {}: the {} array {reason}", self.rank, of_side(self.side))
    }
}

impl Look {
    /// Returns the bytes from the first element's to the last one's.
    pub fn len(&self) -> usize {
        self.bytes
    }

    pub fn place(&self) -> (usize, usize) {
        (self.data.addr(), self.bytes)
    }

    /// # Safety
    /// The checked array lives and is not resized. No other code writes to it meanwhile.
    pub unsafe fn source(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: `Expected::look` found the array's shape and strides to be those that the bytes
        // are counted by. All are positive, so the bytes begin at its data and end with its last
        // element. Another allocator made numpy's memory, so it counts as initialised for Rust. It
        // stays there and as it is, as the caller promises.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }

    /// # Safety
    /// As [`source`](Self::source), the array is writeable, and no other slice of it is used.
    pub unsafe fn destination<'a>(&self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: `Expected::look` found the array's shape and strides to be those that the bytes
        // are counted by. All are positive, so the bytes begin at its data and end with its last
        // element. They are there, and used by nothing else, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.bytes) }
    }
}

/// Returns `true` for a mask, as of `numpy.ma`.
fn is_masked(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    let (py, kind) = (array.py(), array.get_type());
    // Arrays of the basic class need no further check.
    if kind.name()? == "ndarray" {
        return Ok(false);
    }
    array.is_instance(&py.import("numpy.ma")?.getattr("MaskedArray")?)
}

/// Returns the type's name, as users write it.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type();
    kind.name().map_or_else(|_| kind.to_string(), |name| name.to_string())
}

fn tuple<T: std::fmt::Display>(numbers: &[T]) -> String {
    let words: Vec<String> = numbers.iter().map(T::to_string).collect();
    format!("({}{})", words.join(", "), if words.len() == 1 { "," } else { "" })
}
