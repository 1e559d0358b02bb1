//! Publishing of arrays to other ranks, a chunk at a time, in slots of memory that all ranks share;
//! or of packed messages in adjacent slots ([`Span`]). Unsafe, because other ranks, often other
//! processes, read the chunks: [`Slots::next_round`] orders writes and reads.

#[cfg(all(test, loom))]
mod models;
mod stores;
#[cfg(test)]
mod tests;

use super::lent::Chunk;
use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::{IS_MODELLED, Watched, yield_now};
use crate::cache::{fence, stream_lines};
use crate::error::Error;
use crate::program::{RankChunks, ShownChunk};
use std::cell::Cell;
use std::hint::spin_loop;
use std::ops::Range;
use std::time::Instant;
use std::{mem, slice};
use stores::{Learnt, Stores};

/// Slots of a rank: one is written while others are read.
pub const SLOTS: usize = if IS_MODELLED { 2 } else { 8 };

pub const MAX_SLOT_BYTES: usize = 64 << 10;

const LEN_BITS: u32 = MAX_SLOT_BYTES.ilog2() + 1;

/// Alignment of a part, and of its first slot.
pub const PAGE: usize = 4096;

/// Vain looks of a rank before it offers its core, and offers before the library progresses.
const SPINS: usize = if IS_MODELLED { 1 } else { 30 };
const LONG_SPINS: usize = SPINS * if IS_MODELLED { 1 } else { 16 };

/// A rank's progress, counted in chunks since the memory was made; on the first page of its part.
#[derive(Default)]
#[repr(C, align(64))]
struct ChunkProgress {
    staged: AtomicU64,
    /// Each slot's chunk number, and its bytes in the lowest bits, on a line that is needed anyway.
    shown: [AtomicU64; SLOTS],
    apart: [u64; 8],
    /// Chunks of all others that it has copied from.
    copied: AtomicU64,
    /// The first rank's decision for the next move: not zero for stores past the caches.
    streamed: AtomicU64,
    /// Not zero if it has left a move early: one more than the rank that caused it.
    left: AtomicU64,
    contents: [Watched; SLOTS],
}

const _: () = assert!(size_of::<ChunkProgress>() <= PAGE);

/// Slots of all ranks of a node, seen from one of them.
#[derive(Debug)]
pub struct Slots {
    slot: usize,
    parts: Vec<*mut u8>,
    rank: usize,
    done: Cell<u64>,
    room: Cell<u64>,
}

impl Slots {
    pub fn part_bytes(slot: usize) -> usize {
        PAGE + SLOTS * slot
    }

    /// Slots of `slot` bytes in the `parts`, by rank. Sets this rank's counters to zero.
    ///
    /// # Safety
    /// Each part is [`part_bytes`](Self::part_bytes) initialised bytes, aligned to [`PAGE`]: the
    /// same memory on all ranks. Each rank makes this call once, and nothing else uses the memory
    /// from now on. It outlives all calls but those that return sizes, and all returned chunks. No
    /// rank goes on before all calls are known to be over (release and acquire).
    pub unsafe fn new(slot: usize, parts: Vec<*mut u8>, rank: usize) -> Self {
        assert!(slot <= MAX_SLOT_BYTES, "a slot longer than the longest");
        // SAFETY: the part has room for the counters and their alignment. No other rank reads it
        // before this call is over, as the caller promises.
        unsafe { parts[rank].cast::<ChunkProgress>().write(ChunkProgress::default()) };
        Self { slot, parts, rank, done: Cell::new(0), room: Cell::new(0) }
    }

    /// Returns `true` if this rank has left a move early, so that ranks have not come equally far.
    /// The others may not have noticed.
    pub fn was_left(&self) -> bool {
        self.progress(self.rank).left.load(Ordering::Relaxed) != 0
    }

    #[cfg(feature = "mpi")]
    pub fn elements(&self, width: usize) -> usize {
        self.slot / width
    }

