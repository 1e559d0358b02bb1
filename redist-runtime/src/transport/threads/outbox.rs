//! Where a rank puts what the others take.

use super::rounds::MoveProgress;
use crate::error::Error;
use crate::transport::Lists;
use crate::transport::sync::{Arc, Mutex};
use std::ops::Range;
use std::sync::PoisonError;

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
