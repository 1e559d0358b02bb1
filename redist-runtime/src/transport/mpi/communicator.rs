//! Our own communicator; its calls end the job on errors if other ranks wait for them.

use super::life::{abort_for, check_that_mpi_is_there, told};
use crate::error::Error;
use crate::transport::wire;
use redist_mpi::{Communicator, Message, Operation, Request};
use std::cell::RefCell;
use std::ffi::c_int;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// A tag of no message of plans: theirs begin behind it (`tags.rs`).
const NEVER_SENT: c_int = 0;

/// A communicator of our own, with errors returned. Dropping waits for no rank: the communicator is
/// freed when this thread next makes one, because both are collective calls.
#[derive(Debug)]
pub struct OwnCommunicator(ManuallyDrop<Communicator>);

thread_local! {
    /// Communicators to free. Communicators of a thread that has ended stay until MPI ends.
    static DROPPED: ManuallyDrop<RefCell<Vec<Communicator>>> =
        const { ManuallyDrop::new(RefCell::new(Vec::new())) };
}

impl OwnCommunicator {
    /// Takes a communicator that nobody else has.
    pub fn adopt(own: Communicator) -> Self {
        Self(ManuallyDrop::new(own))
    }

    /// Duplicates a communicator. Collective.
    pub(crate) fn duplicate_of(communicator: &Communicator) -> Result<Self, Error> {
        check_that_mpi_is_there()?;
        drop(DROPPED.with(|dropped| dropped.take()));
        communicator.duplicate().map(Self::adopt).map_err(|why| told(0, why))
    }

    /// Duplicates it again. Collective.
    pub fn again(&self) -> Result<Self, Error> {
        Self::duplicate_of(&self.0)
    }

    /// Returns `true` if both have the same ranks in the same order.
    pub(crate) fn has_the_ranks_of(&self, other: &Self) -> Result<bool, Error> {
        self.check(self.0.has_the_ranks_of(&other.0))
    }

    /// Returns, for each rank, `true` if it is of another launch than this one. Local.
    pub(super) fn are_of_other_launches(&self) -> Result<Vec<bool>, Error> {
        let world = self.check(redist_mpi::world())?;
        let there = self.check(world.ranks_of(&self.0))?;
        Ok(there.iter().map(Option::is_none).collect())
    }

    /// Converts an error to one of this rank.
    pub fn check<T>(&self, result: Result<T, redist_mpi::Error>) -> Result<T, Error> {
        result.map_err(|why| told(self.rank(), why))
    }

    /// Returns the result of a call that other ranks wait for: an error ends the job.
    pub(crate) fn must<T>(&self, result: Result<T, redist_mpi::Error>) -> Result<T, Error> {
        self.check(result).inspect_err(|error| abort_for(self, error))
    }

    /// Returns the smallest of each number over all ranks. Collective. MPICH 4.0 takes numbers from
    /// 2^63 on for negative ones. The order of complements is reversed, too, so the minima of a
    /// number and its complement still show if all ranks passed the same.
    pub fn minima<const N: usize>(&self, mine: [u64; N]) -> Result<[u64; N], Error> {
        let mut smallest = mine;
        self.must(self.0.allreduce(&mine, &mut smallest, Operation::Min))?;
        Ok(smallest)
    }

    /// Puts the least of all ranks' numbers in the place of each number, for any count. Collective.
    pub fn minima_of(&self, numbers_of_all: &mut [u64]) -> Result<(), Error> {
        if numbers_of_all.is_empty() {
            return Ok(());
        }
        let mine = numbers_of_all.to_vec();
        self.must(self.0.allreduce(&mine, numbers_of_all, Operation::Min))
    }

    /// Returns the error of a rank, or this rank's own if it has one. Collective.
    pub fn failure_of(&self, rank: usize, own: Option<&Error>) -> Result<Error, Error> {
        let text = own.map(Error::reason).unwrap_or_default();
        let reason = self.broadcast_text(rank, &text)?;
        Ok(own.cloned().unwrap_or(Error::PeerFailed { rank, reason }))
    }

