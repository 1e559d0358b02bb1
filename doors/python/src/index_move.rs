//! `redist.IndexMove`.

use crate::array::Expected;
use crate::bound::{Of, PythonBound, decline};
use crate::communicator;
use crate::dtype;
use crate::errors::{PlanError, run_error};
use crate::thread::without_lock;
use crate::words::{argument, shown, yes_or_no};
use numpy::{
    PyArray1, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use redist::exec::AnyIndexMove;
use redist::{AnyElement, Error, Side};
use redist_doors::{LocalPart, NumberLists};

/// A move by the global indices of this rank's elements: each rank has lists of its own, of which no
/// other rank knows.
///
/// There are `extent` indices, from 0 on. `src` has the index of each element of this rank's array
/// before the move, `dst` of each element after it: arrays of integers, in the order of the local
/// arrays. An index may be in any `dst`, any number of times, and in the `src` of one rank, or of
/// several if their elements are `equal`. Each index stands for so many neighbouring `elements`; for
/// more than one, local arrays have a row of these for each index. `extent`, `elements`, `equal` and
/// `dtype` are the same on all ranks.
#[pyclass(frozen, module = "redist")]
pub struct IndexMove {
    /// Number of all indices.
    extent: i64,
    /// Neighbouring elements that each index stands for.
    elements: i64,
    /// The lists, by side.
    lists: [Py<PyArray1<i64>>; 2],
    /// `true` if elements of one index are declared equal.
    is_equal: bool,
    dtype: Py<PyArrayDescr>,
    element: AnyElement,
}

/// Both sides, with the names of their lists.
const SIDES: [(Side, &str); 2] = [(Side::Source, "src"), (Side::Destination, "dst")];

#[pymethods]
impl IndexMove {
    #[new]
    #[pyo3(signature = (extent, src, dst, dtype=None, *, elements=None, equal=None))]
    #[pyo3(text_signature = "(extent, src, dst, dtype=None, *, elements=1, equal=False)")]
    fn new(
        py: Python<'_>,
        extent: &Bound<'_, PyAny>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        elements: Option<&Bound<'_, PyAny>>,
        equal: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let write =
            "the number of all indices; the arguments are IndexMove(extent, src, dst, dtype)";
        let extent = argument("extent", extent, write)?;
        let write = "the number of elements that each index stands for, from 1 on";
        let elements = elements.map_or(Ok(1), |given| argument("elements", given, write))?;
        let is_equal = equal.map_or(Ok(false), |equal| yes_or_no("equal", equal))?;
        let dtype = match dtype {
            Some(dtype) => dtype::named(dtype)?,
            None => numpy::dtype::<f64>(py),
        };
        let element = dtype::element(&dtype)?;
        let lists = [list("src", src)?, list("dst", dst)?];
        Ok(Self { extent, elements, lists, is_equal, dtype: dtype.unbind(), element })
    }

    /// Plans with all ranks of a communicator of mpi4py's, or of `redist.threads.run`. Collective. A
    /// mistake in the lists of a rank is an error of all ranks.
    fn bind(slf: &Bound<'_, Self>, comm: &Bound<'_, PyAny>) -> PyResult<PythonBound> {
        let (py, own) = (slf.py(), slf.get());
        let ranks = communicator::ranks(comm)?;
        let moves = own.moves(py).inspect_err(|error| {
            // The other ranks, which bind, learn of it.
            let (what, reason) = ("lists of indices".into(), error.value(py).to_string());
            decline(py, &ranks, Error::Unavailable { what, reason });
        })?;
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no
        // array.
        let bound = unsafe { without_lock(py, || ranks.bind(&moves)) }
            .map_err(|error| run_error(error, || own.dtype.bind(py).to_string()))?;
        let expected = SIDES.map(|(side, _)| {
            Expected::dense(side, ranks.rank(), own.part(py, side), own.dtype.bind(py))
        });
        let lists = own.lists.each_ref().map(|list| list.clone_ref(py));
        let of = Of::Lists(slf.clone().into_any().unbind(), lists);
        Ok(PythonBound::of(bound, expected, of, (comm, ranks.are_threads())))
    }

    /// The number of all indices.
    #[getter]
    fn extent(&self) -> i64 {
        self.extent
    }

    /// The elements that each index stands for.
    #[getter]
    fn elements(&self) -> i64 {
        self.elements
    }

    /// `True` if elements of one index are declared equal.
    #[getter]
    fn equal(&self) -> bool {
        self.is_equal
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> Py<PyArrayDescr> {
        self.dtype.clone_ref(py)
    }

    /// The index of each element before the move: a copy of the list, which is read-only.
    #[getter]
    fn src<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.list(py, Side::Source)
    }

    /// The index of each element after the move: a copy of the list, which is read-only.
    #[getter]
    fn dst<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.list(py, Side::Destination)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let [from, to] = SIDES.map(|(side, _)| self.list(py, side).len());
        let dtype = self.dtype.bind(py);
        format!("<redist.IndexMove: {from} to {to} of {} indices, {dtype}>", self.extent)
    }
}

impl IndexMove {
    fn list<'py>(&self, py: Python<'py>, side: Side) -> Bound<'py, PyArray1<i64>> {
        self.lists[side as usize].bind(py).clone()
    }

    fn part(&self, py: Python<'_>, side: Side) -> LocalPart {
        // They have been read, so that these are numbers of elements.
        let (len, row) = (self.list(py, side).len(), self.elements as usize);
        match row {
            1 => LocalPart { extents: vec![len], strides: vec![1], len },
            _ => LocalPart { extents: vec![len, row], strides: vec![row, 1], len: len * row },
        }
    }

    fn moves(&self, py: Python<'_>) -> PyResult<AnyIndexMove> {
        let lists = self.lists.each_ref().map(|list| list.bind(py).readonly());
        let [from, to] = &lists;
        let lists = [from.as_slice()?, to.as_slice()?];
        let (extent, names) = (self.extent, SIDES.map(|(_, name)| name));
        let numbers = NumberLists { extent, lists, names, elements: self.elements };
        let (extent, lists) = numbers.read().map_err(PlanError::new_err)?;
        let moves = AnyIndexMove::new(extent, lists, self.element);
        Ok(if self.is_equal { moves.equal() } else { moves })
    }
}

/// Copies a list of integers.
fn list(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Py<PyArray1<i64>>> {
    let numpy = object.py().import("numpy")?;
    let write = "an array of integers, an index for each element of the local array";
    let refused = || PyTypeError::new_err(format!("{name} {}: write {write}", shown(object)));
    let array = numpy.call_method1("asarray", (object,)).map_err(|_| refused())?;
    let found = array.cast::<PyUntypedArray>().map_err(|_| refused())?;
    // An empty list is of no integers.
    let is_of_integers = matches!(found.dtype().kind(), b'i' | b'u') || found.len() == 0;
    if found.ndim() != 1 || !is_of_integers {
        return Err(refused());
    }
    let copy = numpy.call_method1("array", (&array, numpy::dtype::<i64>(object.py())))?;
    copy.call_method1("setflags", (false,))?;
    Ok(copy.cast_into::<PyArray1<i64>>().map_err(PyErr::from)?.unbind())
}
