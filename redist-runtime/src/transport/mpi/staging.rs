//! Moving arrays from ordinary memory between the ranks of a node, through chunks of shared memory that stay in a cache.
//!
//! Unsafe, since the chunks are read by other processes: [`Staging::copy_staged`] keeps who may write and who may read.

use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use super::window::Window;
use crate::error::Error;
use crate::program::RankChunks;
use crate::transport::Chunk;
use crate::transport::recycle::recycle;
use std::cell::{Cell, RefCell};
use std::hint::spin_loop;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};

/// Chunks of a rank that are under way at once: one is written while others are read.
const SLOTS: usize = 8;

/// Bytes of a chunk where there are few ranks, and of all chunks of a node where there are many: what a rank writes, and
/// what it reads from all others, is to stay in its second cache.
const CHUNK_BYTES: usize = 64 << 10;
const NODE_BYTES: usize = 32 << 20;

/// Bits for the bytes of a chunk.
const LEN_BITS: u32 = CHUNK_BYTES.ilog2() + 1;

/// The least that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Bytes that parts of the window are multiples of.
const PAGE: usize = 4096;

/// How often a rank looks in vain before it offers its processor to others, and lets the library work on what else is
/// under way.
const SPINS: usize = 30;

/// How far a rank has come, counted in chunks since the window was made; on the first page of its part of the window.
#[repr(C, align(64))]
struct Progress {
    /// Chunks that it has put into its slots.
    staged: AtomicU64,
    /// What is in each slot: the number of the chunk, and its bytes in the lowest bits, so that both are on a line of the
    /// cache that is needed anyway.
    shown: [AtomicU64; SLOTS],
    apart: [u64; 8],
    /// Chunks of all others that it has copied from.
    copied: AtomicU64,
    /// Not zero if it has left a move in the middle: one more than the rank on account of which it did.
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
    /// A list kept between exchanges for its memory only.
    spare: RefCell<Vec<Chunk<'static>>>,
    /// Until it is closed.
    window: RefCell<Option<Window>>,
}

impl Staging {
    /// The memory for the ranks of a communicator, which are those of a node; `None` where the library has none for them.
    /// Collective.
    pub fn new(communicator: &OwnCommunicator, node: &OwnCommunicator) -> Result<Option<Self>, Error> {
        let (ranks, rank) = (communicator.size(), communicator.rank());
        let slot = (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, CHUNK_BYTES) / PAGE * PAGE;
        // A page more, since libraries do not align windows to pages.
        let window = Window::allocate(node, PAGE + SLOTS * slot + PAGE);
        if all_prepared(communicator, window.as_ref().err()).is_err() {
            return Ok(None);
        }
        let window = window?;
        let part = |owner| window.part(owner).map(|(base, _)| base.wrapping_add(base.align_offset(PAGE)));
        let parts = (0..ranks).map(part).collect::<Result<Vec<_>, Error>>();
        all_prepared(communicator, parts.as_ref().err())?;
        let parts = parts?;
        // SAFETY: there is room for it, at a place fit for it, which nobody else looks at before all have met below; zeros
        // are all that it consists of.
        unsafe { parts[rank].cast::<Progress>().write_bytes(0, 1) };
        window.synchronise()?;
        // Nobody looks at another's counters before they are zero.
        all_prepared(communicator, None)?;
        Ok(Some(Self {
            slot,
            parts,
            rank,
            done: Cell::new(0),
            spare: RefCell::default(),
            window: RefCell::new(Some(window)),
        }))
    }

    /// Gives the memory back. Collective; nobody moves anything through it any more.
    pub fn close(&self) {
        drop(self.window.take());
    }

    /// Whether it has been given back.
    pub fn is_closed(&self) -> bool {
        self.window.borrow().is_none()
    }

    /// Whether this rank has left a move in the middle, so that ranks have not come equally far. The others may not have
    /// noticed.
    pub fn was_left(&self) -> bool {
        self.progress(self.rank).left.load(Ordering::Relaxed) != 0
    }

    /// Elements of so many bytes in a chunk.
    pub fn elements(&self, width: usize) -> usize {
        self.slot / width
    }

