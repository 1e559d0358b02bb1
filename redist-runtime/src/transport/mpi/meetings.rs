//! What all ranks of a context do together, in one order, and what ends that.
//!
//! They vote by the library's reductions, or, once they have memory that they share, there: that
//! takes a store and a wait. On several nodes, those of a node vote in memory, and nodes tell each
//! other (`reports.rs`).

use super::communicator::OwnCommunicator;
use super::life::check_that_mpi_is_there;
use super::parcels::{Parcels, WholePiece};
use super::reports::Reports;
use super::vote::{Ballot, Maxima, Meanwhile, Occasion, Pending, Vote};
use crate::error::Error;
use crate::transport::ballots::Ballots;
use redist_mpi::Request;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

/// The ranks of a context, seen from one of them.
#[derive(Debug)]
pub(super) struct Meetings {
    communicator: Arc<OwnCommunicator>,
    /// Votes in shared memory, once there is some.
    ballots: OnceLock<Ballots<Maxima>>,
    /// What other nodes are told of these, where there are several.
    reports: OnceLock<Reports>,
    /// Whether that has been given back.
    is_closed: AtomicBool,
    /// Why all later calls have been given up: ranks have made different ones.
    broken: OnceLock<Error>,
    /// The only one that may use what the context has.
    thread: ThreadId,
}

impl Meetings {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self {
            communicator,
            ballots: OnceLock::new(),
            reports: OnceLock::new(),
            is_closed: AtomicBool::new(false),
            broken: OnceLock::new(),
            thread: thread::current().id(),
        }
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
        check_that_mpi_is_there()?;
        self.broken.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Whether all ranks set something up now, as they say by calling this. Collective.
    ///
    /// # Errors
    /// Some do not, and so no call can be made any more: the same on every rank.
    pub fn meet(&self) -> Result<(), Error> {
        self.check()?;
        self.hold(&mut Vote::new(), Occasion::Setup, &Ok(()))
    }

    /// Tells all ranks whether this one has failed in what they do together, and waits for them: one
    /// that has, if any. Collective.
    pub fn part(&self, vote: &mut Vote, failed: bool) -> Result<Option<usize>, Error> {
        let rank = self.communicator.rank();
        let ready = match failed {
            true => Err(Error::PeerFailed { rank, reason: String::new() }),
            false => Ok(()),
        };
        self.hold(vote, Occasion::Parting, &ready)?;
        Ok(vote.failed().map(|(rank, _)| rank))
    }

    /// Votes, and waits for all ranks.
    fn hold(
        &self,
        vote: &mut Vote,
        subject: Occasion,
        ready: &Result<(), Error>,
    ) -> Result<(), Error> {
        let ballot = Ballot::on(subject, self.communicator.rank(), ready);
        // SAFETY: the vote, which is borrowed until then, is waited for below; an error of the
        // library in either call ends the job (`must`), so that nothing returns early.
        unsafe { self.begin(vote, ballot, None) }?;
        self.wait(vote)?;
        self.agreed(vote)
    }

    /// Begins a vote. Collective; waits for nothing. The parcels, of which there are some only where
    /// votes are [reported](Self::reports), travel with it where all ranks of this node turn out to be ready.
    ///
    /// # Safety
    /// The vote is [waited](Self::wait) for before it is dropped, and before it begins anew.
    pub unsafe fn begin(
        &self,
        vote: &mut Vote,
        ballot: Ballot<'_>,
        parcels: Option<(Parcels, &mut Vec<WholePiece>)>,
    ) -> Result<(), Error> {
        match self.ballots() {
            Some(ballots) => {
                let number = ballots.post(ballot.packed());
                vote.pending = Pending::Memory(number);
                if let Some(reports) = self.reports.get() {
                    reports.open(number, parcels, &mut vote.parcels)?;
                    tell(ballots, reports)?;
                }
            }
            // SAFETY: the caller waits for the vote, and so for its request.
            None => unsafe { vote.begin(&self.communicator, ballot) }?,
        }
        Ok(())
    }

