//! Values that communicators keep until they are freed. Unsafe, because the library keeps pointers.

use crate::communicator::Communicator;
use crate::error::Error;
use crate::key::{Attribute, Key};
use std::sync::Arc;

impl<T: Attribute> Key<T> {
    /// Returns the value of this key that a communicator keeps. Local.
    pub fn kept(&'static self, communicator: &Communicator) -> Result<Option<Arc<T>>, Error> {
        communicator.mpi()?;
        // SAFETY: the communicator is alive, as the call above has seen, and is borrowed.
        unsafe { self.kept_on((communicator.library, communicator.raw)) }
    }

    /// Keeps a value on a communicator until it is freed. Replaces a value of the same key. Local.
    ///
    /// # Errors
    /// The library's; a share of the value is lost then.
    pub fn keep(&'static self, communicator: &Communicator, value: Arc<T>) -> Result<(), Error> {
        communicator.mpi()?;
        // SAFETY: the communicator is alive, as the call above has seen, and is borrowed.
        unsafe { self.keep_on((communicator.library, communicator.raw), value) }
    }
}
