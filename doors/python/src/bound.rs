//! `redist.Bound`.

use crate::array::{Expected, Look, Misfit};
use crate::communicator;
use crate::errors::{ArrayError, MoveError, move_error};
use crate::moving::Move;
use crate::plan::{PythonPlan, empty};
use crate::shared::SharedMemory;
use crate::words::{of_side, side};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist::exec::{AnyBinder, AnyBound};
use redist::layout::Padding;
use redist::transport::{Route, Transport};
use redist::{Error, Side};
use redist_doors::run_between;

/// A plan bound to the ranks of a communicator: it moves arrays as often as wanted, and neither
/// plans nor allocates anew. It stays on the thread that bound it. `Plan.bind` makes it.
#[pyclass(unsendable, name = "Bound", module = "redist")]
pub struct PythonBound {
    // Dropped before the communicator.
    bound: AnyBound,
    expected: [Expected; 2],
    plan: Py<PythonPlan>,
    communicator: Py<PyAny>,
    /// How many moves have been started, and the arrays of the one that is under way.
    started: u64,
    under_way: Option<[Py<PyAny>; 2]>,
}

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl PythonBound {
    /// Collective. The arrays, where there are any, are those that others will be like.
    pub fn new(
        plan: &Bound<'_, PythonPlan>,
        object: &Bound<'_, PyAny>,
        like: [Option<&Bound<'_, PyAny>>; 2],
        route: &str,
    ) -> PyResult<Self> {
        let ranks = communicator::borrowed(object)?;
        let known = plan.get();
        let dtype = known.dtype.bind(plan.py());
        let mut expected = SIDES.map(|side| {
            Expected::dense(side, ranks.rank(), known.plan.local(side, ranks.rank()), dtype)
        });
        let mut binder = known.plan.binder(known.element);
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
        let bound = binder.bind(&ranks).map_err(move_error)?;
        let (plan, communicator) = (plan.clone().unbind(), object.clone().unbind());
        Ok(Self { bound, expected, plan, communicator, started: 0, under_way: None })
    }

    /// Looks at both arrays; where one does not fit, the other ranks are told.
    fn look(&mut self, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<[Look; 2]> {
        if self.bound.is_under_way() {
            return Err(MoveError::new_err(
                "a move is under way: keep what `start` returns, and `finish` it before the next",
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
            self.bound.decline(*error);
            ArrayError::new_err(words)
        })
    }

    /// Whether this is the last move that was started, and it is not finished.
    pub fn is_under_way(&self, number: u64) -> bool {
        self.started == number && self.under_way.is_some()
    }

    /// Whether finishing would not wait.
    pub fn test_started(&mut self) -> PyResult<bool> {
        self.bound.test().map_err(move_error)
    }

    /// Waits for the move that is under way, into the array that it was started with.
    pub fn finish_started(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some([_, out]) = self.under_way.take() else { return Ok(()) };
        let expected = &self.expected[Side::Destination as usize];
        match expected.look(out.bind(py)) {
            Ok(look) => {
                // SAFETY: the array is kept and was looked at just now; other threads of Python
                // wait while this one holds the interpreter's lock, and no other slice is there.
                let bytes = unsafe { look.destination() };
                self.bound.finish(bytes).map_err(move_error)
            }
            // It was resized in between: what arrives goes nowhere.
            Err(Misfit { words, .. }) => {
                let bytes = self.bound.local_len(Side::Destination) * self.bound.element().bytes();
                self.bound.finish(&mut vec![0; bytes]).map_err(move_error)?;
                Err(ArrayError::new_err(words))
            }
        }
    }
}

#[pymethods]
impl PythonBound {
    /// Moves `a`, this rank's part as the source has it, to `out`, its part as the destination
    /// has it. Collective. Nothing is copied but elements, from array to array.
    fn run(&mut self, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let [source, destination] = self.look(a, out)?;
        let places = [source.place(), destination.place()];
        // SAFETY: the array is borrowed and was looked at just now, and shares no memory with the
        // other. Other threads of Python wait while this one holds the interpreter's lock.
        let source = || unsafe { source.source() };
        // SAFETY: the array is borrowed and was looked at just now, shares no memory with the other,
        // and no other slice of it is there. Other threads of Python wait, as above.
        let destination = || unsafe { destination.destination() };
        run_between(&mut self.bound, places, source, destination).map_err(move_error)
    }

    /// Begins the same, so that other work can be done until the move that is returned is
    /// finished, which also leaving a `with` does. Collective. `a` may be written to at once;
    /// `out` is written to when the move is finished.
    fn start(
        slf: &Bound<'_, Self>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<Move> {
        let this = &mut *slf.borrow_mut();
        let [source, destination] = this.look(a, out)?;
        // SAFETY: the array is borrowed and was looked at just now. Other threads of Python wait
        // while this one holds the interpreter's lock.
        let source = unsafe { source.source() };
        this.bound.start(source, destination.len()).map_err(move_error)?;
        this.started += 1;
        this.under_way = Some([a.clone().unbind(), out.clone().unbind()]);
        Ok(Move { bound: slf.clone().unbind(), number: this.started })
    }

    /// The shape of this rank's local array on a side, `"src"` or `"dst"`.
    #[pyo3(name = "local_shape")]
    fn shape_of<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.expected_on(side)?.shape)
    }

    /// A new dense array for this rank's part on a side, its elements not initialised.
    fn empty<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        let plan = self.plan.get();
        let expected = self.expected_on(side)?;
        empty(py, &plan.plan.local(expected.side, expected.rank), &plan.dtype)
    }

    /// A new dense array for this rank's part on a side, its bytes zero, in memory that the other
    /// ranks of its node can use in `run`: where all ranks are on one node and bring such arrays,
    /// elements are copied once, from array to array. Collective.
    fn shared<'py>(&self, py: Python<'py>, side: &str) -> PyResult<Bound<'py, PyAny>> {
        if self.bound.is_under_way() {
            return Err(MoveError::new_err("a move is under way: `finish` it before"));
        }
        match self.expected_on(side) {
            Ok(expected) => {
                let made = self.bound.shared_array(expected.side).map_err(move_error)?;
                SharedMemory::array(py, made, expected)
            }
            Err(error) => {
                let what = format!("a shared array of rank {}", self.bound.rank());
                let reason = error.value(py).to_string();
                self.bound.decline_shared_array(Error::Unavailable { what, reason });
                Err(error)
            }
        }
    }

    /// The plan.
    #[getter]
    fn plan(&self, py: Python<'_>) -> Py<PythonPlan> {
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
        self.bound.rank()
    }

    /// How elements get from rank to rank in `run`.
    #[getter]
    fn way(&self) -> String {
        self.bound.way().to_string()
    }

    /// What runs on this rank: the plan, the schedule, the way, the kernels.
    fn explain(&self) -> String {
        self.bound.explain()
    }

    fn __repr__(&self) -> String {
        let words = self.expected.iter().map(|one| {
            let shape: Vec<String> = one.shape.iter().map(usize::to_string).collect();
            format!("{} ({})", of_side(one.side), shape.join(", "))
        });
        let words: Vec<String> = words.collect();
        format!("<redist.Bound: rank {}, {}>", self.bound.rank(), words.join(" to "))
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

fn named(word: &str) -> Result<Route, Error> {
    let found = ROUTES.iter().find(|(name, _)| *name == word).map(|(_, route)| *route);
    found.ok_or_else(|| Error::Unavailable {
        what: format!("the route {word:?}"),
        reason: format!("write one of {}", ROUTES.map(|(name, _)| name).join(", ")),
    })
}

/// Tells the other ranks, which bind.
fn refuse(ranks: &impl Transport, error: Error) -> PyErr {
    AnyBinder::decline(ranks, error.clone());
    move_error(error)
}
