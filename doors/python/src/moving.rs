//! `redist.Move`.

use crate::bound::PythonBound;
use crate::errors::MoveError;
use pyo3::prelude::*;

/// A move that is under way: `Bound.start` makes it. As a context manager, it is finished at the
/// end of the block.
#[pyclass(frozen, unsendable, module = "redist")]
pub struct Move {
    pub bound: Py<PythonBound>,
    /// Which of the starts it is.
    pub number: u64,
}

#[pymethods]
impl Move {
    /// True if `finish` would not wait any more. Lets MPI make progress.
    fn test(&self, py: Python<'_>) -> PyResult<bool> {
        let mut bound = self.bound.bind(py).try_borrow_mut()?;
        if bound.is_under_way(self.number) { bound.test_started() } else { Ok(true) }
    }

    /// Waits until `out` holds its part. To be called once.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let mut bound = self.bound.bind(py).try_borrow_mut()?;
        if !bound.is_under_way(self.number) {
            return Err(MoveError::new_err("this move has been finished; `start` another"));
        }
        bound.finish_started(py)
    }

    /// Whether it has been finished.
    #[getter]
    fn is_finished(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(!self.bound.bind(py).try_borrow()?.is_under_way(self.number))
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// Finishes the move, unless that was done.
    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, py: Python<'_>, _raised: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut bound = self.bound.bind(py).try_borrow_mut()?;
        if bound.is_under_way(self.number) { bound.finish_started(py) } else { Ok(()) }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let state = if self.is_finished(py)? { "finished" } else { "under way" };
        Ok(format!("<redist.Move: {state}>"))
    }
}
