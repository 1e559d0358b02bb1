//! Initialises MPI; returns its first communicators. Unsafe, because the library is called.

use crate::communicator::{Communicator, CommunicatorRef};
use crate::constant::Constant;
use crate::error::{Error, LibraryError};
use crate::find::Launcher;
use crate::library::Library;
use crate::life::{Threading, is_finalized, is_initialized, running};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// Returns all ranks of the launch.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn world() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which `running` has checked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_WORLD) }
}

/// Returns the communicator of this rank only: `MPI_COMM_SELF`.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn this_rank() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which `running` has checked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_SELF) }
}

/// Initialises MPI for the main thread. Dropping the value finalises it.
///
/// # Errors
/// No library is found. MPI has been initialised or finalised. The launcher is another library's,
/// so that ranks do not see each other.
pub fn initialize() -> Result<Environment, Error> {
    initialize_with(Threading::Funneled)
}

/// Initialises MPI for threads as asked for, or as many as the library can, which
/// `threading` returns. Dropping the value finalises it.
///
/// # Errors
/// No library is found. MPI has been initialised or finalised. The launcher is another library's.
pub fn initialize_with(threading: Threading) -> Result<Environment, Error> {
    let library = Library::get()?;
    if is_finalized()? {
        return Err(Error::Finalized);
    }
    if is_initialized()? {
        return Err(Error::AlreadyInitialized);
    }
    let (required, mut provided) = (threading.number(library), 0);
    // SAFETY: MPI has not been initialised; arguments of the program may be null (MPI 3.1, 8.7).
    unsafe {
        library.functions.MPI_Init_thread(null_mut(), null_mut(), required, &mut provided)?;
    }
    let environment = Environment { library, thread: PhantomData };
    check_launcher(library, &*environment.world()?)?;
    Ok(environment)
}

/// Checks the launcher. Under another library's launcher each rank would be a world of its own.
fn check_launcher(library: &Library, world: &Communicator) -> Result<(), Error> {
    match Launcher::of_this_process() {
        Some(Launcher { ranks: Some(launched), .. }) if launched > 1 && world.size() == 1 => {
            let library = library.name().into();
            Err(LibraryError::OtherLauncher { launched, library }.into())
        }
        _ => Ok(()),
    }
}

/// An initialised MPI. Dropping it finalises MPI.
#[derive(Debug)]
pub struct Environment {
    library: &'static Library,
    /// The thread that initialises MPI finalises it.
    thread: PhantomData<*const ()>,
}

impl Environment {
    /// Returns all ranks of the launch.
    ///
    /// # Errors
    /// Other code has finalised MPI.
    pub fn world(&self) -> Result<CommunicatorRef<'static>, Error> {
        world()
    }

    /// Returns the library.
    pub fn library(&self) -> &'static Library {
        self.library
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if is_finalized() == Ok(false) {
            // SAFETY: this thread has initialised MPI, which is not finalised. The error has no
            // receiver.
            let _ = unsafe { self.library.functions.MPI_Finalize() };
        }
    }
}