    /// Shows this rank's source array to all others, chunk after chunk, and has `copy` copy from theirs: it is given a chunk
    /// of every rank's array; the whole array in place of this rank's own. Collective, and all ranks must be ready for it;
    /// each brings its own chunks, equally many. Allocates nothing. Nobody reads `source` any more when it returns.
    ///
    /// A rank that leaves before the end, panicking or failing, must not do this again: see [`was_left`](Self::was_left).
    ///
    /// # Errors
    /// Naming the rank, that another has left.
    pub fn copy_staged(
        &self,
        communicator: &OwnCommunicator,
        width: usize,
        source: &[u8],
        chunks: &RankChunks,
        mut copy: impl FnMut(&[Chunk<'_>]),
    ) -> Result<(), Error> {
        let (first, count) = (self.done.get(), chunks.rounds() as u64);
        let leaving = Unless(self);
        let is_alone = self.parts.len() == 1;
        let stage = |round: u64| {
            let elements = if is_alone { 0..0 } else { chunks.elements(round as usize) };
            let bytes = &source[elements.start * width..elements.end * width];
            self.stage(first + round, Chunk { number: chunks.number(round as usize), bytes });
        };
        let mut staged = 0;
        for round in 0..count {
            // As many ahead as there is room for, so that nobody waits for this rank while it copies.
            while staged < count && staged < round + SLOTS as u64 && (staged <= round || self.has_room(first + staged))
            {
                self.wait(communicator, |rank| self.has_copied(rank, first + staged))?;
                stage(staged);
                staged += 1;
            }
            self.wait(communicator, |rank| self.progress(rank).staged.load(Ordering::Acquire) > first + round)?;
            self.copy_one(first + round, Chunk { number: chunks.number(round as usize), bytes: source }, &mut copy);
            self.progress(self.rank).copied.store(first + round + 1, Ordering::Release);
        }
        self.done.set(first + count);
        std::mem::forget(leaving);
        Ok(())
    }

    fn progress(&self, rank: usize) -> &Progress {
        // SAFETY: each part of the window begins with it, zero before anybody looks; all that changes is atomic.
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

    /// Puts a chunk into the slot of a round, which everybody has copied from.
    fn stage(&self, round: u64, chunk: Chunk<'_>) {
        let Chunk { number, bytes } = chunk;
        assert!(bytes.len() <= self.slot, "a chunk longer than its slot");
        assert!(number as u64 >> (u64::BITS - LEN_BITS) == 0, "a chunk past the largest array");
        // SAFETY: the slot has room for so many bytes, and nobody reads it: all have copied from it, as the caller waited
        // for (acquire), and none does again before it is told of the new chunk (release).
        unsafe {
            bytes.as_ptr().copy_to_nonoverlapping(self.place(self.rank, round), bytes.len());
        }
        let (own, shown) = (self.progress(self.rank), (number as u64) << LEN_BITS | bytes.len() as u64);
        own.shown[(round % SLOTS as u64) as usize].store(shown, Ordering::Relaxed);
        own.staged.store(round + 1, Ordering::Release);
    }

    /// Calls `copy` with everybody's chunk of a round, which all have put into their slots, and with this rank's `own`.
    fn copy_one(&self, round: u64, own: Chunk<'_>, copy: impl FnOnce(&[Chunk<'_>])) {
        let mut chunks: Vec<Chunk<'_>> = recycle(self.spare.take());
        chunks.extend((0..self.parts.len()).map(|rank| match rank == self.rank {
            true => own,
            false => {
                let shown = self.progress(rank).shown[(round % SLOTS as u64) as usize].load(Ordering::Relaxed);
                let (number, len) = ((shown >> LEN_BITS) as usize, (shown & ((1 << LEN_BITS) - 1)) as usize);
                assert!(len <= self.slot, "a chunk longer than its slot");
                // SAFETY: the owner has written so many bytes to the slot before it counted the chunk (release), which the caller has seen (acquire); it writes there again only when this
                // rank has counted its copy, after `copy` has returned, which cannot keep the slices.
                Chunk { number, bytes: unsafe { slice::from_raw_parts(self.place(rank, round), len) } }
            }
        }));
        copy(&chunks);
        self.spare.replace(recycle(chunks));
    }

    /// Waits until something is true of all ranks.
    fn wait(&self, communicator: &OwnCommunicator, is_true: impl Fn(usize) -> bool) -> Result<(), Error> {
        for rank in 0..self.parts.len() {
            let mut spins = 0usize;
            while !is_true(rank) {
                spins += 1;
                spin_loop();
                if spins.is_multiple_of(SPINS) {
                    self.check_that_none_left()?;
                    // Another may wait for something that this rank has begun, and not come here before it has it.
                    communicator.progress()?;
                    std::thread::yield_now();
                }
            }
        }
        Ok(())
    }

    /// The rank on account of which some rank has left.
    fn culprit(&self) -> Option<u64> {
        (0..self.parts.len()).find_map(|rank| self.progress(rank).left.load(Ordering::Acquire).checked_sub(1))
    }

    fn check_that_none_left(&self) -> Result<(), Error> {
        self.culprit().map_or(Ok(()), |culprit| {
            let reason = "a panic or a failure in the middle of a move".into();
            Err(Error::PeerFailed { rank: culprit as usize, reason })
        })
    }
}

impl Drop for Staging {
    /// The library frees windows together on all ranks, which need not drop their last plan at the same time: what has not
    /// been closed stays until MPI is finalised.
    fn drop(&mut self) {
        std::mem::forget(self.window.take());
    }
}

/// Tells the others when dropped that they wait in vain, and on whose account.
struct Unless<'a>(&'a Staging);

impl Drop for Unless<'_> {
    fn drop(&mut self) {
        let culprit = self.0.culprit().unwrap_or(self.0.rank as u64);
        self.0.progress(self.0.rank).left.store(culprit + 1, Ordering::Release);
    }
}
