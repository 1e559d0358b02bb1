//! A move that is under way.

use super::{Bound, CopiedBytes};
use crate::element::Element;
use crate::error::Error;

/// A move that [`Bound::start`] began. Dropping it waits for its end, like
/// [`finish`](Started::finish), but errors are lost.
#[must_use = "dropping a started move waits for it; `finish` says how it went"]
pub struct Started<'a, T: Element, const D: usize> {
    bound: &'a mut Bound<T, D>,
    /// `None` once finished.
    destination: Option<&'a mut [T]>,
}

impl<'a, T: Element, const D: usize> Started<'a, T, D> {
    pub(super) fn new(bound: &'a mut Bound<T, D>, destination: &'a mut [T]) -> Self {
        Self { bound, destination: Some(destination) }
    }

    /// True if [`finish`](Started::finish) would not wait any more. Lets the transport make
    /// progress.
    ///
    /// # Errors
    /// As [`finish`](Started::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.test()
    }

    /// As [`Bound::copied_bytes`].
    #[doc(hidden)]
    pub fn copied_bytes(&self) -> CopiedBytes {
        self.bound.copied_bytes()
    }

    /// Waits until the destination holds its part.
    ///
    /// # Errors
    /// As [`Bound::run`].
    pub fn finish(mut self) -> Result<(), Error> {
        match self.destination.take() {
            Some(destination) => self.bound.complete(|| destination),
            None => Ok(()),
        }
    }
}

impl<T: Element, const D: usize> Drop for Started<'_, T, D> {
    fn drop(&mut self) {
        if let Some(destination) = self.destination.take() {
            // `finish` is there for errors.
            let _ = self.bound.complete(|| destination);
        }
    }
}
