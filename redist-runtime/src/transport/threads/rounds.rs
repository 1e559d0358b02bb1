//! Progress of a channel's ranks, counted by their calls, and waiting for partners.

use super::calls::CollectiveCall;
use super::group::{Group, Rank};
use super::outbox::{MoveProgress, RankOutbox};
use crate::error::Error;
use crate::transport::sync::atomic::{AtomicU64, Ordering};
use crate::transport::sync::{Arc, IS_MODELLED, yield_now};
use crate::transport::{Leave, Partners};
use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::PoisonError;

/// Offers of a rank's core before it sleeps.
const YIELDS: usize = if IS_MODELLED { 1 } else { 200 };

/// Looks of a rank with its own core before it offers that; small moves outrun the system call.
const SPINS: usize = if IS_MODELLED { 0 } else { 30 };

/// All ranks of a channel, seen from one of them.
#[derive(Debug)]
pub(super) struct Rounds {
    pub rank: usize,
    pub partners: Partners,
    group: Arc<Group>,
    pub outboxes: Vec<Arc<RankOutbox>>,
    /// All other ranks.
    all: Vec<usize>,
    /// This rank's last move: the number of its call, and its number in a call of several moves, or
    /// [`LAST`]. The same on all ranks.
    now: u64,
    opened: u64,
    call: CollectiveCall,
    /// This rank takes no part in the call any more, and is counted for all of its moves.
    refuses: Cell<bool>,
}

/// Bits of a move's number in its call, and the number behind all.
const MOVE_BITS: u32 = 24;
const LAST: u64 = (1 << MOVE_BITS) - 1;

impl Rounds {
    pub fn new(rank: &Rank, outboxes: Vec<Arc<RankOutbox>>, partners: Partners) -> Self {
        let (group, opened) = (Arc::clone(rank.group()), rank.last_call());
        let call = CollectiveCall::default();
        let (rank, now) = (rank.rank(), 0);
        let all = (0..outboxes.len()).filter(|other| *other != rank).collect();
        let refuses = Cell::new(false);
        Self { rank, partners, group, outboxes, all, now, opened, call, refuses }
    }

    pub fn own(&self) -> &RankOutbox {
        &self.outboxes[self.rank]
    }

    fn progress(&self, rank: usize) -> &MoveProgress {
        &self.outboxes[rank].progress
    }

    /// Publishes that this rank begins a move. The move before goes on until
    /// [`begin`](Self::begin).
    ///
    /// # Errors
    /// This rank has ended.
    pub fn call(&self) -> Result<CollectiveCall, Error> {
        self.group.begin(self.rank, self.opened)
    }

    /// Begins a move, the first of a new `call` or the next of the last one, when no rank that joins
    /// it reads this rank's marks of the last one.
    ///
    /// After a refusal it waits for all ranks, because some may look whether all were ready.
    pub fn begin(&mut self, call: Option<CollectiveCall>, several: bool) {
        let next = call.unwrap_or(self.call);
        let reads = |rank: &usize| !self.has_left(*rank) && !self.group.is_past(*rank, next);
        let Partners { met, receivers, divide, .. } = &self.partners;
        let ranks = match divide {
            _ if self.refuses.get() => &self.all,
            true => met,
            false => receivers,
        };
        self.wait_until_none(ranks, reads);
        let Some(call) = call else {
            assert!(self.now & LAST < LAST, "a move in too many rounds");
            self.now += 1;
            return;
        };
        (self.call, self.now) = (call, call.number() << MOVE_BITS);
        self.now |= if several { 0 } else { LAST };
        self.refuses.set(false);
        self.own().progress.call.show(call);
    }