    /// Waits for a vote, if it is under way.
    ///
    /// # Errors
    /// MPI has been finalised, with which go requests, and memory to vote in; or what the library says;
    /// or that ranks have made different calls.
    pub fn wait(&self, vote: &mut Vote) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        match &mut vote.pending {
            Pending::Nothing => return Ok(()),
            Pending::Library(request) => self.communicator.wait(request)?,
            Pending::Memory(number) => {
                let (number, ballots) = (*number, self.ballots.get().expect("it was posted there"));
                if !self.is_closed.load(Ordering::Relaxed) {
                    match self.reports.get() {
                        Some(reports) => self.wait_for_reports(ballots, reports, number)?,
                        None => ballots.wait(number, || self.progress())?,
                    }
                }
                // Where ranks have made different calls, some votes never come to an end.
                let none = || Error::DifferentMoves { rank: self.communicator.rank() };
                let mut tally = ballots.take(number).ok_or_else(none)?;
                if let Some(reports) = self.reports.get()
                    && !reports.take(number, &mut tally, &mut vote.parcels)
                {
                    return Err(none());
                }
                vote.settle(tally);
            }
        }
        vote.pending = Pending::Nothing;
        Ok(())
    }

    /// Lets the library work, where a call can be made.
    fn progress(&self) -> Result<(), Error> {
        self.check().and_then(|()| self.communicator.progress())
    }

    /// Waits until all ranks of this node have voted, and all other nodes have told.
    fn wait_for_reports(
        &self,
        ballots: &Ballots<Maxima>,
        reports: &Reports,
        number: u64,
    ) -> Result<(), Error> {
        let mut polls = 0usize;
        while !is_told(ballots, reports, number)? {
            polls += 1;
            if polls.is_multiple_of(reports.polls) {
                self.check()?;
                thread::yield_now();
            }
        }
        Ok(())
    }

    /// Whether a vote is over.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub fn is_over(&self, vote: &mut Vote) -> Result<bool, Error> {
        check_that_mpi_is_there()?;
        match &mut vote.pending {
            Pending::Nothing => Ok(true),
            Pending::Library(request) => self.communicator.is_done(request),
            Pending::Memory(number) => {
                let ballots = self.ballots.get().expect("it was posted there");
                let is_closed = self.is_closed.load(Ordering::Relaxed);
                match self.reports.get().filter(|_| !is_closed) {
                    Some(reports) => is_told(ballots, reports, *number),
                    None => Ok(is_closed || ballots.is_over(*number)),
                }
            }
        }
    }

    /// Where votes are held, if there is memory for it.
    fn ballots(&self) -> Option<&Ballots<Maxima>> {
        self.ballots.get().filter(|_| !self.is_closed.load(Ordering::Relaxed))
    }

    /// Has all later votes held in memory. On all ranks between the same votes.
    pub fn vote_in(&self, ballots: Ballots<Maxima>) {
        // It is called once, when the memory is made.
        let _ = self.ballots.set(ballots);
    }

    /// As [`vote_in`](Self::vote_in), by the ranks of this node, and what they come to told to others.
    pub fn vote_over_nodes(&self, ballots: Ballots<Maxima>, reports: Reports) {
        let _ = self.reports.set(reports);
        self.vote_in(ballots);
    }

    /// What nodes tell each other of votes, where they do, and where all later votes are told.
    pub fn reports(&self) -> Option<&Reports> {
        self.ballots().and_then(|_| self.reports.get())
    }

    /// Has no later votes held in memory, which will go: waits for those that are under way there.
    /// On all ranks between the same votes.
    pub fn close(&self) {
        if let Some(ballots) = self.ballots() {
            // Where ranks have made different calls, some may never vote on what others have.
            let _ = match self.reports.get() {
                Some(reports) => self.wait_for_all(ballots, reports),
                None => ballots.wait_for_all(|| self.progress(), Maxima::is_about_one_thing),
            };
            self.is_closed.store(true, Ordering::Relaxed);
        }
    }

    fn wait_for_all(&self, ballots: &Ballots<Maxima>, reports: &Reports) -> Result<(), Error> {
        let work = || self.check().and_then(|()| work(ballots, reports));
        ballots.wait_for_all(work, Maxima::is_about_one_thing)?;
        work()?;
        while let Some((number, mut tally)) = reports.unfinished() {
            tally.include(&ballots.tally(number));
            if !tally.is_about_one_thing() {
                break;
            }
            work()?;
            thread::yield_now();
        }
        Ok(())
    }

    /// Whether a vote that is over was about the same on all ranks.
    ///
    /// # Errors
    /// It was not, and so no call can be made any more.
    pub fn agreed(&self, vote: &Vote) -> Result<(), Error> {
        vote.subject(self.communicator.rank()).map_err(|error| {
            self.reports.get().into_iter().for_each(Reports::keep);
            self.broken.get_or_init(|| error).clone()
        })
    }

    /// Whether all ranks are known to take part in nothing any more, where they vote in memory; lets
    /// the library work on what others may have sent to this one.
    pub fn have_all_ended(&self) -> bool {
        let far = self.reports().is_none_or(Reports::have_all_ended);
        let near = |ballots: &Ballots<Maxima>| ballots.have_all_ended();
        self.ballots().is_none_or(near) && far || self.communicator.progress().is_err()
    }

    /// Tells the other ranks that this one takes part in nothing any more: those that vote on
    /// something else learn of it. The words of the vote are never freed.
    pub fn end(&self) -> Vec<Request> {
        let rank = self.communicator.rank();
        if self.check().is_err() {
            return Vec::new();
        }
        if let Some(ballots) = self.ballots() {
            ballots.end();
            let Some(reports) = self.reports.get() else { return Vec::new() };
            let told = |(number, tally)| reports.tell_last(number, &tally);
            return ballots.last_words().into_iter().flat_map(told).collect();
        }
        let ready = Err(Error::RankEnded { rank, how: String::new(), here: rank });
        let ballot =
            Ballot { meanwhile: Meanwhile::Leaves, ..Ballot::on(Occasion::End, rank, &ready) };
        let vote = Box::leak(Box::new(Vote::new()));
        // SAFETY: the vote is leaked, so that it is never dropped, and it is begun this once.
        if unsafe { vote.begin(&self.communicator, ballot) }.is_err() {
            return Vec::new();
        }
        match mem::replace(&mut vote.pending, Pending::Nothing) {
            Pending::Library(request) => vec![request],
            Pending::Nothing | Pending::Memory(_) => Vec::new(),
        }
    }
}

/// Tells other nodes what there is to tell, and takes in what they have told.
fn work(ballots: &Ballots<Maxima>, reports: &Reports) -> Result<(), Error> {
    tell(ballots, reports)?;
    reports.receive()
}

/// As [`work`]; whether a vote is over then, and others have been told of it.
fn is_told(ballots: &Ballots<Maxima>, reports: &Reports, number: u64) -> Result<bool, Error> {
    work(ballots, reports)?;
    Ok(ballots.is_complete(number) && reports.is_complete(number))
}

/// Tells other nodes of the votes that all ranks of this one have voted on.
fn tell(ballots: &Ballots<Maxima>, reports: &Reports) -> Result<(), Error> {
    while let Some(number) = ballots.next_complete() {
        reports.tell(number, &ballots.tally(number), || ballots.claim(number))?;
    }
    Ok(())
}
