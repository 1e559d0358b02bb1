//! Calls of ranks on other nodes. A rank that waits long for one asks it in which calls it takes
//! part; ranks answer while they wait themselves. All ranks number their calls alike. So in each
//! circle of ranks that wait, one waits for a rank that makes another call, and finds it out.

use super::communicator::OwnCommunicator;
use super::reason::Fault;
use super::sends::Sends;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::transport::board::single_move;
use crate::transport::sync::lock;
use redist_mpi::Request;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_int;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const TAG: c_int = 0;
const WORDS: usize = 5;
type Words = [u64; WORDS];

/// The first word. The last is the communicator's name. The others are the plan, the rank's last
/// call, and bits for the calls up to it, the last call's lowest: one if the rank takes part by the
/// plan. A question, and the news that ranks make different calls, have one call alone.
const QUESTION: u64 = 1;
const ANSWER: u64 = 2;
const ENDED: u64 = 3;
const DIFFERENT: u64 = 4;
/// As an answer, without a question.
const NEWS: u64 = 5;

/// Calls that an answer tells of.
const TOLD: u64 = u64::BITS as u64;

/// Plans whose calls are known after the rank has dropped them.
const DROPPED: usize = 256;

/// Moves whose messages are dropped at a time.
const UNWANTED: usize = 8;

/// Most messages to send that have memory beforehand.
const SPARE: usize = 64;

/// Least and longest time from a wait's beginning, and from an answer, to the next question.
const PATIENCE: Duration = Duration::from_millis(5);
const MOST_PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct FarRanks {
    /// Tells it from an earlier communicator to which the library gave the same number, and whose
    /// words may still come.
    name: u64,
    /// Dropped before the communicator that its words are sent on.
    state: Mutex<FarState>,
    communicator: OwnCommunicator,
}

#[derive(Debug, Default)]
struct FarState {
    plans: HashMap<u64, PlanCalls>,
    known: HashMap<(usize, u64), Known>,
    sent: Sends<()>,
    /// The last call that this rank has told the partners of all plans of.
    told: u64,
    /// Calls in whose place another rank makes another one.
    contradicted: Vec<u64>,
    /// Questions of this rank that are not answered.
    asked: usize,
    /// Words may be under way that no rank receives here.
    is_left: bool,
    /// Messages that this rank drops, because it had no part in their moves: by plan and tag.
    unwanted: VecDeque<(TaggedCommunicator, c_int)>,
}

/// This rank's calls of a plan.
#[derive(Debug)]
struct PlanCalls {
    partners: Vec<usize>,
    calls: VecDeque<u64>,
    is_open: bool,
    messages: TaggedCommunicator,
}

/// A far rank's last answer about a plan.
#[derive(Clone, Copy, Debug)]
struct Known {
    last: u64,
    calls: u64,
    has_ended: bool,
    /// The call in which this rank waits for it.
    call: u64,
    /// The time of the next question; none while one is not answered.
    next: Option<Instant>,
    patience: Duration,
}

impl Known {
    fn new() -> Self {
        let (next, patience) = (Some(Instant::now() + PATIENCE), PATIENCE);
        Self { last: 0, calls: 0, has_ended: false, call: 0, next, patience }
    }

    fn begin_to_wait(&mut self, call: u64) {
        (self.call, self.patience) = (call, PATIENCE);
        self.next = self.next.map(|_| Instant::now() + PATIENCE);
    }

    /// Returns the reason that the rank takes no part in a call; none if it does, or may still.
    fn absence(&self, call: u64) -> Option<Fault> {
        let has_ended = self.has_ended && self.last < call;
        let is_elsewhere = is_elsewhere(self.last, self.calls, call);
        is_elsewhere.then_some(Fault::OtherCall).or(has_ended.then_some(Fault::Ended))
    }
}

/// Returns `true` if a rank is past a call, and takes no part in it by its bits.
fn is_elsewhere(last: u64, calls: u64, call: u64) -> bool {
    last.checked_sub(call).is_some_and(|before| before < TOLD && calls >> before & 1 == 0)
}

/// Returns the bits of a plan's calls that an answer tells of.
fn told(calls: &VecDeque<u64>, last: u64) -> u64 {
    let bit = |call: &u64| last.checked_sub(*call).filter(|before| *before < TOLD);
    calls.iter().filter_map(bit).fold(0, |calls, before| calls | 1 << before)
}

