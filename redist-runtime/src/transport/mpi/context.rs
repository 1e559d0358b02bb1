//! The state of all plans that are bound to one communicator, made by the first binding.

use super::communicator::OwnCommunicator;
use super::library::Library;
use super::meetings::Meetings;
use super::preflight::all_prepared;
use super::reports::{MAX_NODES, Reports};
use super::staging::NodeMemory;
use super::tags::{TaggedCommunicator, Tags};
use super::window::Window;
use crate::error::Error;
use crate::transport::Options;
use crate::transport::nodes::Nodes;
use crate::transport::options::NEAR_PIECE_BYTES;
use crate::transport::slots::Slots;
use std::cell::{Cell, OnceCell, RefCell};
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Our communicator for the ranks of one of the user's, which keeps it as an attribute, and facts
/// found about these. Channels and arrays share it; the last owner frees it. An `Rc` cannot count
/// it, because a thread other than the plans' may free the communicator.
#[derive(Debug)]
pub struct Context {
    meetings: Meetings,
    memory: OnceCell<Option<NodeMemory>>,
    node: Result<OwnCommunicator, Error>,
    tags: Mutex<Tags>,
    nodes: OnceCell<Nodes>,
    /// Windows of shared arrays and plans, in the order of their making: the same on all ranks.
    windows: RefCell<Vec<KeptWindow>>,
    /// Counts this rank's shared arrays, and marks a call that moves elements. The thread that
    /// finalises MPI reads it, too.
    arrays: AtomicUsize,
    is_in_call: AtomicBool,
    /// The user's communicator was freed in such a call.
    closes_later: Cell<bool>,
}

