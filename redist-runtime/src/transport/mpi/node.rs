//! The board of a node's processes: their calls, and their progress in the moves of each plan, in a
//! window of MPI. Unsafe, because the memory is the library's, and other processes use it.

use super::communicator::OwnCommunicator;
use super::far::FarRanks;
use super::life::{check_that_mpi_is_there, is_over};
use super::reason::{ENDED, REASON_WORDS, blame, read_reason, reason};
use super::tags::TaggedCommunicator;
use super::window::{Window, WindowParts};
use crate::error::Error;
use crate::transport::board::{Board, CollectiveCall, MoveProgress, ShownCall};
use crate::transport::nodes::Nodes;
use redist_mpi::Request;
use std::cell::RefCell;
use std::hint::spin_loop;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Plans of a communicator whose progress the memory holds at a time.
const PLANS: usize = 1024;

/// Looks of a waiting rank before it offers its core, and offers before the library progresses.
const LOOKS: usize = 30;
const OFFERS: usize = 16;

/// Returns the number of this thread's core, plus one; 0 if the system does not say.
fn this_core() -> u64 {
    #[cfg(target_os = "linux")]
    return rustix::thread::sched_getcpu() as u64 + 1;
    #[cfg(not(target_os = "linux"))]
    return 0;
}

#[derive(Debug, Default)]
#[repr(C, align(128))]
struct RankPage {
    call: ShownCall,
    ended: AtomicU64,
    /// The numbers of its last calls that set something up. Others may be so many behind, if calls
    /// fail.
    met: [AtomicU64; 8],
    /// On the first rank: the decision whether all ranks free the windows when MPI ends.
    freed: AtomicU64,
    /// The rank's core at its last call, plus one; 0 if the system does not say.
    core: AtomicU64,
}

const TOGETHER: u64 = 1;
const NEVER: u64 = 2;

#[derive(Debug, Default)]
pub(super) struct NodeArrays {
    /// Numbers of its shared arrays, or 0.
    pub source: AtomicU64,
    pub destination: AtomicU64,
    pub first: AtomicU64,
}

#[derive(Default)]
#[repr(C, align(128))]
struct PlanPage {
    progress: [MoveProgress<NodeArrays>; 2],
    reason: [AtomicU64; REASON_WORDS],
}

const PLANS_AT: usize = size_of::<RankPage>();
const BYTES: usize = PLANS_AT + PLANS * size_of::<PlanPage>();

/// The memory of a communicator's ranks on one node.
#[derive(Debug)]
pub(super) struct NodePages {
    /// The same on all ranks, and larger than in their earlier contexts.
    pub number: u64,
    communicator: Arc<OwnCommunicator>,
    nodes: Nodes,
    /// By place in the node.
    parts: Vec<*mut u8>,
    rank: usize,
    far: Option<FarRanks>,
    window: RefCell<Option<Window>>,
    /// The page of a rank whose node has no memory to share.
    _own: Vec<RankPage>,
    /// Set until the window is freed; the thread that finalises MPI reads it, too.
    is_open: AtomicBool,
    /// Places of plans: `None` if free, else `true` once this rank has dropped the plan.
    plans: RefCell<Vec<Option<bool>>>,
}

impl NodePages {
    /// Makes the memory. If a rank of any node has none, each rank is on a node of its own.
    /// Collective over all ranks.
    pub fn new(
        communicator: &Arc<OwnCommunicator>,
        node: &OwnCommunicator,
        number: u64,
    ) -> Result<Self, Error> {
        let rank = communicator.rank();
        let mut own = Vec::new();
        let parts = |parts: WindowParts| {
            let parts: Vec<*mut u8> = parts.into_iter().map(|(part, _)| part).collect();
            // SAFETY: this rank's part has `BYTES` bytes from a page on, and no other rank reads
            // them before all have met in `on_pages`, the window synchronised.
            unsafe { parts[node.rank()].cast::<RankPage>().write(RankPage::default()) };
            parts
        };
        let (window, parts, nodes) = match Window::on_pages(communicator, node, BYTES, parts) {
            Ok((window, parts)) => (Some(window), parts, nodes(communicator, node)?),
            Err(_) => {
                own.resize_with(BYTES.div_ceil(size_of::<RankPage>()), RankPage::default);
                let apart: Vec<u64> = (0..communicator.size() as u64).collect();
                (None, vec![own.as_mut_ptr().cast()], Nodes::new(&apart))
            }
        };
        let far = (nodes.count() > 1).then(|| FarRanks::new(communicator.again()?)).transpose()?;
        let (communicator, window) = (Arc::clone(communicator), RefCell::new(window));
        let (is_open, plans) = (AtomicBool::new(true), RefCell::default());
        Ok(Self {
            number,
            communicator,
            nodes,
            parts,
            rank,
            far,
            window,
            _own: own,
            is_open,
            plans,
        })
    }

    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Returns the ranks of this node.
    pub fn members(&self) -> &[usize] {
        self.nodes.members(self.nodes.of(self.rank))
    }

