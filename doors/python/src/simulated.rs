//! Ranks of a plan as threads of this process. Unsafe, because numpy's arrays become slices: `Look`
//! has proved once all that these need.

use crate::array::{self, Expected, Look, Misfit};
use crate::dtype::tuple;
use crate::errors::{ArrayError, MoveError, PlanError};
use crate::scaling::Factors;
use crate::thread::without_lock;
use crate::words::{argument, of_side};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use redist::layout::Padding;
use redist::threads::Failure;
use redist::{AnyElement, Side};
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{
    DoorPlan, NotVerified, RankArrays, Scaling, overlap, simulate, simulate_scaled, verify,
};

/// The parts of a `redist.Plan` that its ranks need.
#[derive(Clone, Copy)]
pub struct PlanOf<'a> {
    pub plan: &'a DoorPlan,
    pub dtype: &'a Py<PyArrayDescr>,
    pub element: AnyElement,
}

/// An array, checked, with its places in memory if it is not dense.
struct Brought<'py> {
    array: Bound<'py, PyAny>,
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
    let rank_0 = brought(plan, &dealing, (Side::Source, 0), ("whole", whole))?;
    let ranks = dealing.any().ranks();
    let given = [Some(rank_0)].into_iter().chain((1..ranks).map(|_| None)).collect();
    let received = made(plan, &dealing, "empty", ranks, py)?;
    let mut parts = moved(plan, &dealing, given, received, None)?;
    // The other side may have more ranks.
    for rank in parts.len()..plan.plan.any().ranks() {
        parts.push(array::empty(py, plan.plan.local(side, rank).as_array(), plan.dtype)?);
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
    let given = of_all(plan, &joining, ("parts", "scatter"), Side::Source, parts)?;
    let received = made(plan, &joining, "empty", given.len(), py)?;
    let given = given.into_iter().map(Some).collect();
    Ok(moved(plan, &joining, given, received, None)?.swap_remove(0))
}

/// Options of `simulate`, as the user gives them.
#[derive(Clone, Copy)]
pub struct Changes<'a, 'py> {
    pub into: Option<&'a Bound<'py, PyAny>>,
    pub alpha: Option<&'a Bound<'py, PyAny>>,
    pub beta: Option<&'a Bound<'py, PyAny>>,
    pub conjugate: Option<&'a Bound<'py, PyAny>>,
}

/// Moves the parts of all ranks.
pub fn simulated<'py>(
    plan: PlanOf<'_>,
    parts: &Bound<'py, PyAny>,
    changes: Changes<'_, 'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = parts.py();
    let scaling = changes.scaling(plan, py)?;
    let given = of_all(plan, plan.plan, ("parts", "scatter"), Side::Source, parts)?;
    let received = match changes.into {
        Some(into) => {
            let made_by = ("into", "simulate");
            let received = of_all(plan, plan.plan, made_by, Side::Destination, into)?;
            apart(&given, &received)?;
            received
        }
        // Elements beside a section are not written.
        None => made(plan, plan.plan, "zeros", given.len(), py)?,
    };
    moved(plan, plan.plan, given.into_iter().map(Some).collect(), received, scaling)
}

impl Changes<'_, '_> {
    /// Returns α and β, if there is any of them.
    fn scaling(self, plan: PlanOf<'_>, py: Python<'_>) -> PyResult<Option<Scaling>> {
        if self.beta.is_some() && self.into.is_none() {
            let words = "beta is a factor of `into`, which is missing; bring both";
            return Err(PlanError::new_err(words));
        }
        let Changes { alpha, beta, conjugate, .. } = self;
        Factors { alpha, beta, conjugate }.scaling(py, plan.dtype, plan.element)
    }
}

