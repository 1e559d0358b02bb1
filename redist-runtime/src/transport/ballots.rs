//! Votes by memory that all ranks share: each posts a line, and reads those of the others.
//!
//! Unsafe, since the memory is reached by pointers, from several processes. What is voted on, and
//! what is done while a rank waits, others say.
//!
//! Votes have numbers, counted alike by all ranks. A rank has a ring of lines: it posts a ballot
//! there without waiting for anything, and all count what they see in any of their calls, so that
//! votes may be asked for in any order. A line is used anew when all ranks have counted what was
//! there before.
//!
//! Where these are the ranks of one node of several, what they have come to is told to the others by
//! one of them, or by all, a share each: [`Ballots::next_complete`] and [`Ballots::claim`].

mod cores;
#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
pub mod tests;

use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::{IS_MODELLED, yield_now};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::mem;

/// Ballots of a rank that others need not have counted.
const RING: usize = if IS_MODELLED { 2 } else { 32 };

/// Words of a ballot: with its number they fill a cache line.
pub const WORDS: usize = 7;

/// How often a rank has offered its core when it also lets the library work on what else is under
/// way.
const OFFERS: usize = if IS_MODELLED { 1 } else { 16 };

/// What the ballots of a vote come to, counted in any order.
pub trait Tally: Default {
    /// Counts a rank's ballot; `None` where that rank has ended.
    fn count(&mut self, rank: usize, ballot: Option<[u64; WORDS]>);
}

#[derive(Default)]
#[repr(C, align(64))]
struct Line {
    /// One more than the number of the vote; written last.
    number: AtomicU64,
    words: [AtomicU64; WORDS],
}

/// A rank's part of the memory.
#[derive(Default)]
#[repr(C, align(64))]
struct Page {
    lines: [Line; RING],
    /// Votes of which this rank has counted all ballots, and all before them; told now and then.
    counted: AtomicU64,
    apart: [u64; 7],
    /// Not zero where this rank votes no more.
    ended: AtomicU64,
    /// In the first rank's part: one more than the number of the last vote that a rank has said it
    /// will tell others of.
    claimed: AtomicU64,
    /// The core that this rank ran on when it voted last.
    core: AtomicU64,
}

/// Bytes of a rank's part.
pub const PART_BYTES: usize = 4096;

const _: () = assert!(size_of::<Page>() <= PART_BYTES);

/// The votes of some ranks, seen from one of them.
#[derive(Debug)]
pub struct Ballots<T> {
    parts: Vec<*mut u8>,
    /// By which ranks are counted, in the order of the parts.
    names: Vec<usize>,
    /// The place of this one among them.
    rank: usize,
    state: RefCell<Counting<T>>,
}

#[derive(Debug)]
struct Counting<T> {
    /// The number of this rank's next vote.
    next: u64,
    /// Its last ballots, for which there was no line.
    unposted: VecDeque<[u64; WORDS]>,
    /// Lines up to this number are free.
    free: u64,
    /// For each rank, the number of its ballot that is to be counted next.
    seen: Vec<u64>,
    /// The number of the first of `open`.
    first: u64,
    open: VecDeque<Open<T>>,
    /// What the others have been told.
    told: u64,
    /// The number of the vote that [`Ballots::next_complete`] returns next.
    complete: u64,
}

/// A vote that has not been asked for.
#[derive(Debug)]
struct Open<T> {
    tally: T,
    missing: usize,
    is_taken: bool,
}

impl<T: Tally> Ballots<T> {
    /// Votes in the `parts`, of ranks that are counted by these names, seen from that of number
    /// `rank`. Sets this rank's part to zero.
    ///
    /// # Safety
    /// Each part is [`PART_BYTES`] bytes that are aligned to a cache line, the same memory on all
    /// ranks, each of which makes this call once, and nothing else uses it from now on. It outlives
    /// all calls. No rank goes on before all calls are known to be over (release and acquire).
    pub unsafe fn new(parts: Vec<*mut u8>, names: Vec<usize>, rank: usize) -> Self {
        assert_eq!(parts.len(), names.len(), "a name for each rank");
        // SAFETY: there is room for it, at a place fit for it, and no other rank looks at it before
        // this call is over, as the caller says.
        unsafe { parts[rank].cast::<Page>().write(Page::default()) };
        let state = Counting {
            next: 0,
            unposted: VecDeque::new(),
            free: RING as u64,
            seen: vec![0; parts.len()],
            first: 0,
            open: VecDeque::with_capacity(2 * RING),
            told: 0,
            complete: 0,
        };
        Self { parts, names, rank, state: RefCell::new(state) }
    }

