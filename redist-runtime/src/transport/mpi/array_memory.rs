//! The memory of one shared array, on each rank of a node that has a part of it. Unsafe, because
//! other processes use the memory.

use super::communicator::OwnCommunicator;
use super::memory::NodeMemory;
use crate::error::Error;
use crate::transport::slots::PAGE;
use std::sync::atomic::{AtomicU64, Ordering};

/// Begins each part, in a page of its own; the rank's elements follow.
#[derive(Debug, Default)]
struct ArrayHead {
    /// In the first rank's part: the ranks of the node that have dropped theirs.
    dropped: AtomicU64,
}

/// All parts of a shared array on a node. This rank unmaps it when neither its own array, nor its
/// context, which reads other ranks' parts, still needs it.
#[derive(Debug)]
pub(super) struct ArrayMemory {
    memory: NodeMemory,
    /// The number of ranks of the node.
    ranks: u64,
    /// The array's number among its context's arrays.
    number: AtomicU64,
}

impl ArrayMemory {
    /// Makes memory with `bytes` bytes for this rank, all zero. Collective; each rank passes its own
    /// number. Fails on all ranks alike.
    pub fn new(all: &OwnCommunicator, node: &OwnCommunicator, bytes: usize) -> Result<Self, Error> {
        let (memory, ()) = NodeMemory::new(all, node, bytes.saturating_add(PAGE), |memory| {
            // SAFETY: this rank's part begins with a page for its head, and no other rank reads it
            // before all have met in `NodeMemory::new`.
            unsafe { memory.part(node.rank()).0.cast::<ArrayHead>().write(ArrayHead::default()) }
        })?;
        Ok(Self { memory, ranks: node.size() as u64, number: AtomicU64::new(0) })
    }

    /// Returns the address and the bytes of the elements of the rank at this place, and what pads
    /// them to a page. They are there as long as this value.
    pub fn part(&self, place: usize) -> (*mut u8, usize) {
        let (start, len) = self.memory.part(place);
        (start.wrapping_add(PAGE), len - PAGE)
    }

    fn head(&self) -> &ArrayHead {
        // SAFETY: the first rank has written the head before any rank got this value (`new`). The
        // memory is there as long as `self`, and all that changes is atomic.
        unsafe { &*self.memory.part(0).0.cast() }
    }

    /// Notes that this rank no longer uses its part. Waits for no rank.
    pub fn note_drop(&self) {
        self.head().dropped.fetch_add(1, Ordering::AcqRel);
    }

    /// Returns `true` if every rank of the node has stopped using its part.
    pub fn is_dropped_by_all(&self) -> bool {
        self.head().dropped.load(Ordering::Acquire) >= self.ranks
    }

    pub fn note_number(&self, number: u64) {
        self.number.store(number, Ordering::Relaxed);
    }

    pub fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }
}