    /// Broadcasts a text for people to read. Collective.
    pub fn broadcast_text(&self, root: usize, text: &str) -> Result<String, Error> {
        let bytes = self.broadcast_bytes(root, text.as_bytes())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Broadcasts the bytes of one rank; no more than may be sent. Collective.
    pub fn broadcast_bytes(&self, root: usize, bytes: &[u8]) -> Result<Vec<u8>, Error> {
        let mine = wire::clipped(bytes);
        let mut len = (mine.len() as u64).to_be_bytes();
        self.must(self.0.bcast(root, &mut len))?;
        let len = u64::from_be_bytes(len);
        let len = wire::length(len).map_err(|error| error.told_by(self.rank()))?;
        if len == 0 {
            return Ok(Vec::new());
        }
        let mut bytes = if self.rank() == root { mine.to_vec() } else { vec![0; len] };
        self.must(self.0.bcast(root, &mut bytes))?;
        Ok(bytes)
    }

    /// Begins to send; if it `is_awaited`, the request is complete once the receiver receives.
    ///
    /// # Safety
    /// The bytes stay in place, and are not written to, until the request is complete.
    pub(crate) unsafe fn begin_send(
        &self,
        bytes: *const u8,
        len: usize,
        to: usize,
        tag: c_int,
        is_awaited: bool,
    ) -> Result<Request, Error> {
        // SAFETY: the caller leaves the bytes untouched until the request is complete.
        self.must(unsafe {
            match is_awaited {
                true => self.0.issend(bytes, len, to, tag),
                false => self.0.isend(bytes, len, to, tag),
            }
        })
    }

    /// Lets the library make progress. A probe that finds a message returns without any, so that
    /// this one asks for a tag that nobody sends.
    pub(crate) fn progress(&self) -> Result<(), Error> {
        self.must(self.0.iprobe(None, Some(NEVER_SENT))).map(drop)
    }

    /// Returns a message with this tag from any rank; else lets the library make progress.
    pub(crate) fn next_message(&self, tag: c_int) -> Result<Option<MatchedMessage<'_>>, Error> {
        self.next_message_of(None, tag)
    }

    /// Looks for a message as [`next_message`](Self::next_message) does, from one rank, or from any
    /// rank.
    pub(crate) fn next_message_of(
        &self,
        from: Option<usize>,
        tag: c_int,
    ) -> Result<Option<MatchedMessage<'_>>, Error> {
        self.message_of(from, Some(tag))
    }

    /// Looks for a message of any rank with any tag, as [`next_message`](Self::next_message) does.
    pub(crate) fn any_message(&self) -> Result<Option<MatchedMessage<'_>>, Error> {
        self.message_of(None, None)
    }

    fn message_of(
        &self,
        from: Option<usize>,
        tag: Option<c_int>,
    ) -> Result<Option<MatchedMessage<'_>>, Error> {
        let Some(message) = self.must(self.0.improbe(from, tag))? else { return Ok(None) };
        let len = self.must(message.status().count::<u8>())?.unwrap_or(usize::MAX);
        let source = message.status().source();
        Ok(Some(MatchedMessage { message, source, len }))
    }

    pub(crate) fn receive(&self, found: MatchedMessage<'_>, bytes: &mut [u8]) -> Result<(), Error> {
        assert_eq!(bytes.len(), found.len, "room for the message");
        self.must(found.message.recv(bytes))
    }

    /// Receives a message whose length its sender tells.
    pub(crate) fn receive_whole(&self, found: MatchedMessage<'_>) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; found.len];
        self.receive(found, &mut bytes)?;
        Ok(bytes)
    }

    /// Receives a message that no caller wants.
    pub(crate) fn receive_away(&self, found: MatchedMessage<'_>) -> Result<(), Error> {
        self.receive_whole(found).map(drop)
    }
}

/// A message that no other call can receive.
pub(crate) struct MatchedMessage<'a> {
    message: Message<'a>,
    /// Rank that sent it.
    pub source: usize,
    /// Its bytes.
    pub len: usize,
}

impl Deref for OwnCommunicator {
    type Target = Communicator;

    fn deref(&self) -> &Communicator {
        &self.0
    }
}

impl Drop for OwnCommunicator {
    fn drop(&mut self) {
        // SAFETY: the field is taken once, and not used after this.
        let own = unsafe { ManuallyDrop::take(&mut self.0) };
        // The value of a thread that ends is not there, perhaps.
        let dropped = DROPPED.try_with(|dropped| dropped.borrow_mut().push(own));
        debug_assert!(dropped.is_ok(), "values that need no drop are always there");
    }
}
