//! What all plans that are bound to one communicator share, made when the first of them is bound.

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

/// A communicator of our own for the ranks of one of the user's, and what was found out about
/// these.
///
/// It is kept on the user's communicator as an attribute, and shared with channels and arrays; it
/// ends with the last of them all. It is not counted by `Rc`, since a communicator may be freed on
/// another thread than a plan was bound on.
#[derive(Debug)]
pub struct Context {
    /// What all ranks do together, in one order.
    meetings: Meetings,
    /// Memory that the ranks of this node share, once a plan has asked for it.
    memory: OnceCell<Option<NodeMemory>>,
    /// The ranks that share memory with this one, in their order; or why the library cannot tell.
    node: Result<OwnCommunicator, Error>,
    tags: Mutex<Tags>,
    /// The nodes of all ranks, once a plan has asked for them.
    nodes: OnceCell<Nodes>,
    /// The windows of shared arrays and of plans, in the order in which they were made: the same on all ranks.
    windows: RefCell<Vec<KeptWindow>>,
    /// Shared arrays of this rank, and whether it is in a call that moves something: looked at by the
    /// thread that finalises MPI, too.
    arrays: AtomicUsize,
    is_in_call: AtomicBool,
    /// Whether the user's communicator was freed in such a call.
    closes_later: Cell<bool>,
}

/// A window of a shared array or a plan, until all ranks have dropped theirs.
#[derive(Debug)]
struct KeptWindow {
    id: u64,
    /// Once this rank has.
    dropped: Option<Window>,
}

impl Context {
    /// The context of a communicator that is ours. Collective.
    ///
    /// # Errors
    /// What the library says.
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

    /// Whether all ranks set something up now, as they say by calling this. Collective.
    ///
    /// # Errors
    /// Some do not, and so no call can be made any more: the same on every rank. Or this rank is in
    /// a call that moves something, so that the others are not here.
    pub(super) fn set_up(&self) -> Result<(), Error> {
        self.check_call()?;
        self.meetings.meet()?;
        self.free_windows()
    }

    /// Notes that all ranks have made a window of an array or of a plan.
    pub(super) fn note_window(&self, id: u64) {
        self.windows.borrow_mut().push(KeptWindow { id, dropped: None });
    }

    /// Takes a window that this rank has dropped. To free it now would wait for the others to drop
    /// theirs.
    pub(super) fn drop_window(&self, id: u64, window: Window) {
        let mut windows = self.windows.borrow_mut();
        match windows.iter_mut().find(|other| other.id == id) {
            Some(kept) => kept.dropped = Some(window),
            None => mem::forget(window),
        }
    }

    /// Counts a shared array of this rank.
    pub(super) fn note_array(&self) {
        self.arrays.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one less.
    pub(super) fn drop_array(&self) {
        self.arrays.fetch_sub(1, Ordering::Relaxed);
    }

    /// Begins a call that reads what ranks bring to a move: that stays until the call
    /// [ends](Self::end_call), whatever the caller's function, or another thread, gives back. On the
    /// thread of the plans, like the next.
    ///
    /// # Errors
    /// This rank is in such a call.
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

    /// Ends it, and gives back what was to be given back meanwhile.
    pub(super) fn end_call(&self) {
        self.is_in_call.store(false, Ordering::Relaxed);
        if self.closes_later.get() {
            self.close();
        }
    }

    /// What this rank has that goes with MPI, and that it uses still.
    pub(super) fn in_use(&self) -> Option<&'static str> {
        if self.arrays.load(Ordering::Relaxed) > 0 {
            return Some("a shared array lives");
        }
        self.is_in_call.load(Ordering::Relaxed).then_some("a move is under way")
    }

    /// Frees the windows that all ranks have dropped. Collective.
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

    /// What all ranks do together, in one order.
    pub(super) fn meetings(&self) -> &Meetings {
        &self.meetings
    }

    /// For what all ranks do together.
    pub(super) fn communicator(&self) -> &OwnCommunicator {
        self.meetings.communicator()
    }

    /// The ranks that share memory with this one, in their order.
    ///
    /// # Errors
    /// What the library said when it was asked.
    pub(super) fn node(&self) -> Result<&OwnCommunicator, Error> {
        self.node.as_ref().map_err(Error::clone)
    }

