//! What all ranks of a context do together, in one order, and what ends that.

use super::attribute::is_over;
use super::communicator::OwnCommunicator;
use super::context::finalised;
use super::request::Request;
use super::vote::{Ballot, Occasion, Vote};
use crate::error::Error;
use std::mem;
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

/// The ranks of a context, seen from one of them.
#[derive(Debug)]
pub(super) struct Meetings {
    communicator: Arc<OwnCommunicator>,
    /// Why all later calls have been given up: ranks have made different ones.
    broken: OnceLock<Error>,
    /// The only one that may use what the context has.
    thread: ThreadId,
}

impl Meetings {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self { communicator, broken: OnceLock::new(), thread: thread::current().id() }
    }

    /// For what all ranks do together.
    pub fn communicator(&self) -> &OwnCommunicator {
        &self.communicator
    }

    /// Whether this thread is that of the plans.
    pub fn is_ours(&self) -> bool {
        self.thread == thread::current().id()
    }

    /// Whether a call can be made.
    ///
    /// # Errors
    /// None can any more.
    pub fn check(&self) -> Result<(), Error> {
        if is_over() {
            return Err(finalised());
        }
        self.broken.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Whether all ranks set something up now, as they say by calling this. Collective.
    ///
    /// # Errors
    /// Some do not, and so no call can be made any more: the same on every rank.
    pub fn meet(&self) -> Result<(), Error> {
        self.check()?;
        let (mut vote, ready) = (Vote::new(), Ok(()));
        let ballot = Ballot {
            rank: self.communicator.rank(),
            ready: &ready,
            sends: false,
            arrays: [None; 2],
            subject: Occasion::Setup,
        };
        // SAFETY: the vote is begun once, and waited for below before it is dropped; an error of the
        // library in either call ends the job (`must`), so that nothing returns early.
        unsafe { vote.begin(&self.communicator, ballot) }?;
        self.communicator.wait(&mut vote.request)?;
        self.agreed(&vote)
    }

    /// Whether a vote that is over was about the same on all ranks.
    ///
    /// # Errors
    /// It was not, and so no call can be made any more.
    pub fn agreed(&self, vote: &Vote) -> Result<(), Error> {
        vote.subject(self.communicator.rank())
            .map_err(|error| self.broken.get_or_init(|| error).clone())
    }

    /// Tells the other ranks that this one takes part in nothing any more: those that vote on
    /// something else learn of it. The words of the vote are never freed.
    pub fn end(&self) -> Option<Request> {
        let rank = self.communicator.rank();
        self.check().ok()?;
        let ready = Err(Error::RankEnded { rank, how: String::new(), here: rank });
        let ballot =
            Ballot { rank, ready: &ready, sends: false, arrays: [None; 2], subject: Occasion::End };
        let vote = Box::leak(Box::new(Vote::new()));
        // SAFETY: the vote is leaked, so that it is never dropped, and it is begun this once.
        unsafe { vote.begin(&self.communicator, ballot) }.ok()?;
        Some(mem::replace(&mut vote.request, Request::none()))
    }
}
