//! Showing arrays to other ranks a chunk at a time, in slots of memory that all ranks share; or packed
//! messages in their place, in slots that lie together ([`Span`]).
//!
//! Unsafe, since the chunks are read by others, which may be other processes: [`Slots::next_round`]
//! keeps who may write and who may read. What the memory is, and what is done while a rank waits,
//! others say: `mpi/staging.rs`, and the models, which run this code in every order.

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

/// Chunks of a rank that are under way at once: one is written while others are read.
pub const SLOTS: usize = if IS_MODELLED { 2 } else { 8 };

/// Bytes of the longest slot.
pub const MAX_SLOT_BYTES: usize = 64 << 10;

/// Bits for the bytes of a chunk.
const LEN_BITS: u32 = MAX_SLOT_BYTES.ilog2() + 1;

/// Bytes that a part, and its first slot, are aligned to.
pub const PAGE: usize = 4096;

/// How often a rank looks in vain before it offers its processor to others, and how often before it
/// also lets the library work on what else is under way.
const SPINS: usize = if IS_MODELLED { 1 } else { 30 };
const LONG_SPINS: usize = SPINS * if IS_MODELLED { 1 } else { 16 };

/// How far a rank has come, counted in chunks since the memory was made; on the first page of its
/// part.
#[derive(Default)]
#[repr(C, align(64))]
struct ChunkProgress {
    /// Chunks that it has put into its slots.
    staged: AtomicU64,
    /// What is in each slot: the number of the chunk, and its bytes in the lowest bits, so that
    /// both are on a line of the cache that is needed anyway.
    shown: [AtomicU64; SLOTS],
    apart: [u64; 8],
    /// Chunks of all others that it has copied from.
    copied: AtomicU64,
    /// How chunks of all ranks are stored in the next move, as the first rank has it: not zero where
    /// they go past the caches.
    streamed: AtomicU64,
    /// Not zero if it has left a move in the middle: one more than the rank on account of which it
    /// did.
    left: AtomicU64,
    /// The bytes in each slot.
    contents: [Watched; SLOTS],
}

const _: () = assert!(size_of::<ChunkProgress>() <= PAGE);

/// Slots of all ranks of a node, seen from one of them.
#[derive(Debug)]
pub struct Slots {
    /// Bytes of a slot.
    slot: usize,
    /// Where each rank's part is here.
    parts: Vec<*mut u8>,
    rank: usize,
    /// Chunks of all moves that have begun, or were passed.
    done: Cell<u64>,
    /// There is room for chunks below this number, as was seen last: what others have copied is on
    /// lines of the cache that are read only now and then.
    room: Cell<u64>,
}

impl Slots {
    /// Bytes of a part whose slots have `slot` bytes.
    pub fn part_bytes(slot: usize) -> usize {
        PAGE + SLOTS * slot
    }

    /// Slots of `slot` bytes in the `parts`, by rank. Sets this rank's counters to zero.
    ///
    /// # Safety
    /// Each part is [`part_bytes`](Self::part_bytes) bytes, which have values, that are aligned to [`PAGE`], the same
    /// memory on all ranks, each of which makes this call once, and nothing else uses it from now
    /// on. It outlives all calls but those that tell sizes, and all chunks that are returned. No rank goes on before all calls are known to be over
    /// (release and acquire).
    pub unsafe fn new(slot: usize, parts: Vec<*mut u8>, rank: usize) -> Self {
        assert!(slot <= MAX_SLOT_BYTES, "a slot longer than the longest");
        // SAFETY: there is room for it, at a place fit for it, and no other rank looks at it before
        // this call is over, as the caller says.
        unsafe { parts[rank].cast::<ChunkProgress>().write(ChunkProgress::default()) };
        Self { slot, parts, rank, done: Cell::new(0), room: Cell::new(0) }
    }

    /// Whether this rank has left a move in the middle, so that ranks have not come equally far.
    /// The others may not have noticed.
    pub fn was_left(&self) -> bool {
        self.progress(self.rank).left.load(Ordering::Relaxed) != 0
    }

