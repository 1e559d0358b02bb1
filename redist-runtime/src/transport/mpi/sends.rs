//! Sends under way, with their memory. Unsafe, because the library reads it after the call.

use super::communicator::OwnCommunicator;
use super::life::is_over;
use crate::error::Error;
use redist_mpi::Request;
use std::ffi::c_int;
use std::mem;

/// Sends under way, each with a fact about it, and memory of sends that are complete.
#[derive(Debug)]
pub(super) struct Sends<T> {
    /// Memory, request and fact of each send that may not be complete.
    under_way: Vec<(Vec<u8>, Request, T)>,
    /// Memory of complete sends.
    spare: Vec<Vec<u8>>,
}

impl<T> Default for Sends<T> {
    fn default() -> Self {
        Self { under_way: Vec::new(), spare: Vec::new() }
    }
}

impl<T> Sends<T> {
    /// Allocates memory for so many more sends of so many bytes, unless there is some for `most`.
    pub fn reserve(&mut self, sends: usize, most: usize, bytes: usize) {
        let held = self.under_way.len() + self.spare.len();
        let wanted = (held + sends).min(most).max(held);
        self.under_way.reserve(wanted);
        self.spare.reserve(wanted);
        let spare = wanted - self.under_way.len();
        self.spare.resize_with(spare, || Vec::with_capacity(bytes));
    }

    /// Returns empty memory for the next send.
    pub fn memory(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Begins to send; if it `is_awaited`, the send is complete once the receiver receives.
    pub fn send(
        &mut self,
        communicator: &OwnCommunicator,
        (to, tag, is_awaited): (usize, c_int, bool),
        (bytes, about): (Vec<u8>, T),
    ) -> Result<(), Error> {
        let (start, len) = (bytes.as_ptr(), bytes.len());
        // SAFETY: the bytes stay in place, wherever the vector is moved, and are neither written to
        // nor freed until the request is complete (`reclaim`), or leaked otherwise (`drop`).
        let request = unsafe { communicator.begin_send(start, len, to, tag, is_awaited) }?;
        self.under_way.push((bytes, request, about));
        Ok(())
    }

    /// Takes back the memory of complete sends.
    pub fn reclaim(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        for at in (0..self.under_way.len()).rev() {
            if communicator.must(self.under_way[at].1.test())? {
                let (mut bytes, ..) = self.under_way.swap_remove(at);
                bytes.clear();
                self.spare.push(bytes);
            }
        }
        Ok(())
    }

    /// Returns the facts about sends under way.
    pub fn about(&mut self) -> impl Iterator<Item = &mut T> {
        self.under_way.iter_mut().map(|(.., about)| about)
    }
}

impl<T> Drop for Sends<T> {
    /// Leaks what the library may still read.
    fn drop(&mut self) {
        for (bytes, mut request, _) in mem::take(&mut self.under_way) {
            if is_over() || request.test() != Ok(true) {
                mem::forget(bytes);
            }
        }
    }
}
