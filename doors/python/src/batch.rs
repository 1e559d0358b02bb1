//! `redist.Batch` and `redist.Copies`. Unsafe, because numpy's arrays become slices: `Look` has proved
//! once all that these need.

use crate::array::{self, Expected, Look, Misfit};
use crate::bound_batch::BoundBatch;
use crate::dtype;
use crate::errors::{ArrayError, MoveError, PlanError};
use crate::function::{Function, Raised};
use crate::members::{
    Combination, Member, Members, Moved, Paddings, SIDES, indices_on, rank_of, shape_on,
};
use crate::plan::PythonPlan;
use crate::thread::without_lock;
use crate::words::{self, argument, no_such, one_of, shown};
use numpy::PyArrayDescr;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use redist::Side;
use redist::exec::{AnyBoundBatch, BatchArrays};
use redist::layout::Padding;
use redist::threads::Failure;
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{Combine, DoorCopies, combined, simulate_batch};
use std::sync::Arc;

/// An array that was brought, checked, with its places in memory if it is not dense.
struct Brought<'py> {
    array: Bound<'py, PyAny>,
    look: Look,
    padding: Option<Padding>,
}

/// Moves the parts of all ranks, which are threads of this process.
fn simulated<'py>(
    members: &Members,
    parts: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, ranks) = (parts.py(), members.ranks());
    let write = match members.is_single {
        true => format!("a list with an array for each of {ranks} ranks"),
        false => format!("a list for each of {ranks} ranks, with an array for each plan"),
    };
    let given: Vec<Bound<'py, PyAny>> = argument("parts", parts, &write)?;
    if given.len() != ranks {
        return Err(ArrayError::new_err(format!(
            "parts has {} entries: write {write}",
            given.len()
        )));
    }
    let (mut looks, mut results) = (Vec::new(), Vec::new());
    for (rank, own) in given.iter().enumerate() {
        let own = members.given(&format!("parts[{rank}]"), own).map_err(PyTypeError::new_err)?;
        let mut made = Vec::new();
        for (number, (member, array)) in members.all.iter().zip(own).enumerate() {
            let called = members.called(&format!("parts[{rank}]"), number);
            let from = brought(member.expected(py, Side::Source, rank).called(&called), &array)?;
            // Elements beside a section are not written.
            let part = member.local(Side::Destination, rank);
            let to = array::made("zeros", py, part, &member.dtype)?;
            let to = brought(member.expected(py, Side::Destination, rank), &to)?;
            made.push(to.array.clone());
            looks.push((rank, member.element, from, to));
        }
        results.push(made);
    }
    let mut paddings: Vec<Vec<Paddings>> = vec![Vec::new(); ranks];
    for (rank, _, from, to) in &looks {
        paddings[*rank].push([from.padding.clone(), to.padding.clone()]);
    }
    let mut arrays: Vec<Vec<BatchArrays<'_>>> = (0..ranks).map(|_| Vec::new()).collect();
    for (rank, element, from, to) in &looks {
        // SAFETY: the array is kept in `looks`, and was checked just now. The program lets no other
        // thread write to it in this call, as its docs ask.
        let source = unsafe { from.look.source() };
        // SAFETY: the array was made and checked just now, and no one else has it.
        let destination = unsafe { to.look.destination() };
        arrays[*rank].push(BatchArrays::of_bytes(*element, source, destination));
    }
    let raised = Raised::default();
    let called = members.combining(py, &raised);
    let run = |bound: &mut AnyBoundBatch, own: Vec<BatchArrays<'_>>| {
        members.run(bound, own, called.as_ref())
    };
    let work = || simulate_batch(ranks, |rank| members.batch(rank, &paddings[rank]), run, arrays);
    // SAFETY: the move uses only these bytes, of arrays that are kept here. A function is called with the
    // lock.
    let moved = unsafe { without_lock(py, work) };
    let failed = |failure: Failure<redist::Error>| {
        MoveError::new_err(in_names(&failure.to_string(), PYTHON))
    };
    raised.before(moved.map_err(failed))?;
    let lists = results.into_iter().map(|mut made| match members.is_single {
        true => Ok(made.swap_remove(0)),
        false => Ok(PyList::new(py, made)?.into_any()),
    });
    lists.collect()
}

fn brought<'py>(mut expected: Expected, array: &Bound<'py, PyAny>) -> PyResult<Brought<'py>> {
    let looked = expected.like(array).and_then(|strides| {
        let padding = strides.map(Padding::Strides);
        Ok(Brought { array: array.clone(), look: expected.look(array)?, padding })
    });
    looked.map_err(|Misfit { words, .. }| ArrayError::new_err(words))
}