    /// Elements of `width` bytes in a chunk.
    #[cfg(feature = "mpi")]
    pub fn elements(&self, width: usize) -> usize {
        self.slot / width
    }

    /// The next round of a move: shows this rank's next chunks, and returns one of every rank, by
    /// rank, but an empty one in place of this rank's own; `None` after the last round. All ranks
    /// must be ready for it; each brings its own chunks, equally many. Where this rank waits, it calls
    /// `progress` now and then, and fails with its error. Allocates nothing.
    ///
    /// A rank that leaves before the end, panicking or failing, must not do this again: see
    /// [`was_left`](Self::was_left).
    ///
    /// # Errors
    /// Naming the rank, that another has left.
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
            // What was returned last has been copied from.
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

    /// Says how chunks are stored in the next move, which has as many rounds: before all ranks meet
    /// for it, so that all do the same. What the first rank says counts; of few rounds none asks, so
    /// that the line of the cache that it says so on stays where it is.
    pub fn decide(&self, showing: &Showing, rounds: usize) {
        if self.rank == 0 && stores::matter(rounds) {
            let streamed = showing.learnt.next(rounds) == Stores::Streamed;
            self.progress(0).streamed.store(streamed.into(), Ordering::Relaxed);
        }
    }

    /// Shows the one chunk of a move that may come: if it does, [`next_round`](Self::next_round) goes
    /// on from there; else all ranks [pass](Self::pass). Nothing, where the others still need what
    /// is in the slot: that is not waited for; and where this rank has left a move in the middle, since
    /// others may still read what it showed there, which it has not counted.
    ///
    /// The elements of `own`, the chunk, which `source` has, have `width` bytes.
    pub fn show_early(&self, showing: &mut Showing, width: usize, source: &[u8], own: &ShownChunk) {
        let chunk = self.done.get();
        showing.has_begun = !self.was_left() && self.has_room(chunk);
        if showing.has_begun {
            self.stage(chunk, width, source, own, Stores::Cached);
        }
    }

    /// Tells the others that they wait in vain, and on whose account.
    pub fn leave(&self) {
        let culprit = self.culprit().unwrap_or(self.rank as u64);
        self.progress(self.rank).left.store(culprit + 1, Ordering::Release);
    }

    /// Bytes of this rank's part.
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
        // SAFETY: the rank has put it at the beginning of its part, which is known here, and the
        // memory is still there, as the caller of `new` says. All that changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    /// Where the bytes of a chunk go.
    fn place(&self, rank: usize, chunk: u64) -> *mut u8 {
        self.parts[rank].wrapping_add(PAGE + slot(chunk) * self.slot)
    }

