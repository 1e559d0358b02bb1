//! Messages in slots: all that a rank has for the others in a move, packed, in place of chunks of
//! its array.
//!
//! Unsafe, since the memory is reached by pointers, and read by other processes. The counters are
//! those of chunks: a move takes as many slots as the rank with most to send needs, which lie
//! together ([`Span`]), so that some may be left out at the end of the ring. All ranks count alike.

use super::{SLOTS, Slots, Watched, slot};
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

    /// Where the next move is that takes `count` slots.
    ///
    /// Where all ranks are through with the move before, none waits for room: what is left out and
    /// what is taken are fewer than all slots together, since a move takes half of them at most.
    pub fn next_span(&self, count: u64) -> Span {
        let (done, all) = (self.done.get(), SLOTS as u64);
        assert!(count <= (all / 2).max(1), "more slots than half of them");
        let at = done % all;
        Span { first: if at + count > all { done + all - at } else { done }, count }
    }

    /// Whether this rank may pack the next move now: never where it has left one in the middle, since
    /// others may still read what it showed there, which it has not counted.
    pub fn may_pack(&self, span: Span) -> bool {
        !self.was_left() && self.has_room(span.end() - 1)
    }

    /// Waits until there is room for the move.
    ///
    /// # Errors
    /// Naming the rank, that another has left a move; or those of `progress`.
    pub fn wait_to_pack(
        &self,
        span: Span,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.wait_for_room(span.end() - 1, progress)
    }

    /// Begins a move, for which all ranks have met.
    ///
    /// # Panics
    /// If it is not the next.
    pub fn begin_packed(&self, span: Span) {
        assert_eq!(span, self.next_span(span.count), "moves begin in their order");
        self.done.set(span.first);
        self.begin(span.count);
    }

    /// Memory to pack a message into.
    ///
    /// # Safety
    /// The span is the next one, and this rank [may pack](Self::may_pack); or the move has begun, and this
    /// rank has [waited](Self::wait_to_pack) to. The bytes are those of one of its messages, of which
    /// no other slice is there, and what this returns is dropped before the move is
    /// [shown](Self::show_packed) or [passed](Self::pass).
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, span: Span, bytes: Range<usize>) -> &mut [u8] {
        self.touch(self.rank, span, |contents| contents.write());
        let (start, len) = self.place_of(self.rank, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` says. No rank reads them any more, as has been seen
        // (acquire), and none does again before it is told of what is packed (release). No other
        // slice of it is there, as the caller says.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    /// Tells the others that all messages are packed.
    pub fn show_packed(&self, span: Span) {
        self.progress(self.rank).staged.store(span.end(), Ordering::Release);
    }

    /// Waits until all ranks have packed.
    ///
    /// # Errors
    /// As [`wait_to_pack`](Self::wait_to_pack).
    pub fn wait_for_packed(
        &self,
        span: Span,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.wait(progress, |rank| self.progress(rank).staged.load(Ordering::Acquire) >= span.end())
    }

    /// A message, where its sender has packed it.
    ///
    /// # Safety
    /// The move has begun, all ranks [have packed](Self::wait_for_packed), as may be known in
    /// another way, too, where that synchronises (release and acquire), and what this returns is
    /// dropped before this rank [ends](Self::end_packed) the move.
    pub unsafe fn message(&self, owner: usize, span: Span, bytes: Range<usize>) -> &[u8] {
        self.touch(owner, span, |contents| contents.read());
        let (start, len) = self.place_of(owner, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` says. What was packed there happened before, as the
        // caller says, and nothing is packed again before this rank has ended the move.
        unsafe { slice::from_raw_parts(start, len) }
    }

    /// Ends a move whose messages this rank has read.
    pub fn end_packed(&self) {
        self.tell_all_done();
    }

    /// Tells `loom` of the slots of a rank.
    fn touch(&self, owner: usize, span: Span, touch: impl Fn(&Watched)) {
        let contents = &self.progress(owner).contents;
        (span.first..span.end()).for_each(|chunk| touch(&contents[slot(chunk)]));
    }

    /// Where bytes of a rank's slots are, and how many.
    fn place_of(&self, owner: usize, span: Span, bytes: Range<usize>) -> (*mut u8, usize) {
        let room = span.count as usize * self.slot;
        assert!(slot(span.first) as u64 + span.count <= SLOTS as u64, "slots that lie together");
        assert!(bytes.start <= bytes.end && bytes.end <= room, "a message in the slots");
        (self.place(owner, span.first).wrapping_add(bytes.start), bytes.len())
    }
}

/// Slots that lie together, for all messages of a move: the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The number of the first chunk in whose place they are.
    first: u64,
    count: u64,
}

impl Span {
    /// One more than the number of the last.
    pub fn end(self) -> u64 {
        self.first + self.count
    }
}
