//! Requests that are complete, and what came with them.
//!
//! Unsafe, since the library writes to the lists.

use super::communicator::checked;
use super::constants::undefined;
use super::request::Request;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Status};
use ::mpi::traits::{AsRaw, Equivalence};
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// Which requests of a list have been found complete last.
#[derive(Debug)]
pub(super) struct Completions {
    indices: Vec<c_int>,
    statuses: Vec<MaybeUninit<MPI_Status>>,
    /// Places of both lists that the library has written to last.
    found: usize,
}

impl Completions {
    /// Of up to `requests` requests.
    pub fn new(requests: usize) -> Self {
        let statuses = vec![MaybeUninit::zeroed(); requests];
        Self { indices: vec![0; requests], statuses, found: 0 }
    }

    /// Waits until some requests are complete, or only looks; false where no request is left.
    ///
    /// # Errors
    /// The library's code, with the name of the call.
    pub fn find(
        &mut self,
        wait: bool,
        requests: &mut [Request],
    ) -> Result<bool, (&'static str, c_int)> {
        assert!(self.indices.len() >= requests.len(), "a list for fewer requests");
        let ((count, list), mut found) = (Request::places(requests), 0);
        let indices = self.indices.as_mut_ptr();
        let statuses = self.statuses.as_mut_ptr().cast();
        // SAFETY: the list has `count` requests, each live or null, and is borrowed exclusively;
        // there is room for as many indices (checked above) and statuses (as many, by `new`).
        let code = unsafe {
            match wait {
                true => ffi::MPI_Waitsome(count, list, &mut found, indices, statuses),
                false => ffi::MPI_Testsome(count, list, &mut found, indices, statuses),
            }
        };
        self.found = 0;
        if code != ffi::MPI_SUCCESS as c_int {
            return Err((if wait { "MPI_Waitsome" } else { "MPI_Testsome" }, code));
        }
        let is_left = found != undefined();
        if is_left {
            self.found = usize::try_from(found).unwrap_or(0).min(requests.len());
        }
        Ok(is_left)
    }

    /// Of how many requests.
    pub fn room(&self) -> usize {
        self.indices.len()
    }

    /// How many were found complete last.
    pub fn len(&self) -> usize {
        self.found
    }

    /// The number of a request that was found complete last.
    pub fn request(&self, place: usize) -> usize {
        self.indices[..self.found][place] as usize
    }

    /// Bytes that were received by a request that was found complete last.
    pub fn bytes(&self, place: usize) -> Result<usize, Error> {
        let (status, mut count) = (&self.statuses[..self.found][place], 0);
        // SAFETY: `new` zeroes all statuses, and the library has written the first `found`, to which
        // the slice is cut; the number outlives the call.
        let code = unsafe {
            let bytes = u8::equivalent_datatype().as_raw();
            ffi::MPI_Get_count(status.as_ptr(), bytes, &mut count)
        };
        checked(0, "MPI_Get_count", code)?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }
}
