//! Memory that the ranks of a node share: a window of MPI.
//!
//! Unsafe, since the memory is the library's.

use super::attribute::is_over;
use super::communicator::{OwnCommunicator, checked};
use super::constants::{errors_return, no_info, no_window};
use super::preflight::all_prepared;
use crate::error::Error;
use crate::transport::slots::PAGE;
use ::mpi::ffi::{self, MPI_Aint, MPI_Win};
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::{mem, ptr};

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
    /// There is no room, or what the library says on any rank of the node: on all of them.
    pub fn allocate(node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        ask_for_room(node, bytes)?;
        let window = Self::of_this_rank(node, bytes);
        if let Err(error) = all_prepared(node, window.as_ref().err()) {
            // Freeing it would wait for a rank that has none.
            window.map(mem::forget).ok();
            return Err(error);
        }
        window
    }

    fn of_this_rank(node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        let (mut raw, mut base) = (no_window(), ptr::null_mut::<u8>());
        let (size, place) = (bytes as MPI_Aint, (&raw mut base).cast::<c_void>());
        // SAFETY: `node` is alive as long as it is borrowed, has the ranks of one node, and all of
        // them make this call; both places outlive it.
        let code =
            unsafe { ffi::MPI_Win_allocate_shared(size, 1, no_info(), node.raw, place, &mut raw) };
        node.check("MPI_Win_allocate_shared", code)?;
        let window = Self { raw, base, rank: node.rank() };
        match window.begin() {
            Ok(()) => Ok(window),
            Err(error) => {
                // Freeing it would wait for ranks where all went well.
                mem::forget(window);
                Err(error)
            }
        }
    }

    /// Has errors returned, begins the epoch, and looks whether the window is memory.
    fn begin(&self) -> Result<(), Error> {
        // SAFETY: the window was made just now; the handler is a constant of the library.
        let code = unsafe { ffi::MPI_Win_set_errhandler(self.raw, errors_return()) };
        checked(self.rank, "MPI_Win_set_errhandler", code)?;
        // SAFETY: the window was made just now, so that it has no epoch; this one ends in `drop`.
        let code = unsafe { ffi::MPI_Win_lock_all(ffi::MPI_MODE_NOCHECK as c_int, self.raw) };
        checked(self.rank, "MPI_Win_lock_all", code)?;
        self.check_that_it_is_memory()
    }

    /// Whether what processors store there is what the others load, as counters and arrays need it.
    fn check_that_it_is_memory(&self) -> Result<(), Error> {
        let (mut model, mut found) = (ptr::null::<c_int>(), 0);
        let (key, place) = (ffi::MPI_WIN_MODEL as c_int, (&raw mut model).cast::<c_void>());
        // SAFETY: the window is alive until `drop`; both places outlive the call, which sets the
        // first to a number of the library's where it says that it has one (MPI-3.1, 11.2.6), and
        // leaves it null elsewhere.
        let (code, model) =
            unsafe { (ffi::MPI_Win_get_attr(self.raw, key, place, &mut found), model.as_ref()) };
        checked(self.rank, "MPI_Win_get_attr", code)?;
        if found != 0 && model.is_some_and(|model| *model != SEPARATE) {
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
        let (mut bytes, mut unit, mut base): (MPI_Aint, c_int, *mut u8) = (0, 0, ptr::null_mut());
        let place = (&raw mut base).cast::<c_void>();
        // SAFETY: the window is alive until `drop`, and made by `MPI_Win_allocate_shared`; all three
        // places outlive the call.
        let code = unsafe {
            ffi::MPI_Win_shared_query(self.raw, owner as c_int, &mut bytes, &mut unit, place)
        };
        checked(self.rank, "MPI_Win_shared_query", code)?;
        Ok((base, usize::try_from(bytes).unwrap_or(0)))
    }

    /// Where the bytes of each of the `ranks` of the node are here, from the first multiple of
    /// `alignment` on: libraries do not align windows to pages.
    pub fn parts(&self, ranks: usize, alignment: usize) -> Result<Vec<*mut u8>, Error> {
        let aligned = |base: *mut u8| base.wrapping_add(base.align_offset(alignment));
        (0..ranks).map(|owner| self.part(owner).map(|(base, _)| aligned(base))).collect()
    }

    /// `bytes` bytes of each rank of a node, from a page on, and where they are here; `None` where a
    /// rank of any node has none. Collective over all ranks.
    pub fn on_pages(
        all: &OwnCommunicator,
        node: &OwnCommunicator,
        bytes: usize,
    ) -> Result<Option<(Self, Vec<*mut u8>)>, Error> {
        let window = Self::allocate(node, bytes + PAGE);
        if all_prepared(all, window.as_ref().err()).is_err() {
            return Ok(None);
        }
        let window = window?;
        let parts = window.parts(node.size(), PAGE);
        all_prepared(all, parts.as_ref().err())?;
        Ok(Some((window, parts?)))
    }

    /// Makes what all ranks wrote before they met visible to this one, or what this one wrote to
    /// those it meets next.
    pub fn synchronise(&self) -> Result<(), Error> {
        // SAFETY: the window is alive until `drop`, and in the epoch that began when it was made.
        checked(self.rank, "MPI_Win_sync", unsafe { ffi::MPI_Win_sync(self.raw) })
    }
}

