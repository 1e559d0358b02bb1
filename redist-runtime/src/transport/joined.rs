//! Messages in memory that the ranks of a node share: those to its own ranks are read where they
//! were packed, those to other nodes are sent joined, one message a pair of nodes.
//!
//! Unsafe, since what is packed is read by other processes: [`JoinedMemory`] says when. What the
//! memory is, and what travels between nodes, others say: `mpi/joined.rs`, and the models.

mod layout;
#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests;

use super::sync::Watched;
use super::sync::atomic::{AtomicU64, Ordering};
pub use layout::{JoinedLayout, JointBlock, Place};
use std::slice;

/// Moves whose messages lie in memory of their own: one is packed while the one before is read.
const TURNS: u64 = 2;

/// How far a rank has come, counted in moves; at the beginning of its part.
#[derive(Default)]
#[repr(C, align(64))]
struct JoinedProgress {
    /// Moves that it has packed its messages of, or passed.
    packed: AtomicU64,
    apart: [u64; 7],
    /// Moves of which it has received all blocks.
    arrived: AtomicU64,
    /// What others read and write, in turns.
    packed_contents: [Watched; TURNS as usize],
    arrived_contents: [Watched; TURNS as usize],
}

/// Bytes of a part that come before the messages.
const HEADER: usize = size_of::<JoinedProgress>();

/// What parts are aligned to.
pub const LINE: usize = 64;

/// The memory of a node, seen from one of its ranks. Moves are counted from 0 on, on all ranks alike.
///
/// In a move, a rank packs its messages ([`rooms`](Self::rooms)) and [tells](Self::note_packed). When
/// [all have](Self::all_have_packed), the ranks that speak with other nodes send blocks, receive
/// blocks, and [tell](Self::note_arrival). What comes from ranks of the node can be
/// [read](Self::messages) when these have packed; what comes from elsewhere, when the rank that
/// speaks with that node has told of it. Before a rank begins the move after the next, all ranks
/// know of each other that they have begun the next: so that nothing is read any more of what is
/// written again.
#[derive(Debug)]
pub struct JoinedMemory {
    /// Where each rank's part is here.
    parts: Vec<*mut u8>,
    /// Bytes of the messages of one move in each part.
    lens: Vec<usize>,
    /// The place of this rank among those of the node.
    here: usize,
}

impl JoinedMemory {
    /// Bytes of a part with messages of `len` bytes; `None` if that is more than there are addresses.
    pub fn part_bytes(len: usize) -> Option<usize> {
        turn_bytes(len)?.checked_mul(TURNS as usize)?.checked_add(HEADER)
    }

    /// The memory in these parts, by rank of the node, of which this one is number `here`. Sets this
    /// rank's counters to zero.
    ///
    /// # Safety
    /// Each part has the [`part_bytes`](Self::part_bytes) of its length, initialised, from a multiple of [`LINE`]
    /// on; it is the same memory on all ranks, each of which makes this call once, and nothing else
    /// uses it from now on. It outlives this value, and what this hands out. No rank goes on before
    /// all calls are known to be over (release and acquire).
    pub unsafe fn new(parts: Vec<*mut u8>, lens: Vec<usize>, here: usize) -> Self {
        assert_eq!(parts.len(), lens.len(), "a length for each part");
        assert!(lens.iter().all(|len| Self::part_bytes(*len).is_some()), "parts are allocated");
        // SAFETY: there is room for it, at a place fit for it, and no other rank looks at it before
        // this call is over, as the caller says.
        unsafe { parts[here].cast::<JoinedProgress>().write(JoinedProgress::default()) };
        Self { parts, lens, here }
    }

    /// Tells that this rank has packed its messages of a move, or has none to pack.
    pub fn note_packed(&self, number: u64) {
        self.progress(self.here).packed.store(number + 1, Ordering::Release);
    }

