//! Messages under way: receives posted first, pieces sent while others are packed or in the order of
//! a schedule, and each message read while it arrives.
//!
//! Unsafe, since MPI reads what is packed while the rest is written, and writes to what has not arrived.

use super::communicator::OwnCommunicator;
use super::life::told;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::{Lists, Messages};
use redist_mpi::{Request, Requests};
use std::collections::HashMap;
use std::ops::Range;
use std::{mem, slice};

/// A rank's messages to and from others.
#[derive(Debug)]
pub(super) struct Mail {
    outgoing: Pieces,
    incoming: Pieces,
    /// The message to this rank itself, which never leaves it: its numbers on both sides.
    own: Option<(usize, usize)>,
    /// The requests of all incoming pieces, then those of all outgoing ones.
    under_way: UnderWay,
    /// Which incoming pieces have arrived in this move, and how many of each message's first ones
    /// are known to have.
    has_arrived: Vec<bool>,
    fronts: Vec<usize>,
    /// Pieces of each outgoing message that have been sent in this move.
    posted: Vec<usize>,
    /// A rank whose piece was of another length than it should.
    short: Option<usize>,
    /// The messages to other ranks, in the order in which they are sent.
    order: Vec<usize>,
    /// True if each is sent when the one before has been, in a move that this rank runs.
    in_turn: bool,
    /// Messages of that order that are sent, or about to be.
    begun: usize,
    /// Outgoing pieces that are under way.
    unsent: usize,
}

