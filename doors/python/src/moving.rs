//! `redist.Move`.

use crate::bound::PythonBound;
use crate::errors::MoveError;
use pyo3::prelude::*;

/// A move that is under way: `Bound.start` makes it.
///
/// As a context manager, it is finished at the end of the block. One that nothing keeps any more is
/// waited for, like `finish`, but what goes wrong is only printed.
#[pyclass(frozen, module = "redist")]
pub struct Move {
    pub bound: Py<PythonBound>,
    /// Which of the starts it is.
    pub number: u64,
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

    /// Whether it has been finished.
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
