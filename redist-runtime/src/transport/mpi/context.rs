//! The state of all plans that are bound to one communicator, made by the first binding.

use super::communicator::OwnCommunicator;
use super::lasting::{self, Lasting, NodeMemory};
use super::tags::{TaggedCommunicator, Tags};
use crate::error::Error;
use crate::transport::Options;
use crate::transport::nodes::Nodes;
use crate::transport::options::NEAR_PIECE_BYTES;
use crate::transport::slots::Slots;
use crate::transport::sync::lock;
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Our communicator for the ranks of one of the user's, which keeps it as an attribute, and facts
/// found about these. Channels and arrays share it; the last owner frees it. An `Rc` cannot count
/// it, because a thread other than the plans' may free the communicator.
#[derive(Debug)]
pub struct Context {
    pub(super) lasting: Arc<Lasting>,
    node: Result<OwnCommunicator, Error>,
    tags: Mutex<Tags>,
    /// The user's communicator was freed in a call that moves elements.
    closes_later: Cell<bool>,
}

impl Context {
    /// Makes the context of a communicator of ours. Collective.
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "what counts it may run on another thread, and only counts"
    )]
    pub(super) fn on(communicator: OwnCommunicator) -> Result<Arc<Self>, Error> {
        let node = communicator.check(communicator.split_shared(communicator.rank()));
        let node = node.map(OwnCommunicator::adopt);
        let communicator = Arc::new(communicator);
        let tags = Mutex::new(Tags::of(Arc::clone(&communicator))?);
        let (lasting, closes_later) = (Arc::new(Lasting::new(communicator)), Cell::new(false));
        Ok(Arc::new(Self { lasting, node, tags, closes_later }))
    }

    /// Checks that all ranks set something up now. Collective. Fails on every rank if some do not,
    /// and then no call can be made any more. Fails if this rank is in a call that moves elements.
    pub(super) fn set_up(&self) -> Result<(), Error> {
        self.check_call()?;
        self.lasting.meet()?;
        self.lasting.free_windows()
    }

    /// Begins a call that reads the arrays of a move. They stay until the call
    /// [ends](Self::end_call), even if the caller's function or another thread frees them. Fails
    /// within such a call. On the thread of the plans, like the next.
    pub(super) fn begin_call(&self) -> Result<(), Error> {
        self.check_call()?;
        self.lasting.is_in_call.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn check_call(&self) -> Result<(), Error> {
        match self.lasting.is_in_call.load(Ordering::Relaxed) {
            true => Err(Error::within_another(self.communicator().rank())),
            false => Ok(()),
        }
    }

    /// Ends it, and performs the frees delayed meanwhile.
    pub(super) fn end_call(&self) {
        self.lasting.is_in_call.store(false, Ordering::Relaxed);
        if self.closes_later.get() {
            let _ = self.close();
        }
    }

    pub(super) fn communicator(&self) -> &OwnCommunicator {
        self.lasting.meetings.communicator()
    }

    pub(super) fn node(&self) -> Result<&OwnCommunicator, Error> {
        self.node.as_ref().map_err(Error::clone)
    }

    /// Returns the nodes of all ranks: the same on all. To be called when plans are bound.
    pub(super) fn nodes(&self) -> &Nodes {
        self.lasting.pages().expect("made when the first plan is bound").nodes()
    }

    pub(super) fn is_one_node(&self) -> bool {
        self.node.as_ref().is_ok_and(|node| node.size() == self.communicator().size())
    }

    /// Returns the bytes of the longest segment to a rank. Between nodes it is the eager limit by
    /// default, so that links do not idle between segments.
    pub(super) fn piece_bytes(&self, options: &Options, rank: usize) -> usize {
        let is_here = self.lasting.pages().is_none_or(|pages| pages.is_here(rank));
        let usual = if is_here { NEAR_PIECE_BYTES } else { unasked_bytes() };
        options.max_message_bytes.unwrap_or(usual)
    }

    /// Returns memory that the ranks of a node move arrays through, if all nodes have it. Collective
    /// on the first call.
    pub(super) fn make_slots(&self) -> Result<Option<&Slots>, Error> {
        if self.lasting.memory.get().is_none() {
            let made = NodeMemory::for_slots(self.communicator(), self.node()?);
            let _ = self.lasting.memory.set(made);
        }
        Ok(self.slots())
    }

    /// Makes the board of the ranks of each node. Collective on the first call.
    pub(super) fn make_pages(&self) -> Result<(), Error> {
        self.lasting.set_pages(&self.node)
    }

    pub(super) fn slots(&self) -> Option<&Slots> {
        self.lasting.memory.get()?.as_ref()?.slots()
    }

    /// Frees that memory, and windows that all ranks have dropped; plans that used it send messages
    /// from then on. Collective; a rank in a call that reads it frees it at the end of the call.
    pub(super) fn close(&self) -> Result<(), Error> {
        let is_busy = self.lasting.is_in_call.load(Ordering::Relaxed);
        self.closes_later.set(is_busy);
        if is_busy {
            return Ok(());
        }
        self.lasting.free_windows()?;
        let Some(pages) = self.lasting.pages() else { return Ok(()) };
        let is_used = pages.has_plans() || self.lasting.has_arrays();
        let [none_is_used] = self.communicator().minima([u64::from(!is_used)])?;
        if none_is_used != 0 {
            self.lasting.memory.get().into_iter().flatten().for_each(NodeMemory::close);
            pages.close();
        }
        Ok(())
    }

    pub(super) fn tagged(&self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        lock(&self.tags).next(max_tags)
    }
}

/// Returns the eager limit to another node, in bytes, less the library's heads: such a message is on
/// its way when the sending call returns. By TCP, Open MPI 4.1 has 64 KiB, and MPICH 4.0 over UCX
/// between 16 and 24 KiB; any other library counts as that, which asks for more care. The same on all
/// ranks of a job.
pub(super) fn unasked_bytes() -> usize {
    match redist_mpi::Library::get() {
        Ok(found) if found.version().starts_with("Open MPI") => 60 << 10,
        _ => 16 << 10,
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        lasting::forget_freed(&self.lasting);
    }
}
