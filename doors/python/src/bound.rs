//! `redist.Bound`, and the `redist.Move` that it starts.

use crate::array::{Expected, Look, Misfit};
use crate::communicator;
use crate::errors::{ArrayError, MoveError, move_error, plan_error};
use crate::shared::SharedMemory;
use crate::thread::{OnThread, without_lock};
use crate::words::{of_side, side};
use numpy::PyArrayDescr;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist::exec::{AnyBinder, AnyBound};
use redist::layout::Padding;
use redist::transport::{Route, Transport, Way};
use redist::{AnyElement, Error, Side};
use redist_doors::{DoorPlan, run_between};
use std::cell::RefMut;
use std::sync::atomic::{AtomicU64, Ordering};

/// A plan bound to the ranks of a communicator: `Plan.bind` makes it.
///
/// It moves arrays as often as wanted, and neither plans nor allocates anew. The thread that bound it
/// uses it alone; other threads of Python run while it moves.
#[pyclass(frozen, name = "Bound", module = "redist")]
pub struct PythonBound {
    // Dropped before the communicator.
    moving: OnThread<Moving>,
    expected: [Expected; 2],
    plan: Py<PyAny>,
    communicator: Py<PyAny>,
    way: Way,
    /// The last of the moves that another thread let go of; 0 where there is none.
    let_go: AtomicU64,
}

