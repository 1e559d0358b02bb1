//! A node in ordinary memory, between ranks that are threads. What goes to the other node comes back
//! from it as it was.

use super::{JoinedLayout, JoinedMemory, JointBlock, Place};
use crate::transport::nodes::Nodes;
#[cfg(not(loom))]
use crate::transport::tests::in_parts;
use crate::transport::tests::in_parts::MemoryInParts;

/// Ranks of this node; as many are on the other one.
pub const RANKS: usize = 2;

/// Bytes of any message.
const BYTES: usize = 5;

pub const PART_BYTES: usize = 4096;

/// What one rank has.
pub struct OneRank {
    pub memory: JoinedMemory,
    pub rank: usize,
    pub outgoing: Vec<Place>,
    pub incoming: Vec<Place>,
    pub blocks: Vec<JointBlock>,
}

/// # Safety
/// As for [`JoinedMemory::new`], with this in place of the parts.
pub unsafe fn one_rank(memory: &MemoryInParts, rank: usize) -> OneRank {
    let lowest: Vec<u64> =
        (0..2 * RANKS).map(|rank| if rank < RANKS { 0 } else { RANKS as u64 }).collect();
    let layout = JoinedLayout::new(&Nodes::new(&lowest), rank, &|_, _| BYTES);
    let (outgoing, incoming) = (layout.outgoing, layout.incoming);
    assert!(layout.lens.iter().all(|len| JoinedMemory::part_bytes(*len).unwrap() <= PART_BYTES));
    let places = |places: Vec<(usize, Place)>| places.into_iter().map(|(_, place)| place).collect();
    // SAFETY: parts have as many bytes, as asserted above, and begin with a page; the caller says the
    // rest.
    let memory = unsafe { JoinedMemory::new(memory.parts(), layout.lens, rank) };
    let (outgoing, incoming) = (places(outgoing), places(incoming));
    OneRank { memory, rank, outgoing, incoming, blocks: layout.blocks }
}

/// What a rank sends to another in a move.
fn value(from: usize, to: usize, number: u64) -> u8 {
    (from * 50 + to * 11 + number as usize * 3) as u8
}

impl OneRank {
    /// One move; `wait` returns when what it is given is true.
    pub fn exchange(&self, number: u64, wait: impl Fn(&dyn Fn() -> bool)) {
        // SAFETY: these are this rank's places; all ranks have begun the move before, since this one
        // saw their messages of it, and read nothing of the one before that.
        let rooms = unsafe { self.memory.rooms(number, &self.outgoing) };
        for (to, room) in rooms.enumerate() {
            room.fill(value(self.rank, to, number));
        }
        self.memory.note_packed(number);
        wait(&|| self.memory.all_have_packed(number));
        for block in &self.blocks {
            let (from, to) = (block.outgoing.clone(), block.incoming.clone());
            assert_eq!(from.len(), to.len());
            let len = from.len();
            let (from, to) = (self.memory.block(number, from), self.memory.block(number, to));
            // SAFETY: both are of this rank's part, and apart; all have packed the one, and none
            // reads the other before it is told below.
            unsafe { from.copy_to_nonoverlapping(to, len) };
        }
        if !self.blocks.is_empty() {
            self.memory.note_arrival(number);
        }
        let (near, far) = self.incoming.split_at(RANKS);
        wait(&|| self.memory.have_arrived(number, far));
        #[cfg(all(test, loom))]
        {
            (0..RANKS).for_each(|rank| self.memory.look(number, rank, false));
            far.iter().for_each(|place| self.memory.look(number, place.owner, true));
        }
        // SAFETY: all have packed, and the far ones have arrived, as waited for above.
        let (near, far) =
            unsafe { (self.memory.messages(number, near), self.memory.messages(number, far)) };
        for (from, message) in near.enumerate() {
            assert_eq!(message, [value(from, self.rank, number); BYTES]);
        }
        // The other node sends what it was sent: rank by rank, what this node's ranks sent to it.
        for (from, message) in far.enumerate() {
            assert_eq!(message, [value(from, RANKS + self.rank, number); BYTES]);
        }
    }
}

#[cfg(not(loom))]
#[test]
fn a_node_joins_its_messages() {
    // SAFETY: each rank makes this call once, and all have before one goes on.
    let make = |memory: &MemoryInParts, rank: usize| unsafe { one_rank(memory, rank) };
    in_parts::run((RANKS, PART_BYTES), make, |one: &OneRank| {
        for number in 0..50 {
            one.exchange(number, |is_true| {
                while !is_true() {
                    std::thread::yield_now();
                }
            });
        }
    });
}