/// Checks that arrays to write to share no memory with each other, nor with others.
fn apart(given: &[Brought<'_>], received: &[Brought<'_>]) -> PyResult<()> {
    for (rank, one) in received.iter().enumerate() {
        let shares = |other: &Brought<'_>| overlap([one.look.place(), other.look.place()]);
        let before = received[..rank].iter().position(shares).map(|other| ("into", other));
        let found = before.or_else(|| given.iter().position(shares).map(|other| ("parts", other)));
        if let Some((list, other)) = found {
            return Err(ArrayError::new_err(format!(
                "into[{rank}] shares memory with {list}[{other}]; bring arrays that are apart, copies \
                 if need be"
            )));
        }
    }
    Ok(())
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

/// Checks a list with an array for each rank that `moving` has on a side. The list has a name, and a
/// method makes one.
fn of_all<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    (name, made_by): (&str, &str),
    side: Side,
    arrays: &Bound<'py, PyAny>,
) -> PyResult<Vec<Brought<'py>>> {
    let ranks = moving.any().ranks();
    let write = format!("a list with an array for each rank, as `{made_by}` makes it");
    let arrays: Vec<Bound<'py, PyAny>> = argument(name, arrays, &write)?;
    if arrays.len() < ranks {
        return Err(ArrayError::new_err(format!(
            "{name} has {} arrays for {ranks} ranks; write {write}",
            arrays.len()
        )));
    }
    let looked = arrays.iter().enumerate();
    let looked = looked.map(|(rank, array)| {
        brought(plan, moving, (side, rank), (&format!("{name}[{rank}]"), array))
    });
    let mut looked = looked.collect::<PyResult<Vec<_>>>()?;
    // The rest is of a plan whose other side has more ranks.
    looked.truncate(ranks);
    Ok(looked)
}

fn brought<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    (side, rank): (Side, usize),
    (name, array): (&str, &Bound<'py, PyAny>),
) -> PyResult<Brought<'py>> {
    let part = moving.local(side, rank).as_array();
    let dtype = plan.dtype.bind(array.py());
    let mut expected = Expected::dense(side, rank, part, dtype).called(name);
    let looked = expected.like(array).and_then(|strides| {
        let padding = strides.map(Padding::Strides);
        Ok(Brought { array: array.clone(), look: expected.look(array)?, padding })
    });
    looked.map_err(|Misfit { words, .. }| ArrayError::new_err(words))
}

/// Makes a destination for each of so many ranks, by a function of numpy's.
fn made<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    function: &str,
    ranks: usize,
    py: Python<'py>,
) -> PyResult<Vec<Brought<'py>>> {
    let made = (0..ranks).map(|rank| {
        let part = moving.local(Side::Destination, rank).as_array();
        let array = array::made(function, py, part, plan.dtype)?;
        brought(plan, moving, (Side::Destination, rank), ("out", &array))
    });
    made.collect()
}

/// Moves arrays by the threads' transport, and returns those that received. A rank without an array has
/// no element. The arrays that receive are apart from all others.
fn moved<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    given: Vec<Option<Brought<'py>>>,
    received: Vec<Brought<'py>>,
    scaling: Option<Scaling>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let arrays = given.iter().zip(&received).map(|(given, received)| {
        // SAFETY: the array is kept in `received`, and was checked just now. It was made in this
        // call, or shares no memory with another one of it, as `apart` found. The program lets no
        // other thread use it, as its docs ask.
        let destination = unsafe { received.look.destination() };
        let source: &[u8] = match given {
            // SAFETY: the array is kept in `given`, and was checked just now. The program lets no
            // other thread write to it in this call, as its docs ask.
            Some(given) => unsafe { given.look.source() },
            None => &[],
        };
        let padding = given.as_ref().and_then(|given| given.padding.clone());
        RankArrays { source, paddings: [padding, received.padding.clone()], destination }
    });
    let (element, arrays) = (plan.element, arrays.collect());
    let work = || match &scaling {
        Some(scaling) => simulate_scaled(moving, element, scaling, arrays),
        None => simulate(moving, element, arrays),
    };
    let Some(first) = received.first() else { return Ok(Vec::new()) };
    // SAFETY: the move uses only these bytes, of arrays that are kept here.
    unsafe { without_lock(first.array.py(), work) }.map_err(failed)?;
    Ok(received.into_iter().map(|received| received.array).collect())
}

fn failed(failure: Failure<redist::Error>) -> PyErr {
    MoveError::new_err(in_names(&failure.to_string(), PYTHON))
}
