//! Arrays in shared memory.

use crate::array::Expected;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use redist::mpi::SharedArray;
use redist_doors::{free_shared_anywhere, keep_shared};

/// The memory of an array of `Bound.shared`. The system frees it when all ranks' last arrays in it
/// are gone, and they next make an array or end. No rank waits for that.
#[pyclass(frozen, module = "redist")]
pub struct SharedMemory {
    /// Address of the first byte.
    address: usize,
    /// Number of bytes.
    bytes: usize,
}

impl SharedMemory {
    pub fn array<'py>(
        py: Python<'py>,
        made: SharedArray<u8>,
        expected: &Expected,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bytes = made.len();
        let memory = Self { address: keep_shared(made).addr(), bytes };
        let memory = py.import("numpy")?.call_method1("asarray", (Bound::new(py, memory)?,))?;
        Self::within(memory, expected)
    }

    /// Makes an array of zeros in memory of this process, which its threads share.
    pub fn private<'py>(py: Python<'py>, expected: &Expected) -> PyResult<Bound<'py, PyAny>> {
        let bytes = numpy::dtype::<u8>(py);
        let memory = py.import("numpy")?.call_method1("zeros", (expected.bytes(), bytes))?;
        Self::within(memory, expected)
    }

    fn within<'py>(memory: Bound<'py, PyAny>, expected: &Expected) -> PyResult<Bound<'py, PyAny>> {
        let py = memory.py();
        let strides = expected.strides.iter().map(|stride| stride * expected.itemsize);
        let named = PyDict::new(py);
        named.set_item("shape", PyTuple::new(py, &expected.shape)?)?;
        named.set_item("dtype", &expected.dtype)?;
        named.set_item("buffer", memory)?;
        named.set_item("strides", PyTuple::new(py, strides.collect::<Vec<_>>())?)?;
        py.import("numpy")?.call_method("ndarray", (), Some(&named))
    }
}

#[pymethods]
impl SharedMemory {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", "|u1")?;
        interface.set_item("shape", (self.bytes,))?;
        interface.set_item("data", (self.address, false))?;
        Ok(interface)
    }

    fn __repr__(&self) -> String {
        format!("<redist.SharedMemory: {} bytes>", self.bytes)
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // Numpy's arrays may end on any thread.
        free_shared_anywhere(self.address);
    }
}
