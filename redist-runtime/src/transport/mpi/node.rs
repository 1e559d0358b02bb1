//! The board of a node's processes: their calls, and their progress in the moves of each plan, in
//! memory that they share. Unsafe, because other processes use the memory.

use super::communicator::OwnCommunicator;
use super::cores::{AllowedCores, ranks_of_a_core, second_cache, this_core};
use super::far::FarRanks;
use super::life::check_that_mpi_is_there;
use super::memory::NodeMemory;
use super::preflight::all_prepared;
use super::reason::{ENDED, REASON_WORDS, blame, read_reason, reason};
use super::tags::TaggedCommunicator;
use super::vote::CHANNELS;
use crate::error::Error;
use crate::transport::board::{Board, CollectiveCall, MoveMarks, ShownCall};
use crate::transport::nodes::Nodes;
use crate::transport::slots::PAGE;
use std::cell::RefCell;
use std::hint::spin_loop;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{array, thread};

/// Plans of a table. A board begins with one table, and gets further tables with more plans.
const PLANS: usize = 64;

/// Most tables of a board, because ranks vote about each plan by a number of few bits.
const TABLES: usize = (CHANNELS - 1) / PLANS;

/// Looks of a waiting rank before it offers its core.
const LOOKS: usize = 30;

/// The same for a rank whose core no other rank needs, some 100 µs: beside busy processes, a core
/// that is offered comes back after milliseconds.
const LOOKS_OF_OWN_CORE: usize = 3000;

/// Offers of a wait after which such a rank looks as others do, so that messages progress.
const PATIENT_OFFERS: usize = 3;

/// Offers of its core after which a waiting rank lets the library make progress.
const OFFERS: usize = 16;

/// One rank's page for the other ranks of its node, for all plans of a context.
#[derive(Debug, Default)]
#[repr(C, align(128))]
struct RankPage {
    /// Its last call.
    call: ShownCall,
    /// 1 once it has made its last call.
    ended: AtomicU64,
    /// The numbers of its last calls that set something up. Others may be so many behind, if calls
    /// fail.
    met: [AtomicU64; 8],
    /// The rank's core at its last call, plus one; 0 if the system does not say.
    core: AtomicU64,
    /// The number of the last call in which it has voted with the ranks of other nodes.
    voted: AtomicU64,
    /// The cores that it may run on, as its context was made.
    cores: AllowedCores,
}

/// The arrays that a rank brings to a move.
#[derive(Debug, Default)]
pub(super) struct NodeArrays {
    /// The number of its shared source array, or 0.
    pub source: AtomicU64,
    /// The number of its shared destination array, or 0.
    pub destination: AtomicU64,
    /// The number of its first slot of the move.
    pub first: AtomicU64,
}

/// A rank's progress in the moves of a plan, and the reason that it is not ready.
#[derive(Debug, Default)]
#[repr(C, align(128))]
struct PlanPage {
    marks: [MoveMarks<NodeArrays>; 2],
    /// Reason that the rank was not ready, in words that other ranks read.
    reason: [AtomicU64; REASON_WORDS],
}

/// A rank's pages of so many plans.
#[derive(Debug)]
struct PlanTable {
    /// Used in a context's first table.
    rank: RankPage,
    plans: [PlanPage; PLANS],
}

impl Default for PlanTable {
    fn default() -> Self {
        Self { rank: RankPage::default(), plans: array::from_fn(|_| PlanPage::default()) }
    }
}

/// One `T` of each rank of the node, in memory that they share, or of this rank if it shares none.
#[derive(Debug)]
struct OfEach<T> {
    /// By place in the node.
    starts: Vec<*mut T>,
    /// Unmapped, or freed, when this is dropped.
    _memory: (Option<NodeMemory>, Option<Box<T>>),
}

impl<T: Default> OfEach<T> {
    /// Makes them. Collective; fails on all ranks alike.
    fn shared(all: &OwnCommunicator, node: &OwnCommunicator) -> Result<Self, Error> {
        const { assert!(align_of::<T>() <= PAGE, "a part begins with a page") };
        let starts = |memory: &NodeMemory| {
            let starts: Vec<*mut T> = memory.starts().into_iter().map(<*mut u8>::cast).collect();
            // SAFETY: this rank's part has room for a `T` from a page on, and no other rank reads
            // it before all have met in `NodeMemory::new`.
            unsafe { starts[node.rank()].write(T::default()) };
            starts
        };
        let (memory, starts) = NodeMemory::new(all, node, size_of::<T>(), starts)?;
        Ok(Self { starts, _memory: (Some(memory), None) })
    }

