//! Memory of a node that its ranks move arrays through, in chunks that stay in a cache. Unsafe,
//! because other processes use the memory.

use super::communicator::OwnCommunicator;
use super::memory::{NodeMemory, is_small_part};
use crate::error::Error;
use crate::transport::slots::{MAX_SLOT_BYTES, MOST_SLOTS, PAGE, SLOTS, Slots};

/// Bytes of all chunks of a node with many ranks: the chunks that a rank writes and reads should
/// stay in its second cache. With few ranks, slots have the maximal length.
const NODE_BYTES: usize = 32 << 20;

/// The shortest chunk that is worth a round, in bytes.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// A ring of slots, in which a rank's chunks of a move go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RingLength {
    /// [`SLOTS`], whose chunks stay in a cache.
    #[default]
    Short,
    /// [`MOST_SLOTS`], for ranks that leave no core of a node to other processes. A rank
    /// whose ring is full waits for a turn of its receivers, which takes milliseconds beside others.
    Long,
}

impl RingLength {
    /// Returns the longest ring of a plan: long if ranks leave no core to others (`is_full`), and the largest
    /// array of a rank does not fit into the short one.
    pub fn of(is_full: bool, ranks: usize, largest_bytes: usize) -> Self {
        let is_longer = Self::Long.slots(ranks) > SLOTS;
        match is_full && is_longer && largest_bytes > SLOTS * slot_bytes(ranks) {
            true => Self::Long,
            false => Self::Short,
        }
    }

    /// Returns the number of its slots.
    fn slots(self, ranks: usize) -> usize {
        match self {
            Self::Short => SLOTS,
            Self::Long => (NODE_BYTES / slot_bytes(ranks) / ranks).clamp(SLOTS, MOST_SLOTS),
        }
    }
}

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
    pub fn new(
        all: &OwnCommunicator,
        node: &OwnCommunicator,
        ring: RingLength,
    ) -> Result<Self, Error> {
        let ring = (ring.slots(node.size()), slot_bytes(node.size()));
        let bytes = Slots::part_bytes(ring, node.size());
        // SAFETY: each part has that many bytes, zero, from a page on. The memory is of these ranks
        // only, all of which come here, and stays as long as the slots (`_memory`). Chunks do not
        // outlive moves, which borrow the channel that has the context. No rank goes on before all
        // have met in `NodeMemory::new`.
        let slots = |memory: &NodeMemory| unsafe { Slots::new(ring, memory.starts(), node.rank()) };
        let (memory, slots) = NodeMemory::new(all, node, bytes, slots)?;
        Ok(Self { slots, _memory: memory })
    }

    pub fn slots(&self) -> &Slots {
        &self.slots
    }
}

/// Returns the bytes of a rank's ring among so many ranks.
pub(super) fn bytes_among(ring: RingLength, ranks: usize) -> usize {
    Slots::part_bytes((ring.slots(ranks), slot_bytes(ranks)), ranks)
}

/// Returns `true` if the long rings of each node leave most of its shared memory to others. Collective.
pub(super) fn have_room(all: &OwnCommunicator, node: &OwnCommunicator) -> Result<bool, Error> {
    let bytes = bytes_among(RingLength::Long, node.size()).saturating_mul(node.size());
    Ok(all.minima([u64::from(is_small_part(bytes))])? == [1])
}

fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rings_are_for_ranks_that_take_turns_with_large_arrays() {
        let held = SLOTS * MAX_SLOT_BYTES;
        assert_eq!(RingLength::of(true, 4, held), RingLength::Short);
        assert_eq!(RingLength::of(true, 4, held + 1), RingLength::Long);
        assert_eq!(RingLength::of(false, 4, usize::MAX), RingLength::Short);
        assert_eq!(
            RingLength::of(true, 64, usize::MAX),
            RingLength::Short,
            "it would be no longer"
        );
        let slots = |ranks| [RingLength::Short, RingLength::Long].map(|ring| ring.slots(ranks));
        assert_eq!(slots(4), [SLOTS, MOST_SLOTS]);
        // All rings of a node have a bound.
        assert_eq!(slots(16), [SLOTS, 32]);
        assert_eq!(slots(1 << 20), [SLOTS; 2]);
    }
}
