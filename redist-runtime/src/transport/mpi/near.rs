//! Repeated moves between the processes of a node. A sender shares its part of an array, or copies
//! it to slots; if it or the receiver has only begun the move, it sends a message. A rank exchanges
//! nothing with ranks that it has no elements for. Unsafe, because it reads other ranks' memory.

use super::brought::{recognised, shared};
use super::context::Context;
use super::life::is_over;
use super::mail::{Inbox, Mail};
use super::node::{NodeArrays, NodeBoard};
use super::packed::{SlotMessages, SlotRooms};
use super::shared::SharedBytes;
use super::tags::TaggedCommunicator;
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{RankChunks, StridedArrays};
use crate::transport::board::{Board, Rounds};
use crate::transport::slots::{SLOTS, Slots, Span, StoreTimes};
use crate::transport::{
    Arrays, Channel, Chunk, GoesOn, Held, LentArrays, Messages, NO_CHUNK, Outbox, Pull, Pulls,
    Rooms, Shape, Source, Target, UsesSlots, Way,
};
use std::cell::UnsafeCell;
use std::mem;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Looks at messages between two at ranks that may stay away.
const LOOKS: usize = 64;

#[derive(Debug)]
pub(super) struct NodeChannel {
    rounds: Rounds<NodeBoard>,
    context: Arc<Context>,
    element: ElementType,
    piece_bytes: usize,
    way: (Way, &'static str),
    communicator: TaggedCommunicator,
    ready: Result<(), Error>,
    under_way: bool,
    begun: bool,
    goes_on: GoesOn,
    several: bool,
    has_begun: bool,
    mail: Option<Mail>,
    /// Messages are under way, or have been, in this move.
    has_mail: bool,
    /// This rank has received what other ranks send in a move that fails.
    is_drained: bool,
    lent: LentArrays,
    packed: Option<SlotMessages>,
    slots: InSlots,
}

#[derive(Debug, Default)]
struct InSlots {
    /// This rank shares its source array in this move, and so sends nothing by slots.
    shares: bool,
    /// This rank's slots are counted for this move.
    sends: bool,
    /// This rank has not told the senders that it needs their slots no more.
    is_open: bool,
    chunks: usize,
    first: u64,
    round: usize,
    staged: usize,
    /// Messages are packed: perhaps before the move begins.
    is_packed: bool,
    times: StoreTimes,
    /// Read only by the caller that got them last; kept for its memory otherwise.
    list: Vec<Chunk<'static>>,
}

impl NodeChannel {
    pub fn new(
        context: Arc<Context>,
        rounds: Rounds<NodeBoard>,
        (element, way, piece_bytes): (ElementType, (Way, &'static str), usize),
        packed: Option<SlotMessages>,
        communicator: TaggedCommunicator,
    ) -> Self {
        Self {
            lent: LentArrays::new(context.communicator().size()),
            rounds,
            context,
            element,
            piece_bytes,
            way,
            communicator,
            ready: Ok(()),
            under_way: false,
            begun: false,
            goes_on: GoesOn::WithSenders,
            several: false,
            has_begun: false,
            mail: None,
            has_mail: false,
            is_drained: false,
            packed,
            slots: InSlots::default(),
        }
    }

    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        self.context.meetings().check()?;
        if self.under_way {
            self.end_forgotten();
        }
        let is_next = self.several && self.has_begun;
        let call = if is_next { None } else { Some(self.rounds.call()?) };
        self.rounds.begin(call, self.several);
        self.has_begun = true;
        if let Err(error) = &ready {
            self.rounds.refuse(error);
        }
        (self.ready, self.under_way, self.begun) = (ready, true, false);
        (self.goes_on, self.has_mail) = (GoesOn::WithSenders, false);
        (self.slots.sends, self.slots.is_open) = (false, false);
        self.is_drained = false;
        Ok(())
    }

    /// Ends a move whose result no caller waits for.
    fn end_forgotten(&mut self) {
        if self.agree().is_ok() {
            let _ = self.all();
            self.end();
        }
    }

    /// Publishes how this rank sends in a move that it runs.
    fn share(&mut self, arrays: &mut Arrays<'_>) {
        if matches!(arrays.target, Target::Kept) {
            self.rounds.mark(|rank| &rank.keeps);
        }
        let ids = shared(arrays).map(|array| array.map_or(0, |array| self.number_of(array)));
        let (is_ready, is_packed) = (self.ready.is_ok(), mem::take(&mut self.slots.is_packed));
        self.slots.shares = ids[0] != 0 && is_ready;
        if is_ready && self.uses_slots() {
            (self.slots.is_open, self.slots.round, self.slots.staged) = (true, 0, 0);
            if !self.slots.shares {
                self.open_slots(is_packed);
            }
        }
        let own = &self.rounds.own().arrays;
        own.source.store(ids[0], Ordering::Relaxed);
        own.destination.store(ids[1], Ordering::Relaxed);
        own.first.store(self.slots.first, Ordering::Relaxed);
        if self.slots.sends && self.slots.is_packed {
            self.rounds.count(|rank| &rank.packed);
        }
        self.rounds.arrive();
    }

    fn uses_slots(&self) -> bool {
        self.way.0 == Way::Chunks && self.context.slots().is_some()
    }

    /// Begins this rank's move of slots, and publishes messages that are packed already.
    fn open_slots(&mut self, is_packed: bool) {
        let Some(slots) = self.context.slots() else { return };
        let (call, receivers) = (self.rounds.current_call(), &self.rounds.partners.receivers);
        let own = &mut self.slots;
        own.sends = true;
        match &self.packed {
            Some(packed) => {
                let span = slots.next_span(packed.count);
                (own.first, own.is_packed) = (span.first, is_packed);
                slots.begin(span.first..span.end(), call, receivers);
                if is_packed {
                    slots.publish(span);
                }
            }
            None => {
                own.first = slots.next();
                slots.decide(&own.times, own.chunks);
                slots.begin(own.first..own.first + own.chunks as u64, call, receivers);
                own.times.begin(slots.stores(own.chunks), own.chunks);
            }
        }
    }

    fn number_of(&self, array: &SharedBytes) -> u64 {
        if array.is_shared_by(&self.context) { array.id() } else { 0 }
    }

    fn arrays_of(&self, rank: usize) -> &NodeArrays {
        &self.rounds.progress(rank).arrays
    }

    fn sender_shares(&self, rank: usize) -> bool {
        !self.rounds.sends_message(rank) && self.arrays_of(rank).source.load(Ordering::Relaxed) != 0
    }

    /// Waits until all ranks are counted; `true` if all share both arrays.
    fn all_share_both(&self) -> bool {
        let shares = |rank: usize| {
            let NodeArrays { source, destination, .. } = self.arrays_of(rank);
            [source, destination].iter().all(|array| array.load(Ordering::Relaxed) != 0)
        };
        let Rounds { partners, rank, .. } = &self.rounds;
        self.rounds.all_share() && partners.met.iter().chain([rank]).all(|rank| shares(*rank))
    }

    fn sender_stages(&self, rank: usize) -> bool {
        self.uses_slots() && !self.rounds.sends_message(rank) && !self.sender_shares(rank)
    }

    fn end_round(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.under_way = false;
        if is_over() {
            return how;
        }
        if how.is_err() {
            // The library has failed otherwise, which ends the job.
            let _ = self.drain();
        }
        self.leave_slots();
        self.rounds.count(|rank| &rank.unpacked);
        how
    }

    /// Receives the messages that senders send although the move fails for this rank, and cancels
    /// the others.
    fn drain(&mut self) -> Result<(), Error> {
        if mem::replace(&mut self.is_drained, true) {
            return Ok(());
        }
        let Self { rounds, ready, begun, way, mail, has_mail, communicator, .. } = self;
        let senders = &rounds.partners.senders;
        rounds.wait_to_come(senders);
        let by_message = way.0 == Way::Messages || *begun && ready.is_ok();
        let comes = |rank: usize| {
            rank != rounds.rank && rounds.is_in(rank) && (by_message || rounds.sends_message(rank))
        };
        let Some(mail) = mail else { return Ok(()) };
        match *has_mail {
            true => mail.cancel(communicator, comes)?,
            false if senders.iter().any(|rank| comes(*rank)) => {
                *has_mail = true;
                mail.restart(communicator, rounds.number(), comes)?;
                mail.send_to(|_| false);
            }
            false => return Ok(()),
        }
        // Its receivers get the data of a rank whose own senders are at fault.
        let sends = ready.is_ok() && (*begun || way.0 == Way::Messages);
        while sends && mail.post_next(communicator, true)? {}
        self.finish_mail()
    }

    /// Waits for all messages; those to ranks that take no part in the move are abandoned.
    fn finish_mail(&mut self) -> Result<(), Error> {
        let Self { rounds, mail, communicator, .. } = self;
        let Some(mail) = mail else { return Ok(()) };
        let mut looks = 0usize;
        while mail.progress(communicator, false)? {
            looks += 1;
            if looks.is_multiple_of(LOOKS) {
                mail.abandon(communicator, |rank| !rounds.stays_away(rank));
                thread::yield_now();
            }
        }
        Ok(())
    }

    /// Tells the senders that this rank needs their slots no more.
    fn leave_slots(&mut self) {
        if let Some(slots) = self.context.slots()
            && mem::take(&mut self.slots.is_open)
        {
            let count =
                self.packed.as_ref().map_or(self.slots.chunks as u64, |packed| packed.count);
            for sender in self.rounds.partners.senders.iter().copied() {
                if self.rounds.is_in(sender) && self.sender_stages(sender) {
                    let first = self.arrays_of(sender).first.load(Ordering::Relaxed);
                    slots.acknowledge(sender, first + count);
                }
            }
        }
    }

    /// Names a receiver that needs the old content of a slot.
    fn reader(&self, slots: &Slots, chunk: u64) -> Option<usize> {
        slots.reader(chunk, |rank, call| self.rounds.needs_nothing(rank, call))
    }

    fn mail(&mut self) -> (&mut Mail, &TaggedCommunicator) {
        (self.mail.as_mut().expect("messages are prepared before they go"), &self.communicator)
    }

    /// Begins to receive messages from ranks that send some, once in a move.
    fn begin_mail(&mut self) -> Result<(), Error> {
        if !mem::replace(&mut self.has_mail, true) {
            let all = self.begun || self.way.0 == Way::Messages;
            let Self { rounds, mail, communicator, .. } = self;
            let mail = mail.as_mut().expect("messages are prepared before they go");
            mail.restart(communicator, rounds.number(), |rank| all || rounds.sends_message(rank))?;
            mail.send_to(|rank| all && !rounds.has_refused_before(rank));
        }
        Ok(())
    }
}

impl Channel for NodeChannel {
    fn way(&self) -> (Way, &'static str) {
        self.way
    }

