//! Arguments of Python's calls, and the words that refuse them: each names the argument, what was
//! found, and what to write.

use crate::errors::PlanError;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use redist::Side;

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

/// Returns the extents of an array.
pub fn extents(shape: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    shape.extract::<Vec<usize>>().or_else(|_| Ok(vec![shape.extract::<usize>()?])).map_err(
        |_: PyErr| {
            no_such(
                "shape",
                shape,
                "a tuple of numbers from 0 on; the arguments are Plan(shape, src, dst, dtype)",
            )
        },
    )
}
