//! Repeated moves over MPI. Unsafe: arrays are shared (see `lend.rs`), and MPI accesses votes.

use super::context::Context;
use super::joined::JoinedMessages;
use super::lend::Lending;
use super::mail::{Inbox, Mail};
use super::packed::{SlotMessages, SlotRooms};
use super::preflight;
use super::shared::SharedBytes;
use super::staging::given_back;
use super::tags::TaggedCommunicator;
use super::vote::{Ballot, Meanwhile, Occasion, Vote};
use super::way::way;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::Side;
use crate::program::{RankChunks, ShownChunk, StridedArrays};
use crate::transport::slots::{Showing, Slots};
use crate::transport::{
    Arrays, Channel, Chunk, GoesOn, Held, Messages, Outbox, Proposal, Rooms, Route, Shape, Shown,
    ShowsChunks, Source, Target, Way,
};
use std::mem;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct MpiChannel {
    context: Arc<Context>,
    element: ElementType,
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
    /// Numbers of its shared source and destination array in this move.
    shared: [Option<u64>; 2],
    under_way: bool,
    mail: Option<Mail>,
    lending: Lending,
    /// All ranks' local arrays are dense; ranks do not use each other's otherwise.
    is_dense: bool,
    showing: Showing,
    rounds: usize,
    /// This rank's chunk in a move of one chunk: set on all ranks or on none.
    only_chunk: Option<ShownChunk>,
    packed: Option<SlotMessages>,
    joined: Option<JoinedMessages>,
}

