//! `redist.Batch` and `redist.Copies`, and the `redist.BoundBatch` of both. Unsafe, because numpy's
//! arrays become slices: `Look` has proved once all that these need.

use crate::array::{self, Expected, Look, Misfit};
use crate::communicator::{self, Ranks};
use crate::dtype;
use crate::errors::{ArrayError, MoveError, PlanError, move_error};
use crate::moves::{Move, StartedMoves};
use crate::plan::{PythonPlan, extents, named};
use crate::thread::{OnThread, without_lock};
use crate::words::{self, argument, no_such, one_of, shown};
use numpy::{PyArray1, PyArrayDescr};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use redist::exec::{AnyBatch, AnyBoundBatch, BatchArrays};
use redist::{AnyElement, Error, Side};
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{Combine, DoorCopies, DoorPlan, LocalPart, combined, simulate_batch};
use std::cell::RefMut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An array that moves with others: one of a batch, or the only one of copies.
struct Member {
    moved: Moved,
    dtype: Py<PyArrayDescr>,
    element: AnyElement,
}

/// The plan of an array, or the plans between its copies.
enum Moved {
    Plan(Arc<DoorPlan>),
    Copies(Arc<DoorCopies>),
}

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl Member {
    fn ranks(&self) -> usize {
        match &self.moved {
            Moved::Plan(plan) => plan.any().ranks(),
            Moved::Copies(copies) => copies.ranks(),
        }
    }

    fn local(&self, side: Side, rank: usize) -> LocalPart {
        match &self.moved {
            Moved::Plan(plan) => plan.local(side, rank),
            Moved::Copies(copies) => copies.local(side, rank),
        }
    }

    fn add_to(&self, batch: &mut AnyBatch, rank: usize) {
        match &self.moved {
            Moved::Plan(plan) => batch.add(&plan.binder(self.element)),
            Moved::Copies(copies) => copies.add_to(batch, self.element, rank),
        }
    }

    fn indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>> {
        match &self.moved {
            Moved::Plan(plan) => plan.axis_indices(side, rank),
            Moved::Copies(copies) => copies.axis_indices(side, rank),
        }
    }

    fn expected(&self, py: Python<'_>, side: Side, rank: usize) -> Expected {
        Expected::dense(side, rank, self.local(side, rank), self.dtype.bind(py))
    }
}

/// The arrays that move together.
struct Members {
    all: Vec<Member>,
    /// `true` if callers bring one array, not a list.
    is_single: bool,
    /// The function that combines the copies of the only array's source, if it does.
    combine: Option<Combine>,
}

impl Members {
    fn ranks(&self) -> usize {
        self.all.iter().map(Member::ranks).max().unwrap_or(0)
    }

    fn batch(&self, rank: usize) -> AnyBatch {
        let mut batch = AnyBatch::new();
        self.all.iter().for_each(|member| member.add_to(&mut batch, rank));
        batch
    }

    /// Returns the argument's arrays, or the words that refuse it.
    fn given<'py>(
        &self,
        name: &str,
        object: &Bound<'py, PyAny>,
    ) -> Result<Vec<Bound<'py, PyAny>>, String> {
        if self.is_single {
            return Ok(vec![object.clone()]);
        }
        let write =
            format!("write a list of {} arrays, one for each plan in order", self.all.len());
        let all: Vec<Bound<'py, PyAny>> =
            object.extract().map_err(|_| format!("{name} {}: {write}", shown(object)))?;
        match all.len() == self.all.len() {
            true => Ok(all),
            false => Err(format!("{name} has {} arrays: {write}", all.len())),
        }
    }

    /// Moves the arrays of a rank.
    fn run(
        &self,
        bound: &mut AnyBoundBatch,
        mut arrays: Vec<BatchArrays<'_>>,
    ) -> Result<(), Error> {
        let Some(how) = self.combine else { return bound.run(&mut arrays) };
        let Member { moved, element, .. } = &self.all[0];
        let addends = match moved {
            Moved::Copies(copies) => copies.count(Side::Source),
            Moved::Plan(_) => 1,
        };
        let function = combined(*element, how).expect("it was looked for when this was planned");
        bound.run_combined(arrays.swap_remove(0), addends, function)
    }

    /// Names an array in messages.
    fn called(&self, name: &str, number: usize) -> String {
        if self.is_single { name.into() } else { format!("{name}[{number}]") }
    }

    /// Makes a list, or the only one.
    fn listed<'py>(
        &self,
        py: Python<'py>,
        make: impl FnMut(&Member) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut all = self.all.iter().map(make).collect::<PyResult<Vec<_>>>()?;
        match self.is_single {
            true => Ok(all.swap_remove(0)),
            false => Ok(PyList::new(py, all)?.into_any()),
        }
    }

    fn empty<'py>(&self, py: Python<'py>, side: Side, rank: usize) -> PyResult<Bound<'py, PyAny>> {
        self.listed(py, |member| array::empty(py, member.local(side, rank), &member.dtype))
    }
}

