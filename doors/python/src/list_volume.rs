//! `redist.ListVolume`.

use pyo3::prelude::*;
use redist::exec::ListVolume;

/// Numbers of a message of a move by lists, or of the elements that stay on a rank: of `Bound.volumes`.
#[pyclass(frozen, name = "ListVolume", module = "redist", get_all)]
pub struct PythonListVolume {
    /// The other rank; this one for what stays on it.
    rank: usize,
    /// The elements of the message.
    elements: usize,
    /// Runs of neighbours that are copied; a single element is one.
    runs: usize,
    /// Groups of runs at equal distances, of which each takes one loop without a list.
    strides: usize,
    /// Elements that are copied one by one, each by a place of its own in a list.
    singles: usize,
}

#[pymethods]
impl PythonListVolume {
    fn __repr__(&self) -> String {
        format!("<redist.ListVolume: rank {}, {}>", self.rank, ListVolume::from(self))
    }
}

impl From<&PythonListVolume> for ListVolume {
    fn from(own: &PythonListVolume) -> Self {
        let PythonListVolume { rank, elements, runs, strides, singles } = *own;
        Self { rank, elements, runs, strides, singles }
    }
}

impl From<&ListVolume> for PythonListVolume {
    fn from(own: &ListVolume) -> Self {
        let ListVolume { rank, elements, runs, strides, singles } = *own;
        Self { rank, elements, runs, strides, singles }
    }
}
