//! Repeated moves over MPI.
//!
//! Unsafe, since it lends arrays: `lend.rs` says why that is sound.

use super::context::Context;
use super::inbox::Inbox;
use super::joined::JoinedMessages;
use super::lend::Lending;
use super::mail::Mail;
use super::meeting::Found;
use super::packed::{SlotMessages, SlotRooms};
use super::preflight;
use super::shared::SharedBytes;
use super::staging::{Showing, Staging};
use super::tags::TaggedCommunicator;
use super::vote::Vote;
use super::way::way;
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{RankChunks, ShownChunk};
use crate::transport::{
    Arrays, Channel, Held, Messages, Outbox, PackedSlots, Proposal, Rooms, Route, Shape, Shown,
    Source, Way,
};
use std::mem;
use std::sync::Arc;

/// A rank's end of a channel over MPI.
#[derive(Debug)]
pub(super) struct MpiChannel {
    pub element: ElementType,
    /// Bytes of the longest piece of a message within a node, and to another one: as they were when
    /// all ranks bound the plan, so that both ends of a message know the same.
    piece_bytes: [usize; 2],
    pub way: (Way, &'static str),
    pub communicator: TaggedCommunicator,
    pub vote: Vote,
    /// Whether this rank has voted in this move, and whether it has waited for the outcome before
    /// any message is sent.
    pub has_voted: bool,
    pub has_met: bool,
    pub ready: Result<(), Error>,
    /// Whether this rank only begins the move.
    pub begun: bool,
    /// The numbers of its source and destination array in this move, where these are shared.
    pub shared: [Option<u64>; 2],
    /// True while messages may be under way.
    pub under_way: bool,
    /// Once messages have been needed.
    pub mail: Option<Mail>,
    /// For shared arrays.
    pub lending: Lending,
    /// Whether the local arrays of all ranks are dense; others' arrays are not used where they are
    /// not.
    pub is_dense: bool,
    /// For chunks.
    pub showing: Showing,
    /// Rounds in which chunks are shown.
    pub rounds: usize,
    /// This rank's chunk of a move of chunks that has but one. So it is on
    /// all ranks, or on none.
    pub only_chunk: Option<ShownChunk>,
    /// Where slots have packed messages in place of chunks.
    pub packed: Option<SlotMessages>,
    /// Where messages are joined.
    pub joined: Option<JoinedMessages>,
}

impl MpiChannel {
    /// A channel, if all ranks propose the same. Collective.
    pub fn open(
        context: &Arc<Context>,
        proposal: Result<Proposal<'_>, Error>,
    ) -> Result<Self, Error> {
        context.set_up()?;
        let (proposal, strided) = preflight::agreed(context.communicator(), proposal)?;
        let Proposal { element, options, joining, .. } = proposal;
        let piece_bytes = context.piece_bytes(options);
        context.vote_over_nodes()?;
        let way = way(context, &proposal, strided)?;
        let communicator = context.tagged(options.max_tags)?;
        let (way, joined) = match way.0 {
            Way::Joined => JoinedMessages::for_route(context, joining, options.route, way)?,
            _ => (way, None),
        };
        // Who asks for chunks gets chunks.
        let may_pack = way.0 == Way::Chunks && options.route == Route::Automatic;
        let packed = match context.open_staging().filter(|_| may_pack) {
            Some(staging) => SlotMessages::new(context, staging, joining)?,
            None => None,
        };
        Ok(Self {
            joined,
            element,
            piece_bytes,
            way,
            vote: Vote::new(),
            has_voted: false,
            has_met: false,
            ready: Ok(()),
            begun: false,
            shared: [None; 2],
            under_way: false,
            mail: None,
            lending: Lending::new(Arc::clone(context), communicator.own()),
            is_dense: strided.is_none(),
            showing: Showing::default(),
            rounds: 0,
            only_chunk: None,
            packed,
            communicator,
        })
    }

    /// Begins a move; one that was begun and forgotten ends first, as others may finish theirs.
    ///
    /// # Errors
    /// No move can be made on this communicator any more.
    pub fn begin_move(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        self.communicator.context.meetings().check()?;
        if self.under_way {
            // Nothing is waiting for how it went.
            if self.agree().is_ok() {
                let _ = self.all();
            }
        }
        // When the communicator is freed, on all ranks between the same moves.
        if self.communicator.context.meetings().reports().is_none() {
            self.joined = None;
        }
        (self.ready, self.has_voted, self.begun) = (ready, false, false);
        self.has_met = false;
        self.shared = [None; 2];
        self.under_way = false;
        Ok(())
    }

    /// Gives up what MPI may still read and write.
    pub fn give_up(&mut self) {
        if mem::take(&mut self.under_way) {
            self.mail.iter_mut().for_each(Mail::give_up);
            self.joined.iter_mut().for_each(JoinedMessages::give_up);
            mem::forget(mem::replace(&mut self.vote, Vote::new()));
        }
    }

    fn mail(&mut self) -> (&mut Mail, &TaggedCommunicator) {
        (self.mail.as_mut().expect("messages are prepared before they go"), &self.communicator)
    }
}

impl Channel for MpiChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn begin_call(&self) -> Result<(), Error> {
        self.communicator.context.begin_call()
    }

    fn end_call(&self) {
        self.communicator.context.end_call();
    }

