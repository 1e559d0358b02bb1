//! `redist.Plan`.

use crate::array;
use crate::bound::{PlanParts, PythonBound};
use crate::dtype;
use crate::errors::{PlanError, plan_error};
use crate::layouts;
use crate::messages::Messages;
use crate::packing::Packing;
use crate::picture::{Page, Picture};
use crate::saved;
use crate::scaling::Factors;
use crate::simulated::{self, Changes, PlanOf};
use crate::wishes::{Trapezoid, Wishes};
use crate::words::{self, argument, no_such, of_side, one_of, optional, yes_or_no};
use numpy::{PyArray1, PyArrayDescr, PyArrayDescrMethods};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use redist::{AnyElement, Side};
use redist_doors::{Asked, DEFAULT_MAX_PAIRS, DoorPlan, DoorRelabelled, LocalPart, descriptor_of};
use redist_draw::{Drawing, METHODS, PictureKind};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

/// The messages for an array of `shape` from the layout `src` to the layout `dst`, both in the
/// notation of the command line and of Rust's macro. It needs no communicator: `bind` does.
///
/// `dtype` is the element type, anything that numpy takes for one. With `relabel`, the
/// destination's ranks have those cells of its grid that let most elements stay.
#[pyclass(frozen, name = "Plan", module = "redist")]
pub struct PythonPlan {
    pub plan: Arc<DoorPlan>,
    pub dtype: Py<PyArrayDescr>,
    pub element: AnyElement,
}

/// A plan that lets most elements stay, made by `Plan.relabelled`.
#[pyclass(frozen, name = "Relabelled", module = "redist")]
pub struct PythonRelabelled {
    plan: Py<PythonPlan>,
    /// By rank: the rank that has its cell now.
    table: Py<PyArray1<i64>>,
    /// Elements that stay by the other plan.
    stayed: usize,
    /// Elements that stay by this plan.
    stays: usize,
}

#[pymethods]
impl PythonRelabelled {
    /// The plan.
    #[getter]
    fn plan(&self, py: Python<'_>) -> Py<PythonPlan> {
        self.plan.clone_ref(py)
    }

    /// By rank: the rank that has its cell of the destination's grid now, itself beside that grid.
    #[getter]
    fn table(&self, py: Python<'_>) -> Py<PyArray1<i64>> {
        self.table.clone_ref(py)
    }

    /// Elements that stay on their rank by the other plan.
    #[getter]
    fn stayed(&self) -> usize {
        self.stayed
    }

    /// Elements that stay on their rank by this plan.
    #[getter]
    fn stays(&self) -> usize {
        self.stays
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let dst = self.plan.get().plan.layout(Side::Destination);
        let table = self.table.bind(py);
        format!("<redist.Relabelled: {dst}, table {table}, {} elements stay>", self.stays)
    }
}

/// An array of volumes has as many rows and columns at most: 128 MiB.
const MOST_RANKS_OF_VOLUMES: usize = 1 << 12;

type Planned = (Vec<usize>, String, String, Py<PyArrayDescr>);

#[pymethods]
impl PythonPlan {
    #[new]
    #[pyo3(signature = (shape, src, dst, dtype=None, *, relabel=None))]
    #[pyo3(text_signature = "(shape, src, dst, dtype=None, *, relabel=False)")]
    fn new(
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        relabel: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let src = words::layout_text("src", src)?;
        let dst = words::layout_text("dst", dst)?;
        let plan = DoorPlan::parse(&words::extents(shape)?, &src, &dst).map_err(plan_error)?;
        let relabel = relabel.map_or(Ok(false), |relabel| yes_or_no("relabel", relabel))?;
        let plan = if relabel { plan.relabelled().map_err(plan_error)? } else { plan };
        let dtype = match dtype {
            Some(dtype) => dtype::named(dtype)?,
            None => numpy::dtype::<f64>(py),
        };
        let element = dtype::element(&dtype)?;
        Ok(Self { plan: Arc::new(plan), dtype: dtype.unbind(), element })
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
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(side.py(), self.part(side, rank)?.extents)
    }

