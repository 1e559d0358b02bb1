//! `redist.Move`: a move that was started.

use crate::errors::MoveError;
use pyo3::prelude::*;

/// Moves that a bound object has started, each with a number.
pub trait StartedMoves: Send + Sync {
    /// Returns `true` if this move is not finished.
    fn is_under_way(&self, py: Python<'_>, number: u64) -> PyResult<bool>;

    /// Returns `true` if finishing this move would not wait.
    fn test(&self, py: Python<'_>, number: u64) -> PyResult<bool>;

    /// Waits for this move, if it is under way. Returns `true` if it was.
    fn finish(&self, py: Python<'_>, number: u64) -> PyResult<bool>;

    /// Leaves this forgotten move to the next call, because no destructor waits.
    fn let_go(&self, number: u64);
}

/// A move under way, made by `Bound.start` or `BoundBatch.start`.
///
/// As a context manager, it is finished at the end of the block. A forgotten one is finished by the
/// next call of its `Bound`, which raises its errors; if the `Bound` is dropped, too, `out` stays as
/// it is.
#[pyclass(frozen, module = "redist")]
pub struct Move {
    bound: Box<dyn StartedMoves>,
    /// Number of the move among the started moves.
    number: u64,
}

impl Move {
    pub fn new(bound: impl StartedMoves + 'static, number: u64) -> Self {
        Self { bound: Box::new(bound), number }
    }
}

#[pymethods]
impl Move {
    /// Returns `True` if `finish` would not wait. Lets MPI make progress.
    fn test(&self, py: Python<'_>) -> PyResult<bool> {
        self.bound.test(py, self.number)
    }

    /// Waits until `out` holds its part. To be called once.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        match self.bound.finish(py, self.number)? {
            true => Ok(()),
            false => Err(MoveError::new_err("this move has been finished; `start` another")),
        }
    }

    /// `True` if it has been finished.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.bound.is_under_way(py, self.number)?)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Finishes the move, unless it is finished.
    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyAny>) -> PyResult<()> {
        self.bound.finish(py, self.number).map(drop)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let state = if self.is_finished(py)? { "finished" } else { "under way" };
        Ok(format!("<redist.Move: {state}>"))
    }
}

impl Drop for Move {
    fn drop(&mut self) {
        // Python may have ended, and its objects with it.
        Python::try_attach(|_| self.bound.let_go(self.number));
    }
}
