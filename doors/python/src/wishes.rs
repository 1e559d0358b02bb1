//! Options of `bind`, as users give them.

use crate::errors::PlanError;
use crate::words::{argument, no_such, one_of, yes_or_no};
use pyo3::prelude::*;
use redist::exec::AnyBinder;
use redist::layout::vocabulary::counted;
use redist::plan::{Diag, Method, Uplo};
use redist::transport::Route;

/// Routes with their names in Python.
const ROUTES: [(&str, Route); 3] =
    [("automatic", Route::Automatic), ("chunks", Route::Chunks), ("messages", Route::Messages)];

/// Schedules with their names in Python, those of `redist explain`.
const METHODS: [(&str, Method); 5] = [
    ("all-at-once", Method::AllAtOnce),
    ("circulant", Method::Circulant),
    ("closed-form", Method::ClosedForm),
    ("koenig", Method::Koenig),
    ("caterpillar", Method::Caterpillar),
];

/// Options of `bind`; those that are `None` have their defaults.
#[derive(Default)]
pub struct Wishes<'a, 'py> {
    pub route: Option<&'a Bound<'py, PyAny>>,
    pub collectively: Option<&'a Bound<'py, PyAny>>,
    pub trapezoid: Trapezoid<'a, 'py>,
    /// Most bytes of message buffers.
    pub max_bytes: Option<&'a Bound<'py, PyAny>>,
    pub method: Option<&'a Bound<'py, PyAny>>,
    /// Bytes of the longest segment of a message.
    pub max_message_bytes: Option<&'a Bound<'py, PyAny>>,
}

impl Wishes<'_, '_> {
    /// Returns the binder with these options, of a plan with so many dimensions.
    pub fn asked(&self, mut binder: AnyBinder, dimensions: usize) -> PyResult<AnyBinder> {
        if let Some(route) = self.route {
            binder = binder.route(one_of("route", route, ROUTES)?);
        }
        if let Some(collectively) = self.collectively
            && yes_or_no("collectively", collectively)?
        {
            binder = binder.collectively();
        }
        if let Some(method) = self.method {
            binder = binder.method(one_of("method", method, METHODS)?);
        }
        if let Some(most) = self.max_bytes {
            binder = binder.max_bytes(bytes("max_bytes", most)?);
        }
        if let Some(most) = self.max_message_bytes {
            binder = binder.max_message_bytes(bytes("max_message_bytes", most)?);
        }
        self.trapezoid.asked(binder, dimensions)
    }
}

fn bytes(name: &str, given: &Bound<'_, PyAny>) -> PyResult<usize> {
    let write = "a number of bytes from 1 on";
    let found: usize = argument(name, given, write)?;
    if found > 0 { Ok(found) } else { Err(no_such(name, given, write)) }
}

/// The part of a matrix that moves, as the user gives it.
#[derive(Clone, Copy, Default)]
pub struct Trapezoid<'a, 'py> {
    /// "upper" or "lower"; `None` for the whole array.
    pub part: Option<&'a Bound<'py, PyAny>>,
    /// `True` if the diagonal stays.
    pub unit_diagonal: Option<&'a Bound<'py, PyAny>>,
}

impl Trapezoid<'_, '_> {
    /// Returns the binder for this part, of a plan with so many dimensions.
    pub fn asked(self, binder: AnyBinder, dimensions: usize) -> PyResult<AnyBinder> {
        Ok(match self.found(dimensions)? {
            Some((uplo, diag)) => binder.trapezoid(uplo, diag),
            None => binder,
        })
    }

    /// Returns the part, and whether its diagonal moves.
    pub fn found(self, dimensions: usize) -> PyResult<Option<(Uplo, Diag)>> {
        let is_unit =
            self.unit_diagonal.map_or(Ok(false), |given| yes_or_no("unit_diagonal", given))?;
        let parts = [("upper", Uplo::Upper), ("lower", Uplo::Lower)];
        let Some(part) = self.part else {
            return match is_unit {
                true => Err(PlanError::new_err(
                    "unit_diagonal is of a part of a matrix; write `part=\"upper\"` or `part=\"lower\"`, too",
                )),
                false => Ok(None),
            };
        };
        let uplo = one_of("part", part, parts)?;
        if dimensions != 2 {
            return Err(PlanError::new_err(format!(
                "part is of a matrix, and this array has {}; leave it out",
                counted(dimensions, "dimension")
            )));
        }
        Ok(Some((uplo, if is_unit { Diag::Unit } else { Diag::NonUnit })))
    }
}
