//! Handlers of errors of calls.
//!
//! Unsafe, since the library is called.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::Error;
use crate::handle::{Errhandler, Place};
use crate::life::is_over;
use std::fmt;

impl Communicator {
    /// Has the errors of calls on it returned, from now on.
    ///
    /// # Errors
    /// The library's.
    pub fn return_errors(&self) -> Result<(), Error> {
        let handler = self.library.handle(Constant::ERRORS_RETURN);
        // SAFETY: the communicator is alive; the handler is a constant of the library.
        unsafe { self.mpi()?.MPI_Comm_set_errhandler(self.raw, handler) }?;
        Ok(())
    }

    /// Has errors of calls on it returned as long as the value lives; then its owner's handler
    /// comes back.
    ///
    /// Errors of calls that are given no communicator go to that of the world in libraries before
    /// MPI 4, and from then on to that of `this_rank`.
    ///
    /// # Errors
    /// The library's.
    pub fn errors_returned(&self) -> Result<ErrorsReturned<'_>, Error> {
        let handler = self.library.handle(Constant::ERRHANDLER_NULL);
        let mut before = Place::holding(handler, self.library.is_narrow);
        // SAFETY: the communicator is alive, and the place outlives the call.
        unsafe { self.mpi()?.MPI_Comm_get_errhandler(self.raw, before.pointer()) }?;
        let returned = ErrorsReturned { communicator: self, before };
        self.return_errors()?;
        Ok(returned)
    }
}

/// While this lives, errors of calls on a communicator are returned.
pub struct ErrorsReturned<'a> {
    communicator: &'a Communicator,
    before: Place<Errhandler>,
}

impl Drop for ErrorsReturned<'_> {
    fn drop(&mut self) {
        if is_over() {
            return;
        }
        let Communicator { library, raw, .. } = *self.communicator;
        let (mpi, handler) = (&library.functions, self.before.handle(library.is_narrow));
        // SAFETY: the communicator is borrowed, and alive; the handler came from it, and freeing
        // the handle is what the standard asks for: the handler itself stays with the communicator
        // (MPI 3.1, 8.3.4). An error has no place to be told.
        unsafe {
            let _ = mpi.MPI_Comm_set_errhandler(raw, handler);
            let _ = mpi.MPI_Errhandler_free(self.before.pointer());
        }
    }
}

impl fmt::Debug for ErrorsReturned<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ErrorsReturned").field(self.communicator).finish()
    }
}
