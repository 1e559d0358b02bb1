//! Parcels: messages of the ranks of a node to a rank of another one, which travel with the votes
//! on a move. Unsafe, because other processes have packed the bytes that it copies.

use crate::transport::joined::{JoinedLayout, JoinedMemory};
use crate::transport::wire::report::HEAD_BYTES;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct PlacedMessages {
    pub memory: JoinedMemory,
    pub layout: JoinedLayout,
}

#[derive(Debug)]
pub(super) struct Parcels {
    pub messages: Arc<PlacedMessages>,
    pub number: u64,
}

/// A whole piece of a report as it is sent: packed bytes follow the place of its head.
#[derive(Debug)]
pub(super) struct WholePiece {
    pub to: usize,
    pub bytes: Vec<u8>,
}

impl Parcels {
    /// Appends the messages to a rank in one parcel.
    ///
    /// # Safety
    /// This rank has seen the votes of all ranks of this node on this value's move
    /// ([`JoinedMessages::parcels`]). It votes on no other before this returns.
    pub unsafe fn copy_to(&self, rank: usize, parcel: usize, bytes: &mut Vec<u8>) {
        let PlacedMessages { memory, layout } = &*self.messages;
        // SAFETY: this rank has seen all ranks of this node vote on the move, and votes on no other
        // before this returns, as the caller promises. The memory is there: the channel drops its
        // window when the votes are over, or else never (`give_up`).
        unsafe { memory.copy_parcel(self.number, layout, (rank, parcel), bytes) };
    }

    pub fn count(&self, rank: usize) -> usize {
        self.messages.layout.parcels_to(rank).last().map_or(1, |last| last + 1)
    }
}

#[derive(Debug, Default)]
pub(super) struct Parcel {
    pub piece: Vec<u8>,
    pub len: usize,
}

impl Parcel {
    pub fn bytes(&self) -> &[u8] {
        self.piece.get(HEAD_BYTES..self.len).unwrap_or_default()
    }
}