    fn begin_call(&mut self, several: bool) -> Result<(), Error> {
        self.context.begin_call()?;
        (self.has_begun, self.several) = (false, several);
        Ok(())
    }

    fn end_call(&mut self, left_out: Option<&Error>) {
        if self.several && self.has_begun {
            if let Some(error) = left_out.filter(|_| !self.rounds.refuses()) {
                // Senders do not know yet, and send the messages of the next move.
                let is_begun = self.begin_round(Err(error.clone())).is_ok();
                if is_begun {
                    self.rounds.arrive();
                }
            }
            if self.under_way && self.ready.is_err() {
                let _ = self.drain();
            }
            left_out.into_iter().for_each(|error| self.rounds.refuse_the_rest(error));
            self.rounds.end();
            self.under_way &= self.ready.is_ok() || left_out.is_none();
        }
        self.several = false;
        self.context.end_call();
    }

    fn arrays(&self) -> Option<StridedArrays> {
        None
    }

    fn memory(&self) -> Held {
        let messages = self.mail.as_ref().map_or(0, Mail::bytes);
        let window = match self.way.0 {
            Way::Chunks => self.context.slots().map_or(0, Slots::bytes),
            _ => 0,
        };
        Held { messages, window }
    }

    fn receives(&self) -> bool {
        true
    }

