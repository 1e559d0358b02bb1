//! Memory that the ranks of a node share.
//!
//! Unsafe, since the library is called, and the memory is its own.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::{Error, int};
use crate::functions::Functions;
use crate::handle::{Handle, Place, Win};
use crate::library::Library;
use crate::life::is_over;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr;

/// Memory of each rank of a node, which the others can read and write, too: a window of MPI in one
/// epoch, from [`Communicator::shared_window`] on until it is dropped, for which all ranks meet.
///
/// `std::mem::forget` keeps the memory until MPI is finalised, without meeting anybody.
#[derive(Debug)]
pub struct SharedWindow {
    raw: Handle<Win>,
    library: &'static Library,
    base: *mut u8,
    bytes: usize,
    thread: PhantomData<*const ()>,
}

impl Communicator {
    /// `bytes` bytes for this rank; all ranks share memory, as those of
    /// [`split_shared`](Self::split_shared) do, and each brings a number of its own. Collective.
    ///
    /// # Errors
    /// The library's; others may have their window then, which they free only together.
    pub fn shared_window(&self, bytes: usize) -> Result<SharedWindow, Error> {
        let size = isize::try_from(bytes).map_err(|_| Error::TooLarge { value: bytes })?;
        let library = self.library;
        let mut window =
            Place::<Win>::holding(library.handle(Constant::WIN_NULL), library.is_narrow);
        let (info, mut base) = (library.handle(Constant::INFO_NULL), ptr::null_mut::<u8>());
        let (at, place) = ((&raw mut base).cast::<c_void>(), window.pointer());
        // SAFETY: the communicator is alive, and both places outlive the call.
        unsafe { self.mpi()?.MPI_Win_allocate_shared(size, 1, info, self.raw, at, place) }?;
        let raw = window.handle(library.is_narrow);
        let handler = library.handle(Constant::ERRORS_RETURN);
        // SAFETY: the window was made just now, so that it is alive and has no epoch; the one that
        // begins ends in `drop`.
        unsafe {
            library.functions.MPI_Win_set_errhandler(raw, handler)?;
            let assertion = library.number(Constant::MODE_NOCHECK);
            library.functions.MPI_Win_lock_all(assertion, raw)?;
        }
        Ok(SharedWindow { raw, library, base, bytes, thread: PhantomData })
    }
}

impl SharedWindow {
    fn mpi(&self) -> Result<&'static Functions, Error> {
        if is_over() { Err(Error::Finalized) } else { Ok(&self.library.functions) }
    }

    /// Returns the place and the number of this rank's bytes.
    ///
    /// They are there until this is dropped or MPI is finalised, aligned to 8 bytes at least.
    pub fn own(&self) -> (*mut u8, usize) {
        (self.base, self.bytes)
    }

    /// Returns the place of a rank's bytes here, and their number.
    ///
    /// # Errors
    /// The library's; or a number is too large.
    pub fn part(&self, rank: usize) -> Result<(*mut u8, usize), Error> {
        let (mut bytes, mut unit, mut base) = (0_isize, 0, ptr::null_mut::<u8>());
        let (rank, place) = (int(rank)?, (&raw mut base).cast::<c_void>());
        // SAFETY: the window is alive until this is dropped, and one of memory that is shared; all
        // places outlive the call.
        unsafe { self.mpi()?.MPI_Win_shared_query(self.raw, rank, &mut bytes, &mut unit, place) }?;
        Ok((base, usize::try_from(bytes).unwrap_or(0)))
    }

    /// True if what processors store there is what the others load: the library does not keep the
    /// window apart from memory (`MPI_WIN_SEPARATE`).
    ///
    /// # Errors
    /// The library's.
    pub fn is_unified(&self) -> Result<bool, Error> {
        let (mut model, mut found) = (ptr::null::<c_int>(), 0);
        let (key, place) = (self.library.number(Constant::WIN_MODEL), (&raw mut model).cast());
        // SAFETY: the window is alive until this is dropped; both places outlive the call, which
        // sets the first to a number of the library's where it says that it has one (MPI 3.1,
        // 11.2.6).
        let model = unsafe {
            self.mpi()?.MPI_Win_get_attr(self.raw, key, place, &mut found)?;
            (found != 0).then(|| model.as_ref().copied()).flatten()
        };
        Ok(model.is_some_and(|model| model != self.library.number(Constant::WIN_SEPARATE)))
    }

    /// Makes what all ranks wrote before they met visible to this one, or what this one wrote to
    /// those that it meets next.
    ///
    /// # Errors
    /// The library's.
    pub fn sync(&self) -> Result<(), Error> {
        // SAFETY: the window is alive until this is dropped, and in its epoch.
        unsafe { self.mpi()?.MPI_Win_sync(self.raw) }?;
        Ok(())
    }
}

impl Drop for SharedWindow {
    fn drop(&mut self) {
        if let Ok(mpi) = self.mpi() {
            let mut place = Place::holding(self.raw, self.library.is_narrow);
            // SAFETY: this owns the window, in its epoch; who has pointers to its memory has been
            // told until when that is there. An error has no place to be told.
            unsafe {
                let _ = mpi.MPI_Win_unlock_all(self.raw);
                let _ = mpi.MPI_Win_free(place.pointer());
            }
        }
    }
}
