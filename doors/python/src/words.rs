//! Words that Python's users write.

use crate::errors::{PlanError, plan_error};
use pyo3::prelude::*;
use redist::Side;
use redist_doors::LayoutNumbers;

/// The side of `"src"` or `"dst"`.
pub fn side(word: &str) -> PyResult<Side> {
    match word {
        "src" => Ok(Side::Source),
        "dst" => Ok(Side::Destination),
        other => Err(PlanError::new_err(format!("side {other:?}: write \"src\" or \"dst\""))),
    }
}

/// What a side is called here.
#[cfg(feature = "mpi")]
pub fn of_side(side: Side) -> &'static str {
    match side {
        Side::Source => "src",
        Side::Destination => "dst",
    }
}

/// A layout from numbers, in the notation.
///
/// `blocks` has the length of blocks along each dimension: -1 for a dimension that is not
/// distributed, 0 for one block for each rank. `grid` has the extents of the process grid, which
/// are not looked at where a dimension is not distributed. `first` are the grid coordinates of the
/// first block, `ranks` those ranks of the communicator that form the grid.
#[pyfunction]
#[pyo3(signature = (blocks, grid, *, first=None, ranks=None, column_major_ranks=false, fortran=false))]
pub fn layout(
    blocks: Vec<i64>,
    grid: Vec<i64>,
    first: Option<Vec<i64>>,
    ranks: Option<Vec<i64>>,
    column_major_ranks: bool,
    fortran: bool,
) -> PyResult<String> {
    let (first, ranks) = (first.unwrap_or_default(), ranks.unwrap_or_default());
    let numbers = LayoutNumbers { blocks, grid, first, ranks, column_major_ranks, fortran };
    numbers.notation().map_err(plan_error)
}