/// Returns the number of a rank.
fn rank_of(members: &Members, rank: &Bound<'_, PyAny>) -> PyResult<usize> {
    let ranks = members.ranks();
    let write = format!("a rank from 0 to {}", ranks.saturating_sub(1));
    let found: usize = argument("rank", rank, &write)?;
    if found < ranks { Ok(found) } else { Err(no_such("rank", rank, &write)) }
}

fn shape_on<'py>(
    py: Python<'py>,
    member: &Member,
    side: Side,
    rank: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyTuple::new(py, member.local(side, rank).extents)?.into_any())
}

fn indices_on<'py>(
    py: Python<'py>,
    member: &Member,
    side: Side,
    rank: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let lists = member.indices(side, rank).into_iter();
    Ok(PyList::new(py, lists.map(|list| PyArray1::from_vec(py, list)))?.into_any())
}

/// Checked arrays, by array and by side, and the destinations.
type Looked<'py> = (Vec<[Look; 2]>, Vec<Bound<'py, PyAny>>);

/// An array that was brought, checked.
struct Brought<'py> {
    array: Bound<'py, PyAny>,
    look: Look,
}

/// Refuses a destination that shares memory with another array.
fn check_apart(names: [&str; 2], members: &Members, looks: &[[Look; 2]]) -> Result<(), String> {
    let place = |number: usize, side: usize| (looks[number][side].place(), side, number);
    let all = (0..looks.len()).flat_map(|number| [place(number, 0), place(number, 1)]);
    let mut all: Vec<_> = all.filter(|((_, bytes), ..)| *bytes > 0).collect();
    all.sort_unstable();
    // The last byte of those before, of any side, and of destinations.
    let mut before: [Option<(usize, usize, usize)>; 2] = [None; 2];
    for ((begin, bytes), side, number) in all {
        let other = if side == 1 { before[0] } else { before[1] };
        if let Some((end, other_side, other)) = other
            && begin < end
        {
            let one = members.called(names[side], number);
            let other = members.called(names[other_side], other);
            return Err(format!("{one} shares memory with {other}; bring arrays that are apart"));
        }
        let own = Some((begin + bytes, side, number));
        before[0] = before[0].max(own);
        if side == 1 {
            before[1] = before[1].max(own);
        }
    }
    Ok(())
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
            let expected = member.expected(py, Side::Source, rank).called(&called);
            let from = brought(&expected, &array)?;
            // Elements beside a section are not written.
            let part = member.local(Side::Destination, rank);
            let to = array::made("zeros", py, part, &member.dtype)?;
            let to = brought(&member.expected(py, Side::Destination, rank), &to)?;
            made.push(to.array.clone());
            looks.push((rank, member.element, from, to));
        }
        results.push(made);
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
    let run = |bound: &mut AnyBoundBatch, own: Vec<BatchArrays<'_>>| members.run(bound, own);
    let work = || simulate_batch(ranks, |rank| members.batch(rank), run, arrays);
    // SAFETY: the move uses only these bytes, of arrays that are kept here.
    let moved = unsafe { without_lock(py, work) };
    moved.map_err(|failure| MoveError::new_err(in_names(&failure.to_string(), PYTHON)))?;
    let lists = results.into_iter().map(|mut made| match members.is_single {
        true => Ok(made.swap_remove(0)),
        false => Ok(PyList::new(py, made)?.into_any()),
    });
    lists.collect()
}

