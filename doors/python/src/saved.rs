//! Plans as JSON, with their element types.

use crate::dtype;
use crate::errors::{PlanError, plan_error};
use crate::names::NUMBERS;
use crate::words::{argument, shown};
use numpy::PyArrayDescr;
use pyo3::prelude::*;
use redist_doors::{DoorPlan, from_json, to_json};

/// Returns an element type's name as Rust has it, or in numpy's words.
pub fn element_name(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    let words = dtype::words(dtype)?;
    let rust = NUMBERS.iter().find(|(_, numpy)| *numpy == words).map(|(rust, _)| *rust);
    Ok(rust.map_or(words, str::to_owned))
}

/// Returns a plan as JSON, with its element type.
pub fn written(plan: &DoorPlan, dtype: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    let json = dtype.py().import("json")?;
    let members = json.call_method1("loads", (to_json(plan),))?;
    members.set_item("element", element_name(dtype)?)?;
    json.call_method1("dumps", (members,))?.extract()
}

/// Reads a plan, and its element type; `None` where the text has none.
pub fn read<'py>(
    text: &Bound<'py, PyAny>,
) -> PyResult<(DoorPlan, Option<Bound<'py, PyArrayDescr>>)> {
    let py = text.py();
    let written: String = argument("text", text, "the text that `to_json` returns")?;
    let plan = from_json(&written).map_err(plan_error)?;
    let members = py.import("json")?.call_method1("loads", (text,))?;
    let element = members.call_method1("get", ("element",))?;
    if element.is_none() {
        return Ok((plan, None));
    }
    let name: String = argument("element", &element, "the name of a type")?;
    let words = NUMBERS.iter().find(|(rust, _)| *rust == name).map(|(_, numpy)| *numpy);
    let is_struct = name.starts_with(['[', '{', '(']);
    let object = match is_struct {
        // Numbers, texts and lists alone.
        true => py.import("ast")?.call_method1("literal_eval", (&name,)).map_err(|_| {
            PlanError::new_err(format!("element {}: write a type of numpy's", shown(&element)))
        })?,
        false => words.unwrap_or(&name).into_pyobject(py)?.into_any(),
    };
    Ok((plan, Some(dtype::named(&object)?)))
}
