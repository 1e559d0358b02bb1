//! `redist.Bound`. Unsafe, because numpy's arrays become slices: `Look` has proved once all that these
//! need.

use crate::array::{self, Expected, Look, Misfit};
use crate::communicator::{self, Ranks};
use crate::errors::{ArrayError, MoveError, PlanError, move_error, run_error};
use crate::function::{Called, Function, Raised};
use crate::list_volume::PythonListVolume;
use crate::moves::{Move, StartedMoves};
use crate::parts::BoundParts;
use crate::scaling::Factors;
use crate::shared::SharedMemory;
use crate::thread::{OnThread, without_lock};
use crate::wishes::Wishes;
use crate::words::{of_side, side};
use numpy::{PyArray1, PyArrayDescr};
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist::exec::AnyBound;
use redist::layout::Padding;
use redist::transport::Way;
use redist::{AnyElement, Error, Side};
use redist_doors::{DoorPlan, OfRuns, overlap, run_between};
use std::cell::RefMut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A plan bound to the ranks of a communicator, made by `Plan.bind`, `IndexMove.bind` or
/// `Programs.join_parts`.
///
/// It moves arrays as often as wanted, without planning or allocating again. Only the thread that
/// bound it uses it; other threads of Python run while it moves.
#[pyclass(frozen, name = "Bound", module = "redist")]
pub struct PythonBound {
    // Dropped before the communicator.
    moving: OnThread<Moving>,
    expected: [Expected; 2],
    of: Of,
    dtype: Py<PyArrayDescr>,
    communicator: Py<PyAny>,
    way: Way,
    /// `true` if ranks are threads of this process.
    are_threads: bool,
    /// The last move that was let go of, or 0.
    let_go: AtomicU64,
}

/// The object that was bound.
pub enum Of {
    /// A `redist.Plan`, and its parts.
    Plan(Py<PyAny>, Arc<DoorPlan>),
    /// A `redist.IndexMove`, and its lists, by side.
    Lists(Py<PyAny>, [Py<PyArray1<i64>>; 2]),
    /// Parts of one array that programs hold and want.
    Parts(BoundParts),
}

/// A `redist.Plan`, and the parts of it that binding needs.
pub struct PlanParts<'a, 'py> {
    pub object: &'a Bound<'py, PyAny>,
    pub plan: &'a Arc<DoorPlan>,
    pub dtype: &'a Py<PyArrayDescr>,
    pub element: AnyElement,
}

