//! Arrays in memory that the ranks of a node share.
//!
//! Unsafe, since the memory is MPI's, and since other processes use it: `lend.rs` says until when.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::preflight::all_prepared;
use super::window::Window;
use crate::element::Element;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Aint, MPI_Comm};
use ::mpi::traits::{AsRaw, Communicator};
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A rank's own array, in memory that the other ranks of its node can read and write: `[T]`, like any other.
///
/// [`Bound::run_shared`](crate::exec::Bound::run_shared) moves from it without messages: every rank copies its part straight
/// from the others' arrays, once. [`Bound::run_between_shared`](crate::exec::Bound::run_between_shared) moves from one to
/// another, and the ranks divide what is to be copied.
///
/// - Every rank has its own part, of a length of its own, and is the only one to use it at any time but inside of a move,
///   which borrows it, mutably if others write to it. So there are no epochs or fences to keep.
/// - The memory is of a window of MPI (`MPI_Win_allocate_shared`): as fast as any other, but taken from where the operating
///   system keeps shared memory, which containers often limit (`/dev/shm`). It is filled with zeros.
/// - Making one and dropping one is collective, like a communicator: all ranks do both, in the same order. A rank that
///   panics leaves its part where it is. What still lives when MPI is finalised must not be used any more; trying to
///   panics.
pub struct SharedArray<T: Element> {
    own: *mut T,
    len: usize,
    /// Where the others' parts are here, by rank; empty where the ranks are on several nodes.
    parts: Vec<(*mut T, usize)>,
    window: Window,
    /// No other array of this process has it.
    pub(super) number: u64,
    /// The first rank's number of it, which no other array of the same ranks in the same order has.
    pub(super) id: u64,
    /// Whether others may be using it after a move that failed.
    lost: Cell<bool>,
    /// Ends after the window.
    context: Arc<Context>,
}

/// Parts are multiples of this, so that no two ranks write to one page or line.
const PAGE: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

/// What tells arrays apart.
static MADE: AtomicU64 = AtomicU64::new(1);

impl<T: Element> SharedArray<T> {
    /// `len` elements for this rank, all zero. Collective; every rank names a length of its own.
    ///
    /// # Errors
    /// What the library says, or that the memory is too much for it: on every rank.
    pub fn new<C: Communicator + AsRaw<Raw = MPI_Comm>>(communicator: &C, len: usize) -> Result<Self, Error> {
        // SAFETY: the handle comes from a live communicator of the crate `mpi`.
        Self::on(&unsafe { Context::of(communicator.as_raw()) }?, len)
    }

    /// As [`SharedArray::new`], for the ranks of a context.
    pub(super) fn on(context: &Arc<Context>, len: usize) -> Result<Self, Error> {
        let communicator = context.communicator();
        let bytes = bytes::<T>(communicator.rank(), len);
        all_prepared(communicator, bytes.as_ref().err())?;
        let bytes = bytes?;
        let window = Window::allocate(context.node()?, bytes)?;
        let (own, room) = part::<T>(window.own(), bytes);
        let (parts, number, context) = (Vec::new(), MADE.fetch_add(1, Ordering::Relaxed), Arc::clone(context));
        let mut array = Self { own, len, parts, window, number, id: number, lost: Cell::new(false), context };
        let found = array.find_parts();
        all_prepared(communicator, found.as_ref().err())?;
        found?;
        for index in 0..room {
            // SAFETY: there is room for so many elements at a place that is fit for them; nobody else has used it yet.
            unsafe { array.own.add(index).write(T::ZERO) };
        }
        // Not the largest of all numbers, which MPICH 4.0 takes for a negative one.
        let mine = if communicator.rank() == 0 { number } else { u64::MAX / 2 };
        [array.id] = communicator.minima([mine])?;
        Ok(array)
    }

    /// Asks where everybody's part is, if all are on this node.
    fn find_parts(&mut self) -> Result<(), Error> {
        // Ranks of a node are in the order of the communicator.
        let all = if self.context.is_one_node() { 0..self.context.communicator().size() } else { 0..0 };
        for owner in all {
            let (base, bytes) = self.window.part(owner)?;
            self.parts.push(part(base, bytes));
        }
        Ok(())
    }

