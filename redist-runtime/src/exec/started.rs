//! A move that is under way.

use super::Bound;
use crate::element::Element;
use crate::error::Error;
use crate::transport::Transport;

/// A move that [`Bound::start`] began. Dropping it waits for its end, like [`finish`](Started::finish), but tells nobody
/// of errors.
#[must_use = "dropping a started move waits for it; `finish` says how it went"]
pub struct Started<'a, T: Element, C: Transport, const D: usize> {
    bound: &'a mut Bound<T, C, D>,
    /// `None` once finished.
    destination: Option<&'a mut [T]>,
}

impl<'a, T: Element, C: Transport, const D: usize> Started<'a, T, C, D> {
    pub(super) fn new(bound: &'a mut Bound<T, C, D>, destination: &'a mut [T]) -> Self {
        Self { bound, destination: Some(destination) }
    }

    /// True if [`finish`](Started::finish) would not wait any more. Lets the transport make progress.
    ///
    /// # Errors
    /// As [`finish`](Started::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.test()
    }

    /// Waits until the destination holds its part.
    ///
    /// # Errors
    /// As [`Bound::run`].
    pub fn finish(mut self) -> Result<(), Error> {
        match self.destination.take() {
            Some(destination) => self.bound.complete(destination),
            None => Ok(()),
        }
    }
}

impl<T: Element, C: Transport, const D: usize> Drop for Started<'_, T, C, D> {
    fn drop(&mut self) {
        if let Some(destination) = self.destination.take() {
            // Whoever wants to know how it went calls `finish`.
            let _ = self.bound.complete(destination);
        }
    }
}
