use crate::errors::{PlanError, plan_error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use redist::Side;
use redist_doors::LayoutNumbers;

pub fn side(word: &str) -> PyResult<Side> {
    match word {
        "src" => Ok(Side::Source),
        "dst" => Ok(Side::Destination),
        other => Err(PlanError::new_err(format!("side {other:?}: write \"src\" or \"dst\""))),
    }
}

pub fn of_side(side: Side) -> &'static str {
    match side {
        Side::Source => "src",
        Side::Destination => "dst",
    }
}

/// An argument of type `T`: other values are `PlanError`s, other types Python's `TypeError`s.
pub struct Given<T>(pub T);

impl<'a, 'py, T> FromPyObject<'a, 'py> for Given<T>
where
    T: FromPyObject<'a, 'py>,
    T::Error: Into<PyErr>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let py = object.py();
        T::extract(object).map(Self).map_err(|error| {
            let error: PyErr = error.into();
            if error.is_instance_of::<PyTypeError>(py) {
                return error;
            }
            let found = object.repr().map(|text| text.to_string()).unwrap_or_default();
            plan_error(format!("{found} is out of range here: {}", error.value(py)))
        })
    }
}

/// Returns a layout in the notation, from numbers.
///
/// Each dimension has a length of `blocks`: -1 if it is not distributed, 0 for one block for each
/// rank. The `grid` has the extents of the process grid, ignored for such a dimension. The grid
/// coordinates of block 0 are `first`. The `ranks` of the communicator form the grid.
#[pyfunction]
#[pyo3(signature = (blocks, grid, *, first=None, ranks=None, column_major_ranks=false, fortran=false))]
pub fn layout(
    blocks: Given<Vec<i64>>,
    grid: Given<Vec<i64>>,
    first: Option<Given<Vec<i64>>>,
    ranks: Option<Given<Vec<i64>>>,
    column_major_ranks: bool,
    fortran: bool,
) -> PyResult<String> {
    let (Given(blocks), Given(grid)) = (blocks, grid);
    let [first, ranks] = [first, ranks].map(|list| list.map(|given| given.0).unwrap_or_default());
    let numbers = LayoutNumbers { blocks, grid, first, ranks, column_major_ranks, fortran };
    numbers.notation().map_err(plan_error)
}
