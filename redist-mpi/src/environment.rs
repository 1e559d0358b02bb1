//! Initialising MPI, and the communicators that are there then.
//!
//! Unsafe, since the library is called.

use crate::communicator::{Communicator, CommunicatorRef};
use crate::constant::Constant;
use crate::error::{Error, LibraryError};
use crate::launcher::Launcher;
use crate::library::Library;
use crate::life::{Threading, is_finalized, is_initialized, running};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// All ranks of the launch.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn world() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which is there, as `running` has looked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_WORLD) }
}

/// This rank alone: `MPI_COMM_SELF`.
///
/// # Errors
/// MPI is not there: not initialised, finalised, or for another thread.
pub fn this_rank() -> Result<CommunicatorRef<'static>, Error> {
    // SAFETY: it is alive as long as MPI, which is there, as `running` has looked.
    unsafe { CommunicatorRef::given(running()?, Constant::COMM_SELF) }
}

/// Initialises MPI for the main thread. It is finalised when the value is dropped.
///
/// # Errors
/// No library is found; or MPI has been initialised, or finalised; or the launcher is another
/// library's, so that ranks do not see each other.
pub fn initialize() -> Result<Environment, Error> {
    initialize_with(Threading::Funneled)
}

/// Initialises MPI for threads as asked for, or as many as the library can:
/// `threading` tells. It is finalised when the value is dropped.
///
/// # Errors
/// As [`initialize`].
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

/// Ranks of another library's launcher would each be alone in the world.
fn check_launcher(library: &Library, world: &Communicator) -> Result<(), Error> {
    match Launcher::of_this_process() {
        Some(Launcher { ranks, .. }) if ranks > 1 && world.size() == 1 => {
            let library = library.name().into();
            Err(LibraryError::OtherLauncher { launched: ranks, library }.into())
        }
        _ => Ok(()),
    }
}

/// MPI, which is finalised when this is dropped.
#[derive(Debug)]
pub struct Environment {
    library: &'static Library,
    /// The thread that initialises MPI finalises it.
    thread: PhantomData<*const ()>,
}

impl Environment {
    /// All ranks of the launch.
    ///
    /// # Errors
    /// MPI has been finalised by others.
    pub fn world(&self) -> Result<CommunicatorRef<'static>, Error> {
        world()
    }

    /// The library.
    pub fn library(&self) -> &'static Library {
        self.library
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        if is_finalized() == Ok(false) {
            // SAFETY: MPI is initialised, by this thread, and not finalised. An error has no place
            // to be told.
            let _ = unsafe { self.library.functions.MPI_Finalize() };
        }
    }
}
