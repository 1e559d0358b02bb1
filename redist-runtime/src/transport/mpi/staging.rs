//! Moving arrays from ordinary memory between the ranks of a node, through chunks of shared memory
//! that stay in a cache.
//!
//! Unsafe, since the chunks are read by other processes: [`Staging::next_round`] keeps who may
//! write and who may read.

use super::channel::MpiChannel;
use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use super::window::Window;
use crate::error::Error;
use crate::program::RankChunks;
use crate::transport::{Chunk, ShowsChunks};
use std::cell::{Cell, RefCell};
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::{mem, slice};

/// Chunks of a rank that are under way at once: one is written while others are read.
const SLOTS: usize = 8;

/// Bytes of a chunk where there are few ranks, and of all chunks of a node where there are many:
/// what a rank writes, and what it reads from all others, is to stay in its second cache.
const CHUNK_BYTES: usize = 64 << 10;
const NODE_BYTES: usize = 32 << 20;

/// Bits for the bytes of a chunk.
const LEN_BITS: u32 = CHUNK_BYTES.ilog2() + 1;

/// The least that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Bytes that parts of the window are multiples of.
const PAGE: usize = 4096;

/// How often a rank looks in vain before it offers its processor to others, and lets the library
/// work on what else is under way.
const SPINS: usize = 30;

/// How far a rank has come, counted in chunks since the window was made; on the first page of its
/// part of the window.
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
    /// Not zero if it has left a move in the middle: one more than the rank on account of which it
    /// did.
    left: AtomicU64,
}

/// Shared memory of the ranks of one node, to move arrays through.
#[derive(Debug)]
pub(super) struct Staging {
    /// Bytes of a slot.
    slot: usize,
    /// Where each rank's part of the window is here.
    parts: Vec<*mut u8>,
    rank: usize,
    /// Chunks of all exchanges that are over.
    done: Cell<u64>,
    /// Until it is closed.
    window: RefCell<Option<Window>>,
}

impl Staging {
    /// The memory for the ranks of a communicator, which are those of a node; `None` where the
    /// library has none for them. Collective.
    pub fn new(
        communicator: &OwnCommunicator,
        node: &OwnCommunicator,
    ) -> Result<Option<Self>, Error> {
        let (ranks, rank) = (communicator.size(), communicator.rank());
        let slot = (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, CHUNK_BYTES) / PAGE * PAGE;
        // A page more, since libraries do not align windows to pages.
        let window = Window::allocate(node, PAGE + SLOTS * slot + PAGE);
        if all_prepared(communicator, window.as_ref().err()).is_err() {
            return Ok(None);
        }
        let window = window?;
        let part =
            |owner| window.part(owner).map(|(base, _)| base.wrapping_add(base.align_offset(PAGE)));
        let parts = (0..ranks).map(part).collect::<Result<Vec<_>, Error>>();
        all_prepared(communicator, parts.as_ref().err())?;
        let parts = parts?;
        // SAFETY: there is room for it, at a place fit for it, which no other rank looks at before
        // all have met below; zeros are all that it consists of.
        unsafe { parts[rank].cast::<ChunkProgress>().write_bytes(0, 1) };
        window.synchronise()?;
        // No rank looks at another's counters before they are zero.
        all_prepared(communicator, None)?;
        Ok(Some(Self { slot, parts, rank, done: Cell::new(0), window: RefCell::new(Some(window)) }))
    }

    /// Gives the memory back. Collective; no rank moves anything through it any more.
    pub fn close(&self) {
        drop(self.window.take());
    }

    /// Whether it has been given back.
    pub fn is_closed(&self) -> bool {
        self.window.borrow().is_none()
    }

    /// Whether this rank has left a move in the middle, so that ranks have not come equally far.
    /// The others may not have noticed.
    pub fn was_left(&self) -> bool {
        self.progress(self.rank).left.load(Ordering::Relaxed) != 0
    }

    /// Elements of `width` bytes in a chunk.
    pub fn elements(&self, width: usize) -> usize {
        self.slot / width
    }

