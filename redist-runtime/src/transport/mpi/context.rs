//! The state of all plans that are bound to one communicator, made by the first binding.

use super::communicator::OwnCommunicator;
use super::lasting::{self, Lasting};
use super::library::Library;
use super::meetings::Meetings;
use super::node::NodePages;
use super::preflight::all_prepared;
use super::reports::{MAX_NODES, Reports};
use super::staging::NodeMemory;
use super::tags::{TaggedCommunicator, Tags};
use crate::error::Error;
use crate::transport::Options;
use crate::transport::nodes::Nodes;
use crate::transport::options::NEAR_PIECE_BYTES;
use crate::transport::slots::Slots;
use std::cell::{Cell, OnceCell};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

/// Our communicator for the ranks of one of the user's, which keeps it as an attribute, and facts
/// found about these. Channels and arrays share it; the last owner frees it. An `Rc` cannot count
/// it, because a thread other than the plans' may free the communicator.
#[derive(Debug)]
pub struct Context {
    lasting: Arc<Lasting>,
    node: Result<OwnCommunicator, Error>,
    tags: Mutex<Tags>,
    nodes: OnceCell<Nodes>,
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
        let node = communicator.node();
        let communicator = Arc::new(communicator);
        let tags = Mutex::new(Tags::of(Arc::clone(&communicator))?);
        let (lasting, closes_later) = (Arc::new(Lasting::new(communicator)), Cell::new(false));
        Ok(Arc::new(Self { lasting, node, tags, nodes: OnceCell::new(), closes_later }))
    }

    /// Checks that all ranks set something up now. Collective. Fails on every rank if some do not,
    /// and then no call can be made any more. Fails if this rank is in a call that moves elements.
    pub(super) fn set_up(&self) -> Result<(), Error> {
        self.check_call()?;
        self.lasting.meet()?;
        self.lasting.free_windows()
    }

    pub(super) fn lasting(&self) -> &Arc<Lasting> {
        &self.lasting
    }

    pub(super) fn note_array(&self) {
        self.lasting.arrays.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn drop_array(&self) {
        self.lasting.arrays.fetch_sub(1, Ordering::Relaxed);
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

    pub(super) fn meetings(&self) -> &Meetings {
        &self.lasting.meetings
    }

    pub(super) fn communicator(&self) -> &OwnCommunicator {
        self.meetings().communicator()
    }

    pub(super) fn node(&self) -> Result<&OwnCommunicator, Error> {
        self.node.as_ref().map_err(Error::clone)
    }

    /// Returns the nodes of all ranks: the same on all. Collective on the first call.
    pub(super) fn nodes(&self) -> Result<&Nodes, Error> {
        if self.nodes.get().is_none() {
            let (own, node) = (self.communicator(), self.node());
            all_prepared(own, node.as_ref().err())?;
            let [lowest] = node?.minima([own.rank() as u64])?;
            let mut of_all = vec![u64::MAX / 2; own.size()];
            of_all[own.rank()] = lowest;
            own.minima_of(&mut of_all)?;
            // No code above fills the cell.
            let _ = self.nodes.set(Nodes::new(&of_all));
        }
        Ok(self.nodes.get().expect("set just now"))
    }

    pub(super) fn is_one_node(&self) -> bool {
        self.node.as_ref().is_ok_and(|node| node.size() == self.communicator().size())
    }

    /// Returns `true` if a rank is known to be on the same node: see [`nodes`](Self::nodes).
    pub(super) fn is_near(&self, rank: usize) -> bool {
        let own = self.communicator().rank();
        let is_same = |nodes: &Nodes| nodes.of(rank) == nodes.of(own);
        self.is_one_node() || self.nodes.get().is_some_and(is_same)
    }

    /// Returns the bytes of the longest segment on the same node and to another: by default there
    /// the eager limit, so that links do not idle between segments. Collective on the first call.
    pub(super) fn piece_bytes(&self, options: &Options) -> [usize; 2] {
        if !self.is_one_node() {
            // Segments depend on it. If the library fails here, it fails on all ranks.
            let _ = self.nodes();
        }
        [NEAR_PIECE_BYTES, Library::linked().unasked_bytes]
            .map(|usual| options.max_message_bytes.unwrap_or(usual))
    }

    /// Returns shared memory to move arrays through, if all ranks are on one node and the library
    /// has it. The same on all ranks, and collective on the first call.
    pub(super) fn make_slots(&self) -> Result<Option<&Slots>, Error> {
        if self.pages().is_some() && self.lasting.memory.get().is_none() {
            let made = NodeMemory::for_slots(self.communicator(), self.node()?)?;
            let _ = self.lasting.memory.set(made);
        }
        Ok(self.slots())
    }

    /// Makes the board of the ranks, if all are on one node. Collective on the first call.
    pub(super) fn make_pages(&self) -> Result<(), Error> {
        self.lasting.set_pages(&self.node)
    }

    pub(super) fn pages(&self) -> Option<&Arc<NodePages>> {
        self.lasting.pages()
    }

    pub(super) fn slots(&self) -> Option<&Slots> {
        self.lasting.memory.get()?.as_ref()?.slots()
    }

    /// Lets the ranks of each node vote in memory, and nodes exchange reports, if there are several
    /// and all have memory. The same on all ranks, and collective on the first call.
    pub(super) fn vote_over_nodes(&self) -> Result<(), Error> {
        if self.is_one_node() || self.lasting.memory.get().is_some() {
            return Ok(());
        }
        let own = self.communicator();
        // If the library fails here, it fails on all ranks.
        let made = match self.nodes() {
            Ok(nodes) if nodes.count() <= MAX_NODES => {
                let names = nodes.members(nodes.of(own.rank())).to_vec();
                NodeMemory::for_votes(own, self.node()?, names)?
            }
            _ => None,
        };
        let (memory, ballots) = made.unzip();
        let _ = self.lasting.memory.set(memory);
        if let Some(ballots) = ballots {
            self.meetings().vote_over_nodes(ballots, Reports::new(own.again()?, self.nodes()?));
        }
        Ok(())
    }

    /// Returns `true` if ranks vote before they send, to unpack messages while they arrive.
    pub(super) fn votes_first(&self) -> bool {
        self.meetings().reports().is_some() && Library::linked().ends_with_messages_left
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
        match self.pages() {
            Some(pages) => {
                let is_used = pages.has_plans() || self.lasting.has_arrays();
                let [none_is_used] = self.communicator().minima([u64::from(!is_used)])?;
                if none_is_used != 0 {
                    self.lasting.memory.get().into_iter().flatten().for_each(NodeMemory::close);
                    pages.close();
                }
            }
            None => {
                if let Some(Some(memory)) = self.lasting.memory.get() {
                    self.meetings().close();
                    memory.close();
                }
            }
        }
        Ok(())
    }

    pub(super) fn tagged(&self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).next(max_tags)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        lasting::forget_freed(&self.lasting);
    }
}