fn brought<'py>(expected: &Expected, array: &Bound<'py, PyAny>) -> PyResult<Brought<'py>> {
    let look = expected.look(array).map_err(|Misfit { words, .. }| ArrayError::new_err(words))?;
    Ok(Brought { array: array.clone(), look })
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
    /// are as for `Plan.bind`; arrays are dense, as `BoundBatch.empty` makes them.
    fn bind(&self, comm: &Bound<'_, PyAny>) -> PyResult<BoundBatch> {
        BoundBatch::of(&self.members, comm)
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
/// With `combine`, which is "sum", "min" or "max", the copies of the source are addends. They are
/// combined in their order, so that all ranks and all runs have the same bits.
#[pyclass(frozen, name = "Copies", module = "redist")]
pub struct PythonCopies {
    members: Arc<Members>,
    copies: Arc<DoorCopies>,
    /// Elements along each axis of the moved array.
    shape: Vec<usize>,
    /// Both layouts, as they were given.
    layouts: [String; 2],
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
        let shape = extents(shape)?;
        let combine = combine.map(|word| one_of("combine", word, Combine::NAMED)).transpose()?;
        let copies = match combine {
            Some(_) => DoorCopies::parse_sums(&shape, &layouts[0], &layouts[1]),
            None => DoorCopies::parse(&shape, &layouts[0], &layouts[1]),
        };
        // Copies are what these are for, so that none is refused.
        let copies = copies.map_err(|error| PlanError::new_err(error.to_string()))?;
        let dtype = match dtype {
            Some(dtype) => named(dtype)?,
            None => numpy::dtype::<f64>(py),
        };
        let (element, copies) = (dtype::element(&dtype)?, Arc::new(copies));
        if combine.is_some_and(|how| combined(element, how).is_none()) {
            return Err(PlanError::new_err(format!(
                "elements of {dtype} are not combined so; plan for float32, float64, int32 or int64, or \
                 for the sum of complex64 or complex128"
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
    /// are as for `Plan.bind`; arrays are dense, as `BoundBatch.empty` makes them.
    fn bind(&self, comm: &Bound<'_, PyAny>) -> PyResult<BoundBatch> {
        BoundBatch::of(&self.members, comm)
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

/// Arrays of a `Batch`, or the one of `Copies`, bound to the ranks of a communicator.
///
/// Of a `Batch`, `a` and `out` are lists with an array for each plan; of `Copies` they are an array each.
/// Only the thread that bound it uses it; other threads of Python run while it moves.
#[pyclass(frozen, module = "redist")]
pub struct BoundBatch {
    // Dropped before the communicator.
    moving: OnThread<Moving>,
    /// By array, by side.
    expected: Vec<[Expected; 2]>,
    members: Arc<Members>,
    communicator: Py<PyAny>,
    /// This rank's number in the communicator.
    rank: usize,
    /// The last move that was let go of, or 0.
    let_go: AtomicU64,
}

/// A bound batch, which only its thread uses.
struct Moving {
    bound: AnyBoundBatch,
    /// Number of moves that were started.
    started: u64,
    /// Destinations of the move under way.
    under_way: Option<Vec<Py<PyAny>>>,
}

impl BoundBatch {
    fn of(members: &Arc<Members>, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, ranks) = (object.py(), communicator::ranks(object)?);
        let rank = ranks.rank();
        let batch = members.batch(rank);
        let bind = move |ranks: &Ranks| ranks.bind_batch(batch);
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no array.
        let bound = unsafe { without_lock(py, || bind(&ranks)) }.map_err(move_error)?;
        let expected = members.all.iter().enumerate().map(|(number, member)| {
            let name = |side: Side| members.called(["a", "out"][side as usize], number);
            SIDES.map(|side| {
                let called = format!("rank {rank}: {}", name(side));
                member.expected(py, side, rank).called(&called)
            })
        });
        let expected = expected.collect();
        let moving = OnThread::new(Moving { bound, started: 0, under_way: None });
        let (communicator, members) = (object.clone().unbind(), Arc::clone(members));
        Ok(Self { moving, expected, members, communicator, rank, let_go: AtomicU64::new(0) })
    }

    /// Returns the thread's state, after moves that another thread let go of.
    fn enter(&self, py: Python<'_>) -> PyResult<RefMut<'_, Moving>> {
        let mut moving = self.moving.enter()?;
        let number = self.let_go.swap(0, Ordering::Relaxed);
        self.finish_in(&mut moving, py, number)?;
        Ok(moving)
    }

    /// Checks all arrays; the other ranks learn of a wrong one.
    fn look<'py>(
        &self,
        moving: &mut Moving,
        a: &Bound<'py, PyAny>,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Looked<'py>> {
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err(
                "a move is under way: `finish` what `start` returned before the next",
            ));
        }
        let looked = self.looked(a, out);
        looked.map_err(|Misfit { words, error }| {
            // SAFETY: ranks learn of the error, and no array is used.
            unsafe { without_lock(a.py(), || moving.bound.decline(*error)) };
            ArrayError::new_err(words)
        })
    }

    fn looked<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        out: &Bound<'py, PyAny>,
    ) -> Result<Looked<'py>, Misfit> {
        let refused = |words: String| {
            let what = format!("a move with the arrays of rank {}", self.rank);
            Misfit { error: Error::Unavailable { what, reason: words.clone() }.into(), words }
        };
        let sources = self.members.given("a", a).map_err(refused)?;
        let outs = self.members.given("out", out).map_err(refused)?;
        let all = self.expected.iter().zip(sources.iter().zip(&outs));
        let looks = all.map(|([from, to], (a, out))| Ok([from.look(a)?, to.look(out)?]));
        let looks = looks.collect::<Result<Vec<_>, Misfit>>()?;
        check_apart(["a", "out"], &self.members, &looks).map_err(refused)?;
        Ok((looks, outs))
    }

    /// Waits for this move, if it is under way, into its own arrays. Returns `true` if it was.
    fn finish_in(&self, moving: &mut Moving, py: Python<'_>, number: u64) -> PyResult<bool> {
        let Some(outs) = moving.under_way.take_if(|_| moving.started == number) else {
            return Ok(false);
        };
        let bound = &mut moving.bound;
        let looked = self.expected.iter().zip(&outs).map(|([_, to], out)| to.look(out.bind(py)));
        match looked.collect::<Result<Vec<Look>, Misfit>>() {
            Ok(looks) => {
                // SAFETY: each array is kept and was checked just now. They are apart, as `start`
                // found, and no other slice of them exists.
                let bytes = looks.iter().map(|look| unsafe { look.destination() });
                let mut bytes: Vec<&mut [u8]> = bytes.collect();
                // SAFETY: finishing uses only these bytes, of arrays that are kept.
                unsafe { without_lock(py, || bound.finish(&mut bytes)) }.map_err(move_error)?;
                Ok(true)
            }
            // One was resized in between: its new elements go nowhere.
            Err(Misfit { words, .. }) => {
                let mut bytes: Vec<Vec<u8>> =
                    self.expected.iter().map(|[_, to]| vec![0; to.bytes()]).collect();
                let mut bytes: Vec<&mut [u8]> = bytes.iter_mut().map(Vec::as_mut_slice).collect();
                // SAFETY: finishing uses only bytes of Rust's.
                unsafe { without_lock(py, || bound.finish(&mut bytes)) }.map_err(move_error)?;
                Err(ArrayError::new_err(words))
            }
        }
    }

    /// Pairs checked arrays.
    ///
    /// # Safety
    /// The arrays live, are not resized, and no other code uses the destinations or writes to the
    /// sources.
    unsafe fn pairs<'a>(&self, looks: &'a [[Look; 2]]) -> Vec<BatchArrays<'a>> {
        let all = self.members.all.iter().zip(looks);
        let pairs = all.map(|(member, [from, to])| {
            // SAFETY: `looked` found both to fit, and all destinations to be apart from other arrays.
            // The caller promises the rest.
            let (source, destination) = unsafe { (from.source(), to.destination()) };
            BatchArrays::of_bytes(member.element, source, destination)
        });
        pairs.collect()
    }
}

#[pymethods]
impl BoundBatch {
    /// Moves `a`, this rank's parts on the source's side, to `out`, its parts on the destination's side.
    /// Collective.
    ///
    /// Other threads of Python run meanwhile; none of them may write to `a`, use `out`, or resize any.
    fn run(&self, py: Python<'_>, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let (looks, _outs) = self.look(&mut moving, a, out)?;
        // SAFETY: the arrays are borrowed and were checked just now. The program keeps the rules of
        // this method.
        let pairs = unsafe { self.pairs(&looks) };
        let (bound, members) = (&mut moving.bound, &self.members);
        // SAFETY: a move uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || members.run(bound, pairs)) }.map_err(move_error)
    }

    /// Begins the same move; finishing the returned `Move` ends it, as leaving a `with` does. Collective.
    ///
    /// `a` may be written to at once; `out` is written to when the move is finished.
    fn start(
        slf: &Bound<'_, Self>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<Move> {
        let (py, this) = (slf.py(), slf.get());
        if this.members.combine.is_some() {
            return Err(MoveError::new_err("addends are combined in one call: write `run`"));
        }
        let mut moving = this.enter(py)?;
        let (looks, outs) = this.look(&mut moving, a, out)?;
        // SAFETY: the arrays are borrowed and were checked just now. The program keeps the rules of
        // `run`.
        let pairs = unsafe { this.pairs(&looks) };
        let bound = &mut moving.bound;
        // SAFETY: a move begins with only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || bound.start(&pairs)) }.map_err(move_error)?;
        moving.started += 1;
        moving.under_way = Some(outs.into_iter().map(Bound::unbind).collect());
        Ok(Move::new(slf.clone().unbind(), moving.started))
    }

    /// Returns the shape of this rank's part of each array on a side, `"src"` or `"dst"`.
    fn local_shape<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, which) = (side.py(), words::side(side)?);
        self.members.listed(py, |member| shape_on(py, member, which, self.rank))
    }

    /// Returns this rank's indices along each axis of a side's stored arrays.
    fn global_indices<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, which) = (side.py(), words::side(side)?);
        self.members.listed(py, |member| indices_on(py, member, which, self.rank))
    }

    /// Makes new dense arrays for this rank's parts on a side, their elements not initialised.
    fn empty<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.members.empty(side.py(), words::side(side)?, self.rank)
    }

    /// The communicator.
    #[getter]
    fn comm(&self, py: Python<'_>) -> Py<PyAny> {
        self.communicator.clone_ref(py)
    }

    /// This rank's number in the communicator.
    #[getter]
    fn rank(&self) -> usize {
        self.rank
    }

    /// Describes a move of this rank: its messages and the code that packs them.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.enter(py)?.bound.explain())
    }

    fn __repr__(&self) -> String {
        format!("<redist.BoundBatch: rank {}, {} arrays>", self.rank, self.members.all.len())
    }
}

impl StartedMoves for Py<BoundBatch> {
    fn is_under_way(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let moving = self.get().enter(py)?;
        Ok(moving.started == number && moving.under_way.is_some())
    }

    fn test(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let mut moving = self.get().enter(py)?;
        let is_under_way = moving.started == number && moving.under_way.is_some();
        Ok(!is_under_way || moving.bound.test().map_err(move_error)?)
    }

    fn finish(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let bound = self.get();
        let mut moving = bound.enter(py)?;
        bound.finish_in(&mut moving, py, number)
    }

    fn let_go(&self, number: u64) {
        self.get().let_go.fetch_max(number, Ordering::Relaxed);
    }
}
