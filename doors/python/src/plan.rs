use crate::errors::{PlanError, plan_error};
use crate::picture::{Page, Picture};
use crate::words::{self, Given};
use numpy::{PyArray1, PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use redist::{AnyElement, Side};
use redist_doors::{DoorPlan, LocalPart};
use redist_draw::{Drawing, METHODS, PictureKind};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The messages for an array of `shape` from the layout `src` to the layout `dst`, both in the
/// notation of the command line and of Rust's macro. It needs no communicator: `bind` does.
///
/// `dtype` is the element type, anything that numpy takes for one. With `relabel`, the
/// destination's ranks have those cells of its grid that let most elements stay.
#[pyclass(frozen, name = "Plan", module = "redist")]
pub struct PythonPlan {
    pub plan: DoorPlan,
    pub dtype: Py<PyArrayDescr>,
    pub element: AnyElement,
}

type Planned = (Vec<usize>, String, String, Py<PyArrayDescr>);

#[pymethods]
impl PythonPlan {
    #[new]
    #[pyo3(signature = (shape, src, dst, dtype=None, *, relabel=false))]
    fn new(
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        src: &str,
        dst: &str,
        dtype: Option<&Bound<'_, PyAny>>,
        relabel: bool,
    ) -> PyResult<Self> {
        let plan = DoorPlan::parse(&extents(shape)?, src, dst).map_err(plan_error)?;
        let plan = if relabel { plan.relabelled().map_err(plan_error)? } else { plan };
        let dtype = match dtype {
            Some(dtype) => PyArrayDescr::new(py, dtype).map_err(|error| {
                let found = dtype.repr().map(|text| text.to_string()).unwrap_or_default();
                PlanError::new_err(format!("dtype {found}: {}", error.value(py)))
            })?,
            None => numpy::dtype::<f64>(py),
        };
        let element = element(&dtype)?;
        Ok(Self { plan, dtype: dtype.unbind(), element })
    }

    /// The global shape of the moved array, in the source's order of axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.plan.extents())
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> Py<PyArrayDescr> {
        self.dtype.clone_ref(py)
    }

    /// The source's layout, in the notation.
    #[getter]
    fn src(&self) -> String {
        self.plan.layout(Side::Source)
    }

    /// The destination's layout, in the notation.
    #[getter]
    fn dst(&self) -> String {
        self.plan.layout(Side::Destination)
    }

    /// The least number of ranks of a communicator.
    #[getter]
    fn ranks(&self) -> usize {
        self.plan.any().ranks()
    }

    /// A digest, which is the same for two plans of the same move; ranks compare it.
    #[getter]
    fn digest(&self) -> String {
        self.plan.any().digest().to_string()
    }

    /// Returns the shape of a rank's local array on a side, `"src"` or `"dst"`; zeros if it has
    /// none.
    fn local_shape<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        rank: Given<usize>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.plan.local(words::side(side)?, rank.0).extents)
    }

    /// Returns the number of elements of a rank's local array on a side.
    fn local_size(&self, side: &str, rank: Given<usize>) -> PyResult<usize> {
        Ok(self.plan.local(words::side(side)?, rank.0).len)
    }

    /// Makes a new array for a rank's part on a side, its elements not initialised. It has the
    /// side's shape and order of axes, C's or Fortran's.
    fn empty<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        rank: Given<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let LocalPart { extents, strides, .. } = self.plan.local(words::side(side)?, rank.0);
        let order = if strides.first() < strides.last() { "F" } else { "C" };
        let shape = PyTuple::new(py, extents)?;
        py.import("numpy")?.call_method1("empty", (shape, &self.dtype, order))
    }

    /// Returns the rank that holds the element of this index of a side's stored array.
    fn owner(&self, side: &str, index: Given<Vec<usize>>) -> PyResult<usize> {
        let index = index.0;
        let owner = self.plan.owner(words::side(side)?, &index);
        owner.ok_or_else(|| {
            PlanError::new_err(format!("index {index:?}: the {side} array has no such element"))
        })
    }

    /// Returns the index, in a side's stored array, of the element at an index of a rank's local
    /// array.
    fn global_index<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        rank: Given<usize>,
        index: Given<Vec<usize>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (rank, index) = (rank.0, index.0);
        let (which, part) = (words::side(side)?, self.plan.local(words::side(side)?, rank));
        let is_inside = index.len() == part.extents.len()
            && index.iter().zip(&part.extents).all(|(index, extent)| index < extent);
        let offset: usize = index.iter().zip(&part.strides).map(|(i, stride)| i * stride).sum();
        let global = self.plan.global_index(which, rank, offset).filter(|_| is_inside);
        let none = || {
            let shape = part.extents;
            format!("index {index:?}: the {side} array of rank {rank} has the shape {shape:?}")
        };
        PyTuple::new(py, global.ok_or_else(|| PlanError::new_err(none()))?)
    }

    /// Returns an array for each axis of a side's stored array: a rank's indices along it. So
    /// `whole[numpy.ix_(*plan.global_indices(side, rank))]` is the rank's local array.
    fn global_indices<'py>(
        &self,
        py: Python<'py>,
        side: &str,
        rank: Given<usize>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<i64>>>> {
        let lists = self.plan.axis_indices(words::side(side)?, rank.0);
        Ok(lists.into_iter().map(|list| PyArray1::from_vec(py, list)).collect())
    }

    /// Returns the plan of the way back.
    fn inverse(&self, py: Python<'_>) -> Self {
        let dtype = self.dtype.clone_ref(py);
        Self { plan: self.plan.inverse(), dtype, element: self.element }
    }

    /// Describes layouts, classes, windows, volumes, and the least number of steps.
    fn explain(&self) -> String {
        self.plan.explain()
    }

    /// Draws pictures: "ownership" shows the ranks' elements, "intersection" the elements that two
    /// ranks share. "volumes" and "schedule" show messages. With "all", one page has them all.
    ///
    /// A `pair` has the source rank and the destination rank whose common pieces are drawn. The two
    /// drawn `axes` begin with the vertical one. Other axes are cut at their index in `slices`. The
    /// `method` orders the messages ("circulant", "closed-form", "koenig" or "caterpillar").
    #[pyo3(signature = (what="all", *, title=None, pair=None, axes=None, slices=None, method=None))]
    fn draw(
        &self,
        what: &str,
        title: Option<String>,
        pair: Option<Given<[usize; 2]>>,
        axes: Option<Given<[usize; 2]>>,
        slices: Option<&Bound<'_, PyDict>>,
        method: Option<&str>,
    ) -> PyResult<Picture> {
        let [pair, axes] = [pair, axes].map(|two| two.map(|given| given.0));
        let kind = PictureKind::named(what);
        let kind =
            kind.ok_or_else(|| none_of("what", what, PictureKind::NAMED.map(|kind| kind.0)))?;
        let named = |word: &str| METHODS.iter().find(|known| known.0 == word).map(|known| known.1);
        let none = |word| none_of("method", word, METHODS.map(|known| known.0));
        let method = method.map(|word| named(word).ok_or_else(|| none(word))).transpose()?;
        let slices = slices.into_iter().flat_map(|slices| slices.iter()).map(|(axis, at)| {
            Ok((axis.extract::<Given<usize>>()?.0, at.extract::<Given<usize>>()?.0))
        });
        let slices = slices.collect::<PyResult<_>>()?;
        let drawing = Drawing { kind, title, pair, axes, slices, method, ..self.bytes() };
        Ok(Picture { svg: self.plan.draw(&drawing).map_err(plan_error)? })
    }

    /// Makes one HTML page: both layouts, the message of the element under the pointer, the matrix
    /// of messages, the schedule step by step, and `explain`.
    ///
    /// At first, the `pair` of source rank and destination rank is selected.
    #[pyo3(signature = (*, title=None, pair=None))]
    fn page(&self, title: Option<String>, pair: Option<Given<[usize; 2]>>) -> PyResult<Page> {
        let pair = pair.map(|given| given.0);
        let drawing = Drawing { title, pair, ..self.bytes() };
        let html = self.plan.html(&drawing, self.element).map_err(plan_error)?;
        Ok(Page { html })
    }

    /// Gives notebooks the page; nothing if the array is empty.
    fn _repr_html_(&self) -> Option<String> {
        self.page(None, None).ok().map(|page| page._repr_html_())
    }

    /// Checks the plan with all ranks of an mpi4py communicator, and prepares moves. Collective.
    ///
    /// Arrays must be dense in the order of the layouts (`Bound.empty` makes them). With `src_like`
    /// or `dst_like`, they must be like that array: of the same shape and strides, as views of
    /// larger arrays have. The `route` is the way of elements, the same on all ranks: "automatic",
    /// "staged" or "messages".
    #[pyo3(signature = (comm, *, src_like=None, dst_like=None, route="automatic"))]
    fn bind(
        slf: &Bound<'_, Self>,
        comm: &Bound<'_, PyAny>,
        src_like: Option<&Bound<'_, PyAny>>,
        dst_like: Option<&Bound<'_, PyAny>>,
        route: &str,
    ) -> PyResult<crate::bound::PythonBound> {
        let Self { plan, element, dtype } = slf.get();
        let known = (plan, *element, dtype);
        crate::bound::PythonBound::new(slf.as_any(), known, comm, [src_like, dst_like], route)
    }

    /// `True` if they move the same array with the same dtype.
    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return Ok(py.NotImplemented()) };
        let other = other.get();
        let is_same =
            self.digest() == other.digest() && self.dtype.bind(py).eq(other.dtype.bind(py))?;
        Ok(is_same.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.digest().hash(&mut hasher);
        hasher.finish()
    }

    /// Returns the arguments by which `pickle` and `copy` plan it again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyType>, Planned) {
        let (py, plan) = (slf.py(), slf.get());
        (slf.get_type(), (plan.plan.extents(), plan.src(), plan.dst(), plan.dtype(py)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let shape = self.plan.extents();
        let [src, dst] = [self.src(), self.dst()];
        format!("redist.Plan({shape:?}, {src:?}, {dst:?}, {:?})", self.dtype.bind(py).to_string())
    }
}