/// The part that its thread alone uses.
struct Moving {
    bound: AnyBound,
    /// How many moves have been started, and the arrays of the one that is under way.
    started: u64,
    under_way: Option<[Py<PyAny>; 2]>,
}

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl PythonBound {
    /// Of a `redist.Plan`, and what is known of it. Collective. The arrays, where there are any, are
    /// those that others will be like.
    pub fn new(
        plan: &Bound<'_, PyAny>,
        (known, element, dtype): (&DoorPlan, AnyElement, &Py<PyArrayDescr>),
        object: &Bound<'_, PyAny>,
        like: [Option<&Bound<'_, PyAny>>; 2],
        route: &str,
    ) -> PyResult<Self> {
        let (py, ranks) = (plan.py(), communicator::borrowed(object)?);
        let dtype = dtype.bind(py);
        let mut expected = SIDES.map(|side| {
            Expected::dense(side, ranks.rank(), known.local(side, ranks.rank()), dtype)
        });
        let mut binder = known.binder(element);
        let route = named(route).map_err(|error| refuse(&ranks, error))?;
        binder = binder.route(route);
        for (expected, like) in expected.iter_mut().zip(like) {
            let Some(like) = like else { continue };
            match expected.like(like) {
                Ok(Some(strides)) => {
                    binder = binder.padding(expected.side, Padding::Strides(strides));
                }
                Ok(None) => {}
                Err(Misfit { words, error }) => {
                    AnyBinder::decline(&ranks, *error);
                    return Err(ArrayError::new_err(words));
                }
            }
        }
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no array.
        let bound = unsafe { without_lock(py, || binder.bind(&ranks)) }.map_err(move_error)?;
        let (plan, communicator) = (plan.clone().unbind(), object.clone().unbind());
        let way = bound.way();
        let moving = OnThread::new(Moving { bound, started: 0, under_way: None });
        Ok(Self { moving, expected, plan, communicator, way, let_go: AtomicU64::new(0) })
    }

    /// Its thread's part, once moves that another thread let go of are finished.
    fn enter(&self, py: Python<'_>) -> PyResult<RefMut<'_, Moving>> {
        let mut moving = self.moving.enter()?;
        let number = self.let_go.swap(0, Ordering::Relaxed);
        if moving.is_under_way(number) {
            moving.finish(py, &self.expected[Side::Destination as usize])?;
        }
        Ok(moving)
    }

    /// Looks at both arrays; where one does not fit, the other ranks are told.
    fn look(
        &self,
        moving: &mut Moving,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<[Look; 2]> {
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err(
                "a move is under way: `finish` what `start` returned before the next; one that is \
                 lost to an exception ends with the exception's traceback",
            ));
        }
        let [source, destination] = &self.expected;
        let looked = source.look(a).and_then(|a| Ok([a, destination.look(out)?]));
        let looked = looked.and_then(|looks| match looks[0].overlaps(&looks[1]) {
            true => Err(destination.refused(
                "shares memory with the src array; bring arrays that are apart, a copy of one if \
                 need be",
            )),
            false => Ok(looks),
        });
        looked.map_err(|Misfit { words, error }| {
            moving.bound.decline(*error);
            ArrayError::new_err(words)
        })
    }

    /// Whether this is the last move that was started, and it is not finished.
    pub fn is_under_way(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        Ok(self.enter(py)?.is_under_way(number))
    }

    /// Tells whether finishing this move would not wait.
    pub fn test_started(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let mut moving = self.enter(py)?;
        if moving.is_under_way(number) { moving.bound.test().map_err(move_error) } else { Ok(true) }
    }

    /// Waits for this move, if it is under way, into the array that it was started with. Returns
    /// whether it was.
    pub fn finish_started(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let mut moving = self.enter(py)?;
        let is_under_way = moving.is_under_way(number);
        if is_under_way {
            moving.finish(py, &self.expected[Side::Destination as usize])?;
        }
        Ok(is_under_way)
    }

    /// Finishes this move, which nothing will: on another thread than the Bound's, with the next call
    /// of that one.
    pub fn let_go(&self, py: Python<'_>, number: u64) {
        if !self.moving.is_here() {
            self.let_go.fetch_max(number, Ordering::Relaxed);
        } else if let Err(error) = self.finish_started(py, number) {
            error.write_unraisable(py, None);
        }
    }
}

impl Moving {
    fn is_under_way(&self, number: u64) -> bool {
        self.started == number && self.under_way.is_some()
    }

    /// Waits for the move that is under way.
    fn finish(&mut self, py: Python<'_>, expected: &Expected) -> PyResult<()> {
        let Some([_, out]) = self.under_way.take() else { return Ok(()) };
        let bound = &mut self.bound;
        match expected.look(out.bind(py)) {
            Ok(look) => {
                // SAFETY: the array is kept and was looked at just now, and no other slice of it is
                // there.
                let bytes = unsafe { look.destination() };
                // SAFETY: finishing uses these bytes alone, of an array that is kept.
                unsafe { without_lock(py, || bound.finish(bytes)) }.map_err(move_error)
            }
            // It was resized in between: what arrives goes nowhere.
            Err(Misfit { words, .. }) => {
                let bytes = bound.local_len(Side::Destination) * bound.element().bytes();
                bound.finish(&mut vec![0; bytes]).map_err(move_error)?;
                Err(ArrayError::new_err(words))
            }
        }
    }
}

#[pymethods]
impl PythonBound {
    /// Moves `a`, this rank's part as the source has it, to `out`, its part as the destination
    /// has it. Collective.
    ///
    /// Nothing is copied but elements, from array to array. Other threads of Python run meanwhile;
    /// none of them may write to `a`, use `out`, or resize either.
    fn run(&self, py: Python<'_>, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let [source, destination] = self.look(&mut moving, a, out)?;
        let places = [source.place(), destination.place()];
        // SAFETY: the array is borrowed and was looked at just now, and shares no memory with the
        // other; the program leaves both alone, as the method says.
        let source = || unsafe { source.source() };
        // SAFETY: the array is borrowed and was looked at just now, shares no memory with the other,
        // and no other slice of it is there; the program leaves both alone, as the method says.
        let destination = || unsafe { destination.destination() };
        let bound = &mut moving.bound;
        // SAFETY: a move uses these bytes alone, of arrays that are borrowed.
        unsafe { without_lock(py, || run_between(bound, places, source, destination)) }
            .map_err(move_error)
    }

    /// Begins the same, so that other work can be done until the `Move` that is returned is
    /// finished, which also leaving a `with` does. Collective.
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
        // SAFETY: the array is borrowed and was looked at just now; the program leaves it alone, as
        // `run` says.
        let source = unsafe { source.source() };
        let bound = &mut moving.bound;
        // SAFETY: a move begins with these bytes alone, of an array that is borrowed.
        unsafe { without_lock(py, || bound.start(source, destination.len())) }
            .map_err(move_error)?;
        moving.started += 1;
        moving.under_way = Some([a.clone().unbind(), out.clone().unbind()]);
        Ok(Move { bound: slf.clone().unbind(), number: moving.started })
    }

    /// The shape of this rank's local array on a side, `"src"` or `"dst"`.
    #[pyo3(name = "local_shape")]
    fn shape_of<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.expected_on(side)?.shape)
    }

    /// A new dense array for this rank's part on a side, its elements not initialised.
    fn empty<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        let expected = self.expected_on(side)?;
        self.plan.bind(py).call_method1("empty", (side, expected.rank))
    }

    /// A new dense array for this rank's part on a side, its bytes zero, in memory that the other
    /// ranks of its node can use in `run`: where all ranks are on one node and bring such arrays,
    /// elements are copied once, from array to array. Collective.
    fn shared<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        let moving = self.enter(py)?;
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err("a move is under way: `finish` it before"));
        }
        let bound = &moving.bound;
        match self.expected_on(side) {
            Ok(expected) => {
                // SAFETY: memory is made, which nothing of Python's uses yet.
                let made = unsafe { without_lock(py, || bound.shared_array(expected.side)) };
                SharedMemory::array(py, made.map_err(move_error)?, expected)
            }
            Err(error) => {
                let what = format!("a shared array of rank {}", bound.rank());
                let reason = error.value(py).to_string();
                bound.decline_shared_array(Error::Unavailable { what, reason });
                Err(error)
            }
        }
    }

    /// The plan.
    #[getter]
    fn plan(&self, py: Python<'_>) -> Py<PyAny> {
        self.plan.clone_ref(py)
    }

    /// The communicator.
    #[getter]
    fn comm(&self, py: Python<'_>) -> Py<PyAny> {
        self.communicator.clone_ref(py)
    }

    /// This rank's number in the communicator.
    #[getter]
    fn rank(&self) -> usize {
        self.expected[0].rank
    }

    /// How elements get from rank to rank in `run`, in the words of `bind`'s `route`.
    #[getter]
    fn way(&self) -> &'static str {
        word_of(self.way)
    }

    /// Says what runs on this rank: the plan, the schedule, the way, the kernels.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.enter(py)?.bound.explain())
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
    fn expected_on(&self, word: &str) -> PyResult<&Expected> {
        Ok(&self.expected[side(word)? as usize])
    }
}

