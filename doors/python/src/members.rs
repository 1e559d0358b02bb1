//! The arrays of `redist.Batch` and `redist.Copies`: their plans, parts, and checks.

use crate::array::{self, Expected, Look};
use crate::function::{Called, Function, Raised};
use crate::words::{argument, no_such, shown};
use numpy::{PyArray1, PyArrayDescr};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use redist::exec::{AnyBatch, AnyBoundBatch, BatchArrays, EachRun};
use redist::layout::Padding;
use redist::{AnyElement, Error, Side};
use redist_doors::{Combine, DoorCopies, DoorPlan, LocalPart, OfRuns, combined};
use std::sync::Arc;

/// An array that moves with others: one of a batch, or the only one of copies.
pub struct Member {
    pub moved: Moved,
    pub dtype: Py<PyArrayDescr>,
    pub element: AnyElement,
}

/// The plan of an array, or the plans between its copies.
pub enum Moved {
    Plan(Arc<DoorPlan>),
    Copies(Arc<DoorCopies>),
}

/// Both sides, in the order of lists by side.
pub const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl Member {
    pub fn ranks(&self) -> usize {
        match &self.moved {
            Moved::Plan(plan) => plan.any().ranks(),
            Moved::Copies(copies) => copies.ranks(),
        }
    }

    pub fn local(&self, side: Side, rank: usize) -> LocalPart {
        let part = match &self.moved {
            Moved::Plan(plan) => plan.local(side, rank),
            Moved::Copies(copies) => copies.local(side, rank),
        };
        part.as_array()
    }

    /// Adds the array to a batch, with the memory layouts of a rank's parts.
    fn add_to(&self, batch: &mut AnyBatch, rank: usize, paddings: &Paddings) {
        match &self.moved {
            Moved::Plan(plan) => {
                let mut binder = plan.binder(self.element);
                for (side, padding) in SIDES.into_iter().zip(paddings) {
                    if let Some(padding) = padding {
                        binder = binder.padding(side, padding.clone());
                    }
                }
                batch.add(&binder);
            }
            Moved::Copies(copies) => copies.add_padded_to(batch, self.element, rank, paddings),
        }
    }

    pub fn indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>> {
        match &self.moved {
            Moved::Plan(plan) => plan.axis_indices(side, rank),
            Moved::Copies(copies) => copies.axis_indices(side, rank),
        }
    }

    pub fn expected(&self, py: Python<'_>, side: Side, rank: usize) -> Expected {
        Expected::dense(side, rank, self.local(side, rank), self.dtype.bind(py))
    }
}

/// The memory layouts of a rank's parts that are not dense, by side.
pub type Paddings = [Option<Padding>; 2];

/// The arrays that move together.
pub struct Members {
    pub all: Vec<Member>,
    /// `true` if callers bring one array, not a list.
    pub is_single: bool,
    /// The function that combines the copies of the only array's source, if it does.
    pub combine: Option<Combination>,
}

/// A function that combines addends.
pub enum Combination {
    Named(Combine),
    /// A function of Python's.
    Function(Arc<Function>),
}

impl Members {
    pub fn ranks(&self) -> usize {
        self.all.iter().map(Member::ranks).max().unwrap_or(0)
    }

    /// Makes a rank's batch, whose parts have these memory layouts, one entry for each array.
    pub fn batch(&self, rank: usize, paddings: &[Paddings]) -> AnyBatch {
        let mut batch = AnyBatch::new();
        let all = self.all.iter().zip(paddings);
        all.for_each(|(member, paddings)| member.add_to(&mut batch, rank, paddings));
        batch
    }

