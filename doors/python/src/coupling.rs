//! `redist.Coupling`: two programs that meet over MPI, each with its own layout. Unsafe, because calls
//! that wait for another program give up the interpreter's lock.

use crate::errors::{PlanError, move_error, plan_error};
use crate::mpi4py;
use crate::thread::{OnThread, without_lock};
use crate::words::{self, extents};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use redist::mpi::Coupling;
use redist::{Error, Side};
use redist_doors::{NoHandshake, handshake};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// Two programs, of which one has an array and the other wants it: made by `Programs.couple` or
/// `Coupling.rendezvous`. `Plan.bind` takes it for a communicator.
///
/// The ranks of the program that is the source are the first ones.
#[pyclass(frozen, name = "Coupling", module = "redist")]
pub struct PythonCoupling {
    coupling: OnThread<Rc<Coupling>>,
    role: Side,
}

impl PythonCoupling {
    pub fn of(coupled: Result<Coupling, Error>, role: Side) -> PyResult<Self> {
        let coupling = OnThread::new(Rc::new(coupled.map_err(move_error)?));
        Ok(Self { coupling, role })
    }

    /// Returns the coupling of an object, if it is one and this is its thread.
    pub fn known(object: &Bound<'_, PyAny>) -> PyResult<Option<Rc<Coupling>>> {
        let Ok(coupling) = object.cast::<Self>() else { return Ok(None) };
        Ok(Some(Rc::clone(&*coupling.get().coupling.enter()?)))
    }
}

#[pymethods]
impl PythonCoupling {
    /// Couples two programs of different launches, of which this one is the `side` "src" or "dst".
    /// Collective over `comm`, all ranks of this program.
    ///
    /// Both name one `file`, in a folder that rank 0 of either can write to, and wait for each other for
    /// at most `seconds`. The MPI library's ports join them.
    #[staticmethod]
    #[pyo3(signature = (comm, side, file, *, seconds=60.0))]
    fn rendezvous(
        comm: &Bound<'_, PyAny>,
        side: &Bound<'_, PyAny>,
        file: PathBuf,
        seconds: f64,
    ) -> PyResult<Self> {
        let (role, ranks) = (words::side(side)?, mpi4py::communicator(comm)?);
        let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
            PlanError::new_err(format!("seconds {seconds}: write a time from 0 on"))
        })?;
        let meet = || Coupling::rendezvous(&ranks, role, file, limit);
        // SAFETY: programs meet by the communicator's handle, whose object is borrowed, and no array is
        // used.
        Self::of(unsafe { without_lock(comm.py(), meet) }, role)
    }

    /// Exchanges layouts with the other program, and the shape, as far as each knows it. Returns the
    /// other program's layout, and the shape. Collective over both.
    ///
    /// The `layout` is this program's own, on ranks from `first_rank` on.
    #[pyo3(signature = (layout, shape=None))]
    fn handshake<'py>(
        &self,
        layout: &Bound<'py, PyAny>,
        shape: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(String, Bound<'py, PyTuple>)> {
        let (text, shape) =
            (words::layout_text("layout", layout)?, shape.map(extents).transpose()?);
        let coupling = self.coupling.enter()?;
        let (py, dimensions) = (layout.py(), dimensions(&text, shape.as_deref()));
        let told = || handshake(&coupling, &text, dimensions, shape.as_deref());
        // SAFETY: programs exchange layouts, and no array is used.
        let (other, shape) = unsafe { without_lock(py, told) }.map_err(|error| match error {
            NoHandshake::Met(error) => move_error(error),
            other => plan_error(other),
        })?;
        Ok((other, PyTuple::new(py, shape)?))
    }

    /// The side of this program, "src" or "dst".
    #[getter]
    fn side(&self) -> &'static str {
        words::of_side(self.role)
    }

    /// This rank's number among the ranks of both programs.
    #[getter]
    fn rank(&self) -> PyResult<usize> {
        Ok(self.coupling.enter()?.rank())
    }

    /// The number of ranks of both programs.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        let coupling = self.coupling.enter()?;
        Ok(coupling.producers() + coupling.consumers())
    }

    /// The numbers of ranks: of the program that is the source, and of the other one.
    #[getter]
    fn counts(&self) -> PyResult<(usize, usize)> {
        let coupling = self.coupling.enter()?;
        Ok((coupling.producers(), coupling.consumers()))
    }

    /// The number of this program's rank 0 among the ranks of both programs.
    #[getter]
    fn first_rank(&self) -> PyResult<usize> {
        Ok(self.coupling.enter()?.first_rank())
    }

    fn __repr__(&self) -> PyResult<String> {
        let (src, dst) = self.counts()?;
        Ok(format!("<redist.Coupling: {src} ranks to {dst}, this is the {}>", self.side()))
    }
}

/// Returns the number of dimensions of a layout's text: by the shape, or by its distributions.
fn dimensions(text: &str, shape: Option<&[usize]>) -> usize {
    if let Some(shape) = shape {
        return shape.len();
    }
    let text = text.trim_start();
    if text.starts_with("scalapack") {
        return 2;
    }
    let Some(list) = text.strip_prefix('(') else { return 1 };
    let (mut depth, mut commas, mut is_empty) = (1, 0, true);
    for letter in list.chars() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 1 => commas += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        is_empty &= letter.is_whitespace();
    }
    if is_empty { 0 } else { commas + 1 }
}