    /// Whether all ranks of the node have.
    pub fn all_have_packed(&self, number: u64) -> bool {
        (0..self.parts.len())
            .all(|rank| self.progress(rank).packed.load(Ordering::Acquire) > number)
    }

    /// Tells that this rank has received all blocks of a move.
    pub fn note_arrival(&self, number: u64) {
        let own = self.progress(self.here);
        own.arrived_contents[turn(number)].write();
        own.arrived.store(number + 1, Ordering::Release);
    }

    /// Whether all of these places can be read that are of blocks.
    pub fn have_arrived(&self, number: u64, places: &[Place]) -> bool {
        places
            .iter()
            .all(|place| self.progress(place.owner).arrived.load(Ordering::Acquire) > number)
    }

    /// Memory to pack messages of a move into.
    ///
    /// # Safety
    /// The places are this rank's outgoing ones, and apart; it has begun this move and not told that
    /// it has packed, and drops what this returns before it does. All ranks of the node know of each
    /// other that they have begun the move before, and have dropped what they read in the one before
    /// that.
    pub unsafe fn rooms<'a>(
        &'a self,
        number: u64,
        places: &[Place],
    ) -> impl Iterator<Item = &'a mut [u8]> {
        self.progress(self.here).packed_contents[turn(number)].write();
        places.iter().map(move |place| {
            let (start, len) = self.place(number, place);
            // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
            // caller of `new` says. It is this rank's alone (`JoinedLayout`) until it tells that it
            // has packed; of the move that had the same memory before, no rank reads any more, as
            // the caller says.
            unsafe { slice::from_raw_parts_mut(start, len) }
        })
    }

    /// Messages of a move.
    ///
    /// # Safety
    /// All ranks of the node have packed this move, those that sent them as seen by this rank
    /// ([`all_have_packed`](Self::all_have_packed)), or they have arrived
    /// ([`have_arrived`](Self::have_arrived)). What this returns is dropped before this rank begins
    /// another move.
    pub unsafe fn messages<'a>(
        &'a self,
        number: u64,
        places: &[Place],
    ) -> impl Iterator<Item = &'a [u8]> {
        places.iter().map(move |place| {
            let (start, len) = self.place(number, place);
            // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
            // caller of `new` says. What was written there happened before (release and acquire), as
            // the caller says, and nothing is written again before this rank has begun another move.
            unsafe { slice::from_raw_parts(start, len) }
        })
    }

    /// Where bytes of this rank's part are in a move, for the library to send or to receive into.
    pub fn block(&self, number: u64, bytes: std::ops::Range<usize>) -> *mut u8 {
        self.place(number, &Place { owner: self.here, bytes }).0
    }

    /// `loom` is told that this rank reads what ranks of the node have packed, or what has arrived.
    #[cfg(all(test, loom))]
    fn look(&self, number: u64, owner: usize, has_arrived: bool) {
        let owner = self.progress(owner);
        let contents = if has_arrived { &owner.arrived_contents } else { &owner.packed_contents };
        contents[turn(number)].read();
    }

    fn progress(&self, rank: usize) -> &JoinedProgress {
        // SAFETY: the rank has put it at the beginning of its part, which is known here, and the
        // memory is still there, as the caller of `new` says. All that changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    /// Where a place is in the memory of a move, and its bytes.
    fn place(&self, number: u64, place: &Place) -> (*mut u8, usize) {
        let len = self.lens[place.owner];
        assert!(
            place.bytes.start <= place.bytes.end && place.bytes.end <= len,
            "a place in a part"
        );
        let turns = turn(number) * turn_bytes(len).unwrap_or_default();
        let at = HEADER + turns + place.bytes.start;
        (self.parts[place.owner].wrapping_add(at), place.bytes.len())
    }
}

fn turn(number: u64) -> usize {
    (number % TURNS) as usize
}

/// Bytes of the messages of one move in a part, in whole lines.
fn turn_bytes(len: usize) -> Option<usize> {
    len.checked_next_multiple_of(LINE)
}
