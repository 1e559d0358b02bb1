//! The state of all plans of a list of processes: their communicator, the memory of their nodes, the
//! order of their calls. It outlives communicators of the user's, and serves later ones.

use super::array_memory::ArrayMemory;
use super::communicator::OwnCommunicator;
use super::forgotten::ForgottenMoves;
use super::life::check_that_mpi_is_there;
use super::node::NodePages;
use super::node_slots::{NodeSlots, RingLength, Rings};
use super::tags::{TaggedCommunicator, Tags};
use super::vote::Agreements;
use crate::error::Error;
use crate::transport::Options;
use crate::transport::nodes::Nodes;
use crate::transport::options::NEAR_SEGMENT_BYTES;
use crate::transport::slots::Slots;
use crate::transport::sync::lock;
use crate::transport::wire::{PREFLIGHT_WORDS, array_head, read_array_head};
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

/// The state that all plans of a list of processes share. A context serves one communicator of the
/// user's at a time, so that moves of two communicators may be in different orders on their ranks.
///
/// Other threads than that of its users may read its numbers, ask it for a use
/// ([`of_this_thread`](ContextUse::of_this_thread)), and drop it as its last owner.
#[derive(Debug)]
pub struct Context {
    pub(super) agreements: Agreements,
    pub(super) pages: Arc<NodePages>,
    /// The short ring of slots, and the long one.
    slots: [OnceCell<Option<NodeSlots>>; 2],
    /// Shared arrays that some rank has, in the order of their making: the same on all ranks.
    arrays: RefCell<Vec<Arc<ArrayMemory>>>,
    /// The number of shared arrays made, of which each has its own.
    made: Cell<u64>,
    tags: Mutex<Tags>,
    /// Moves under way whose plans are dropped. They use the context, which serves no other
    /// communicator until they have ended.
    pub(super) forgotten: ForgottenMoves,
    /// A call that moves elements is under way.
    is_in_call: Cell<bool>,
    /// The thread of its users.
    thread: Mutex<ThreadId>,
    /// Plans, shared arrays, couplings and calls of this rank that use it.
    users: AtomicUsize,
    /// Counts the communicators that it has served: the same on all ranks.
    lease: AtomicU64,
}

