//! Parts of one array that programs hold and want: the arguments of `Programs.join_parts`, and what is bound.

use crate::array::Expected;
use crate::dtype;
use crate::words::{self, argument, no_such};
use numpy::{PyArray1, PyArrayDescr};
use pyo3::prelude::*;
use redist::exec::AnyBound;
use redist::{AnyElement, Side};
use redist_doors::{DoorPart, DoorPlan, LocalPart};

/// The arguments of Python's call.
pub struct PartArguments<'a, 'py> {
    pub side: &'a Bound<'py, PyAny>,
    pub shape: &'a Bound<'py, PyAny>,
    pub layout: Option<&'a Bound<'py, PyAny>>,
    pub at: Option<&'a Bound<'py, PyAny>>,
    pub extents: Option<&'a Bound<'py, PyAny>>,
    pub dtype: Option<&'a Bound<'py, PyAny>>,
}

/// A program's part, and the type of the array.
pub struct ReadPart<'py> {
    pub dtype: Bound<'py, PyArrayDescr>,
    pub element: AnyElement,
    /// Number of the array's dimensions.
    pub dimensions: usize,
    /// `None` of a program that takes no part.
    pub own: Option<OwnPart>,
}

/// A part that a program holds or wants. Lists have an entry for each dimension.
pub struct OwnPart {
    role: Side,
    /// Extents of the whole array, in elements.
    whole: Vec<usize>,
    /// First index of the part in the whole array.
    at: Vec<usize>,
    /// Extents of the part, in elements.
    extents: Vec<usize>,
    layout: String,
}

impl<'py> PartArguments<'_, 'py> {
    pub fn read(&self) -> PyResult<ReadPart<'py>> {
        let dtype = match self.dtype {
            Some(dtype) => dtype::named(dtype)?,
            None => numpy::dtype::<f64>(self.shape.py()),
        };
        let element = dtype::element(&dtype)?;
        let whole = numbers("shape", self.shape)?;
        let dimensions = whole.len();
        let own = match self.side.is_none() {
            true => None,
            false => Some(self.own(whole)?),
        };
        Ok(ReadPart { dtype, element, dimensions, own })
    }

    fn own(&self, whole: Vec<usize>) -> PyResult<OwnPart> {
        let role = words::side(self.side)?;
        let write = "the text of the part's layout, as \"(block, *) onto 4\", on this program's ranks from 0 on";
        let none = self.side.py().None().into_bound(self.side.py());
        let layout: String = argument("layout", self.layout.unwrap_or(&none), write)?;
        let list = |name: &str, given: Option<&Bound<'_, PyAny>>| {
            let Some(given) = given else { return Ok(None) };
            let found = numbers(name, given)?;
            match found.len() == whole.len() {
                true => Ok(Some(found)),
                false => Err(no_such(name, given, "a number for each axis of `shape`")),
            }
        };
        let at = list("at", self.at)?.unwrap_or_else(|| vec![0; whole.len()]);
        let rest = || whole.iter().zip(&at).map(|(all, at)| all.saturating_sub(*at)).collect();
        let extents = list("extents", self.extents)?.unwrap_or_else(rest);
        Ok(OwnPart { role, whole, at, extents, layout })
    }
}

/// Returns the numbers of a tuple, or a single number.
fn numbers(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<usize>> {
    let found = object.extract().or_else(|_| Ok(vec![object.extract::<usize>()?]));
    found.map_err(|_: PyErr| {
        no_such(name, object, "a tuple of numbers from 0 on, one for each axis")
    })
}

impl OwnPart {
    pub fn for_door(&self) -> DoorPart<'_> {
        DoorPart {
            role: self.role,
            whole: self.whole.clone(),
            at: self.at.clone(),
            extents: self.extents.clone(),
            layout: &self.layout,
        }
    }
}

/// A rank's shares of the array, by side.
pub struct BoundParts {
    /// This rank's number in its program.
    rank: usize,
    /// The side of the program's part, its first index in the array, and a plan of the part alone.
    own: Option<(Side, Vec<usize>, DoorPlan)>,
    /// Number of the array's dimensions.
    dimensions: usize,
}

impl BoundParts {
    pub fn new(part: ReadPart<'_>, rank: usize) -> Self {
        let own = part.own.and_then(|OwnPart { role, at, extents, layout, .. }| {
            // A part without elements may have no plan, and needs none.
            Some((role, at, DoorPlan::parse(&extents, &layout, &layout).ok()?))
        });
        Self { rank, own, dimensions: part.dimensions }
    }

    /// Returns the array that moves expect on a side.
    pub fn expected(
        &self,
        bound: &AnyBound,
        side: Side,
        dtype: &Bound<'_, PyArrayDescr>,
    ) -> Expected {
        let nothing = || LocalPart {
            extents: vec![0; self.dimensions],
            strides: vec![1; self.dimensions],
            len: 0,
        };
        let own = self.own.as_ref().filter(|(role, ..)| *role == side);
        let part = own.map_or_else(nothing, |(_, _, plan)| plan.local(side, self.rank));
        Expected::dense(side, bound.rank(), part.as_array(), dtype)
    }

    /// Returns this rank's indices in the whole array, along each axis.
    pub fn indices<'py>(&self, py: Python<'py>, side: Side) -> Vec<Bound<'py, PyArray1<i64>>> {
        let own = self.own.as_ref().filter(|(role, ..)| *role == side);
        let lists = own.map_or_else(
            || vec![Vec::new(); self.dimensions],
            |(_, at, plan)| {
                let mut lists = plan.axis_indices(side, self.rank);
                for (list, at) in lists.iter_mut().zip(at) {
                    list.iter_mut().for_each(|index| *index += *at as i64);
                }
                lists
            },
        );
        lists.into_iter().map(|list| PyArray1::from_vec(py, list)).collect()
    }
}
