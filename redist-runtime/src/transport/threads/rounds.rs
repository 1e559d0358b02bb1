//! How far the ranks of a channel have come, counted in moves, and waiting for them.

use super::group::Group;
use super::outbox::RankOutbox;
use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How often a rank offers its processor to the others before it goes to sleep until they are done.
const YIELDS: usize = 200;

/// How far a rank has come.
#[derive(Debug, Default)]
pub(super) struct MoveProgress {
    /// Where source arrays are lent: counted before anything is packed or copied.
    pub arrived: AtomicUsize,
    /// The last move that it only began, so that it cannot lend its source array.
    packs: AtomicUsize,
    pub packed: AtomicUsize,
    /// The move in which it panicked while it copied between lent arrays.
    failed: AtomicUsize,
    pub unpacked: AtomicUsize,
    /// The move that it was not ready for, and why.
    refused: Mutex<Option<(usize, Error)>>,
}

/// All ranks of a channel, seen from one of them.
#[derive(Debug)]
pub(super) struct Rounds {
    pub rank: usize,
    group: Arc<Group>,
    /// Every rank's, this one's included.
    pub outboxes: Vec<Arc<RankOutbox>>,
    /// Number of moves that this rank has begun.
    pub now: usize,
}

impl Rounds {
    pub fn new(rank: usize, group: Arc<Group>, outboxes: Vec<Arc<RankOutbox>>) -> Self {
        Self { rank, group, outboxes, now: 0 }
    }

    /// This rank's.
    pub fn own(&self) -> &RankOutbox {
        &self.outboxes[self.rank]
    }

    /// Whether this rank has not ended.
    ///
    /// # Errors
    /// It has.
    pub fn check_that_it_lives(&self) -> Result<(), Error> {
        if self.group.is_gone(self.rank) {
            let reason = "the rank has ended, and others no longer wait for it".into();
            return Err(Error::Unavailable {
                what: format!("a move of rank {}", self.rank),
                reason,
            });
        }
        Ok(())
    }

    /// Begins a move.
    pub fn begin(&mut self) {
        self.group.begin(self.rank);
        self.now += 1;
    }

    /// A rank that has not counted up to this move.
    pub fn behind(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) -> Option<usize> {
        self.outboxes
            .iter()
            .position(|rank| counter(&rank.progress).load(Ordering::Acquire) < self.now)
    }

    /// Whether a rank has unpacked all of this move, or has left it.
    pub fn has_unpacked(&self, rank: usize) -> bool {
        self.outboxes[rank].progress.unpacked.load(Ordering::Acquire) >= self.now
    }

    /// Waits until every rank has counted up to this move.
    pub fn wait_for(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) -> Result<(), Error> {
        self.wait_while(|| self.behind(&counter))
    }

    /// Waits until no rank is named any more. Fails if one is that has ended.
    pub fn wait_while(&self, named: impl Fn() -> Option<usize>) -> Result<(), Error> {
        // The others are seldom far behind, and going to sleep takes longer than most moves.
        for _ in 0..YIELDS {
            if named().is_none() {
                return Ok(());
            }
            std::thread::yield_now();
        }
        self.group.wait(self.rank, named)
    }

    pub fn count(&self, counter: impl Fn(&MoveProgress) -> &AtomicUsize) {
        counter(&self.own().progress).store(self.now, Ordering::Release);
        self.notify();
    }

    /// Wakes those that wait.
    pub fn notify(&self) {
        self.group.notify();
    }

    /// Notes that this rank only begins this move; to be called before it is counted.
    pub fn pack(&self) {
        self.own().progress.packs.store(self.now, Ordering::Relaxed);
    }

    /// Whether a rank, of those that have been counted, only begins this move.
    pub fn one_packs(&self) -> bool {
        self.outboxes.iter().any(|rank| rank.progress.packs.load(Ordering::Relaxed) == self.now)
    }

    /// Notes that this rank leaves its part of this move undone; to be called before it is counted
    /// as through.
    pub fn fail(&self) {
        self.own().progress.failed.store(self.now, Ordering::Relaxed);
    }

    /// Which rank, of those that are through, has left its part of this move undone.
    pub fn failed(&self) -> Option<Error> {
        let rank = self
            .outboxes
            .iter()
            .position(|rank| rank.progress.failed.load(Ordering::Relaxed) == self.now)?;
        self.group.tell(self.rank);
        Some(Error::PeerFailed { rank, reason: "a panic while it copied".into() })
    }

    /// Notes why this rank is not ready for this move.
    pub fn refuse(&self, error: &Error) {
        let mut refused =
            self.own().progress.refused.lock().unwrap_or_else(PoisonError::into_inner);
        *refused = Some((self.now, error.clone()));
    }

    /// Why this move must not go on, if another rank is not ready.
    pub fn refusal(&self) -> Result<(), Error> {
        for (rank, outbox) in self.outboxes.iter().enumerate() {
            let refused = outbox.progress.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, error)) = refused.as_ref().filter(|(round, _)| *round == self.now) {
                self.group.tell(self.rank);
                return Err(Error::PeerFailed { rank, reason: error.reason() });
            }
        }
        Ok(())
    }
}