    pub fn is_here(&self, rank: usize) -> bool {
        self.nodes.of(rank) == self.nodes.of(self.rank)
    }

    /// Returns the calls of ranks on other nodes, if there are any.
    pub fn far(&self) -> Option<&FarRanks> {
        self.far.as_ref()
    }

    /// Answers ranks of other nodes, and lets the library make progress.
    pub fn serve(&self) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        match &self.far {
            Some(far) => far.serve(self.page(self.rank).call.get().number()),
            None => self.communicator.progress(),
        }
    }

    /// As [`serve`](Self::serve), in a call that all ranks make together. Fails if one makes another.
    pub fn serve_together(&self) -> Result<(), Error> {
        self.serve()?;
        let call = self.page(self.rank).call.get().number();
        self.far.as_ref().map_or(Ok(()), |far| far.check(call))
    }

    fn part(&self, rank: usize) -> *mut u8 {
        self.parts[self.nodes.place(rank)]
    }

    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Frees the window. Collective; no plan is left on any rank.
    pub fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
        self.window.take().into_iter().for_each(Window::free);
    }

    fn page(&self, rank: usize) -> &RankPage {
        assert!(self.is_open() && !is_over(), "the memory of the node is there");
        // SAFETY: `new` on that rank has put the page at the beginning of its part, which `parts`
        // points to. The window is there, as asserted, and all that changes is atomic.
        unsafe { &*self.part(rank).cast() }
    }

    fn plan(&self, rank: usize, place: usize) -> &PlanPage {
        assert!(self.is_open() && !is_over() && place < PLANS, "the memory of the node is there");
        // SAFETY: the place is inside of the part (`BYTES`), which is there, as asserted. Each rank
        // has written its page there (`open`) before any rank made a move of the plan, as ranks
        // meet at the end of the binding.
        unsafe { &*self.part(rank).add(PLANS_AT).cast::<PlanPage>().add(place) }
    }

    /// Takes the next place of a plan, and sets this rank's progress there to zero. All ranks have
    /// met to bind the plan, and meet again before its first move. Collective.
    pub fn open(&self) -> Result<usize, Error> {
        let place = match self.free_place() {
            Some(place) => place,
            None => {
                self.free_dropped()?;
                self.free_place().ok_or_else(|| Error::Unavailable {
                    what: "a plan on this communicator".into(),
                    reason: format!("{PLANS} plans are bound to it; drop some, or use a duplicate"),
                })?
            }
        };
        let mut plans = self.plans.borrow_mut();
        if place == plans.len() {
            plans.push(None);
        }
        plans[place] = Some(false);
        // SAFETY: the place is inside of this rank's part. No other rank reads it: ranks that have
        // had a plan there have dropped it, and those that bind this one meet before they move.
        unsafe {
            self.part(self.rank)
                .add(PLANS_AT)
                .cast::<PlanPage>()
                .add(place)
                .write(Default::default())
        };
        Ok(place)
    }

    fn free_place(&self) -> Option<usize> {
        let plans = self.plans.borrow();
        let free = plans.iter().position(Option::is_none).unwrap_or(plans.len());
        (free < PLANS).then_some(free)
    }

    /// Frees the places whose plans all ranks have dropped. Collective.
    fn free_dropped(&self) -> Result<(), Error> {
        let mut plans = self.plans.borrow_mut();
        let mut dropped: Vec<u64> =
            plans.iter().map(|plan| u64::from(*plan == Some(true))).collect();
        self.communicator.minima_of(&mut dropped)?;
        for (plan, dropped) in plans.iter_mut().zip(dropped) {
            *plan = plan.filter(|_| dropped == 0);
        }
        Ok(())
    }

    fn drop_plan(&self, place: usize) {
        self.plans.borrow_mut()[place] = Some(true);
    }

    pub fn has_plans(&self) -> bool {
        self.plans.borrow().contains(&Some(false))
    }

    fn begin(&self, opened: u64) -> Result<CollectiveCall, Error> {
        check_that_mpi_is_there()?;
        let shown = &self.page(self.rank).call;
        let call = shown.get().next(opened).ok_or_else(|| Error::Unavailable {
            what: format!("a further call of rank {}", self.rank),
            reason: "ranks number 2^40 calls at most; use a duplicate of the communicator".into(),
        })?;
        shown.show(call);
        let (core, noted) = (this_core(), &self.page(self.rank).core);
        // Written rarely, because other ranks read it.
        if noted.load(Ordering::Relaxed) != core {
            noted.store(core, Ordering::Relaxed);
        }
        Ok(call)
    }

    /// Returns the looks for a rank: none if it needs the core of this one. The number of cores does
    /// not show it, because ranks may be bound to any cores.
    fn looks(&self, rank: usize) -> usize {
        let core = this_core();
        let is_here = core != 0 && self.page(rank).core.load(Ordering::Relaxed) == core;
        if is_here { 0 } else { LOOKS }
    }

    /// Notes a call that sets something up, and returns its number.
    pub fn set_up(&self) -> Result<u64, Error> {
        self.begin(0).map(CollectiveCall::number)
    }

    /// Waits until all ranks of this node set something up by the same call.
    pub fn meet(&self) -> Result<(), Error> {
        let call = self.begin(0)?;
        let (number, ranks) = (call.number(), self.members().iter().copied());
        let own = &self.page(self.rank).met;
        let numbers =
            |rank: usize| self.page(rank).met.iter().map(|number| number.load(Ordering::Acquire));
        let oldest = own.iter().min_by_key(|number| number.load(Ordering::Relaxed));
        oldest.into_iter().for_each(|oldest| oldest.store(number, Ordering::Release));
        let is_behind = |rank: &usize| numbers(*rank).all(|met| met < number);
        self.wait(Some(call), &mut || ranks.clone().find(is_behind))?;
        match ranks.clone().all(|rank| numbers(rank).any(|met| met == number)) {
            true => Ok(()),
            false => Err(Error::DifferentMoves { rank: self.rank }),
        }
    }

    fn wait(
        &self,
        call: Option<CollectiveCall>,
        missing: &mut dyn FnMut() -> Option<usize>,
    ) -> Result<(), Error> {
        let mut offers = 0usize;
        while let Some(rank) = missing() {
            for _ in 0..self.looks(rank) {
                spin_loop();
                if missing().is_none() {
                    return Ok(());
                }
            }
            // Read before `missing` is asked anew: the effects of the rank's earlier calls, and of
            // its end, are visible then.
            let is_past = call.is_some_and(|call| self.page(rank).call.get().is_past(call));
            let has_ended = self.has_ended(rank);
            if (is_past || has_ended) && missing() == Some(rank) {
                return Err(match is_past {
                    true => Error::DifferentMoves { rank: self.rank },
                    false => Error::RankEnded { rank, how: ENDED.into(), here: self.rank },
                });
            }
            offers += 1;
            if offers.is_multiple_of(OFFERS) {
                // The rank may wait for a message that this one has begun to send.
                self.serve()?;
            }
            thread::yield_now();
        }
        Ok(())
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.page(rank).ended.load(Ordering::Acquire) != 0
    }

    /// Publishes that this rank makes no call any more. Any thread may call it, as the next three.
    pub fn end(&self) {
        if self.is_open() {
            self.page(self.rank).ended.store(1, Ordering::Release);
        }
    }

    /// Publishes it to partners on other nodes.
    pub fn end_elsewhere(&self) -> Vec<Request> {
        let far = self.far.as_ref().filter(|_| self.is_open());
        far.map_or_else(Vec::new, |far| far.end(self.page(self.rank).call.get().number()))
    }

    pub fn have_all_ended(&self) -> bool {
        !self.is_open() || self.members().iter().all(|rank| self.has_ended(*rank))
    }

    /// Decides for all ranks alike if they free the windows, as `Ballots::frees_memory`.
    pub fn frees_windows(&self, is_able: bool) -> bool {
        let wish = if is_able && self.have_all_ended() { TOGETHER } else { NEVER };
        let freed = &self.page(self.members()[0]).freed;
        match freed.compare_exchange(0, wish, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => wish == TOGETHER,
            Err(decided) => decided == TOGETHER,
        }
    }
}

