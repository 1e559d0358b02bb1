//! Element types in numpy's words: ranks compare all that tells two types apart.

use crate::errors::PlanError;
use crate::names::NUMBERS;
use crate::words::shown;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use redist::AnyElement;

/// Types of numpy's own have lower numbers than types of other packages.
const OWN_TYPES: i32 = 24;

/// Returns the element type of a dtype: a number of Rust's if there is one, bytes in numpy's words
/// otherwise. Bytes of the kind `V` without fields are any.
pub fn element(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<AnyElement> {
    let refused = |words: String| Err(PlanError::new_err(words));
    if dtype.has_object() {
        return refused(format!(
            "dtype {dtype}: Python objects have no bytes that could be moved; write a type of numbers, as \"float64\""
        ));
    }
    if dtype.has_subarray() {
        return refused(format!(
            "dtype {dtype}: no array has such elements; plan for {}, and write the axes of length \
             {:?} behind those of the shape, as `*` in both layouts",
            words(&dtype.base())?,
            dtype.shape()
        ));
    }
    let (bytes, words) = (dtype.itemsize(), words(dtype)?);
    let number = NUMBERS.iter().find(|(_, numpy)| *numpy == words).map(|(rust, _)| *rust);
    let element = match number.and_then(AnyElement::named) {
        Some(number) => Some(number),
        None if is_any_bytes(dtype) => AnyElement::of_bytes(bytes),
        None => AnyElement::of_bytes_in_words(bytes, &words),
    };
    let words =
        || format!("dtype {dtype}: its elements have no bytes; write one with some, as \"V1\"");
    element.map_or_else(|| refused(words()), Ok)
}

fn is_own(dtype: &Bound<'_, PyArrayDescr>) -> bool {
    dtype.num() < OWN_TYPES
}

fn is_any_bytes(dtype: &Bound<'_, PyArrayDescr>) -> bool {
    dtype.kind() == b'V' && is_own(dtype) && !dtype.has_fields() && !dtype.has_subarray()
}

/// Returns words that two dtypes share if their elements mean the same:
/// numpy's, as in `float64`, `>f8`, `datetime64[ms]`, `[('x', '<f4'), ('y', '<i4')]`. Titles,
/// metadata, and whether a record is to be aligned play no part.
pub fn words(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    match dtype.has_fields() || dtype.has_subarray() {
        true => format_of(dtype),
        false => Ok(dtype.to_string()),
    }
}

/// Returns a dtype as numpy writes it within a struct: `'<f4'`, without the quotes where it stands
/// in no struct.
fn format_of(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    if dtype.has_subarray() {
        return Ok(format!("({}, {})", format_of(&dtype.base())?, tuple(&dtype.shape())));
    }
    let Some(names) = dtype.names() else {
        // Types of other packages have a name, but share the text of their bytes.
        let text = match is_own(dtype) {
            true => dtype.getattr("str")?.to_string(),
            false => dtype.to_string(),
        };
        return Ok(format!("'{text}'"));
    };
    let fields = names.into_iter().map(|name| Ok((dtype.get_field(&name)?, name)));
    let fields: Vec<((Bound<'_, PyArrayDescr>, usize), String)> =
        fields.collect::<PyResult<_>>()?;
    let mut end = 0;
    let is_dense = fields.iter().all(|((field, offset), _)| {
        let follows = *offset == end;
        end += field.itemsize();
        follows
    });
    match is_dense && end == dtype.itemsize() {
        true => {
            let list = fields.iter().map(|((field, _), name)| in_list(name, field));
            Ok(format!("[{}]", list.collect::<PyResult<Vec<_>>>()?.join(", ")))
        }
        false => {
            let formats = fields.iter().map(|((field, _), _)| format_of(field));
            let formats = formats.collect::<PyResult<Vec<_>>>()?.join(", ");
            let names: Vec<String> = fields.iter().map(|(_, name)| format!("'{name}'")).collect();
            let offsets: Vec<usize> = fields.iter().map(|((_, offset), _)| *offset).collect();
            Ok(format!(
                "{{'names': [{}], 'formats': [{formats}], 'offsets': {offsets:?}, 'itemsize': {}}}",
                names.join(", "),
                dtype.itemsize()
            ))
        }
    }
}

/// Returns a field of a record without gaps, whose arrays have their shape behind the type.
fn in_list(name: &str, field: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    Ok(match field.has_subarray() {
        true => format!("('{name}', {}, {})", format_of(&field.base())?, tuple(&field.shape())),
        false => format!("('{name}', {})", format_of(field)?),
    })
}

/// Writes numbers as Python's tuple.
pub fn tuple<T: std::fmt::Display>(numbers: &[T]) -> String {
    let words: Vec<String> = numbers.iter().map(T::to_string).collect();
    format!("({}{})", words.join(", "), if words.len() == 1 { "," } else { "" })
}

/// Returns numpy's dtype for what a user names one by.
pub fn named<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDescr>> {
    PyArrayDescr::new(dtype.py(), dtype).map_err(|error| {
        let found = shown(dtype);
        let numpys = match found.strip_prefix("torch.") {
            Some("bfloat16") => "u2",
            Some(name) => name,
            None => "f8",
        };
        let why = error.value(dtype.py()).to_string();
        PlanError::new_err(format!("dtype {found}: {why}; write one of numpy's, as {numpys:?}"))
    })
}