    /// Publishes this rank's next chunks, and returns one of every rank, by rank, empty for this
    /// rank; `None` after the last round. All ranks must be ready for the move, and bring equally
    /// many chunks. A waiting rank calls `progress` now and then, and fails with its error.
    /// Allocates nothing.
    ///
    /// A rank that leaves before the end, panicking or failing, must not do this again: see
    /// [`was_left`](Self::was_left).
    ///
    /// # Errors
    /// Another rank has left; the error names it.
    pub fn next_round<'s>(
        &self,
        showing: &'s mut Showing,
        progress: &dyn Fn() -> Result<(), Error>,
        width: usize,
        source: &[u8],
        own: &RankChunks,
    ) -> Result<Option<&'s [Chunk<'s>]>, Error> {
        let count = own.rounds() as u64;
        let first = if showing.is_in_the_middle { showing.first } else { self.begin(count) };
        if showing.is_in_the_middle {
            // The chunks returned last have been copied.
            showing.round += 1;
            self.progress(self.rank).copied.store(first + showing.round, Ordering::Release);
        } else {
            let early = u64::from(mem::take(&mut showing.has_begun));
            (showing.is_in_the_middle, showing.round, showing.staged) = (true, 0, early);
            showing.first = first;
            showing.begin(self.stores(own.rounds()), own.rounds());
        }
        if showing.round == count {
            showing.is_in_the_middle = false;
            showing.learn();
            return Ok(None);
        }
        let round = showing.round;
        // As many ahead as there is room for, so that no rank waits for this one while it copies.
        while showing.staged < count
            && showing.staged < round + SLOTS as u64
            && (showing.staged <= round || self.has_room(first + showing.staged))
        {
            let staged = showing.staged;
            self.wait_for_room(first + staged, progress)?;
            let shown = own.shown(staged as usize);
            self.stage(first + staged, width, source, &shown, showing.stores);
            showing.staged += 1;
        }
        self.wait(progress, |rank| {
            self.progress(rank).staged.load(Ordering::Acquire) > first + round
        })?;
        let chunks = (0..self.parts.len()).map(|rank| match rank == self.rank {
            true => Chunk { number: own.number(round as usize), bytes: &[] },
            false => self.shown(rank, first + round),
        });
        showing.chunks.clear();
        showing.chunks.extend(chunks);
        Ok(Some(&showing.chunks))
    }

    /// Decides how the next move, of so many rounds, stores chunks: before all ranks meet for it,
    /// so that all do the same. The first rank decides. Ranks do not read its decision for few
    /// rounds, which keeps its cache line in place.
    pub fn decide(&self, showing: &Showing, rounds: usize) {
        if self.rank == 0 && stores::matter(rounds) {
            let streamed = showing.learnt.next(rounds) == Stores::Streamed;
            self.progress(0).streamed.store(streamed.into(), Ordering::Relaxed);
        }
    }

    /// Publishes the one chunk of a move that may come. If it comes,
    /// [`next_round`](Self::next_round) goes on from there; else all ranks [pass](Self::pass). Does
    /// nothing if others still need the slot, without waiting. A rank that has left a move early
    /// has counted that move's chunks as begun. So this chunk goes to a slot that none reads.
    ///
    /// The chunk of `source` is `own`, and elements have `width` bytes.
    pub fn show_early(&self, showing: &mut Showing, width: usize, source: &[u8], own: &ShownChunk) {
        let chunk = self.done.get();
        showing.has_begun = self.has_room(chunk);
        if showing.has_begun {
            self.stage(chunk, width, source, own, Stores::Cached);
        }
    }

    /// Notifies the other ranks that this one leaves, and names the rank that caused it.
    pub fn leave(&self) {
        let culprit = self.culprit().unwrap_or(self.rank as u64);
        self.progress(self.rank).left.store(culprit + 1, Ordering::Release);
    }

    #[cfg(feature = "mpi")]
    pub fn bytes(&self) -> usize {
        Self::part_bytes(self.slot)
    }

    fn stores(&self, rounds: usize) -> Stores {
        if !stores::matter(rounds) {
            return Stores::Cached;
        }
        match self.progress(0).streamed.load(Ordering::Relaxed) {
            0 => Stores::Cached,
            _ => Stores::Streamed,
        }
    }

    fn progress(&self, rank: usize) -> &ChunkProgress {
        // SAFETY: `new` on that rank has put the counters at the beginning of its part, which
        // `parts` points to. The memory is still there, as the caller of `new` promises, and all
        // that changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    fn place(&self, rank: usize, chunk: u64) -> *mut u8 {
        self.parts[rank].wrapping_add(PAGE + slot(chunk) * self.slot)
    }

    /// Copies the bytes of a chunk that others may read into its slot, from which all ranks have
    /// copied the old chunk. Bytes beside them belong to some earlier chunk.
    fn stage(&self, chunk: u64, width: usize, source: &[u8], shown: &ShownChunk, stores: Stores) {
        let ShownChunk { number, elements, read } = shown;
        let (elements, read) =
            if self.parts.len() == 1 { (&(0..0), &(0..0)) } else { (elements, read) };
        let (len, before) = (elements.len() * width, (read.start - elements.start) * width);
        let bytes = &source[read.start * width..read.end * width];
        assert!(len <= self.slot, "a chunk longer than its slot");
        assert!(before <= len && bytes.len() <= len - before, "elements outside of their chunk");
        assert!(*number as u64 >> (u64::BITS - LEN_BITS) == 0, "a chunk past the largest array");
        let (own, slot) = (self.progress(self.rank), slot(chunk));
        own.contents[slot].write();
        // SAFETY: the part has room for `len` bytes in this slot, as the caller of `new` promises,
        // and for `bytes`, which begin `before` and end inside of them. The source is elsewhere,
        // because nothing else uses the part. No rank reads the slot: all have copied from it, as
        // the caller waited for (acquire), and none does again before the new chunk is published
        // (release).
        unsafe {
            let place = self.place(self.rank, chunk).add(before);
            match stores {
                Stores::Cached => bytes.as_ptr().copy_to_nonoverlapping(place, bytes.len()),
                Stores::Streamed => {
                    stream_lines(bytes.as_ptr(), place, bytes.len(), |_| ());
                    // Before the chunk is published.
                    fence();
                }
            }
        }
        let shown = (*number as u64) << LEN_BITS | len as u64;
        own.shown[slot].store(shown, Ordering::Relaxed);
        own.staged.store(chunk + 1, Ordering::Release);
    }

    /// Returns a published chunk of another rank. It lasts until this rank counts its copy.
    fn shown(&self, rank: usize, chunk: u64) -> Chunk<'static> {
        let (owner, slot) = (self.progress(rank), slot(chunk));
        let shown = owner.shown[slot].load(Ordering::Relaxed);
        let (number, len) =
            ((shown >> LEN_BITS) as usize, (shown & ((1 << LEN_BITS) - 1)) as usize);
        assert!(len <= self.slot, "a chunk longer than its slot");
        // SAFETY: the owner has written the read part of the slot's `len` bytes before it counted
        // the chunk (release), which the caller has seen (acquire). The other bytes have values of
        // some earlier time. The owner writes there again only when this rank has counted its copy:
        // in the next call of `next_round`. This call takes `Showing` mutably, and so ends the
        // borrow for which the slices were handed out. The memory outlives them, as the caller of
        // `new` promises, and `len` is no more than a slot has.
        let bytes = unsafe { slice::from_raw_parts(self.place(rank, chunk), len) };
        owner.contents[slot].read();
        Chunk { number, bytes }
    }

    /// Waits until a condition holds for all ranks.
    fn wait(
        &self,
        progress: &dyn Fn() -> Result<(), Error>,
        is_true: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        for rank in 0..self.parts.len() {
            let mut spins = 0usize;
            while !is_true(rank) {
                spins += 1;
                spin_loop();
                if spins.is_multiple_of(LONG_SPINS) {
                    // Another rank may wait for something that this rank has begun before it comes
                    // here.
                    progress()?;
                }
                if spins.is_multiple_of(SPINS) {
                    self.check_that_none_left()?;
                    yield_now();
                }
            }
        }
        Ok(())
    }

    /// Returns the chunk up to which a rank does not need the slots' old contents any more.
    fn room_of(&self, rank: usize) -> u64 {
        self.progress(rank).copied.load(Ordering::Acquire) + SLOTS as u64
    }

    /// Returns `true` if no rank needs the old contents of a chunk's slot any more.
    fn has_room(&self, chunk: u64) -> bool {
        if chunk >= self.room.get() {
            let least = (0..self.parts.len()).map(|rank| self.room_of(rank)).min();
            self.room.set(least.unwrap_or(u64::MAX));
        }
        chunk < self.room.get()
    }

    fn wait_for_room(
        &self,
        chunk: u64,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.has_room(chunk) {
            true => Ok(()),
            false => self.wait(progress, |rank| self.room_of(rank) > chunk),
        }
    }

    /// Begins a move of `count` chunks; returns the number of the first. It ends before another
    /// begins or is passed.
    fn begin(&self, count: u64) -> u64 {
        self.done.replace(self.done.get() + count)
    }

    /// Publishes that this rank needs nothing of all moves so far any more.
    fn tell_all_done(&self) {
        let (own, next) = (self.progress(self.rank), self.done.get());
        own.staged.store(next, Ordering::Release);
        own.copied.store(next, Ordering::Release);
    }

    /// Counts a move of `count` slots that does not come, published or not, on all ranks.
    pub fn pass(&self, showing: &mut Showing, count: u64) {
        showing.has_begun = false;
        self.done.set(self.next_span(count).end());
        self.tell_all_done();
    }

    /// Returns the rank that caused some rank to leave.
    fn culprit(&self) -> Option<u64> {
        (0..self.parts.len())
            .find_map(|rank| self.progress(rank).left.load(Ordering::Acquire).checked_sub(1))
    }

    fn check_that_none_left(&self) -> Result<(), Error> {
        self.culprit().map_or(Ok(()), |culprit| {
            let reason = "a panic or a failure in the middle of a move".into();
            Err(Error::PeerFailed { rank: culprit as usize, reason })
        })
    }
}