/// Returns the nodes of all ranks: the same on all. Collective.
fn nodes(all: &OwnCommunicator, node: &OwnCommunicator) -> Result<Nodes, Error> {
    let [lowest] = node.minima([all.rank() as u64])?;
    let mut of_all = vec![u64::MAX / 2; all.size()];
    of_all[all.rank()] = lowest;
    all.minima_of(&mut of_all)?;
    Ok(Nodes::new(&of_all))
}

#[derive(Debug)]
pub(super) struct NodeBoard {
    pub pages: Arc<NodePages>,
    place: usize,
    opened: u64,
    /// The number of the plan among the context's.
    pub plan: u64,
}

impl NodeBoard {
    /// Opens the board of a plan that all ranks bind, whose messages go by a communicator, some to
    /// and from `far` ranks. Collective, as [`NodePages::open`].
    pub fn new(
        pages: &Arc<NodePages>,
        messages: &TaggedCommunicator,
        far: &[usize],
    ) -> Result<Self, Error> {
        let place = pages.open()?;
        // No rank of this node reads another's progress before it is zero.
        pages.meet()?;
        let opened = pages.page(pages.rank).call.get().number();
        if let Some(calls) = pages.far() {
            calls.open(messages, far.to_vec());
        }
        Ok(Self { pages: Arc::clone(pages), place, opened, plan: messages.number })
    }

