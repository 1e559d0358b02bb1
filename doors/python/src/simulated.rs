//! Ranks of a plan as threads of this process. Unsafe, because numpy's arrays become slices: `Look`
//! has proved once all that these need.

use crate::array::{self, Expected, Look, Misfit};
use crate::dtype::tuple;
use crate::errors::{ArrayError, MoveError};
use crate::thread::without_lock;
use crate::words::{argument, of_side};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use redist::layout::Padding;
use redist::threads::Failure;
use redist::{AnyElement, Side};
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{DoorPlan, NotVerified, RankArrays, simulate, verify};

/// The parts of a `redist.Plan` that its ranks need.
#[derive(Clone, Copy)]
pub struct PlanOf<'a> {
    pub plan: &'a DoorPlan,
    pub dtype: &'a Py<PyArrayDescr>,
    pub element: AnyElement,
}

/// A source array, checked, with its places in memory if it is not dense.
struct Brought {
    look: Look,
    padding: Option<Padding>,
}

/// Deals the stored array of a side to its ranks.
pub fn scatter<'py>(
    plan: PlanOf<'_>,
    whole: &Bound<'py, PyAny>,
    side: Side,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = whole.py();
    let dealing = plan.plan.scattering(side);
    let must = dealing.extents();
    if let Ok(array) = whole.cast::<PyUntypedArray>()
        && array.shape() != must
    {
        return Err(ArrayError::new_err(format!(
            "whole has the shape {}, but the {} array, of all ranks together, has {}; bring one of that shape",
            tuple(array.shape()),
            of_side(side),
            tuple(&must)
        )));
    }
    let rank_0 = brought(plan, &dealing, 0, ("whole", whole))?;
    let others = (1..dealing.any().ranks()).map(|_| None);
    let given = [Some(rank_0)].into_iter().chain(others).collect();
    let mut parts = moved(plan, &dealing, given, "empty", py)?;
    // The other side may have more ranks.
    for rank in parts.len()..plan.plan.any().ranks() {
        parts.push(array::empty(py, plan.plan.local(side, rank), plan.dtype)?);
    }
    Ok(parts)
}

/// Puts the parts of a side's ranks together.
pub fn gather<'py>(
    plan: PlanOf<'_>,
    parts: &Bound<'py, PyAny>,
    side: Side,
) -> PyResult<Bound<'py, PyAny>> {
    let py = parts.py();
    let joining = plan.plan.scattering(side).inverse();
    let given = of_all(plan, &joining, parts)?;
    let mut made = moved(plan, &joining, given, "empty", py)?;
    Ok(made.swap_remove(0))
}

/// Moves the parts of all ranks.
pub fn simulated<'py>(
    plan: PlanOf<'_>,
    parts: &Bound<'py, PyAny>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let given = of_all(plan, plan.plan, parts)?;
    // Elements beside a section are not written.
    moved(plan, plan.plan, given, "zeros", parts.py())
}

/// Moves numbers between threads, and compares all that arrives.
pub fn verified(plan: PlanOf<'_>, py: Python<'_>) -> PyResult<usize> {
    let (known, element) = (plan.plan, plan.element);
    // SAFETY: `verify` makes its arrays itself, in memory of Rust's, and knows nothing of Python.
    let found = unsafe { without_lock(py, || verify(known, element)) };
    found.map_err(|error| match error {
        NotVerified::Failure(failure) => failed(failure),
        other => MoveError::new_err(in_names(&other.to_string(), PYTHON)),
    })
}

/// Checks an array for each rank that `moving` has on its source's side.
fn of_all(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    parts: &Bound<'_, PyAny>,
) -> PyResult<Vec<Option<Brought>>> {
    let ranks = moving.any().ranks();
    let write = "a list with an array for each rank, as `scatter` makes it";
    let parts: Vec<Bound<'_, PyAny>> = argument("parts", parts, write)?;
    if parts.len() < ranks {
        return Err(ArrayError::new_err(format!(
            "parts has {} arrays for {ranks} ranks; write {write}",
            parts.len()
        )));
    }
    let beyond = parts.iter().enumerate().skip(ranks);
    for (rank, part) in beyond {
        // Of a plan whose other side has more ranks.
        brought(plan, moving, rank, (&format!("parts[{rank}]"), part))?;
    }
    let own = parts.iter().enumerate().take(ranks);
    let own = own.map(|(rank, part)| {
        brought(plan, moving, rank, (&format!("parts[{rank}]"), part)).map(Some)
    });
    own.collect()
}

fn brought(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    rank: usize,
    (name, array): (&str, &Bound<'_, PyAny>),
) -> PyResult<Brought> {
    let part = moving.local(Side::Source, rank);
    let dtype = plan.dtype.bind(array.py());
    let mut expected = Expected::dense(Side::Source, rank, part, dtype).called(name);
    let looked = expected.like(array).and_then(|strides| {
        let padding = strides.map(Padding::Strides);
        Ok(Brought { look: expected.look(array)?, padding })
    });
    looked.map_err(|Misfit { words, .. }| ArrayError::new_err(words))
}

/// Moves arrays by the threads' transport to new ones, made by this function of numpy's; a rank
/// without an array has no element.
fn moved<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    given: Vec<Option<Brought>>,
    make: &str,
    py: Python<'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let dtype = plan.dtype;
    let mut arrays = Vec::with_capacity(given.len());
    let mut made = Vec::with_capacity(given.len());
    for (rank, given) in given.iter().enumerate() {
        let part = moving.local(Side::Destination, rank);
        let array = array::made(make, py, part.clone(), dtype)?;
        let expected = Expected::dense(Side::Destination, rank, part, dtype.bind(py));
        let look = expected.look(&array).map_err(|misfit| ArrayError::new_err(misfit.words))?;
        // SAFETY: the array was made just now, is kept in `made`, and no other code knows it.
        let destination = unsafe { look.destination() };
        let source: &[u8] = match given {
            // SAFETY: the caller has borrowed the array, and it was checked just now. The program
            // lets no other thread write to it in this call, as its docs ask.
            Some(given) => unsafe { given.look.source() },
            None => &[],
        };
        let padding = given.as_ref().and_then(|given| given.padding.clone());
        arrays.push(RankArrays { source, padding, destination });
        made.push(array);
    }
    let element = plan.element;
    // SAFETY: the move uses only these bytes, of arrays that are borrowed or kept here.
    unsafe { without_lock(py, || simulate(moving, element, arrays)) }.map_err(failed)?;
    Ok(made)
}

fn failed(failure: Failure<redist::Error>) -> PyErr {
    MoveError::new_err(in_names(&failure.to_string(), PYTHON))
}