    fn context(&self) -> Option<&Arc<Context>> {
        Some(&self.context)
    }

    fn slots(&mut self) -> Option<&mut dyn UsesSlots> {
        if self.uses_slots() { Some(self) } else { None }
    }

    fn packs_slots(&self) -> bool {
        self.packed.is_some()
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        let ready = ready.and_then(|()| recognised(arrays, &self.communicator));
        self.begin_round(ready)?;
        self.share(arrays);
        if self.ready.is_err() {
            return self.end_round(self.ready.clone()).map(|()| Shape::Messages);
        }
        if self.way.0 == Way::Messages {
            return Ok(Shape::Messages);
        }
        self.under_way = false;
        let shares_both = shared(arrays).iter().all(Option::is_some) && self.slots.shares;
        if !(self.rounds.partners.divide && shares_both && self.all_share_both()) {
            return Ok(Shape::Pulled(Pull::new(self)));
        }
        let Self { lent, rounds, context, .. } = &mut *self;
        let (rounds, ranks) = (&*rounds, || 0..rounds.board.ranks());
        let part =
            |rank: usize, array: &AtomicU64| part(context, array.load(Ordering::Relaxed), rank);
        let arrays = |rank: usize| &rounds.progress(rank).arrays;
        lent.note(
            ranks().map(|rank| part(rank, &arrays(rank).source)),
            ranks().map(|rank| part(rank, &arrays(rank).destination) as *const [UnsafeCell<u8>]),
        );
        // SAFETY: this rank has counted itself as arrived, and so have all of the plan (release and
        // acquire). Each reads the same marks, which no rank changes before all have left the move:
        // all are ready, and share both arrays. So each comes to this line with its arrays
        // borrowed, and drops the guard that is made here before it uses them otherwise, as their
        // callers promise. The guard waits until all have counted themselves as through (release
        // and acquire). The windows are there as long as a rank has the array.
        Ok(Shape::Lent(unsafe { self.lent.lent(&self.rounds) }))
    }

    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error> {
        self.begin_round(ready)?;
        (self.begun, self.goes_on) = (true, goes_on);
        self.rounds.mark(|rank| &rank.packs);
        self.slots.is_packed = false;
        self.rounds.arrive();
        Ok(())
    }