/// Several arrays that move in one exchange: at most one message from a rank to another, with the parts
/// of all arrays.
///
/// `plans` is a list of `Plan`s and `Copies`; shapes, layouts and dtypes may differ.
#[pyclass(frozen, module = "redist")]
pub struct Batch {
    plans: Vec<Py<PyAny>>,
    members: Arc<Members>,
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, plans: &Bound<'_, PyAny>) -> PyResult<Self> {
        let write = "a list of `Plan`s and `Copies`, one for each array";
        let given: Vec<Bound<'_, PyAny>> = argument("plans", plans, write)?;
        if given.is_empty() {
            return Err(no_such("plans", plans, write));
        }
        let plans = given;
        let members = plans.iter().enumerate().map(|(number, plan)| {
            if let Ok(plan) = plan.cast::<PythonPlan>() {
                let PythonPlan { plan, dtype, element } = plan.get();
                let moved = Moved::Plan(Arc::clone(plan));
                return Ok(Member { moved, dtype: dtype.clone_ref(py), element: *element });
            }
            match plan.cast::<PythonCopies>() {
                Ok(copies) if copies.get().members.combine.is_some() => {
                    Err(PlanError::new_err(format!(
                        "plans[{number}] combines addends, which move by themselves; bind it alone"
                    )))
                }
                Ok(copies) => Ok(copies.get().member(py)),
                Err(_) => {
                    let words = format!("plans[{number}] {}: write {write}", shown(plan));
                    Err(PyTypeError::new_err(words))
                }
            }
        });
        let all = members.collect::<PyResult<_>>()?;
        let members = Members { all, is_single: false, combine: None };
        Ok(Self { plans: plans.into_iter().map(Bound::unbind).collect(), members: members.into() })
    }

    /// The plans, in order.
    #[getter]
    fn plans(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        self.plans.iter().map(|plan| plan.clone_ref(py)).collect()
    }

    /// The least number of ranks of a communicator.
    #[getter]
    fn ranks(&self) -> usize {
        self.members.ranks()
    }

    /// Makes a list with a new array for a rank's part of each array on a side, elements not
    /// initialised.
    fn empty<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.members.empty(side.py(), words::side(side)?, rank_of(&self.members, rank)?)
    }

    /// Checks all plans with all ranks of a communicator, and prepares moves. Collective. Communicators
    /// are as for `Plan.bind`. Arrays must be dense, as `BoundBatch.empty` makes them. With `src_like` or
    /// `dst_like`, lists with an array or `None` for each plan, they must be like these.
    #[pyo3(signature = (comm, *, src_like=None, dst_like=None))]
    fn bind(
        &self,
        comm: &Bound<'_, PyAny>,
        src_like: Option<&Bound<'_, PyAny>>,
        dst_like: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BoundBatch> {
        BoundBatch::of(&self.members, comm, [src_like, dst_like])
    }

    /// Moves the arrays of all ranks, which are threads of this process. Takes and returns a list for
    /// each rank, with an array for each plan; elements beside a moved section are zero.
    fn simulate<'py>(&self, parts: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        simulated(&self.members, parts)
    }

    fn __len__(&self) -> usize {
        self.members.all.len()
    }

    fn __repr__(&self) -> String {
        format!("<redist.Batch: {} arrays>", self.members.all.len())
    }
}

/// A plan between copies of one array of `shape`: broadcasts, all-gathers, and others.
///
/// Behind a layout of the notation, `copies k` stands for `k` copies on the ranks behind each other,
/// and `copies k along a` for copies along an axis of the grid. Each copy of the destination is read
/// from one copy of the source. All messages go in one exchange.
///
/// With `combine`, the copies of the source are addends. They are combined in their order, so that all
/// ranks and all runs have the same bits: by "sum", "min" or "max", or by a function. It is called with
/// arrays of one axis: of elements of an addend, and of results so far. It writes to the latter.
#[pyclass(frozen, name = "Copies", module = "redist")]
pub struct PythonCopies {
    members: Arc<Members>,
    copies: Arc<DoorCopies>,
    /// Elements along each axis of the moved array.
    shape: Vec<usize>,
    /// Both layouts, as they were given.
    layouts: [String; 2],
}

/// Reads a word or a function that combines addends.
fn combination(given: &Bound<'_, PyAny>) -> PyResult<Combination> {
    Ok(match given.is_callable() {
        true => Combination::Function(Arc::new(Function::of("combine", given)?)),
        false => Combination::Named(one_of("combine", given, Combine::NAMED)?),
    })
}

impl PythonCopies {
    fn member(&self, py: Python<'_>) -> Member {
        let Member { dtype, element, .. } = &self.members.all[0];
        let moved = Moved::Copies(Arc::clone(&self.copies));
        Member { moved, dtype: dtype.clone_ref(py), element: *element }
    }