    /// Votes, and returns the number of the vote. Waits for nothing, and allocates nothing, but
    /// where this rank is a whole ring ahead of another.
    pub fn post(&self, words: [u64; WORDS]) -> u64 {
        let state = &mut *self.state.borrow_mut();
        let number = state.next;
        state.next += 1;
        if state.unposted.is_empty() && self.has_line(state, number) {
            self.write(number, words);
        } else {
            state.unposted.push_back(words);
        }
        number
    }

    /// Whether all have voted. Counts what there is.
    pub fn is_over(&self, number: u64) -> bool {
        let state = &mut *self.state.borrow_mut();
        self.count(state);
        state.first + state.open.len() as u64 > number && state.vote(number).missing == 0
    }

    /// Waits until all have voted; calls `progress` now and then, and fails with its error.
    ///
    /// # Errors
    /// Those of `progress`.
    pub fn wait<E>(
        &self,
        number: u64,
        mut progress: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let (mut looks, mut offers) = (0, 0usize);
        while !self.is_over(number) {
            spin_loop();
            looks += 1;
            if self.looks_on(looks, number) {
                continue;
            }
            (looks, offers) = (0, offers + 1);
            if offers.is_multiple_of(OFFERS) {
                // Another may wait for something that this rank has begun, and not vote before it
                // has it.
                progress()?;
            }
            yield_now();
        }
        Ok(())
    }

    /// What a vote came to, if that has been counted; to be asked for once.
    pub fn take(&self, number: u64) -> Option<T> {
        let state = &mut *self.state.borrow_mut();
        if state.first + state.open.len() as u64 <= number || state.vote(number).missing > 0 {
            return None;
        }
        let vote = state.vote(number);
        vote.is_taken = true;
        let tally = mem::take(&mut vote.tally);
        while state.open.front().is_some_and(|vote| vote.is_taken) {
            state.open.pop_front();
            state.first += 1;
        }
        Some(tally)
    }

    /// The number of a vote that all ranks here have voted on, each once and in order, as far as they
    /// have; asked for before it is [taken](Self::take).
    pub fn next_complete(&self) -> Option<u64> {
        let state = &mut *self.state.borrow_mut();
        self.count(state);
        let number = state.complete;
        let is_open = state.first + state.open.len() as u64 > number;
        if !is_open || state.vote(number).missing > 0 {
            return None;
        }
        state.complete += 1;
        Some(number)
    }

    /// Whether [`next_complete`](Self::next_complete) has returned this vote.
    pub fn is_complete(&self, number: u64) -> bool {
        self.state.borrow().complete > number
    }

    /// Whether this rank is the first that asks to tell others of a vote; each asks in the order of
    /// votes, and of all.
    pub fn claim(&self, number: u64) -> bool {
        self.page(0).claimed.fetch_max(number + 1, Ordering::Relaxed) <= number
    }

    /// What a vote has come to among the ranks here, which is not taken.
    pub fn tally(&self, number: u64) -> T
    where
        T: Clone,
    {
        self.state.borrow_mut().vote(number).tally.clone()
    }

    /// What ranks elsewhere may be waiting for when this one has [ended](Self::end): the votes up to that
    /// after its last which no rank here will vote on any more and no other tells of, with what they
    /// come to. May be called by any thread.
    pub fn last_words(&self) -> Vec<(u64, T)> {
        let lines = &self.page(self.rank).lines;
        let posted = lines.iter().map(|line| line.number.load(Ordering::Relaxed));
        let number = posted.max().unwrap_or_default();
        if self.complete_tally(number).is_none() {
            return Vec::new();
        }
        let first = self.page(0).claimed.fetch_max(number + 1, Ordering::Relaxed);
        let tallies = (first..=number).map(|number| Some((number, self.complete_tally(number)?)));
        tallies.flatten().collect()
    }

    /// What a vote comes to, where all ranks here have voted on it or ended.
    fn complete_tally(&self, number: u64) -> Option<T> {
        let mut tally = T::default();
        for (rank, name) in self.names.iter().enumerate() {
            tally.count(*name, self.ballot(rank, number)?);
        }
        Some(tally)
    }

