//! Functions of elements that Python calls: with an array of what has arrived, and one of what is kept.

use crate::array::type_name;
use crate::words::shown;
use numpy::{PyArray1, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use redist::exec::JoinedRuns;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function of elements, as the user gives it.
pub struct Function {
    function: Py<PyAny>,
    calls: Calls,
}

/// The way in which a function is called.
#[derive(Clone, Copy)]
enum Calls {
    /// With what has arrived and what is kept, of which it writes the latter.
    WithBoth,
    /// With what has arrived, and an `out`: a ufunc.
    Unary,
    /// With what is kept, what has arrived, and an `out`: a ufunc.
    Binary,
}

/// Bytes of an array that a function is called with, at most: half of a cache of 256 KiB.
const MOST: usize = 128 << 10;

impl Function {
    /// Takes an argument for a function.
    pub fn of(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let refused = |is: String| {
            Err(PyTypeError::new_err(format!(
                "{name} {} {is}: write a function of two arrays, `arrived` and `kept`, which writes to the \
                 latter, or a ufunc of numpy's of one or two arrays",
                shown(object)
            )))
        };
        if !object.is_callable() {
            return refused(format!("is a {}, which cannot be called", type_name(object)));
        }
        let ufunc = object.py().import("numpy")?.getattr("ufunc")?;
        let calls = match object.is_instance(&ufunc)? {
            false => Calls::WithBoth,
            true => {
                let count = |which: &str| object.getattr(which)?.extract::<usize>();
                match (count("nin")?, count("nout")?) {
                    (1, 1) => Calls::Unary,
                    (2, 1) => Calls::Binary,
                    (inputs, outputs) => {
                        return refused(format!("has {inputs} inputs and {outputs} outputs"));
                    }
                }
            }
        };
        Ok(Self { function: object.clone().unbind(), calls })
    }

    fn call<'py>(
        &self,
        arrived: &Bound<'py, PyAny>,
        kept: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = arrived.py();
        let (function, options) = (self.function.bind(py), PyDict::new(py));
        options.set_item(intern!(py, "out"), kept)?;
        match self.calls {
            Calls::WithBoth => function.call1((arrived, kept)),
            Calls::Unary => function.call((arrived,), Some(&options)),
            Calls::Binary => function.call((kept, arrived), Some(&options)),
        }
    }
}

/// A function in a move of one rank.
pub struct Called {
    function: Arc<Function>,
    /// Types of what arrives, and of what is kept.
    dtypes: [Py<PyArrayDescr>; 2],
    /// Bytes of an element of each.
    widths: [usize; 2],
    raised: Raised,
}

/// The exception that a function has raised on any rank of this process: it is not called again then.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    fn place(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the exception, or else the result of the move.
    pub fn before<T>(&self, moved: PyResult<T>) -> PyResult<T> {
        match self.place().take() {
            Some(raised) => Err(raised),
            None => moved,
        }
    }
}

impl Called {
    /// Prepares calls with arrays of these types: what arrives, what is kept.
    pub fn new(
        function: &Arc<Function>,
        dtypes: [&Bound<'_, PyArrayDescr>; 2],
        raised: &Raised,
    ) -> Self {
        Self {
            function: Arc::clone(function),
            widths: dtypes.map(|dtype| dtype.itemsize()),
            dtypes: dtypes.map(|dtype| dtype.clone().unbind()),
            raised: raised.clone(),
        }
    }

    /// Returns the place of the function's exception.
    pub fn raised(&self) -> &Raised {
        &self.raised
    }

    /// Returns the bytes of an element that is kept.
    pub fn kept_width(&self) -> usize {
        self.widths[1]
    }

    /// Returns what receives runs, without the interpreter's lock.
    pub fn receiver(&self) -> JoinedRuns<impl FnMut(&[u8], &mut [u8])> {
        JoinedRuns::new(|arrived: &[u8], kept: &mut [u8]| {
            let elements = (MOST / self.widths[0].max(self.widths[1])).max(1);
            let [from, to] = self.widths.map(|width| elements * width);
            for (arrived, kept) in arrived.chunks(from).zip(kept.chunks_mut(to)) {
                self.call(arrived, kept);
            }
        })
    }

    /// Calls the function with these elements, unless it has raised.
    fn call(&self, arrived: &[u8], kept: &mut [u8]) {
        if self.raised.place().is_some() {
            return;
        }
        if let Err(error) = Python::attach(|py| self.changed(py, arrived, kept)) {
            self.raised.place().get_or_insert(error);
        }
    }

    /// The function has arrays of their own memory, which it may keep.
    fn changed(&self, py: Python<'_>, arrived: &[u8], kept: &mut [u8]) -> PyResult<()> {
        let bytes = [PyArray1::from_slice(py, arrived), PyArray1::from_slice(py, kept)];
        let view = |at: usize| bytes[at].call_method1(intern!(py, "view"), (&self.dtypes[at],));
        let (from, to) = (view(0)?, view(1)?);
        from.call_method1(intern!(py, "setflags"), (false,))?;
        let returned = self.function.call(&from, &to)?;
        if !returned.is_none() && !returned.is(&to) {
            return Err(PyTypeError::new_err(format!(
                "the function returned a {}, which goes nowhere: let it write to its second array, as \
                 `kept[...] = arrived`, and return nothing",
                type_name(&returned)
            )));
        }
        kept.copy_from_slice(bytes[1].try_readonly()?.as_slice()?);
        Ok(())
    }
}