impl FarRanks {
    /// Questions and answers on a communicator that nothing else is sent on. Collective.
    pub fn new(communicator: OwnCommunicator) -> Result<Self, Error> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Less than 2^62, as MPICH 4.0 needs, for a century.
        let [name] = communicator.minima([since.as_nanos() as u64 & (u64::MAX >> 2)])?;
        Ok(Self { communicator, name, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, FarState> {
        lock(&self.state)
    }

    /// Notes a plan and this rank's partners on other nodes.
    pub fn open(&self, messages: &TaggedCommunicator, partners: Vec<usize>) {
        let plan = messages.number;
        let state = &mut *self.state();
        // No move allocates anything, if it asks few ranks.
        state.known.extend(partners.iter().map(|rank| ((*rank, plan), Known::new())));
        // A question to each about this plan, and an answer.
        state.sent.reserve(2 * partners.len(), SPARE, 8 * WORDS);
        let calls = PlanCalls {
            partners,
            calls: VecDeque::with_capacity(TOLD as usize),
            is_open: true,
            messages: messages.clone(),
        };
        state.plans.insert(plan, calls);
    }

    pub fn close(&self, plan: u64) {
        let state = &mut *self.state();
        state.known.retain(|(_, of), _| *of != plan);
        if let Some(calls) = state.plans.get_mut(&plan) {
            calls.is_open = false;
        }
        let dropped = state.plans.iter().filter(|(_, calls)| !calls.is_open);
        let mut dropped: Vec<u64> = dropped.map(|(plan, _)| *plan).collect();
        dropped.sort_unstable();
        for plan in dropped.iter().take(dropped.len().saturating_sub(DROPPED)) {
            state.plans.remove(plan);
        }
    }

    /// Notes that this rank takes part in a call by a plan. Its messages follow.
    pub fn take_part(&self, plan: u64, call: u64) {
        if let Some(plan) = self.state().plans.get_mut(&plan) {
            if plan.calls.len() as u64 == TOLD {
                plan.calls.pop_front();
            }
            plan.calls.push_back(call);
        }
    }

    /// Receives and drops messages of moves without a part of this rank. Some libraries end no job
    /// while long ones are under way.
    fn drop_unwanted(&self) -> Result<(), Error> {
        let unwanted = self.state().unwanted.clone();
        for (communicator, tag) in unwanted {
            while let Some(found) = communicator.next_message(tag)? {
                communicator.receive_away(found)?;
            }
        }
        Ok(())
    }

    /// Receives what has come, and answers questions; `last` is this rank's last call.
    pub fn serve(&self, last: u64) -> Result<(), Error> {
        self.drop_unwanted()?;
        while let Some(found) = self.communicator.next_message(TAG)? {
            let (from, mut bytes) = (found.source, [0; 8 * WORDS]);
            if found.len != bytes.len() {
                self.communicator.receive_away(found)?;
                continue;
            }
            self.communicator.receive(found, &mut bytes)?;
            let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[8 * at + b]));
            if word(4) != self.name {
                continue;
            }
            let state = &mut *self.state();
            let plan = word(1);
            if word(0) == DIFFERENT {
                state.contradicted.push(word(2));
                continue;
            }
            if word(0) == QUESTION {
                // A plan that is not known any more has been dropped long ago.
                let calls = state.plans.get(&plan).map_or(u64::MAX, |plan| told(&plan.calls, last));
                if word(2) == last && calls & 1 == 0 {
                    state.contradicted.push(last);
                }
                if is_elsewhere(last, calls, word(2))
                    && let Some(messages) = state.plans.get(&plan).map(|plan| plan.messages.clone())
                {
                    let tag = messages.tag(single_move(word(2)));
                    state.unwanted.push_back((messages, tag));
                    if state.unwanted.len() > UNWANTED {
                        state.unwanted.pop_front();
                    }
                }
                self.send(state, from, [ANSWER, plan, last, calls])?;
                continue;
            }
            if word(0) == ANSWER {
                state.asked = state.asked.saturating_sub(1);
            }
            let known = match state.known.entry((from, plan)) {
                // This rank has dropped the plan.
                Entry::Vacant(_) if word(0) != ENDED => continue,
                known => known.or_insert_with(Known::new),
            };
            (known.last, known.calls) = (word(2), word(3));
            if word(0) != NEWS {
                known.patience = (known.patience * 2).min(MOST_PATIENCE);
                known.next = Some(Instant::now() + known.patience);
            }
            known.has_ended |= word(0) == ENDED;
        }
        Ok(())
    }

