//! Parcels: messages of the ranks of a node to a rank of another one, which travel with the votes on a
//! move.
//!
//! Unsafe, since other processes have packed what is copied.

use crate::transport::joined::{JoinedLayout, JoinedMemory};
use crate::transport::wire::report::HEAD_BYTES;
use std::sync::Arc;

/// The memory of a node, and where the messages of a plan are in it.
#[derive(Debug)]
pub(super) struct PlacedMessages {
    pub memory: JoinedMemory,
    pub layout: JoinedLayout,
}

/// What travels to ranks of other nodes with the votes on a move.
#[derive(Debug)]
pub(super) struct Parcels {
    pub messages: Arc<PlacedMessages>,
    /// The number of the move.
    pub number: u64,
}

/// A whole piece of a report, as it is sent, with what was packed into it behind the place of its
/// head.
#[derive(Debug)]
pub(super) struct WholePiece {
    pub to: usize,
    pub bytes: Vec<u8>,
}

impl Parcels {
    /// Adds what goes to a rank in one parcel.
    ///
    /// # Safety
    /// All ranks of this node have been seen to vote on the move that this was made for
    /// ([`JoinedMessages::parcels`]), and this rank votes on no other before this returns.
    pub unsafe fn copy_to(&self, rank: usize, parcel: usize, bytes: &mut Vec<u8>) {
        let PlacedMessages { memory, layout } = &*self.messages;
        // SAFETY: the caller says that all ranks of this node have been seen to vote on the move, and
        // that this rank votes on no other before this returns. The memory is there: its window is dropped by the channel, when
        // votes that this belongs to are over, or else never (`give_up`).
        unsafe { memory.copy_parcel(self.number, layout, (rank, parcel), bytes) };
    }

    /// Parcels to a rank.
    pub fn count(&self, rank: usize) -> usize {
        self.messages.layout.parcels_to(rank).last().map_or(1, |last| last + 1)
    }
}

/// What travelled with a piece of a report.
#[derive(Debug, Default)]
pub(super) struct Parcel {
    /// As it was received, with its head.
    pub piece: Vec<u8>,
    pub len: usize,
}

impl Parcel {
    pub fn bytes(&self) -> &[u8] {
        self.piece.get(HEAD_BYTES..self.len).unwrap_or_default()
    }
}
