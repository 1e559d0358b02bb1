//! Values that communicators keep until they are freed. Unsafe, because the library keeps pointers.

use crate::communicator::Communicator;
use crate::error::Error;
use crate::key::{Attribute, Key};
use std::ptr::null;
use std::sync::Arc;

impl<T: Attribute> Key<T> {
    /// Returns the value of this key that a communicator keeps. Local.
    pub fn kept(&'static self, communicator: &Communicator) -> Result<Option<Arc<T>>, Error> {
        let (mpi, number) = (communicator.mpi()?, self.number(communicator.library)?);
        let (mut value, mut found) = (null::<T>(), 0);
        let place = (&raw mut value).cast();
        // SAFETY: the communicator is alive, the number is never freed, and both places outlive the
        // call.
        unsafe { mpi.MPI_Comm_get_attr(communicator.raw, number, place, &mut found) }?;
        // SAFETY: the number is this key's. Only `keep_on` sets its attributes, to a share made by
        // `Arc::into_raw`, of this type. The library has that share until the communicator, which
        // is borrowed, is freed.
        Ok((found != 0).then(|| unsafe {
            Arc::increment_strong_count(value);
            Arc::from_raw(value)
        }))
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
