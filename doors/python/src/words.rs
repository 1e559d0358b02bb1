//! Arguments of Python's calls, and the words that refuse them: each names the argument, what was
//! found, and what to write.

use crate::errors::{PlanError, plan_error};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use redist::Side;
use redist_doors::LayoutNumbers;

/// Characters of a value that a message shows at most.
const SHOWN: usize = 80;

/// Returns an argument's value. Values of another type are Python's `TypeError`s, others that do
/// not fit are `PlanError`s.
pub fn argument<'py, T>(name: &str, object: &Bound<'py, PyAny>, write: &str) -> PyResult<T>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    let extracted: Result<T, PyErr> = object.extract().map_err(Into::into);
    extracted.map_err(|error| refused(name, object, write, &error))
}

/// Returns an argument's value, or `None` for Python's `None`.
pub fn optional<'py, T>(
    name: &str,
    object: Option<&Bound<'py, PyAny>>,
    write: &str,
) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    object.map(|object| argument(name, object, write)).transpose()
}

/// Refuses an argument because of an error that its conversion has raised.
fn refused(name: &str, object: &Bound<'_, PyAny>, write: &str, error: &PyErr) -> PyErr {
    let py = object.py();
    let words = format!("{name} {}: write {write}", shown(object));
    // A number out of range, or a list of another length, has the right type.
    match error.is_instance_of::<PyOverflowError>(py) || error.is_instance_of::<PyValueError>(py) {
        true => PlanError::new_err(words),
        false => PyTypeError::new_err(words),
    }
}

/// Refuses a value of the right type.
pub fn no_such(name: &str, object: &Bound<'_, PyAny>, write: &str) -> PyErr {
    PlanError::new_err(format!("{name} {}: write {write}", shown(object)))
}

/// Returns a value as Python shows it, shortened.
pub fn shown(object: &Bound<'_, PyAny>) -> String {
    let text = object.repr().map(|text| text.to_string());
    let text = text.unwrap_or_else(|_| object.get_type().to_string());
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

const SIDES: &str = "\"src\" or \"dst\"";

pub fn side(word: &Bound<'_, PyAny>) -> PyResult<Side> {
    match argument::<String>("side", word, SIDES)?.as_str() {
        "src" => Ok(Side::Source),
        "dst" => Ok(Side::Destination),
        _ => Err(no_such("side", word, SIDES)),
    }
}

pub fn of_side(side: Side) -> &'static str {
    match side {
        Side::Source => "src",
        Side::Destination => "dst",
    }
}

/// Returns one of these words, by which users name the values.
pub fn one_of<T: Copy, const N: usize>(
    name: &str,
    word: &Bound<'_, PyAny>,
    known: [(&str, T); N],
) -> PyResult<T> {
    let write = format!("one of {}", known.map(|(word, _)| format!("{word:?}")).join(", "));
    let given: String = argument(name, word, &write)?;
    let found = known.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
    found.ok_or_else(|| no_such(name, word, &write))
}

/// Returns `True` or `False`, which stands for `name`.
pub fn yes_or_no(name: &str, object: &Bound<'_, PyAny>) -> PyResult<bool> {
    argument(name, object, "True or False")
}

/// Returns a text.
pub fn text(name: &str, object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    optional(name, object, "a text")
}

/// Returns the text of a side's layout.
pub fn layout_text(name: &str, object: &Bound<'_, PyAny>) -> PyResult<String> {
    let write = "a layout's text, as \"(block, *) onto 4\", or what `redist.layout` returns; the \
                 arguments are Plan(shape, src, dst, dtype)";
    argument(name, object, write)
}

/// Returns a layout in the notation, from numbers.
///
/// Each dimension has a length of `blocks`: -1 if it is not distributed, 0 for one block for each
/// rank. The `grid` has the extents of the process grid, ignored for such a dimension. The grid
/// coordinates of block 0 are `first`. The `ranks` of the communicator form the grid.
#[pyfunction]
#[pyo3(signature = (blocks, grid, *, first=None, ranks=None, column_major_ranks=None, fortran=None))]
#[pyo3(
    text_signature = "(blocks, grid, *, first=None, ranks=None, column_major_ranks=False, fortran=False)"
)]
pub fn layout(
    blocks: &Bound<'_, PyAny>,
    grid: &Bound<'_, PyAny>,
    first: Option<&Bound<'_, PyAny>>,
    ranks: Option<&Bound<'_, PyAny>>,
    column_major_ranks: Option<&Bound<'_, PyAny>>,
    fortran: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let blocks_are = "a list with a number for each dimension: the length of its blocks, 0 for one \
                      block for each rank, or -1 if it is not distributed";
    let grid_is = "a list with a number for each dimension: how many ranks it is dealt to";
    let flag = |name, given: Option<&Bound<'_, PyAny>>| {
        given.map_or(Ok(false), |given| yes_or_no(name, given))
    };
    let first_is = "a list with a number for each dimension: the grid coordinate of block 0";
    let ranks_are = "a list of ranks, from 0 on, one for each cell of the grid";
    let numbers = LayoutNumbers {
        blocks: argument("blocks", blocks, blocks_are)?,
        grid: argument("grid", grid, grid_is)?,
        first: optional("first", first, first_is)?.unwrap_or_default(),
        ranks: optional("ranks", ranks, ranks_are)?.unwrap_or_default(),
        column_major_ranks: flag("column_major_ranks", column_major_ranks)?,
        fortran: flag("fortran", fortran)?,
        ..LayoutNumbers::default()
    };
    numbers.notation().map_err(plan_error)
}
