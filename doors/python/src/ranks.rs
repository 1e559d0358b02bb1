//! Ranks that are threads of this process: `redist.threads`. Unsafe, because a rank is lent to the
//! functions that Python calls on the rank's thread.

use crate::array::type_name;
use crate::errors::{CommunicatorError, RankError};
use crate::thread::{to_the_end, without_lock};
use crate::words::{argument, no_such, shown};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use redist::Error;
use redist::threads::{self, Failure, Rank};
use redist_doors::DoorRanks;
use redist_doors::words::{PYTHON, in_names};
use std::cell::Cell;
use std::fmt;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// A rank that is a thread: the communicator that `redist.threads.run` gives a function.
///
/// Only its own thread uses it, while the function runs.
#[pyclass(frozen, name = "Rank", module = "redist.threads")]
#[derive(Clone, Copy)]
pub struct PythonRank {
    /// Number of the run, from 1.
    run: u64,
    /// This rank's number, from 0.
    rank: usize,
    /// Number of ranks.
    size: usize,
}

/// A rank that this thread lends.
#[derive(Clone, Copy)]
struct Lent {
    /// Number of the run, from 1.
    run: u64,
    /// The rank, while its function runs.
    rank: *const Rank,
    /// The process of the run: a copy that `fork` makes has no other ranks.
    process: u32,
}

thread_local! {
    /// The rank of this thread, while its function runs.
    static LENT: Cell<Option<Lent>> = const { Cell::new(None) };
}

/// Number of the last run.
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Lends a rank to what `work` calls on this thread.
fn lend<R>(run: u64, rank: &Rank, work: impl FnOnce() -> R) -> R {
    let _back = GiveBack(LENT.replace(Some(Lent { run, rank, process: process::id() })));
    work()
}

/// Ends a loan, also after a panic.
struct GiveBack(Option<Lent>);

impl Drop for GiveBack {
    fn drop(&mut self) {
        LENT.set(self.0);
    }
}

impl PythonRank {
    /// Passes the rank on, on its own thread and while its function runs. Elsewhere it is an error.
    pub fn with<R>(self, work: impl FnOnce(&Rank) -> R) -> Result<R, Error> {
        let is_own = |lent: &Lent| lent.run == self.run && lent.process == process::id();
        let Some(lent) = LENT.get().filter(is_own) else { return Err(self.absent()) };
        // SAFETY: `lend` has borrowed the rank on this thread, and takes the pointer back before the
        // loan ends. Its call goes on, because `work` runs within it.
        let rank = unsafe { &*lent.rank };
        if rank.rank() == self.rank { Ok(work(rank)) } else { Err(self.absent()) }
    }

    /// Returns the rank of an object, if it is one and this is its thread.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Ok(rank) = object.cast::<Self>() else { return Ok(None) };
        let rank = *rank.get();
        match rank.with(|_| ()) {
            Ok(()) => Ok(Some(rank)),
            Err(_) => Err(CommunicatorError::new_err(format!(
                "rank {} of threads has ended, or this is another thread or process; use a rank in the \
                 function that `redist.threads.run` gave it to",
                rank.rank
            ))),
        }
    }

    /// The rank's number.
    pub fn number(self) -> usize {
        self.rank
    }

    fn absent(self) -> Error {
        let what = format!("rank {} of threads", self.rank);
        Error::Unavailable { what, reason: "its function has returned".into() }
    }
}

#[pymethods]
impl PythonRank {
    /// This rank's number, from 0.
    #[getter]
    fn rank(&self) -> usize {
        self.rank
    }

    /// The number of ranks.
    #[getter]
    fn size(&self) -> usize {
        self.size
    }

    /// Returns this rank's number, as mpi4py does.
    #[pyo3(name = "Get_rank")]
    fn get_rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks, as mpi4py does.
    #[pyo3(name = "Get_size")]
    fn get_size(&self) -> usize {
        self.size
    }

    /// Waits until all ranks have called it. Collective.
    fn barrier(slf: &Bound<'_, Self>) -> PyResult<()> {
        let rank = Self::of(slf.as_any())?;
        let meet = || rank.map(|rank| rank.with(|rank| DoorRanks::Threads(rank).barrier())?);
        // SAFETY: ranks meet, and use nothing of Python's.
        let met = unsafe { without_lock(slf.py(), meet) };
        met.unwrap_or(Ok(())).map_err(crate::errors::move_error)
    }

    /// Waits until all ranks have called it, as mpi4py does. Collective.
    #[pyo3(name = "Barrier")]
    fn as_barrier(slf: &Bound<'_, Self>) -> PyResult<()> {
        Self::barrier(slf)
    }

    /// Refuses mpi4py's other calls.
    fn __getattr__(&self, name: &str) -> PyResult<Py<PyAny>> {
        Err(PyAttributeError::new_err(format!(
            "a Rank of threads has no {name:?}, only `rank`, `size` and `barrier`; threads share what \
             their function uses, and plans bring arrays from rank to rank"
        )))
    }

    fn __repr__(&self) -> String {
        format!("<redist.threads.Rank: {} of {}>", self.rank, self.size)
    }
}

/// An exception of a rank's function.
struct Raised {
    error: PyErr,
    /// Its type and its message.
    words: String,
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// Calls `function` on a thread for each of `ranks` ranks, with a `Rank` as its argument. Returns a list
/// of the results, by rank.
///
/// `Plan.bind` takes a `Rank` as it takes a communicator of mpi4py's. A rank that waits lets the other
/// threads of Python run. If a function raises, `run` raises a `RankError` from that exception when all
/// ranks have ended. Ranks that wait for that rank get a `MoveError`, so that none waits for ever.
#[pyfunction]
pub fn run(ranks: &Bound<'_, PyAny>, function: &Bound<'_, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
    let py = ranks.py();
    let write = "a number of ranks from 1 on; the arguments are run(ranks, function)";
    let count: usize = argument("ranks", ranks, write)?;
    if count == 0 {
        return Err(no_such("ranks", ranks, write));
    }
    if !function.is_callable() {
        return Err(PyTypeError::new_err(format!(
            "function {} is a {}, which cannot be called: write a function of a Rank",
            shown(function),
            type_name(function)
        )));
    }
    let function = function.clone().unbind();
    let run = RUNS.fetch_add(1, Ordering::Relaxed) + 1;
    let called = |rank: &Rank| {
        Python::attach(|py| to_the_end(|| lend(run, rank, || call(py, &function, run, rank))))
    };
    py.detach(|| threads::run(count, called)).map_err(|failure| failed(py, failure))
}

fn call(py: Python<'_>, function: &Py<PyAny>, run: u64, rank: &Rank) -> Result<Py<PyAny>, Raised> {
    let own = PythonRank { run, rank: rank.rank(), size: rank.size() };
    function.call1(py, (own,)).map_err(|error| {
        let words = error.to_string();
        Raised { error, words }
    })
}

/// Returns the error of the first rank that went wrong, with its exception as the cause.
fn failed(py: Python<'_>, failure: Failure<Raised>) -> PyErr {
    let words = match &failure {
        // The rank comes first, whatever the exception says.
        Failure::Error { rank, error } => format!("rank {rank} failed: {}", error.words),
        other => in_names(&other.to_string(), PYTHON),
    };
    let error = RankError::new_err(words);
    if let Failure::Error { error: raised, .. } = failure {
        error.set_cause(py, Some(raised.error));
    }
    error
}