    /// Returns a side, and a rank of it.
    fn place(
        &self,
        side: &Bound<'_, PyAny>,
        rank: &Bound<'_, PyAny>,
    ) -> PyResult<(&Member, Side, usize)> {
        Ok((&self.members.all[0], words::side(side)?, rank_of(&self.members, rank)?))
    }
}

#[pymethods]
impl PythonCopies {
    #[new]
    #[pyo3(signature = (shape, src, dst, dtype=None, *, combine=None))]
    fn new(
        py: Python<'_>,
        shape: &Bound<'_, PyAny>,
        src: &Bound<'_, PyAny>,
        dst: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
        combine: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let layouts = [words::layout_text("src", src)?, words::layout_text("dst", dst)?];
        let shape = words::extents(shape)?;
        let combine = combine.map(combination).transpose()?;
        let copies = match combine {
            Some(_) => DoorCopies::parse_sums(&shape, &layouts[0], &layouts[1]),
            None => DoorCopies::parse(&shape, &layouts[0], &layouts[1]),
        };
        // Copies are what these are for, so that none is refused.
        let copies = copies.map_err(|error| PlanError::new_err(error.to_string()))?;
        let dtype = match dtype {
            Some(dtype) => dtype::named(dtype)?,
            None => numpy::dtype::<f64>(py),
        };
        let (element, copies) = (dtype::element(&dtype)?, Arc::new(copies));
        if let Some(Combination::Named(how)) = &combine
            && combined(element, *how).is_none()
        {
            return Err(PlanError::new_err(format!(
                "elements of {dtype} are not combined so; plan for float32, float64, int32 or int64, or \
                 for the sum of complex64 or complex128, or bring a function"
            )));
        }
        let moved = Moved::Copies(Arc::clone(&copies));
        let member = Member { moved, dtype: dtype.unbind(), element };
        let members = Arc::new(Members { all: vec![member], is_single: true, combine });
        Ok(Self { members, copies, shape, layouts })
    }

    /// The shape of the moved array, in the source's order of axes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The element type.
    #[getter]
    fn dtype(&self, py: Python<'_>) -> Py<PyArrayDescr> {
        self.members.all[0].dtype.clone_ref(py)
    }

    /// The source's layout, in the notation.
    #[getter]
    fn src(&self) -> &str {
        &self.layouts[0]
    }

    /// The destination's layout, in the notation.
    #[getter]
    fn dst(&self) -> &str {
        &self.layouts[1]
    }

    /// The numbers of copies: of the source, of the destination.
    #[getter]
    fn counts(&self) -> (usize, usize) {
        let [from, to] = SIDES.map(|side| self.copies.count(side));
        (from, to)
    }

    /// The least number of ranks of a communicator.
    #[getter]
    fn ranks(&self) -> usize {
        self.members.ranks()
    }

    /// Returns the shape of a rank's part of its copy on a side; zeros if it has none.
    fn local_shape<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (member, which, rank) = self.place(side, rank)?;
        shape_on(side.py(), member, which, rank)
    }

    /// Makes a new array for a rank's part of its copy on a side, its elements not initialised.
    fn empty<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (_, which, rank) = self.place(side, rank)?;
        self.members.empty(side.py(), which, rank)
    }

    /// Returns an array for each axis of a side's stored array: a rank's indices along it.
    fn global_indices<'py>(
        &self,
        side: &Bound<'py, PyAny>,
        rank: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (member, which, rank) = self.place(side, rank)?;
        indices_on(side.py(), member, which, rank)
    }

    /// Lists the source copy of each destination copy.
    fn explain(&self) -> String {
        self.copies.explain()
    }

    /// Checks the plans with all ranks of a communicator, and prepares moves. Collective. Communicators
    /// are as for `Plan.bind`. Arrays must be dense, as `BoundBatch.empty` makes them. With `src_like` or
    /// `dst_like`, they must be like that array: of the same shape and strides.
    #[pyo3(signature = (comm, *, src_like=None, dst_like=None))]
    fn bind(
        &self,
        comm: &Bound<'_, PyAny>,
        src_like: Option<&Bound<'_, PyAny>>,
        dst_like: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<BoundBatch> {
        BoundBatch::of(&self.members, comm, [src_like, dst_like])
    }

    /// Moves the parts of all ranks, which are threads of this process. Takes and returns a list with
    /// an array for each rank; elements beside a moved section are zero.
    fn simulate<'py>(&self, parts: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        simulated(&self.members, parts)
    }

    fn __repr__(&self) -> String {
        let [from, to] = &self.layouts;
        format!("<redist.Copies: {from} to {to}>")
    }
}
