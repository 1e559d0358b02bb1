//! What ranks that meet in a move find out of each other.
//!
//! Unsafe, since MPI reads and writes a vote while it is under way.

use super::channel::MpiChannel;
use super::joined::JoinedMessages;
use super::preflight;
use super::shared::SharedBytes;
use super::staging::Staging;
use super::vote::{Ballot, Meanwhile, Occasion};
use crate::error::Error;
use crate::plan::Side;
use crate::transport::{Arrays, Source, Target, Way};
use std::mem;

/// What all ranks do.
pub(super) enum Found {
    Messages,
    /// What the channel was opened for.
    Way,
    Lent {
        /// Whether destinations are lent, too.
        destinations: bool,
    },
}

impl MpiChannel {
    /// What all ranks do in a move that this rank runs.
    ///
    /// The vote comes first, where it may come to anything but messages. This ends. A rank that
    /// sends messages in any case votes when it has sent them, or the first of them where they go one
    /// at a time, and has posted its receives by then; so the vote comes to an end, and all ranks learn
    /// the same from it. If no rank sends, all make the same calls. If one does, all send and
    /// receive messages, empty ones where a rank was not ready.
    pub fn find_out(
        &mut self,
        ready: Result<(), Error>,
        arrays: &Arrays<'_>,
    ) -> Result<Found, Error> {
        self.begin_move(ready)?;
        self.shared = self.recognise(arrays);
        if !self.is_dense {
            self.shared = [None; 2];
        }
        let may_lend = self.shared[0].is_some() && self.communicator.context.is_one_node();
        if let Some(joined) = &mut self.joined {
            joined.restart();
            return Ok(Found::Messages);
        }
        if self.way.0 == Way::Messages && !may_lend {
            return Ok(Found::Messages);
        }
        // A rank that has left a move of chunks in the middle does without them from now on, which the
        // others may not know.
        let left = self.staging().is_some_and(Staging::was_left);
        // Where this rank's source is shared, the others' most likely are, and are copied from.
        if self.shared[0].is_none() {
            self.show_early(arrays.source.bytes());
        }
        if let Some(staging) = self.staging() {
            staging.decide(&self.showing, self.rounds);
        }
        self.vote(left)?;
        let found = self.wait_for_vote().and_then(|()| self.found());
        self.has_met = true;
        if !matches!(found, Ok(Found::Way)) {
            self.pass();
        }
        found
    }

    /// Votes in this move: whether this rank sends messages in any case.
    pub fn vote(&mut self, sends: bool) -> Result<(), Error> {
        let arrays = self.shared;
        let subject = Occasion::Move(self.communicator.number);
        let context = &self.communicator.context;
        let rank = self.communicator.rank();
        let packs_later = self.packed.as_ref().is_some_and(|packed| !packed.is_packed());
        let meanwhile = match (self.begun, sends, packs_later) {
            (true, ..) => Meanwhile::Leaves,
            (_, true, _) => Meanwhile::Sends,
            (.., true) => Meanwhile::WaitsToPack,
            (.., false) => Meanwhile::Waits,
        };
        let ballot = Ballot { rank, ready: &self.ready, meanwhile, arrays, subject };
        let parcels = self.joined.as_mut().filter(|_| self.ready.is_ok());
        let parcels = parcels.map(JoinedMessages::parcels);
        // SAFETY: where `has_voted` is set the request is waited for (`wait_for_vote`) before
        // `begin_move` unsets it for another vote, and before `drop` frees the vote. An error of the
        // library in between ends the job (`must`), and votes that differ have come to their end;
        // what is given up then is forgotten, not freed (`give_up`).
        unsafe { context.meetings().begin(&mut self.vote, ballot, parcels) }?;
        self.has_voted = true;
        if sends && self.begun {
            self.pass();
        }
        Ok(())
    }

