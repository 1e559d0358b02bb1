//! Calls that all ranks of a context make together, and their end.

use super::communicator::OwnCommunicator;
use super::life::check_that_mpi_is_there;
use super::vote::{Vote, VoteSubject};
use crate::error::Error;
use redist_mpi::Request;
use std::cell::OnceCell;
use std::mem;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Polls of a waiting rank before it offers its core, and answers other ranks.
const POLLS: usize = 8;

/// Longest wait of a rank that ends for a vote that others have given up.
const GIVEN_UP: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(super) struct Meetings {
    communicator: Arc<OwnCommunicator>,
    /// The only thread that may use the context.
    thread: ThreadId,
    /// The error of a vote by which all ranks know of one that has ended. None votes any more.
    ended: OnceCell<Error>,
}

impl Meetings {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self { communicator, thread: thread::current().id(), ended: OnceCell::new() }
    }

    pub fn communicator(&self) -> &Arc<OwnCommunicator> {
        &self.communicator
    }

    pub fn is_ours(&self) -> bool {
        self.thread == thread::current().id()
    }

    /// Fails if all ranks know of one that has ended.
    pub fn check_vote(&self) -> Result<(), Error> {
        self.ended.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Checks that all ranks set something up now, by the same `call`. Answers other ranks
    /// `meanwhile`. Collective.
    pub fn meet(
        &self,
        call: u64,
        meanwhile: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        self.check_vote()?;
        let mut vote = Vote::new();
        // SAFETY: the vote is waited for below. An error of the library in either call ends the job
        // (`must`), so that nothing returns early.
        unsafe { vote.begin(&self.communicator, VoteSubject::Setup(call), &Ok(())) }?;
        self.wait(&mut vote, meanwhile)
    }

    /// Waits for a vote under way. Fails if ranks made different calls, or if MPI fails or has ended.
    pub fn wait(
        &self,
        vote: &mut Vote,
        mut meanwhile: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        if !vote.is_under_way() {
            return Ok(());
        }
        loop {
            let mut polls = 0usize;
            while !vote.is_over(&self.communicator)? {
                polls += 1;
                if polls.is_multiple_of(POLLS) {
                    meanwhile().inspect_err(|_| self.give_up(vote))?;
                    thread::yield_now();
                }
            }
            let is_common = vote.is_common(self.communicator.rank()).inspect_err(|error| {
                if matches!(error, Error::RankEnded { .. }) {
                    let _ = self.ended.set(error.clone());
                }
            })?;
            if is_common {
                return Ok(());
            }
            // SAFETY: the vote is waited for above, or leaked.
            unsafe { vote.begin_again(&self.communicator) }?;
        }
    }

    /// Leaks a vote that is not waited for, and the communicator that it is on.
    pub fn give_up(&self, vote: &mut Vote) {
        mem::forget(mem::replace(vote, Vote::new()));
        self.communicator.keep();
    }

    /// Publishes that this rank takes part in nothing any more, so that ranks that vote on other
    /// subjects learn of it. The words of the vote are leaked.
    pub fn end(&self) -> Option<Request> {
        let rank = self.communicator.rank();
        check_that_mpi_is_there().ok()?;
        let ready = Err(Error::RankEnded { rank, how: String::new(), here: rank });
        let vote = Box::leak(Box::new(Vote::new()));
        let mut last = Instant::now();
        // SAFETY: the vote is leaked, so that it is never dropped; it begins anew when it is over.
        unsafe { vote.begin(&self.communicator, VoteSubject::End, &ready) }.ok()?;
        while last.elapsed() < GIVEN_UP {
            if vote.is_over(&self.communicator).ok()? {
                if vote.is_common(rank) == Ok(true) {
                    return None;
                }
                // Another rank had given it up, and takes part in the next one.
                // SAFETY: the vote is leaked, so that it is never dropped, and the last one is over.
                unsafe { vote.begin_again(&self.communicator) }.ok()?;
                last = Instant::now();
            }
            thread::yield_now();
        }
        vote.take_request()
    }
}