    fn memory(&self) -> Held {
        let mail = self
            .mail
            .as_ref()
            .map_or(0, |mail| mail.outgoing.buffer.len() + mail.incoming.buffer.len());
        let joined = self.joined.as_ref().map_or(0, |joined| joined.bytes);
        Held { messages: mail + joined, window: self.staging().map_or(0, Staging::bytes) }
    }

    fn receives(&self) -> bool {
        true
    }

    fn shared_bytes(
        &self,
        element: ElementType,
        len: Result<usize, Error>,
    ) -> Result<SharedBytes, Error> {
        SharedBytes::new(&self.communicator.context, element, len)
    }

    fn max_chunk(&self) -> usize {
        self.staging().map_or(0, |staging| staging.elements(self.element.bytes()))
    }

    fn note_chunks(&mut self, own: &RankChunks) {
        self.only_chunk = (own.rounds() == 1).then(|| own.shown(0));
        self.rounds = own.rounds();
    }

    fn packs_slots(&self) -> bool {
        self.packed.is_some()
    }

    fn rooms_to_show(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        self.rooms_to_show(source)
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        match self.find_out(ready, arrays)? {
            Found::Messages => Ok(Shape::Messages),
            Found::Way => Ok(match self.way.0 {
                Way::Chunks if self.packed.is_some() => Shape::Packed(PackedSlots(self)),
                Way::Chunks => Shape::Chunks(Shown(self)),
                Way::Messages | Way::Joined | Way::Lent => Shape::Messages,
            }),
            Found::Lent { destinations } => {
                // SAFETY: all ranks have met, and found the same from what they brought: that their
                // sources are parts of one array, made for these ranks, and whether their
                // destinations are. All are ready, so all come to this place, with their arrays
                // borrowed, the destination mutably, until they drop what this returns, as their
                // callers promise.
                let lent = unsafe { self.lending.lent(arrays, destinations) }?;
                Ok(Shape::Lent(lent))
            }
        }
    }

    fn begin(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        self.begin_move(ready)?;
        self.begun = true;
        self.joined.iter_mut().for_each(JoinedMessages::restart);
        Ok(())
    }

    fn prepare_messages(&mut self, messages: Arc<Messages>) {
        let (context, [near, far]) = (&self.communicator.context, self.piece_bytes);
        let max_bytes = |rank| if context.is_near(rank) { near } else { far };
        let mut mail = Mail::new(&messages, &max_bytes, &self.communicator);
        assert!(self.mail.is_none() || !self.under_way, "messages change between moves");
        if let Some(last) = self.mail.take() {
            mail.reuse(last);
        }
        self.mail = Some(mail);
        self.joined.iter_mut().for_each(|joined| joined.note_messages(&messages));
        self.packed.iter_mut().for_each(|packed| packed.note_messages(&messages));
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        self.under_way = true;
        if self.joined.is_some() {
            let joined = self.joined.as_mut().filter(|_| self.ready.is_ok());
            let rooms = joined.map(JoinedMessages::rooms).transpose()?.map(Rooms::Joined);
            return Ok(rooms.map(|rooms| Outbox { rooms, posting: None }));
        }
        let (mail, communicator) = self.mail();
        mail.restart(communicator)?;
        if !self.has_voted && self.communicator.context.votes_first() {
            self.vote(true)?;
        }
        if self.ready.is_err() {
            return Ok(None);
        }
        let (mail, communicator) = self.mail();
        Ok(Some(mail.begin_packing(communicator)))
    }

    fn send(&mut self) -> Result<(), Error> {
        if self.joined.is_some() {
            return self.vote(true);
        }
        let (is_ready, begun, has_met) = (self.ready.is_ok(), self.begun, self.has_met);
        let has_failed = has_met && self.vote.failed().is_some();
        let (mail, communicator) = self.mail();
        if has_met || begun || !is_ready || !mail.sending.is_in_turn() {
            // Empty messages where this rank is not ready, so that no rank waits for them.
            while !has_failed && mail.post_next(communicator, is_ready)? {}
        } else {
            mail.post_in_turn(communicator)?;
        }
        // After what is sent, where it has to be (`Library::ends_with_messages_left`).
        if self.has_voted { Ok(()) } else { self.vote(true) }
    }

    fn leave(&mut self) -> Result<(), Error> {
        let (rank, reason) = (self.communicator.rank(), "a panic while it packed".into());
        self.ready = Err(Error::PeerFailed { rank, reason });
        self.send()
    }

    fn test(&mut self) -> Result<bool, Error> {
        let voted = self.communicator.context.meetings().is_over(&mut self.vote)?;
        let is_through = match (&mut self.mail, &self.joined) {
            (Some(mail), None) => !mail.progress(&self.communicator, false)?,
            _ => true,
        };
        Ok(is_through && voted)
    }

    fn agree(&mut self) -> Result<(), Error> {
        self.wait_for_vote()?;
        if self.vote.failed().is_none() && self.one_array_a_side() {
            return self.joined.as_ref().map_or(Ok(()), |joined| joined.check(&self.vote.parcels));
        }
        if self.joined.is_none() {
            let (mail, communicator) = self.mail();
            mail.drain(communicator)?;
        }
        self.under_way = false;
        self.outcome().and_then(|()| self.arrays_differ())
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
