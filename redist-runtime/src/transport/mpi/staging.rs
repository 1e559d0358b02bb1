//! Memory of the ranks of a node, in a window of MPI: they vote there, and where there is one node, move
//! arrays through chunks that stay in a cache ([`Slots`]).
//!
//! Unsafe, since the memory is the library's.

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

/// Bytes of all chunks of a node where there are many ranks: what a rank writes, and what it reads
/// from all others, is to stay in its second cache. Where there are few, slots are as long as they
/// can be.
const NODE_BYTES: usize = 32 << 20;

/// The least that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Memory that the ranks of a node share, until they give it back together, or MPI is finalised.
#[derive(Debug)]
pub(super) struct NodeMemory {
    slots: Option<Slots>,
    window: RefCell<Option<Window>>,
}

impl NodeMemory {
    /// Memory for the votes of the ranks of this node, which are counted by these names, and for slots,
    /// where these are `all` ranks; `None` where a rank of any node has none. Collective over all ranks.
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
        // SAFETY: each part has that many bytes from an address on that is a multiple of a page, in
        // a window of the ranks of this node alone, all of which come here; the ballots are behind the
        // slots. It is closed when no rank is in a call that moves anything, and votes in it are over
        // (`Context::close`), and forgotten otherwise; chunks do not outlive such calls, in which MPI
        // is not finalised (`Context::in_use`), and no call begins after. No rank goes on before all
        // have met below, the window synchronised.
        let (slots, ballots) = unsafe {
            let slots = if is_one_node { Some(Slots::new(slot, parts, node.rank())) } else { None };
            (slots, Ballots::new(pages, names, node.rank()))
        };
        window.synchronise()?;
        // No rank looks at another's counters before they are zero.
        all_prepared(all, None)?;
        Ok(Some((Self { slots, window: RefCell::new(Some(window)) }, ballots)))
    }

    /// What arrays are moved through, until it is given back.
    pub fn slots(&self) -> Option<&Slots> {
        self.slots.as_ref().filter(|_| self.window.borrow().is_some())
    }

    /// Gives the memory back. Collective; no rank uses it any more.
    pub fn close(&self) {
        drop(self.window.take());
    }
}

impl Drop for NodeMemory {
    /// Ranks need not drop what is in it at the same time.
    fn drop(&mut self) {
        mem::forget(self.window.take());
    }
}

/// Bytes of slots of each of as many ranks.
pub(super) fn bytes_among(ranks: usize) -> usize {
    Slots::part_bytes(slot_bytes(ranks))
}

/// Bytes of a slot where a node has this number of ranks.
fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}

/// Ranks that have met in a move that needs the memory keep it.
pub(super) fn given_back() -> Error {
    Error::Unavailable {
        what: format!("the way `{}`", Way::Chunks),
        reason: "its memory has been given back".into(),
    }
}
