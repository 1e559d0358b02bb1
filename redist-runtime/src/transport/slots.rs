//! Slots of memory that all ranks of a node see. A sender copies its array to them, a chunk at a
//! time, or packs messages in adjacent ones ([`Span`]). Its receivers acknowledge what they need no
//! more. Unsafe, because other ranks, often other processes, read the slots.

#[cfg(all(test, loom))]
mod models;
mod stores;
#[cfg(test)]
mod tests;

use super::board::CollectiveCall;
use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::{IS_MODELLED, Watched};
use crate::cache::{Stores, copy, fence, stream_lines};
use crate::program::ShownChunk;
use std::array;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::mem::{align_of, size_of};
use std::ops::Range;
use std::slice;
pub use stores::ChunkStores;
#[cfg(feature = "mpi")]
pub use stores::StoreTimes;

/// Slots of a rank's short ring: one is written while others are read.
pub const SLOTS: usize = if IS_MODELLED { 2 } else { 8 };

/// Slots of a rank's ring at most.
pub const MOST_SLOTS: usize = if IS_MODELLED { 2 } else { 64 };

/// Bytes of a slot at most.
pub const MAX_SLOT_BYTES: usize = 256 << 10;

/// Bits for the bytes of a chunk.
const LEN_BITS: u32 = MAX_SLOT_BYTES.ilog2() + 1;

/// Alignment of a part, and of its first slot.
pub const PAGE: usize = 4096;

/// A sender's chunks, counted since the memory was made; at the beginning of its part. Behind it
/// are the rank's acknowledgements: by sender, the chunks that it is through with.
#[repr(C, align(64))]
struct SlotCounters {
    /// Chunks below it are published, or will never be.
    staged: AtomicU64,
    /// Each slot's chunk number, and its bytes in the lowest bits, on a line that is needed anyway.
    shown: [AtomicU64; MOST_SLOTS],
    /// Keeps the counters after it on a line of their own.
    apart: [u64; 7],
    /// The first rank's decision: the number of the way to store.
    way: AtomicU64,
    contents: [Watched; MOST_SLOTS],
}

impl Default for SlotCounters {
    fn default() -> Self {
        Self {
            staged: AtomicU64::new(0),
            shown: array::from_fn(|_| AtomicU64::new(0)),
            apart: [0; 7],
            way: AtomicU64::new(0),
            contents: array::from_fn(|_| Watched::default()),
        }
    }
}

const _: () = assert!(size_of::<SlotCounters>().is_multiple_of(align_of::<AtomicU64>()));

/// Slots of all ranks of a node, seen from one rank.
#[derive(Debug)]
pub struct Slots {
    /// Slots of each rank.
    slots: usize,
    /// Bytes of a slot.
    slot: usize,
    /// Start of each rank's part in this process.
    parts: Vec<*mut u8>,
    /// Place of this rank in the node.
    rank: usize,
    /// The number of this rank's next chunk.
    next: Cell<u64>,
    /// Chunks below it are published, or will never be.
    published: Cell<u64>,
    /// Chunks below it have a slot whose old content no receiver needs.
    room: Cell<u64>,
    /// By rank, the last acknowledgement that this one has seen.
    seen: Vec<Cell<u64>>,
    uses: RefCell<VecDeque<Use>>,
    /// Lists of receivers, kept for their memory.
    spare: RefCell<Vec<Vec<usize>>>,
}

/// Chunks of one move, until its receivers are through with them.
#[derive(Debug)]
struct Use {
    /// Numbers of the chunks.
    chunks: Range<u64>,
    call: CollectiveCall,
    /// Places of the receivers in the node.
    receivers: Vec<usize>,
}

/// Adjacent slots for all messages of a sender in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Number of the first chunk whose slot it takes.
    pub first: u64,
    /// Number of slots.
    pub count: u64,
}

impl Span {
    pub fn end(self) -> u64 {
        self.first + self.count
    }
}

impl Slots {
    /// Returns the bytes of a rank's part, with a ring of so many slots, of so many bytes each.
    pub fn part_bytes((slots, slot): (usize, usize), ranks: usize) -> usize {
        head_bytes(ranks) + slots * slot
    }