impl Mail {
    /// With pieces of at most `max_bytes` of the rank that they go to or come from.
    pub fn new(
        messages: &Messages,
        max_bytes: &dyn Fn(usize) -> usize,
        communicator: &OwnCommunicator,
    ) -> Self {
        let here = communicator.rank();
        let outgoing = Pieces::new(&messages.outgoing, max_bytes, here);
        let incoming = Pieces::new(&messages.incoming, max_bytes, here);
        let received = messages.incoming.envelopes.len();
        let both = incoming.pieces_of.iter().chain(&outgoing.pieces_of);
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            under_way: UnderWay::new(both.map(Range::len), communicator),
            has_arrived: vec![false; incoming.pieces.len()],
            fronts: vec![0; received],
            posted: vec![0; messages.outgoing.envelopes.len()],
            short: None,
            order: order(messages, here),
            in_turn: messages.order.is_some(),
            begun: 0,
            unsent: 0,
            outgoing,
            incoming,
        }
    }

    /// Takes the buffers of others, of which nothing is under way any more.
    pub fn reuse(&mut self, last: Self) {
        self.outgoing.buffer = last.outgoing.buffer;
        self.incoming.buffer = last.incoming.buffer;
    }

    /// Posts all receives.
    pub fn restart(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        (self.begun, self.unsent) = (0, 0);
        self.under_way.restart();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.has_arrived.fill(false);
        self.fronts.fill(0);
        self.posted.fill(0);
        self.short = None;
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), communicator.tag);
        let requests = &mut self.under_way.requests;
        for (piece, request) in self.incoming.pieces.iter().zip(requests) {
            // SAFETY: pieces lie in the buffer (`Pieces::new` cuts it), which `allocate` made above.
            // It is neither moved nor freed until all requests are complete, and what is received
            // is not touched: `message` borrows only what has arrived, a move waits for all before
            // it ends (`all`, `drain`), and so does the channel's `drop`, or else it gives
            // the buffer up (`give_up`).
            *request = unsafe {
                communicator.begin_receive(bytes.add(piece.start), piece.len, piece.rank, tag)
            }?;
        }
        Ok(())
    }

    /// Bytes of memory for messages.
    pub fn bytes(&self) -> usize {
        self.outgoing.buffer.len() + self.incoming.buffer.len()
    }

    /// Whether each message is sent when the one before has been, in a move that this rank runs.
    pub fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Memory to pack into; messages are sent while they are packed, unless each waits for another.
    pub fn begin_packing<'a>(
        &'a mut self,
        communicator: &'a TaggedCommunicator,
    ) -> (&'a mut [u8], Option<Posting<'a>>) {
        let (bytes, len) = (self.outgoing.buffer.as_mut_ptr(), self.outgoing.buffer.len());
        let posting = (!self.in_turn).then_some(Posting { mail: self, communicator, bytes });
        // SAFETY: it is the buffer, which is borrowed exclusively as long as this is; what else has
        // the pointer that the slice is made from (`Posting`) gives MPI alone what is packed, to
        // read, and does not look at the buffer.
        (unsafe { slice::from_raw_parts_mut(bytes, len) }, posting)
    }

    /// Begins to send a piece, from the buffer at `bytes`: all of it, or nothing in its place.
    ///
    /// # Safety
    /// The piece is packed, and not written to before the next move begins.
    unsafe fn send_piece(
        &mut self,
        communicator: &TaggedCommunicator,
        (bytes, number): (*const u8, usize),
        with_data: bool,
    ) -> Result<(), Error> {
        let MessagePiece { start, len, rank } = self.outgoing.pieces[number];
        let len = if with_data { len } else { 0 };
        // SAFETY: pieces lie in the buffer (`Pieces::new` cuts it), which `restart` made. It is
        // neither moved nor freed until all requests are complete, for which a move waits before it
        // ends, and so does the channel's `drop`, or else it gives the buffer up (`give_up`); the
        // caller does not write to the piece until then.
        let request =
            unsafe { communicator.begin_send(bytes.add(start), len, rank, communicator.tag) }?;
        self.under_way.requests[self.incoming.pieces.len() + number] = request;
        self.unsent += 1;
        Ok(())
    }

    /// The number of the outgoing message that is the incoming one of this number, since it never
    /// leaves this rank.
    fn own_message(&self, message: usize) -> Option<usize> {
        self.own.filter(|(_, received)| *received == message).map(|(sent, _)| sent)
    }

    /// Where the first pieces of an incoming message are that have arrived: waits until these are
    /// `bytes` or more.
    fn arrived(
        &mut self,
        communicator: &TaggedCommunicator,
        message: usize,
        bytes: usize,
    ) -> Result<Range<usize>, Error> {
        let (start, pieces) =
            (self.incoming.range(message).start, self.incoming.pieces_of(message));
        // What is under way goes on in the meantime.
        self.progress(communicator, false)?;
        loop {
            while self.has_arrived[pieces.clone()].get(self.fronts[message]) == Some(&true) {
                self.fronts[message] += 1;
            }
            self.check_lengths()?;
            let last = self.fronts[message]
                .checked_sub(1)
                .map(|last| self.incoming.pieces[pieces.start + last]);
            let end = last.map_or(start, |piece| piece.start + piece.len);
            if end - start >= bytes || !self.progress(communicator, true)? {
                return Ok(start..end);
            }
        }
    }

    /// Sends what is left of the next message, or an empty one in its place. False where no message is
    /// left.
    pub fn post_next(
        &mut self,
        communicator: &TaggedCommunicator,
        with_data: bool,
    ) -> Result<bool, Error> {
        let Some(&message) = self.order.get(self.begun) else { return Ok(false) };
        self.begun += 1;
        let (bytes, pieces) = (self.outgoing.buffer.as_ptr(), self.outgoing.pieces_of(message));
        for number in pieces.skip(self.posted[message]) {
            // SAFETY: all is packed, until the next move, or nothing of it is sent.
            unsafe { self.send_piece(communicator, (bytes, number), with_data) }?;
        }
        Ok(true)
    }

    /// Sends the next message, in the order of the schedule, when the one before has been sent. This
    /// rank does not wait for what it receives in the same step: ranks drift apart by that, but none
    /// stands idle.
    ///
    /// No rank waits for ever. Receives are posted before anything is sent, and the vote before a
    /// rank waits for it. Of all messages of a rank that never arrive, take that of the earliest
    /// step: all earlier ones have arrived, and MPI completes a send whose receive is complete; so it
    /// was sent, to a receive that was posted, and MPI does not hold such a pair back. Ranks that
    /// only begin send all at once, those that are not ready send empty messages at once, and after a
    /// vote against it so do all others with what is left: none of them waits for a step.
    pub fn post_in_turn(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.unsent == 0 && self.post_next(communicator, true)? {}
        Ok(())
    }

    /// Notes what has arrived and what is sent, and sends what may be sent then; with `wait`, waits
    /// until something is. False where nothing is under way.
    pub fn progress(
        &mut self,
        communicator: &TaggedCommunicator,
        wait: bool,
    ) -> Result<bool, Error> {
        let is_left = self.under_way.find(wait, communicator)?;
        for found in 0..self.under_way.found() {
            let number = self.under_way.piece(found);
            let Some(piece) = self.incoming.pieces.get(number) else {
                self.unsent -= 1;
                continue;
            };
            if self.under_way.bytes(found)? != piece.len {
                self.short = Some(piece.rank);
            }
            self.has_arrived[number] = true;
        }
        if self.in_turn {
            self.post_in_turn(communicator)?;
        }
        Ok(is_left)
    }

    /// Waits for all messages.
    pub fn all(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.progress(communicator, true)? {}
        self.check_lengths()
    }

    /// Whether all pieces that have arrived are as long as they should be.
    ///
    /// # Errors
    /// A rank that was ready has sent none since: see [`leave`](super::channel::MpiChannel).
    fn check_lengths(&self) -> Result<(), Error> {
        let reason = || "a panic while it packed".into();
        self.short.map_or(Ok(()), |rank| Err(Error::PeerFailed { rank, reason: reason() }))
    }

    /// A message that has arrived.
    pub fn message(&self, number: usize) -> &[u8] {
        match self.own {
            Some((sent, received)) if received == number => self.outgoing.message(sent),
            _ => self.incoming.message(number),
        }
    }

    /// Ends a move that a rank was not ready for; its messages are of no interest.
    pub fn drain(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.post_next(communicator, false)? {}
        while self.progress(communicator, true)? {}
        Ok(())
    }

    /// Gives up the buffers, to which MPI may still write: better to lose them than to let it write
    /// to what is no longer ours.
    pub fn give_up(&mut self) {
        mem::forget(mem::take(&mut self.incoming.buffer));
        mem::forget(mem::take(&mut self.outgoing.buffer));
    }
}