    /// Whether the array was made for the ranks of this communicator, in their order. Local.
    pub(super) fn belongs_to(&self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        let mut result = 0;
        // SAFETY: both communicators are alive; the number outlives the call.
        let code = unsafe { ffi::MPI_Comm_compare(self.context.communicator().raw, communicator.raw, &mut result) };
        communicator.check("MPI_Comm_compare", code)?;
        Ok(result as u32 == ffi::MPI_CONGRUENT || result as u32 == ffi::MPI_IDENT)
    }

    /// Makes what all ranks wrote before they met visible to this one, or what this one wrote to those it meets next.
    pub(super) fn synchronise(&self) -> Result<(), Error> {
        self.window.synchronise()
    }

    /// Every rank's part, by rank, at least; there may be some elements more at the end.
    ///
    /// # Safety
    /// All ranks are on one node, and from before this call until the slices are no longer used, every rank is in a call to
    /// which it has lent its part of this very array.
    pub(super) unsafe fn parts(&self) -> impl Iterator<Item = &[T]> {
        // SAFETY: the library says that so many bytes of each part are here, zero or written by their owner, who does not
        // write now; they stay until the window is freed, for which all ranks meet.
        self.parts.iter().map(|&(base, len)| unsafe { slice::from_raw_parts(base, len) })
    }

    /// As [`parts`](Self::parts), to be written to as well.
    ///
    /// # Safety
    /// As for [`parts`](Self::parts); every rank has lent its part mutably, uses it only by way of slices like these, and
    /// no two ranks use the same element.
    pub(super) unsafe fn lent_parts(&self) -> impl Iterator<Item = &[UnsafeCell<T>]> {
        // SAFETY: as above; an `UnsafeCell` has the layout of what it holds.
        self.parts.iter().map(|&(base, len)| unsafe { slice::from_raw_parts(base.cast::<UnsafeCell<T>>(), len) })
    }

    /// Keeps this rank from ever using its part again.
    pub(super) fn lose(&self) {
        self.lost.set(true);
    }

    /// # Panics
    /// If it is not there any more, or others may be using it.
    pub(super) fn check_that_it_is_ours(&self) {
        assert!(!::mpi::is_finalized(), "a shared array lives in memory of MPI, which has been finalised");
        assert!(!self.lost.get(), "other ranks may be using this shared array: MPI failed in the middle of a move");
    }
}

/// Bytes of a rank's part, in whole pages, with room to align it.
fn bytes<T>(rank: usize, len: usize) -> Result<usize, Error> {
    let bytes = len.checked_mul(size_of::<T>()).and_then(|bytes| bytes.checked_add(alignment::<T>()));
    let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    bytes.filter(|bytes| MPI_Aint::try_from(*bytes).is_ok()).ok_or_else(|| {
        let text = format!("{len} elements of {} bytes are more than there are addresses", size_of::<T>());
        Error::Library { rank, call: "MPI_Win_allocate_shared", class: 0, text }
    })
}

/// Where elements begin in a part of the window, and how many there are room for.
///
/// Libraries align windows to 8 bytes only. Every rank skips the same: the operating system maps memory by pages, so
/// addresses of one place differ by whole pages from rank to rank.
fn part<T>(base: *mut u8, bytes: usize) -> (*mut T, usize) {
    let skipped = base.align_offset(alignment::<T>()).min(bytes);
    (base.wrapping_add(skipped).cast(), (bytes - skipped) / size_of::<T>().max(1))
}

/// A cache line, or more where elements want it.
const fn alignment<T>() -> usize {
    const { assert!(align_of::<T>() <= PAGE, "elements are not aligned to more than a page") };
    if align_of::<T>() > LINE { align_of::<T>() } else { LINE }
}

impl<T: Element> Deref for SharedArray<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.check_that_it_is_ours();
        // SAFETY: so many elements are there, all written; only this rank writes to them, through a mutable borrow.
        unsafe { slice::from_raw_parts(self.own, self.len) }
    }
}

impl<T: Element> DerefMut for SharedArray<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        self.check_that_it_is_ours();
        // SAFETY: as above; other ranks use it only while this rank has lent the array out, which takes a borrow.
        unsafe { slice::from_raw_parts_mut(self.own, self.len) }
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for SharedArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SharedArray").field(&&**self).finish()
    }
}
