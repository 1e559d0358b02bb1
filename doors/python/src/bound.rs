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
use redist::transport::{Route, Way};
use redist::{AnyElement, Error, Side};
use redist_doors::{DoorPlan, overlap, run_between};
use std::cell::RefMut;
use std::sync::atomic::{AtomicU64, Ordering};

/// A plan bound to the ranks of a communicator, made by `Plan.bind`.
///
/// It moves arrays as often as wanted, without planning or allocating again. Only the thread that
/// bound it uses it; other threads of Python run while it moves.
#[pyclass(frozen, name = "Bound", module = "redist")]
pub struct PythonBound {
    // Dropped before the communicator.
    moving: OnThread<Moving>,
    expected: [Expected; 2],
    plan: Py<PyAny>,
    communicator: Py<PyAny>,
    way: Way,
    /// The last move that another thread let go of, or 0.
    let_go: AtomicU64,
}

/// Used by its thread alone.
struct Moving {
    bound: AnyBound,
    started: u64,
    under_way: Option<[Py<PyAny>; 2]>,
}

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl PythonBound {
    /// Binds a `redist.Plan`. Collective. Later arrays must be like these, if there are any.
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
        binder = binder.route(named(route).map_err(|error| {
            // The other ranks, which bind, learn of it.
            AnyBinder::decline(&ranks, error.clone());
            plan_error(error)
        })?);
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
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no
        // array.
        let bound = unsafe { without_lock(py, || binder.bind(&ranks)) }.map_err(move_error)?;
        let (plan, communicator) = (plan.clone().unbind(), object.clone().unbind());
        let way = bound.way();
        let moving = OnThread::new(Moving { bound, started: 0, under_way: None });
        Ok(Self { moving, expected, plan, communicator, way, let_go: AtomicU64::new(0) })
    }

    /// Returns the thread's state, after moves that another thread let go of.
    fn enter(&self, py: Python<'_>) -> PyResult<RefMut<'_, Moving>> {
        let mut moving = self.moving.enter()?;
        let number = self.let_go.swap(0, Ordering::Relaxed);
        moving.finish(py, number, &self.expected[Side::Destination as usize])?;
        Ok(moving)
    }

    /// Checks both arrays; the other ranks learn of a wrong one.
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
        let looked = looked.and_then(|looks| match overlap(looks.each_ref().map(Look::place)) {
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

    pub fn finish_started(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        self.enter(py)?.finish(py, number, &self.expected[Side::Destination as usize])
    }

    /// Finishes this forgotten move: here, or in the next call of the Bound's own thread.
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
                // SAFETY: finishing uses these bytes alone, of an array that is kept.
                unsafe { without_lock(py, || bound.finish(bytes)) }.map_err(move_error)?;
                Ok(true)
            }
            // It was resized in between: its new elements go nowhere.
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
    /// Moves `a`, this rank's part on the source's side, to `out`, its part on the destination's
    /// side. Collective.
    ///
    /// Only elements are copied, from array to array. Other threads of Python run meanwhile; none
    /// of them may write to `a`, use `out`, or resize either.
    fn run(&self, py: Python<'_>, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let [source, destination] = self.look(&mut moving, a, out)?;
        let places = [source.place(), destination.place()];
        // SAFETY: the array is borrowed and was checked just now, and shares no memory with the
        // other. The program keeps the method's rules for both.
        let source = || unsafe { source.source() };
        // SAFETY: the array is borrowed and was checked just now. It shares no memory with the
        // other, and no other slice of it exists. The program keeps the method's rules for both.
        let destination = || unsafe { destination.destination() };
        let bound = &mut moving.bound;
        // SAFETY: a move uses these bytes alone, of arrays that are borrowed.
        unsafe { without_lock(py, || run_between(bound, places, source, destination)) }
            .map_err(move_error)
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
        // SAFETY: a move begins with these bytes alone, of an array that is borrowed.
        unsafe { without_lock(py, || bound.start(source, destination.len())) }
            .map_err(move_error)?;
        moving.started += 1;
        moving.under_way = Some([a.clone().unbind(), out.clone().unbind()]);
        Ok(Move { bound: slf.clone().unbind(), number: moving.started })
    }

    /// Returns the shape of this rank's local array on a side, `"src"` or `"dst"`.
    #[pyo3(name = "local_shape")]
    fn shape_of<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.expected_on(side)?.shape)
    }

    /// Makes a new dense array for this rank's part on a side, its elements not initialised.
    fn empty<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        let expected = self.expected_on(side)?;
        self.plan.bind(py).call_method1("empty", (side, expected.rank))
    }

    /// Makes a new dense array for this rank's part on a side, its bytes zero. Other ranks of its
    /// node can use its memory in `run`. If all ranks are on one node and pass such arrays, each
    /// element is copied once, from array to array. Collective.
    fn shared<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        let moving = self.enter(py)?;
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err("a move is under way: `finish` it before"));
        }
        let bound = &moving.bound;
        match self.expected_on(side) {
            Ok(expected) => {
                // SAFETY: memory is made, which no Python code uses yet.
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

    /// The way of elements in `run`, in the words of `bind`'s `route`.
    #[getter]
    fn way(&self) -> &'static str {
        match self.way {
            Way::Chunks => "staged",
            Way::Messages => "messages",
            // Threads share arrays; they are no ranks of MPI.
            _ => "automatic",
        }
    }

    /// Describes a move of this rank: plan, schedule, way, kernels.
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

const ROUTES: [(&str, Route); 3] =
    [("automatic", Route::Automatic), ("staged", Route::Staged), ("messages", Route::Messages)];

fn named(word: &str) -> Result<Route, Error> {
    let found = ROUTES.iter().find(|(name, _)| *name == word).map(|(_, route)| *route);
    found.ok_or_else(|| Error::Unavailable {
        what: format!("the route {word:?}"),
        reason: format!("write one of {}", ROUTES.map(|(name, _)| name).join(", ")),
    })
}

/// A move under way, made by `Bound.start`.
///
/// As a context manager, it is finished at the end of the block. A forgotten one is finished, too,
/// but its errors are only printed.
#[pyclass(frozen, module = "redist")]
pub struct Move {
    bound: Py<PythonBound>,
    number: u64,
}

#[pymethods]
impl Move {
    /// Returns `True` if `finish` would not wait. Lets MPI make progress.
    fn test(&self, py: Python<'_>) -> PyResult<bool> {
        let mut moving = self.bound.get().enter(py)?;
        Ok(!moving.is_under_way(self.number) || moving.bound.test().map_err(move_error)?)
    }

    /// Waits until `out` holds its part. To be called once.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        match self.bound.get().finish_started(py, self.number)? {
            true => Ok(()),
            false => Err(MoveError::new_err("this move has been finished; `start` another")),
        }
    }

    /// `True` if it has been finished.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.bound.get().enter(py)?.is_under_way(self.number))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Finishes the move, unless it is finished.
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