    /// Rings of `slots` of `slot` bytes in the `parts`, by rank. Sets this rank's counters to zero.
    ///
    /// # Safety
    /// Each part is [`part_bytes`](Self::part_bytes) initialised bytes, aligned to [`PAGE`]: the
    /// same memory on all ranks. Each rank makes this call once, and nothing else uses the memory
    /// from now on. It outlives all calls except calls that return sizes, and all returned slices.
    /// No rank goes on before all calls are known to be over (release and acquire).
    pub unsafe fn new((slots, slot): (usize, usize), parts: Vec<*mut u8>, rank: usize) -> Self {
        assert!(slot <= MAX_SLOT_BYTES, "a slot longer than the longest");
        assert!((SLOTS..=MOST_SLOTS).contains(&slots), "a ring of {slots} slots");
        // SAFETY: the part has room for the counters and their alignment (`head_bytes`). No other
        // rank reads it before this call is over, as the caller promises.
        unsafe {
            parts[rank].cast::<SlotCounters>().write(SlotCounters::default());
            let acknowledged = parts[rank].add(size_of::<SlotCounters>()).cast::<AtomicU64>();
            (0..parts.len()).for_each(|of| acknowledged.add(of).write(AtomicU64::new(0)));
        }
        let (next, published, room) = (Cell::new(0), Cell::new(0), Cell::new(slots as u64));
        // At most so many moves have chunks in slots, besides the move that begins.
        let lists = (0..=slots).map(|_| Vec::with_capacity(parts.len())).collect();
        let (uses, spare) = (VecDeque::with_capacity(slots + 1).into(), RefCell::new(lists));
        let seen = vec![Cell::new(0); parts.len()];
        Self { slots, slot, parts, rank, next, published, room, seen, uses, spare }
    }

    #[cfg(feature = "mpi")]
    pub fn elements(&self, width: usize) -> usize {
        self.slot / width
    }

    #[cfg(feature = "mpi")]
    pub fn bytes(&self) -> usize {
        Self::part_bytes((self.slots, self.slot), self.parts.len())
    }

    pub fn next(&self) -> u64 {
        self.next.get()
    }

    /// Begins a move of this rank's chunks: all of them are counted, whether they come or not.
    pub fn begin(
        &self,
        chunks: Range<u64>,
        call: CollectiveCall,
        receivers: impl Iterator<Item = usize>,
    ) {
        let is_in_order = self.next.get() <= chunks.start && chunks.start <= chunks.end;
        assert!(is_in_order, "chunks are numbered in their order");
        self.next.set(chunks.end);
        let mut uses = self.uses.borrow_mut();
        // Uses without readers would pile up where no chunk is staged.
        let is_unread = uses.back().is_some_and(|last| last.receivers.is_empty());
        let list = match is_unread {
            true => uses.pop_back().map(|last| last.receivers),
            false => self.spare.borrow_mut().pop(),
        };
        let mut list = list.unwrap_or_default();
        // A receiver of no chunk acknowledges none.
        list.extend(receivers.filter(|_| !chunks.is_empty()));
        uses.push_back(Use { chunks, call, receivers: list });
    }

    /// Notes that some receivers of the last move read none of its chunks.
    pub fn keep(&self, reads: impl Fn(usize) -> bool) {
        if let Some(last) = self.uses.borrow_mut().back_mut() {
            last.receivers.retain(|rank| reads(*rank));
        }
    }

    /// Names a receiver that may still need the old content of a chunk's slot. `has_left` tells if
    /// one has left the move of a call.
    pub fn reader(
        &self,
        chunk: u64,
        has_left: impl Fn(usize, CollectiveCall) -> bool,
    ) -> Option<usize> {
        while chunk >= self.room.get() {
            let mut uses = self.uses.borrow_mut();
            let old = chunk + 1 - self.slots as u64;
            let Some(oldest) = uses.front().filter(|oldest| oldest.chunks.start < old) else {
                // Later chunks would still come to the slot.
                assert!(old <= self.next.get(), "a chunk a ring of slots beyond the next");
                self.room.set(chunk + 1);
                break;
            };
            let end = oldest.chunks.end;
            let through = |rank: usize| match self.acknowledged(rank, end) {
                acknowledged if acknowledged < end && has_left(rank, oldest.call) => end,
                acknowledged => acknowledged,
            };
            let least = oldest.receivers.iter().map(|rank| (through(*rank), *rank)).min();
            match least {
                Some((through, rank)) if through < end.min(old) => return Some(rank),
                Some((through, _)) if through < end => {
                    self.room.set(through + self.slots as u64);
                }
                _ => {
                    let Use { mut receivers, .. } = uses.pop_front().expect("it is there");
                    receivers.clear();
                    self.spare.borrow_mut().push(receivers);
                }
            }
        }
        None
    }

    fn counters(&self, rank: usize) -> &SlotCounters {
        // SAFETY: `new` on that rank has put the counters at the beginning of its part, which
        // `parts` points to. The memory is still there, as the caller of `new` promises, and all
        // that changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    fn acknowledgements(&self, rank: usize, sender: usize) -> &AtomicU64 {
        assert!(sender < self.parts.len(), "a rank of the node");
        // SAFETY: `new` on that rank has put a counter for each rank behind the counters of its
        // chunks. The memory is still there, as the caller of `new` promises.
        unsafe {
            let first = self.parts[rank].add(size_of::<SlotCounters>()).cast::<AtomicU64>();
            &*first.add(sender)
        }
    }