    /// Returns the ranks of this node, by place, as [`place`](Self::place) says.
    pub fn members(&self) -> &[usize] {
        self.pages.members()
    }

    pub fn place(&self, rank: usize) -> usize {
        self.pages.nodes.place(rank)
    }
}

impl Board for NodeBoard {
    type Arrays = NodeArrays;
    const BUFFERS: usize = 2;

    fn ranks(&self) -> usize {
        self.pages.nodes.ranks()
    }

    fn is_here(&self, rank: usize) -> bool {
        self.pages.is_here(rank)
    }

    fn progress(&self, rank: usize, buffer: usize) -> &MoveProgress<NodeArrays> {
        &self.pages.plan(rank, self.place).progress[buffer]
    }

    fn begin(&self) -> Result<CollectiveCall, Error> {
        let call = self.pages.begin(self.opened)?;
        if let Some(far) = self.pages.far() {
            // Before this rank answers others, as it does while it waits.
            far.take_part(self.plan, call.number());
        }
        Ok(call)
    }

    fn last_call(&self, rank: usize) -> CollectiveCall {
        self.pages.page(rank).call.get()
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.pages.has_ended(rank)
    }

    fn notify(&self) {}

    fn looks(&self, rank: usize) -> usize {
        self.pages.looks(rank)
    }

    fn wait(
        &self,
        call: Option<CollectiveCall>,
        missing: &mut dyn FnMut() -> Option<usize>,
    ) -> Result<(), Error> {
        self.pages.wait(call, missing)
    }

    fn refuse(&self, error: &Error) {
        let rank = match error {
            Error::PeerFailed { rank, .. } => *rank,
            _ => self.pages.rank,
        };
        let mut words = [0; REASON_WORDS];
        blame(&mut words, rank, reason(error));
        let places = &self.pages.plan(self.pages.rank, self.place).reason;
        places.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    }

    fn refusal(&self, rank: usize) -> Error {
        let places = &self.pages.plan(rank, self.place).reason;
        let words: [u64; REASON_WORDS] =
            std::array::from_fn(|word| places[word].load(Ordering::Relaxed));
        let unknown = || (rank, "an error that this rank itself returns".into());
        let (rank, reason) = read_reason(&words).unwrap_or_else(unknown);
        Error::PeerFailed { rank, reason }
    }
}

impl Drop for NodeBoard {
    fn drop(&mut self) {
        self.pages.drop_plan(self.place);
        if let Some(far) = self.pages.far() {
            far.close(self.plan);
        }
    }
}