/// Packed messages of a move in place of chunks. A move takes as many slots as the rank with most
/// to send needs, so some may stay unused at the end of the ring. Counters are those of chunks, and
/// all ranks count alike.
impl Slots {
    /// Returns the most bytes that a rank packs: one move is packed while the one before is read.
    pub fn most_packed(&self) -> usize {
        SLOTS / 2 * self.slot
    }

    /// Returns the slots for that many bytes: one at least.
    pub fn slots_for(&self, bytes: usize) -> u64 {
        bytes.div_ceil(self.slot.max(1)).max(1) as u64
    }

    /// Returns the slots of the next move, which takes `count` of them.
    ///
    /// No rank waits for room once all are through with the move before. A move takes half of the
    /// slots at most, so unused and taken ones are fewer than all together.
    pub fn next_span(&self, count: u64) -> Span {
        let (done, all) = (self.done.get(), SLOTS as u64);
        assert!(count <= (all / 2).max(1), "more slots than half of them");
        let at = done % all;
        Span { first: if at + count > all { done + all - at } else { done }, count }
    }

    /// Returns `true` if this rank may pack the next move now. It may not if it has left one early,
    /// because others may still read its slots, which it has not counted.
    pub fn may_pack(&self, span: Span) -> bool {
        !self.was_left() && self.has_room(span.end() - 1)
    }