/// Bytes that a library takes for each rank of a window, at most, beside what the rank asks for.
const BESIDE: u64 = 2 * PAGE as u64;

/// Whether the ranks of a node have room for a window of that many bytes of each. The first rank makes
/// the file: where it has no room, libraries have the others wait for it. Collective.
fn ask_for_room(node: &OwnCommunicator, bytes: usize) -> Result<(), Error> {
    let mut of_all = vec![u64::MAX / 2; node.size()];
    of_all[node.rank()] = (bytes as u64).saturating_add(BESIDE);
    node.minima_of(&mut of_all)?;
    let has_room = match node.rank() {
        0 => check_room(of_all.into_iter().fold(0, u64::saturating_add)),
        _ => Ok(()),
    };
    all_prepared(node, has_room.as_ref().err())
}

/// Whether there is that much where Linux keeps memory that processes share, if it is there.
#[cfg(target_os = "linux")]
fn check_room(bytes: u64) -> Result<(), Error> {
    let Ok(found) = rustix::fs::statvfs("/dev/shm") else { return Ok(()) };
    let left = found.f_bavail.saturating_mul(found.f_frsize);
    // A file system without a limit has no blocks.
    if found.f_blocks == 0 || bytes <= left {
        return Ok(());
    }
    let reason = format!("{bytes} bytes are asked for, and /dev/shm has {left} left");
    Err(Error::Unavailable { what: "memory that ranks share".into(), reason })
}

#[cfg(not(target_os = "linux"))]
fn check_room(_: u64) -> Result<(), Error> {
    Ok(())
}

/// A window that the ranks of a node free together, or that stays until MPI is finalised.
#[derive(Debug, Default)]
pub(super) struct NodeWindow(RefCell<Option<Window>>);

impl NodeWindow {
    pub fn keep(&self, window: Window) {
        self.0.replace(Some(window));
    }

    /// Gives the memory back. Collective; no rank uses it any more.
    pub fn close(&self) {
        drop(self.0.take());
    }

    /// Whether it has been given back.
    pub fn is_closed(&self) -> bool {
        self.0.borrow().is_none()
    }
}

impl Drop for NodeWindow {
    /// Ranks need not drop what is in it at the same time.
    fn drop(&mut self) {
        mem::forget(self.0.take());
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if !is_over() && !std::thread::panicking() {
            // SAFETY: the window is alive, as only this frees it, and MPI is not finalised. Nothing
            // uses it after this; what has pointers to its memory (`SharedWindow`, `Staging`) owns
            // this value. An error has no place to be told.
            unsafe {
                ffi::MPI_Win_unlock_all(self.raw);
                ffi::MPI_Win_free(&mut self.raw);
            }
        }
    }
}
