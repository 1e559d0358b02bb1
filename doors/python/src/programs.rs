//! `redist.Programs`: programs that meet over MPI, each with its own layout. Unsafe, because calls that
//! wait for another program give up the interpreter's lock.

use crate::bound::{Of, PythonBound};
use crate::coupling::PythonCoupling;
use crate::errors::{move_error, run_error};
use crate::mpi4py;
use crate::parts::{BoundParts, PartArguments};
use crate::thread::{OnThread, without_lock};
use crate::words::{self, argument, no_such, optional};
use pyo3::prelude::*;
use redist::mpi::Programs;
use redist::{AnyElement, Error, Side};
use redist_doors::join_parts;

/// The programs of one launch, such as `mpiexec -n 3 python producer.py : -n 4 python consumer.py`, by
/// their numbers from 0 on. Collective over all ranks of `comm`, of all programs.
///
/// With a `number`, which all ranks of a program give, programs are those of equal numbers: parts of one
/// program, or programs of several launches.
#[pyclass(frozen, name = "Programs", module = "redist")]
pub struct PythonPrograms(OnThread<Programs>);

#[pymethods]
impl PythonPrograms {
    #[new]
    #[pyo3(signature = (comm, *, number=None))]
    fn new(comm: &Bound<'_, PyAny>, number: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let number: Option<usize> = optional("number", number, "a program's number, from 0 on")?;
        let world = mpi4py::communicator(comm)?;
        let sorted = || match number {
            Some(number) => Programs::numbered(&world, number),
            None => Programs::of(&world),
        };
        // SAFETY: programs are sorted by the communicator's handle, whose object is borrowed, and no
        // array is used.
        let programs = unsafe { without_lock(comm.py(), sorted) }.map_err(move_error)?;
        Ok(Self(OnThread::new(programs)))
    }

    /// This program's number.
    #[getter]
    fn program(&self) -> PyResult<usize> {
        Ok(self.0.enter()?.program())
    }

    /// The number of programs.
    #[getter]
    fn count(&self) -> PyResult<usize> {
        Ok(self.0.enter()?.count())
    }

    /// This rank's number in its program.
    #[getter]
    fn rank(&self) -> PyResult<usize> {
        Ok(self.0.enter()?.rank())
    }

    /// The number of ranks of this program.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        Ok(self.0.enter()?.size())
    }

    /// Couples this program, which is the `side` "src" or "dst", with another `program`, which is the
    /// other side. Collective over both.
    fn couple(
        &self,
        py: Python<'_>,
        side: &Bound<'_, PyAny>,
        program: &Bound<'_, PyAny>,
    ) -> PyResult<PythonCoupling> {
        let (role, programs) = (words::side(side)?, self.0.enter()?);
        let write = format!("another program's number, from 0 to {}", programs.count() - 1);
        let other: usize = argument("program", program, &write)?;
        if other >= programs.count() || other == programs.program() {
            return Err(no_such("program", program, &write));
        }
        // SAFETY: programs are coupled, and no array is used.
        let coupled = unsafe { without_lock(py, || programs.couple(role, other)) };
        PythonCoupling::of(coupled, role)
    }

    /// Joins programs that hold or want parts of one array, of this `shape`. Collective over all ranks of
    /// all programs.
    ///
    /// This one holds a part, as `side` "src", or wants one, as "dst": from index `at` on, of these
    /// `extents`, or all of the array from `at` on. The `layout` is that of the part on this program's
    /// ranks, which are numbered from 0. A program that takes no part passes `None` for its side, and only
    /// the number of axes matters. Moves of what is bound are collective over all ranks of all programs; a
    /// mistake of one rank, here or in a move, is an error on every rank.
    #[pyo3(signature = (side, shape, layout=None, *, at=None, extents=None, dtype=None))]
    fn join_parts<'py>(
        slf: &Bound<'py, Self>,
        side: &Bound<'py, PyAny>,
        shape: &Bound<'py, PyAny>,
        layout: Option<&Bound<'py, PyAny>>,
        at: Option<&Bound<'py, PyAny>>,
        extents: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<PythonBound> {
        let (py, programs) = (slf.py(), slf.get().0.enter()?);
        let arguments = PartArguments { side, shape, layout, at, extents, dtype };
        let part = arguments.read().inspect_err(|error| {
            // The other ranks wait for this one.
            let (what, reason) = ("a part of an array".into(), error.value(py).to_string());
            let reason = Error::Unavailable { what, reason };
            let byte = AnyElement::of_bytes(1).expect("a byte has bytes");
            // SAFETY: ranks learn of the error, and no array is used.
            let _ = unsafe { without_lock(py, || join_parts(&programs, byte, 0, Err(reason))) };
        })?;
        let own = part.own.as_ref().map(|own| own.for_door());
        let joining = || join_parts(&programs, part.element, part.dimensions, Ok(own));
        // SAFETY: programs tell each other of their parts, and no array is used.
        let bound = unsafe { without_lock(py, joining) }
            .map_err(|error| run_error(error, || part.dtype.to_string()))?;
        let (dtype, parts) = (part.dtype.clone(), BoundParts::new(part, programs.rank()));
        let expected =
            [Side::Source, Side::Destination].map(|side| parts.expected(&bound, side, &dtype));
        Ok(PythonBound::of(bound, expected, Of::Parts(parts), (slf.as_any(), false)))
    }

    fn __repr__(&self) -> PyResult<String> {
        let programs = self.0.enter()?;
        Ok(format!("<redist.Programs: program {} of {}>", programs.program(), programs.count()))
    }
}