    /// Returns the arrays like which later ones are to be, or the words that refuse the argument. An entry
    /// for each plan is an array or `None`.
    pub fn like<'py>(
        &self,
        name: &str,
        object: Option<&Bound<'py, PyAny>>,
    ) -> Result<Vec<Option<Bound<'py, PyAny>>>, String> {
        let Some(object) = object else { return Ok(vec![None; self.all.len()]) };
        let all = self.given(name, object)?.into_iter();
        Ok(all.map(|array| (!array.is_none()).then_some(array)).collect())
    }

    /// Returns the argument's arrays, or the words that refuse it.
    pub fn given<'py>(
        &self,
        name: &str,
        object: &Bound<'py, PyAny>,
    ) -> Result<Vec<Bound<'py, PyAny>>, String> {
        if self.is_single {
            return Ok(vec![object.clone()]);
        }
        let write =
            format!("write a list of {} arrays, one for each plan in order", self.all.len());
        let all: Vec<Bound<'py, PyAny>> =
            object.extract().map_err(|_| format!("{name} {}: {write}", shown(object)))?;
        match all.len() == self.all.len() {
            true => Ok(all),
            false => Err(format!("{name} has {} arrays: {write}", all.len())),
        }
    }

    /// Prepares a move whose addends a function of Python's combines; `None` for other moves.
    pub fn combining(&self, py: Python<'_>, raised: &Raised) -> Option<Called> {
        let Some(Combination::Function(function)) = &self.combine else { return None };
        Some(Called::new(function, [self.all[0].dtype.bind(py); 2], raised))
    }

    /// Moves the arrays of a rank.
    pub fn run(
        &self,
        bound: &mut AnyBoundBatch,
        mut arrays: Vec<BatchArrays<'_>>,
        called: Option<&Called>,
    ) -> Result<(), Error> {
        match (&self.combine, called) {
            (None, _) => bound.run(&mut arrays),
            (_, Some(called)) => {
                bound.run_by(arrays.swap_remove(0), self.addends(), &mut called.receiver())
            }
            (Some(how), None) => {
                let named = self.named(how);
                bound.run_by(arrays.swap_remove(0), self.addends(), &mut EachRun(named))
            }
        }
    }

    /// Ends a move that was started.
    pub fn finish(
        &self,
        bound: &mut AnyBoundBatch,
        destinations: &mut [&mut [u8]],
        called: Option<&Called>,
    ) -> Result<(), Error> {
        let element = self.all[0].element;
        match (&self.combine, called) {
            (None, _) => bound.finish(destinations),
            (_, Some(called)) => {
                let destination = (element, &mut *destinations[0]);
                bound.finish_by(destination, self.addends(), &mut called.receiver())
            }
            (Some(how), None) => {
                let (named, destination) = (self.named(how), (element, &mut *destinations[0]));
                bound.finish_by(destination, self.addends(), &mut EachRun(named))
            }
        }
    }

    fn named(&self, how: &Combination) -> OfRuns {
        let named = match how {
            Combination::Named(how) => combined(self.all[0].element, *how),
            Combination::Function(_) => None,
        };
        named.expect("it was looked for when this was planned, and functions are called")
    }

    /// Returns the number of addends of the only array.
    fn addends(&self) -> Option<usize> {
        Some(match &self.all[0].moved {
            Moved::Copies(copies) => copies.count(Side::Source),
            Moved::Plan(_) => 1,
        })
    }

    /// Names an array in messages.
    pub fn called(&self, name: &str, number: usize) -> String {
        if self.is_single { name.into() } else { format!("{name}[{number}]") }
    }

    /// Makes a list, or the only one.
    pub fn listed<'py>(
        &self,
        py: Python<'py>,
        make: impl FnMut(&Member) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut all = self.all.iter().map(make).collect::<PyResult<Vec<_>>>()?;
        match self.is_single {
            true => Ok(all.swap_remove(0)),
            false => Ok(PyList::new(py, all)?.into_any()),
        }
    }

    pub fn empty<'py>(
        &self,
        py: Python<'py>,
        side: Side,
        rank: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.listed(py, |member| array::empty(py, member.local(side, rank), &member.dtype))
    }
}

/// Returns the number of a rank.
pub fn rank_of(members: &Members, rank: &Bound<'_, PyAny>) -> PyResult<usize> {
    let ranks = members.ranks();
    let write = format!("a rank from 0 to {}", ranks.saturating_sub(1));
    let found: usize = argument("rank", rank, &write)?;
    if found < ranks { Ok(found) } else { Err(no_such("rank", rank, &write)) }
}

pub fn shape_on<'py>(
    py: Python<'py>,
    member: &Member,
    side: Side,
    rank: usize,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(PyTuple::new(py, member.local(side, rank).extents)?.into_any())
}

pub fn indices_on<'py>(
    py: Python<'py>,
    member: &Member,
    side: Side,
    rank: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let lists = member.indices(side, rank).into_iter();
    Ok(PyList::new(py, lists.map(|list| PyArray1::from_vec(py, list)))?.into_any())
}

/// Refuses a destination that shares memory with another array.
pub fn check_apart(names: [&str; 2], members: &Members, looks: &[[Look; 2]]) -> Result<(), String> {
    let place = |number: usize, side: usize| (looks[number][side].place(), side, number);
    let all = (0..looks.len()).flat_map(|number| [place(number, 0), place(number, 1)]);
    let mut all: Vec<_> = all.filter(|((_, bytes), ..)| *bytes > 0).collect();
    all.sort_unstable();
    // The last byte of those before, of any side, and of destinations.
    let mut before: [Option<(usize, usize, usize)>; 2] = [None; 2];
    for ((begin, bytes), side, number) in all {
        let other = if side == 1 { before[0] } else { before[1] };
        if let Some((end, other_side, other)) = other
            && begin < end
        {
            let one = members.called(names[side], number);
            let other = members.called(names[other_side], other);
            return Err(format!("{one} shares memory with {other}; bring arrays that are apart"));
        }
        let own = Some((begin + bytes, side, number));
        before[0] = before[0].max(own);
        if side == 1 {
            before[1] = before[1].max(own);
        }
    }
    Ok(())
}
