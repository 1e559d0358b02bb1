//! Factors of α op(A) + β B, as users give them.

use crate::errors::PlanError;
use crate::words::{no_such, yes_or_no};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use redist::AnyElement;
use redist_doors::Scaling;

/// Options of a move that scales.
#[derive(Clone, Copy)]
pub struct Factors<'a, 'py> {
    /// α, if it is not 1.
    pub alpha: Option<&'a Bound<'py, PyAny>>,
    /// β, if it is not 0.
    pub beta: Option<&'a Bound<'py, PyAny>>,
    /// `True` if the complex conjugate arrives.
    pub conjugate: Option<&'a Bound<'py, PyAny>>,
}

impl Factors<'_, '_> {
    /// Refuses factors beside another argument, which does all that is to be done.
    pub fn none_beside(self, name: &str) -> PyResult<()> {
        match self.alpha.or(self.beta).or(self.conjugate) {
            None => Ok(()),
            Some(_) => Err(PlanError::new_err(format!(
                "{name} goes without alpha, beta and conjugate; write them into the function"
            ))),
        }
    }

    /// Returns α and β, if there is any of them.
    pub fn scaling(
        self,
        py: Python<'_>,
        dtype: &Py<PyArrayDescr>,
        element: AnyElement,
    ) -> PyResult<Option<Scaling>> {
        let conjugates = self.conjugate.map_or(Ok(false), |word| yes_or_no("conjugate", word))?;
        if self.alpha.is_none() && self.beta.is_none() && !conjugates {
            return Ok(None);
        }
        let zeros = || vec![0; element.bytes()];
        if (Scaling { factors: [zeros(), zeros()], conjugates }).of(element).is_none() {
            return Err(PlanError::new_err(format!(
                "elements of {} are not scaled; plan for float32, float64, complex64, complex128, int32 \
                 or int64, or use numpy when the arrays have arrived",
                dtype.bind(py)
            )));
        }
        let factor = |name, given: Option<&Bound<'_, PyAny>>, default: u8| match given {
            Some(given) => factor(name, given, dtype.bind(py)),
            None => factor(name, default.into_pyobject(py)?.as_any(), dtype.bind(py)),
        };
        let factors = [factor("alpha", self.alpha, 1)?, factor("beta", self.beta, 0)?];
        Ok(Some(Scaling { factors, conjugates }))
    }
}

/// Returns a factor as the bytes of an element.
fn factor(
    name: &str,
    given: &Bound<'_, PyAny>,
    dtype: &Bound<'_, PyArrayDescr>,
) -> PyResult<Vec<u8>> {
    let numpy = given.py().import("numpy")?;
    let number = numpy.call_method1("asarray", (given,))?;
    let write = format!("a number that {dtype} has");
    let same_kind = || -> PyResult<Bound<'_, PyAny>> {
        let converted = number.call_method1("astype", (dtype, "K", "same_kind"))?;
        // An integer that is too large would wrap around.
        let is_whole = dtype.kind() != b'i' || converted.eq(&number)?;
        let is_one = number.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 0);
        if is_whole && is_one { Ok(converted) } else { Err(no_such(name, given, &write)) }
    };
    let number = same_kind().map_err(|_| no_such(name, given, &write))?;
    number.call_method0("tobytes")?.extract()
}