impl MpiChannel {
    /// Opens a channel, if all ranks propose the same. Collective.
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
        let may_pack = way.0 == Way::Chunks && options.route == Route::Automatic;
        let packed = match context.slots().filter(|_| may_pack) {
            Some(slots) => SlotMessages::new(context, slots, joining)?,
            None => None,
        };
        Ok(Self {
            joined,
            context: Arc::clone(context),
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
        self.shared = [None; 2];
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

    fn slots(&self) -> Option<&Slots> {
        if self.way.0 != Way::Chunks {
            return None;
        }
        self.context.slots()
    }

    fn pass(&mut self) {
        let chunk = self.only_chunk.as_ref().map(|_| 1);
        let count = self.packed.as_ref().map(|packed| packed.count).or(chunk);
        if let (Some(count), Some(slots)) = (count, self.context.slots()) {
            slots.pass(&mut self.showing, count);
        }
    }

    /// Returns the common way of all ranks in a move that this rank runs. The vote comes first,
    /// unless messages go in any case. A rank that sends in any case votes after its messages, or
    /// the first of them if they go one at a time, and after posting its receives. So the vote
    /// ends, and all ranks learn the same. If no rank sends, all make the same calls; else all
    /// exchange messages. A rank that is not ready waits for the outcome, and sends empty ones.
    fn find_out(&mut self, ready: Result<(), Error>, arrays: &Arrays<'_>) -> Result<Way, Error> {
        self.begin_move(ready)?;
        self.shared = self.recognise(arrays);
        if !self.is_dense {
            self.shared = [None; 2];
        }
        let may_lend = self.shared[0].is_some() && self.context.is_one_node();
        if let Some(joined) = &mut self.joined {
            joined.restart();
            return Ok(Way::Messages);
        }
        if self.way.0 == Way::Messages && !may_lend {
            return Ok(Way::Messages);
        }
        // This rank cannot use slots if it left an earlier move early; other ranks may not know.
        let left = self.slots().is_some_and(Slots::was_left);
        // A shared source is most likely shared on all ranks, which then copy from it.
        if self.shared[0].is_none() {
            self.show_early(arrays.source.bytes());
        }
        if let Some(slots) = self.slots() {
            slots.decide(&self.showing, self.rounds);
        }
        self.vote(left)?;
        let found = self.wait_for_vote().and_then(|()| self.found());
        self.has_met = true;
        if !matches!(found, Ok(Way::Chunks)) {
            self.pass();
        }
        found
    }

    /// Votes in this move; `sends` if this rank takes part by messages in any case.
    fn vote(&mut self, sends: bool) -> Result<(), Error> {
        let arrays = self.shared;
        let subject = Occasion::Move(self.communicator.number);
        let context = &self.context;
        let rank = self.communicator.rank();
        let packs_later = self.packed.as_ref().is_some_and(|packed| !packed.is_packed());
        let has_messages = || self.mail.as_ref().is_none_or(|mail| !mail.is_empty());
        let meanwhile = match (sends, packs_later) {
            (true, _) if has_messages() => Meanwhile::Sends,
            (true, _) => Meanwhile::SendsNothing,
            (_, true) => Meanwhile::WaitsToPack,
            (_, false) => Meanwhile::Waits,
        };
        let leaves = self.begun && sends;
        let ballot = Ballot { rank, ready: &self.ready, meanwhile, leaves, arrays, subject };
        let parcels = self.joined.as_mut().filter(|_| self.ready.is_ok());
        let parcels = parcels.map(JoinedMessages::parcels);
        // SAFETY: if `has_voted` is set, the request is waited for (`wait_for_vote`) before
        // `begin_move` unsets it for another vote, and before `drop` frees the vote. An error of
        // the library in between ends the job (`must`), and votes that differ have come to their
        // end. Anything given up then is forgotten, not freed (`give_up`).
        unsafe { context.meetings().begin(&mut self.vote, ballot, parcels) }?;
        self.has_voted = true;
        if self.begun {
            self.pass();
        }
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

    /// Publishes this rank's only chunk before all ranks are known to go this way: most do, and
    /// then wait for nothing else.
    fn show_early(&mut self, source: &[u8]) {
        let (context, width) = (&self.context, self.element.bytes());
        let (Ok(()), Some(slots)) = (&self.ready, context.slots()) else { return };
        if let Some(own) = &self.only_chunk {
            slots.show_early(&mut self.showing, width, source, own);
        }
        if let Some(packed) = &self.packed {
            packed.show_early(slots);
        }
    }

    /// Returns the way that the vote found: that of the plan, or shared arrays, or else messages.
    fn found(&mut self) -> Result<Way, Error> {
        let is_closed = self.way.0 == Way::Chunks && self.slots().is_none();
        let lends = self.vote.arrays(Side::Source).0 != 0 && self.context.is_one_node();
        if self.vote.messages_go() {
            return Ok(Way::Messages);
        }
        self.outcome()?;
        if (is_closed || self.way.0 == Way::Messages) && !lends {
            return Ok(Way::Messages);
        }
        self.arrays_differ()?;
        Ok(if lends { Way::Lent } else { self.way.0 })
    }

    /// Returns `true` if all ranks' shared arrays are parts of one array on each side; ordinary
    /// arrays pass. To be called when the vote is over.
    fn one_array_a_side(&self) -> bool {
        [Side::Source, Side::Destination].into_iter().all(|side| {
            let (least, most) = self.vote.arrays(side);
            least == 0 || least == most
        })
    }

    /// Names the lowest rank whose part is not of the oldest array. Collective then: a rank that
    /// starts the move passes ordinary arrays, so all ranks have run it.
    fn arrays_differ(&self) -> Result<(), Error> {
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

    /// Returns the shared arrays' numbers. This rank is not ready if one is of other ranks.
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
        Held { messages: mail + joined, window: self.slots().map_or(0, Slots::bytes) }
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

    fn chunks(&mut self) -> Option<&mut dyn ShowsChunks> {
        match self.way.0 {
            Way::Chunks => Some(self),
            Way::Lent | Way::Messages | Way::Joined => None,
        }
    }

    fn packs_slots(&self) -> bool {
        self.packed.is_some()
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        match self.find_out(ready, arrays)? {
            Way::Messages | Way::Joined => Ok(Shape::Messages),
            Way::Chunks if self.packed.is_some() => Ok(Shape::Packed(Shown(self))),
            Way::Chunks => Ok(Shape::Chunks(Shown(self))),
            Way::Lent => {
                let destinations = self.vote.arrays(Side::Destination).0 != 0;
                // SAFETY: all ranks have met, and found the same from their votes: their sources
                // are parts of one array, made for these ranks, and their destinations are or are
                // not. All are ready, so all come to this line with their arrays borrowed, the
                // destination mutably. They stay borrowed until the ranks drop this value, as their
                // callers promise.
                let lent = unsafe { self.lending.lent(arrays, destinations) }?;
                Ok(Shape::Lent(lent))
            }
        }
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
        self.packed.iter_mut().for_each(|packed| packed.note_messages(&messages));
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
        mail.restart(communicator)?;
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
        if self.vote.failed().is_none() && self.one_array_a_side() {
            return self.joined.as_ref().map_or(Ok(()), |joined| joined.check(&self.vote.parcels));
        }
        if self.joined.is_none() && self.under_way {
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

impl ShowsChunks for MpiChannel {
    fn max_chunk(&self) -> usize {
        self.slots().map_or(0, |slots| slots.elements(self.element.bytes()))
    }

    fn note_chunks(&mut self, own: &RankChunks) {
        self.only_chunk = (own.rounds() == 1).then(|| own.shown(0));
        self.rounds = own.rounds();
    }

    fn rooms_to_show(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        let packed = self.packed.as_mut()?;
        packed.restart();
        if matches!(source, Source::Shared(_)) || self.context.meetings().check().is_err() {
            return None;
        }
        packed.rooms_to_show(self.context.slots()?)
    }

    fn next_chunks(
        &mut self,
        source: &[u8],
        own: &RankChunks,
    ) -> Result<Option<&[Chunk<'_>]>, Error> {
        let slots = self.context.slots().ok_or_else(given_back)?;
        let (showing, width) = (&mut self.showing, self.element.bytes());
        let progress = || self.communicator.progress();
        slots.next_round(showing, &progress, width, source, own)
    }

    fn rooms(&mut self) -> Result<Option<SlotRooms<'_>>, Error> {
        let (slots, packed) = slots_and_messages(&self.context, &mut self.packed)?;
        packed.rooms(slots, &|| self.communicator.progress())
    }

    fn wait_for_packed(&mut self) -> Result<(), Error> {
        // Votes of a move of slots are in memory, so ranks see packed messages after the votes.
        let have_packed = self.vote.all_have_packed();
        let (slots, packed) = slots_and_messages(&self.context, &mut self.packed)?;
        packed.wait_for_all(slots, have_packed, &|| self.communicator.progress())
    }

    fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>) {
        let (Some(packed), Some(slots)) = (&self.packed, self.slots()) else {
            unreachable!("ranks have met in a move of packed slots")
        };
        // SAFETY: the caller has waited for all ranks (`wait_for_packed`). The added slices borrow
        // the channel, which ends the move (`end_packed`, `leave`).
        unsafe { packed.add_messages(slots, messages) };
    }

    fn end_packed(&mut self) {
        let is_in_the_middle = self.packed.as_mut().is_some_and(SlotMessages::end);
        if let Some(slots) = self.slots().filter(|_| is_in_the_middle) {
            slots.end_packed();
        }
    }

    fn leave(&mut self) {
        let is_in_the_middle = self.packed.as_mut().is_some_and(SlotMessages::end);
        let is_in_the_middle = self.showing.end() || is_in_the_middle;
        if let Some(slots) = self.slots().filter(|_| is_in_the_middle) {
            slots.leave();
        }
    }
}

fn slots_and_messages<'a>(
    context: &'a Context,
    packed: &'a mut Option<SlotMessages>,
) -> Result<(&'a Slots, &'a mut SlotMessages), Error> {
    context.slots().zip(packed.as_mut()).ok_or_else(given_back)
}

impl Drop for MpiChannel {
    fn drop(&mut self) {
        let _ = self.begin_move(Ok(()));
        self.give_up();
    }
}
