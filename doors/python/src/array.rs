//! Numpy arrays as bytes. Unsafe, because numpy's arrays are pointers: `Look` proves once all that
//! the slices need.

use crate::dtype::{self, tuple};
use crate::errors::ArrayError;
use crate::foreign;
use crate::words::of_side;
use numpy::npyffi::NPY_ARRAY_WRITEABLE;
use numpy::{PyArray1, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist::exec::{Name, WrongArgument};
use redist::{Error, Side};
use redist_doors::{DoorPlan, LocalPart};

/// A refusal: its text is for this rank's user, its reason for other ranks.
#[derive(Debug)]
pub struct Misfit {
    pub words: String,
    pub error: Box<Error>,
}

/// The array that a plan expects from a rank.
pub struct Expected {
    /// The rank, numbered in the communicator.
    pub rank: usize,
    pub side: Side,
    /// Elements along each axis.
    pub shape: Vec<usize>,
    /// Axes of one element or none have any stride.
    pub strides: Vec<usize>,
    pub dtype: Py<PyArrayDescr>,
    /// Bytes of an element.
    pub itemsize: usize,
    /// The array in messages.
    called: String,
    /// The call that makes one, in messages.
    made_by: String,
}

/// A numpy array, checked, as bytes.
pub struct Look {
    /// First byte.
    data: *mut u8,
    /// Number of bytes.
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
        let called = format!("rank {rank}: the {} array", of_side(side));
        let made_by = format!("`empty({:?})`", of_side(side));
        let LocalPart { extents: shape, strides, .. } = part;
        Self { rank, side, shape, strides, dtype, itemsize, called, made_by }
    }

    /// Returns the part of the array, if it is dense.
    pub fn dense_part(&self) -> LocalPart {
        let (extents, strides) = (self.shape.clone(), self.strides.clone());
        LocalPart { len: extents.iter().product(), extents, strides }
    }

    /// Expects an array of the type that this one has, because a function of the user's writes to it. Every
    /// type but that of objects has bytes.
    pub fn of_type(&self, array: &Bound<'_, PyAny>) -> Result<Self, Misfit> {
        let found = array.cast::<PyUntypedArray>().map(|array| array.dtype());
        let dtype = found.unwrap_or_else(|_| self.dtype.bind(array.py()).clone());
        if dtype.has_object() {
            return Err(self.of_another_type(&dtype));
        }
        Ok(Self {
            rank: self.rank,
            side: self.side,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            itemsize: dtype.itemsize(),
            dtype: dtype.unbind(),
            called: self.called.clone(),
            made_by: self.made_by.clone(),
        })
    }

    /// Makes such an array in the memory of another one.
    pub fn within<'py>(
        &self,
        numpy: &Bound<'py, PyModule>,
        memory: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = memory.py();
        let strides = self.strides.iter().map(|stride| stride * self.itemsize);
        let (shape, strides) =
            (PyTuple::new(py, &self.shape)?, PyTuple::new(py, strides.collect::<Vec<_>>())?);
        numpy.call_method1("ndarray", (shape, &self.dtype, memory, 0, strides))
    }

    /// Names the array in messages, an argument of a plan's.
    pub fn called(self, name: &str) -> Self {
        let made_by = format!("`empty({:?}, {})`", of_side(self.side), self.rank);
        Self { called: name.into(), made_by, ..self }
    }

    /// Expects arrays with the strides of this one; `None` if these are dense.
    pub fn like(&mut self, array: &Bound<'_, PyAny>) -> Result<Option<Vec<usize>>, Misfit> {
        let array = self.of_this_shape(array)?;
        if self.is_empty() {
            return Ok(None);
        }
        let mut strides = self.strides.clone();
        let axes = strides.iter_mut().zip(array.strides()).zip(&self.shape);
        for ((stride, &found), _) in axes.filter(|(_, extent)| **extent > 1) {
            let elements = usize::try_from(found).ok().filter(|found| *found > 0);
            let elements = elements.filter(|found| found.is_multiple_of(self.itemsize));
            *stride =
                elements.ok_or_else(|| self.strides_refused(array.strides()))? / self.itemsize;
        }
        let is_dense = strides == self.strides;
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
            let words = "is read-only; bring an array that may be written to";
            return Err(self.refused(words, WrongArgument::ReadOnly { side: self.side }));
        }
        Ok(Look { data: fields.data.cast(), bytes: self.bytes() })
    }

    /// Returns the bytes from the first element to the last one's end.
    pub fn bytes(&self) -> usize {
        self.span() * self.itemsize
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
        let array = array.cast::<PyUntypedArray>().map_err(|_| self.no_array(array))?;
        if is_masked(array).unwrap_or(true) {
            let words = "is a masked array, whose mask would stay behind; bring its `data`, and \
                         move `numpy.ma.getmaskarray` of it by a plan for `bool`";
            return Err(self.refused(words, WrongArgument::Masked { side: self.side }));
        }
        if !array.dtype().is_equiv_to(self.dtype.bind(array.py())) {
            return Err(self.of_another_type(&array.dtype()));
        }
        if array.shape() != self.shape && !(self.is_empty() && array.is_empty()) {
            return Err(self.misfit(
                array.strides(),
                array.shape(),
                &format!(
                    "has the shape {}, but must have {}; {} makes one",
                    tuple(array.shape()),
                    tuple(&self.shape),
                    self.made_by
                ),
            ));
        }
        Ok(array)
    }

    fn no_array(&self, object: &Bound<'_, PyAny>) -> Misfit {
        let (found, mend) = (type_name(object), foreign::mend(object, self.side));
        let words = format!("is a {found}; bring an array of numpy's, as {mend}");
        self.refused(&words, WrongArgument::NoArray { side: self.side, class: Name::of(&found) })
    }

    fn of_another_type(&self, found: &Bound<'_, PyArrayDescr>) -> Misfit {
        let wanted = self.dtype.bind(found.py());
        let mend = match self.side {
            Side::Source => "`astype` makes a copy of that",
            Side::Destination => "bring one of that, and convert it when it has arrived",
        };
        let words = format!(
            "has the dtype {found}, but the plan is for {wanted}; {mend}, or make a plan for \
             {found}, which both arrays then have"
        );
        let name = dtype::words(found).unwrap_or_default();
        self.refused(&words, WrongArgument::Type { side: self.side, brought: Name::of(&name) })
    }

    /// Refuses a destination that has elements of the source.
    pub fn overlaps(&self) -> Misfit {
        let words = "shares memory with the src array; bring arrays that are apart, a copy of one \
                     if need be";
        self.refused(words, WrongArgument::Overlap)
    }

    /// Returns `true` if arrays of the other side have another shape, or other strides.
    pub fn differs(&self, other: &Self) -> bool {
        self.shape != other.shape || self.strides != other.strides
    }

    /// Refuses two arrays that would fit if they were exchanged.
    pub fn exchanged(&self, misfit: Misfit) -> Misfit {
        let words = "is the dst array, and the other one the src array: they are exchanged; write \
                     the src array first";
        Misfit { words: self.words(words), ..misfit }
    }

    fn other_strides(&self, found: &[isize]) -> Misfit {
        let must: Vec<usize> = self.strides.iter().map(|stride| stride * self.itemsize).collect();
        let side = of_side(self.side);
        let words = format!(
            "has the strides {} in bytes, but must have {}; bring one that {} made, or bind with \
             `{side}_like` an array like this one",
            tuple(found),
            tuple(&must),
            self.made_by
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

    fn are_whole(&self, strides: &[isize]) -> bool {
        strides.iter().all(|stride| stride.unsigned_abs().is_multiple_of(self.itemsize))
    }

    fn misfit(&self, strides: &[isize], shape: &[usize], words: &str) -> Misfit {
        if !self.are_whole(strides) {
            return self.refused(words, WrongArgument::PartStrides { side: self.side });
        }
        let bytes = self.itemsize as isize;
        let error = Error::ArrayShape {
            rank: self.rank,
            side: self.side,
            shape: self.shape.clone(),
            strides: self.strides.clone(),
            found_shape: shape.into(),
            found_strides: strides.iter().map(|stride| stride / bytes).collect(),
            exchanged: false,
        };
        Misfit { words: self.words(words), error: error.into() }
    }

    fn refused(&self, reason: &str, argument: WrongArgument) -> Misfit {
        let error = Error::Argument { rank: self.rank, argument };
        Misfit { words: self.words(reason), error: error.into() }
    }

    fn words(&self, reason: &str) -> String {
        format!("{} {reason}", self.called)
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
    /// While the slice is used, the checked array lives, is not resized, and no other code writes
    /// to it.
    pub unsafe fn source(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: `Expected::look` found the array to have the shape and strides by which the bytes
        // are counted. All are positive, so the bytes begin at its data and end with its last
        // element. Another allocator made numpy's memory, so it counts as initialised for Rust. It
        // stays there and as it is, as the caller promises.
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }

    /// # Safety
    /// The checked array lives, is not resized, and is writeable. No other code uses it, or a slice
    /// of it.
    pub unsafe fn destination<'a>(&self) -> &'a mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: `Expected::look` found the array to have the shape and strides by which the bytes
        // are counted. All are positive, so the bytes begin at its data and end with its last
        // element. They are there, and used by nothing else, as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.bytes) }
    }
}

/// Checks the buffer of a message: so many elements of a dtype, or their bytes.
pub fn buffer(
    object: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
    (elements, message): (usize, &str),
    is_written: bool,
) -> PyResult<Look> {
    let (py, itemsize) = (object.py(), dtype.itemsize());
    let refused = |words: String| {
        Err(ArrayError::new_err(format!("buffer {words}; `empty({elements})` makes one")))
    };
    let of_bytes = numpy::dtype::<u8>(py);
    let array = match object.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => match py.import("numpy")?.call_method1("frombuffer", (object, &of_bytes)) {
            Ok(array) => array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?,
            Err(_) => {
                return refused(format!("is a {}, which has no memory to use", type_name(object)));
            }
        },
    };
    let found = array.dtype();
    if is_masked(&array).unwrap_or(true) {
        return refused("is a masked array".into());
    }
    if !found.is_equiv_to(dtype) && !found.is_equiv_to(&of_bytes) {
        return refused(format!("has the dtype {found}, and elements are of {dtype}"));
    }
    if !array.is_c_contiguous() {
        return refused("has gaps between its elements".into());
    }
    let (bytes, must) = (array.len() * found.itemsize(), elements * itemsize);
    if bytes != must {
        return refused(format!(
            "has {bytes} bytes, but the message {message} has {must}, of {elements} elements"
        ));
    }
    // SAFETY: the object is numpy's array, by its type, and lives while it is borrowed.
    let fields = unsafe { &(*array.as_array_ptr()).fields };
    if is_written && fields.flags & NPY_ARRAY_WRITEABLE == 0 {
        return refused("is read-only".into());
    }
    Ok(Look { data: fields.data.cast(), bytes })
}

