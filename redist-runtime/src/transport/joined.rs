//! Messages in memory that the ranks of a node share: those to its own ranks are read where they
//! were packed, those to a rank of another node travel together.
//!
//! Unsafe, since what is packed is read by other processes: [`JoinedMemory`] says when. What the
//! memory is, how ranks learn of each other's moves, and what travels between nodes, others say:
//! `mpi/joined.rs`, `ballots.rs`, and the models.

mod layout;
#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests;

use super::sync::Watched;
pub use layout::{JoinedLayout, Place};
use std::ops::Range;
use std::slice;

/// Moves whose messages lie in memory of their own: one is packed while the one before is read.
const TURNS: u64 = 2;

/// What comes before the messages of a part: nothing, but where `loom` stands in.
#[derive(Default)]
#[repr(C, align(64))]
struct Contents([Watched; TURNS as usize]);

/// Bytes of a part that come before the messages.
const HEADER: usize = size_of::<Contents>();

/// What parts are aligned to.
pub const LINE: usize = 64;

/// The memory of a node, seen from one of its ranks. Moves are counted from 0 on, on all ranks alike.
///
/// In a move, a rank packs its messages ([`room`](Self::room)) and then votes. Ranks that have seen
/// the votes of all others read them: those to themselves ([`message`](Self::message)), and those to
/// ranks of other nodes, to send them ([`copy_parcel`](Self::copy_parcel)). A rank begins a move when
/// it has seen all votes on the one before, and votes on it when it has read all that it will read of
/// that: so that nothing is read any more of what is written again, in the move after the next.
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

    /// The memory in these parts, by rank of the node, of which this one is number `here`.
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
        unsafe { parts[here].cast::<Contents>().write(Contents::default()) };
        Self { parts, lens, here }
    }

    /// Memory to pack a message of a move into.
    ///
    /// # Safety
    /// The bytes are those of one of this rank's messages in its part, of which no other slice is
    /// there. This rank has begun this move and not voted on it, and drops what this returns before
    /// it does. It has seen that all ranks of the node have voted on the move before, which they do
    /// when they will read nothing more of the one before that.
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, number: u64, bytes: Range<usize>) -> &mut [u8] {
        self.contents(self.here, number).write();
        let (start, len) = self.place(number, self.here, bytes);
        // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
        // caller of `new` says. It is this rank's alone until it votes; of the move that had the same
        // memory before, no rank reads any more, as the caller says.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// A message of a move, in the part of a rank of the node.
    ///
    /// # Safety
    /// This rank has seen that all ranks of the node have voted on this move (acquire), and drops
    /// what this returns before it votes on another.
    pub unsafe fn message(&self, number: u64, owner: usize, bytes: Range<usize>) -> &[u8] {
        self.contents(owner, number).read();
        let (start, len) = self.place(number, owner, bytes);
        // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
        // caller of `new` says. What was written there happened before, as the caller says, and
        // nothing is written again before this rank has voted on another move.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// Adds the messages of the ranks of the node to a rank that are in one parcel.
    ///
    /// # Safety
    /// This rank has seen that all ranks of the node have voted on this move (acquire), and votes on
    /// no other before this returns.
    pub unsafe fn copy_parcel(
        &self,
        number: u64,
        layout: &JoinedLayout,
        (to, parcel): (usize, usize),
        bytes: &mut Vec<u8>,
    ) {
        for (owner, _) in layout.parcels_to(to).enumerate().filter(|(_, of)| *of == parcel) {
            // SAFETY: the caller says that this rank has seen the votes of all of its node on the
            // move, and votes on no other before this returns, by when the slice is dropped.
            let message = unsafe { self.message(number, owner, layout.message(owner, to)) };
            bytes.extend_from_slice(message);
        }
    }

    /// What `loom` knows of a rank's messages of a move.
    fn contents(&self, owner: usize, number: u64) -> &Watched {
        // SAFETY: the rank has put it at the beginning of its part, which is known here, and the
        // memory is still there, as the caller of `new` says. It is shared by reference only.
        let contents: &Contents = unsafe { &*self.parts[owner].cast() };
        &contents.0[turn(number)]
    }

    /// Where bytes of a part are in the memory of a move, and how many.
    fn place(&self, number: u64, owner: usize, bytes: Range<usize>) -> (*mut u8, usize) {
        let len = self.lens[owner];
        assert!(bytes.start <= bytes.end && bytes.end <= len, "a message in a part");
        let turns = turn(number) * turn_bytes(len).unwrap_or_default();
        (self.parts[owner].wrapping_add(HEADER + turns + bytes.start), bytes.len())
    }
}

fn turn(number: u64) -> usize {
    (number % TURNS) as usize
}

/// Bytes of the messages of one move in a part, in whole lines.
fn turn_bytes(len: usize) -> Option<usize> {
    len.checked_next_multiple_of(LINE)
}