    fn prepare_messages(&mut self, messages: Arc<Messages>) {
        let bytes = self.piece_bytes;
        let mut mail = Mail::new(&messages, &|_| bytes, &self.communicator);
        if let Some(last) = self.mail.take() {
            mail.reuse(last);
        }
        self.mail = Some(mail);
        self.packed.iter_mut().for_each(|packed| packed.note_messages(&messages));
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.ready.is_err() {
            return Ok(None);
        }
        self.begin_mail()?;
        if !self.under_way {
            let Self { rounds, mail, .. } = self;
            let mail = mail.as_mut().expect("begun just now");
            mail.send_to(|rank| rounds.wants_message(rank));
        }
        let (mail, communicator) = self.mail();
        let (buffer, posting) = mail.begin_packing(communicator);
        Ok(Some(Outbox { rooms: Rooms::Buffer(buffer), posting }))
    }

    fn send(&mut self) -> Result<(), Error> {
        if !self.has_mail {
            return Ok(());
        }
        let (begun, under_way) = (self.begun, self.under_way);
        let (mail, communicator) = self.mail();
        match begun || !under_way || !mail.is_in_turn() {
            true => while mail.post_next(communicator, true)? {},
            false => mail.post_in_turn(communicator)?,
        }
        // Receivers that have only begun the move are served when this rank is through with it.
        if under_way { Ok(()) } else { self.finish_mail() }
    }

    /// Sends empty segments in place of the rest.
    fn leave(&mut self) -> Result<(), Error> {
        let rounds = &self.rounds;
        if let Some(mail) = self.mail.as_mut().filter(|_| !self.has_mail) {
            self.has_mail = true;
            mail.restart(&self.communicator, rounds.number(), |_| false)?;
            mail.send_to(|rank| rounds.wants_message(rank));
        }
        if self.has_mail {
            let (mail, communicator) = self.mail();
            while mail.post_next(communicator, false)? {}
            self.finish_mail()?;
        }
        if mem::take(&mut self.under_way) {
            self.leave_slots();
            self.rounds.count(|rank| &rank.unpacked);
        }
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        self.context.meetings().check()?;
        let Self { rounds, mail, has_mail, communicator, .. } = self;
        let senders = &rounds.partners.senders;
        if senders.iter().any(|rank| rounds.is_at_fault(*rank)) {
            return Ok(true);
        }
        let have_come = rounds.behind(senders, |rank| &rank.arrived).is_none();
        let Some(mail) = mail.as_mut().filter(|_| *has_mail) else { return Ok(have_come) };
        mail.abandon(communicator, |rank| !rounds.stays_away(rank));
        Ok(!mail.progress(communicator, false)? && have_come)
    }

