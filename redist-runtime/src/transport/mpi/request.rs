//! The owner of a request of the library's.

use super::constants::{no_request, no_status};
use ::mpi::ffi::{self, MPI_Request};
use std::ffi::c_int;

/// What is under way, or nothing. It is live or null: it begins as null, and only the library
/// writes to it, which sets it to null when it is complete.
///
/// Dropping it does not wait: who begins it says how long its memory stays.
#[derive(Debug)]
#[repr(transparent)]
pub(super) struct Request(MPI_Request);

impl Request {
    /// Nothing.
    pub fn none() -> Self {
        Self(no_request())
    }

    /// Room for some.
    pub fn list(len: usize) -> Vec<Self> {
        std::iter::repeat_with(Self::none).take(len).collect()
    }

    /// Whether something is under way, or is complete and was not asked for.
    pub fn is_live(&self) -> bool {
        self.0 != no_request()
    }

    /// Where the library notes what it begins.
    pub fn place(&mut self) -> *mut MPI_Request {
        &raw mut self.0
    }

    /// The same for a list, with its length.
    pub fn places(requests: &mut [Self]) -> (c_int, *mut MPI_Request) {
        let len = c_int::try_from(requests.len()).expect("fewer requests than the library counts");
        // A request is laid out as what it holds.
        (len, requests.as_mut_ptr().cast())
    }

    /// Waits until it is complete: the library's code.
    pub fn wait(&mut self) -> c_int {
        // SAFETY: a `Request` is live or null, and borrowed exclusively; no status is asked for.
        unsafe { ffi::MPI_Wait(self.place(), no_status()) }
    }

    /// The library's code, and whether it is complete, or there is none.
    pub fn test(&mut self) -> (c_int, bool) {
        let mut done = 0;
        // SAFETY: a `Request` is live or null, and borrowed exclusively; the number outlives the
        // call, and no status is asked for.
        let code = unsafe { ffi::MPI_Test(self.place(), &mut done, no_status()) };
        (code, done != 0)
    }
}
