//! Lending arrays to the other ranks, so that all copy from array to array instead of by messages.
//!
//! Unsafe, since a lifetime cannot say that slices of one thread are used by others until they are
//! through. [`Slot`] keeps slices as pointers; [`Lenders::lent`] is the only place that makes
//! slices of them again.

use super::outbox::RankOutbox;
use super::rounds::Rounds;
use crate::error::Error;
use crate::transport::{Leave, Lent};
use std::cell::UnsafeCell;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A slice whose lifetime is not told.
#[derive(Debug)]
struct ShownSlice {
    pointer: AtomicPtr<u8>,
    len: AtomicUsize,
}

impl ShownSlice {
    fn empty() -> Self {
        Self { pointer: AtomicPtr::new([].as_mut_ptr()), len: AtomicUsize::new(0) }
    }

    fn show(&self, pointer: *mut u8, len: usize) {
        self.pointer.store(pointer, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
    }

    fn parts(&self) -> (*mut u8, usize) {
        (self.pointer.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed))
    }
}

/// Where a rank shows its arrays while it lends them.
#[derive(Debug)]
pub(super) struct Slot {
    source: ShownSlice,
    destination: ShownSlice,
}

impl Slot {
    pub fn empty() -> Self {
        Self { source: ShownSlice::empty(), destination: ShownSlice::empty() }
    }

    pub fn show(&self, source: &[u8], destination: &mut [u8]) {
        self.source.show(source.as_ptr().cast_mut(), source.len());
        self.destination.show(destination.as_mut_ptr(), destination.len());
    }

    /// The source that was shown last.
    fn source(&self) -> *const [u8] {
        let (pointer, len) = self.source.parts();
        ptr::slice_from_raw_parts(pointer, len)
    }

    /// The destination that was shown last; an `UnsafeCell` has the layout of what it holds.
    fn destination(&self) -> *const [UnsafeCell<u8>] {
        let (pointer, len) = self.destination.parts();
        ptr::slice_from_raw_parts(pointer.cast(), len)
    }
}

/// The arrays of all ranks, as long as they are lent.
#[derive(Debug)]
pub(super) struct Lenders {
    /// Looked at only while they are lent; kept for their memory otherwise.
    sources: Vec<*const [u8]>,
    destinations: Vec<*const [UnsafeCell<u8>]>,
}

impl Lenders {
    pub fn new(ranks: usize) -> Self {
        Self { sources: Vec::with_capacity(ranks), destinations: Vec::with_capacity(ranks) }
    }

    /// What all ranks lend each other in this move. Allocates nothing.
    ///
    /// # Safety
    /// All ranks have shown their arrays in this move and been counted as arrived, which this rank
    /// has waited for. All call this, and drop what it returns; each keeps its arrays borrowed
    /// until then, the destination mutably, and does not use these borrows otherwise.
    pub unsafe fn lent<'a>(
        &'a mut self,
        rounds: &'a Rounds,
        outboxes: &[Arc<RankOutbox>],
    ) -> Lent<'a> {
        self.sources.clear();
        self.destinations.clear();
        self.sources.extend(outboxes.iter().map(|outbox| outbox.arrays.source()));
        self.destinations.extend(outboxes.iter().map(|outbox| outbox.arrays.destination()));
        // SAFETY: a reference has the layout of a pointer. Each came from a slice of its owner,
        // which the caller says is borrowed until its owner has dropped its guard; that waits until
        // all ranks have been counted as through, which this rank is only when it drops its own
        // guard, and so does not use these lists any more. The counters' release and acquire order
        // what was shown, what is copied, and what owners do afterwards.
        let (sources, destinations) = unsafe {
            let sources: *const [*const [u8]] = &raw const self.sources[..];
            let destinations: *const [*const [UnsafeCell<u8>]] = &raw const self.destinations[..];
            (&*(sources as *const [&[u8]]), &*(destinations as *const [&[UnsafeCell<u8>]]))
        };
        Lent { sources, destinations, ranks: Some(rounds) }
    }
}

impl Leave for Rounds {
    fn leave(&self, failed: bool) -> Result<(), Error> {
        if failed {
            self.fail();
        }
        self.count(|rank| &rank.unpacked);
        if self.wait_for(|rank| &rank.unpacked).is_err() {
            // A rank ended inside of this move without dropping its guard. None can; but if one
            // did, it might still be using what this rank is about to give up.
            std::process::abort();
        }
        // A rank that fails has worse to tell.
        if failed { Ok(()) } else { self.failed().map_or(Ok(()), Err) }
    }
}
