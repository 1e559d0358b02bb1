//! Messages in memory that the ranks of a node share. Receivers of the node read them there;
//! messages to a rank of another node travel together. Unsafe, because other processes read packed
//! messages: [`JoinedMemory`] says when. Callers provide the memory, the agreement on moves and the
//! transfer between nodes: `mpi/joined.rs`, `ballots.rs`, and the models.

mod layout;
#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
mod tests;

use super::sync::Watched;
pub use layout::{JoinedLayout, Place};
use std::ops::Range;
use std::slice;

/// Moves with memory of their own: one is packed while the one before is read.
const TURNS: u64 = 2;

/// The header of a part: empty, except under `loom`.
#[derive(Default)]
#[repr(C, align(64))]
struct Contents([Watched; TURNS as usize]);

const HEADER: usize = size_of::<Contents>();

pub const LINE: usize = 64;

/// The memory of a node, seen from one of its ranks. All ranks count moves alike, from 0.
///
/// A rank packs its messages ([`room`](Self::room)) and then votes. Ranks that have seen all votes
/// read them ([`message`](Self::message), [`copy_parcel`](Self::copy_parcel)). A rank begins a move
/// when it has seen all votes on the one before, and votes when it has read all of that one. So no
/// rank still reads memory that the move after the next overwrites.
#[derive(Debug)]
pub struct JoinedMemory {
    parts: Vec<*mut u8>,
    /// Bytes of the messages of one move in each part.
    lens: Vec<usize>,
    here: usize,
}

impl JoinedMemory {
    /// Returns the bytes of a part with messages of `len` bytes; `None` on overflow.
    pub fn part_bytes(len: usize) -> Option<usize> {
        turn_bytes(len)?.checked_mul(TURNS as usize)?.checked_add(HEADER)
    }

    /// Returns the memory in these parts, by rank of the node, seen from `here`.
    ///
    /// # Safety
    /// Each part has its [`part_bytes`](Self::part_bytes), initialised, from a multiple of [`LINE`]
    /// on. All ranks have the same memory. Each rank makes this call once, and nothing else uses
    /// the memory from now on. It outlives this value and all slices of it. No rank goes on before
    /// all calls are known to be over (release and acquire).
    pub unsafe fn new(parts: Vec<*mut u8>, lens: Vec<usize>, here: usize) -> Self {
        assert_eq!(parts.len(), lens.len(), "a length for each part");
        assert!(lens.iter().all(|len| Self::part_bytes(*len).is_some()), "parts are allocated");
        // SAFETY: the part has room for the header and its alignment. No other rank reads it before
        // this call is over, as the caller promises.
        unsafe { parts[here].cast::<Contents>().write(Contents::default()) };
        Self { parts, lens, here }
    }

    /// Returns memory to pack a message of a move into.
    ///
    /// # Safety
    /// The bytes are one of this rank's messages in its part. No other slice of them exists.
    /// This rank has begun this move and not voted on it, and drops the slice before it does. It
    /// has seen that all ranks of the node voted on the move before; they vote once they read
    /// nothing more of the move before that.
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, number: u64, bytes: Range<usize>) -> &mut [u8] {
        self.contents(self.here, number).write();
        let (start, len) = self.place(number, self.here, bytes);
        // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
        // caller of `new` promises. It is this rank's alone until it votes. No rank still reads the
        // move that had the same memory before, as the caller promises.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// Returns a message of a move from its sender's part.
    ///
    /// # Safety
    /// This rank has seen the votes of all ranks of the node on this move (acquire). It drops the
    /// slice before it votes on another.
    pub unsafe fn message(&self, number: u64, owner: usize, bytes: Range<usize>) -> &[u8] {
        self.contents(owner, number).read();
        let (start, len) = self.place(number, owner, bytes);
        // SAFETY: the place is inside of a part (`place`), which is there and initialised, as the
        // caller of `new` promises. All writes there happened before, as the caller promises, and
        // none follows before this rank has voted on another move.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// Appends one parcel to a rank: messages of the node's ranks.
    ///
    /// # Safety
    /// This rank has seen the votes of all ranks of the node on this move (acquire). It votes on no
    /// other before this returns.
    pub unsafe fn copy_parcel(
        &self,
        number: u64,
        layout: &JoinedLayout,
        (to, parcel): (usize, usize),
        bytes: &mut Vec<u8>,
    ) {
        for (owner, _) in layout.parcels_to(to).enumerate().filter(|(_, of)| *of == parcel) {
            // SAFETY: this rank has seen all votes of its node on the move, and votes on no other
            // before this returns, as the caller promises. The slice is dropped by then.
            let message = unsafe { self.message(number, owner, layout.message(owner, to)) };
            bytes.extend_from_slice(message);
        }
    }

    fn contents(&self, owner: usize, number: u64) -> &Watched {
        // SAFETY: `new` on that rank has put the header at the beginning of its part, which `parts`
        // points to. The memory is still there, as the caller of `new` promises. It is shared by
        // reference only.
        let contents: &Contents = unsafe { &*self.parts[owner].cast() };
        &contents.0[turn(number)]
    }

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

/// Returns the bytes of one move's messages in a part, in whole lines.
fn turn_bytes(len: usize) -> Option<usize> {
    len.checked_next_multiple_of(LINE)
}
