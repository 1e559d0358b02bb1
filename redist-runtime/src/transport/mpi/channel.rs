//! Repeated moves over several nodes. Unsafe, because MPI accesses votes.

use super::brought::recognised;
use super::context::Context;
use super::joined::JoinedMessages;
use super::mail::{Inbox, Mail};
use super::tags::TaggedCommunicator;
use super::vote::{Ballot, Meanwhile, Occasion, Vote};
use crate::error::Error;
use crate::program::StridedArrays;
use crate::transport::{
    Arrays, Channel, GoesOn, Held, Messages, Outbox, Rooms, Shape, UsesSlots, Way,
};
use std::mem;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct MpiChannel {
    context: Arc<Context>,
    /// Bytes of the longest segment of a message on the same node, and to another node. All ranks
    /// fixed them at binding, so that both ends of a message agree.
    piece_bytes: [usize; 2],
    way: (Way, &'static str),
    communicator: TaggedCommunicator,
    vote: Vote,
    /// This rank has voted in this move, and has waited for the outcome before sending.
    has_voted: bool,
    has_met: bool,
    ready: Result<(), Error>,
    begun: bool,
    under_way: bool,
    mail: Option<Mail>,
    joined: Option<JoinedMessages>,
}

impl MpiChannel {
    pub fn new(
        context: &Arc<Context>,
        way: (Way, &'static str),
        joined: Option<JoinedMessages>,
        piece_bytes: [usize; 2],
        communicator: TaggedCommunicator,
    ) -> Self {
        Self {
            joined,
            context: Arc::clone(context),
            piece_bytes,
            way,
            vote: Vote::new(),
            has_voted: false,
            has_met: false,
            ready: Ok(()),
            begun: false,
            under_way: false,
            mail: None,
            communicator,
        }
    }

    /// Begins a move; a forgotten move ends first, because others may finish theirs.
    fn begin_move(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        self.context.meetings().check()?;
        if self.under_way {
            // No caller waits for the result.
            if self.agree().is_ok() {
                let _ = self.all();
            }
        }
        // The window goes when the communicator is freed: on all ranks between the same moves.
        if self.context.meetings().reports().is_none() {
            self.joined = None;
        }
        (self.ready, self.has_voted, self.begun) = (ready, false, false);
        self.has_met = false;
        self.under_way = false;
        Ok(())
    }

    /// Leaks memory that MPI may still read and write.
    fn give_up(&mut self) {
        if mem::take(&mut self.under_way) {
            self.mail.iter_mut().for_each(Mail::give_up);
            self.joined.iter_mut().for_each(JoinedMessages::give_up);
            mem::forget(mem::replace(&mut self.vote, Vote::new()));
        }
    }

    /// Votes in this move; `sends` if this rank takes part by messages in any case.
    fn vote(&mut self, sends: bool) -> Result<(), Error> {
        let subject = Occasion::Move(self.communicator.number);
        let context = &self.context;
        let rank = self.communicator.rank();
        let has_messages = || self.mail.as_ref().is_none_or(|mail| !mail.is_empty());
        let meanwhile = match sends {
            true if has_messages() => Meanwhile::Sends,
            true => Meanwhile::SendsNothing,
            false => Meanwhile::Waits,
        };
        let leaves = self.begun && sends;
        let ballot = Ballot { rank, ready: &self.ready, meanwhile, leaves, subject };
        let parcels = self.joined.as_mut().filter(|_| self.ready.is_ok());
        let parcels = parcels.map(JoinedMessages::parcels);
        // SAFETY: if `has_voted` is set, the request is waited for (`wait_for_vote`) before
        // `begin_move` unsets it for another vote, and before `drop` frees the vote. An error of
        // the library in between ends the job (`must`), and votes that differ have come to their
        // end. Anything given up then is forgotten, not freed (`give_up`).
        unsafe { context.meetings().begin(&mut self.vote, ballot, parcels) }?;
        self.has_voted = true;
        Ok(())
    }

    fn outcome(&mut self) -> Result<(), Error> {
        let Some((rank, reason)) = self.vote.failed() else { return Ok(()) };
        Err(mem::replace(&mut self.ready, Ok(()))
            .err()
            .unwrap_or(Error::PeerFailed { rank, reason }))
    }

    /// Waits for the outcome. Ranks that vote on different calls, or that end, learn so together.
    /// Their messages never complete, so this gives up those under way, and all later calls of the
    /// context, whose messages could match the leftovers.
    fn wait_for_vote(&mut self) -> Result<(), Error> {
        // Borrowed, because a clone would delay the vote's visibility.
        let meetings = self.context.meetings();
        let voted = meetings.wait(&mut self.vote);
        voted.and_then(|()| meetings.agreed(&self.vote)).inspect_err(|_| {
            self.communicator.keep();
            self.give_up();
        })
    }

    /// Votes as a rank that is not ready, and waits; `true` if this rank has to receive messages.
    /// It lists and allocates nothing before: its messages may be longer than any memory, and then
    /// no rank has the arrays to send them.
    fn is_sent_messages(&mut self) -> Result<bool, Error> {
        if !self.has_voted {
            self.vote(false)?;
            self.wait_for_vote()?;
        }
        Ok(self.vote.messages_go())
    }

    fn mail(&mut self) -> (&mut Mail, &TaggedCommunicator) {
        (self.mail.as_mut().expect("messages are prepared before they go"), &self.communicator)
    }
}

impl Channel for MpiChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn begin_call(&mut self, _: bool) -> Result<(), Error> {
        self.context.begin_call()
    }

    fn end_call(&mut self, _: Option<&Error>) {
        self.context.end_call();
    }

    fn memory(&self) -> Held {
        let mail = self.mail.as_ref().map_or(0, Mail::bytes);
        let joined = self.joined.as_ref().map_or(0, |joined| joined.bytes);
        Held { messages: mail + joined, window: 0 }
    }

    fn receives(&self) -> bool {
        true
    }

    fn arrays(&self) -> Option<StridedArrays> {
        None
    }

    fn context(&self) -> Option<&Arc<Context>> {
        Some(&self.context)
    }

    fn slots(&mut self) -> Option<&mut dyn UsesSlots> {
        None
    }

    fn packs_slots(&self) -> bool {
        false
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        let ready = ready.and_then(|()| recognised(arrays, &self.communicator));
        self.begin_move(ready)?;
        self.joined.iter_mut().for_each(JoinedMessages::restart);
        Ok(Shape::Messages)
    }

    fn begin(&mut self, ready: Result<(), Error>, _: GoesOn) -> Result<(), Error> {
        self.begin_move(ready)?;
        self.begun = true;
        self.joined.iter_mut().for_each(JoinedMessages::restart);
        Ok(())
    }

    fn prepare_messages(&mut self, messages: Arc<Messages>) {
        let (context, [near, far]) = (&self.context, self.piece_bytes);
        let max_bytes = |rank| if context.is_near(rank) { near } else { far };
        let mut mail = Mail::new(&messages, &max_bytes, &self.communicator);
        assert!(self.mail.is_none() || !self.under_way, "messages change between moves");
        if let Some(last) = self.mail.take() {
            mail.reuse(last);
        }
        self.mail = Some(mail);
        self.joined.iter_mut().for_each(|joined| joined.note_messages(&messages));
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.joined.is_none() && self.ready.is_err() && !self.is_sent_messages()? {
            return Ok(None);
        }
        self.under_way = true;
        if self.joined.is_some() {
            let joined = self.joined.as_mut().filter(|_| self.ready.is_ok());
            let rooms = joined.map(JoinedMessages::rooms).transpose()?.map(Rooms::Joined);
            return Ok(rooms.map(|rooms| Outbox { rooms, posting: None }));
        }
        let (mail, communicator) = self.mail();
        mail.restart(communicator, 0, |_| true)?;
        if !self.has_voted && self.context.votes_first() {
            self.vote(true)?;
        }
        if self.ready.is_err() {
            return Ok(None);
        }
        let (mail, communicator) = self.mail();
        let (buffer, posting) = mail.begin_packing(communicator);
        Ok(Some(Outbox { rooms: Rooms::Buffer(buffer), posting }))
    }

    fn send(&mut self) -> Result<(), Error> {
        if self.joined.is_some() {
            return self.vote(true);
        }
        if !self.under_way {
            return Ok(());
        }
        let (is_ready, begun, has_met) = (self.ready.is_ok(), self.begun, self.has_met);
        let has_failed = has_met && self.vote.failed().is_some();
        let (mail, communicator) = self.mail();
        if has_met || begun || !is_ready || !mail.is_in_turn() {
            // Messages are empty if this rank is not ready, so that no rank waits for them.
            while !has_failed && mail.post_next(communicator, is_ready)? {}
        } else {
            mail.post_in_turn(communicator)?;
        }
        // After the messages, for libraries that need it (`Library::ends_with_messages_left`).
        if self.has_voted { Ok(()) } else { self.vote(true) }
    }

    fn leave(&mut self) -> Result<(), Error> {
        let (rank, reason) = (self.communicator.rank(), "a panic while it packed".into());
        self.ready = Err(Error::PeerFailed { rank, reason });
        self.send()
    }

    fn test(&mut self) -> Result<bool, Error> {
        let voted = self.context.meetings().is_over(&mut self.vote)?;
        let is_through = match (&mut self.mail, &self.joined) {
            (Some(mail), None) if self.under_way => !mail.progress(&self.communicator, false)?,
            _ => true,
        };
        Ok(is_through && voted)
    }

    fn agree(&mut self) -> Result<(), Error> {
        self.wait_for_vote()?;
        if self.vote.failed().is_none() {
            return self.joined.as_ref().map_or(Ok(()), |joined| joined.check(&self.vote.parcels));
        }
        if self.joined.is_none() && self.under_way {
            let (mail, communicator) = self.mail();
            mail.drain(communicator)?;
        }
        self.under_way = false;
        self.outcome()
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        if self.joined.is_some() {
            return None;
        }
        let (mail, communicator) = self.mail();
        Some(Inbox::new(mail, communicator))
    }

    fn all(&mut self) -> Result<(), Error> {
        if self.joined.is_some() {
            return Ok(());
        }
        let (mail, communicator) = self.mail();
        mail.all(communicator)
    }

    fn message(&self, number: usize) -> &[u8] {
        match &self.joined {
            Some(joined) => joined.message(number, &self.vote.parcels),
            None => {
                self.mail.as_ref().expect("messages are prepared before they go").message(number)
            }
        }
    }

    fn end(&mut self) {
        self.under_way = false;
    }
}

impl Drop for MpiChannel {
    fn drop(&mut self) {
        let _ = self.begin_move(Ok(()));
        self.give_up();
    }
}
