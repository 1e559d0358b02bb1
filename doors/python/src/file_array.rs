//! An array in files, of which boxes are read.

use crate::errors::{FileError, PlanError};
use crate::files::file_error;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist_files::{Manifest, OpenedArray, RunOptions};
use std::sync::{Arc, PoisonError, RwLock};

/// Reads boxes of an array in files: what `redist.FileArray` is made of.
#[pyclass(module = "redist", frozen, name = "OpenedFiles")]
pub struct OpenedFiles {
    /// `None` once it is closed.
    array: RwLock<Option<Arc<OpenedArray>>>,
}

#[pymethods]
impl OpenedFiles {
    /// Opens the only array of a manifest in JSON, to be read in `memory` bytes.
    #[new]
    fn new(py: Python<'_>, manifest: &str, memory: usize) -> PyResult<Self> {
        let least = RunOptions::MIN_MEMORY;
        if memory < least {
            return Err(PlanError::new_err(format!("memory is at least {least} bytes")));
        }
        let opened = py.detach(|| Manifest::from_json(manifest)?.open(memory));
        let array = RwLock::new(Some(Arc::new(opened.map_err(file_error)?)));
        Ok(Self { array })
    }

    /// Extents, in elements.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.opened()?.shape())
    }

    /// The code of the elements.
    #[getter]
    fn code(&self) -> PyResult<String> {
        Ok(self.opened()?.code().into())
    }

    /// Bytes of an element.
    #[getter]
    fn itemsize(&self) -> PyResult<usize> {
        Ok(self.opened()?.element_bytes())
    }

    /// Extents of chunks in the files, if there are some.
    #[getter]
    fn chunks<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.opened()?.chunk().map(|chunk| PyTuple::new(py, chunk)).transpose()
    }

    /// Reads every `steps`-th index from `first` on, `extents` of them, into an array of bytes.
    fn read_into(
        &self,
        py: Python<'_>,
        bounds: (Vec<usize>, Vec<usize>, Vec<usize>),
        to: &Bound<'_, PyArray1<u8>>,
    ) -> PyResult<()> {
        let (first, steps, extents) = bounds;
        let array = self.opened()?;
        let mut to = to.try_readwrite()?;
        let to = to.as_slice_mut()?;
        py.detach(|| array.read((&first, &steps), &extents, to)).map_err(file_error)
    }

    /// Closes the files; a call that reads at the time ends first.
    fn close(&self) {
        *self.array.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// `True` once `close` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.array.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

impl OpenedFiles {
    fn opened(&self) -> PyResult<Arc<OpenedArray>> {
        let array = self.array.read().unwrap_or_else(PoisonError::into_inner).clone();
        array.ok_or_else(|| {
            FileError::new_err("the array is closed; open it again by `redist.open_array`")
        })
    }
}
