//! Memory of the ranks of a node, in a window of MPI. They vote there, and on one node move arrays
//! through chunks that stay in a cache ([`Slots`]). Unsafe, because the memory is the library's.

use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use super::vote::Maxima;
use super::window::Window;
use crate::error::Error;
use crate::transport::Way;
use crate::transport::ballots::{self, Ballots};
use crate::transport::slots::{MAX_SLOT_BYTES, PAGE, SLOTS, Slots};
use std::cell::RefCell;
use std::mem;

/// Bytes of all chunks of a node with many ranks: the chunks that a rank writes and reads should
/// stay in its second cache. With few ranks, slots have the maximal length.
const NODE_BYTES: usize = 32 << 20;

/// The shortest chunk that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Memory that the ranks of a node share, until they free it together, or MPI is finalised.
#[derive(Debug)]
pub(super) struct NodeMemory {
    slots: Option<Slots>,
    window: RefCell<Option<Window>>,
}

impl NodeMemory {
    /// Makes memory for the votes of this node's ranks, with these names, and for slots, if these
    /// are `all` ranks. `None` if a rank of any node has none. Collective over all ranks.
    pub fn new(
        all: &OwnCommunicator,
        node: &OwnCommunicator,
        names: Vec<usize>,
    ) -> Result<Option<(Self, Ballots<Maxima>)>, Error> {
        let (slot, is_one_node) = (slot_bytes(names.len()), node.size() == all.size());
        let before = if is_one_node { Slots::part_bytes(slot) } else { 0 };
        let bytes = before + ballots::PART_BYTES;
        let Some((window, parts)) = Window::on_pages(all, node, bytes)? else { return Ok(None) };
        let pages = parts.iter().map(|part| part.wrapping_add(before)).collect();
        // SAFETY: each part has that many bytes from a multiple of a page on. It is in a window of
        // the ranks of this node alone, all of which come here. The ballots are behind the slots.
        // The window is closed when no rank is in a call that moves elements, and votes in it are
        // over (`Context::close`), and forgotten otherwise. Chunks do not outlive such calls, in
        // which MPI is not finalised (`Context::in_use`), and no call begins after. No rank goes on
        // before all have met below, the window synchronised.
        let (slots, ballots) = unsafe {
            let slots = if is_one_node { Some(Slots::new(slot, parts, node.rank())) } else { None };
            (slots, Ballots::new(pages, names, node.rank()))
        };
        window.synchronise()?;
        // No rank reads another's counters before they are zero.
        all_prepared(all, None)?;
        Ok(Some((Self { slots, window: RefCell::new(Some(window)) }, ballots)))
    }

    pub fn slots(&self) -> Option<&Slots> {
        self.slots.as_ref().filter(|_| self.is_open())
    }

    pub fn is_open(&self) -> bool {
        self.window.borrow().is_some()
    }

    pub fn close(&self) {
        drop(self.window.take());
    }
}

impl Drop for NodeMemory {
    /// Ranks need not drop the contents at the same time.
    fn drop(&mut self) {
        mem::forget(self.window.take());
    }
}

pub(super) fn bytes_among(ranks: usize) -> usize {
    Slots::part_bytes(slot_bytes(ranks))
}

fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}

/// The error of ranks that have met in a move that needs the memory.
pub(super) fn given_back() -> Error {
    Error::Unavailable {
        what: format!("the way `{}`", Way::Chunks),
        reason: "its memory has been given back".into(),
    }
}