impl PythonPlan {
    fn bytes(&self) -> Drawing {
        Drawing { element_bytes: Some(self.element.bytes()), ..Drawing::default() }
    }
}

fn extents(shape: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    shape.extract::<Vec<usize>>().or_else(|_| Ok(vec![shape.extract::<usize>()?])).map_err(
        |_: PyErr| {
            let found = shape.repr().map(|text| text.to_string()).unwrap_or_default();
            PlanError::new_err(format!("shape {found}: write a tuple of numbers from 0 on"))
        },
    )
}

fn none_of<const N: usize>(option: &str, word: &str, words: [&str; N]) -> PyErr {
    PlanError::new_err(format!("{option} {word:?}: write one of {}", words.join(", ")))
}

/// Numbers have names, which ranks compare; all other types have bytes.
fn element(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<AnyElement> {
    if dtype.has_object() {
        let words = format!("dtype {dtype}: Python objects have no bytes that could be moved");
        return Err(PlanError::new_err(words));
    }
    let bytes = dtype.itemsize();
    number(dtype, bytes)
        .and_then(|name| AnyElement::named(&name))
        .or_else(|| AnyElement::of_bytes(bytes))
        .ok_or_else(|| PlanError::new_err(format!("dtype {dtype}: its elements have no bytes")))
}

/// Names a number in this machine's byte order.
fn number(dtype: &Bound<'_, PyArrayDescr>, bytes: usize) -> Option<String> {
    let bits = 8 * bytes;
    match dtype.kind() {
        _ if dtype.is_native_byteorder() == Some(false) => None,
        b'b' => Some("u8".into()),
        b'i' => Some(format!("i{bits}")),
        b'u' => Some(format!("u{bits}")),
        // Floats of 80 bits have 16 bytes, as no type of Rust's.
        b'f' => Some(format!("f{bits}")),
        b'c' => Some(format!("c{}", bits / 2)),
        _ => None,
    }
}