    fn agree(&mut self) -> Result<(), Error> {
        self.context.meetings().check()?;
        let Self { rounds, ready, goes_on, .. } = self;
        let is_ready = ready.clone().and_then(|()| rounds.senders_are_ready(|rank| &rank.arrived));
        let agreed = is_ready.and_then(|()| match goes_on {
            GoesOn::WithSenders => Ok(()),
            GoesOn::WithAll => rounds.all_are_ready(),
        });
        if agreed.is_err() { self.end_round(agreed) } else { agreed }
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        let (mail, communicator) = self.mail();
        Some(Inbox::new(mail, communicator))
    }

    fn all(&mut self) -> Result<(), Error> {
        self.finish_mail()?;
        self.mail().0.check_lengths()
    }

    fn message(&self, number: usize) -> &[u8] {
        self.mail.as_ref().expect("messages are prepared before they go").message(number)
    }

    fn end(&mut self) {
        let _ = self.end_round(Ok(()));
    }
}

impl Pulls for NodeChannel {
    fn senders(&self) -> Result<(), Error> {
        self.rounds.senders_are_ready(|rank| &rank.arrived)
    }

    fn has_messages(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        let is_packed = |rank: usize| self.packed.is_some() && self.sender_stages(rank);
        senders.iter().any(|rank| self.rounds.sends_message(*rank) || is_packed(*rank))
            || self.packed.is_some() && !self.slots.shares
    }

    fn has_arrays(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        self.slots.shares || senders.iter().any(|rank| self.sender_shares(*rank))
    }

    fn has_all_arrays(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        self.slots.shares && senders.iter().all(|rank| self.sender_shares(*rank))
    }

    unsafe fn sources(&mut self) -> &[&[u8]] {
        let Self { rounds, context, slots, lent, .. } = self;
        let mut senders = rounds.partners.senders.iter().copied().peekable();
        let sources = (0..rounds.board.ranks()).map(|rank| {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let is_own = rank == rounds.rank && slots.shares;
            let array = rounds.progress(rank).arrays.source.load(Ordering::Relaxed);
            let is_shared = is_own || is_sender && !rounds.sends_message(rank);
            part(context, if is_shared { array } else { 0 }, rank)
        });
        lent.note(sources, std::iter::empty());
        // SAFETY: each of these senders has published its part of an array, and has only run the
        // move, as this rank has seen (release and acquire, `senders`). It keeps the part borrowed
        // until this rank has left (`Rounds::is_a_message_wanted`), which it does when the borrow
        // that is returned has ended. The window is there as long as a rank has the array.
        unsafe { lent.sources() }
    }

    fn receive(&mut self) -> Result<(), Error> {
        let senders = &self.rounds.partners.senders;
        if !senders.iter().any(|rank| self.rounds.sends_message(*rank)) {
            return Ok(());
        }
        self.begin_mail()?;
        self.all()
    }

    fn received(&self, number: usize) -> Option<&[u8]> {
        let mail = self.mail.as_ref().expect("messages are prepared before they go");
        let sender = mail.sender(number);
        if sender != self.rounds.rank && self.rounds.sends_message(sender) {
            return Some(mail.message(number));
        }
        let stages = match sender == self.rounds.rank {
            true => !self.slots.shares,
            false => self.sender_stages(sender),
        };
        let (packed, slots) = (self.packed.as_ref().filter(|_| stages)?, self.context.slots()?);
        let first = |rank: usize| self.arrays_of(rank).first.load(Ordering::Relaxed);
        // SAFETY: this rank has waited for the sender's packed messages (`packed`), and drops the
        // slice before it leaves the move, which borrows the channel mutably.
        Some(unsafe { packed.message(slots, number, first) })
    }

    fn is_a_message_wanted(&mut self) -> bool {
        let is_whole = match &self.packed {
            Some(_) => self.slots.is_packed,
            None => self.slots.staged == self.slots.chunks,
        };
        let fails = mem::take(&mut self.slots.sends) && !is_whole;
        if fails {
            // This rank panics in the middle.
            self.rounds.mark(|rank| &rank.failed);
        }
        self.slots.is_packed = false;
        self.leave_slots();
        self.rounds.count(|rank| &rank.unpacked);
        // Receivers would take chunks of the next move for those that are left out.
        let is_wanted = self.rounds.is_a_message_wanted(self.slots.shares || fails);
        if let Some(slots) = self.context.slots().filter(|_| !self.slots.shares) {
            slots.keep(|rank| !self.rounds.waits_for_message(rank));
        }
        is_wanted
    }

