//! Messages in slots: all that a rank has for the others in a move, packed, in place of chunks of its
//! array.
//!
//! Unsafe, since the memory is reached by pointers, and read by other processes. The counters are
//! those of chunks: a move takes as many slots as the rank with most to send needs, which lie
//! together, so that some may be left out at the end of the ring. All ranks count alike.

use super::{SLOTS, Slots, slot};
use crate::error::Error;
use crate::transport::sync::atomic::Ordering;
use std::ops::Range;
use std::slice;

impl Slots {
    /// The most bytes that a rank packs: one move is packed while the one before is read.
    pub fn most_packed(&self) -> usize {
        SLOTS / 2 * self.slot
    }

    /// Slots for that many bytes: one at least.
    pub fn slots_for(&self, bytes: usize) -> u64 {
        bytes.div_ceil(self.slot.max(1)).max(1) as u64
    }

    /// The number of the first chunk in whose place the next move is, which takes `count` slots.
    ///
    /// Where all ranks are through with the move before, none waits for room: what is left out and
    /// what is taken are fewer than all slots together, since a move takes half of them at most.
    pub(super) fn first_of(&self, count: u64) -> u64 {
        let (done, all) = (self.done.get(), SLOTS as u64);
        assert!(count <= all / 2, "more slots than half of them");
        let at = done % all;
        if at + count > all { done + all - at } else { done }
    }

    /// Whether this rank may pack the next move now: never where it has left one in the middle, since
    /// others may still read what it showed there, which it has not counted.
    pub fn may_pack(&self, count: u64) -> bool {
        !self.was_left() && self.has_room(self.first_of(count) + count - 1)
    }

    /// Waits until it may.
    ///
    /// # Errors
    /// Naming the rank, that another has left a move; or those of `progress`.
    pub fn wait_to_pack(
        &self,
        count: u64,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let last = self.first_of(count) + count - 1;
        self.wait(progress, |rank| self.has_copied(rank, last))
    }

    /// Memory to pack a message into.
    ///
    /// # Safety
    /// This rank [may pack](Self::may_pack), or has [waited](Self::wait_to_pack) to. The bytes are those
    /// of one of its messages in the next move, of which no other slice is there, and what this
    /// returns is dropped before the move is [shown](Self::show_packed) or [passed](Self::pass).
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, count: u64, bytes: Range<usize>) -> &mut [u8] {
        self.touch(self.rank, count, |contents| contents.write());
        let (start, len) = self.place_of(self.rank, count, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` says. No rank reads them any more, as has been seen
        // (acquire), and none does again before it is told of what is packed (release). No other
        // slice of it is there, as the caller says.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// Tells the others that all messages are packed.
    pub fn show_packed(&self, count: u64) {
        let next = self.first_of(count) + count;
        self.progress(self.rank).staged.store(next, Ordering::Release);
    }

    /// Waits until all ranks have packed.
    ///
    /// # Errors
    /// As [`wait_to_pack`](Self::wait_to_pack).
    pub fn wait_for_packed(
        &self,
        count: u64,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        let next = self.first_of(count) + count;
        self.wait(progress, |rank| self.progress(rank).staged.load(Ordering::Acquire) >= next)
    }

    /// A message, where its sender has packed it.
    ///
    /// # Safety
    /// All ranks [have packed](Self::wait_for_packed), and what this returns is dropped before this
    /// rank [ends](Self::pass) the move.
    pub unsafe fn message(&self, owner: usize, count: u64, bytes: Range<usize>) -> &[u8] {
        self.touch(owner, count, |contents| contents.read());
        let (start, len) = self.place_of(owner, count, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` says. What was packed there happened before, as the
        // caller says, and nothing is packed again before this rank has ended the move.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// Tells `loom` of the slots of a rank in the next move.
    fn touch(&self, owner: usize, count: u64, touch: impl Fn(&super::Watched)) {
        let (first, contents) = (self.first_of(count), &self.progress(owner).contents);
        (first..first + count).for_each(|chunk| touch(&contents[slot(chunk)]));
    }

    /// Where bytes of a rank's slots in the next move are, and how many.
    fn place_of(&self, owner: usize, count: u64, bytes: Range<usize>) -> (*mut u8, usize) {
        let room = count as usize * self.slot;
        assert!(bytes.start <= bytes.end && bytes.end <= room, "a message in the slots");
        (self.place(owner, self.first_of(count)).wrapping_add(bytes.start), bytes.len())
    }
}
