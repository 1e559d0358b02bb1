//! Memory of a node that its ranks move arrays through, in chunks that stay in a cache. Unsafe,
//! because other processes use the memory.

use super::communicator::OwnCommunicator;
use super::memory::{NodeMemory, is_small_part};
use crate::error::Error;
use crate::transport::slots::{MAX_SLOT_BYTES, MOST_SLOTS, PAGE, SLOTS, Slots};

/// Bytes of all chunks of a node with many ranks, at most.
const NODE_BYTES: usize = 32 << 20;

/// Bytes of a long ring, at most.
const LONG_RING_BYTES: usize = 4 << 20;

/// The shortest chunk that is worth a round, in bytes.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Bytes of a chunk where caches are small, or unknown.
const USUAL_CHUNK_BYTES: usize = 64 << 10;

/// Chunks in a second-level cache: a rank writes one there, and reads others, while ranks of the same
/// core do so in turns. Longer chunks have fewer rounds, each of which costs microseconds.
const CHUNKS_OF_A_CACHE: usize = 4;

/// A ring of slots, in which a rank's chunks of a move go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RingLength {
    /// [`SLOTS`], whose chunks stay in a cache.
    #[default]
    Short,
    /// Up to [`MOST_SLOTS`], for ranks that leave no core of a node to other processes. A rank
    /// whose ring is full waits for a turn of its receivers, which takes milliseconds beside others.
    Long,
}

/// The sizes of rings among the ranks of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rings {
    /// Ranks of the node.
    ranks: usize,
    /// Bytes of a slot: of a chunk at most.
    slot: usize,
}

impl Rings {
    /// Returns the sizes among so many ranks whose smallest second-level cache has so many bytes, 0 if
    /// a system does not tell.
    pub fn of(ranks: usize, second_cache: u64) -> Self {
        let cache = usize::try_from(second_cache).unwrap_or(usize::MAX);
        let chunk = (cache / CHUNKS_OF_A_CACHE).clamp(USUAL_CHUNK_BYTES, MAX_SLOT_BYTES);
        let slot = (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, chunk) / PAGE * PAGE;
        Self { ranks, slot }
    }

    /// Returns the longest ring of a plan: long if ranks leave no core to others (`is_full`), and the
    /// largest array of a rank does not fit into the short one.
    pub fn longest(&self, is_full: bool, largest_bytes: usize) -> RingLength {
        let is_longer = self.slots(RingLength::Long) > SLOTS;
        match is_full && is_longer && largest_bytes > SLOTS * self.slot {
            true => RingLength::Long,
            false => RingLength::Short,
        }
    }

    /// Returns the number of a ring's slots.
    fn slots(&self, ring: RingLength) -> usize {
        let long = LONG_RING_BYTES.min(NODE_BYTES / self.ranks);
        match ring {
            RingLength::Short => SLOTS,
            RingLength::Long => (long / self.slot).clamp(SLOTS, MOST_SLOTS),
        }
    }

    /// Returns the bytes of a rank's ring.
    pub fn bytes(&self, ring: RingLength) -> usize {
        Slots::part_bytes((self.slots(ring), self.slot), self.ranks)
    }

    /// Returns `true` if the long rings of each node leave most of its shared memory to others.
    /// Collective.
    pub fn have_room(&self, all: &OwnCommunicator) -> Result<bool, Error> {
        let bytes = self.bytes(RingLength::Long).saturating_mul(self.ranks);
        Ok(all.minima([u64::from(is_small_part(bytes))])? == [1])
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
        (rings, ring): (Rings, RingLength),
    ) -> Result<Self, Error> {
        let ring = (rings.slots(ring), rings.slot);
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

#[cfg(test)]
mod tests {
    use super::*;

    const CACHES: [u64; 6] = [0, 256 << 10, 512 << 10, 1280 << 10, 2 << 20, u64::MAX];

    #[test]
    fn long_rings_are_for_ranks_that_take_turns_with_large_arrays() {
        let (short, long) = (RingLength::Short, RingLength::Long);
        for cache in CACHES {
            let rings = Rings::of(4, cache);
            let held = SLOTS * rings.slot;
            assert_eq!(rings.longest(true, held), short);
            assert_eq!(rings.longest(true, held + 1), long);
            assert_eq!(rings.longest(false, usize::MAX), short);
            let many = Rings::of(64, cache).longest(true, usize::MAX);
            assert_eq!(many, short, "it would be no longer");
        }
    }

    #[test]
    fn chunks_are_as_long_as_caches_and_ranks_let_them() {
        let slots = |ranks| CACHES.map(|cache| Rings::of(ranks, cache).slot >> 10);
        assert_eq!(slots(2), [64, 64, 128, 256, 256, 256]);
        assert_eq!(slots(16), [64, 64, 128, 256, 256, 256]);
        assert_eq!(slots(32), [64, 64, 128, 128, 128, 128]);
        assert_eq!(slots(100), [40; 6]);
        assert_eq!(slots(1 << 20), [16; 6]);
    }

    #[test]
    fn all_rings_of_a_node_have_a_bound() {
        for (ranks, cache) in
            [2, 4, 16, 100, 256].into_iter().flat_map(|ranks| CACHES.map(|cache| (ranks, cache)))
        {
            let rings = Rings::of(ranks, cache);
            let slots = [RingLength::Short, RingLength::Long].map(|ring| rings.slots(ring));
            assert!(slots.iter().all(|slots| ranks * slots * rings.slot <= NODE_BYTES));
            assert!(slots[1] * rings.slot <= LONG_RING_BYTES && slots[0] <= slots[1]);
        }
        let slots = |ranks, cache| Rings::of(ranks, cache).slots(RingLength::Long);
        assert_eq!([slots(4, 0), slots(4, 512 << 10), slots(4, 2 << 20)], [MOST_SLOTS, 32, 16]);
        assert_eq!([slots(16, 0), slots(16, 2 << 20), slots(1 << 20, 0)], [32, SLOTS, SLOTS]);
    }
}