    /// Waits until there is room for the move.
    ///
    /// # Errors
    /// Another rank has left a move, which the error names; or those of `progress`.
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

    /// Returns memory to pack a message into.
    ///
    /// # Safety
    /// The span is the next one, and this rank [may pack](Self::may_pack). Or the move has begun,
    /// and this rank has [waited](Self::wait_to_pack) to. The bytes are those of one of its
    /// messages, with no other slice of them. The slice is dropped before the move is
    /// [published](Self::show_packed) or [passed](Self::pass).
    #[expect(clippy::mut_from_ref, reason = "it is memory that this has pointers to")]
    pub unsafe fn room(&self, span: Span, bytes: Range<usize>) -> &mut [u8] {
        self.touch(self.rank, span, |contents| contents.write());
        let (start, len) = self.place_of(self.rank, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` promises. No rank reads them any more, as has been
        // seen (acquire), and none does again before the packed messages are published (release).
        // No other slice of it is there, as the caller promises.
        unsafe { slice::from_raw_parts_mut(start, len) }
    }

    pub fn show_packed(&self, span: Span) {
        self.progress(self.rank).staged.store(span.end(), Ordering::Release);
    }

    /// Waits until all ranks have packed.
    pub fn wait_for_packed(
        &self,
        span: Span,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.wait(progress, |rank| self.progress(rank).staged.load(Ordering::Acquire) >= span.end())
    }

    /// Returns a message, where its sender has packed it.
    ///
    /// # Safety
    /// The move has begun, and all ranks [have packed](Self::wait_for_packed). The caller may know
    /// this in another way that synchronises (release and acquire). The slice is dropped before
    /// this rank [ends](Self::end_packed) the move.
    pub unsafe fn message(&self, owner: usize, span: Span, bytes: Range<usize>) -> &[u8] {
        self.touch(owner, span, |contents| contents.read());
        let (start, len) = self.place_of(owner, span, bytes);
        // SAFETY: the place is inside of the slots of a part (`place_of`), which are there and
        // initialised, as the caller of `new` promises. Packing happened before, as the caller
        // promises, and nothing is packed again before this rank has ended the move.
        unsafe { slice::from_raw_parts(start, len) }
    }

    pub fn end_packed(&self) {
        self.tell_all_done();
    }

    fn touch(&self, owner: usize, span: Span, touch: impl Fn(&Watched)) {
        let contents = &self.progress(owner).contents;
        (span.first..span.end()).for_each(|chunk| touch(&contents[slot(chunk)]));
    }

    fn place_of(&self, owner: usize, span: Span, bytes: Range<usize>) -> (*mut u8, usize) {
        let room = span.count as usize * self.slot;
        assert!(slot(span.first) as u64 + span.count <= SLOTS as u64, "slots that lie together");
        assert!(bytes.start <= bytes.end && bytes.end <= room, "a message in the slots");
        (self.place(owner, span.first).wrapping_add(bytes.start), bytes.len())
    }
}

/// Adjacent slots for all messages of a move: the same on all ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    first: u64,
    count: u64,
}

impl Span {
    pub fn end(self) -> u64 {
        self.first + self.count
    }
}

fn slot(chunk: u64) -> usize {
    (chunk % SLOTS as u64) as usize
}

#[derive(Debug, Default)]
pub struct Showing {
    /// Its first chunk was published before all ranks met.
    has_begun: bool,
    is_in_the_middle: bool,
    first: u64,
    round: u64,
    staged: u64,
    /// Read only by the caller that got them last; kept for its memory otherwise.
    chunks: Vec<Chunk<'static>>,
    stores: Stores,
    begun: Option<Instant>,
    learnt: Learnt,
}

impl Showing {
    fn begin(&mut self, stores: Stores, rounds: usize) {
        (self.stores, self.begun) = (stores, stores::matter(rounds).then(Instant::now));
    }

    fn learn(&mut self) {
        if let Some(begun) = self.begun.take() {
            self.learnt.note(self.stores, begun.elapsed());
        }
    }

    /// Ends the move; `true` if it was in the middle: this rank must [notify](Slots::leave) others.
    pub fn end(&mut self) -> bool {
        mem::take(&mut self.is_in_the_middle)
    }
}