    /// Returns the acknowledgement of a rank; perhaps not its last one, if that seen is `enough`.
    fn acknowledged(&self, rank: usize, enough: u64) -> u64 {
        let seen = &self.seen[rank];
        if seen.get() < enough {
            seen.set(self.acknowledgements(rank, self.rank).load(Ordering::Acquire));
        }
        seen.get()
    }

    /// Publishes that this rank needs no chunk of a sender below this number.
    pub fn acknowledge(&self, sender: usize, chunk: u64) {
        self.acknowledgements(self.rank, sender).store(chunk, Ordering::Release);
    }

    /// Returns the slot of a chunk in its ring.
    fn slot_of(&self, chunk: u64) -> usize {
        (chunk % self.slots as u64) as usize
    }

    fn place(&self, rank: usize, chunk: u64) -> *mut u8 {
        self.parts[rank]
            .wrapping_add(head_bytes(self.parts.len()) + self.slot_of(chunk) * self.slot)
    }

    /// Copies the elements of a chunk that others may read into its slot, and publishes it. `parts`
    /// passes these elements on, in parts. No rank needs the slot's old content
    /// ([`reader`](Self::reader)). Bytes beside them belong to some earlier chunk.
    pub fn stage(
        &self,
        chunk: u64,
        (width, stores): (usize, Stores),
        source: &[u8],
        shown: &ShownChunk,
        parts: impl FnOnce(&mut dyn FnMut(Range<usize>)),
    ) {
        let ShownChunk { number, elements } = shown;
        let len = elements.len() * width;
        assert!(len <= self.slot, "a chunk longer than its slot");
        assert!(*number as u64 >> (u64::BITS - LEN_BITS) == 0, "a chunk past the largest array");
        self.check_is_free(Span { first: chunk, count: 1 });
        let (own, slot) = (self.counters(self.rank), self.slot_of(chunk));
        own.contents[slot].write();
        parts(&mut |part: Range<usize>| {
            // Still, whatever `parts` has done.
            self.check_is_free(Span { first: chunk, count: 1 });
            let (before, bytes) = (
                (part.start - elements.start) * width,
                &source[part.start * width..part.end * width],
            );
            assert!(
                before <= len && bytes.len() <= len - before,
                "elements outside of their chunk"
            );
            // SAFETY: the part has room for `len` bytes in this slot, as the caller of `new`
            // promises, and for `bytes`, which begin `before` and end inside of them. The source is
            // elsewhere, because nothing else uses the part. No rank reads the slot, as asserted:
            // the chunk is not published, and all that may have read the old content have
            // acknowledged it, or left (acquire, `reader`). None reads it again before the new
            // chunk is published (release).
            unsafe {
                let place = self.place(self.rank, chunk).add(before);
                match stores {
                    Stores::Cached => copy(bytes.as_ptr(), place, bytes.len()),
                    Stores::Streamed => stream_lines(bytes.as_ptr(), place, bytes.len(), |_| ()),
                }
            }
        });
        if stores == Stores::Streamed {
            // Before the chunk is published.
            fence();
        }
        let shown = (*number as u64) << LEN_BITS | len as u64;
        own.shown[slot].store(shown, Ordering::Relaxed);
        self.publish_below(chunk + 1);
    }

    fn publish_below(&self, chunk: u64) {
        self.published.set(chunk);
        self.counters(self.rank).staged.store(chunk, Ordering::Release);
    }

    /// Checks that no rank reads the slots of chunks: these are not published yet, and old content
    /// is not needed.
    fn check_is_free(&self, span: Span) {
        assert!(span.first >= self.published.get(), "slots that are published");
        assert!(span.end() <= self.room.get(), "slots whose old content may be read");
    }

    /// Returns `true` if a sender has published a chunk, or a later one because it left this one's
    /// move. A chunk that it left out has bytes and a number of some earlier time.
    pub fn has(&self, sender: usize, chunk: u64) -> bool {
        self.counters(sender).staged.load(Ordering::Acquire) > chunk
    }

