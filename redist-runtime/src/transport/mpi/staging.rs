//! Memory of the ranks of a node, in a window of MPI, through which they move arrays: chunks stay in
//! a cache ([`Slots`]). Unsafe, because the memory is the library's.

use super::communicator::OwnCommunicator;
use super::window::{Window, WindowParts};
use crate::error::Error;
use crate::transport::slots::{MAX_SLOT_BYTES, PAGE, SLOTS, Slots};
use std::cell::RefCell;

/// Bytes of all chunks of a node with many ranks: the chunks that a rank writes and reads should
/// stay in its second cache. With few ranks, slots have the maximal length.
const NODE_BYTES: usize = 32 << 20;

/// The shortest chunk that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Memory that the ranks of a node share, until they free it together, or MPI is finalised.
#[derive(Debug)]
pub(super) struct NodeMemory {
    slots: Slots,
    window: RefCell<Option<Window>>,
}

impl NodeMemory {
    /// Makes slots for the ranks of each node. `None` if a rank of any has no memory. Collective.
    pub fn for_slots(all: &OwnCommunicator, node: &OwnCommunicator) -> Result<Option<Self>, Error> {
        let slot = slot_bytes(node.size());
        let bytes = Slots::part_bytes(slot, node.size());
        // SAFETY: each part has that many bytes from a multiple of a page on. It is in a window of
        // these ranks alone, all of which come here. The window is closed when no rank has a plan
        // of them any more (`Context::close`), and forgotten otherwise. Chunks do not outlive
        // moves, in which MPI is not finalised (`Lasting::in_use`), and no move begins after. No
        // rank goes on before all have met in `on_pages`, the window synchronised.
        let slots = |parts: WindowParts| unsafe {
            Slots::new(slot, parts.into_iter().map(|(part, _)| part).collect(), node.rank())
        };
        let Ok((window, slots)) = Window::on_pages(all, node, bytes, slots) else {
            return Ok(None);
        };
        Ok(Some(Self { slots, window: RefCell::new(Some(window)) }))
    }

    pub fn slots(&self) -> Option<&Slots> {
        self.is_open().then_some(&self.slots)
    }

    pub fn is_open(&self) -> bool {
        self.window.borrow().is_some()
    }

    pub fn close(&self) {
        self.window.take().into_iter().for_each(Window::free);
    }
}

pub(super) fn bytes_among(ranks: usize) -> usize {
    Slots::part_bytes(slot_bytes(ranks), ranks)
}

fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}
