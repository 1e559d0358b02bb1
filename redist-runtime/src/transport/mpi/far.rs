//! Calls of ranks on other nodes. A rank that waits long for one asks it in which calls it takes
//! part; ranks answer while they wait themselves. All ranks number their calls alike. So ranks
//! cannot wait for each other in a circle for ever: one of them waits for a rank that is in a
//! different call, and detects it.

use super::communicator::OwnCommunicator;
use super::reason::{ENDED as FINALISED, Fault};
use super::sends::Sends;
use super::tags::{AHEAD, TaggedCommunicator};
use crate::error::Error;
use crate::transport::sync::lock;
use redist_mpi::Request;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ffi::c_int;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Tag of all questions and answers.
const TAG: c_int = 0;

/// Tag of greetings, of one byte each.
const GREETING: c_int = 1;
static GREETING_BYTE: u8 = 0;

/// Words before the calls that some tell of: the sort, the plan, a call, two more, and the
/// communicator's name.
const WORDS: usize = 6;

/// The first word. A question has the asker's call by the plan, the last call in which it has voted,
/// and 1 if its message in the call is under way. An answer has the rank's last call, the call that
/// was asked for, and 1 if the rank takes part in that by the plan.
const QUESTION: u64 = 1;
/// First word of an answer.
const ANSWER: u64 = 2;
/// The rank's last call, and behind all words its last calls by the plan. `ENDED`: no call follows,
/// and the second word behind the call is 1 if MPI goes on there.
const NEWS: u64 = 3;
const ENDED: u64 = 4;
/// Ranks make different calls in place of this one.
const DIFFERENT: u64 = 5;
/// A rank makes no call after this one: its number, and the last call in which it has voted. In
/// the place of a plan it has 1 if MPI goes on there. Ranks pass it on to their [`neighbours`].
const GONE: u64 = 6;
/// This rank sends nothing more here. Its receiver has all earlier words of this rank, too.
const LAST: u64 = 7;

/// A rank's calls of a plan that it remembers. A sender is [`AHEAD`] messages of the plan ahead of a
/// rank that takes part, and a receiver none. So no partner waits in a call of the plan with so
/// many behind it. A rank that asks for a different call was not in the plan's.
const KEPT: usize = 2 * AHEAD as usize;

/// Plans whose calls are known after the rank has dropped them. All ranks bind as many in between,
/// so that messages of a plan of long ago have come.
const DROPPED: usize = 256;

/// Messages that are awaited at a time to be dropped.
const UNWANTED: usize = 64;

/// Most messages to send that have memory beforehand.
const SPARE: usize = 64;

/// Least and longest time from a wait's beginning, and from an answer, to the next question.
const PATIENCE: Duration = Duration::from_millis(5);
/// Longest time between two questions.
const MOST_PATIENCE: Duration = Duration::from_secs(1);

/// One rank's questions to ranks of other nodes, and its answers.
#[derive(Debug)]
pub(super) struct FarRanks {
    /// Tells it from an earlier communicator to which the library gave the same number, and whose
    /// words may still come.
    name: u64,
    /// Per rank, `true` if a launcher of its own started it: its library ends without regard to this
    /// one's.
    is_of_another_launch: Vec<bool>,
    /// Dropped before the communicator that its words are sent on.
    state: Mutex<FarState>,
    communicator: OwnCommunicator,
}