    fn send(
        &self,
        state: &mut FarState,
        to: usize,
        [kind, plan, last, calls]: [u64; WORDS - 1],
    ) -> Result<(), Error> {
        state.sent.reclaim(&self.communicator)?;
        let mut bytes = state.sent.memory();
        let words = [kind, plan, last, calls, self.name];
        bytes.extend(words.into_iter().flat_map(u64::to_le_bytes));
        state.sent.send(&self.communicator, (to, TAG, false), (bytes, ()))
    }

    /// Tells the partners of all plans of this rank's calls, once in a call that others do not make.
    /// They may wait for this rank, which answers no question after the call.
    fn tell(&self, state: &mut FarState, last: u64) -> Result<(), Error> {
        if mem::replace(&mut state.told, last) == last {
            return Ok(());
        }
        // Nobody may receive them.
        state.is_left = true;
        let mut news = Vec::new();
        for (plan, calls) in &state.plans {
            let words = [NEWS, *plan, last, told(&calls.calls, last)];
            news.extend(calls.partners.iter().map(|to| (*to, words)));
        }
        news.into_iter().try_for_each(|(to, words)| self.send(state, to, words))
    }

    /// Asks a rank that this one waits for, if it is time to, and returns the reason that it takes
    /// no part in a call by a plan.
    pub fn absence(&self, rank: usize, plan: u64, call: u64) -> Result<Option<Fault>, Error> {
        let state = &mut *self.state();
        let known = state.known.entry((rank, plan)).or_insert_with(Known::new);
        if known.call != call {
            known.begin_to_wait(call);
        }
        let absence = known.absence(call);
        if absence == Some(Fault::OtherCall) {
            self.tell(state, call)?;
        } else if absence.is_none()
            && !known.has_ended
            && known.next.is_some_and(|next| next <= Instant::now())
        {
            known.next = None;
            state.asked += 1;
            self.send(state, rank, [QUESTION, plan, call, 0])?;
        }
        Ok(absence)
    }

    /// Fails if a rank is known to make another call in place of one that all ranks make together,
    /// and tells all of them.
    pub fn check(&self, call: u64) -> Result<(), Error> {
        let (state, here) = (&mut *self.state(), self.communicator.rank());
        if !state.contradicted.contains(&call) {
            return Ok(());
        }
        state.is_left = true;
        let others = (0..self.communicator.size()).filter(|rank| *rank != here);
        others.into_iter().try_for_each(|rank| self.send(state, rank, [DIFFERENT, 0, call, 0]))?;
        Err(Error::DifferentMoves { rank: here })
    }

    /// Publishes that this rank makes no call after `last`. Any thread that may call the library
    /// may call it. The sent memory is leaked.
    pub fn end(&self, last: u64) -> Vec<Request> {
        let state = self.state();
        let mut requests = Vec::new();
        for (plan, calls) in &state.plans {
            let words: Words =
                [ENDED, *plan, last, told(&calls.calls, last), self.name].map(u64::to_le);
            let bytes = Box::leak(Box::new(words)).as_ptr().cast();
            let own = &self.communicator;
            // SAFETY: the words are never written to again, and never freed.
            let send =
                |to: &usize| unsafe { own.begin_send(bytes, 8 * WORDS, *to, TAG, false) }.ok();
            requests.extend(calls.partners.iter().filter_map(send));
        }
        requests
    }
}

impl Drop for FarRanks {
    /// Leaks a communicator with words under way.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.is_left || state.asked > 0 {
            // Another communicator with its number would get them.
            self.communicator.keep();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(last: u64, calls: u64) -> Known {
        Known { last, calls, ..Known::new() }
    }

    #[test]
    fn a_rank_is_absent_once_it_is_past_a_call_without_part_in_it() {
        assert_eq!(known(4, 0b1).absence(5), None, "it may still come");
        assert_eq!(known(5, 0b1).absence(5), None);
        assert_eq!(known(5, 0b10).absence(5), Some(Fault::OtherCall));
        assert_eq!(known(7, 0b101).absence(6), Some(Fault::OtherCall));
        assert_eq!(known(100, 0).absence(3), None, "calls of long ago are not told");
        let ended = Known { has_ended: true, ..known(4, 0b1) };
        assert_eq!(ended.absence(5), Some(Fault::Ended));
        assert_eq!(ended.absence(4), None, "its message is on its way");
    }

    #[test]
    fn calls_are_told_by_their_distance_to_the_last() {
        let calls = [3, 9, 80].into();
        assert_eq!(told(&calls, 80), 1);
        assert_eq!(told(&calls, 10), 0b10 | 1 << 7);
        assert_eq!(told(&calls, 66), 1 << 63 | 1 << 57);
    }
}
