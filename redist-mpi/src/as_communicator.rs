//! Values that are, or hold, a communicator.

use crate::communicator::{Communicator, CommunicatorRef};
use crate::error::Error;
use std::any::Any;

/// An intracommunicator of any owner: a [`Communicator`], a [`CommunicatorRef`], or, with the
/// feature `rsmpi`, any of the crate `mpi`.
pub trait AsCommunicator {
    /// Borrows the communicator.
    ///
    /// # Errors
    /// MPI is not there: not initialised, finalised, or for another thread. Or it is an
    /// intercommunicator.
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error>;

    /// Returns a value that another crate keeps with it, for that crate alone.
    #[doc(hidden)]
    fn kept(&self) -> Option<&dyn Any> {
        None
    }
}

impl AsCommunicator for Communicator {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        self.mpi()?;
        Ok(self.by_ref())
    }
}

impl AsCommunicator for CommunicatorRef<'_> {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error> {
        Communicator::borrowed(self)
    }
}