    /// Returns the number of elements of a rank's local array on a side.
    fn local_size(&self, side: &Bound<'_, PyAny>, rank: &Bound<'_, PyAny>) -> PyResult<usize> {
        Ok(self.part(side, rank)?.len)
    }

    /// Makes a new array for a rank's part on a side, its elements not initialised. It has the
    /// side's shape and order of axes, C's or Fortran's.
    fn empty<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        array::empty(side.py(), self.part(side, rank)?, &self.dtype)
    }

    /// Returns the rank that holds the element of this index of a side's stored array.
    fn owner(&self, side: &Bound<'_, PyAny>, index: &Bound<'_, PyAny>) -> PyResult<usize> {
        let side = words::side(side)?;
        let shape = self.plan.stored(side);
        let write = format!(
            "a number for each axis, within the shape {} of the {} array",
            dtype::tuple(&shape),
            of_side(side)
        );
        let found: Vec<usize> = argument("index", index, &write)?;
        self.plan.owner(side, &found).ok_or_else(|| no_such("index", index, &write))
    }

    /// Returns the index, in a side's stored array, of the element at an index of a rank's local
    /// array.
    fn global_index<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (part, which) = (self.part(side, rank)?, words::side(side)?);
        let rank = self.rank(rank)?;
        let write = format!(
            "a number for each axis, within the shape {} of the {} array of rank {rank}",
            dtype::tuple(&part.extents),
            of_side(which)
        );
        let found: Vec<usize> = argument("index", index, &write)?;
        let is_inside = found.len() == part.extents.len()
            && found.iter().zip(&part.extents).all(|(index, extent)| index < extent);
        let offset = || found.iter().zip(&part.strides).map(|(i, stride)| i * stride).sum();
        let global = is_inside.then(|| self.plan.global_index(which, rank, offset())).flatten();
        PyTuple::new(side.py(), global.ok_or_else(|| no_such("index", index, &write))?)
    }

    /// Returns an array for each axis of a side's stored array: a rank's indices along it. So
    /// `whole[numpy.ix_(*plan.global_indices(side, rank))]` is the rank's local array.
    fn global_indices<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<i64>>>> {
        let which = words::side(side)?;
        Ok(array::indices(side.py(), &self.plan, which, self.rank(rank)?))
    }

    /// Returns the messages of a rank as strided views of dense local arrays: `.sends` and
    /// `.receives`, by the other rank. They are all that a transport needs.
    fn messages(&self, py: Python<'_>, rank: &Bound<'_, PyAny>) -> PyResult<Messages> {
        Messages::of(py, &self.plan, self.rank(rank)?)
    }

    /// Prepares the packing and the unpacking of a rank's messages, for a transport of your own.
    ///
    /// Arrays must be dense, as `empty` makes them. With `src_like` or `dst_like`, they must be like
    /// that array: of the same shape and strides.
    #[pyo3(signature = (rank, *, src_like=None, dst_like=None))]
    fn packing(
        &self,
        rank: &Bound<'_, PyAny>,
        src_like: Option<&Bound<'_, PyAny>>,
        dst_like: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Packing> {
        Packing::of(self.parts(), rank.py(), self.rank(rank)?, [src_like, dst_like])
    }

    /// Elements from each rank to each: an array, sources × destinations.
    #[getter]
    fn volumes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ranks = self.plan.any().ranks();
        if ranks > MOST_RANKS_OF_VOLUMES {
            return Err(PlanError::new_err(format!(
                "volumes: the plan has {ranks} ranks, and an array is made for {MOST_RANKS_OF_VOLUMES} at most;                  ask `messages(rank)` of one rank, whose views know their `elements`"
            )));
        }
        array::volumes(py, &self.plan)
    }

    /// The least number of steps of any schedule; an upper bound if a search takes too long.
    #[getter]
    fn steps(&self) -> usize {
        self.plan.steps().value
    }

    /// Elements that stay on their rank; 0, a lower bound, if a search takes too long.
    #[getter]
    fn stays(&self) -> usize {
        self.plan.stays().value
    }

    /// Bytes of local arrays and messages on the rank that needs the most; an upper bound if a search
    /// takes too long.
    #[getter]
    fn memory(&self) -> usize {
        self.plan.memory(self.element).value
    }

    /// Deals a whole array to the ranks of a side. Returns a list of new arrays, one for each rank.
    ///
    /// The array has the shape of the side's stored array, of which a section is a part. Ranks are
    /// threads of this process, so that neither MPI nor mpi4py is needed. Other threads of Python
    /// run meanwhile; none may write to the array.
    #[pyo3(signature = (whole, side=None))]
    #[pyo3(text_signature = "($self, whole, side='src')")]
    fn scatter<'py>(
        &self,
        whole: &Bound<'py, PyAny>,
        side: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        simulated::scatter(self.parts(), whole, side.map_or(Ok(Side::Source), words::side)?)
    }

    /// Moves the parts of all ranks, which are threads of this process. Returns a list of new arrays,
    /// one for each rank; elements beside a moved section are zero.
    ///
    /// The parts are a list with an array for each rank, of the source's side. Other threads of Python
    /// run meanwhile; none may write to them.
    ///
    /// Elements arrive in the arrays of `into`, if there are any, which are then returned. They become
    /// `alpha` times what arrives, or its conjugate, plus `beta` times what they were. Those for which
    /// nothing arrives stay as they are.
    ///
    /// With a `function`, it is called with arrays of one axis: of elements that have arrived, and of
    /// those of `into` in their places. It writes to the latter, which may have another dtype. Of a matrix,
    /// the `part` "upper" or "lower" of the diagonal moves alone, as by `bind`.
    #[pyo3(signature = (
        parts, *, into=None, alpha=None, beta=None, conjugate=None, function=None, part=None, unit_diagonal=None
    ))]
    #[pyo3(
        text_signature = "($self, parts, *, into=None, alpha=None, beta=None, conjugate=False, function=None, part=None, unit_diagonal=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn simulate<'py>(
        &self,
        parts: &Bound<'py, PyAny>,
        into: Option<&Bound<'py, PyAny>>,
        alpha: Option<&Bound<'py, PyAny>>,
        beta: Option<&Bound<'py, PyAny>>,
        conjugate: Option<&Bound<'py, PyAny>>,
        function: Option<&Bound<'py, PyAny>>,
        part: Option<&Bound<'py, PyAny>>,
        unit_diagonal: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let trapezoid = Trapezoid { part, unit_diagonal };
        let changes =
            Changes { into, factors: Factors { alpha, beta, conjugate }, function, trapezoid };
        simulated::simulated(self.parts(), parts, changes)
    }

    /// Puts the parts of a side's ranks together, a list with an array for each. Returns the whole
    /// array, a new one in C's order.
    #[pyo3(signature = (parts, side=None))]
    #[pyo3(text_signature = "($self, parts, side='dst')")]
    fn gather<'py>(
        &self,
        parts: &Bound<'py, PyAny>,
        side: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        simulated::gather(self.parts(), parts, side.map_or(Ok(Side::Destination), words::side)?)
    }

    /// Moves elements that tell themselves apart between threads, from array to array and by messages,
    /// and compares every one. Returns the number of elements that moved.
    ///
    /// It takes the memory of all local arrays, of both sides.
    fn verify(&self, py: Python<'_>) -> PyResult<usize> {
        simulated::verified(self.parts(), py)
    }

    /// Returns the plan of the way back.
    fn inverse(&self, py: Python<'_>) -> Self {
        let dtype = self.dtype.clone_ref(py);
        Self { plan: Arc::new(self.plan.inverse()), dtype, element: self.element }
    }

    /// Describes layouts, classes, windows, volumes, and the least number of steps.
    fn explain(&self) -> String {
        self.plan.explain()
    }

    /// Describes the same as JSON, as `redist explain --json` writes it: also schedules with their costs, and
    /// memory.
    ///
    /// With a `rank`, its messages are listed, too. Elements from each rank to each are listed for `counts`
    /// pairs of ranks at most, 2^20 unless told.
    #[pyo3(signature = (*, rank=None, counts=None))]
    fn explain_json(
        &self,
        py: Python<'_>,
        rank: Option<&Bound<'_, PyAny>>,
        counts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let most =
            optional("counts", counts, "the most pairs of ranks that are listed, from 0 on")?;
        let asked = Asked {
            most_pairs: most.unwrap_or(DEFAULT_MAX_PAIRS),
            rank: rank.map(|rank| self.rank(rank)).transpose()?,
        };
        let name = saved::element_name(self.dtype.bind(py))?;
        let element = (name.as_str(), self.element.bytes());
        // Other threads of Python run while schedules are compared.
        Ok(py.detach(|| self.plan.report(element, asked).to_json()))
    }

    /// Returns facts about the plan: what `explain_json` has, as a dictionary.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.explain_json(py, None, None)?;
        py.import("json")?.call_method1("loads", (text,))
    }

    /// Returns the plan as JSON: its shape (`extents`), both layouts, the element type and the digest, which
    /// `from_json` reads, and Rust, too.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        saved::written(&self.plan, self.dtype.bind(py))
    }

    /// Plans what `to_json` has written, or a text with `extents`, `from` and `to` that was written by
    /// hand. A digest is compared. The `dtype` is for texts without an element type.
    #[staticmethod]
    #[pyo3(signature = (text, dtype=None))]
    fn from_json(text: &Bound<'_, PyAny>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let (plan, own) = saved::read(text)?;
        let given = dtype.map(dtype::named).transpose()?;
        if let (Some(own), Some(given)) = (&own, &given)
            && !own.is_equiv_to(given)
        {
            return Err(PlanError::new_err(format!(
                "dtype {given}: the plan is for {own}; leave the dtype out, or plan anew"
            )));
        }
        let dtype = own.or(given).unwrap_or_else(|| numpy::dtype::<f64>(text.py()));
        let element = dtype::element(&dtype)?;
        Ok(Self { plan: Arc::new(plan), dtype: dtype.unbind(), element })
    }

    /// Returns the plan whose destination's ranks have those cells of its grid that let most elements
    /// stay, with the table of ranks, as `Plan(…, relabel=True)` plans it.
    fn relabelled(&self, py: Python<'_>) -> PyResult<PythonRelabelled> {
        let DoorRelabelled { plan, table, stayed_and_stays: [stayed, stays] } =
            self.plan.relabelling().map_err(plan_error)?;
        let dtype = self.dtype.clone_ref(py);
        let plan = Self { plan: Arc::new(plan), dtype, element: self.element };
        let table = table.into_iter().map(|rank| rank as i64).collect();
        let table = PyArray1::from_vec(py, table).unbind();
        Ok(PythonRelabelled { plan: Py::new(py, plan)?, table, stayed, stays })
    }

    /// Returns the nine integers of ScaLAPACK's descriptor of a side, as `DESCINIT` fills them on a rank:
    /// with this CTXT, and the least LLD. A rank without a part has CTXT -1.
    #[pyo3(signature = (side, rank, context=None))]
    #[pyo3(text_signature = "($self, side, rank, context=0)")]
    fn scalapack(
        &self,
        side: &Bound<'_, PyAny>,
        rank: &Bound<'_, PyAny>,
        context: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<i32>> {
        let context = optional("context", context, "a context of the BLACS")?.unwrap_or(0);
        let desc = descriptor_of(&self.plan, words::side(side)?, (context, self.rank(rank)?));
        Ok(desc.map_err(plan_error)?.into())
    }

    /// Returns the arguments of `MPI_Type_create_darray` for the stored array of a side, as `redist.darray` takes
    /// them: gsizes, distributions, dargs, psizes and order.
    fn darray(&self, side: &Bound<'_, PyAny>) -> PyResult<layouts::DarrayWords> {
        let darray = self.plan.darray(words::side(side)?).map_err(plan_error)?;
        Ok(layouts::darray_words(darray))
    }

    /// Returns the mesh of a side, nested lists of its ranks, and a placement for each of its dimensions, as
    /// `redist.placements` takes them.
    fn placements<'py>(
        &self,
        side: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
        let mesh = self.plan.mesh(words::side(side)?).map_err(plan_error)?;
        layouts::mesh_words(side.py(), &mesh)
    }

    /// Draws pictures: "ownership" shows the ranks' elements, "intersection" the elements that two
    /// ranks share. "volumes" and "schedule" show messages. With "all", one page has them all.
    ///
    /// A `pair` has the source rank and the destination rank whose common pieces are drawn. The two
    /// drawn `axes` begin with the vertical one. Other axes are cut at their index in `slices`. The
    /// `method` orders the messages ("circulant", "closed-form", "koenig" or "caterpillar").
    #[pyo3(signature = (what=None, *, title=None, pair=None, axes=None, slices=None, method=None))]
    #[pyo3(
        text_signature = "($self, what='all', *, title=None, pair=None, axes=None, slices=None, method=None)"
    )]
    fn draw(
        &self,
        what: Option<&Bound<'_, PyAny>>,
        title: Option<&Bound<'_, PyAny>>,
        pair: Option<&Bound<'_, PyAny>>,
        axes: Option<&Bound<'_, PyAny>>,
        slices: Option<&Bound<'_, PyAny>>,
        method: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Picture> {
        let drawing = Drawing {
            kind: match what {
                Some(word) => {
                    one_of("what", word, PictureKind::NAMED.map(|(name, kind, _)| (name, kind)))?
                }
                None => PictureKind::default(),
            },
            title: words::text("title", title)?,
            pair: self.pair(pair)?,
            axes: optional("axes", axes, "two axes, the vertical one first, as (0, 1)")?,
            slices: slices.map(sliced).transpose()?.unwrap_or_default(),
            method: method.map(|word| one_of("method", word, METHODS)).transpose()?,
            ..self.bytes()
        };
        Ok(Picture { svg: self.plan.draw(&drawing).map_err(plan_error)? })
    }

    /// Makes one HTML page: both layouts, the message of the element under the pointer, the matrix
    /// of messages, the schedule step by step, and `explain`.
    ///
    /// At first, the `pair` of source rank and destination rank is selected.
    #[pyo3(signature = (*, title=None, pair=None))]
    fn page(
        &self,
        title: Option<&Bound<'_, PyAny>>,
        pair: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Page> {
        let (title, pair) = (words::text("title", title)?, self.pair(pair)?);
        let drawing = Drawing { title, pair, ..self.bytes() };
        let html = self.plan.html(&drawing, self.element).map_err(plan_error)?;
        Ok(Page { html })
    }

    /// Gives notebooks the page; nothing if the array is empty.
    fn _repr_html_(&self) -> Option<String> {
        self.page(None, None).ok().map(|page| page._repr_html_())
    }

    /// Checks the plan with all ranks of an mpi4py communicator, and prepares moves. Collective. Ranks
    /// that are threads pass their `redist.threads.Rank`.
    ///
    /// Arrays must be dense in the order of the layouts (`Bound.empty` makes them). With `src_like`
    /// or `dst_like`, they must be like that array: of the same shape and strides, as views of
    /// larger arrays have. The `route` is the way of elements, the same on all ranks: "automatic",
    /// "chunks" or "messages". With `collectively`, which all ranks give, a wrong array on one rank
    /// is an error on all ranks; without it, on the ranks that receive from that rank.
    ///
    /// Of a matrix, the `part` "upper" or "lower" of the diagonal moves alone, without the diagonal if
    /// it is `unit_diagonal`. A rank's messages take `max_bytes` at most; a larger move goes in rounds.
    /// The `method` orders messages: "all-at-once", "circulant", "closed-form", "koenig" or
    /// "caterpillar". Messages go in segments of `max_message_bytes` at most. All ranks give the same.
    #[pyo3(signature = (
        comm, *, src_like=None, dst_like=None, route=None, collectively=None, part=None, unit_diagonal=None,
        max_bytes=None, method=None, max_message_bytes=None
    ))]
    #[pyo3(
        text_signature = "($self, comm, *, src_like=None, dst_like=None, route='automatic', collectively=False, part=None, unit_diagonal=False, max_bytes=None, method=None, max_message_bytes=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn bind(
        slf: &Bound<'_, Self>,
        comm: &Bound<'_, PyAny>,
        src_like: Option<&Bound<'_, PyAny>>,
        dst_like: Option<&Bound<'_, PyAny>>,
        route: Option<&Bound<'_, PyAny>>,
        collectively: Option<&Bound<'_, PyAny>>,
        part: Option<&Bound<'_, PyAny>>,
        unit_diagonal: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<&Bound<'_, PyAny>>,
        method: Option<&Bound<'_, PyAny>>,
        max_message_bytes: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PythonBound> {
        let Self { plan, dtype, element } = slf.get();
        let planned = PlanParts { object: slf.as_any(), plan, dtype, element: *element };
        let trapezoid = Trapezoid { part, unit_diagonal };
        let wishes =
            Wishes { route, collectively, trapezoid, max_bytes, method, max_message_bytes };
        PythonBound::new(planned, comm, [src_like, dst_like], wishes)
    }

    /// Refuses calls of a `Bound`, and names that there are not.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        const OF_BOUND: [&str; 7] = ["run", "start", "shared", "way", "rank", "comm", "finish"];
        Err(PyAttributeError::new_err(match OF_BOUND.contains(&name) {
            true => format!(
                "a Plan has no {name:?}; bind it to a communicator, as in `plan.bind(comm).run(a, out)`"
            ),
            false => format!("a Plan has no {name:?}; `help(redist.Plan)` lists what it has"),
        }))
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

    fn parts(&self) -> PlanOf<'_> {
        PlanOf { plan: &self.plan, dtype: &self.dtype, element: self.element }
    }

    /// Returns a rank of the plan.
    fn rank(&self, rank: &Bound<'_, PyAny>) -> PyResult<usize> {
        let ranks = self.plan.any().ranks();
        let last = ranks.saturating_sub(1);
        let count = if ranks == 1 { "1 rank".into() } else { format!("{ranks} ranks") };
        let write = format!(
            "a rank from 0 to {last}, for the plan has {count}; on ranks of a communicator that has \
             more, ask the `Bound`"
        );
        let found: usize = argument("rank", rank, &write)?;
        if found < ranks { Ok(found) } else { Err(no_such("rank", rank, &write)) }
    }

    fn part(&self, side: &Bound<'_, PyAny>, rank: &Bound<'_, PyAny>) -> PyResult<LocalPart> {
        Ok(self.plan.local(words::side(side)?, self.rank(rank)?).as_array())
    }

    /// Returns a source rank and a destination rank.
    fn pair(&self, pair: Option<&Bound<'_, PyAny>>) -> PyResult<Option<[usize; 2]>> {
        optional("pair", pair, "a rank of the source and one of the destination, as (0, 1)")
    }
}

/// Returns axes and the indices that they are cut at.
fn sliced(slices: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, usize)>> {
    let write = "a dict of axes and the index that each is cut at, as {2: 0}";
    let slices: Bound<'_, PyDict> = argument("slices", slices, write)?;
    let number = |object: &Bound<'_, PyAny>| argument("slices", object, write);
    slices.iter().map(|(axis, at)| Ok((number(&axis)?, number(&at)?))).collect()
}