    /// Waits until all votes are over, or one of which `is_sound` is not true: what they came to
    /// may be asked for when the memory is gone.
    ///
    /// # Errors
    /// Those of `progress`.
    pub fn wait_for_all<E>(
        &self,
        mut progress: impl FnMut() -> Result<(), E>,
        is_sound: impl Fn(&T) -> bool,
    ) -> Result<(), E> {
        let (first, next) = {
            let state = self.state.borrow();
            (state.first, state.next)
        };
        for number in first..next {
            self.wait(number, &mut progress)?;
            let state = &mut *self.state.borrow_mut();
            let vote = state.vote(number);
            if !vote.is_taken && !is_sound(&vote.tally) {
                break;
            }
        }
        Ok(())
    }

    /// Tells the others that this rank votes no more. May be called by any thread.
    pub fn end(&self) {
        self.page(self.rank).ended.store(1, Ordering::Release);
    }

    /// Whether no rank votes any more. May be called by any thread.
    pub fn have_all_ended(&self) -> bool {
        (0..self.parts.len()).all(|rank| self.has_ended(rank))
    }

    fn page(&self, rank: usize) -> &Page {
        // SAFETY: the rank has put it at the beginning of its part, which is known here, and the
        // memory is still there, as the caller of `new` says. All that changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    fn line(&self, rank: usize, number: u64) -> &Line {
        &self.page(rank).lines[(number % RING as u64) as usize]
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.page(rank).ended.load(Ordering::Acquire) != 0
    }

    /// Whether all have counted what was in the line for a ballot.
    fn has_line(&self, state: &mut Counting<T>, number: u64) -> bool {
        if number >= state.free {
            let counted = |rank: usize| match self.has_ended(rank) {
                true => u64::MAX - RING as u64,
                false => self.page(rank).counted.load(Ordering::Acquire),
            };
            let least = (0..self.parts.len()).map(counted).min().unwrap_or_default();
            state.free = least + RING as u64;
        }
        number < state.free
    }

    /// Writes to a line whose ballot all have counted.
    fn write(&self, number: u64, words: [u64; WORDS]) {
        self.note_core();
        let line = self.line(self.rank, number);
        for (place, word) in line.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        line.number.store(number + 1, Ordering::Release);
    }

    /// A rank's ballot, once it is there; nothing where none will come.
    fn ballot(&self, rank: usize, number: u64) -> Option<Option<[u64; WORDS]>> {
        let line = self.line(rank, number);
        // Looked at first: what it has posted before it ended is there then.
        let ended = self.has_ended(rank);
        if line.number.load(Ordering::Acquire) != number + 1 {
            return ended.then_some(None);
        }
        // It stays until this rank says that it has counted it.
        Some(Some(std::array::from_fn(|word| line.words[word].load(Ordering::Relaxed))))
    }

    /// Counts all ballots that are there, and posts those of this rank for which there are lines.
    fn count(&self, state: &mut Counting<T>) {
        while let Some(words) = state.unposted.front().copied() {
            let number = state.next - state.unposted.len() as u64;
            if !self.has_line(state, number) {
                break;
            }
            self.write(number, words);
            state.unposted.pop_front();
        }
        for rank in 0..self.parts.len() {
            // Others may be ahead; a rank that has ended takes no part in what this one has yet to
            // call.
            while let Some(ballot) = self.ballot(rank, state.seen[rank])
                && (ballot.is_some() || state.seen[rank] < state.next)
            {
                let number = state.seen[rank];
                state.seen[rank] += 1;
                let ranks = self.parts.len();
                while state.first + state.open.len() as u64 <= number {
                    let (tally, missing) = (T::default(), ranks);
                    state.open.push_back(Open { tally, missing, is_taken: false });
                }
                let vote = state.vote(number);
                vote.tally.count(self.names[rank], ballot);
                vote.missing -= 1;
            }
        }
        let counted = state.seen.iter().copied().min().unwrap_or_default();
        // Rarely, since the others read it.
        if counted >= state.told + RING as u64 / 2 {
            state.told = counted;
            self.page(self.rank).counted.store(counted, Ordering::Release);
        }
    }
}

impl<T> Counting<T> {
    /// # Panics
    /// Where none has voted, or the vote was asked for before.
    fn vote(&mut self, number: u64) -> &mut Open<T> {
        let place = number.checked_sub(self.first).expect("a vote is asked for once");
        &mut self.open[place as usize]
    }
}
