//! The ranks of one run and what they have agreed on so far.

use crate::error::Error;
use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// One rank of a run of [`threads::run`](super::run): its communicator.
///
/// Ranks open channels in the same order, as MPI wants it of collective calls.
#[derive(Debug)]
pub struct Rank {
    rank: usize,
    group: Arc<Group>,
    opened: std::cell::Cell<usize>,
}

/// All ranks of a run.
#[derive(Debug)]
pub(super) struct Group {
    size: usize,
    state: Mutex<State>,
    changed: Condvar,
    /// Ranks whose last collective call failed on account of another.
    told: Vec<AtomicBool>,
    /// Ranks that have ended, as in the state, to be looked at without its lock.
    gone: Vec<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    /// How each rank ended, if it has.
    ended: Vec<Option<String>>,
    /// What ranks have brought to each meeting, by the meeting's place in the order of calls.
    meetings: HashMap<usize, Meeting>,
}

#[derive(Debug)]
struct Meeting {
    brought: Vec<Option<Arc<dyn Any + Send + Sync>>>,
    left: usize,
}

impl Rank {
    pub(super) fn new(rank: usize, group: Arc<Group>) -> Self {
        Self { rank, group, opened: std::cell::Cell::new(0) }
    }

    /// This rank's number, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.group.size
    }

    pub(super) fn group(&self) -> &Arc<Group> {
        &self.group
    }

    /// Brings something to the next meeting and gets what every rank brought.
    pub(super) fn meet<B: Any + Send + Sync>(&self, brought: B) -> Result<Vec<Arc<B>>, Error> {
        let place = self.opened.replace(self.opened.get() + 1);
        self.group.begin(self.rank);
        let all = self.group.meet(self.rank, place, Arc::new(brought))?;
        let theirs = |item: Arc<dyn Any + Send + Sync>| item.downcast::<B>().ok();
        Ok(all.into_iter().filter_map(theirs).collect())
    }
}

impl Group {
    pub fn new(size: usize) -> Self {
        let state = State { ended: vec![None; size], meetings: HashMap::new() };
        Self {
            size,
            state: Mutex::new(state),
            changed: Condvar::new(),
            told: (0..size).map(|_| false.into()).collect(),
            gone: (0..size).map(|_| false.into()).collect(),
        }
    }

    /// Says that a rank is gone, and how it went; ranks that wait for it wake.
    pub fn end(&self, rank: usize, how: String) {
        self.gone[rank].store(true, Ordering::Relaxed);
        self.lock().ended[rank] = Some(how);
        self.changed.notify_all();
    }

    /// Whether this rank has ended. Only the rank itself asks: what its thread still destroys may
    /// move nothing, since the others no longer wait for it.
    pub fn is_gone(&self, rank: usize) -> bool {
        self.gone[rank].load(Ordering::Relaxed)
    }

    /// Notes that a rank begins a collective call.
    pub fn begin(&self, rank: usize) {
        self.told[rank].store(false, Ordering::Relaxed);
    }

    /// Notes that it fails on account of another rank, which may end later than this one does.
    pub fn tell(&self, rank: usize) {
        self.told[rank].store(true, Ordering::Relaxed);
    }

    /// Whether what this rank fails with now is likely to be another's fault. Only the rank itself
    /// asks.
    pub fn was_told(&self, rank: usize) -> bool {
        self.told[rank].load(Ordering::Relaxed)
    }

    /// Wakes the ranks that wait in [`Group::wait`]; to be called after a change to what they wait
    /// for.
    pub fn notify(&self) {
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Waits until `missing` names no rank any more. Fails if it names one that has ended.
    pub fn wait(
        &self,
        here: usize,
        mut missing: impl FnMut() -> Option<usize>,
    ) -> Result<(), Error> {
        self.wait_locked(self.lock(), here, |_| missing()).map(drop)
    }

    fn meet(
        &self,
        here: usize,
        place: usize,
        brought: Arc<dyn Any + Send + Sync>,
    ) -> Result<Vec<Arc<dyn Any + Send + Sync>>, Error> {
        let mut state = self.lock();
        state.meeting(place, self.size).brought[here] = Some(brought);
        self.changed.notify_all();
        let absent = |state: &mut State| {
            state.meeting(place, self.size).brought.iter().position(Option::is_none)
        };
        let mut state = self.wait_locked(state, here, absent)?;
        let meeting = state.meeting(place, self.size);
        let all = meeting.brought.iter().flatten().cloned().collect();
        meeting.left += 1;
        if meeting.left == self.size {
            state.meetings.remove(&place);
        }
        Ok(all)
    }

    fn wait_locked<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        here: usize,
        mut missing: impl FnMut(&mut State) -> Option<usize>,
    ) -> Result<MutexGuard<'a, State>, Error> {
        while let Some(rank) = missing(&mut state) {
            if let Some(how) = &state.ended[rank] {
                self.tell(here);
                return Err(Error::RankEnded { rank, how: how.clone(), here });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        Ok(state)
    }

    /// A panic while the lock is held leaves nothing half done, so a poisoned lock is as good as
    /// any.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn meeting(&mut self, place: usize, size: usize) -> &mut Meeting {
        self.meetings.entry(place).or_insert_with(|| Meeting { brought: vec![None; size], left: 0 })
    }
}
