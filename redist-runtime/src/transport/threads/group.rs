//! The ranks of one run and their agreements so far.

use super::subjects::Subjects;
use crate::error::Error;
use crate::transport::board::{CollectiveCall, ShownCall};
use crate::transport::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use crate::transport::sync::{Arc, Condvar, Mutex, MutexGuard, have_cores, lock};
use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc as StdArc, PoisonError};

/// One rank of a run of [`threads::run`](super::run): its communicator.
///
/// All ranks bind plans and make moves in the same order, as in MPI. Otherwise a rank that waits for
/// another fails with [`Error::DifferentMoves`](crate::Error::DifferentMoves).
#[derive(Debug)]
pub struct Rank {
    /// This rank's number, from 0.
    rank: usize,
    group: Arc<Group>,
    /// A rank is one thread.
    one_thread: PhantomData<Cell<()>>,
}

/// All ranks of a run.
#[derive(Debug)]
pub(super) struct Group {
    /// Number of ranks.
    size: usize,
    state: Mutex<State>,
    /// By rank, which sleeps until the rank that it misses changes.
    changed: Vec<Condvar>,
    /// Ranks that sleep, or are about to: written under the lock, read without it.
    sleeping: AtomicUsize,
    /// `true` if each rank has a core to itself, as far as the system tells.
    pub has_cores: bool,
    ranks: Vec<RankState>,
    pub subjects: Subjects,
}

/// A rank's own state, in cache lines of its own, because false sharing would delay other ranks.
#[derive(Debug, Default)]
#[repr(align(128))]
struct RankState {
    begun: ShownCall,
    /// It has ended, as in the state of all, readable without its lock.
    gone: AtomicBool,
    /// Its last collective call failed because of another rank.
    told: AtomicBool,
    /// It is in a call that moves elements and may call a function. Only the rank itself reads it.
    in_call: AtomicBool,
}

/// State of all ranks, behind one lock.
#[derive(Debug, Default)]
struct State {
    /// The way in which each rank ended; `None` while it runs.
    ended: Vec<Option<String>>,
    /// By sleeping rank: the rank that it waits for.
    missing: Vec<Option<usize>>,
    /// The contributions to each exchange, by its number among the calls.
    exchanges: HashMap<u64, AllBrought>,
}

/// A rank's contribution to an exchange. Always std's: `loom`'s cannot be of a trait object.
type Brought = StdArc<dyn Any + Send + Sync>;

/// One exchange: the contributions of all ranks.
#[derive(Debug)]
struct AllBrought {
    brought: Vec<Option<Brought>>,
    /// Ranks that have taken the contributions.
    left: usize,
}

impl Rank {
    pub(super) fn new(rank: usize, group: Arc<Group>) -> Self {
        Self { rank, group, one_thread: PhantomData }
    }

    /// Returns this rank's number, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.group.size
    }

    pub(super) fn group(&self) -> &Arc<Group> {
        &self.group
    }

    pub(super) fn last_call(&self) -> u64 {
        self.group.last_call(self.rank).number()
    }

    /// Contributes to the next exchange, and returns every rank's contribution.
    pub(super) fn meet<B: Any + Send + Sync>(&self, brought: B) -> Result<Vec<StdArc<B>>, Error> {
        self.group.check_call(self.rank)?;
        let call = self.group.begin(self.rank, 0)?;
        let all = self.group.meet(self.rank, call, StdArc::new(brought))?;
        let theirs = |item: Brought| item.downcast::<B>().ok();
        Ok(all.into_iter().filter_map(theirs).collect())
    }
}

impl Group {
    pub fn new(size: usize) -> Self {
        let (ended, missing) = (vec![None; size], vec![None; size]);
        let state = State { ended, missing, ..State::default() };
        Self {
            size,
            state: Mutex::new(state),
            changed: (0..size).map(|_| Condvar::new()).collect(),
            sleeping: AtomicUsize::new(0),
            has_cores: have_cores(size),
            ranks: (0..size).map(|_| RankState::default()).collect(),
            subjects: Subjects::default(),
        }
    }

    /// Marks a rank as ended, with the way it ended, and wakes ranks that wait for it.
    pub fn end(&self, rank: usize, how: String) {
        self.ranks[rank].gone.store(true, Ordering::Release);
        let mut state = lock(&self.state);
        state.ended[rank] = Some(how);
        self.wake(&state, rank);
    }

    /// Begins a call that moves elements; fails within one.
    pub fn begin_call(&self, rank: usize) -> Result<(), Error> {
        self.check_call(rank)?;
        self.ranks[rank].in_call.store(true, Ordering::Relaxed);
        Ok(())
    }

    pub fn end_call(&self, rank: usize) {
        self.ranks[rank].in_call.store(false, Ordering::Relaxed);
    }

    fn check_call(&self, rank: usize) -> Result<(), Error> {
        let is_in_call = self.ranks[rank].in_call.load(Ordering::Relaxed);
        if is_in_call { Err(Error::within_another(rank)) } else { Ok(()) }
    }

