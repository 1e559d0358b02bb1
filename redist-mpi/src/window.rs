//! Memory that the ranks of a node share. Unsafe, because the library owns the memory.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::{Error, int};
use crate::handle::{Handle, Win};
use crate::library::Library;
use crate::life::callable;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

/// Memory of each rank of a node, which the other ranks can read and write: a window of MPI. It is
/// in one epoch, from [`Communicator::shared_window`] on. Dropping ends it, for which all ranks
/// meet. With `std::mem::forget`, the memory stays until MPI is finalised, and no ranks meet.
#[derive(Debug)]
pub struct SharedWindow {
    raw: Handle<Win>,
    library: &'static Library,
    thread: PhantomData<*const ()>,
}

impl Communicator {
    /// Makes a window with `bytes` bytes for this rank. Each rank passes a number of its own. All
    /// ranks share memory, as those of [`split_shared`](Self::split_shared) do. Collective.
    ///
    /// # Errors
    /// The library's. Other ranks may have their window then, which they free only together.
    pub fn shared_window(&self, bytes: usize) -> Result<SharedWindow, Error> {
        let size = isize::try_from(bytes).map_err(|_| Error::TooLarge { value: bytes })?;
        let (library, mpi) = (self.library, self.mpi()?);
        let (info, mut base) = (library.handle(Constant::INFO_NULL), ptr::null_mut::<c_void>());
        let at = (&raw mut base).cast();
        // SAFETY: the communicator is alive, and both places outlive the call.
        let raw = library.written(Constant::WIN_NULL, |place| unsafe {
            mpi.MPI_Win_allocate_shared(size, 1, info, self.raw, at, place)
        })?;
        let handler = library.handle(Constant::ERRORS_RETURN);
        // SAFETY: the window was made just now, so it is alive and has no epoch. The one that
        // begins ends in `drop`.
        unsafe {
            mpi.MPI_Win_set_errhandler(raw, handler)?;
            mpi.MPI_Win_lock_all(library.number(Constant::MODE_NOCHECK), raw)?;
        }
        Ok(SharedWindow { raw, library, thread: PhantomData })
    }
}

impl SharedWindow {
    /// Returns the address of a rank's bytes here, aligned to 8 bytes at least, and their number.
    /// They are there until this is dropped or MPI is finalised.
    pub fn part(&self, rank: usize) -> Result<(*mut u8, usize), Error> {
        let (mut bytes, mut unit, mut base) = (0_isize, 0, ptr::null_mut::<u8>());
        let (mpi, rank) = (callable(self.library)?, int(rank)?);
        let place = (&raw mut base).cast();
        // SAFETY: the window is alive until this is dropped, and one of shared memory. All places
        // outlive the call.
        unsafe { mpi.MPI_Win_shared_query(self.raw, rank, &mut bytes, &mut unit, place) }?;
        Ok((base, usize::try_from(bytes).unwrap_or(0)))
    }

    /// Returns `true` if ranks load there what other ranks' processors store. A window of
    /// `MPI_WIN_SEPARATE` keeps copies instead.
    pub fn is_unified(&self) -> Result<bool, Error> {
        let (mut model, mut found) = (ptr::null::<c_int>(), 0);
        let (key, place) = (self.library.number(Constant::WIN_MODEL), (&raw mut model).cast());
        // SAFETY: the window is alive until this is dropped. Both places outlive the call. The call
        // sets the first to a number of the library's if it says that it has one (MPI 3.1, 11.2.6).
        let model = unsafe {
            callable(self.library)?.MPI_Win_get_attr(self.raw, key, place, &mut found)?;
            (found != 0).then(|| model.as_ref().copied()).flatten()
        };
        Ok(model.is_some_and(|model| model != self.library.number(Constant::WIN_SEPARATE)))
    }

    /// Makes ranks' earlier writes visible to this one, or its writes to ranks it meets next.
    pub fn sync(&self) -> Result<(), Error> {
        // SAFETY: the window is alive until this is dropped, and in its epoch.
        unsafe { callable(self.library)?.MPI_Win_sync(self.raw) }?;
        Ok(())
    }
}

impl Drop for SharedWindow {
    fn drop(&mut self) {
        if let Ok(mpi) = callable(self.library) {
            // SAFETY: this owns the window, in its epoch. Holders of pointers to its memory know
            // until when it is there. The error has no receiver.
            self.raw.in_memory(self.library.is_narrow, |place| unsafe {
                let _ = mpi.MPI_Win_unlock_all(self.raw);
                let _ = mpi.MPI_Win_free(place);
            });
        }
    }
}