    fn fail(&mut self) {
        let _ = self.drain();
    }
}

impl UsesSlots for NodeChannel {
    fn max_chunk(&self) -> usize {
        self.context.slots().map_or(0, |slots| slots.elements(self.element.bytes()))
    }

    fn note_chunks(&mut self, own: &RankChunks) {
        self.slots.chunks = own.rounds();
    }

    fn rooms_before(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        let (packed, slots) = (self.packed.as_ref()?, self.context.slots()?);
        let span = slots.next_span(packed.count);
        let is_own = matches!(source, Source::Own(_));
        self.slots.is_packed = is_own
            && self.context.meetings().check().is_ok()
            && !self.under_way
            && self.reader(slots, span.end() - 1).is_none();
        // SAFETY: no receiver reads the slots any more, as asked just now. The move that begins
        // next publishes them, and no other channel of this thread moves before.
        self.slots.is_packed.then(|| unsafe { SlotRooms::new(slots, span, packed) })
    }

    fn are_used(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        self.slots.sends || senders.iter().any(|rank| self.sender_stages(*rank))
    }

    fn stage(&mut self, source: &[u8], own: &RankChunks) {
        self.stage_up_to(SLOTS, source, own);
    }

    fn next_chunks(
        &mut self,
        source: &[u8],
        own: &RankChunks,
        outcome: &mut Result<(), Error>,
    ) -> Option<&[Chunk<'_>]> {
        // A rank that has no elements on either side copies none.
        let copies = !source.is_empty() || !self.rounds.partners.senders.is_empty();
        let rounds = if copies { own.rounds() } else { 0 };
        if outcome.is_ok() && self.slots.round < rounds {
            self.acknowledge_round();
            self.stage_for_round(source, own);
            *outcome = self.wait_for_round();
        }
        if outcome.is_ok() && self.slots.round < rounds {
            self.slots.round += 1;
            return Some(self.chunks_of_round(own));
        }
        self.leave_slots();
        while self.slots.sends && self.slots.staged < own.rounds() {
            self.wait_for_slot();
            self.stage_up_to(usize::MAX, source, own);
        }
        self.slots.times.learn();
        None
    }

    fn rooms(&mut self) -> Option<SlotRooms<'_>> {
        let (packed, slots) = (self.packed.as_ref()?, self.context.slots()?);
        if self.slots.is_packed || !self.slots.sends {
            return None;
        }
        let span = Span { first: self.slots.first, count: packed.count };
        let _ = self.rounds.wait_until(|| self.reader(slots, span.end() - 1));
        // SAFETY: no receiver reads the slots any more, as waited for just now. They are published
        // by the next call.
        Some(unsafe { SlotRooms::new(slots, span, packed) })
    }

    fn packed(&mut self, outcome: &mut Result<(), Error>) {
        let (Some(packed), Some(slots)) = (&self.packed, self.context.slots()) else { return };
        if self.slots.sends && !mem::replace(&mut self.slots.is_packed, true) {
            slots.publish(Span { first: self.slots.first, count: packed.count });
            self.rounds.count(|rank| &rank.packed);
        }
        if outcome.is_ok() {
            let senders = &self.rounds.partners.senders;
            let is_behind =
                |rank: &usize| self.sender_stages(*rank) && self.rounds.is_behind_in_packing(*rank);
            let is_missing = |rank: &usize| is_behind(rank) && !self.rounds.has_failed(*rank);
            let waited = self.rounds.wait_until(|| senders.iter().copied().find(is_missing));
            let failed = || senders.iter().copied().find(is_behind);
            *outcome =
                waited.and_then(|()| failed().map_or(Ok(()), |rank| self.rounds.failure(rank)));
        }
    }

    fn have_all(&self) -> bool {
        let senders = &self.rounds.partners.senders;
        !self.slots.shares && senders.iter().all(|rank| self.sender_stages(*rank))
    }

    fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>) {
        let count = self.packed.as_ref().map_or(0, SlotMessages::incoming);
        messages.extend((0..count).filter_map(|number| self.received(number)));
    }
}