    /// Returns `true` if a partner does not use this rank's arrays and marks of the move any more:
    /// it is through, has ended, or has made another call instead.
    fn has_left(&self, rank: usize) -> bool {
        // Read before the marks: those of the rank's earlier calls are visible then.
        let is_past = self.group.is_past(rank, self.call);
        let MoveProgress { unpacked, call, .. } = self.progress(rank);
        unpacked.load(Ordering::Acquire) >= self.counted()
            || is_past && call.get() != self.call
            || self.group.has_ended(rank)
    }

    /// Checks that some ranks have begun this move by the same call.
    pub fn agree_on_call(&self, ranks: &[usize]) -> Result<(), Error> {
        match ranks.iter().all(|rank| self.progress(*rank).call.get() == self.call) {
            true => Ok(()),
            false => Err(Error::DifferentMoves { rank: self.rank }),
        }
    }

    /// Returns one of some ranks that has not counted up to this move.
    pub fn behind(
        &self,
        ranks: &[usize],
        counter: impl Fn(&MoveProgress) -> &AtomicU64,
    ) -> Option<usize> {
        let is_behind =
            |rank: &usize| counter(self.progress(*rank)).load(Ordering::Acquire) < self.now;
        ranks.iter().copied().find(is_behind)
    }

    /// Waits until some ranks have counted up to this move.
    ///
    /// # Errors
    /// A rank has ended, or makes another call in place of this move.
    pub fn wait_for(
        &self,
        ranks: &[usize],
        counter: impl Fn(&MoveProgress) -> &AtomicU64,
    ) -> Result<(), Error> {
        self.wait_while(Some(self.call), || self.behind(ranks, &counter))
    }

    /// Waits until no rank is named. Fails if a named one has ended, or makes another `call`.
    fn wait_while(
        &self,
        call: Option<CollectiveCall>,
        named: impl Fn() -> Option<usize>,
    ) -> Result<(), Error> {
        // The others are seldom far behind, and going to sleep takes longer than most moves.
        let spins = if self.group.has_cores() { SPINS } else { 0 };
        for _ in 0..YIELDS {
            for _ in 0..spins {
                if named().is_none() {
                    return Ok(());
                }
                spin_loop();
            }
            if named().is_none() {
                return Ok(());
            }
            yield_now();
        }
        self.group.wait(self.rank, call, named)
    }

    /// Waits as long as a condition holds for some ranks; it holds for no rank that has ended.
    fn wait_until_none(&self, ranks: &[usize], holds: impl Fn(&usize) -> bool) {
        while self.wait_while(None, || ranks.iter().copied().find(&holds)).is_err() {}
    }

    pub fn group(&self) -> &Group {
        &self.group
    }

    pub fn count(&self, counter: impl Fn(&MoveProgress) -> &AtomicU64) {
        counter(&self.own().progress).store(self.counted(), Ordering::Release);
        self.group.notify(self.rank);
    }

    /// Returns this move's number, or the last one of the call if this rank refuses that.
    fn counted(&self) -> u64 {
        if self.refuses.get() { self.now | LAST } else { self.now }
    }

    /// Counts this rank as through with a call of several moves.
    pub fn end(&mut self) {
        self.now |= LAST;
        self.count(|rank| &rank.unpacked);
    }

    pub fn arrive(&self) {
        self.count(|rank| &rank.arrived);
    }

    /// Sets a mark of this rank in this move; to be called before it is counted.
    pub fn mark(&self, mark: impl Fn(&MoveProgress) -> &AtomicU64) {
        mark(&self.own().progress).store(self.now, Ordering::Relaxed);
    }

    /// Returns `true` if a counted rank has set a mark in this move.
    pub fn has(&self, rank: usize, mark: impl Fn(&MoveProgress) -> &AtomicU64) -> bool {
        mark(self.progress(rank)).load(Ordering::Relaxed) == self.now
    }

