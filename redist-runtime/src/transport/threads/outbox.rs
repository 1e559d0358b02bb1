//! A thread's outgoing messages and arrays, and its progress. [`SharedArrays`] keeps slices as pointers;
//! [`LentArrays`](crate::transport::LentArrays) makes slices of them again.

use crate::error::Error;
use crate::transport::Lists;
use crate::transport::board::MoveMarks;
use crate::transport::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::transport::sync::{Arc, Mutex, MutexGuard, lock};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr;

/// One rank's progress, arrays and messages, as other ranks read them.
#[derive(Debug, Default)]
pub(super) struct RankOutbox {
    pub marks: MoveMarks<SharedArrays>,
    /// Reason that the rank was not ready for a move, the last time.
    pub refused: Mutex<Option<Error>>,
    packed: Mutex<Option<Arc<Packed>>>,
}

/// All packed messages of a rank.
#[derive(Debug)]
pub(super) struct Packed {
    /// Bytes of all messages.
    pub buffer: Vec<u8>,
    /// Receiver of each message, increasing, with the message's range in the buffer.
    places: Vec<(usize, Range<usize>)>,
}

impl RankOutbox {
    /// Returns its packed messages; taken from there, other ranks do not find them.
    pub fn packed(&self) -> MutexGuard<'_, Option<Arc<Packed>>> {
        lock(&self.packed)
    }
}

impl Packed {
    pub fn new(outgoing: &Lists) -> Self {
        Self { buffer: vec![0; outgoing.len], places: places(outgoing) }
    }

    /// Adapts it to other messages, in the same buffer if the length is the same.
    pub fn renew(&mut self, outgoing: &Lists) {
        self.places = places(outgoing);
        self.buffer.resize(outgoing.len, 0);
    }

    /// Returns the message to a rank. Panics if there is none: ranks whose plans have one digest
    /// have the same messages.
    pub fn message_to(&self, rank: usize) -> &[u8] {
        let found = self.places.binary_search_by_key(&rank, |(rank, _)| *rank);
        let place = found.unwrap_or_else(|_| panic!("no message to rank {rank}"));
        &self.buffer[self.places[place].1.clone()]
    }
}

/// The receivers, increasing, and the bytes of the message to each.
fn places(outgoing: &Lists) -> Vec<(usize, Range<usize>)> {
    let places = outgoing.envelopes.iter().zip(&outgoing.bytes);
    let mut places: Vec<_> =
        places.map(|(envelope, bytes)| (envelope.rank, bytes.clone())).collect();
    places.sort_unstable_by_key(|(rank, _)| *rank);
    places
}

/// A slice without its lifetime.
#[derive(Debug)]
struct ShownSlice {
    /// Its first byte.
    pointer: AtomicPtr<u8>,
    len: AtomicUsize,
}

impl Default for ShownSlice {
    fn default() -> Self {
        Self { pointer: AtomicPtr::new([].as_mut_ptr()), len: AtomicUsize::new(0) }
    }
}

impl ShownSlice {
    fn show(&self, pointer: *mut u8, len: usize) {
        self.pointer.store(pointer, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
    }

    fn parts(&self) -> (*mut u8, usize) {
        (self.pointer.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed))
    }
}

/// Both arrays of a rank, as other ranks read them while they are shared.
#[derive(Debug, Default)]
pub(super) struct SharedArrays {
    source: ShownSlice,
    destination: ShownSlice,
}

impl SharedArrays {
    pub fn show(&self, source: &[u8], destination: &mut [u8]) {
        self.source.show(source.as_ptr().cast_mut(), source.len());
        self.destination.show(destination.as_mut_ptr(), destination.len());
    }

    pub fn source(&self) -> *const [u8] {
        let (pointer, len) = self.source.parts();
        ptr::slice_from_raw_parts(pointer, len)
    }

    /// Returns the last destination; an `UnsafeCell` has the layout of its content.
    pub fn destination(&self) -> *const [UnsafeCell<u8>] {
        let (pointer, len) = self.destination.parts();
        ptr::slice_from_raw_parts(pointer.cast(), len)
    }
}