    /// Notes that this rank begins an exchange, or a move of the channel with this subject.
    /// Fails without a number left, or after the rank's end: no rank waits for destructors then.
    pub fn begin(&self, rank: usize, subject: u64) -> Result<CollectiveCall, Error> {
        if self.ranks[rank].gone.load(Ordering::Relaxed) {
            let reason = "the rank has ended, and others no longer wait for it".into();
            return Err(Error::Unavailable { what: format!("a move of rank {rank}"), reason });
        }
        let RankState { begun, told, .. } = &self.ranks[rank];
        told.store(false, Ordering::Relaxed);
        let call = begun.get().next(subject).ok_or_else(|| Error::Unavailable {
            what: format!("a further call of rank {rank}"),
            reason: "ranks number 2^40 calls at most; run the ranks anew".into(),
        })?;
        begun.show(call);
        Ok(call)
    }

    pub fn last_call(&self, rank: usize) -> CollectiveCall {
        self.ranks[rank].begun.get()
    }

    pub fn has_ended(&self, rank: usize) -> bool {
        self.ranks[rank].gone.load(Ordering::Acquire)
    }

    pub fn tell(&self, rank: usize) {
        self.ranks[rank].told.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if this rank's failure is likely another rank's fault. Only the rank itself
    /// asks.
    pub fn was_told(&self, rank: usize) -> bool {
        self.ranks[rank].told.load(Ordering::Relaxed)
    }

    pub fn notify(&self, rank: usize) {
        // One of this fence and that of a rank about to sleep is first: either that rank sees the
        // change, or this one sees its count.
        fence(Ordering::SeqCst);
        if self.sleeping.load(Ordering::Relaxed) > 0 {
            // A counted rank that is not asleep yet has the lock.
            self.wake(&lock(&self.state), rank);
        }
    }

    fn wake(&self, state: &State, rank: usize) {
        for (missing, changed) in state.missing.iter().zip(&self.changed) {
            if *missing == Some(rank) {
                changed.notify_one();
            }
        }
    }

    /// As `Board::wait`.
    pub fn wait(
        &self,
        here: usize,
        call: Option<CollectiveCall>,
        mut missing: impl FnMut() -> Option<usize>,
    ) -> Result<(), Error> {
        let state = lock(&self.state);
        // A sleeping rank may wait for the call that this one has begun.
        self.wake(&state, here);
        self.wait_locked(state, here, call, |_| missing()).map(drop)
    }

    fn meet(
        &self,
        here: usize,
        call: CollectiveCall,
        brought: Brought,
    ) -> Result<Vec<Brought>, Error> {
        let (place, mut state) = (call.number(), lock(&self.state));
        state.exchange(place, self.size).brought[here] = Some(brought);
        self.wake(&state, here);
        let absent = |state: &mut State| {
            state.exchange(place, self.size).brought.iter().position(Option::is_none)
        };
        let mut state = self.wait_locked(state, here, Some(call), absent)?;
        let exchange = state.exchange(place, self.size);
        let all = exchange.brought.iter().flatten().cloned().collect();
        exchange.left += 1;
        if exchange.left == self.size {
            // No rank comes back to an exchange that failed before.
            state.exchanges.retain(|earlier, _| *earlier > place);
        }
        Ok(all)
    }

    /// Waits under the lock: see [`wait`](Self::wait).
    fn wait_locked<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        here: usize,
        call: Option<CollectiveCall>,
        missing: impl FnMut(&mut State) -> Option<usize>,
    ) -> Result<MutexGuard<'a, State>, Error> {
        self.sleeping.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let waited = self.wait_counted(state, here, call, missing);
        self.sleeping.fetch_sub(1, Ordering::Relaxed);
        waited
    }

    /// Waits as a rank that is counted as sleeping: see [`wait`](Self::wait).
    fn wait_counted<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        here: usize,
        call: Option<CollectiveCall>,
        mut missing: impl FnMut(&mut State) -> Option<usize>,
    ) -> Result<MutexGuard<'a, State>, Error> {
        while let Some(rank) = missing(&mut state) {
            // Read before `missing` is asked again: the effects of the rank's earlier calls are
            // visible then.
            let is_past = call.is_some_and(|call| self.last_call(rank).is_past(call));
            if is_past && missing(&mut state) == Some(rank) {
                return Err(Error::DifferentMoves { rank: here });
            }
            if let Some(how) = &state.ended[rank] {
                self.tell(here);
                return Err(Error::RankEnded { rank, how: how.clone(), here });
            }
            // Under the lock that is held since the rank was missed.
            state.missing[here] = Some(rank);
            state = self.changed[here].wait(state).unwrap_or_else(PoisonError::into_inner);
            state.missing[here] = None;
        }
        Ok(state)
    }
}

impl State {
    fn exchange(&mut self, place: u64, size: usize) -> &mut AllBrought {
        self.exchanges
            .entry(place)
            .or_insert_with(|| AllBrought { brought: vec![None; size], left: 0 })
    }
}