    /// The next round of a move: shows this rank's next chunks, and returns one of every rank, by
    /// rank, but an empty one in place of this rank's own; `None` after the last round. All ranks
    /// must be ready for it; each brings its own chunks, equally many. Allocates nothing.
    ///
    /// A rank that leaves before the end, panicking or failing, must not do this again: see
    /// [`was_left`](Self::was_left).
    ///
    /// # Errors
    /// Naming the rank, that another has left.
    pub fn next_round<'s>(
        &self,
        showing: &'s mut Showing,
        communicator: &OwnCommunicator,
        width: usize,
        source: &[u8],
        own: &RankChunks,
    ) -> Result<Option<&'s [Chunk<'s>]>, Error> {
        let (first, count) = (self.done.get(), own.rounds() as u64);
        if showing.is_in_the_middle {
            // What was returned last has been copied from.
            showing.round += 1;
            self.progress(self.rank).copied.store(first + showing.round, Ordering::Release);
        } else {
            (showing.is_in_the_middle, showing.round, showing.staged) = (true, 0, 0);
        }
        if showing.round == count {
            self.done.set(first + count);
            showing.is_in_the_middle = false;
            return Ok(None);
        }
        let round = showing.round;
        // As many ahead as there is room for, so that no rank waits for this one while it copies.
        while showing.staged < count
            && showing.staged < round + SLOTS as u64
            && (showing.staged <= round || self.has_room(first + showing.staged))
        {
            let staged = showing.staged;
            self.wait(communicator, |rank| self.has_copied(rank, first + staged))?;
            let is_alone = self.parts.len() == 1;
            let elements = if is_alone { 0..0 } else { own.elements(staged as usize) };
            let bytes = &source[elements.start * width..elements.end * width];
            self.stage(first + staged, own.number(staged as usize), bytes);
            showing.staged += 1;
        }
        self.wait(communicator, |rank| {
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

    /// Tells the others that they wait in vain, and on whose account.
    pub fn leave(&self) {
        let culprit = self.culprit().unwrap_or(self.rank as u64);
        self.progress(self.rank).left.store(culprit + 1, Ordering::Release);
    }

    /// Bytes of this rank's part.
    pub fn bytes(&self) -> usize {
        PAGE + SLOTS * self.slot
    }

    fn progress(&self, rank: usize) -> &ChunkProgress {
        // SAFETY: each part of the window begins with it, zero before anybody looks; all that
        // changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    fn place(&self, rank: usize, round: u64) -> *mut u8 {
        self.parts[rank].wrapping_add(PAGE + (round % SLOTS as u64) as usize * self.slot)
    }

    /// Whether a rank does not need any more what the slot of a chunk had before.
    fn has_copied(&self, rank: usize, chunk: u64) -> bool {
        self.progress(rank).copied.load(Ordering::Acquire) + SLOTS as u64 > chunk
    }

    fn has_room(&self, chunk: u64) -> bool {
        (0..self.parts.len()).all(|rank| self.has_copied(rank, chunk))
    }

    /// Puts a chunk into the slot of a round, from which all ranks have copied.
    fn stage(&self, round: u64, number: usize, bytes: &[u8]) {
        assert!(bytes.len() <= self.slot, "a chunk longer than its slot");
        assert!(number as u64 >> (u64::BITS - LEN_BITS) == 0, "a chunk past the largest array");
        // SAFETY: the slot has room for the bytes, and no rank reads it: all have copied from it,
        // as the caller waited for (acquire), and none does again before it is told of the new
        // chunk (release).
        unsafe {
            bytes.as_ptr().copy_to_nonoverlapping(self.place(self.rank, round), bytes.len());
        }
        let (own, shown) =
            (self.progress(self.rank), (number as u64) << LEN_BITS | bytes.len() as u64);
        own.shown[(round % SLOTS as u64) as usize].store(shown, Ordering::Relaxed);
        own.staged.store(round + 1, Ordering::Release);
    }

    /// The chunk of another rank in a round, which that rank has put into its slot. It lasts until
    /// this rank counts its copy.
    fn shown(&self, rank: usize, round: u64) -> Chunk<'static> {
        let shown =
            self.progress(rank).shown[(round % SLOTS as u64) as usize].load(Ordering::Relaxed);
        let (number, len) =
            ((shown >> LEN_BITS) as usize, (shown & ((1 << LEN_BITS) - 1)) as usize);
        assert!(len <= self.slot, "a chunk longer than its slot");
        // SAFETY: the owner has written `len` bytes to the slot before it counted the chunk
        // (release), which the caller has seen (acquire). It writes there again only when this rank
        // has counted its copy: in the next call of `next_round`, which takes `Showing` mutably,
        // and so ends the borrow for which the slices were handed out. The window is not closed in
        // between: that is collective with the moves of this communicator.
        Chunk { number, bytes: unsafe { slice::from_raw_parts(self.place(rank, round), len) } }
    }

    /// Waits until something is true of all ranks.
    fn wait(
        &self,
        communicator: &OwnCommunicator,
        is_true: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        for rank in 0..self.parts.len() {
            let mut spins = 0usize;
            while !is_true(rank) {
                spins += 1;
                spin_loop();
                if spins.is_multiple_of(SPINS) {
                    self.check_that_none_left()?;
                    // Another may wait for something that this rank has begun, and not come here
                    // before it has it.
                    communicator.progress()?;
                    std::thread::yield_now();
                }
            }
        }
        Ok(())
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

impl Drop for Staging {
    /// The library frees windows together on all ranks, which need not drop their last plan at the
    /// same time: what has not been closed stays until MPI is finalised.
    fn drop(&mut self) {
        mem::forget(self.window.take());
    }
}

/// How far a move of chunks has come.
#[derive(Debug, Default)]
pub(super) struct Showing {
    is_in_the_middle: bool,
    /// The round whose chunks were returned last.
    round: u64,
    /// Chunks of this rank that have been shown.
    staged: u64,
    /// Looked at only by those who got them last; kept for its memory otherwise.
    chunks: Vec<Chunk<'static>>,
}

impl ShowsChunks for MpiChannel {
    fn next(&mut self, source: &[u8], own: &RankChunks) -> Result<Option<&[Chunk<'_>]>, Error> {
        let context = Arc::clone(&self.communicator.context);
        let Some(staging) = context.staging()? else { return Ok(None) };
        staging.next_round(&mut self.showing, &self.communicator, self.element.bytes(), source, own)
    }

    fn leave(&mut self) {
        if mem::take(&mut self.showing.is_in_the_middle)
            && let Some(staging) = self.staging()
        {
            staging.leave();
        }
    }
}