    /// Which ranks share memory: the same on all. Collective when asked for the first time.
    pub(super) fn nodes(&self) -> Result<&Nodes, Error> {
        if self.nodes.get().is_none() {
            let (own, node) = (self.communicator(), self.node());
            all_prepared(own, node.as_ref().err())?;
            let [lowest] = node?.minima([own.rank() as u64])?;
            let mut of_all = vec![u64::MAX / 2; own.size()];
            of_all[own.rank()] = lowest;
            own.minima_of(&mut of_all)?;
            // It is still empty: nothing above sets it.
            let _ = self.nodes.set(Nodes::new(&of_all));
        }
        Ok(self.nodes.get().expect("set just now"))
    }

    /// Whether all ranks are on one node: the same on all.
    pub(super) fn is_one_node(&self) -> bool {
        self.node.as_ref().is_ok_and(|node| node.size() == self.communicator().size())
    }

    /// Whether a rank shares memory with this one, where it is known which do: see
    /// [`nodes`](Self::nodes).
    pub(super) fn is_near(&self, rank: usize) -> bool {
        let own = self.communicator().rank();
        let is_same = |nodes: &Nodes| nodes.of(rank) == nodes.of(own);
        self.is_one_node() || self.nodes.get().is_some_and(is_same)
    }

    /// Bytes of the longest piece of a message within a node, and to another one, where the options do
    /// not say it: to another node what the library sends without asking the receiver, so that links do
    /// not stand idle between pieces. Collective when called for the first time.
    pub(super) fn piece_bytes(&self, options: &Options) -> [usize; 2] {
        if !self.is_one_node() {
            // Messages are cut by it. Where the library cannot tell, it cannot on all ranks.
            let _ = self.nodes();
        }
        [NEAR_PIECE_BYTES, Library::linked().unasked_bytes]
            .map(|usual| options.max_message_bytes.unwrap_or(usual))
    }

    /// Shared memory to move arrays through, where all ranks are on one node and the library has
    /// it. The same on all ranks, and collective when asked for the first time.
    pub(super) fn make_slots(&self) -> Result<Option<&Slots>, Error> {
        if self.is_one_node() && self.memory.get().is_none() {
            let names = (0..self.communicator().size()).collect();
            let made = NodeMemory::new(self.communicator(), self.node()?, names)?.map(|made| {
                let (memory, ballots) = made;
                self.meetings.vote_in(ballots);
                memory
            });
            // It is still empty: nothing above sets it.
            let _ = self.memory.set(made);
        }
        Ok(self.slots())
    }

    /// That memory, if it has been made and has not been given back. Local.
    pub(super) fn slots(&self) -> Option<&Slots> {
        self.memory.get()?.as_ref()?.slots()
    }

    /// Has the ranks of each node vote in memory, and nodes tell each other, where there are several
    /// and all have memory. The same on all ranks, and collective when asked for the first time.
    pub(super) fn vote_over_nodes(&self) -> Result<(), Error> {
        if self.is_one_node() || self.memory.get().is_some() {
            return Ok(());
        }
        let own = self.communicator();
        // Where the library cannot tell, it cannot on all ranks.
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

    /// Whether ranks vote before they send messages, so that these are unpacked while they arrive.
    pub(super) fn votes_first(&self) -> bool {
        self.meetings.reports().is_some() && Library::linked().ends_with_messages_left
    }

    /// Gives that memory back, and windows that all ranks have dropped; plans that moved arrays through
    /// it send messages from then on. Collective; a rank in a call that reads it does so when that ends.
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
        // An error has no place to be told.
        let _ = self.free_windows();
    }

    /// A communicator for a channel, with a tag of its own up to `max_tags`. Collective: all ranks
    /// count alike.
    pub(super) fn tagged(&self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).next(max_tags)
    }
}

impl Drop for Context {
    /// Windows are freed together on all ranks, which need not come here at the same time: what is
    /// left stays until MPI is finalised.
    fn drop(&mut self) {
        for window in self.windows.get_mut() {
            mem::forget(window.dropped.take());
        }
    }
}
