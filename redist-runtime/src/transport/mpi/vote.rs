//! The agreement of all ranks by a reduction of the library. They vote to set something up, and on
//! moves in which all have to learn of a fault. Several programs vote on their readiness for a move.
//! Unsafe, because the library writes to the numbers after the call.

#[cfg(test)]
mod tests;

use super::communicator::OwnCommunicator;
use super::life::{check_that_mpi_is_there, is_over};
use super::reason::{REASON_WORDS, blame, read_reason, reason};
use crate::error::Error;
use crate::transport::MoveVote;
use crate::transport::board::CollectiveCall;
use redist_mpi::{Operation, Request};
use std::cell::OnceCell;
use std::mem;
use std::sync::Arc;
use std::thread;

/// Polls of a waiting rank before it offers its core, and answers other ranks.
const POLLS: usize = 8;

/// First word of the subject, as most and least.
const SUBJECT_AT: usize = REASON_WORDS;

/// Words of a ballot.
const WORDS: usize = SUBJECT_AT + 2;

/// More than all subjects. MPICH 4.0 takes numbers from 2^63 on for negative ones.
const NO_SUBJECT: u64 = 1 << 62;

/// The subject of a vote, the same on all ranks that agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VoteSubject {
    /// It sets something up, by a call of this number.
    Setup(u64),
    /// It makes a move, by this call.
    Move(CollectiveCall),
}

/// Bits of a subject below the number of its call, of 40 bits: for the channel, and for the kind.
const KIND_BITS: u32 = 21;

/// More than the subjects of channels that ranks vote about.
pub(super) const CHANNELS: usize = 1 << (KIND_BITS - 1);

impl VoteSubject {
    fn number(self) -> u64 {
        match self {
            VoteSubject::Setup(call) => call << KIND_BITS | 1,
            VoteSubject::Move(call) => {
                assert!(call.subject() < CHANNELS as u64, "a channel has a number of few bits");
                call.number() << KIND_BITS | call.subject() << 1
            }
        }
    }
}

/// A vote under way. The highest rank that is not ready wins. Its reason travels with the vote:
/// asking afterwards would fail, because ranks may finish moves in different orders.
pub(super) type Vote = Maxima<WORDS>;

/// The largest of each number over all ranks, less than 2^63, found while this rank does other work.
#[derive(Debug)]
pub(super) struct Maxima<const N: usize> {
    /// This rank's numbers, and the largest ones. Boxed, because MPI writes to them.
    numbers: Box<[[u64; N]; 2]>,
    request: Request,
}

impl<const N: usize> Maxima<N> {
    pub fn on(communicator: &OwnCommunicator) -> Self {
        Self { numbers: Box::new([[0; N]; 2]), request: communicator.no_request() }
    }

    /// Begins, once an earlier reduction is over. Collective.
    fn begin(&mut self, communicator: &OwnCommunicator, mine: [u64; N]) -> Result<(), Error> {
        self.wait(communicator)?;
        self.numbers[0] = mine;
        let [mine, most] = &mut *self.numbers;
        // SAFETY: the numbers stay in their box, wherever this value is moved. They are touched when
        // nothing is under way (`found`, and above), and dropped then, or leaked (`drop`).
        let begun =
            unsafe { communicator.iallreduce(mine.as_ptr(), most.as_mut_ptr(), N, Operation::Max) };
        self.request = communicator.must(begun)?;
        Ok(())
    }

    pub fn is_under_way(&self) -> bool {
        self.request.is_live()
    }

    /// Returns `true` if none is under way.
    pub fn is_over(&mut self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        if self.is_under_way() { communicator.must(self.request.test()) } else { Ok(true) }
    }

    fn wait(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        if self.is_under_way() { communicator.must(self.request.wait()) } else { Ok(()) }
    }

    /// Returns this rank's numbers, and the largest of all ranks. Panics before they are found.
    fn found(&self) -> &[[u64; N]; 2] {
        assert!(!self.is_under_way(), "the reduction is over");
        &self.numbers
    }
}

impl<const N: usize> Drop for Maxima<N> {
    /// Leaks what the library may still write to: it waits for no rank.
    fn drop(&mut self) {
        if self.is_under_way() && (is_over() || self.request.test() != Ok(true)) {
            mem::forget(mem::replace(&mut self.numbers, Box::new([[0; N]; 2])));
        }
    }
}

/// Calls that all ranks of a context make together, and their end.
#[derive(Debug)]
pub(super) struct Agreements {
    communicator: Arc<OwnCommunicator>,
    /// The error of a vote by which all ranks know that a rank has ended. No rank votes from then
    /// on.
    ended: OnceCell<Error>,
}

