//! Joint calls of all ranks of a context, in one order, and their end. Ranks vote by the library's
//! reductions. On several nodes with shared memory, a node's ranks vote there, and nodes exchange
//! reports (`reports.rs`).

use super::communicator::OwnCommunicator;
use super::life::check_that_mpi_is_there;
use super::parcels::{Parcels, WholePiece};
use super::reports::Reports;
use super::vote::{Ballot, Maxima, Occasion, Pending, Vote};
use crate::error::Error;
use crate::transport::ballots::Ballots;
use redist_mpi::Request;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, ThreadId};

#[derive(Debug)]
pub(super) struct Meetings {
    communicator: Arc<OwnCommunicator>,
    over_nodes: OnceLock<(Ballots<Maxima>, Reports)>,
    is_closed: AtomicBool,
    /// The error of all later calls, once ranks have made different ones.
    broken: OnceLock<Error>,
    /// The only thread that may use the context.
    thread: ThreadId,
}

impl Meetings {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self {
            communicator,
            over_nodes: OnceLock::new(),
            is_closed: AtomicBool::new(false),
            broken: OnceLock::new(),
            thread: thread::current().id(),
        }
    }

    pub fn communicator(&self) -> &Arc<OwnCommunicator> {
        &self.communicator
    }

    pub fn is_ours(&self) -> bool {
        self.thread == thread::current().id()
    }

    pub fn check(&self) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        self.broken.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Checks that all ranks set something up now; else no rank can make later calls. Collective.
    pub fn meet(&self) -> Result<(), Error> {
        self.check()?;
        self.hold(&mut Vote::new(), Occasion::Setup, &Ok(()))
    }

    fn hold(
        &self,
        vote: &mut Vote,
        subject: Occasion,
        ready: &Result<(), Error>,
    ) -> Result<(), Error> {
        let ballot = Ballot::on(subject, self.communicator.rank(), ready);
        // SAFETY: the vote, which is borrowed until then, is waited for below. An error of the
        // library in either call ends the job (`must`), so that nothing returns early.
        unsafe { self.begin(vote, ballot, None) }?;
        self.wait(vote)?;
        self.agreed(vote)
    }

    /// Begins a vote. Collective; never waits. Parcels, which need [reports](Self::reports), travel
    /// with it if all ranks of this node are ready.
    ///
    /// # Safety
    /// The vote is [waited](Self::wait) for before its drop and its next beginning.
    pub unsafe fn begin(
        &self,
        vote: &mut Vote,
        ballot: Ballot<'_>,
        parcels: Option<(Parcels, &mut Vec<WholePiece>)>,
    ) -> Result<(), Error> {
        match self.over_nodes() {
            Some((ballots, reports)) => {
                let number = ballots.post(ballot.packed());
                vote.pending = Pending::Memory(number);
                reports.open(number, parcels, &mut vote.parcels)?;
                tell(ballots, reports)?;
            }
            // SAFETY: the caller waits for the vote, and so for its request.
            None => unsafe { vote.begin(&self.communicator, ballot) }?,
        }
        Ok(())
    }

    /// Waits for a vote under way. Fails if ranks made different calls, or MPI fails or has ended.
    pub fn wait(&self, vote: &mut Vote) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        match &mut vote.pending {
            Pending::Nothing => return Ok(()),
            Pending::Library(request) => self.communicator.wait(request)?,
            Pending::Memory(number) => {
                let number = *number;
                let (ballots, reports) = self.over_nodes.get().expect("it was posted there");
                if !self.is_closed.load(Ordering::Relaxed) {
                    self.wait_for_reports(ballots, reports, number)?;
                }
                // If ranks have made different calls, some votes never come to an end.
                let none = || Error::DifferentMoves { rank: self.communicator.rank() };
                let mut tally = ballots.take(number).ok_or_else(none)?;
                if !reports.take(number, &mut tally, &mut vote.parcels) {
                    return Err(none());
                }
                vote.settle(tally);
            }
        }
        vote.pending = Pending::Nothing;
        Ok(())
    }

    /// Waits until all ranks of this node have voted, and all other nodes have reported.
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

    pub fn is_over(&self, vote: &mut Vote) -> Result<bool, Error> {
        check_that_mpi_is_there()?;
        match &mut vote.pending {
            Pending::Nothing => Ok(true),
            Pending::Library(request) => self.communicator.is_done(request),
            Pending::Memory(number) => {
                let votes = self.over_nodes();
                votes.map_or(Ok(true), |(ballots, reports)| is_told(ballots, reports, *number))
            }
        }
    }

    /// Returns the votes of this node, which it reports to others, until the memory goes.
    fn over_nodes(&self) -> Option<&(Ballots<Maxima>, Reports)> {
        self.over_nodes.get().filter(|_| !self.is_closed.load(Ordering::Relaxed))
    }

    fn ballots(&self) -> Option<&Ballots<Maxima>> {
        self.over_nodes().map(|(ballots, _)| ballots)
    }

    /// Holds all later votes in memory. On all ranks between the same votes.
    pub fn vote_over_nodes(&self, ballots: Ballots<Maxima>, reports: Reports) {
        // The only call comes when the memory is made.
        let _ = self.over_nodes.set((ballots, reports));
    }

    pub fn reports(&self) -> Option<&Reports> {
        self.over_nodes().map(|(_, reports)| reports)
    }

    /// Waits for the votes in memory, and holds no later ones there, because the memory will go. On
    /// all ranks between the same votes.
    pub fn close(&self) {
        if let Some((ballots, reports)) = self.over_nodes() {
            // If ranks have made different calls, some may never vote on the others'.
            let _ = self.wait_for_all(ballots, reports);
            self.leave_memory();
        }
    }

    /// Holds no later votes in memory, which is about to be freed.
    pub fn leave_memory(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
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

    /// Checks that a finished vote had one subject on all ranks; else no later call can be made.
    pub fn agreed(&self, vote: &Vote) -> Result<(), Error> {
        vote.subject(self.communicator.rank()).map_err(|error| {
            self.over_nodes.get().into_iter().for_each(|(_, reports)| reports.keep());
            self.broken.get_or_init(|| error).clone()
        })
    }

    /// Returns `true` if all ranks, voting in memory, are known to have ended. Lets the library
    /// work on messages to this rank.
    pub fn have_all_ended(&self) -> bool {
        let far = self.reports().is_none_or(Reports::have_all_ended);
        self.have_ended_here() && far
    }

    /// As [`have_all_ended`](Self::have_all_ended), of this node's ranks alone.
    pub fn have_ended_here(&self) -> bool {
        let near = |ballots: &Ballots<Maxima>| ballots.have_all_ended();
        self.ballots().is_none_or(near) || self.communicator.progress().is_err()
    }

    pub fn end_here(&self) {
        self.ballots().into_iter().for_each(Ballots::end);
    }

    pub fn frees_windows(&self) -> bool {
        self.ballots().is_some_and(|ballots| ballots.frees_memory(self.is_ours()))
    }

    /// Publishes that this rank takes part in nothing any more, so that ranks that vote on other
    /// subjects learn of it. The words of the vote are leaked.
    pub fn end(&self) -> Vec<Request> {
        let rank = self.communicator.rank();
        if self.check().is_err() {
            return Vec::new();
        }
        if let Some((ballots, reports)) = self.over_nodes() {
            ballots.end();
            let told = |(number, tally)| reports.tell_last(number, &tally);
            return ballots.last_words().into_iter().flat_map(told).collect();
        }
        let ready = Err(Error::RankEnded { rank, how: String::new(), here: rank });
        let ballot = Ballot::of_the_end(rank, &ready);
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

fn work(ballots: &Ballots<Maxima>, reports: &Reports) -> Result<(), Error> {
    tell(ballots, reports)?;
    reports.receive()
}

/// As [`work`]; returns `true` if the vote is over and reported.
fn is_told(ballots: &Ballots<Maxima>, reports: &Reports, number: u64) -> Result<bool, Error> {
    work(ballots, reports)?;
    Ok(ballots.is_complete(number) && reports.is_complete(number))
}

fn tell(ballots: &Ballots<Maxima>, reports: &Reports) -> Result<(), Error> {
    while let Some(number) = ballots.next_complete() {
        reports.tell(number, &ballots.tally(number), || ballots.claim(number))?;
    }
    Ok(())
}
