//! Where a rank puts what the others take, and how far it has come.

use super::calls::ShownCall;
use super::lend::Slot;
use crate::cache::LINE_BYTES;
use crate::error::Error;
use crate::transport::Lists;
use crate::transport::sync::atomic::AtomicUsize;
use crate::transport::sync::{Arc, IS_MODELLED, Mutex};
use core::mem::offset_of;
use std::ops::Range;
use std::sync::PoisonError;

/// How far a rank has come. What it says when it begins a move is in one cache line, and what it says
/// later in the next: a line that others look at while it is written takes its time every time.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct MoveProgress {
    /// The call by which it has begun the move.
    pub call: ShownCall,
    pub arrays: Slot,
    /// The last move that it only began, so that it cannot lend its source array.
    pub packs: AtomicUsize,
    /// The last move in which it kept its destination to itself.
    pub keeps: AtomicUsize,
    /// Where source arrays are lent: counted before anything is packed or copied.
    pub arrived: AtomicUsize,
    pub packed: AtomicUsize,
    /// The last move that it was not ready for.
    pub refuses: AtomicUsize,
    /// The move in which it panicked while it copied between lent arrays.
    pub failed: AtomicUsize,
    pub unpacked: AtomicUsize,
}

const _: () = assert!(IS_MODELLED || offset_of!(MoveProgress, packed) <= LINE_BYTES, "two lines");

impl MoveProgress {
    pub fn new() -> Self {
        Self {
            call: ShownCall::default(),
            arrays: Slot::empty(),
            packs: AtomicUsize::new(0),
            keeps: AtomicUsize::new(0),
            arrived: AtomicUsize::new(0),
            packed: AtomicUsize::new(0),
            refuses: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
            unpacked: AtomicUsize::new(0),
        }
    }
}

/// Where a rank puts what the others take, and how far it has come.
#[derive(Debug)]
pub(super) struct RankOutbox {
    pub progress: MoveProgress,
    /// Why it was not ready for a move, the last time that it was not.
    pub refused: Mutex<Option<Error>>,
    packed: Mutex<Option<Arc<Packed>>>,
}

/// All messages of a rank, packed.
#[derive(Debug)]
pub(super) struct Packed {
    pub buffer: Vec<u8>,
    /// The receivers, increasing, and the bytes of the message to each.
    places: Vec<(usize, Range<usize>)>,
}

impl RankOutbox {
    pub fn new() -> Self {
        Self { progress: MoveProgress::new(), refused: Mutex::default(), packed: Mutex::default() }
    }

    /// What was packed last.
    pub fn packed(&self) -> Option<Arc<Packed>> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// As [`packed`](Self::packed), which other ranks do not get any more.
    pub fn take(&self) -> Option<Arc<Packed>> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Shows the others what was packed.
    pub fn put(&self, packed: Option<Arc<Packed>>) {
        *self.packed.lock().unwrap_or_else(PoisonError::into_inner) = packed;
    }
}

impl Packed {
    /// Room for outgoing messages.
    pub fn new(outgoing: &Lists) -> Self {
        Self { buffer: vec![0; outgoing.len], places: places(outgoing) }
    }

    /// Room for other messages, in the same buffer where it is as long.
    pub fn renew(&mut self, outgoing: &Lists) {
        self.places = places(outgoing);
        self.buffer.resize(outgoing.len, 0);
    }

    /// The message to a rank.
    ///
    /// # Panics
    /// If there is none: ranks whose plans have one digest have the same messages.
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
