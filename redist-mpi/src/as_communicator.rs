//! Whatever is, or holds, a communicator.

use crate::communicator::{Communicator, CommunicatorRef};
use crate::error::Error;
use std::any::Any;

/// An intracommunicator, whoever owns it: a [`Communicator`], a [`CommunicatorRef`], or, with the
/// feature `rsmpi`, any of the crate `mpi`.
pub trait AsCommunicator {
    /// It, as long as it is borrowed.
    ///
    /// # Errors
    /// MPI is not there: not initialised, finalised, or for another thread; or it is an
    /// intercommunicator.
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, Error>;

    /// A value that the crate that made it keeps with it, for that crate to ask for.
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
