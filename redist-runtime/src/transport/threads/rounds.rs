//! How far the ranks of a channel have come, counted in exchanges, and waiting for them.

use super::group::Group;
use crate::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How often a rank offers its processor to the others before it goes to sleep until they are done.
const YIELDS: usize = 200;

/// How far a rank has come.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Where source arrays are lent: counted before anything is packed or copied.
    pub arrived: AtomicUsize,
    /// The last exchange that it only began, so that it cannot lend its source array.
    packs: AtomicUsize,
    pub packed: AtomicUsize,
    /// The exchange in which it panicked while it copied between lent arrays.
    panicked: AtomicUsize,
    pub unpacked: AtomicUsize,
    /// The exchange that it was not ready for, and why.
    refused: Mutex<Option<(usize, Error)>>,
}

/// All ranks of a channel, seen from one of them.
#[derive(Debug)]
pub(super) struct Rounds {
    rank: usize,
    group: Arc<Group>,
    progress: Vec<Arc<Progress>>,
    /// Number of exchanges that this rank has begun.
    pub now: usize,
}

impl Rounds {
    pub fn new(rank: usize, group: Arc<Group>, progress: Vec<Arc<Progress>>) -> Self {
        Self { rank, group, progress, now: 0 }
    }

    /// Begins an exchange.
    pub fn begin(&mut self) {
        self.group.begin(self.rank);
        self.now += 1;
    }

    /// A rank that has not counted up to this exchange.
    pub fn behind(&self, counter: impl Fn(&Progress) -> &AtomicUsize) -> Option<usize> {
        self.progress.iter().position(|rank| counter(rank).load(Ordering::Acquire) < self.now)
    }

    /// Whether a rank has unpacked all of this exchange, or has left it.
    pub fn has_unpacked(&self, rank: usize) -> bool {
        self.progress[rank].unpacked.load(Ordering::Acquire) >= self.now
    }

    /// Waits until every rank has counted up to this exchange.
    pub fn wait_for(&self, counter: impl Fn(&Progress) -> &AtomicUsize) -> Result<(), Error> {
        self.wait_while(|| self.behind(&counter))
    }

    /// Waits until no rank is named any more. Fails if one is that has ended.
    pub fn wait_while(&self, named: impl Fn() -> Option<usize>) -> Result<(), Error> {
        // The others are seldom far behind, and going to sleep takes longer than most exchanges.
        for _ in 0..YIELDS {
            if named().is_none() {
                return Ok(());
            }
            std::thread::yield_now();
        }
        self.group.wait(self.rank, named)
    }

    pub fn count(&self, counter: impl Fn(&Progress) -> &AtomicUsize) {
        counter(&self.progress[self.rank]).store(self.now, Ordering::Release);
        self.notify();
    }

    /// Wakes those that wait.
    pub fn notify(&self) {
        self.group.notify();
    }

    /// Notes that this rank only begins this exchange; to be called before it is counted.
    pub fn pack(&self) {
        self.progress[self.rank].packs.store(self.now, Ordering::Relaxed);
    }

    /// Whether a rank, of those that have been counted, only begins this exchange.
    pub fn somebody_packs(&self) -> bool {
        self.progress.iter().any(|rank| rank.packs.load(Ordering::Relaxed) == self.now)
    }

    /// Notes that this rank leaves its part of this exchange undone; to be called before it is counted as through.
    pub fn panic(&self) {
        self.progress[self.rank].panicked.store(self.now, Ordering::Relaxed);
    }

    /// Which rank, of those that are through, has left its part of this exchange undone.
    pub fn panicked(&self) -> Option<Error> {
        let rank = self.progress.iter().position(|rank| rank.panicked.load(Ordering::Relaxed) == self.now)?;
        self.group.tell(self.rank);
        Some(Error::PeerFailed { rank, reason: "a panic while it copied".into() })
    }

    /// Notes why this rank is not ready for this exchange.
    pub fn refuse(&self, error: &Error) {
        let mut refused = self.progress[self.rank].refused.lock().unwrap_or_else(PoisonError::into_inner);
        *refused = Some((self.now, error.clone()));
    }

    /// Why this exchange must not go on, if another rank is not ready.
    pub fn refusal(&self) -> Result<(), Error> {
        for (rank, progress) in self.progress.iter().enumerate() {
            let refused = progress.refused.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, error)) = refused.as_ref().filter(|(round, _)| *round == self.now) {
                self.group.tell(self.rank);
                return Err(Error::PeerFailed { rank, reason: error.reason() });
            }
        }
        Ok(())
    }
}
