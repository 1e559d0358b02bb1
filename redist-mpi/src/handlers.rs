//! Handlers of errors of calls. Unsafe, because the library is called.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::Error;
use crate::handle::{Errhandler, Handle};
use crate::life::is_over;

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
        let mpi = self.mpi()?;
        // SAFETY: the communicator is alive, and the place outlives the call.
        let before = self.library.written(Constant::ERRHANDLER_NULL, |place| unsafe {
            mpi.MPI_Comm_get_errhandler(self.raw, place)
        })?;
        let returned = ErrorsReturned { communicator: self, before };
        self.return_errors()?;
        Ok(returned)
    }
}

/// While this lives, calls on a communicator return their errors.
#[derive(Debug)]
pub struct ErrorsReturned<'a> {
    communicator: &'a Communicator,
    before: Handle<Errhandler>,
}

impl Drop for ErrorsReturned<'_> {
    fn drop(&mut self) {
        if is_over() {
            return;
        }
        let Communicator { library, raw, .. } = *self.communicator;
        // SAFETY: the communicator is borrowed, and alive. The handler came from it. The standard
        // demands that the handle is freed, and the handler itself stays with the communicator (MPI
        // 3.1, 8.3.4). The error has no receiver.
        self.before.in_memory(library.is_narrow, |place| unsafe {
            let _ = library.functions.MPI_Comm_set_errhandler(raw, self.before);
            let _ = library.functions.MPI_Errhandler_free(place);
        });
    }
}
