//! Communicators of mpi4py, once they are known to belong to the library of this extension.
//!
//! Unsafe, since handles are read where mpi4py has them, and used.

use crate::array::type_name;
use crate::errors::{CommunicatorError, move_error};
use pyo3::prelude::*;
use redist::mpi::RawCommunicator;
use redist::mpi::rsmpi::ffi;
use std::ffi::{c_char, c_int};

/// The handle of a communicator, which the caller keeps while plans are bound to it.
///
/// # Errors
/// What is no intracommunicator of mpi4py's, or of another library than this extension's.
pub fn borrowed(communicator: &Bound<'_, PyAny>) -> PyResult<RawCommunicator> {
    let mpi = mpi4py(communicator)?;
    same_library(&mpi)?;
    let handle = handle(&mpi, communicator)?;
    // SAFETY: it is an intracommunicator that is not null, as `mpi4py` has looked, of the library
    // that this extension calls, as `same_library` has compared. `PythonBound` keeps the object.
    unsafe { RawCommunicator::from_place((&raw const handle).cast()) }.map_err(move_error)
}

fn refused<T>(words: impl Into<String>) -> PyResult<T> {
    Err(CommunicatorError::new_err(words.into()))
}

/// The module `mpi4py.MPI`, of which the object is an intracommunicator.
fn mpi4py<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = type_name(object);
    // Importing it would initialise MPI.
    let modules = object.py().import("sys")?.getattr("modules")?;
    let mpi = modules.call_method1("get", ("mpi4py.MPI",))?;
    if mpi.is_none() || !object.is_instance(&mpi.getattr("Comm")?)? {
        return refused(format!(
            "a {found} is no communicator; bring one of mpi4py's, as `MPI.COMM_WORLD`"
        ));
    }
    if !object.is_truthy()? {
        return refused(
            "this communicator is `MPI.COMM_NULL`: it has no ranks, and this process is none of them",
        );
    }
    if object.call_method0("Is_inter")?.is_truthy()? {
        return refused("this is an intercommunicator; make one group of its two by `Merge`");
    }
    Ok(mpi)
}

/// Whether mpi4py calls the library that this extension calls.
fn same_library(mpi: &Bound<'_, PyAny>) -> PyResult<()> {
    let theirs: String = mpi.call_method0("Get_library_version")?.extract()?;
    let (theirs, ours) = (theirs.trim_end_matches('\0').trim(), version());
    let bytes: usize = mpi.call_method1("_sizeof", (mpi.getattr("Comm")?,))?.extract()?;
    let how = "build both for one library: `MPICC=mpicc pip install --no-binary mpi4py mpi4py`, \
               and redist with the same MPICC";
    if theirs != ours || bytes != size_of::<ffi::MPI_Comm>() {
        return refused(format!(
            "mpi4py calls another MPI library than redist; {how}\n  mpi4py: {theirs}\n  redist: {ours}"
        ));
    }
    let world = handle(mpi, &mpi.getattr("COMM_WORLD")?)?;
    // SAFETY: a constant of the library, which nothing writes to.
    let own = unsafe { ffi::RSMPI_COMM_WORLD };
    if world != own || !is_initialized() {
        return refused(format!("mpi4py calls another copy of the MPI library than redist; {how}"));
    }
    Ok(())
}

/// What `MPI_Get_library_version` says to this extension.
fn version() -> String {
    let mut text = vec![0u8; ffi::MPI_MAX_LIBRARY_VERSION_STRING as usize + 1];
    let mut length: c_int = 0;
    // SAFETY: there is room for the longest text that the library has; it may be called at any time.
    unsafe { ffi::MPI_Get_library_version(text.as_mut_ptr().cast::<c_char>(), &mut length) };
    text.truncate(usize::try_from(length).unwrap_or_default());
    String::from_utf8_lossy(&text).trim_end_matches('\0').trim().to_owned()
}

fn is_initialized() -> bool {
    let [mut begun, mut over]: [c_int; 2] = [0, 0];
    // SAFETY: both may be called at any time, and write a number each.
    unsafe {
        ffi::MPI_Initialized(&mut begun);
        ffi::MPI_Finalized(&mut over);
    }
    begun != 0 && over == 0
}

/// The handle in an object of mpi4py's, of as many bytes as in this extension.
fn handle(mpi: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> PyResult<ffi::MPI_Comm> {
    let bytes: usize = mpi.call_method1("_sizeof", (object,))?.extract()?;
    let address: usize = mpi.call_method1("_addressof", (object,))?.extract()?;
    if address == 0 || bytes != size_of::<ffi::MPI_Comm>() {
        return refused("mpi4py has no handle of this communicator that redist could use");
    }
    // SAFETY: mpi4py says that a handle of this size lies there, in an object that lives.
    Ok(unsafe { (address as *const ffi::MPI_Comm).read_unaligned() })
}