#[derive(Debug)]
struct KeptWindow {
    id: u64,
    dropped: Option<Window>,
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
        let meetings = Meetings::new(communicator);
        let (memory, nodes, windows) = (OnceCell::new(), OnceCell::new(), RefCell::default());
        Ok(Arc::new(Self {
            meetings,
            memory,
            node,
            tags,
            nodes,
            windows,
            arrays: AtomicUsize::new(0),
            is_in_call: AtomicBool::new(false),
            closes_later: Cell::new(false),
        }))
    }

    /// Checks that all ranks set something up now. Collective. Fails on every rank if some do not,
    /// and then no call can be made any more. Fails if this rank is in a call that moves elements.
    pub(super) fn set_up(&self) -> Result<(), Error> {
        self.check_call()?;
        self.meetings.meet()?;
        self.free_windows()
    }

    pub(super) fn note_window(&self, id: u64) {
        self.windows.borrow_mut().push(KeptWindow { id, dropped: None });
    }

    /// Keeps a dropped window, because freeing it would wait for the other ranks.
    pub(super) fn drop_window(&self, id: u64, window: Window) {
        let mut windows = self.windows.borrow_mut();
        match windows.iter_mut().find(|other| other.id == id) {
            Some(kept) => kept.dropped = Some(window),
            None => mem::forget(window),
        }
    }

    pub(super) fn note_array(&self) {
        self.arrays.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn drop_array(&self) {
        self.arrays.fetch_sub(1, Ordering::Relaxed);
    }

    /// Begins a call that reads the arrays of a move. They stay until the call
    /// [ends](Self::end_call), even if the caller's function or another thread frees them. Fails
    /// within such a call. On the thread of the plans, like the next.
    pub(super) fn begin_call(&self) -> Result<(), Error> {
        self.check_call()?;
        self.is_in_call.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn check_call(&self) -> Result<(), Error> {
        match self.is_in_call.load(Ordering::Relaxed) {
            true => Err(Error::within_another(self.communicator().rank())),
            false => Ok(()),
        }
    }

    /// Ends it, and performs the frees delayed meanwhile.
    pub(super) fn end_call(&self) {
        self.is_in_call.store(false, Ordering::Relaxed);
        if self.closes_later.get() {
            self.close();
        }
    }

    /// Names something of this rank that goes with MPI and that it still uses.
    pub(super) fn in_use(&self) -> Option<&'static str> {
        if self.arrays.load(Ordering::Relaxed) > 0 {
            return Some("a shared array lives");
        }
        self.is_in_call.load(Ordering::Relaxed).then_some("a move is under way")
    }

    pub(super) fn free_windows(&self) -> Result<(), Error> {
        let mut windows = self.windows.borrow_mut();
        if windows.is_empty() {
            return Ok(());
        }
        let mut dropped: Vec<u64> =
            windows.iter().map(|window| u64::from(window.dropped.is_some())).collect();
        self.communicator().minima_of(&mut dropped)?;
        for (window, by_all) in windows.iter_mut().zip(&dropped) {
            drop(window.dropped.take_if(|_| *by_all != 0));
        }
        let mut by_all = dropped.into_iter();
        windows.retain(|_| by_all.next() == Some(0));
        Ok(())
    }

    pub(super) fn meetings(&self) -> &Meetings {
        &self.meetings
    }

    pub(super) fn communicator(&self) -> &OwnCommunicator {
        self.meetings.communicator()
    }

    /// Returns the ranks of this rank's node, in their order.
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

    /// Returns `true` if all ranks are on one node: the same on all.
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
        if self.is_one_node() && self.memory.get().is_none() {
            let names = (0..self.communicator().size()).collect();
            let made = NodeMemory::new(self.communicator(), self.node()?, names)?.map(|made| {
                let (memory, ballots) = made;
                self.meetings.vote_in(ballots);
                memory
            });
            let _ = self.memory.set(made);
        }
        Ok(self.slots())
    }

    pub(super) fn slots(&self) -> Option<&Slots> {
        self.memory.get()?.as_ref()?.slots()
    }

    /// Lets the ranks of each node vote in memory, and nodes exchange reports, if there are several
    /// and all have memory. The same on all ranks, and collective on the first call.
    pub(super) fn vote_over_nodes(&self) -> Result<(), Error> {
        if self.is_one_node() || self.memory.get().is_some() {
            return Ok(());
        }
        let own = self.communicator();
        // If the library fails here, it fails on all ranks.
        let made = match self.nodes() {
            Ok(nodes) if nodes.count() <= MAX_NODES => {
                let names = nodes.members(nodes.of(own.rank())).to_vec();
                NodeMemory::new(own, self.node()?, names)?
            }
            _ => None,
        };
        let (memory, ballots) = made.unzip();
        let _ = self.memory.set(memory);
        if let Some(ballots) = ballots {
            self.meetings.vote_over_nodes(ballots, Reports::new(own.again()?, self.nodes()?));
        }
        Ok(())
    }

    /// Returns `true` if ranks vote before they send, to unpack messages while they arrive.
    pub(super) fn votes_first(&self) -> bool {
        self.meetings.reports().is_some() && Library::linked().ends_with_messages_left
    }

    /// Frees that memory, and windows that all ranks have dropped; plans that used it send messages
    /// from then on. Collective; a rank in a call that reads it frees it at the end of the call.
    pub(super) fn close(&self) {
        let is_busy = self.is_in_call.load(Ordering::Relaxed);
        self.closes_later.set(is_busy);
        if is_busy {
            return;
        }
        if let Some(Some(memory)) = self.memory.get() {
            self.meetings.close();
            memory.close();
        }
        let _ = self.free_windows();
    }

    /// Frees all windows before all ranks finalise MPI: contexts in the order in which ranks made
    /// them. Open MPI 4.1 frees windows in `MPI_Finalize` by numbers, which differ between ranks,
    /// and waits for ever.
    pub(super) fn free_at_the_end(&self) {
        if let Some(Some(memory)) = self.memory.get() {
            self.meetings.leave_memory();
            memory.close();
        }
        self.windows.take().into_iter().for_each(|window| drop(window.dropped));
    }

    /// Returns a channel's communicator, with a tag of its own up to `max_tags`. Collective.
    pub(super) fn tagged(&self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).next(max_tags)
    }
}

impl Drop for Context {
    /// Leaves windows until MPI is finalised, because ranks free them together.
    fn drop(&mut self) {
        for window in self.windows.get_mut() {
            mem::forget(window.dropped.take());
        }
    }
}