/// The numbers of a rank's messages to others, in the order in which they are sent: that of rank
/// `here` to itself is left out, and one that the schedule does not know comes last.
fn order(messages: &Messages, here: usize) -> Vec<usize> {
    let to = &messages.outgoing.envelopes;
    let mut order: Vec<usize> = (0..to.len()).filter(|send| to[*send].rank != here).collect();
    if let Some(ranks) = &messages.order {
        let places: HashMap<_, _> = ranks.iter().zip(0..).collect();
        order.sort_by_key(|send| places.get(&to[*send].rank).copied().unwrap_or(usize::MAX));
    }
    order
}

/// The outgoing messages of a move without steps, while they are packed: pieces go as soon as they
/// are whole.
pub struct Posting<'a> {
    mail: &'a mut Mail,
    communicator: &'a TaggedCommunicator,
    /// The beginning of the buffer.
    bytes: *const u8,
}

impl Posting<'_> {
    /// Sends the pieces of a message of which its first `bytes` are packed, unless they have been
    /// sent.
    ///
    /// # Safety
    /// What is packed is not written to until the move has ended.
    pub unsafe fn packed(&mut self, message: usize, bytes: usize) -> Result<(), Error> {
        let Self { mail, communicator, bytes: buffer } = self;
        let end = mail.outgoing.messages[message].start + bytes;
        while let Some(number) = mail.outgoing.pieces_of(message).nth(mail.posted[message])
            && mail.outgoing.pieces[number].start + mail.outgoing.pieces[number].len <= end
        {
            // SAFETY: the piece is among what is packed, which the caller does not write to.
            unsafe { mail.send_piece(communicator, (*buffer, number), true) }?;
            mail.posted[message] += 1;
        }
        Ok(())
    }
}

/// The incoming messages of a move.
pub struct Inbox<'a> {
    mail: &'a mut Mail,
    communicator: &'a TaggedCommunicator,
    /// The beginning of the buffer of incoming messages, and that of outgoing ones.
    bytes: [*const u8; 2],
}