    /// Returns a chunk's number in the sender's array, and its bytes.
    ///
    /// # Safety
    /// The sender [has](Self::has) published it, for this rank among others. This rank drops the
    /// slice before it acknowledges the chunk, or leaves the move.
    pub unsafe fn shown<'a>(&self, sender: usize, chunk: u64) -> (usize, &'a [u8]) {
        let (owner, slot) = (self.counters(sender), self.slot_of(chunk));
        let shown = owner.shown[slot].load(Ordering::Relaxed);
        let (number, len) =
            ((shown >> LEN_BITS) as usize, (shown & ((1 << LEN_BITS) - 1)) as usize);
        assert!(len <= self.slot, "a chunk longer than its slot");
        owner.contents[slot].read();
        // SAFETY: the owner has written the read part of the slot's `len` bytes before it published
        // the chunk (release), which the caller has seen (acquire). The other bytes have values of
        // some earlier time. The owner writes there again only when this rank has acknowledged the
        // chunk or left, and the slice is gone then, as the caller promises. The memory outlives
        // it, as the caller of `new` promises, and `len` is no more than a slot has.
        (number, unsafe { slice::from_raw_parts(self.place(sender, chunk), len) })
    }

    /// Decides how a move of so many rounds stores from now on. The first rank decides for all.
    /// Ranks do not read its decision for few rounds, which keeps its cache line in place.
    pub fn decide(&self, way: u64, rounds: usize) {
        if self.rank == 0 && stores::matter(rounds) {
            let decided = &self.counters(0).way;
            if decided.load(Ordering::Relaxed) != way {
                decided.store(way, Ordering::Relaxed);
            }
        }
    }

    pub fn stores(&self, rounds: usize) -> ChunkStores {
        ChunkStores::of(match stores::matter(rounds) {
            true => self.counters(0).way.load(Ordering::Relaxed),
            false => 0,
        })
    }
}

impl Slots {
    /// Returns the most bytes that a rank packs: one move is packed while the one before is read.
    pub fn most_packed(&self) -> usize {
        SLOTS / 2 * self.slot
    }

    /// Returns the slots for that many bytes: one at least.
    pub fn slots_for(&self, bytes: usize) -> u64 {
        bytes.div_ceil(self.slot.max(1)).max(1) as u64
    }

    /// Returns this rank's slots for its next move, which takes `count` of them.
    pub fn next_span(&self, count: u64) -> Span {
        let (next, all) = (self.next.get(), self.slots as u64);
        assert!(count <= (all / 2).max(1), "more slots than half of them");
        let at = next % all;
        Span { first: if at + count > all { next + all - at } else { next }, count }
    }

    /// Returns memory to pack a message into.
    ///
    /// # Safety
    /// The span is this rank's next one, or that of the move that it has begun, and no
    /// [reader](Self::reader) needs the content of its slots. The bytes belong to one of its
    /// messages, with no other slice of them. The slice is dropped before the span is published.
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, span: Span, bytes: Range<usize>) -> &mut [u8] {
        self.check_is_free(span);
        self.touch(self.rank, span, |contents| contents.write());
        let (start, len) = self.place_of(self.rank, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` promises. No rank is still reading them, as has been
        // seen (acquire, `reader`) and is asserted. None does again before the packed messages are
        // published (release). No other slice of it is there, as the caller promises.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    pub fn publish(&self, span: Span) {
        assert!(span.first >= self.published.get(), "slots that are published");
        self.publish_below(span.end());
    }

    /// Returns a message, where its sender has packed it.
    ///
    /// # Safety
    /// The sender has published the span, for this rank among others (release and acquire). The
    /// slice is dropped before this rank acknowledges it, or leaves the move.
    pub unsafe fn message(&self, sender: usize, span: Span, bytes: Range<usize>) -> &[u8] {
        self.touch(sender, span, |contents| contents.read());
        let (start, len) = self.place_of(sender, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` promises. Packing happened before, as the caller
        // promises, and nothing is packed again before this rank has acknowledged it or left.
        unsafe { slice::from_raw_parts(start, len) }
    }

    fn touch(&self, owner: usize, span: Span, touch: impl Fn(&Watched)) {
        let contents = &self.counters(owner).contents;
        (span.first..span.end()).for_each(|chunk| touch(&contents[self.slot_of(chunk)]));
    }

    fn place_of(&self, owner: usize, span: Span, bytes: Range<usize>) -> (*mut u8, usize) {
        let room = span.count as usize * self.slot;
        assert!(
            self.slot_of(span.first) as u64 + span.count <= self.slots as u64,
            "slots that lie together"
        );
        assert!(bytes.start <= bytes.end && bytes.end <= room, "a message in the slots");
        (self.place(owner, span.first).wrapping_add(bytes.start), bytes.len())
    }
}

fn head_bytes(ranks: usize) -> usize {
    (size_of::<SlotCounters>() + ranks * size_of::<AtomicU64>()).next_multiple_of(PAGE)
}