impl Context {
    /// Makes the context of a communicator of ours. Collective.
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "other threads use it as its docs say, and else only count it"
    )]
    pub(super) fn on(communicator: OwnCommunicator) -> Result<Arc<Self>, Error> {
        let communicator = Arc::new(communicator);
        let tags = Mutex::new(Tags::of(Arc::clone(&communicator))?);
        let pages = Arc::new(NodePages::new(&communicator)?);
        Ok(Arc::new(Self {
            agreements: Agreements::new(communicator),
            pages,
            slots: Default::default(),
            arrays: RefCell::default(),
            made: Cell::new(0),
            tags,
            forgotten: ForgottenMoves::default(),
            is_in_call: Cell::new(false),
            thread: Mutex::new(thread::current().id()),
            users: AtomicUsize::new(0),
            lease: AtomicU64::new(0),
        }))
    }

    /// Checks that all ranks set something up now, and returns the least of each of their numbers.
    /// Collective. Fails on every rank if some do not, and from then on no call can be made. Fails
    /// if this rank is in a call that moves elements.
    pub fn set_up(&self, numbers: &mut [u64; PREFLIGHT_WORDS]) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        self.check_call()?;
        self.forgotten.end_some();
        match self.pages.far() {
            None => self.pages.meet()?,
            Some(_) => {
                self.agreements.meet(self.pages.set_up()?, || self.pages.serve_together())?
            }
        }
        self.communicator().minima_of(numbers)
    }

    /// Checks that all ranks make an array in shared memory now. Collective. Fails where
    /// [`set_up`](Self::set_up) fails.
    pub fn set_up_array(&self) -> Result<(), Error> {
        let mut numbers = array_head();
        self.set_up(&mut numbers)?;
        self.check_array(&numbers)
    }

    /// Fails if some rank binds a plan, by the least numbers of all ranks.
    pub(super) fn check_array(&self, least: &[u64; PREFLIGHT_WORDS]) -> Result<(), Error> {
        let rank = self.communicator().rank();
        match read_array_head(least).map_err(|error| error.told_by(rank))? {
            true => Ok(()),
            false => Err(Error::DifferentMoves { rank }),
        }
    }

    /// Begins a call that reads the arrays of a move. Fails within such a call.
    pub(super) fn begin_call(&self) -> Result<(), Error> {
        self.check_call()?;
        self.forgotten.end_some();
        self.is_in_call.set(true);
        Ok(())
    }

    fn check_call(&self) -> Result<(), Error> {
        match self.is_in_call.get() {
            true => Err(Error::within_another(self.communicator().rank())),
            false => Ok(()),
        }
    }

    pub(super) fn end_call(&self) {
        self.is_in_call.set(false);
    }

    pub(super) fn communicator(&self) -> &OwnCommunicator {
        self.agreements.communicator()
    }

    /// Returns the ranks of this node, as the system sees it.
    pub(super) fn node(&self) -> &OwnCommunicator {
        self.pages.node()
    }

    /// Returns the nodes of all ranks: the same on all.
    pub(super) fn nodes(&self) -> &Nodes {
        self.pages.nodes()
    }

    pub(super) fn is_one_node(&self) -> bool {
        self.nodes().count() == 1
    }

    /// Returns the bytes of the longest segment to a rank. Between nodes it is the eager limit by
    /// default, so that links do not idle between segments.
    pub(super) fn segment_bytes(&self, options: &Options, rank: usize) -> usize {
        let is_here = self.pages.is_here(rank);
        let usual = if is_here { NEAR_SEGMENT_BYTES } else { unasked_bytes() };
        options.max_message_bytes.unwrap_or(usual)
    }

    /// Returns memory that the ranks of a node move arrays through, if all nodes have it. Collective
    /// on the first call for a ring.
    pub(super) fn make_slots(&self, ring: RingLength) -> Option<&Slots> {
        let new = || {
            let rings = self.rings(self.node().size());
            NodeSlots::new(self.communicator(), self.node(), (rings, ring)).ok()
        };
        self.slots[ring as usize].get_or_init(new).as_ref().map(NodeSlots::slots)
    }

    /// Returns the sizes of rings on a node of so many ranks.
    pub(super) fn rings(&self, ranks: usize) -> Rings {
        Rings::of(ranks, self.pages.second_cache())
    }

    pub(super) fn slots(&self, ring: RingLength) -> Option<&Slots> {
        self.slots[ring as usize].get()?.as_ref().map(NodeSlots::slots)
    }

    pub(super) fn tagged(&self, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        lock(&self.tags).next(max_tags)
    }

    /// Notes an array that all ranks have made, and returns its number from 1 on: the same on all.
    pub(super) fn note_array(&self, array: &Arc<ArrayMemory>) -> u64 {
        self.forget_arrays();
        self.made.set(self.made.get() + 1);
        array.note_number(self.made.get());
        self.arrays.borrow_mut().push(Arc::clone(array));
        self.made.get()
    }

    /// Forgets the arrays that all ranks have dropped: this rank unmaps them.
    pub(super) fn forget_arrays(&self) {
        self.arrays.borrow_mut().retain(|array| !array.is_dropped_by_all());
    }

    /// Returns a rank's part of a shared array that some rank still has; an empty part for number
    /// 0.
    pub(super) fn part(&self, array: u64, rank: usize) -> *const [u8] {
        let arrays = self.arrays.borrow();
        let found = arrays.iter().find(|found| array != 0 && found.number() == array);
        let (start, len) = found.map_or(([].as_mut_ptr(), 0), |found| found.part(rank));
        ptr::slice_from_raw_parts(start.cast_const(), len)
    }

    /// Returns the number of communicators that it has served.
    pub(super) fn lease(&self) -> u64 {
        self.lease.load(Ordering::Relaxed)
    }

    /// Begins to serve another communicator, as all ranks have agreed.
    pub(super) fn serve_next(&self) -> u64 {
        self.lease.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Publishes to this node's ranks that this rank has made its last call.
    pub(super) fn end_here(&self) {
        self.pages.end();
    }

    /// Publishes the same to the ranks of other nodes.
    pub(super) fn end_elsewhere(&self, does_mpi_go_on: bool) {
        self.pages.end_elsewhere(does_mpi_go_on);
    }

    /// Returns `true` if a plan, an array, a coupling or a call uses it.
    pub(super) fn is_used(&self) -> bool {
        self.users.load(Ordering::Acquire) > 0
    }
}

/// One user's share of a context: only its thread has such shares.
#[derive(Debug)]
pub struct ContextUse(Arc<Context>);

impl ContextUse {
    /// Begins to use a context on this thread. `None` if another thread uses it.
    pub(super) fn of_this_thread(context: &Arc<Context>) -> Option<Self> {
        let (mut thread, this) = (lock(&context.thread), thread::current().id());
        if *thread != this {
            // Acquire: what the users of the other thread did is visible then.
            if context.is_used() {
                return None;
            }
            *thread = this;
        }
        context.users.fetch_add(1, Ordering::Relaxed);
        Some(Self(Arc::clone(context)))
    }

    /// Returns `true` if no other user has the context.
    pub(super) fn is_only(&self) -> bool {
        self.0.users.load(Ordering::Acquire) == 1
    }

    /// Returns the context, to be kept without a use.
    pub(super) fn shared(&self) -> &Arc<Context> {
        &self.0
    }

    /// Returns `true` if both are uses of one context.
    pub(super) fn is_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Clone for ContextUse {
    fn clone(&self) -> Self {
        self.0.users.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

impl Drop for ContextUse {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::Release);
    }
}

impl Deref for ContextUse {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.0
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