impl<'a> Inbox<'a> {
    pub(super) fn new(mail: &'a mut Mail, communicator: &'a TaggedCommunicator) -> Self {
        let bytes = [mail.incoming.buffer.as_ptr(), mail.outgoing.buffer.as_ptr()];
        Self { mail, communicator, bytes }
    }

    /// The beginning of a message, as much as has arrived: waits until that is `bytes` or more.
    ///
    /// # Errors
    /// Naming the rank, that so much of it will never arrive.
    ///
    /// # Panics
    /// If the message is shorter than that.
    pub fn up_to(&mut self, message: usize, bytes: usize) -> Result<&'a [u8], Error> {
        let (buffer, range) = match self.mail.own_message(message) {
            Some(own) => (self.bytes[1], self.mail.outgoing.range(own)),
            None => (self.bytes[0], self.mail.arrived(self.communicator, message, bytes)?),
        };
        assert!(range.len() >= bytes, "more than a message has");
        // SAFETY: the range is one of a message, or of its beginning, in the buffer, which is there
        // and initialised (`Mail::restart`), and which this borrows. Of incoming messages it covers
        // pieces that have arrived (`Mail::arrived`), to which nothing writes before the next move
        // begins; outgoing ones are only read by now.
        Ok(unsafe { slice::from_raw_parts(buffer.add(range.start), range.len()) })
    }
}

/// The messages of one direction, one after the other in one buffer.
#[derive(Debug)]
struct Pieces {
    /// Empty until messages are first needed: see [`allocate`](Pieces::allocate).
    buffer: Vec<u8>,
    /// Bytes of the buffer.
    len: usize,
    /// Each message's bytes in the buffer.
    messages: Vec<Range<usize>>,
    pieces: Vec<MessagePiece>,
    /// The pieces of each message.
    pieces_of: Vec<Range<usize>>,
}

/// A part of a message that is sent as one.
#[derive(Clone, Copy, Debug)]
struct MessagePiece {
    rank: usize,
    /// In bytes of the buffer.
    start: usize,
    len: usize,
}

impl Pieces {
    /// Pieces of at most `max_bytes` of the other rank; the message to rank `here` has none.
    fn new(lists: &Lists, max_bytes: &dyn Fn(usize) -> usize, here: usize) -> Self {
        let (mut pieces, mut pieces_of) = (Vec::new(), Vec::new());
        for (&Envelope { rank, .. }, bytes) in lists.envelopes.iter().zip(&lists.bytes) {
            let (first, max_bytes) = (pieces.len(), max_bytes(rank));
            let starts = bytes.clone().step_by(max_bytes).filter(|_| rank != here);
            pieces.extend(starts.map(|start| {
                let len = max_bytes.min(bytes.end - start);
                MessagePiece { rank, start, len }
            }));
            pieces_of.push(first..pieces.len());
        }
        Self {
            buffer: Vec::new(),
            len: lists.len,
            messages: lists.bytes.clone(),
            pieces,
            pieces_of,
        }
    }

    /// Makes room for the messages, if there is none yet.
    fn allocate(&mut self) {
        if self.buffer.len() < self.len {
            self.buffer = vec![0; self.len];
        }
    }

    /// The numbers of a message's pieces.
    fn pieces_of(&self, message: usize) -> Range<usize> {
        self.pieces_of[message].clone()
    }

    /// Where a message lies in the buffer, which has it.
    fn range(&self, message: usize) -> Range<usize> {
        let range = self.messages[message].clone();
        assert!(range.end <= self.buffer.len(), "there is memory for messages when they are read");
        range
    }

    /// The bytes of a message that has arrived, or has been packed. Others may be on their way.
    fn message(&self, message: usize) -> &[u8] {
        let range = self.range(message);
        // SAFETY: the range is inside of the buffer, as `range` checks, and all of that is
        // initialised. A borrow of all of it would cover messages that MPI still writes to; this one
        // covers a message that it is through with, as `Mail` has seen, or only reads.
        unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(range.start), range.len()) }
    }
}