    /// What the vote comes to: this rank's own reason first.
    pub fn outcome(&mut self) -> Result<(), Error> {
        let Some((rank, reason)) = self.vote.failed() else { return Ok(()) };
        Err(mem::replace(&mut self.ready, Ok(()))
            .err()
            .unwrap_or(Error::PeerFailed { rank, reason }))
    }

    /// Waits for the outcome of the vote.
    ///
    /// Ranks that vote on different things, or that end, learn so together. Messages will never be
    /// complete: what is under way is given up, and so are all later calls of the context, whose
    /// messages could meet what is left of these.
    pub fn wait_for_vote(&mut self) -> Result<(), Error> {
        // Borrowed: a clone would wait until the others can see the vote.
        let meetings = self.communicator.context.meetings();
        let voted = meetings.wait(&mut self.vote);
        voted.and_then(|()| meetings.agreed(&self.vote)).inspect_err(|_| {
            self.communicator.keep();
            self.give_up();
        })
    }

    /// Shows what is all that this rank shows, before it is known that all ranks go that way: most
    /// do, and then nothing else is waited for.
    fn show_early(&mut self, source: &[u8]) {
        let (context, width) = (&self.communicator.context, self.element.bytes());
        let (Ok(()), Some(staging)) = (&self.ready, context.open_staging()) else { return };
        if let Some(own) = &self.only_chunk {
            staging.show_early(&mut self.showing, width, source, own);
        }
        if let Some(packed) = &self.packed {
            packed.show_early(staging);
        }
    }

    /// What the vote says that all do.
    fn found(&mut self) -> Result<Found, Error> {
        // A window is closed when the communicator is freed: on all ranks between the same moves.
        let is_closed = self.way.0 == Way::Chunks && self.staging().is_none();
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.vote.arrays(side).0);
        let lends = from != 0 && self.communicator.context.is_one_node();
        if self.vote.one_sends() || (is_closed && !lends) || (self.way.0 == Way::Messages && !lends)
        {
            return Ok(Found::Messages);
        }
        self.outcome()?;
        self.arrays_differ()?;
        Ok(if lends { Found::Lent { destinations: to != 0 } } else { Found::Way })
    }

    /// Whether what all ranks have brought as shared arrays are parts of one array, on either side;
    /// where some bring ordinary ones, nothing is asked. To be asked when the vote is over.
    pub fn one_array_a_side(&self) -> bool {
        [Side::Source, Side::Destination].into_iter().all(|side| {
            let (least, most) = self.vote.arrays(side);
            least == 0 || least == most
        })
    }

    /// Collective where the arrays are not parts of one: all ranks have run the move then, since
    /// one that starts it brings ordinary arrays.
    ///
    /// # Errors
    /// They are not: the lowest rank whose part is of another array than the oldest.
    pub fn arrays_differ(&self) -> Result<(), Error> {
        for (side, own) in [Side::Source, Side::Destination].into_iter().zip(self.shared) {
            let (least, most) = self.vote.arrays(side);
            if least != 0 && least != most {
                let rank =
                    preflight::lowest(&self.communicator, own != Some(least))?.unwrap_or_default();
                return Err(Error::DifferentArrays { rank, side });
            }
        }
        Ok(())
    }

    /// The numbers of the arrays that are shared. Where one was not made for the ranks of this
    /// channel, this rank is not ready.
    fn recognise(&mut self, arrays: &Arrays<'_>) -> [Option<u64>; 2] {
        let source = match &arrays.source {
            Source::Shared(array) => Some(*array),
            Source::Own(_) => None,
        };
        let target = match &arrays.target {
            Target::Shared(array) => Some(&**array),
            Target::Own(_) | Target::Kept => None,
        };
        for array in source.into_iter().chain(target) {
            array.check_that_it_is_ours();
        }
        if self.ready.is_ok() {
            self.ready = self.lending.recognise([source, target]);
        }
        [source, target].map(|array| array.map(SharedBytes::id))
    }
}