/// Words for routes.
const ROUTES: [(&str, Route); 4] = [
    ("automatic", Route::Automatic),
    ("staged", Route::Staged),
    ("messages", Route::Messages),
    ("joined", Route::Joined),
];

/// The word of the route that takes a way wherever it can be taken.
fn word_of(way: Way) -> &'static str {
    let route = match way {
        Way::Chunks => Route::Staged,
        Way::Messages => Route::Messages,
        Way::Joined => Route::Joined,
        // Arrays are lent by threads, which are no ranks of MPI's.
        _ => Route::Automatic,
    };
    ROUTES.iter().find(|(_, known)| *known == route).map_or("automatic", |(word, _)| word)
}

fn named(word: &str) -> Result<Route, Error> {
    let found = ROUTES.iter().find(|(name, _)| *name == word).map(|(_, route)| *route);
    found.ok_or_else(|| Error::Unavailable {
        what: format!("the route {word:?}"),
        reason: format!("write one of {}", ROUTES.map(|(name, _)| name).join(", ")),
    })
}

/// Refuses an option of this rank, and tells the other ranks, which bind.
fn refuse(ranks: &impl Transport, error: Error) -> PyErr {
    AnyBinder::decline(ranks, error.clone());
    plan_error(error)
}

/// A move that is under way: `Bound.start` makes it.
///
/// As a context manager, it is finished at the end of the block. One that nothing keeps any more is
/// waited for, like `finish`, but what goes wrong is only printed.
#[pyclass(frozen, module = "redist")]
pub struct Move {
    bound: Py<PythonBound>,
    /// Which of the starts it is.
    number: u64,
}

#[pymethods]
impl Move {
    /// Says whether `finish` would not wait any more. Lets MPI make progress.
    fn test(&self, py: Python<'_>) -> PyResult<bool> {
        self.bound.get().test_started(py, self.number)
    }

    /// Waits until `out` holds its part. To be called once.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        match self.bound.get().finish_started(py, self.number)? {
            true => Ok(()),
            false => Err(MoveError::new_err("this move has been finished; `start` another")),
        }
    }

    /// True if it has been finished.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.bound.get().is_under_way(py, self.number)?)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Finishes the move, unless that was done.
    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyAny>) -> PyResult<()> {
        self.bound.get().finish_started(py, self.number).map(drop)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let state = if self.is_finished(py)? { "finished" } else { "under way" };
        Ok(format!("<redist.Move: {state}>"))
    }
}

impl Drop for Move {
    fn drop(&mut self) {
        // Python may have ended, and its objects with it.
        Python::try_attach(|py| self.bound.get().let_go(py, self.number));
    }
}