/// Requests of a message that are watched at a time. The library looks through all that it is given
/// whenever it is asked: of all pieces of long messages, that would be as many looks as the square of
/// their number.
///
/// Those that are not watched go on alike, and the first of a message are as likely to be complete as
/// any. So waiting for one of these waits for nothing that does not come.
const WATCHED: usize = 4;

/// The pieces of messages, numbered one after the other.
#[derive(Debug)]
struct UnderWay {
    /// Of each piece, unless it is watched.
    requests: Vec<Request>,
    messages: Vec<Watch>,
    watched: Requests,
    /// The piece whose request is in each place of the list above.
    pieces: Vec<usize>,
}

/// What is watched of a message.
#[derive(Debug)]
struct Watch {
    pieces: Range<usize>,
    /// The first piece that has not been watched in this move.
    next: usize,
    /// Where its requests are watched.
    places: Range<usize>,
}

impl UnderWay {
    /// Of messages with this many pieces each.
    fn new(lens: impl Iterator<Item = usize>, communicator: &OwnCommunicator) -> Self {
        let (mut messages, mut pieces, mut places) = (Vec::new(), 0, 0);
        for len in lens {
            let watched = len.min(WATCHED);
            messages.push(Watch {
                pieces: pieces..pieces + len,
                next: pieces,
                places: places..places + watched,
            });
            (pieces, places) = (pieces + len, places + watched);
        }
        Self {
            requests: (0..pieces).map(|_| communicator.live().no_request()).collect(),
            messages,
            watched: communicator.live().requests(places),
            pieces: vec![0; places],
        }
    }

    /// Nothing has begun yet.
    fn restart(&mut self) {
        self.messages.iter_mut().for_each(|message| message.next = message.pieces.start);
    }

    /// Waits until some pieces are complete, or only looks; false where nothing is under way.
    fn find(&mut self, wait: bool, communicator: &OwnCommunicator) -> Result<bool, Error> {
        self.watch(communicator);
        communicator.some(wait, &mut self.watched)
    }

    /// Watches the next pieces that have begun, where there is room.
    fn watch(&mut self, communicator: &OwnCommunicator) {
        let Self { requests, messages, watched, pieces, .. } = self;
        for Watch { pieces: own, next, places } in messages {
            for place in places.clone() {
                if *next == own.end || !requests[*next].is_live() {
                    break;
                }
                if !watched.is_live(place) {
                    let request = &mut requests[*next];
                    let none = communicator.live().no_request();
                    watched.replace(place, mem::replace(request, none));
                    pieces[place] = *next;
                    *next += 1;
                }
            }
        }
    }

    /// How many were found complete last.
    fn found(&self) -> usize {
        self.watched.found()
    }

    /// The number of a piece that was found complete last.
    fn piece(&self, found: usize) -> usize {
        self.pieces[self.watched.place(found)]
    }

    /// Its bytes, if it was received.
    fn bytes(&self, found: usize) -> Result<usize, Error> {
        let bytes = self.watched.bytes(found).map_err(|why| told(0, why))?;
        Ok(bytes.unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranks that rank 2 sends messages to, in this order.
    fn sent(schedule: Option<&[usize]>) -> Vec<usize> {
        let envelopes = [0, 1, 2, 3].map(|rank| Envelope { rank, len: 1 });
        let (outgoing, incoming) = (Lists::new(&envelopes, 1), Lists::new(&[], 1));
        let schedule = schedule.map(<[usize]>::to_vec);
        order(&Messages { outgoing, incoming, order: schedule }, 2)
    }

    #[test]
    fn messages_are_sent_in_the_order_of_the_schedule() {
        assert_eq!(sent(None), [0, 1, 3]);
        assert_eq!(sent(Some(&[3, 2, 0, 1])), [3, 0, 1]);
    }

    /// A round has messages to some ranks of the schedule only.
    #[test]
    fn each_message_is_sent_once_whatever_the_schedule_says() {
        assert_eq!(sent(Some(&[9, 3, 3, 1])), [3, 1, 0]);
        assert_eq!(sent(Some(&[])), [0, 1, 3]);
    }
}
