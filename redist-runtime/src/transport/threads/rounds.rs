//! Progress of a channel's ranks, counted in moves, and waiting for it.

use super::calls::CollectiveCall;
use super::group::{Group, Rank};
use super::outbox::{MoveProgress, RankOutbox};
use crate::error::Error;
use crate::transport::Leave;
use crate::transport::sync::atomic::{AtomicUsize, Ordering};
use crate::transport::sync::{Arc, IS_MODELLED, yield_now};
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
    group: Arc<Group>,
    pub outboxes: Vec<Arc<RankOutbox>>,
    pub now: usize,
    opened: u64,
    call: CollectiveCall,
}

impl Rounds {
    pub fn new(rank: &Rank, outboxes: Vec<Arc<RankOutbox>>) -> Self {
        let (group, opened) = (Arc::clone(rank.group()), rank.last_call());
        let call = CollectiveCall::default();
        Self { rank: rank.rank(), group, outboxes, now: 0, opened, call }
    }

    pub fn own(&self) -> &RankOutbox {
        &self.outboxes[self.rank]
    }

    /// Publishes that this rank begins a move. The move before goes on until
    /// [`begin`](Self::begin).
    ///
    /// # Errors
    /// This rank has ended, or ranks have made different calls before.
    pub fn call(&self) -> Result<CollectiveCall, Error> {
        self.group.begin(self.rank, self.opened)
    }

    /// Begins a move, when all are through with the one before.
    ///
    /// # Errors
    /// A rank has ended, or does not make this move.
    pub fn begin(&mut self, call: CollectiveCall) -> Result<(), Error> {
        self.call = call;
        self.wait_for(|rank| &rank.unpacked)?;
        self.now += 1;
        self.own().progress.call.show(call);
        Ok(())
    }

    /// Checks that all counted ranks have begun this move by the same call.
    pub fn agree_on_call(&self) -> Result<(), Error> {
        let is_same = |rank: &Arc<RankOutbox>| rank.progress.call.get() == self.call;
        if self.outboxes.iter().all(is_same) {
            return Ok(());
        }
        Err(self.group.break_off(self.rank))
    }

    /// Returns a rank that has not counted up to this move.
    pub fn behind(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) -> Option<usize> {
        self.outboxes
            .iter()
            .position(|rank| counter(&rank.progress).load(Ordering::Acquire) < self.now)
    }

    /// Waits until every rank has counted up to this move.
    ///
    /// # Errors
    /// A rank has ended, or does not make this move. No later move can be made.
    pub fn wait_for(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) -> Result<(), Error> {
        match self.wait_while(Some(self.call), || self.behind(&counter)) {
            Err(Error::DifferentMoves { .. }) => Err(self.group.break_off(self.rank)),
            other => other,
        }
    }

    /// Waits until every rank is through, as all that have not ended will be.
    pub fn wait_until_through(&self) -> Result<(), Error> {
        self.wait_while(None, || self.behind(|rank| &rank.unpacked))
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

    pub fn group(&self) -> &Group {
        &self.group
    }

    pub fn count(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) {
        counter(&self.own().progress).store(self.now, Ordering::Release);
        self.notify();
    }

    pub fn notify(&self) {
        self.group.notify();
    }

    /// Marks that this rank only begins this move; to be called before it is counted.
    pub fn pack(&self) {
        self.own().progress.packs.store(self.now, Ordering::Relaxed);
    }

    pub fn one_packs(&self) -> bool {
        self.outboxes.iter().any(|rank| rank.progress.packs.load(Ordering::Relaxed) == self.now)
    }

    /// Keeps this rank's destination from other ranks; to be called before it is counted.
    pub fn keep(&self) {
        self.own().progress.keeps.store(self.now, Ordering::Relaxed);
    }

    pub fn one_keeps(&self) -> bool {
        self.outboxes.iter().any(|rank| rank.progress.keeps.load(Ordering::Relaxed) == self.now)
    }

    /// Marks this rank's part of this move as undone; to be called before it counts as through.
    pub fn fail(&self) {
        self.own().progress.failed.store(self.now, Ordering::Relaxed);
    }

    /// Returns the error of a rank that is through and has left its part undone.
    pub fn failed(&self) -> Option<Error> {
        let rank = self
            .outboxes
            .iter()
            .position(|rank| rank.progress.failed.load(Ordering::Relaxed) == self.now)?;
        self.group.tell(self.rank);
        Some(Error::PeerFailed { rank, reason: "a panic while it copied".into() })
    }

    /// Stores the reason that this rank is not ready; to be called before it is counted.
    pub fn refuse(&self, error: &Error) {
        *self.own().refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.clone());
        self.own().progress.refuses.store(self.now, Ordering::Relaxed);
    }

    /// Returns the error of another counted rank that is not ready for this move.
    pub fn refusal(&self) -> Result<(), Error> {
        let refuses =
            |rank: &Arc<RankOutbox>| rank.progress.refuses.load(Ordering::Relaxed) == self.now;
        let Some(rank) = self.outboxes.iter().position(refuses) else { return Ok(()) };
        self.group.tell(self.rank);
        let refused = self.outboxes[rank].refused.lock().unwrap_or_else(PoisonError::into_inner);
        let reason = refused.as_ref().map(Error::reason).unwrap_or_default();
        Err(Error::PeerFailed { rank, reason })
    }
}

impl Leave for Rounds {
    fn leave(&self, failed: bool) -> Result<(), Error> {
        if failed {
            self.fail();
        }
        self.count(|rank| &rank.unpacked);
        if self.wait_until_through().is_err() {
            // A rank ended inside of this move without dropping its guard. None can; but if one
            // did, it might still be using arrays that this rank is about to give up.
            std::process::abort();
        }
        // The rank's own failure is worse.
        if failed { Ok(()) } else { self.failed().map_or(Ok(()), Err) }
    }
}
