//! A library in Rust, which C programs load that are linked with an MPI library of their own.
//! Unsafe, because they call it, and pass handles.

use redist_mpi::{CommunicatorRef, Error, Operation};
use std::ffi::{c_int, c_void};

/// Returns the number of ranks, by a sum; or a negative number for an error.
fn ranks(communicator: Result<CommunicatorRef<'_>, Error>) -> c_int {
    let sum = communicator.and_then(|communicator| {
        let mut sum = [0];
        communicator.allreduce(&[1_i32], &mut sum, Operation::Sum)?;
        Ok(sum[0])
    });
    sum.unwrap_or_else(|error| match error {
        Error::NotInitialized => -1,
        Error::Finalized => -2,
        Error::NoCommunicator => -3,
        Error::Intercommunicator => -4,
        error => {
            eprintln!("{error}");
            -9
        }
    })
}

/// Takes a handle of C, as a word.
///
/// # Safety
/// It is a communicator's, or that of none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_raw(handle: usize) -> c_int {
    // SAFETY: the caller promises a communicator's handle, or that of none.
    ranks(unsafe { CommunicatorRef::from_raw(handle) })
}

/// Takes a handle of Fortran.
///
/// # Safety
/// It is a communicator's, or that of none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_fortran(handle: c_int) -> c_int {
    // SAFETY: the caller promises a communicator's handle, or that of none.
    ranks(unsafe { CommunicatorRef::from_fortran(handle) })
}

/// Takes a handle in memory.
///
/// # Safety
/// It is a communicator's, or that of none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn beside_place(place: *const c_void) -> c_int {
    // SAFETY: the caller promises a communicator's handle, or that of none.
    ranks(unsafe { CommunicatorRef::from_place(place) })
}
