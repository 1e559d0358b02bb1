//! Agreements through memory that all ranks share: each posts a ballot to a line, and reads the
//! others'. Unsafe, because pointers reach the memory, from several processes.
//!
//! A rank posts to its ring of lines without waiting, and counts visible ballots in any call, so
//! that results may be taken in any order. A line is reused when all ranks have counted its ballot.

#[cfg(all(test, loom))]
mod models;
#[cfg(test)]
pub mod tests;

use super::sync::atomic::{AtomicU64, Ordering};
use super::sync::{IS_MODELLED, yield_now};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;

/// Ballots of a rank that other ranks need not have counted.
const RING: usize = if IS_MODELLED { 2 } else { 32 };

pub const WORDS: usize = 5;

/// The result of a vote, counted in any order.
pub trait Tally: Default {
    /// Counts a rank's ballot; `None` if that rank has ended.
    fn count(&mut self, rank: usize, ballot: Option<[u64; WORDS]>);
}

#[derive(Default)]
#[repr(C, align(64))]
struct Line {
    /// One more than the number of the vote; written last.
    number: AtomicU64,
    words: [AtomicU64; WORDS],
}

#[derive(Default)]
#[repr(C, align(64))]
struct Page {
    lines: [Line; RING],
    /// Votes up to which this rank has counted all ballots; published now and then.
    counted: AtomicU64,
    apart: [u64; 7],
    /// Not zero if this rank votes no more.
    ended: AtomicU64,
    /// In the first rank's part: one more than the number of the last vote claimed for a report.
    claimed: AtomicU64,
    /// In the first rank's part: 0, or how the ranks free the memory ([`Ballots::frees_memory`]).
    freed: AtomicU64,
}

const TOGETHER: u64 = 1;
const NEVER: u64 = 2;

pub const PART_BYTES: usize = 4096;

const _: () = assert!(size_of::<Page>() <= PART_BYTES);

#[derive(Debug)]
pub struct Ballots<T> {
    parts: Vec<*mut u8>,
    names: Vec<usize>,
    rank: usize,
    state: RefCell<Counting<T>>,
}

#[derive(Debug)]
struct Counting<T> {
    next: u64,
    /// This rank's last ballots, which wait for a line.
    unposted: VecDeque<[u64; WORDS]>,
    free: u64,
    /// For each rank, the number of its next ballot to count.
    seen: Vec<u64>,
    first: u64,
    open: VecDeque<Open<T>>,
    told: u64,
    /// Number of the vote that [`Ballots::next_complete`] returns next.
    complete: u64,
}

#[derive(Debug)]
struct Open<T> {
    tally: T,
    missing: usize,
    is_taken: bool,
}

