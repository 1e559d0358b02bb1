//! Memory of arrays that the ranks of a node share.
//!
//! Unsafe, since the memory is MPI's, and since other processes use it: `lend.rs` says until when.

use super::communicator::OwnCommunicator;
use super::context::Context;
use super::preflight::all_prepared;
use super::window::Window;
use crate::element::ElementType;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Aint};
use std::cell::{Cell, UnsafeCell};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes of a rank's own array, in memory that the other ranks of its node can read and write.
#[derive(Debug)]
pub struct SharedBytes {
    own: *mut u8,
    /// Bytes of this rank's part.
    len: usize,
    /// What the places of all parts are multiples of.
    alignment: usize,
    /// Where the others' parts are here, by rank, and bytes there; empty where the ranks are on several nodes.
    parts: Vec<(*mut u8, usize)>,
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
pub(super) const PAGE: usize = 4096;

/// Bytes of a cache line.
const LINE: usize = 64;

/// What tells arrays apart.
static MADE: AtomicU64 = AtomicU64::new(1);

impl SharedBytes {
    /// Room for `len` elements of this rank, all bytes zero. Collective; every rank names a length of its own.
    pub(super) fn new(context: &Arc<Context>, element: ElementType, len: usize) -> Result<Self, Error> {
        let communicator = context.communicator();
        let alignment = LINE.max(element.alignment());
        let bytes = window_bytes(communicator.rank(), element, len);
        all_prepared(communicator, bytes.as_ref().err())?;
        let bytes = bytes?;
        let window = Window::allocate(context.node()?, bytes)?;
        let (own, room) = part(window.own(), bytes, alignment);
        let (parts, number, context) = (Vec::new(), MADE.fetch_add(1, Ordering::Relaxed), Arc::clone(context));
        let lost = Cell::new(false);
        let len = len * element.bytes();
        let mut array = Self { own, len, alignment, parts, window, number, id: number, lost, context };
        let found = array.find_parts();
        all_prepared(communicator, found.as_ref().err())?;
        found?;
        // SAFETY: there is room for so many bytes; no other rank has used them yet.
        unsafe { array.own.write_bytes(0, room) };
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
            self.parts.push(part(base, bytes, self.alignment));
        }
        Ok(())
    }

    /// This rank's part: aligned for its elements, as long as was asked for, all bytes initialised.
    pub(super) fn own(&self) -> (*mut u8, usize) {
        self.check_that_it_is_ours();
        (self.own, self.len)
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

    /// Every rank's part, by rank, at least; there may be some bytes more at the end.
    ///
    /// # Safety
    /// All ranks are on one node, and from before this call until the slices are no longer used, every rank is in a call to
    /// which it has lent its part of this very array.
    pub(super) unsafe fn parts(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: the library says that so many bytes of each part are here, zero or written by their owner, who does not
        // write now; they stay until the window is freed, for which all ranks meet.
        self.parts.iter().map(|&(base, len)| unsafe { slice::from_raw_parts(base, len) })
    }

    /// As [`parts`](Self::parts), to be written to as well.
    ///
    /// # Safety
    /// As for [`parts`](Self::parts); every rank has lent its part mutably, uses it only by way of slices like these, and
    /// no two ranks use the same bytes.
    pub(super) unsafe fn lent_parts(&self) -> impl Iterator<Item = &[UnsafeCell<u8>]> {
        // SAFETY: as above; an `UnsafeCell` has the layout of what it holds.
        self.parts.iter().map(|&(base, len)| unsafe { slice::from_raw_parts(base.cast::<UnsafeCell<u8>>(), len) })
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

/// Bytes of a rank's part of the window, in whole pages, with room to align it.
fn window_bytes(rank: usize, element: ElementType, len: usize) -> Result<usize, Error> {
    let alignment = LINE.max(element.alignment());
    let bytes = len.checked_mul(element.bytes()).and_then(|bytes| bytes.checked_add(alignment));
    let bytes = bytes.and_then(|bytes| bytes.checked_next_multiple_of(PAGE));
    bytes.filter(|bytes| MPI_Aint::try_from(*bytes).is_ok()).ok_or_else(|| {
        let text = format!("{len} elements of {} bytes are more than there are addresses", element.bytes());
        Error::Library { rank, call: "MPI_Win_allocate_shared", class: 0, text }
    })
}

/// Where elements begin in a part of the window, and how many bytes there are from there on.
///
/// Libraries align windows to 8 bytes only. Every rank skips the same: the operating system maps memory by pages, so
/// addresses of one place differ by whole pages from rank to rank.
fn part(base: *mut u8, bytes: usize, alignment: usize) -> (*mut u8, usize) {
    let skipped = base.align_offset(alignment).min(bytes);
    (base.wrapping_add(skipped), bytes - skipped)
}