    /// Makes that of a rank that shares no memory.
    fn own() -> Self {
        let mut own = Box::new(T::default());
        Self { starts: vec![&raw mut *own], _memory: (None, Some(own)) }
    }

    /// Returns the value of the rank at this place of the node.
    fn of(&self, place: usize) -> &T {
        // SAFETY: the rank at this place has written its value (`shared`, `own`) before any rank
        // got this one. The memory is there as long as `self`, and all that changes is atomic.
        unsafe { &*self.starts[place] }
    }
}

/// The answers of all ranks of a context on their machines: the same on all.
#[derive(Debug)]
struct AgreedNodes {
    /// The context's number, which no other context of these ranks has.
    id: u64,
    nodes: Nodes,
    /// Ranks that take turns on a core, at most on any node; 0 if each node has a core more.
    ranks_of_a_core: u64,
    /// Bytes of the smallest second-level cache of all ranks; 0 if a system does not tell it.
    second_cache: u64,
}

/// The board of a context: the pages of its ranks on one node.
#[derive(Debug)]
pub(super) struct NodePages {
    communicator: Arc<OwnCommunicator>,
    /// The ranks whose memory the system shares, in the order of the communicator.
    node: OwnCommunicator,
    agreed: AgreedNodes,
    /// The reason that each rank counts as a node, if ranks of one could not share memory.
    apart: Option<Error>,
    /// This rank's number.
    rank: usize,
    far: Option<FarRanks>,
    /// The first table of each rank, which has its page, too.
    first: Rc<OfEach<PlanTable>>,
    /// All tables, in the order in which they were made.
    tables: RefCell<Vec<Rc<OfEach<PlanTable>>>>,
    /// Places of plans: `None` if free, else `true` once this rank has dropped the plan.
    plans: RefCell<Vec<Option<bool>>>,
}

impl NodePages {
    /// Makes the board. If a rank of any node has no memory, each rank is on a node of its own.
    /// Collective over all ranks.
    pub fn new(communicator: &Arc<OwnCommunicator>) -> Result<Self, Error> {
        let rank = communicator.rank();
        let node = communicator.check(communicator.split_shared(rank));
        let node = all_prepared(communicator, node.map(OwnCommunicator::adopt))?;
        let (first, apart) = match OfEach::<PlanTable>::shared(communicator, &node) {
            Ok(shared) => (Rc::new(shared), None),
            Err(reason) => (Rc::new(OfEach::own()), Some(reason)),
        };
        first.of(if apart.is_none() { node.rank() } else { 0 }).rank.cores.note();
        let own_turns =
            || ranks_of_a_core((0..node.size()).map(|place| &first.of(place).rank.cores));
        let shared = apart.is_none().then_some((&node, &own_turns as &dyn Fn() -> u64));
        let agreed = agreed(communicator, shared)?;
        let far =
            (agreed.nodes.count() > 1).then(|| FarRanks::new(communicator.again()?)).transpose()?;
        let (communicator, tables) = (Arc::clone(communicator), vec![Rc::clone(&first)].into());
        let plans = RefCell::default();
        Ok(Self { communicator, node, agreed, apart, rank, far, first, tables, plans })
    }

    /// Returns the ranks of this node, in the order of the communicator, as the system sees it.
    pub fn node(&self) -> &OwnCommunicator {
        &self.node
    }

    /// Returns the reason that ranks of a node share no memory, if so.
    pub fn apart(&self) -> Option<&Error> {
        self.apart.as_ref()
    }

    pub fn nodes(&self) -> &Nodes {
        &self.agreed.nodes
    }

    /// Returns the context's number, the same on all ranks: no other context of these ranks has it.
    pub fn id(&self) -> u64 {
        self.agreed.id
    }

    /// Returns the bytes of the smallest second-level cache of all ranks: the same on all. It is 0 if a
    /// system does not tell it.
    pub fn second_cache(&self) -> u64 {
        self.agreed.second_cache
    }

    /// Returns the number of ranks that take turns on a core, so that each hand-over costs one. It is
    /// 1 if each rank has a core, and 0 if each node has more cores than ranks. The same on all ranks.
    pub fn ranks_of_a_core(&self) -> u64 {
        self.agreed.ranks_of_a_core
    }

    /// Returns the ranks of this node.
    pub fn members(&self) -> &[usize] {
        self.nodes().members(self.nodes().of(self.rank))
    }

