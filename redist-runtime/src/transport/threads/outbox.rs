//! A rank's outgoing messages and arrays, and its progress.

use super::calls::ShownCall;
use super::lend::Slot;
use crate::cache::LINE_BYTES;
use crate::error::Error;
use crate::transport::Lists;
use crate::transport::sync::atomic::AtomicU64;
use crate::transport::sync::{Arc, IS_MODELLED, Mutex};
use core::mem::offset_of;
use std::ops::Range;
use std::sync::PoisonError;

/// A rank's progress. Marks of a move's beginning are in one cache line, later ones in the next,
/// because a line that others poll while it is written is slow.
#[derive(Debug)]
#[repr(C, align(128))]
pub(super) struct MoveProgress {
    pub call: ShownCall,
    pub arrays: Slot,
    /// The last move that it only began, so that it cannot share its source array.
    pub packs: AtomicU64,
    /// The last move in which it kept its destination to itself.
    pub keeps: AtomicU64,
    /// Counted before anything is packed or copied, when source arrays are shared.
    pub arrived: AtomicU64,
    pub packed: AtomicU64,
    pub refuses: AtomicU64,
    /// The move in which it panicked while it copied between shared arrays.
    pub failed: AtomicU64,
    pub unpacked: AtomicU64,
}

const _: () = assert!(IS_MODELLED || offset_of!(MoveProgress, packed) <= LINE_BYTES, "two lines");

impl MoveProgress {
    pub fn new() -> Self {
        Self {
            call: ShownCall::default(),
            arrays: Slot::empty(),
            packs: AtomicU64::new(0),
            keeps: AtomicU64::new(0),
            arrived: AtomicU64::new(0),
            packed: AtomicU64::new(0),
            refuses: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            unpacked: AtomicU64::new(0),
        }
    }
}

#[derive(Debug)]
pub(super) struct RankOutbox {
    pub progress: MoveProgress,
    pub refused: Mutex<Option<Error>>,
    packed: Mutex<Option<Arc<Packed>>>,
}

#[derive(Debug)]
pub(super) struct Packed {
    pub buffer: Vec<u8>,
    places: Vec<(usize, Range<usize>)>,
}

impl RankOutbox {
    pub fn new() -> Self {
        Self { progress: MoveProgress::new(), refused: Mutex::default(), packed: Mutex::default() }
    }

    pub fn packed(&self) -> Option<Arc<Packed>> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// As [`packed`](Self::packed), and withdraws it from other ranks.
    pub fn take(&self) -> Option<Arc<Packed>> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub fn put(&self, packed: Option<Arc<Packed>>) {
        *self.packed.lock().unwrap_or_else(PoisonError::into_inner) = packed;
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