/// A value that only its thread uses.
struct Moving {
    bound: AnyBound,
    /// Number of moves that were started.
    started: u64,
    under_way: Option<[Py<PyAny>; 2]>,
}

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl PythonBound {
    /// Binds a `redist.Plan`. Collective. Later arrays must be like these, if there are any.
    pub fn new(
        planned: PlanParts<'_, '_>,
        object: &Bound<'_, PyAny>,
        like: [Option<&Bound<'_, PyAny>>; 2],
        wishes: Wishes<'_, '_>,
    ) -> PyResult<Self> {
        let (py, ranks) = (object.py(), communicator::ranks(object)?);
        let PlanParts { object: plan, plan: known, dtype, element } = planned;
        let mut expected = SIDES.map(|side| {
            let part = known.local(side, ranks.rank()).as_array();
            Expected::dense(side, ranks.rank(), part, dtype.bind(py))
        });
        let mut binder =
            wishes.asked(known.binder(element), known.dimensions()).inspect_err(|error| {
                // The other ranks, which bind, learn of it.
                let (what, reason) = ("a plan".into(), error.value(py).to_string());
                decline(py, &ranks, Error::Unavailable { what, reason });
            })?;
        for (expected, like) in expected.iter_mut().zip(like) {
            let Some(like) = like else { continue };
            match expected.like(like) {
                Ok(Some(strides)) => {
                    binder = binder.padding(expected.side, Padding::Strides(strides));
                }
                Ok(None) => {}
                Err(Misfit { words, error }) => {
                    decline(py, &ranks, *error);
                    return Err(ArrayError::new_err(words));
                }
            }
        }
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no
        // array.
        let bound = unsafe { without_lock(py, || ranks.bind(&binder)) }
            .map_err(|error| run_error(error, || dtype.bind(py).to_string()))?;
        let of = Of::Plan(plan.clone().unbind(), Arc::clone(known));
        Ok(Self::of(bound, expected, of, (object, ranks.are_threads())))
    }

    /// Wraps what is bound to the ranks of a communicator, which may be threads.
    pub fn of(
        bound: AnyBound,
        expected: [Expected; 2],
        of: Of,
        (object, are_threads): (&Bound<'_, PyAny>, bool),
    ) -> Self {
        let (dtype, communicator) =
            (expected[0].dtype.clone_ref(object.py()), object.clone().unbind());
        let way = bound.way();
        let moving = OnThread::new(Moving { bound, started: 0, under_way: None });
        let let_go = AtomicU64::new(0);
        Self { moving, expected, of, dtype, communicator, way, are_threads, let_go }
    }

    /// Returns the thread's state, after moves that another thread let go of.
    fn enter(&self, py: Python<'_>) -> PyResult<RefMut<'_, Moving>> {
        let mut moving = self.moving.enter()?;
        let number = self.let_go.swap(0, Ordering::Relaxed);
        moving.finish(py, number, &self.expected[Side::Destination as usize])?;
        Ok(moving)
    }

    /// Checks both arrays, which share no element; the other ranks learn of a wrong one.
    fn look(
        &self,
        moving: &mut Moving,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<[Look; 2]> {
        self.look_at(moving, [a, out], &self.expected[Side::Destination as usize], false)
    }

    /// Checks both arrays, of which the second one is to be `destination`. They may share elements if
    /// `in_place`.
    fn look_at(
        &self,
        moving: &mut Moving,
        [a, out]: [&Bound<'_, PyAny>; 2],
        destination: &Expected,
        in_place: bool,
    ) -> PyResult<[Look; 2]> {
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err(
                "a move is under way: `finish` what `start` returned before the next; one that is \
                 lost to an exception ends with the exception's traceback",
            ));
        }
        let source = &self.expected[Side::Source as usize];
        let both = |a, out| Ok([source.look(a)?, destination.look(out)?]);
        let looked = both(a, out).map_err(|misfit| match both(out, a) {
            Ok(_) if source.differs(destination) => source.exchanged(misfit),
            _ => misfit,
        });
        let looked = looked.and_then(|looks| match overlap(looks.each_ref().map(Look::place)) {
            true if !in_place && share_elements(a, out) => Err(destination.overlaps()),
            _ => Ok(looks),
        });
        looked.map_err(|misfit| declined(a.py(), moving, misfit))
    }

    /// Checks both arrays, and returns what becomes of elements; the other ranks learn of mistakes.
    fn changed(
        &self,
        moving: &mut Moving,
        [a, out]: [&Bound<'_, PyAny>; 2],
        factors: Factors<'_, '_>,
        function: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<([Look; 2], Change)> {
        let py = a.py();
        let Some(function) = function else {
            let looks = self.look(moving, a, out)?;
            let element = moving.bound.element();
            let scaling = factors.scaling(py, &self.dtype, element);
            let scaling = scaling.map(|found| found.and_then(|found| found.of(element)));
            let scaled = scaling.inspect_err(|error| self.wrong(py, moving, error))?;
            return Ok((looks, scaled.map_or(Change::None, Change::Scaled)));
        };
        let kept = &self.expected[Side::Destination as usize];
        let kept = kept.of_type(out).map_err(|misfit| declined(py, moving, misfit))?;
        let looks = self.look_at(moving, [a, out], &kept, false)?;
        let function =
            factors.none_beside("function").and_then(|()| Function::of("function", function));
        let function = function.inspect_err(|error| self.wrong(py, moving, error))?;
        let dtypes = [self.dtype.bind(py), kept.dtype.bind(py)];
        Ok((looks, Change::Called(Called::new(&Arc::new(function), dtypes, &Raised::default()))))
    }

    /// Tells the other ranks that this one has wrong arguments.
    fn wrong(&self, py: Python<'_>, moving: &mut Moving, error: &PyErr) {
        let (what, reason) = ("this move".into(), error.value(py).to_string());
        // SAFETY: ranks learn of the error, and no array is used.
        unsafe { without_lock(py, || moving.bound.decline(Error::Unavailable { what, reason })) };
    }

    fn run_error(&self, py: Python<'_>, error: Error) -> PyErr {
        run_error(error, || self.dtype.bind(py).to_string())
    }
}

/// The change of elements that arrive.
enum Change {
    None,
    /// α and β.
    Scaled(OfRuns),
    /// A function of Python's.
    Called(Called),
}

/// Returns the error of this rank's array, of which the other ranks learn.
fn declined(py: Python<'_>, moving: &mut Moving, Misfit { words, error }: Misfit) -> PyErr {
    // SAFETY: ranks learn of the error, and no array is used.
    unsafe { without_lock(py, || moving.bound.decline(*error)) };
    ArrayError::new_err(words)
}

impl StartedMoves for Py<PythonBound> {
    fn is_under_way(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        Ok(self.get().enter(py)?.is_under_way(number))
    }

    fn test(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let mut moving = self.get().enter(py)?;
        Ok(!moving.is_under_way(number) || moving.bound.test().map_err(move_error)?)
    }

    fn finish(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let bound = self.get();
        bound.enter(py)?.finish(py, number, &bound.expected[Side::Destination as usize])
    }

    fn let_go(&self, number: u64) {
        self.get().let_go.fetch_max(number, Ordering::Relaxed);
    }
}

impl Moving {
    fn is_under_way(&self, number: u64) -> bool {
        self.started == number && self.under_way.is_some()
    }

    /// Waits for this move, if it is under way, into its own array. Returns `true` if it was.
    fn finish(&mut self, py: Python<'_>, number: u64, expected: &Expected) -> PyResult<bool> {
        let Some([_, out]) = self.under_way.take_if(|_| self.started == number) else {
            return Ok(false);
        };
        let bound = &mut self.bound;
        match expected.look(out.bind(py)) {
            Ok(look) => {
                // SAFETY: the array is kept and was checked just now, and no other slice of it
                // exists.
                let bytes = unsafe { look.destination() };
                // SAFETY: finishing uses only these bytes, of an array that is kept.
                unsafe { without_lock(py, || bound.finish(bytes)) }
                    .map_err(|error| run_error(error, || expected.dtype.bind(py).to_string()))?;
                Ok(true)
            }
            // It was resized in between: its new elements go nowhere.
            Err(Misfit { words, .. }) => {
                let bytes = bound.local_len(Side::Destination) * bound.element().bytes();
                // SAFETY: finishing uses only bytes of Rust's.
                unsafe { without_lock(py, || bound.finish(&mut vec![0; bytes])) }
                    .map_err(move_error)?;
                Err(ArrayError::new_err(words))
            }
        }
    }
}

#[pymethods]
impl PythonBound {
    /// Moves `a`, this rank's part on the source's side, to `out`, its part on the destination's
    /// side. Collective.
    ///
    /// Only elements are copied, from array to array. Other threads of Python go on running; none
    /// of them may write to `a`, use `out`, or resize either. If `out` lies between the elements of
    /// `a`, as an imaginary part between real ones, `a` is copied first.
    ///
    /// With `alpha`, `beta` or `conjugate`, elements of `out` become `alpha` times what arrives, or its
    /// conjugate, plus `beta` times what they were. With a `function`, it is called with arrays of one
    /// axis: of elements that have arrived, and of those of `out` in their places. It writes to the
    /// latter. `out` may have another dtype then. Each rank chooses its own.
    #[pyo3(signature = (a, out, *, alpha=None, beta=None, conjugate=None, function=None))]
    #[pyo3(
        text_signature = "($self, a, out, *, alpha=None, beta=None, conjugate=False, function=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn run(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
        alpha: Option<&Bound<'_, PyAny>>,
        beta: Option<&Bound<'_, PyAny>>,
        conjugate: Option<&Bound<'_, PyAny>>,
        function: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let factors = Factors { alpha, beta, conjugate };
        let ([source, destination], mut change) =
            self.changed(&mut moving, [a, out], factors, function)?;
        let mut places = [source.place(), destination.place()];
        let mut copy = Vec::new();
        if overlap(places) {
            // The elements of the two arrays lie between each other, so that no two slices of them
            // may exist at once.
            // SAFETY: the array is borrowed and was checked just now. No slice of the other exists.
            copy.extend_from_slice(unsafe { source.source() });
            places[0] = (copy.as_ptr().addr(), copy.len());
        }
        let source = || match copy.is_empty() {
            // SAFETY: the array is borrowed and was checked just now, and its bytes are not among
            // the destination's bytes. The program keeps the method's rules for both.
            true => unsafe { source.source() },
            false => &copy,
        };
        // SAFETY: the array is borrowed and was checked just now. No other slice of its bytes
        // exists, because a source among them was copied. The program keeps the method's rules.
        let destination = || unsafe { destination.destination() };
        let bound = &mut moving.bound;
        let run = || match &mut change {
            Change::Scaled(function) => {
                let width = bound.element().bytes();
                bound.run_with(source(), destination(), width, function)
            }
            Change::Called(called) => {
                let width = called.kept_width();
                bound.run_by(source(), destination(), width, &mut called.receiver())
            }
            Change::None => run_between(bound, places, source, destination),
        };
        // SAFETY: a move uses only these bytes, of arrays that are borrowed. A function is called with
        // the lock.
        let moved = unsafe { without_lock(py, run) }.map_err(|error| self.run_error(py, error));
        match change {
            Change::Called(called) => called.raised().before(moved),
            _ => moved,
        }
    }

    /// Moves between arrays that share memory, as `in_place` makes them: `a` ends when its elements are
    /// packed. Collective; `max_bytes` must have room for all messages of a rank.
    fn run_in_place(
        &self,
        py: Python<'_>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let expected = &self.expected[Side::Destination as usize];
        let [source, destination] = self.look_at(&mut moving, [a, out], expected, true)?;
        let bound = &mut moving.bound;
        let run = || {
            // SAFETY: the array is borrowed and was checked just now. The slice ends before another one
            // of these bytes begins. The program keeps the rules of `run`.
            bound.start(unsafe { source.source() }, destination.len())?;
            // SAFETY: the array is borrowed and was checked just now, and the source's slice is gone.
            bound.finish(unsafe { destination.destination() })
        };
        // SAFETY: a move uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, run) }.map_err(|error| self.run_error(py, error))
    }

    /// Makes a new array for this rank's part on each side, both in the same memory, for `run_in_place`.
    fn in_place<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let bytes = self.expected.iter().map(Expected::bytes).max().unwrap_or(0);
        let numpy = py.import("numpy")?;
        let memory = numpy.call_method1("empty", (bytes.max(1), "u1"))?;
        let [from, to] = self.expected.each_ref().map(|expected| expected.within(&numpy, &memory));
        Ok((from?, to?))
    }

    /// Begins the same move; finishing the returned `Move` ends it, as leaving a `with` does.
    /// Collective.
    ///
    /// `a` may be written to at once; `out` is written to when the move is finished.
    fn start(
        slf: &Bound<'_, Self>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<Move> {
        let (py, this) = (slf.py(), slf.get());
        let mut moving = this.enter(py)?;
        let [source, destination] = this.look(&mut moving, a, out)?;
        // SAFETY: the array is borrowed and was checked just now. The program keeps the rules of
        // `run` for it.
        let source = unsafe { source.source() };
        let bound = &mut moving.bound;
        // SAFETY: a move begins with only these bytes, of an array that is borrowed.
        unsafe { without_lock(py, || bound.start(source, destination.len())) }
            .map_err(|error| this.run_error(py, error))?;
        moving.started += 1;
        moving.under_way = Some([a.clone().unbind(), out.clone().unbind()]);
        Ok(Move::new(slf.clone().unbind(), moving.started))
    }

    /// Returns the shape of this rank's local array on a side, `"src"` or `"dst"`.
    #[pyo3(name = "local_shape")]
    fn shape_of<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(side.py(), &self.expected_on(side)?.shape)
    }

    /// Returns this rank's indices along each axis of a side's stored array, as
    /// `Plan.global_indices` does, also on ranks that the plan lacks. Of an `IndexMove`, the list; of parts
    /// of an array, indices in the whole.
    fn global_indices<'py>(
        &self,
        side: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<i64>>>> {
        let Expected { side: which, rank, .. } = self.expected_on(side)?;
        Ok(match &self.of {
            Of::Plan(_, plan) => array::indices(side.py(), plan, *which, *rank),
            Of::Lists(_, lists) => vec![lists[*which as usize].bind(side.py()).clone()],
            Of::Parts(parts) => parts.indices(side.py(), *which),
        })
    }

    /// Makes a new dense array for this rank's part on a side, its elements not initialised.
    fn empty<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let expected = self.expected_on(side)?;
        let part = match &self.of {
            Of::Plan(_, plan) => plan.local(expected.side, expected.rank).as_array(),
            Of::Lists(..) | Of::Parts(_) => expected.dense_part(),
        };
        array::empty(side.py(), part, &expected.dtype)
    }

    /// Makes a new dense array for this rank's part on a side, its bytes zero. Other ranks of its
    /// node can use its memory in `run`. If all ranks are on one node and pass such arrays, each
    /// element is copied once, from array to array. Collective.
    fn shared<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = side.py();
        let moving = self.enter(py)?;
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err("a move is under way: `finish` it before"));
        }
        let bound = &moving.bound;
        match self.expected_on(side) {
            // Threads use any arrays of each other's.
            Ok(expected) if self.are_threads => SharedMemory::private(py, expected),
            Err(error) if self.are_threads => Err(error),
            Ok(expected) => {
                // SAFETY: memory is made, which no Python code uses yet.
                let made = unsafe { without_lock(py, || bound.shared_array(expected.side)) };
                SharedMemory::array(py, made.map_err(move_error)?, expected)
            }
            Err(error) => {
                let what = format!("a shared array of rank {}", bound.rank());
                let reason = error.value(py).to_string();
                let reason = Error::Unavailable { what, reason };
                // SAFETY: ranks learn of the error, and no array is used.
                unsafe { without_lock(py, || bound.decline_shared_array(reason)) };
                Err(error)
            }
        }
    }

    /// The plan.
    #[getter]
    fn plan(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.of {
            Of::Plan(plan, _) => Ok(plan.clone_ref(py)),
            Of::Lists(..) | Of::Parts(_) => Err(PyAttributeError::new_err("plan")),
        }
    }

    /// The `IndexMove` that was bound.
    #[getter]
    fn lists(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.of {
            Of::Lists(lists, _) => Ok(lists.clone_ref(py)),
            Of::Plan(..) | Of::Parts(_) => Err(PyAttributeError::new_err("lists")),
        }
    }

    /// The communicator, or the `Programs` of parts of an array.
    #[getter]
    fn comm(&self, py: Python<'_>) -> Py<PyAny> {
        self.communicator.clone_ref(py)
    }

    /// This rank's number in the communicator.
    #[getter]
    fn rank(&self) -> usize {
        self.expected[0].rank
    }

    /// The way of elements in `run`, in the words of `bind`'s `route`.
    #[getter]
    fn way(&self) -> &'static str {
        match self.way {
            Way::Chunks | Way::Slots => "chunks",
            Way::Messages => "messages",
            // Threads lend each other their arrays.
            _ => "automatic",
        }
    }

    /// Returns a list of what goes to each rank (`"src"`), or comes from it (`"dst"`), by increasing rank,
    /// this one among them; of an `IndexMove`.
    fn volumes(&self, side: &Bound<'_, PyAny>) -> PyResult<Vec<PythonListVolume>> {
        let moving = self.enter(side.py())?;
        match moving.bound.list_volumes(self.expected_on(side)?.side) {
            Some(volumes) => Ok(volumes.iter().map(PythonListVolume::from).collect()),
            None if matches!(self.of, Of::Parts(_)) => Err(PlanError::new_err(PARTS)),
            None => Err(PlanError::new_err(
                "this Bound is of a Plan, whose `volumes` are an array: write `bound.plan.volumes`",
            )),
        }
    }

    /// Describes a move of this rank: plan, schedule, way, kernels.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.enter(py)?.bound.explain())
    }

    /// Refuses calls of a `Move`, and names that there are not.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        Err(PyAttributeError::new_err(match name {
            "finish" | "test" | "is_finished" => format!(
                "a Bound has no {name:?}; the move that `start` returns has it, as in \
                 `bound.start(a, out).finish()`"
            ),
            // Attributes of a Bound that was made otherwise.
            "plan" | "lists" if matches!(self.of, Of::Parts(_)) => PARTS.into(),
            "plan" => {
                "this Bound is of an IndexMove, and has no plan; `lists` is the IndexMove".into()
            }
            "lists" => "this Bound is of a Plan, and has no lists; `plan` is the Plan".into(),
            _ => format!("a Bound has no {name:?}; `help(redist.Bound)` lists what it has"),
        }))
    }

    fn __repr__(&self) -> String {
        let words = self.expected.iter().map(|one| {
            let shape: Vec<String> = one.shape.iter().map(usize::to_string).collect();
            format!("{} ({})", of_side(one.side), shape.join(", "))
        });
        let words: Vec<String> = words.collect();
        format!("<redist.Bound: rank {}, {}>", self.rank(), words.join(" to "))
    }
}

impl PythonBound {
    fn expected_on(&self, word: &Bound<'_, PyAny>) -> PyResult<&Expected> {
        Ok(&self.expected[side(word)? as usize])
    }
}

/// Makes the other ranks' `bind` fail, which wait for this one.
pub fn decline(py: Python<'_>, ranks: &Ranks, reason: Error) {
    // SAFETY: ranks learn of the error. The communicator's object is the caller's, and no array is
    // used.
    unsafe { without_lock(py, || ranks.decline(reason)) };
}

/// Refuses what there is not of parts of an array.
const PARTS: &str = "this Bound is of parts of an array that programs hold and want, and has no plan, \
                     lists or volumes of its own; `global_indices` are this rank's";

/// Steps to search for a byte that two arrays share. Arrays that need more count as sharing one.
const SEARCHED: usize = 100_000;

/// Returns `true` if two arrays of numpy's, whose bytes lie among each other, share a byte.
fn share_elements(a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> bool {
    let shares = || {
        let search = a.py().import("numpy")?.getattr("shares_memory")?;
        search.call1((a, out, SEARCHED))?.extract::<bool>()
    };
    shares().unwrap_or(true)
}
