//! Ranks of a plan as threads of this process. Unsafe, because numpy's arrays become slices: `Look`
//! has proved once all that these need.

use crate::array::{self, Expected, Look, Misfit};
use crate::dtype::tuple;
use crate::errors::{ArrayError, MoveError, PlanError};
use crate::function::{Called, Function, Raised};
use crate::scaling::Factors;
use crate::thread::without_lock;
use crate::wishes::Trapezoid;
use crate::words::{argument, of_side};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use redist::exec::AnyBound;
use redist::layout::Padding;
use redist::plan::{Diag, Uplo};
use redist::threads::Failure;
use redist::{AnyElement, Side};
use redist_doors::words::{PYTHON, in_names};
use redist_doors::{
    DoorPlan, NotVerified, RankArrays, Scaling, overlap, run_scaled, simulate_by, verify,
};
use std::sync::Arc;

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
    let rank_0 = brought(plan, &dealing, (Side::Source, 0), ("whole", whole), false)?;
    let ranks = dealing.any().ranks();
    let given = [Some(rank_0)].into_iter().chain((1..ranks).map(|_| None)).collect();
    let received = made(plan, &dealing, "empty", ranks, py)?;
    let mut parts = moved(plan, (&dealing, None), given, received, Change::None)?;
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
    let given = of_all(plan, &joining, PARTS, Side::Source, parts)?;
    let received = made(plan, &joining, "empty", given.len(), py)?;
    let given = given.into_iter().map(Some).collect();
    Ok(moved(plan, (&joining, None), given, received, Change::None)?.swap_remove(0))
}

/// Options of `simulate`, as the user gives them.
#[derive(Clone, Copy)]
pub struct Changes<'a, 'py> {
    pub into: Option<&'a Bound<'py, PyAny>>,
    pub factors: Factors<'a, 'py>,
    pub function: Option<&'a Bound<'py, PyAny>>,
    pub trapezoid: Trapezoid<'a, 'py>,
}

/// The change of elements on all ranks.
enum Change {
    None,
    Scaled(Scaling),
    /// A function of Python's on each rank, and what it raises.
    Called(Vec<Called>, Raised),
}

/// Moves the parts of all ranks.
pub fn simulated<'py>(
    plan: PlanOf<'_>,
    parts: &Bound<'py, PyAny>,
    changes: Changes<'_, 'py>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, moving) = (parts.py(), plan.plan);
    let trapezoid = changes.trapezoid.found(moving.dimensions())?;
    let function =
        changes.function.map(|function| Function::of("function", function)).transpose()?;
    let scaling = changes.scaling(plan, py)?;
    let given = of_all(plan, moving, PARTS, Side::Source, parts)?;
    let received = match changes.into {
        Some(into) => {
            let of = Listed { name: "into", made_by: "simulate", any_type: function.is_some() };
            let received = of_all(plan, moving, of, Side::Destination, into)?;
            apart(&given, &received)?;
            received
        }
        // Elements beside a section are not written.
        None => made(plan, moving, "zeros", given.len(), py)?,
    };
    let change = match (function, scaling) {
        (Some(function), _) => called(plan, py, function, &received)?,
        (None, Some(scaling)) => Change::Scaled(scaling),
        (None, None) => Change::None,
    };
    let given = given.into_iter().map(Some).collect();
    moved(plan, (moving, trapezoid), given, received, change)
}

/// Has a function called on each rank, with arrays of the types that ranks bring.
fn called(
    plan: PlanOf<'_>,
    py: Python<'_>,
    function: Function,
    received: &[Brought<'_>],
) -> PyResult<Change> {
    let (function, raised) = (Arc::new(function), Raised::default());
    let of_rank = |received: &Brought<'_>| -> PyResult<Called> {
        let kept = received.array.cast::<PyUntypedArray>()?.dtype();
        Ok(Called::new(&function, [plan.dtype.bind(py), &kept], &raised))
    };
    Ok(Change::Called(received.iter().map(of_rank).collect::<PyResult<_>>()?, raised))
}

impl Changes<'_, '_> {
    /// Returns α and β, if there is any of them.
    fn scaling(self, plan: PlanOf<'_>, py: Python<'_>) -> PyResult<Option<Scaling>> {
        if self.function.is_some() {
            self.factors.none_beside("function")?;
        }
        if self.factors.beta.is_some() && self.into.is_none() {
            let words = "beta is a factor of `into`, which is missing; bring both";
            return Err(PlanError::new_err(words));
        }
        self.factors.scaling(py, plan.dtype, plan.element)
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

/// A list of arrays, one for each rank.
struct Listed {
    /// The argument.
    name: &'static str,
    /// The method that makes one.
    made_by: &'static str,
    /// `true` if arrays may have other types than the plan's.
    any_type: bool,
}

/// The list of the parts that move.
const PARTS: Listed = Listed { name: "parts", made_by: "scatter", any_type: false };

/// Checks a list with an array for each rank that `moving` has on a side.
fn of_all<'py>(
    plan: PlanOf<'_>,
    moving: &DoorPlan,
    Listed { name, made_by, any_type }: Listed,
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
        brought(plan, moving, (side, rank), (&format!("{name}[{rank}]"), array), any_type)
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
    any_type: bool,
) -> PyResult<Brought<'py>> {
    let part = moving.local(side, rank).as_array();
    let dtype = plan.dtype.bind(array.py());
    let expected = Expected::dense(side, rank, part, dtype).called(name);
    let expected = if any_type { expected.of_type(array) } else { Ok(expected) };
    let looked = expected.and_then(|mut expected| {
        let padding = expected.like(array)?.map(Padding::Strides);
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
        brought(plan, moving, (Side::Destination, rank), ("out", &array), false)
    });
    made.collect()
}

/// Moves arrays by the threads' transport, or a part of a matrix. Returns those that received. A rank
/// without an array has no element. The arrays that receive are apart from all others.
fn moved<'py>(
    plan: PlanOf<'_>,
    (moving, trapezoid): (&DoorPlan, Option<(Uplo, Diag)>),
    given: Vec<Option<Brought<'py>>>,
    received: Vec<Brought<'py>>,
    change: Change,
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
    let binder = || match trapezoid {
        Some((uplo, diag)) => moving.binder(element).trapezoid(uplo, diag),
        None => moving.binder(element),
    };
    let run = |bound: &mut AnyBound, source: &[u8], destination: &mut [u8]| match &change {
        Change::None => bound.run(source, destination),
        Change::Scaled(scaling) => run_scaled(bound, scaling, source, destination),
        Change::Called(called, _) => {
            let called = &called[bound.rank()];
            bound.run_by(source, destination, called.kept_width(), &mut called.receiver())
        }
    };
    let Some(first) = received.first() else { return Ok(Vec::new()) };
    let work = || simulate_by(moving, binder, run, arrays);
    // SAFETY: the move uses only these bytes, of arrays that are kept here. A function is called with the
    // lock.
    let done = unsafe { without_lock(first.array.py(), work) }.map_err(failed);
    match &change {
        Change::Called(_, raised) => raised.before(done)?,
        _ => done?,
    }
    Ok(received.into_iter().map(|received| received.array).collect())
}

fn failed(failure: Failure<redist::Error>) -> PyErr {
    MoveError::new_err(in_names(&failure.to_string(), PYTHON))
}
