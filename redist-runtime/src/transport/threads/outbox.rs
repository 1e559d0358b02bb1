//! A thread's outgoing messages and arrays, and its progress.

use super::lend::Slot;
use crate::error::Error;
use crate::transport::Lists;
use crate::transport::board::MoveProgress;
use crate::transport::sync::{Arc, Mutex, MutexGuard, lock};
use std::ops::Range;

#[derive(Debug, Default)]
pub(super) struct RankOutbox {
    pub progress: MoveProgress<Slot>,
    pub refused: Mutex<Option<Error>>,
    packed: Mutex<Option<Arc<Packed>>>,
}

#[derive(Debug)]
pub(super) struct Packed {
    pub buffer: Vec<u8>,
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
