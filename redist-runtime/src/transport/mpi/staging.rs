//! Moving arrays from ordinary memory between the ranks of a node, through chunks of shared memory
//! that stay in a cache: [`Slots`] in a window of MPI.
//!
//! Unsafe, since the memory is the library's.

use super::channel::MpiChannel;
use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use super::vote::Maxima;
use super::window::{NodeWindow, Window};
use crate::error::Error;
use crate::program::{RankChunks, ShownChunk};
use crate::transport::ballots::{self, Ballots};
pub(super) use crate::transport::slots::Showing;
use crate::transport::slots::{MAX_SLOT_BYTES, PAGE, SLOTS, Slots};
use crate::transport::{Chunk, ShowsChunks, Way};

/// Bytes of all chunks of a node where there are many ranks: what a rank writes, and what it reads
/// from all others, is to stay in its second cache. Where there are few, slots are as long as they
/// can be.
const NODE_BYTES: usize = 32 << 20;

/// The least that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Shared memory of the ranks of one node, to move arrays through.
#[derive(Debug)]
pub(super) struct Staging {
    slots: Slots,
    window: NodeWindow,
}

impl Staging {
    /// The memory for the ranks of a communicator, which are those of a node, and their votes in it;
    /// `None` where the library has none for them. Collective.
    pub fn new(
        communicator: &OwnCommunicator,
        node: &OwnCommunicator,
    ) -> Result<Option<(Self, Ballots<Maxima>)>, Error> {
        let (ranks, rank) = (communicator.size(), communicator.rank());
        let slot = slot_bytes(ranks);
        let bytes = Slots::part_bytes(slot) + ballots::PART_BYTES;
        let Some((window, parts)) = Window::on_pages(communicator, node, bytes)? else {
            return Ok(None);
        };
        // SAFETY: each part has that many bytes from an address on that is a multiple of a page, in
        // a window of these ranks alone, all of which come here; the ballots are behind the slots.
        // It is closed when no rank is in a call that moves anything, and votes in it are over
        // (`Context::close`), and forgotten otherwise; chunks do not outlive such calls, in which MPI
        // is not finalised (`Context::in_use`), and no call begins after. No rank goes on before all
        // have met below, the window synchronised.
        let (slots, ballots) = unsafe {
            let pages = parts.iter().map(|part| part.wrapping_add(Slots::part_bytes(slot)));
            let names = (0..ranks).collect();
            (Slots::new(slot, parts.clone(), rank), Ballots::new(pages.collect(), names, rank))
        };
        window.synchronise()?;
        // No rank looks at another's counters before they are zero.
        all_prepared(communicator, None)?;
        let kept = NodeWindow::default();
        kept.keep(window);
        Ok(Some((Self { slots, window: kept }, ballots)))
    }

    /// The memory that it is in.
    pub fn window(&self) -> &NodeWindow {
        &self.window
    }

    /// As [`Slots::was_left`].
    pub fn was_left(&self) -> bool {
        self.slots.was_left()
    }

    /// As [`Slots::show_early`].
    pub fn show_early(&self, showing: &mut Showing, width: usize, source: &[u8], own: &ShownChunk) {
        self.slots.show_early(showing, width, source, own);
    }

    /// As [`Slots::decide`].
    pub fn decide(&self, showing: &Showing, rounds: usize) {
        self.slots.decide(showing, rounds);
    }

    /// The memory itself.
    pub fn slots(&self) -> &Slots {
        &self.slots
    }

    /// As [`Slots::elements`].
    pub fn elements(&self, width: usize) -> usize {
        self.slots.elements(width)
    }

    /// As [`bytes`](Self::bytes), of the memory for this number of ranks.
    pub fn bytes_among(ranks: usize) -> usize {
        Slots::part_bytes(slot_bytes(ranks))
    }

    /// As [`Slots::bytes`].
    pub fn bytes(&self) -> usize {
        self.slots.bytes()
    }
}

/// Bytes of a slot where a node has this number of ranks.
fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}

impl MpiChannel {
    /// The memory for chunks, as long as it is there.
    pub fn staging(&self) -> Option<&Staging> {
        if self.way.0 != Way::Chunks {
            return None;
        }
        self.communicator.context.open_staging()
    }

    /// Counts the slots that this move does without.
    pub fn pass(&mut self) {
        let context = &self.communicator.context;
        let chunk = self.only_chunk.as_ref().map(|_| 1);
        let count = self.packed.as_ref().map(|packed| packed.count).or(chunk);
        if let (Some(count), Some(staging)) = (count, context.open_staging()) {
            staging.slots.pass(&mut self.showing, count);
        }
    }
}

impl ShowsChunks for MpiChannel {
    fn next(&mut self, source: &[u8], own: &RankChunks) -> Result<Option<&[Chunk<'_>]>, Error> {
        let staging = self.communicator.context.open_staging().ok_or_else(given_back)?;
        let (showing, width) = (&mut self.showing, self.element.bytes());
        staging.slots.next_round(showing, &|| self.communicator.progress(), width, source, own)
    }

    fn leave(&mut self) {
        if self.showing.end()
            && let Some(staging) = self.staging()
        {
            staging.slots.leave();
        }
    }
}

/// Ranks that have met in a move that needs the memory keep it.
pub(super) fn given_back() -> Error {
    Error::Unavailable {
        what: format!("the way `{}`", Way::Chunks),
        reason: "its memory has been given back".into(),
    }
}
