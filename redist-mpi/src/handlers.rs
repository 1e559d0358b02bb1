//! Handlers of errors of calls. Unsafe, because the library is called.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::Error;
use crate::handle::{Errhandler, Place};
use crate::life::is_over;
use std::fmt;

impl Communicator {
    /// Makes calls on it return their errors, from now on.
    pub fn return_errors(&self) -> Result<(), Error> {
        let handler = self.library.handle(Constant::ERRORS_RETURN);
        // SAFETY: the communicator is alive; the handler is a constant of the library.
        unsafe { self.mpi()?.MPI_Comm_set_errhandler(self.raw, handler) }?;
        Ok(())
    }

    /// Makes calls on it return their errors, until the value ends and its owner's handler returns.
    ///
    /// Errors of calls without a communicator go to the handler of the world in libraries before
    /// MPI 4. From then on they go to that of `this_rank`.
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

/// While this lives, calls on a communicator return their errors.
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
        // SAFETY: the communicator is borrowed, and alive. The handler came from it. The standard
        // demands that the handle is freed, and the handler itself stays with the communicator (MPI
        // 3.1, 8.3.4). The error has no receiver.
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