    pub fn is_here(&self, rank: usize) -> bool {
        self.nodes().of(rank) == self.nodes().of(self.rank)
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

    /// Answers ranks in a call that all ranks make together. Fails if one makes a different call.
    pub fn serve_together(&self) -> Result<(), Error> {
        self.serve_in_vote(self.page(self.rank).call.get())
    }

    /// Answers ranks in a vote of this call. Fails if a rank makes a different call in its place.
    pub fn serve_in_vote(&self, call: CollectiveCall) -> Result<(), Error> {
        self.serve()?;
        let Some(far) = &self.far else { return Ok(()) };
        let voted = |rank: usize| self.page(rank).voted.load(Ordering::Relaxed);
        // Read first: what the rank has noted in its earlier calls is visible then.
        let is_past = |rank: &&usize| self.page(**rank).call.get().is_past(call);
        let mut past = self.members().iter().filter(is_past);
        far.check(call.number(), past.any(|rank| voted(*rank) < call.number()))
    }

    /// Notes that this rank votes in a call, before it does.
    pub fn note_vote(&self, call: u64) {
        self.page(self.rank).voted.store(call, Ordering::Relaxed);
        if let Some(far) = &self.far {
            far.note_vote(call);
        }
    }

    fn page(&self, rank: usize) -> &RankPage {
        &self.first.of(self.nodes().place(rank)).rank
    }

    /// Takes the next place of a plan, and sets this rank's progress there to zero. All ranks have
    /// met to bind the plan, and meet again before its first move. Collective.
    fn open(&self) -> Result<usize, Error> {
        let place = match self.free_place() {
            Some(place) => place,
            None => {
                self.free_dropped()?;
                match self.free_place() {
                    Some(place) => place,
                    None => self.add_table()?,
                }
            }
        };
        let mut plans = self.plans.borrow_mut();
        if place == plans.len() {
            plans.push(None);
        }
        plans[place] = Some(false);
        let own = self.table(place).starts[self.nodes().place(self.rank)];
        // SAFETY: the place is inside of this rank's table. No other rank reads it: ranks that have
        // had a plan there have dropped it, and ranks that bind this plan meet before they move.
        unsafe { (&raw mut (*own).plans[place % PLANS]).write(PlanPage::default()) };
        Ok(place)
    }

    fn table(&self, place: usize) -> Rc<OfEach<PlanTable>> {
        Rc::clone(&self.tables.borrow()[place / PLANS])
    }

    /// Makes room for more plans, and returns the first new place. Collective.
    fn add_table(&self) -> Result<usize, Error> {
        if self.tables.borrow().len() == TABLES {
            let (what, most) = ("a plan on this communicator".into(), TABLES * PLANS);
            let reason = format!("{most} plans are bound to it; drop some, or use a duplicate");
            return Err(Error::Unavailable { what, reason });
        }
        let table = match self.apart {
            None => OfEach::shared(&self.communicator, &self.node)?,
            Some(_) => OfEach::own(),
        };
        let mut tables = self.tables.borrow_mut();
        tables.push(Rc::new(table));
        Ok((tables.len() - 1) * PLANS)
    }

    fn free_place(&self) -> Option<usize> {
        let plans = self.plans.borrow();
        let free = plans.iter().position(Option::is_none).unwrap_or(plans.len());
        (free < PLANS * self.tables.borrow().len()).then_some(free)
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

    fn begin(&self, subject: u64) -> Result<CollectiveCall, Error> {
        check_that_mpi_is_there()?;
        let shown = &self.page(self.rank).call;
        let call = shown.get().next(subject).ok_or_else(|| Error::Unavailable {
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
    fn looks(&self, rank: usize, offers: usize) -> usize {
        let core = this_core();
        let is_here = core != 0 && self.page(rank).core.load(Ordering::Relaxed) == core;
        match self.ranks_of_a_core() > 1 || offers >= PATIENT_OFFERS {
            _ if is_here => 0,
            true => LOOKS,
            false => LOOKS_OF_OWN_CORE,
        }
    }

    /// Notes a call that sets something up, and returns its number.
    pub fn set_up(&self) -> Result<u64, Error> {
        let call = self.begin(0).map(CollectiveCall::number)?;
        self.note_vote(call);
        Ok(call)
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
            for _ in 0..self.looks(rank, offers) {
                spin_loop();
                if missing().is_none() {
                    return Ok(());
                }
            }
            // Read before `missing` is asked again: the effects of the rank's earlier calls, and of
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

    /// Returns the number of this rank's last call.
    pub fn last_call(&self) -> u64 {
        self.page(self.rank).call.get().number()
    }

    /// Publishes to the ranks of this node that this one has made its last call. Any thread may
    /// call it, as the next.
    pub fn end(&self) {
        self.page(self.rank).ended.store(1, Ordering::Release);
    }

    /// Returns `true` if all ranks of this node have ended, or the library fails, which may make
    /// progress meanwhile.
    pub fn have_near_ended(&self) -> bool {
        let fails = self.communicator.progress().is_err();
        fails || self.members().iter().all(|rank| self.has_ended(*rank))
    }

    /// Takes words of other nodes in, at this rank's end here. Returns `true` if none may come any more,
    /// and none is under way from here, or the library fails. The first is for ranks of this launch,
    /// the second for those of others.
    pub fn have_far_ended(&self) -> [bool; 2] {
        let Some(far) = &self.far else { return [true; 2] };
        match far.serve(self.last_call()).and_then(|()| far.drop_messages()) {
            Ok(()) => far.are_last_words_over(),
            Err(_) => [true; 2],
        }
    }

    /// Publishes it to ranks of other nodes.
    pub fn end_elsewhere(&self, does_mpi_go_on: bool) {
        if let Some(far) = &self.far {
            far.end(self.last_call(), does_mpi_go_on);
        }
    }
}

/// Returns the answers of all ranks. Without a `node`, each rank is on its own. The function of a node
/// counts its ranks of a core. Collective.
fn agreed(
    all: &OwnCommunicator,
    node: Option<(&OwnCommunicator, &dyn Fn() -> u64)>,
) -> Result<AgreedNodes, Error> {
    // MPICH 4.0 takes numbers from 2^63 on for negative ones.
    const MOST: u64 = u64::MAX >> 2;
    let (lowest, turns) = match node {
        // Each rank of the node has noted its cores before it came to the reduction.
        Some((node, own_turns)) => (node.minima([all.rank() as u64])?[0], own_turns()),
        None => (all.rank() as u64, 0),
    };
    let id = if all.rank() == 0 { next_id() } else { MOST };
    let mut told = vec![MOST; all.size()];
    told[all.rank()] = lowest;
    told.extend([id, MOST - turns, second_cache().unwrap_or(0).min(MOST)]);
    all.minima_of(&mut told)?;
    let (lowest, others) = told.split_at(all.size());
    Ok(AgreedNodes {
        nodes: Nodes::new(lowest),
        id: others[0],
        ranks_of_a_core: MOST - others[1],
        second_cache: others[2],
    })
}

/// Returns the nanoseconds since 1970, or more: no two calls of a process return the same.
fn next_id() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = since.as_nanos() as u64 & (u64::MAX >> 3);
    let next = |last: u64| Some(now.max(last + 1));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).unwrap_or_default();
    now.max(last + 1)
}

/// One rank's view of a plan's progress on the ranks of its node.
#[derive(Debug)]
pub(super) struct NodeBoard {
    pub pages: Arc<NodePages>,
    /// The place of the plan among the context's, and the table that has it.
    place: usize,
    table: Rc<OfEach<PlanTable>>,
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
        // No rank of this node reads the marks of another rank before they are zero.
        pages.meet()?;
        if let Some(calls) = pages.far() {
            calls.open(messages, far.to_vec());
        }
        let (pages, table) = (Arc::clone(pages), pages.table(place));
        Ok(Self { pages, place, table, plan: messages.number })
    }

    fn plan(&self, rank: usize) -> &PlanPage {
        &self.table.of(self.place(rank)).plans[self.place % PLANS]
    }

    /// Returns the ranks of this node, by place, as [`place`](Self::place) says.
    pub fn members(&self) -> &[usize] {
        self.pages.members()
    }

    pub fn place(&self, rank: usize) -> usize {
        self.pages.nodes().place(rank)
    }
}

impl Board for NodeBoard {
    type Arrays = NodeArrays;
    const BUFFERS: usize = 2;

    fn ranks(&self) -> usize {
        self.pages.nodes().ranks()
    }

    fn is_here(&self, rank: usize) -> bool {
        self.pages.is_here(rank)
    }

    fn marks(&self, rank: usize, buffer: usize) -> &MoveMarks<NodeArrays> {
        &self.plan(rank).marks[buffer]
    }

    fn begin(&self) -> Result<CollectiveCall, Error> {
        // The same on all ranks, and no other plan's until all have dropped this one.
        let call = self.pages.begin(self.place as u64 + 1)?;
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

    fn looks(&self, rank: usize, offers: usize) -> usize {
        self.pages.looks(rank, offers)
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
        let places = &self.plan(self.pages.rank).reason;
        places.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
    }

    fn refusal(&self, rank: usize) -> Error {
        let places = &self.plan(rank).reason;
        let words: [u64; REASON_WORDS] =
            array::from_fn(|word| places[word].load(Ordering::Relaxed));
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