impl Agreements {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self { communicator, ended: OnceCell::new() }
    }

    pub fn communicator(&self) -> &Arc<OwnCommunicator> {
        &self.communicator
    }

    /// Fails if all ranks know that a rank has ended.
    pub fn check_vote(&self) -> Result<(), Error> {
        self.ended.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Checks that all ranks set something up now, by the same `call`. While it waits, answers
    /// other ranks by `meanwhile`. Collective.
    pub fn meet(
        &self,
        call: u64,
        meanwhile: impl FnMut() -> Result<(), Error>,
    ) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        self.check_vote()?;
        let mut vote = Vote::on(&self.communicator);
        self.begin(&mut vote, VoteSubject::Setup(call), &Ok(()))?;
        self.wait(&mut vote, meanwhile).map(drop)
    }

    /// Begins to vote. Collective.
    pub fn begin(
        &self,
        vote: &mut Vote,
        subject: VoteSubject,
        ready: &Result<(), Error>,
    ) -> Result<(), Error> {
        vote.begin(&self.communicator, words(self.communicator.rank(), subject, ready))
    }

    /// Waits for a vote under way, and returns the unready rank, with its reason. Fails if ranks made
    /// different calls, or if MPI fails or has ended.
    pub fn wait(
        &self,
        vote: &mut Vote,
        mut meanwhile: impl FnMut() -> Result<(), Error>,
    ) -> Result<Option<(usize, String)>, Error> {
        check_that_mpi_is_there()?;
        loop {
            let mut polls = 0usize;
            while !vote.is_over(&self.communicator)? {
                polls += 1;
                if polls.is_multiple_of(POLLS) {
                    meanwhile().inspect_err(|error| {
                        self.give_up(vote);
                        self.note_end(error);
                    })?;
                    thread::yield_now();
                }
            }
            let [mine, most] = vote.found();
            if is_common([mine, most], self.communicator.rank())? {
                return Ok(read_reason(most));
            }
            vote.begin(&self.communicator, *mine)?;
        }
    }

    /// Leaks a vote that is not waited for, and the communicator that it is on.
    pub fn give_up(&self, vote: &mut Vote) {
        mem::forget(mem::replace(vote, Vote::on(&self.communicator)));
        self.communicator.keep();
    }

    /// Notes the error of a vote for all later ones, if a rank has ended.
    fn note_end(&self, error: &Error) {
        if matches!(error, Error::RankEnded { .. }) {
            let _ = self.ended.set(error.clone());
        }
    }
}

/// Returns `true` if all ranks voted on one subject; errors are of rank `here`. Returns `false`
/// if another rank had given up its vote in an earlier call, so that this one votes again.
fn is_common([mine, of_all]: [&[u64; WORDS]; 2], here: usize) -> Result<bool, Error> {
    let [most, least] = [of_all[SUBJECT_AT], NO_SUBJECT - of_all[SUBJECT_AT + 1]];
    let call = |subject: u64| subject >> KIND_BITS;
    let own = call(mine[SUBJECT_AT]);
    match read_reason(of_all) {
        _ if most == least => Ok(true),
        _ if own == call(most) && call(least) < own => Ok(false),
        _ => Err(Error::DifferentMoves { rank: here }),
    }
}

fn words(rank: usize, subject: VoteSubject, ready: &Result<(), Error>) -> [u64; WORDS] {
    let (mut words, number) = ([0; WORDS], subject.number());
    if let Err(error) = ready {
        blame(&mut words[..], rank, reason(error));
    }
    words[SUBJECT_AT..].copy_from_slice(&[number, NO_SUBJECT - number]);
    words
}

/// A repeated vote of all ranks of a communicator on their readiness for a move. Dropping it leaves
/// a vote that is under way to the library. An error of the MPI library ends the job.
#[derive(Debug)]
pub struct Readiness {
    /// 0 for a ready rank; else the number of ranks from it on, largest for the lowest such rank.
    behind: Maxima<1>,
    /// Dropped after its reduction.
    communicator: OwnCommunicator,
}

impl Readiness {
    /// Makes a vote of all ranks of a communicator.
    pub fn on(communicator: OwnCommunicator) -> Self {
        Self { behind: Maxima::on(&communicator), communicator }
    }
}

impl MoveVote for Readiness {
    fn rank(&self) -> usize {
        self.communicator.rank()
    }

    fn begin(&mut self, is_ready: bool) -> Result<(), Error> {
        let behind = self.communicator.size() - self.communicator.rank();
        self.behind.begin(&self.communicator, [if is_ready { 0 } else { behind as u64 }])
    }

    fn test(&mut self) -> Result<bool, Error> {
        self.behind.is_over(&self.communicator)
    }

    fn finish(&mut self, mine: Result<(), Error>) -> Result<(), Error> {
        self.behind.wait(&self.communicator)?;
        let [_, [behind]] = *self.behind.found();
        if behind == 0 {
            return mine;
        }
        let rank = self.communicator.size().saturating_sub(behind as usize);
        Err(self.communicator.failure_of(rank, mine.as_ref().err())?)
    }
}