/// Questions, answers and calls, behind one lock.
#[derive(Debug, Default)]
struct FarState {
    /// This rank's calls, by the number of the plan.
    plans: HashMap<u64, PlanCalls>,
    /// Last answers, by far rank and plan.
    known: HashMap<(usize, u64), Known>,
    sent: Sends<()>,
    /// Ranks on other nodes with which this rank has ever shared a plan. They have this rank among
    /// theirs.
    partners: HashSet<usize>,
    /// Ranks whose last words have come.
    heard: HashSet<usize>,
    /// Ranks that this one has sent its last words. It sends them nothing more.
    left: HashSet<usize>,
    /// Last words to these ranks that are under way.
    last_words: Vec<(usize, Request)>,
    /// Their bytes, which stay in place until all are sent.
    last_bytes: Vec<Box<[u8]>>,
    /// The last call that this rank has told the partners of all plans of.
    told: u64,
    /// The last call in which this rank has voted.
    voted: u64,
    /// By rank that has asked: its last call, and the last call in which it had voted then.
    askers: HashMap<usize, [u64; 2]>,
    /// Ranks that are known to have ended here, with `true` if MPI goes on there. Nothing
    /// is sent to them, but for words of an end that comes soon behind theirs.
    ended: HashMap<usize, bool>,
    /// Of the ranks that are known to have ended, the one with the fewest calls, and their number.
    gone: Option<(usize, u64)>,
    /// Calls of all ranks, this rank's last one or later ones, in whose place a rank makes a
    /// different call.
    contradicted: Vec<u64>,
    /// Words may be under way here that no rank receives: to a rank that gets no last word.
    is_left: bool,
    /// Messages that this rank drops, because it had no part in their moves.
    unwanted: VecDeque<Unwanted>,
}

/// A rank's message of a call.
#[derive(Clone, Debug)]
struct Unwanted {
    messages: TaggedCommunicator,
    /// Rank that sent it.
    from: usize,
    /// Number of the call that it belongs to.
    call: u64,
}

/// This rank's calls of a plan.
#[derive(Debug)]
struct PlanCalls {
    /// Partners on other nodes.
    partners: Vec<usize>,
    /// Numbers of the last calls.
    calls: VecDeque<u64>,
    /// `true` until this rank drops the plan.
    is_open: bool,
    messages: TaggedCommunicator,
}

/// The last words of a far rank about a plan.
#[derive(Debug)]
struct Known {
    /// A call that it takes part in by the plan.
    part: Option<u64>,
    /// A call that it is past without a part in it.
    elsewhere: Option<u64>,
    /// Its last call, and its last ones by the plan.
    told: Option<(u64, Vec<u64>)>,
    /// It has made its last call.
    has_ended: bool,
    /// The call in which this rank waits for it.
    call: u64,
    /// The time of the next question; none while one is not answered.
    next: Option<Instant>,
    patience: Duration,
}

impl Known {
    fn new() -> Self {
        Self {
            part: None,
            elsewhere: None,
            told: None,
            has_ended: false,
            call: 0,
            next: Some(Instant::now() + PATIENCE),
            patience: PATIENCE,
        }
    }

    fn begin_to_wait(&mut self, call: u64) {
        (self.call, self.patience) = (call, PATIENCE);
        self.next = self.next.map(|_| Instant::now() + PATIENCE);
    }

    /// Returns the reason that the rank takes no part in a call; none if it does, or may still.
    fn absence(&self, call: u64) -> Option<Fault> {
        let is_past = self.told.as_ref().filter(|(last, _)| *last >= call);
        match is_past {
            _ if self.part == Some(call) => None,
            _ if self.elsewhere == Some(call) => Some(Fault::OtherCall),
            Some((_, calls)) => (!calls.contains(&call)).then_some(Fault::OtherCall),
            None => self.has_ended.then_some(Fault::Ended),
        }
    }

    /// Notes an answer of a rank whose last call is `last`.
    fn answered(&mut self, last: u64, call: u64, takes_part: bool) {
        match takes_part {
            true => self.part = Some(call),
            false if last >= call => self.elsewhere = Some(call),
            false => {}
        }
        self.patience = (self.patience * 2).clamp(PATIENCE, MOST_PATIENCE);
        self.next = Some(Instant::now() + self.patience);
    }
}

impl FarState {
    /// Returns `true` if a rank that has asked is past a call in which it did not vote, or makes
    /// a different call in its place.
    fn is_passed(&self, call: u64) -> bool {
        self.askers.values().any(|[last, voted]| *last >= call && *voted < call)
    }
}