    /// Waits until all ranks that divide the copies are counted; `true` if all share both arrays.
    pub fn all_share(&self) -> bool {
        let all = &self.partners.met;
        let met = self.wait_for(all, |rank| &rank.arrived);
        let shares = |rank: usize| {
            !self.has(rank, |rank| &rank.packs)
                && !self.has(rank, |rank| &rank.keeps)
                && !self.has_refused(rank)
        };
        met.is_ok()
            && self.agree_on_call(all).is_ok()
            && all.iter().chain([&self.rank]).all(|rank| shares(*rank))
    }

    /// Returns `true` if a sender has only begun this move, so that its message is packed.
    pub fn sends_message(&self, sender: usize) -> bool {
        self.has(sender, |rank| &rank.packs)
    }

    /// Waits until each receiver has left, or has only begun the move; `true` if one has only begun
    /// it and waits for a message.
    pub fn is_a_message_wanted(&self) -> bool {
        let receivers = &self.partners.receivers;
        let waits = |rank: usize| {
            self.progress(rank).arrived.load(Ordering::Acquire) >= self.now
                && self.has(rank, |rank| &rank.packs)
        };
        self.wait_until_none(receivers, |rank| !waits(*rank) && !self.has_left(*rank));
        receivers.iter().any(|rank| waits(*rank) && !self.has_refused(*rank))
    }

    /// Returns the error of a rank that is through and has left its part undone.
    fn failed(&self) -> Result<(), Error> {
        let fails = |rank: &&usize| self.has(**rank, |rank| &rank.failed);
        let Some(rank) = self.partners.met.iter().find(fails) else { return Ok(()) };
        self.group.tell(self.rank);
        Err(Error::PeerFailed { rank: *rank, reason: "a panic while it copied".into() })
    }

    /// Stores the reason that this rank is not ready for this and the next moves of its call. It is
    /// counted afterwards.
    pub fn refuse(&self, error: &Error) {
        *self.own().refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
        self.own().progress.refuses.store(self.call.number(), Ordering::Relaxed);
        self.refuses.set(true);
    }

    /// Returns `true` if a counted rank is not ready for this call.
    fn has_refused(&self, rank: usize) -> bool {
        self.progress(rank).refuses.load(Ordering::Relaxed) == self.call.number()
    }

    /// Refuses the call after some of its moves, for those that are left.
    pub fn refuse_the_rest(&self, error: &Error) {
        if !self.refuses.get() {
            self.refuse(error);
        }
        self.count(|rank| &rank.arrived);
        self.count(|rank| &rank.packed);
        self.count(|rank| &rank.unpacked);
    }

    /// Waits until all ranks have arrived in this move.
    ///
    /// # Errors
    /// One is not ready, has ended, or makes another call.
    pub fn all_are_ready(&self) -> Result<(), Error> {
        self.wait_for(&self.all, |rank| &rank.arrived)?;
        self.refusal(&self.all)
    }

    /// Returns the error of one of some counted ranks that is not ready for this move.
    pub fn refusal(&self, ranks: &[usize]) -> Result<(), Error> {
        let refuses = |rank: &&usize| self.has_refused(**rank);
        let Some(&rank) = ranks.iter().find(refuses) else { return Ok(()) };
        self.group.tell(self.rank);
        let refused = self.outboxes[rank].refused.lock().unwrap_or_else(PoisonError::into_inner);
        Err(match &*refused {
            // It has failed because of another rank in an earlier move of the call.
            Some(error @ Error::PeerFailed { .. }) => error.clone(),
            refused => {
                let reason = refused.as_ref().map(Error::reason).unwrap_or_default();
                Error::PeerFailed { rank, reason }
            }
        })
    }
}

impl Leave for Rounds {
    /// Leaves a move in which all ranks share their arrays.
    fn leave(&self, failed: bool) -> Result<(), Error> {
        if failed {
            self.mark(|rank| &rank.failed);
        }
        self.count(|rank| &rank.unpacked);
        self.wait_until_none(&self.partners.met, |rank| !self.has_left(*rank));
        // The rank's own failure is worse.
        if failed { Ok(()) } else { self.failed() }
    }
}