impl NodeChannel {
    fn first(&self, rank: usize) -> u64 {
        self.arrays_of(rank).first.load(Ordering::Relaxed)
    }

    fn acknowledge_round(&self) {
        let Some(slots) = self.context.slots().filter(|_| self.slots.round > 0) else { return };
        let senders = self.rounds.partners.senders.iter().copied();
        for sender in senders.filter(|rank| self.sender_stages(*rank)) {
            slots.acknowledge(sender, self.first(sender) + self.slots.round as u64);
        }
    }

    /// Stages chunks that need no wait, at most up to a number.
    fn stage_up_to(&mut self, most: usize, source: &[u8], own: &RankChunks) {
        let Some(slots) = self.context.slots().filter(|_| self.slots.sends) else { return };
        if self.rounds.partners.receivers.is_empty() {
            self.slots.staged = own.rounds();
        }
        let (width, stores) = (self.element.bytes(), slots.stores(own.rounds()));
        while self.slots.staged < most.min(own.rounds()) {
            let chunk = self.slots.first + self.slots.staged as u64;
            if self.reader(slots, chunk).is_some() {
                break;
            }
            slots.stage(chunk, width, source, &own.shown(self.slots.staged), stores);
            self.slots.staged += 1;
        }
    }

    fn wait_for_slot(&self) {
        let Some(slots) = self.context.slots() else { return };
        let chunk = self.slots.first + self.slots.staged as u64;
        // A receiver that has ended, or has left, needs nothing: it is not named.
        let _ = self.rounds.wait_until(|| self.reader(slots, chunk));
    }

    /// Stages the chunk of this round, for which it waits, and as many ahead as there is room for.
    fn stage_for_round(&mut self, source: &[u8], own: &RankChunks) {
        let round = self.slots.round;
        self.stage_up_to(round + SLOTS, source, own);
        while self.slots.sends && self.slots.staged <= round {
            self.wait_for_slot();
            self.stage_up_to(round + SLOTS, source, own);
        }
    }

    fn wait_for_round(&self) -> Result<(), Error> {
        let Some(slots) = self.context.slots() else { return Ok(()) };
        let (senders, round) = (&self.rounds.partners.senders, self.slots.round as u64);
        let is_missing = |rank: &usize| {
            self.sender_stages(*rank)
                && !slots.has(*rank, self.first(*rank) + round)
                && !self.rounds.has_failed(*rank)
        };
        self.rounds.wait_until(|| senders.iter().copied().find(is_missing))?;
        let has_none = |rank: &usize| {
            self.sender_stages(*rank) && !slots.has(*rank, self.first(*rank) + round)
        };
        senders.iter().copied().find(has_none).map_or(Ok(()), |rank| self.rounds.failure(rank))
    }

    fn chunks_of_round(&mut self, own: &RankChunks) -> &[Chunk<'_>] {
        let round = self.slots.round - 1;
        let mut list = mem::take(&mut self.slots.list);
        list.clear();
        let mut senders = self.rounds.partners.senders.iter().copied().peekable();
        for rank in 0..self.rounds.board.ranks() {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let chunk = match self.context.slots() {
                _ if rank == self.rounds.rank => (own.number(round), &[][..]),
                // SAFETY: the sender has published it, as has been waited for. The slice is dropped
                // before the next round, which acknowledges it: the result borrows the channel.
                Some(slots) if is_sender && self.sender_stages(rank) => unsafe {
                    slots.shown(rank, self.first(rank) + round as u64)
                },
                _ => (NO_CHUNK, &[][..]),
            };
            list.push(Chunk { number: chunk.0, bytes: chunk.1 });
        }
        self.slots.list = list;
        &self.slots.list
    }
}

/// Returns a rank's part of a shared array; an empty one for number 0.
fn part(context: &Context, array: u64, rank: usize) -> *const [u8] {
    let found = if array == 0 { None } else { context.lasting().part(array, rank) };
    let (start, len) = found.unwrap_or(([].as_mut_ptr(), 0));
    ptr::slice_from_raw_parts(start.cast_const(), len)
}

impl Drop for NodeChannel {
    /// Ends a forgotten move, which no rank completes any more.
    fn drop(&mut self) {
        if self.under_way && !is_over() {
            self.end_forgotten();
        }
        if is_over()
            && let Some(mail) = &mut self.mail
        {
            mail.give_up();
        }
    }
}