impl FarRanks {
    /// Questions and answers on a communicator that nothing else is sent on. Collective.
    pub fn new(communicator: OwnCommunicator) -> Result<Self, Error> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        // Less than 2^62, as MPICH 4.0 needs, for a century.
        let [name] = communicator.minima([since.as_nanos() as u64 & (u64::MAX >> 2)])?;
        let is_of_another_launch = communicator.are_of_other_launches()?;
        let made = Self { communicator, name, is_of_another_launch, state: Mutex::default() };
        made.greet(made.neighbours_of_this_launch().collect())?;
        Ok(made)
    }

    /// Exchanges a byte with each of these ranks, which greet this one at the same time. Libraries
    /// connect two ranks by their first message. A word of an end would come late if it were the first
    /// one.
    fn greet(&self, ranks: Vec<usize>) -> Result<(), Error> {
        let send = |to: &usize| {
            // SAFETY: the byte is never written to, and never freed.
            unsafe {
                self.communicator.begin_send(&raw const GREETING_BYTE, 1, *to, GREETING, false)
            }
        };
        let mut sent: Vec<Request> = ranks.iter().map(send).collect::<Result<_, _>>()?;
        for from in ranks {
            let found = loop {
                match self.communicator.next_message_of(Some(from), GREETING)? {
                    Some(found) => break found,
                    None => thread::yield_now(),
                }
            };
            self.communicator.receive_away(found)?;
        }
        while let Some(request) = sent.last_mut() {
            match self.communicator.must(request.test())? {
                true => drop(sent.pop()),
                false => thread::yield_now(),
            }
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, FarState> {
        lock(&self.state)
    }

    /// Notes a plan and this rank's partners on other nodes.
    pub fn open(&self, messages: &TaggedCommunicator, partners: Vec<usize>) {
        let plan = messages.number;
        let state = &mut *self.state();
        state.partners.extend(&partners);
        // No move allocates anything, if it asks few ranks.
        state.known.extend(partners.iter().map(|rank| ((*rank, plan), Known::new())));
        state.askers.reserve(partners.len());
        // A question to each about this plan, and an answer.
        state.sent.reserve(2 * partners.len(), SPARE, 8 * WORDS);
        let calls = PlanCalls {
            partners,
            calls: VecDeque::with_capacity(KEPT),
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
            if plan.calls.len() == KEPT {
                plan.calls.pop_front();
            }
            plan.calls.push_back(call);
        }
    }

    /// Notes that this rank votes in a call.
    pub fn note_vote(&self, call: u64) {
        self.state().voted = call;
    }

    /// Receives and drops messages of moves without a part of this rank. Otherwise they would fill
    /// the library, and some libraries end no job while long ones are under way.
    fn drop_unwanted(&self, last: u64) -> Result<(), Error> {
        let mut result = Ok(());
        self.state().unwanted.retain(|Unwanted { messages, from, call }| {
            let swept = messages.sweep(*from, *call, last);
            let is_there = swept.unwrap_or_else(|error| {
                result = Err(error);
                false
            });
            !is_there
        });
        result
    }

    /// Receives what has come, and answers questions; `last` is this rank's last call.
    pub fn serve(&self, last: u64) -> Result<(), Error> {
        self.drop_unwanted(last)?;
        while let Some(found) = self.communicator.next_message(TAG)? {
            let (from, len, mut bytes) = (found.source, found.len, [0; 8 * (WORDS + KEPT)]);
            if !(8 * WORDS..=bytes.len()).contains(&len) || len % 8 != 0 {
                self.communicator.receive_away(found)?;
                continue;
            }
            self.communicator.receive(found, &mut bytes[..len])?;
            let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|b| bytes[8 * at + b]));
            let words: [u64; WORDS] = std::array::from_fn(word);
            if words[WORDS - 1] == self.name {
                let calls = (WORDS..len / 8).map(word);
                self.read(&mut self.state(), last, (from, words), calls)?;
            }
        }
        Ok(())
    }

    /// Receives and drops the messages of plans that have come, once this rank makes no call any more.
    /// The library would keep some of their senders in `MPI_Finalize` for ever.
    pub fn drop_messages(&self) -> Result<(), Error> {
        for own in self.state().plans.values() {
            while let Some(found) = own.messages.any_message()? {
                own.messages.receive_away(found)?;
            }
        }
        Ok(())
    }

    fn read(
        &self,
        state: &mut FarState,
        last: u64,
        (from, words): (usize, [u64; WORDS]),
        calls: impl Iterator<Item = u64>,
    ) -> Result<(), Error> {
        let [sort, plan, call, second, third, _] = words;
        match sort {
            QUESTION => {
                state.askers.insert(from, [call, second]);
                return self.answer(state, last, (from, plan, call), third != 0);
            }
            GONE => {
                state.ended.entry(second as usize).or_insert(plan != 0);
                state.askers.insert(second as usize, [call, third]);
                return self.note_gone(state, [plan, call, second, third]);
            }
            DIFFERENT => {
                state.contradicted.retain(|other| *other >= last && *other != call);
                state.contradicted.push(call);
                return Ok(());
            }
            LAST => {
                state.heard.insert(from);
                return Ok(());
            }
            _ => {}
        }
        if sort == ENDED {
            state.ended.entry(from).or_insert(second != 0);
        }
        let known = match state.known.entry((from, plan)) {
            // This rank has dropped the plan.
            Entry::Vacant(_) if sort != ENDED => return Ok(()),
            known => known.or_insert_with(Known::new),
        };
        match sort {
            ANSWER => known.answered(call, second, third != 0),
            _ => known.told = Some((call, calls.collect())),
        }
        known.has_ended |= sort == ENDED;
        Ok(())
    }

    /// Notes that a rank makes no call after this one, and passes it on. A rank that ends tells its
    /// neighbours. So each row of ranks that vote has one before it that tells the first of them.
    fn note_gone(
        &self,
        state: &mut FarState,
        [goes_on, call, rank, voted]: [u64; 4],
    ) -> Result<(), Error> {
        if state.gone.is_some_and(|(_, last)| last <= call) {
            return Ok(());
        }
        state.gone = Some((rank as usize, call));
        let words = [GONE, goes_on, call, rank, voted];
        let ranks = neighbours(self.communicator.rank(), self.communicator.size());
        ranks.into_iter().try_for_each(|to| self.send(state, to, words, &[]))
    }

    /// Answers a rank that asks for a call of a plan, which `sends` a message in it.
    fn answer(
        &self,
        state: &mut FarState,
        last: u64,
        (from, plan, call): (usize, u64, u64),
        sends: bool,
    ) -> Result<(), Error> {
        // An unknown plan has been dropped long ago.
        let own = state.plans.get(&plan);
        let takes_part = own.is_some_and(|own| own.calls.contains(&call));
        if sends
            && !takes_part
            && last >= call
            && let Some(own) = own
        {
            let unwanted = Unwanted { messages: own.messages.clone(), from, call };
            state.unwanted.push_back(unwanted);
            if state.unwanted.len() > UNWANTED {
                state.unwanted.pop_front();
            }
        }
        self.send(state, from, [ANSWER, plan, last, call, takes_part.into()], &[])
    }

    fn send(
        &self,
        state: &mut FarState,
        to: usize,
        [sort, plan, call, second, third]: [u64; WORDS - 1],
        calls: &[u64],
    ) -> Result<(), Error> {
        if state.ended.contains_key(&to) || state.left.contains(&to) {
            return Ok(());
        }
        state.is_left |= !self.is_told(state, to);
        state.sent.reclaim(&self.communicator)?;
        let mut bytes = state.sent.memory();
        let words = [sort, plan, call, second, third, self.name];
        bytes.extend(words.iter().chain(calls).flat_map(|word| word.to_le_bytes()));
        state.sent.send(&self.communicator, (to, TAG, false), (bytes, ()))
    }

    /// Tells the partners of all plans of this rank's calls, once in a call that others do not make.
    /// They may wait for this rank, which answers no question after the call.
    fn tell(&self, state: &mut FarState, last: u64) -> Result<(), Error> {
        if mem::replace(&mut state.told, last) == last {
            return Ok(());
        }
        let mut news = Vec::new();
        for (plan, own) in &state.plans {
            let calls: Vec<u64> = own.calls.iter().copied().collect();
            news.extend(own.partners.iter().map(|to| (*to, *plan, calls.clone())));
        }
        news.into_iter().try_for_each(|(to, plan, calls)| {
            self.send(state, to, [NEWS, plan, last, 0, 0], &calls)
        })
    }

    /// Asks a rank that this one waits for, if it is time to, and returns the reason that it takes
    /// no part in a call by a plan. This rank `sends` it a message in the call.
    pub fn absence(
        &self,
        rank: usize,
        (plan, call): (u64, u64),
        sends: bool,
    ) -> Result<Option<Fault>, Error> {
        let state = &mut *self.state();
        let voted = state.voted;
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
            self.send(state, rank, [QUESTION, plan, call, voted, sends.into()], &[])?;
        }
        Ok(absence)
    }

    /// Fails if a rank is known to have ended before a call in which all ranks vote, or to make a
    /// different call in its place. Tells all of them. A rank of this node does so if the call
    /// `is_passed`.
    pub fn check(&self, call: u64, is_passed: bool) -> Result<(), Error> {
        let (state, here) = (&mut *self.state(), self.communicator.rank());
        if let Some((rank, _)) = state.gone.filter(|(_, last)| *last < call) {
            return Err(Error::RankEnded { rank, how: FINALISED.into(), here });
        }
        if !is_passed && !state.contradicted.contains(&call) && !state.is_passed(call) {
            return Ok(());
        }
        let others = (0..self.communicator.size()).filter(|rank| *rank != here);
        let words = [DIFFERENT, 0, call, 0, 0];
        others.into_iter().try_for_each(|rank| self.send(state, rank, words, &[]))?;
        Err(Error::DifferentMoves { rank: here })
    }

    /// Returns `true` if no word may come any more, and the last ones from here are sent. The first is
    /// for ranks of this launch, the second for partners of other launches.
    pub fn are_last_words_over(&self) -> [bool; 2] {
        let state = &mut *self.state();
        state.last_words.retain_mut(|(_, request)| request.test() == Ok(false));
        let unheard = self.to_be_told(state).into_iter().filter(|rank| !state.heard.contains(rank));
        let unsent = state.last_words.iter().map(|(to, _)| *to);
        let is_foreign = |rank: usize| self.is_of_another_launch[rank];
        unheard.chain(unsent).map(is_foreign).fold([true; 2], |[ours, others], is_foreign| {
            [ours && is_foreign, others && !is_foreign]
        })
    }

    /// Returns the ranks that get this rank's last words, and send it theirs.
    fn to_be_told(&self, state: &FarState) -> HashSet<usize> {
        self.neighbours_of_this_launch().chain(state.partners.iter().copied()).collect()
    }

    fn is_told(&self, state: &FarState, rank: usize) -> bool {
        state.partners.contains(&rank) || self.neighbours_of_this_launch().any(|told| told == rank)
    }

    fn neighbours_of_this_launch(&self) -> impl Iterator<Item = usize> {
        let all = neighbours(self.communicator.rank(), self.communicator.size());
        all.into_iter().filter(|rank| !self.is_of_another_launch[*rank])
    }

    /// Publishes that this rank makes no call after `last`. Any thread that may call the library
    /// may call it. No rank that gets these words is sent any more. This rank takes words until all
    /// others have sent their last ones.
    ///
    /// Of other launches, only the partners are told. A process that has ended breaks connections,
    /// and to a neighbour there may be none yet.
    pub fn end(&self, last: u64, does_mpi_go_on: bool) {
        let (state, rank) = (&mut *self.state(), self.communicator.rank());
        let (ended, plans) = (mem::take(&mut state.ended), mem::take(&mut state.plans));
        let takes_words =
            |rank: &usize| !self.is_of_another_launch[*rank] || ended.get(rank) != Some(&false);
        let goes_on = does_mpi_go_on.into();
        let gone = [GONE, goes_on, last, rank as u64, state.voted, self.name];
        self.leave(state, &gone, self.neighbours_of_this_launch());
        for (plan, own) in &plans {
            let words = [ENDED, *plan, last, goes_on, 0, self.name];
            let words: Vec<u64> = words.iter().chain(&own.calls).copied().collect();
            self.leave(state, &words, own.partners.iter().copied().filter(takes_words));
        }
        let told: HashSet<usize> = self.to_be_told(state).into_iter().filter(takes_words).collect();
        self.leave(state, &[LAST, 0, 0, 0, 0, self.name], told.iter().copied());
        (state.left, state.ended, state.plans) = (told, ended, plans);
    }

    /// Begins to send words to some ranks.
    fn leave(&self, state: &mut FarState, words: &[u64], ranks: impl Iterator<Item = usize>) {
        let bytes: Box<[u8]> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let (start, len) = (bytes.as_ptr(), bytes.len());
        for to in ranks {
            // SAFETY: the bytes are never written to. `state` keeps them in place on the heap until
            // the request is complete, or leaks them (`FarRanks::drop`).
            let begun = unsafe { self.communicator.begin_send(start, len, to, TAG, false) };
            state.last_words.extend(begun.ok().map(|request| (to, request)));
        }
        state.last_bytes.push(bytes);
    }
}