    /// Puts what others may read of a chunk into its slot, from which all ranks have copied what
    /// was there before; what lies beside it there is of some earlier chunk.
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
        // SAFETY: the part has room for `len` bytes in this slot, as the caller of `new` says, and
        // for `bytes`, which begin `before` and end inside of them; these are elsewhere, since nothing else uses the part. No rank reads the slot: all
        // have copied from it, as the caller waited for (acquire), and none does again before it is
        // told of the new chunk (release).
        unsafe {
            let place = self.place(self.rank, chunk).add(before);
            match stores {
                Stores::Cached => bytes.as_ptr().copy_to_nonoverlapping(place, bytes.len()),
                Stores::Streamed => {
                    stream_lines(bytes.as_ptr(), place, bytes.len(), |_| ());
                    // Before others are told.
                    fence();
                }
            }
        }
        let shown = (*number as u64) << LEN_BITS | len as u64;
        own.shown[slot].store(shown, Ordering::Relaxed);
        own.staged.store(chunk + 1, Ordering::Release);
    }

    /// A chunk of another rank, which that rank has put into its slot. It lasts until this rank
    /// counts its copy.
    fn shown(&self, rank: usize, chunk: u64) -> Chunk<'static> {
        let (owner, slot) = (self.progress(rank), slot(chunk));
        let shown = owner.shown[slot].load(Ordering::Relaxed);
        let (number, len) =
            ((shown >> LEN_BITS) as usize, (shown & ((1 << LEN_BITS) - 1)) as usize);
        assert!(len <= self.slot, "a chunk longer than its slot");
        // SAFETY: the owner has written what is read of the slot's `len` bytes before it counted the
        // chunk (release), which the caller has seen (acquire); the others have values of some
        // earlier time. It writes there again only when this rank
        // has counted its copy: in the next call of `next_round`, which takes `Showing` mutably,
        // and so ends the borrow for which the slices were handed out. The memory outlives them, as
        // the caller of `new` says, and `len` is
        // no more than a slot has.
        let bytes = unsafe { slice::from_raw_parts(self.place(rank, chunk), len) };
        owner.contents[slot].read();
        Chunk { number, bytes }
    }

    /// Waits until something is true of all ranks.
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
                    // Another may wait for something that this rank has begun, and not come here
                    // before it has it.
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

    /// Up to which chunk a rank does not need any more what the slots had before.
    fn room_of(&self, rank: usize) -> u64 {
        self.progress(rank).copied.load(Ordering::Acquire) + SLOTS as u64
    }

    /// Whether no rank needs any more what the slot of a chunk had before.
    fn has_room(&self, chunk: u64) -> bool {
        if chunk >= self.room.get() {
            let least = (0..self.parts.len()).map(|rank| self.room_of(rank)).min();
            self.room.set(least.unwrap_or(u64::MAX));
        }
        chunk < self.room.get()
    }

    /// Waits until there is.
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

    /// Begins a move of `count` chunks; returns the number of the first. It ends before another begins
    /// or is passed.
    fn begin(&self, count: u64) -> u64 {
        self.done.replace(self.done.get() + count)
    }

    /// Tells the others that this rank needs nothing any more of all moves so far.
    fn tell_all_done(&self) {
        let (own, next) = (self.progress(self.rank), self.done.get());
        own.staged.store(next, Ordering::Release);
        own.copied.store(next, Ordering::Release);
    }

    /// Counts a move of `count` slots that does not come, whether its chunk was shown or not: all ranks
    /// do, in the place of the move.
    pub fn pass(&self, showing: &mut Showing, count: u64) {
        showing.has_begun = false;
        self.done.set(self.next_span(count).end());
        self.tell_all_done();
    }

    /// The rank on account of which some rank has left.
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

/// All that a rank has for the others in a move, packed, in place of chunks of its array. The counters
/// are those of chunks: a move takes as many slots as the rank with most to send needs, so that some
/// may be left out at the end of the ring. All ranks count alike.
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

/// The slot of a chunk.
fn slot(chunk: u64) -> usize {
    (chunk % SLOTS as u64) as usize
}

/// How far a move of chunks has come.
#[derive(Debug, Default)]
pub struct Showing {
    /// Whether its first chunk was shown before it was known that it comes.
    has_begun: bool,
    is_in_the_middle: bool,
    /// The number of its first chunk.
    first: u64,
    /// The round whose chunks were returned last.
    round: u64,
    /// Chunks of this rank that have been shown.
    staged: u64,
    /// Looked at only by those who got them last; kept for its memory otherwise.
    chunks: Vec<Chunk<'static>>,
    stores: Stores,
    begun: Option<Instant>,
    learnt: Learnt,
}

impl Showing {
    fn begin(&mut self, stores: Stores, rounds: usize) {
        (self.stores, self.begun) = (stores, stores::matter(rounds).then(Instant::now));
    }

    /// Notes how long the move took.
    fn learn(&mut self) {
        if let Some(begun) = self.begun.take() {
            self.learnt.note(self.stores, begun.elapsed());
        }
    }

    /// Ends the move; true if it was in the middle, so that the others must be [told](Slots::leave).
    pub fn end(&mut self) -> bool {
        mem::take(&mut self.is_in_the_middle)
    }
}
