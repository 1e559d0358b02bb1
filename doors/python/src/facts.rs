//! Facts about a plan as a dictionary, by the names of `redist explain --json`.

use crate::names::NUMBERS;
use crate::simulated::PlanOf;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use redist::Side;
use redist::plan::{Axis, Class, Figure};

/// Returns the facts that are found without a schedule.
pub fn facts<'py>(plan: PlanOf<'_>, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
    let (known, any) = (plan.plan, plan.plan.any());
    let facts = PyDict::new(py);
    facts.set_item("from", known.layout(Side::Source))?;
    facts.set_item("to", known.layout(Side::Destination))?;
    facts.set_item("extents", known.extents())?;
    let elements =
        known.extents().into_iter().fold(1, |all: u128, one| all.saturating_mul(one as u128));
    let words = crate::dtype::words(plan.dtype.bind(py))?;
    let name = NUMBERS.iter().find(|(_, numpy)| *numpy == words).map(|(rust, _)| *rust);
    facts.set_item("elements", elements)?;
    facts.set_item("element", name.unwrap_or(&words))?;
    facts.set_item("element_bytes", plan.element.bytes())?;
    facts.set_item("bytes", elements.saturating_mul(plan.element.bytes() as u128))?;
    let ranks = PyDict::new(py);
    ranks.set_item("needed", any.ranks())?;
    facts.set_item("ranks", ranks)?;
    let each = |number: fn(&Axis) -> usize| any.axes().iter().map(number).collect::<Vec<usize>>();
    let classes = any.axes().iter().map(|axis| class(axis.class()));
    facts.set_item("class", classes.map(|(name, _)| name).collect::<Vec<_>>())?;
    let parameters = any.axes().iter().map(|axis| match class(axis.class()).1 {
        Some([k, r]) => {
            let both = PyDict::new(py);
            both.set_item("k", k)?;
            both.set_item("r", r)?;
            Ok(Some(both))
        }
        None => Ok(None),
    });
    facts.set_item("class_parameters", parameters.collect::<PyResult<Vec<_>>>()?)?;
    facts.set_item("window", each(Axis::window))?;
    facts.set_item("window_pieces", each(Axis::window_pieces))?;
    facts.set_item("dimension_pieces", each(Axis::pieces))?;
    facts.set_item("elements_that_stay", exact(known.stays()))?;
    facts.set_item("min_steps", exact(known.steps()))?;
    let memory = known.memory(plan.element);
    let of_memory = PyDict::new(py);
    of_memory.set_item("peak_bytes", memory.value)?;
    of_memory.set_item("peak_is_bound", !memory.is_exact)?;
    facts.set_item("memory", of_memory)?;
    facts.set_item("digest", any.digest().to_string())?;
    Ok(facts)
}

fn exact(figure: Figure) -> Option<usize> {
    figure.is_exact.then_some(figure.value)
}

fn class(class: Class) -> (&'static str, Option<[usize; 2]>) {
    match class {
        Class::Identity => ("identity", None),
        Class::KrToR { k, r } => ("kr_to_r", Some([k, r])),
        Class::RToKr { k, r } => ("r_to_kr", Some([k, r])),
        Class::General => ("general", None),
    }
}
