//! Memory that the ranks of a node share: a window of MPI.
//!
//! Unsafe, since the memory is the library's.

use super::attribute::is_over;
use super::communicator::{OwnCommunicator, checked};
use super::preflight::all_prepared;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Aint, MPI_Win};
use std::ffi::{c_int, c_void};
use std::mem::{self, MaybeUninit};

/// `MPI_WIN_SEPARATE`, for which the crate `mpi` has no name that is the same for all libraries: its
/// number is in Open MPI, MPICH and what is made of them.
const SEPARATE: c_int = 1;

/// Memory of each rank of a node that the others can read and write, too. Freed when dropped, for
/// which all ranks meet.
#[derive(Debug)]
pub(super) struct Window {
    raw: MPI_Win,
    base: *mut u8,
    rank: usize,
}

impl Window {
    /// `bytes` bytes for this rank, filled with what the operating system finds. Collective over
    /// the ranks of a node, each of which names a number of its own; the one epoch of the window
    /// begins.
    ///
    /// # Errors
    /// What the library says on any rank of the node: on all of them.
    pub fn allocate(node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        let window = Self::of_this_rank(node, bytes);
        if let Err(error) = all_prepared(node, window.as_ref().err()) {
            // Freeing it would wait for a rank that has none.
            window.map(mem::forget).ok();
            return Err(error);
        }
        window
    }

    fn of_this_rank(node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        let (mut window, mut base) = (MaybeUninit::<MPI_Win>::uninit(), std::ptr::null_mut::<u8>());
        // SAFETY: the communicator is alive and of one node, and all its ranks make this call; both
        // places outlive it.
        let code = unsafe {
            let place = (&raw mut base).cast::<c_void>();
            ffi::MPI_Win_allocate_shared(
                bytes as MPI_Aint,
                1,
                ffi::RSMPI_INFO_NULL,
                node.raw,
                place,
                window.as_mut_ptr(),
            )
        };
        node.check("MPI_Win_allocate_shared", code)?;
        // SAFETY: the call succeeded, so it has written the handle.
        let window = Self { raw: unsafe { window.assume_init() }, base, rank: node.rank() };
        // SAFETY: the window is alive; the handler is a constant of the library.
        let code = unsafe { ffi::MPI_Win_set_errhandler(window.raw, ffi::RSMPI_ERRORS_RETURN) };
        checked(window.rank, "MPI_Win_set_errhandler", code)?;
        // SAFETY: the window is alive; the assertion is a constant of the library.
        let code = unsafe { ffi::MPI_Win_lock_all(ffi::MPI_MODE_NOCHECK as c_int, window.raw) };
        checked(window.rank, "MPI_Win_lock_all", code)?;
        window.check_that_it_is_memory()?;
        Ok(window)
    }

    /// Whether what processors store there is what the others load, as counters and arrays need it.
    fn check_that_it_is_memory(&self) -> Result<(), Error> {
        let (mut model, mut found) = (std::ptr::null::<c_int>(), 0);
        let (key, place) = (ffi::MPI_WIN_MODEL as c_int, (&raw mut model).cast::<c_void>());
        // SAFETY: the window is alive; both places outlive the call.
        let code = unsafe { ffi::MPI_Win_get_attr(self.raw, key, place, &mut found) };
        checked(self.rank, "MPI_Win_get_attr", code)?;
        // SAFETY: the library has set the place to that of a number, if it says that it has one.
        if found != 0 && unsafe { *model } != SEPARATE {
            return Ok(());
        }
        let reason = "the library keeps windows apart from memory (MPI_WIN_SEPARATE)".into();
        Err(Error::Unavailable { what: "memory that ranks share".into(), reason })
    }

    /// Where this rank's bytes are.
    pub fn own(&self) -> *mut u8 {
        self.base
    }

    /// Where the bytes of another rank of the node are here, and how many.
    pub fn part(&self, owner: usize) -> Result<(*mut u8, usize), Error> {
        let (mut bytes, mut unit, mut base): (MPI_Aint, c_int, *mut u8) =
            (0, 0, std::ptr::null_mut());
        let place = (&raw mut base).cast::<c_void>();
        // SAFETY: the window is alive and of shared memory; all three places outlive the call.
        let code = unsafe {
            ffi::MPI_Win_shared_query(self.raw, owner as c_int, &mut bytes, &mut unit, place)
        };
        checked(self.rank, "MPI_Win_shared_query", code)?;
        Ok((base, bytes as usize))
    }

    /// Makes what all ranks wrote before they met visible to this one, or what this one wrote to
    /// those it meets next.
    pub fn synchronise(&self) -> Result<(), Error> {
        // SAFETY: the window is alive, and in the epoch that began when it was made.
        checked(self.rank, "MPI_Win_sync", unsafe { ffi::MPI_Win_sync(self.raw) })
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if !is_over() && !std::thread::panicking() {
            // SAFETY: the window is alive and not used again; all ranks drop theirs. An error has
            // no place to be told.
            unsafe {
                ffi::MPI_Win_unlock_all(self.raw);
                ffi::MPI_Win_free(&mut self.raw);
            }
        }
    }
}
