//! The board of threads: progress and arrays in the memory of their process.

use super::group::{Group, Rank};
use super::outbox::{RankOutbox, SharedArrays};
use crate::error::Error;
use crate::transport::board::{Board, CollectiveCall, MoveMarks};
use crate::transport::sync::{Arc, IS_MODELLED, lock};

/// Looks of a rank with its own core before it offers that; small moves outrun the system call.
const LOOKS: usize = if IS_MODELLED { 0 } else { 30 };

/// One rank's view of all threads of a plan.
#[derive(Debug)]
pub(super) struct ThreadBoard {
    /// This rank's number.
    rank: usize,
    pub group: Arc<Group>,
    pub outboxes: Vec<Arc<RankOutbox>>,
    /// The number of the call that has opened the channel.
    opened: u64,
    /// The subject of the channel's moves.
    subject: u64,
}

impl ThreadBoard {
    pub fn new(rank: &Rank, outboxes: Vec<Arc<RankOutbox>>) -> Self {
        let (group, opened) = (Arc::clone(rank.group()), rank.last_call());
        let subject = group.subjects.of(opened, rank.size());
        Self { rank: rank.rank(), group, outboxes, opened, subject }
    }

    pub fn own(&self) -> &RankOutbox {
        &self.outboxes[self.rank]
    }
}

impl Board for ThreadBoard {
    type Arrays = SharedArrays;
    /// A rank that shares its array waits for its receivers in any case.
    const BUFFERS: usize = 1;

    fn ranks(&self) -> usize {
        self.outboxes.len()
    }

    fn marks(&self, rank: usize, _: usize) -> &MoveMarks<SharedArrays> {
        &self.outboxes[rank].marks
    }

    fn begin(&self) -> Result<CollectiveCall, Error> {
        self.group.begin(self.rank, self.subject)
    }

    fn last_call(&self, rank: usize) -> CollectiveCall {
        self.group.last_call(rank)
    }

    fn has_ended(&self, rank: usize) -> bool {
        self.group.has_ended(rank)
    }

    fn notify(&self) {
        self.group.notify(self.rank);
    }

    fn looks(&self, _: usize, _: usize) -> usize {
        if self.group.has_cores { LOOKS } else { 0 }
    }

    fn wait(
        &self,
        call: Option<CollectiveCall>,
        missing: &mut dyn FnMut() -> Option<usize>,
    ) -> Result<(), Error> {
        self.group.wait(self.rank, call, missing)
    }

    fn refuse(&self, error: &Error) {
        *lock(&self.own().refused) = Some(error.clone());
    }

    fn tell(&self) {
        self.group.tell(self.rank);
    }

    fn refusal(&self, rank: usize) -> Error {
        match &*lock(&self.outboxes[rank].refused) {
            // It has failed because of another rank in an earlier move of the call.
            Some(error @ Error::PeerFailed { .. }) => error.clone(),
            refused => {
                let reason = refused.as_ref().map(Error::reason).unwrap_or_default();
                Error::PeerFailed { rank, reason }
            }
        }
    }
}

impl Drop for ThreadBoard {
    fn drop(&mut self) {
        self.group.subjects.drop(self.opened);
    }
}
