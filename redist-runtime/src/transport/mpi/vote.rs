//! The agreement of all ranks by a reduction of the library. They vote to set something up, on moves
//! in which all have to learn of a fault, and that they make no call any more.

#[cfg(test)]
mod tests;

use super::communicator::OwnCommunicator;
use super::reason::{ENDED, REASON_WORDS, blame, read_reason, reason};
use crate::error::Error;
use crate::transport::board::CollectiveCall;
use redist_mpi::Request;

/// First word of the subject, as most and least. The word before is 0, for other versions.
const SUBJECT_AT: usize = REASON_WORDS + 1;

const WORDS: usize = SUBJECT_AT + 2;

/// More than all subjects. MPICH 4.0 takes numbers from 2^63 on for negative ones.
const NO_SUBJECT: u64 = 1 << 62;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VoteSubject {
    /// This rank finalises MPI, and votes no more.
    End,
    /// It sets something up, by a call of this number.
    Setup(u64),
    Move(CollectiveCall),
}

/// Bits of a subject below the number of its call.
const KIND_BITS: u32 = 15;

impl VoteSubject {
    fn number(self) -> u64 {
        match self {
            VoteSubject::End => 0,
            VoteSubject::Setup(call) => call << KIND_BITS | 1,
            VoteSubject::Move(call) => call.subject() << 1,
        }
    }
}

/// The highest rank that is not ready wins. Its reason travels with the vote: asking afterwards
/// would fail, because ranks may finish moves in different orders.
#[derive(Debug)]
pub(super) struct Vote {
    /// Boxed, because MPI writes to it.
    words: Box<Words>,
    request: Option<Request>,
}

#[derive(Debug)]
struct Words {
    mine: [u64; WORDS],
    most: [u64; WORDS],
}

impl Vote {
    pub fn new() -> Self {
        let words = Box::new(Words { mine: [0; WORDS], most: [0; WORDS] });
        Self { words, request: None }
    }

    /// Begins to vote. Collective.
    ///
    /// # Safety
    /// The vote [is over](Self::is_over) before it is dropped, and before it begins anew.
    pub unsafe fn begin(
        &mut self,
        communicator: &OwnCommunicator,
        subject: VoteSubject,
        ready: &Result<(), Error>,
    ) -> Result<(), Error> {
        self.words.mine = words(communicator.rank(), subject, ready);
        // SAFETY: the last vote is over, and the caller waits for this one before it drops it or
        // begins anew.
        unsafe { self.begin_again(communicator) }
    }

    /// Returns `true` if no vote is under way.
    pub fn is_over(&mut self, communicator: &OwnCommunicator) -> Result<bool, Error> {
        if let Some(request) = &mut self.request
            && communicator.is_done(request)?
        {
            self.request = None;
        }
        Ok(self.request.is_none())
    }

    pub fn is_under_way(&self) -> bool {
        self.request.is_some()
    }

    pub fn take_request(&mut self) -> Option<Request> {
        self.request.take()
    }

    /// Returns the unready rank, with its reason. To be asked when the vote is over.
    pub fn failed(&self) -> Option<(usize, String)> {
        read_reason(&self.words.most)
    }

    /// Returns `true` if all ranks voted on one subject; errors are those of rank `here`. Returns
    /// `false` if another rank had given up its vote in an earlier call, so that this one votes again.
    /// To be asked when the vote is over.
    pub fn is_common(&self, here: usize) -> Result<bool, Error> {
        let [most, least] = [0, 1].map(|word| self.words.most[SUBJECT_AT + word]);
        let (own, least) = (self.words.mine[SUBJECT_AT], NO_SUBJECT - least);
        let call = |subject: u64| subject >> KIND_BITS;
        match self.failed() {
            _ if most == least => Ok(true),
            Some((rank, how)) if least == VoteSubject::End.number() && how == ENDED => {
                Err(Error::RankEnded { rank, how, here })
            }
            _ if call(own) == call(most) && call(least) < call(own) => Ok(false),
            _ => Err(Error::DifferentMoves { rank: here }),
        }
    }

    /// Votes the same again. Collective, as [`begin`](Self::begin).
    ///
    /// # Safety
    /// As for [`begin`](Self::begin).
    pub unsafe fn begin_again(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        let Words { mine, most } = &mut *self.words;
        // SAFETY: the words stay in their box, wherever the vote is moved. The last vote is over, and
        // the caller waits for this one before it calls this again, drops it, or asks for the outcome.
        self.request = Some(unsafe { communicator.begin_maxima(mine, most) }?);
        Ok(())
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
