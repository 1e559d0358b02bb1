//! Memory of a node that its ranks move arrays through, in chunks that stay in a cache. Unsafe,
//! because other processes use the memory.

use super::communicator::OwnCommunicator;
use super::memory::NodeMemory;
use crate::error::Error;
use crate::transport::slots::{MAX_SLOT_BYTES, PAGE, SLOTS, Slots};

/// Bytes of all chunks of a node with many ranks: the chunks that a rank writes and reads should
/// stay in its second cache. With few ranks, slots have the maximal length.
const NODE_BYTES: usize = 32 << 20;

/// The shortest chunk that is worth a round, in bytes.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// The slots of a node's ranks, with their memory.
#[derive(Debug)]
pub(super) struct NodeSlots {
    slots: Slots,
    /// Unmapped when this is dropped.
    _memory: NodeMemory,
}

impl NodeSlots {
    /// Makes slots for the ranks of each node. Fails on all ranks if a rank of any has no memory.
    /// Collective.
    pub fn new(all: &OwnCommunicator, node: &OwnCommunicator) -> Result<Self, Error> {
        let slot = slot_bytes(node.size());
        let bytes = Slots::part_bytes(slot, node.size());
        // SAFETY: each part has that many bytes, zero, from a page on. The memory is of these ranks
        // only, all of which come here, and stays as long as the slots (`_memory`). Chunks do not
        // outlive moves, which borrow the channel that has the context. No rank goes on before all
        // have met in `NodeMemory::new`.
        let slots = |memory: &NodeMemory| unsafe { Slots::new(slot, memory.starts(), node.rank()) };
        let (memory, slots) = NodeMemory::new(all, node, bytes, slots)?;
        Ok(Self { slots, _memory: memory })
    }

    pub fn slots(&self) -> &Slots {
        &self.slots
    }
}

/// Returns the bytes of the slots of so many ranks.
pub(super) fn bytes_among(ranks: usize) -> usize {
    Slots::part_bytes(slot_bytes(ranks), ranks)
}

fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}