impl<T: Tally> Ballots<T> {
    /// Votes in the `parts`, of ranks with these `names`, seen from `rank`. Zeroes its own part.
    ///
    /// # Safety
    /// Each part has [`PART_BYTES`] bytes, aligned to a cache line. All ranks have the same memory.
    /// Each rank makes this call once, and nothing else uses the memory from now on. It outlives
    /// all calls. No rank goes on before all calls are known to be over (release and acquire).
    pub unsafe fn new(parts: Vec<*mut u8>, names: Vec<usize>, rank: usize) -> Self {
        assert_eq!(parts.len(), names.len(), "a name for each rank");
        // SAFETY: the part has room for a page and its alignment. No other rank reads it before
        // this call is over, as the caller promises.
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

    /// Votes without waiting, and returns the vote's number. Allocates only if this rank is a whole
    /// ring ahead of another.
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

    pub fn is_over(&self, number: u64) -> bool {
        let state = &mut *self.state.borrow_mut();
        self.count(state);
        state.first + state.open.len() as u64 > number && state.vote(number).missing == 0
    }

    /// Waits until all have voted; calls `progress` meanwhile, and fails with its error.
    pub fn wait<E>(
        &self,
        number: u64,
        mut progress: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        while !self.is_over(number) {
            progress()?;
            yield_now();
        }
        Ok(())
    }

    /// Takes the result of a vote, once, if it has been counted.
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

    /// Returns the number of the next vote that all ranks here have voted on, each once and in
    /// order. To be called before the vote is [taken](Self::take).
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

    pub fn is_complete(&self, number: u64) -> bool {
        self.state.borrow().complete > number
    }

    /// Returns `true` for the first claim of a vote's report. Each rank claims all votes in order.
    pub fn claim(&self, number: u64) -> bool {
        self.page(0).claimed.fetch_max(number + 1, Ordering::Relaxed) <= number
    }

    pub fn tally(&self, number: u64) -> T
    where
        T: Clone,
    {
        self.state.borrow_mut().vote(number).tally.clone()
    }

    /// Returns the reports that other nodes may wait for when this rank has [ended](Self::end).
    /// These are votes after its last, with results, that no rank here votes on and no other rank
    /// reports. Any thread may call it.
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

    /// Returns the result of a vote that all ranks here have voted on, or ended before.
    fn complete_tally(&self, number: u64) -> Option<T> {
        let mut tally = T::default();
        for (rank, name) in self.names.iter().enumerate() {
            tally.count(*name, self.ballot(rank, number)?);
        }
        Some(tally)
    }

    /// Waits until all votes are over, or one is not `is_sound`. Results outlive the memory.
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

    /// Publishes that this rank votes no more. Any thread may call it.
    pub fn end(&self) {
        self.page(self.rank).ended.store(1, Ordering::Release);
    }

    pub fn have_all_ended(&self) -> bool {
        (0..self.parts.len()).all(|rank| self.has_ended(rank))
    }

    /// Returns `true` if all ranks free the memory, `false` if none does; `is_able` if this rank can
    /// do so. The first rank that asks decides, so that all ranks get the same answer. It decides
    /// for freeing only if all ranks have [ended](Self::end), because then each of them asks.
    ///
    /// A rank that is not able asks before it ends. Any thread may call it.
    pub fn frees_memory(&self, is_able: bool) -> bool {
        let wish = if is_able && self.have_all_ended() { TOGETHER } else { NEVER };
        let freed = &self.page(0).freed;
        match freed.compare_exchange(0, wish, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => wish == TOGETHER,
            Err(decided) => decided == TOGETHER,
        }
    }

    fn page(&self, rank: usize) -> &Page {
        // SAFETY: `new` on that rank has put a page at the beginning of its part, which `parts`
        // points to. The memory is still there, as the caller of `new` promises, and all that
        // changes is atomic.
        unsafe { &*self.parts[rank].cast() }
    }

    fn line(&self, rank: usize, number: u64) -> &Line {
        &self.page(rank).lines[(number % RING as u64) as usize]
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.page(rank).ended.load(Ordering::Acquire) != 0
    }

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

    fn write(&self, number: u64, words: [u64; WORDS]) {
        let line = self.line(self.rank, number);
        for (place, word) in line.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        line.number.store(number + 1, Ordering::Release);
    }

    /// Returns a rank's ballot if it is there; `Some(None)` if none will come.
    fn ballot(&self, rank: usize, number: u64) -> Option<Option<[u64; WORDS]>> {
        let line = self.line(rank, number);
        // Read before the number, so that all ballots posted before the end are visible.
        let ended = self.has_ended(rank);
        if line.number.load(Ordering::Acquire) != number + 1 {
            return ended.then_some(None);
        }
        // The ballot stays until this rank publishes that it has counted it.
        Some(Some(std::array::from_fn(|word| line.words[word].load(Ordering::Relaxed))))
    }

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
            // Others may be ahead; a rank that has ended takes no part in later votes of this one.
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
        // Published rarely, because other ranks read this line.
        if counted >= state.told + RING as u64 / 2 {
            state.told = counted;
            self.page(self.rank).counted.store(counted, Ordering::Release);
        }
    }
}

impl<T> Counting<T> {
    /// # Panics
    /// If no rank has voted, or the vote was taken before.
    fn vote(&mut self, number: u64) -> &mut Open<T> {
        let place = number.checked_sub(self.first).expect("a vote is asked for once");
        &mut self.open[place as usize]
    }
}
