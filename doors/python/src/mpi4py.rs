//! Communicators of mpi4py, if its MPI library is redist's. Unsafe: handles are read from mpi4py's
//! objects.

use crate::array::type_name;
use crate::errors::{CommunicatorError, move_error};
use pyo3::prelude::*;
use redist::mpi::RawCommunicator;
use redist_mpi::{Error, Library};
use std::ffi::{c_int, c_void};

/// Returns the communicator of an object of mpi4py's. The caller keeps the object.
pub fn communicator(communicator: &Bound<'_, PyAny>) -> PyResult<RawCommunicator> {
    let mpi = module(communicator)?;
    let library = same_library(&mpi)?;
    let place = place(&mpi, communicator, library)?;
    // SAFETY: `module` found an intracommunicator that is not null. It is of the called library, as
    // `same_library` found. Its handle lies there, as wide as the library's. `PythonBound` keeps
    // the object.
    unsafe { RawCommunicator::from_place(place) }.map_err(move_error)
}

fn refused<T>(words: impl Into<String>) -> PyResult<T> {
    Err(CommunicatorError::new_err(words.into()))
}

/// Returns `mpi4py.MPI` for an intracommunicator of it.
fn module<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = type_name(object);
    // Importing it would initialise MPI.
    let modules = object.py().import("sys")?.getattr("modules")?;
    let mpi = modules.call_method1("get", ("mpi4py.MPI",))?;
    if mpi.is_none() || !object.is_instance(&mpi.getattr("Comm")?)? {
        return refused(format!(
            "a {found} is no communicator; bring one of mpi4py's, as `MPI.COMM_WORLD`, or \
             the rank that `redist.threads.run` gives"
        ));
    }
    for (call, is_wanted, words) in [
        ("Is_initialized", true, "MPI is not initialised; call `MPI.Init()` before"),
        ("Is_finalized", false, "MPI is finalised; bind plans, and move, before"),
    ] {
        if mpi.call_method0(call)?.is_truthy()? != is_wanted {
            return refused(words);
        }
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

/// Returns the library, if mpi4py calls the same one.
fn same_library(mpi: &Bound<'_, PyAny>) -> PyResult<&'static Library> {
    let library = Library::get().or_else(|error| refused(error.to_string()))?;
    let how = format!(
        "load one MPI library, or name mpi4py's in `{}` before Python begins",
        redist_mpi::VARIABLE
    );
    let theirs: String = mpi.call_method0("Get_library_version")?.extract()?;
    let (theirs, ours) = (theirs.trim_end_matches('\0').trim(), library.version());
    let bytes: usize = mpi.call_method1("_sizeof", (mpi.getattr("Comm")?,))?.extract()?;
    if theirs != ours || bytes != library.bytes_of_handle() {
        return refused(format!(
            "mpi4py calls another MPI library than {}, which redist has found in this process; \
             {how}\n  mpi4py: {theirs}\n  redist: {ours}",
            library.name()
        ));
    }
    let theirs = handle_at(place(mpi, &mpi.getattr("COMM_WORLD")?, library)?, library);
    match redist_mpi::world() {
        Ok(world) if world.as_raw() == theirs => Ok(library),
        Ok(_) | Err(Error::NotInitialized | Error::Finalized) => refused(format!(
            "mpi4py calls another copy of the MPI library than {}, which redist has found in this \
             process; {how}",
            library.name()
        )),
        Err(error) => refused(error.to_string()),
    }
}

/// Returns the address of an object's handle, if it has the library's width.
fn place(
    mpi: &Bound<'_, PyAny>,
    object: &Bound<'_, PyAny>,
    library: &Library,
) -> PyResult<*const c_void> {
    let bytes: usize = mpi.call_method1("_sizeof", (object,))?.extract()?;
    let address: usize = mpi.call_method1("_addressof", (object,))?.extract()?;
    if address == 0 || bytes != library.bytes_of_handle() {
        return refused("mpi4py has no handle of this communicator that redist could use");
    }
    Ok(address as *const c_void)
}

fn handle_at(place: *const c_void, library: &Library) -> usize {
    // SAFETY: by mpi4py's size, a handle of as many bytes lies there, in an object that lives.
    unsafe {
        match library.bytes_of_handle() == size_of::<c_int>() {
            true => place.cast::<c_int>().read_unaligned() as usize,
            false => place.cast::<usize>().read_unaligned(),
        }
    }
}