/// Returns the ranks that one tells of an end: those 1, 2, 4, … before and behind it in a circle of
/// all. By the nearest an end reaches each rank, by the others in logarithmically many steps. A rank
/// is a neighbour of its neighbours.
fn neighbours(rank: usize, size: usize) -> Vec<usize> {
    let steps = (0..usize::BITS).map(|bit| 1 << bit).take_while(|step| *step < size);
    let mut all: Vec<usize> =
        steps.flat_map(|step: usize| [(rank + step) % size, (rank + size - step) % size]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Drop for FarRanks {
    /// Leaks words under way, and a communicator of words that no rank awaits. Another rank may have freed it, and its number may
    /// be another communicator's there.
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        if state.is_left {
            self.communicator.keep();
        }
        if !state.last_words.is_empty() {
            mem::forget(mem::take(&mut state.last_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_absent_once_it_is_past_a_call_without_part_in_it() {
        let answered = |last, call, takes_part| {
            let mut known = Known::new();
            known.answered(last, call, takes_part);
            known.absence(5)
        };
        assert_eq!(answered(4, 5, false), None, "it may still come");
        assert_eq!(answered(5, 5, true), None);
        for last in [5, 6, 5 + 64, 5 + 65, 1 << 40] {
            assert_eq!(answered(last, 5, false), Some(Fault::OtherCall));
            assert_eq!(answered(last, 5, true), None, "its message is on its way");
        }
        assert_eq!(answered(80, 69, false), None, "another call was asked for");
    }

    #[test]
    fn an_end_reaches_each_rank_that_still_votes() {
        for size in 2..=9usize {
            for has_ended in 1..(1usize << size) {
                let ends = |rank: usize| has_ended >> rank & 1 == 1;
                let mut knows: Vec<bool> = (0..size).map(ends).collect();
                for _ in 0..size {
                    for rank in (0..size).filter(|rank| knows[*rank]).collect::<Vec<_>>() {
                        neighbours(rank, size).into_iter().for_each(|to| knows[to] = true);
                    }
                }
                assert!(knows.iter().all(|knows| *knows), "{size} {has_ended:b}");
            }
        }
        assert_eq!(neighbours(3, 5), [0, 1, 2, 4]);
        assert_eq!(neighbours(0, 100), [1, 2, 4, 8, 16, 32, 36, 64, 68, 84, 92, 96, 98, 99]);
        assert!(neighbours(0, 1).is_empty());
    }

    #[test]
    fn a_rank_tells_of_its_last_calls() {
        let told = |last, has_ended| {
            let told = Some((last, vec![3, 5, 80]));
            Known { told, has_ended, ..Known::new() }
        };
        assert_eq!(told(80, false).absence(5), None);
        assert_eq!(told(80, false).absence(4), Some(Fault::OtherCall));
        assert_eq!(told(80, false).absence(16), Some(Fault::OtherCall), "64 calls before");
        assert_eq!(told(80, false).absence(81), None, "it may still come");
        assert_eq!(told(80, true).absence(81), Some(Fault::Ended));
        assert_eq!(told(80, true).absence(80), None, "its message is on its way");
    }

    #[test]
    fn a_vote_is_passed_by_a_rank_that_is_later_and_did_not_vote() {
        let state = |last, voted| FarState {
            askers: HashMap::from([(2, [last, voted])]),
            ..FarState::default()
        };
        assert!(state(5, 4).is_passed(5), "it makes another call in its place");
        assert!(state(5 + 64, 4).is_passed(5));
        assert!(!state(6, 5).is_passed(5), "it has voted");
        assert!(!state(70, 68).is_passed(5), "in a later call: the votes tell them apart");
        assert!(!state(4, 3).is_passed(5), "it may still come");
    }
}