/// Returns `true` for a mask, as of `numpy.ma`.
fn is_masked(array: &Bound<'_, PyUntypedArray>) -> PyResult<bool> {
    // Arrays of the basic class need no further check; a subclass may have its name.
    if PyUntypedArray::is_exact_type_of(array) {
        return Ok(false);
    }
    let py = array.py();
    array.is_instance(&py.import("numpy.ma")?.getattr("MaskedArray")?)
}

/// Returns the type's name, as users write it.
pub fn type_name(object: &Bound<'_, PyAny>) -> String {
    let kind = object.get_type();
    kind.name().map_or_else(|_| kind.to_string(), |name| name.to_string())
}

/// Makes a dense array for a rank's part, its elements not initialised.
pub fn empty<'py>(
    py: Python<'py>,
    part: LocalPart,
    dtype: &Py<PyArrayDescr>,
) -> PyResult<Bound<'py, PyAny>> {
    made("empty", py, part, dtype)
}

/// Makes a dense array for a rank's part by a function of numpy's.
pub fn made<'py>(
    function: &str,
    py: Python<'py>,
    part: LocalPart,
    dtype: &Py<PyArrayDescr>,
) -> PyResult<Bound<'py, PyAny>> {
    let order = if part.strides.first() < part.strides.last() { "F" } else { "C" };
    let shape = PyTuple::new(py, part.extents)?;
    py.import("numpy")?.call_method1(function, (shape, dtype, order))
}

/// Returns the elements from each rank to each, sources × destinations.
pub fn volumes<'py>(py: Python<'py>, plan: &DoorPlan) -> PyResult<Bound<'py, PyAny>> {
    let (plan, mut volumes) = (plan.any(), Vec::new());
    let ranks = plan.ranks();
    for source in 0..ranks {
        volumes.extend((0..ranks).map(|destination| plan.volume(source, destination) as i64));
    }
    PyArray1::from_vec(py, volumes).call_method1("reshape", (ranks, ranks))
}

/// Returns a rank's indices along each axis of a side's stored array.
pub fn indices<'py>(
    py: Python<'py>,
    plan: &DoorPlan,
    side: Side,
    rank: usize,
) -> Vec<Bound<'py, PyArray1<i64>>> {
    let lists = plan.axis_indices(side, rank);
    lists.into_iter().map(|list| PyArray1::from_vec(py, list)).collect()
}
