//! Messages under way: receives are posted first, and segments are sent while others are packed or
//! in the order of a schedule. Each message is read while it arrives. Unsafe, because MPI reads
//! packed bytes while the rest is written, and writes to bytes that have not arrived.

use super::communicator::OwnCommunicator;
use super::life::told;
use super::tags::TaggedCommunicator;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::{Lists, Messages};
use redist_mpi::{Request, Requests};
use std::collections::HashMap;
use std::ffi::c_int;
use std::ops::Range;
use std::{mem, slice};

#[derive(Debug)]
pub(super) struct Mail {
    outgoing: Pieces,
    incoming: Pieces,
    /// The message to this rank itself, by its numbers on both sides; it is never sent.
    own: Option<(usize, usize)>,
    /// Requests of all incoming segments, then of all outgoing ones.
    under_way: UnderWay,
    /// Incoming segments that have arrived in this move, and each message's arrived prefix.
    has_arrived: Vec<bool>,
    fronts: Vec<usize>,
    /// Segments of each outgoing message that have been sent in this move.
    posted: Vec<usize>,
    /// Outgoing messages that go in this move.
    goes: Vec<bool>,
    /// A rank whose segment had another length than it should.
    short: Option<usize>,
    order: Vec<usize>,
    /// `true` if each is sent after the one before, in a move that this rank runs.
    in_turn: bool,
    /// Messages of that order that are sent, or about to be.
    begun: usize,
    unsent: usize,
    /// The library may read outgoing messages of this move after its end.
    is_abandoned: bool,
    tag: c_int,
}

impl Mail {
    /// Messages in segments of at most `max_bytes` of the other rank.
    pub fn new(
        messages: &Messages,
        max_bytes: &dyn Fn(usize) -> usize,
        communicator: &TaggedCommunicator,
    ) -> Self {
        let here = communicator.rank();
        let outgoing = Pieces::new(&messages.outgoing, max_bytes, here);
        let incoming = Pieces::new(&messages.incoming, max_bytes, here);
        let received = messages.incoming.envelopes.len();
        let both = incoming.messages.iter().chain(&outgoing.messages);
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            under_way: UnderWay::new(both.map(|message| message.pieces.len()), communicator),
            has_arrived: Vec::new(),
            fronts: vec![0; received],
            posted: vec![0; messages.outgoing.envelopes.len()],
            goes: vec![true; messages.outgoing.envelopes.len()],
            short: None,
            order: order(messages, here),
            in_turn: messages.order.is_some(),
            begun: 0,
            unsent: 0,
            is_abandoned: false,
            tag: communicator.tag(0),
            outgoing,
            incoming,
        }
    }

    /// Takes the buffers of other messages, none of which is under way any more.
    pub fn reuse(&mut self, mut last: Self) {
        last.leak_abandoned();
        self.outgoing.buffer = mem::take(&mut last.outgoing.buffer);
        self.incoming.buffer = mem::take(&mut last.incoming.buffer);
    }

    pub fn is_empty(&self) -> bool {
        self.incoming.count() == 0 && self.outgoing.count() == 0
    }

    /// Begins to receive the messages of the ranks that `sends` tells, in a move with this number.
    /// All outgoing messages go.
    pub fn restart(
        &mut self,
        communicator: &TaggedCommunicator,
        number: u64,
        sends: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        self.tag = communicator.tag(number);
        self.goes.fill(true);
        (self.begun, self.unsent) = (0, 0);
        self.under_way.restart(communicator);
        self.leak_abandoned();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.has_arrived.clear();
        self.has_arrived.resize(self.incoming.count(), false);
        self.fronts.fill(0);
        self.posted.fill(0);
        self.short = None;
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), self.tag);
        let pieces = self.incoming.all().enumerate();
        for (number, piece) in pieces.filter(|(_, piece)| sends(piece.rank)) {
            // SAFETY: segments lie in the buffer (`Pieces::piece`), which `allocate` made
            // above. It is neither moved nor freed until all requests are complete. Received bytes
            // are not touched: `message` borrows only arrived bytes. A move waits for all before it
            // ends (`all`, `drain`), and so does the channel's `drop`, or else it gives the buffer
            // up (`give_up`).
            let request = unsafe {
                communicator.begin_receive(bytes.add(piece.start), piece.len, piece.rank, tag)
            }?;
            self.under_way.begun(number, request);
        }
        Ok(())
    }

    /// Sends messages in this move to the ranks that `receives` tells, alone.
    pub fn send_to(&mut self, receives: impl Fn(usize) -> bool) {
        for (goes, message) in self.goes.iter_mut().zip(&self.outgoing.messages) {
            *goes = receives(message.rank);
        }
    }

    /// Cancels what does not come, in a move that fails. `comes` tells of each sender.
    pub fn cancel(
        &mut self,
        communicator: &TaggedCommunicator,
        comes: impl Fn(usize) -> bool,
    ) -> Result<(), Error> {
        let incoming = &self.incoming;
        let never = |number: usize| incoming.find(number).is_some_and(|piece| !comes(piece.rank));
        self.under_way.cancel(incoming.count(), &never, communicator)
    }

    /// Waits no longer for what is sent to ranks that take no part in the move, and leaks it.
    pub fn abandon(&mut self, communicator: &TaggedCommunicator, takes: impl Fn(usize) -> bool) {
        let (first, outgoing) = (self.incoming.count(), &self.outgoing);
        let never = |number: usize| {
            let piece = number.checked_sub(first).and_then(|number| outgoing.find(number));
            piece.is_some_and(|piece| !takes(piece.rank))
        };
        let forgotten = self.under_way.forget(&never, communicator);
        if forgotten > 0 {
            // Another communicator with its number would get the message.
            communicator.keep();
            (self.unsent, self.is_abandoned) = (self.unsent - forgotten, true);
        }
    }

    pub fn bytes(&self) -> usize {
        self.outgoing.buffer.len() + self.incoming.buffer.len()
    }

    pub fn is_in_turn(&self) -> bool {
        self.in_turn
    }

    /// Returns memory to pack into; messages go while they are packed, unless they go in turn.
    pub fn begin_packing<'a>(
        &'a mut self,
        communicator: &'a TaggedCommunicator,
    ) -> (&'a mut [u8], Option<Posting<'a>>) {
        let (bytes, len) = (self.outgoing.buffer.as_mut_ptr(), self.outgoing.buffer.len());
        let posting = (!self.in_turn).then_some(Posting { mail: self, communicator, bytes });
        // SAFETY: it is the buffer, which is borrowed exclusively as long as this is. The other
        // holder of the slice's pointer (`Posting`) gives MPI alone the packed bytes, to read, and
        // does not read the buffer.
        (unsafe { slice::from_raw_parts_mut(bytes, len) }, posting)
    }

    /// Begins to send a segment, from the buffer at `bytes`: all of it, or nothing in its place.
    ///
    /// # Safety
    /// The segment is packed. Nothing writes to it before the next move.
    unsafe fn send_piece(
        &mut self,
        communicator: &TaggedCommunicator,
        (bytes, message, number): (*const u8, usize, usize),
        with_data: bool,
    ) -> Result<(), Error> {
        let MessagePiece { start, len, rank } = self.outgoing.piece(message, number);
        let len = if with_data { len } else { 0 };
        // SAFETY: segments lie in the buffer (`Pieces::piece`), which `restart` made. It is
        // neither moved nor freed until all requests are complete. A move waits for these before it
        // ends, and so does the channel's `drop`, or else it gives the buffer up (`give_up`). The
        // caller does not write to the segment until then.
        let request = unsafe { communicator.begin_send(bytes.add(start), len, rank, self.tag) }?;
        self.under_way.begun(self.incoming.count() + number, request);
        self.unsent += 1;
        Ok(())
    }

    /// Returns the outgoing number of an incoming message that never leaves this rank.
    fn own_message(&self, message: usize) -> Option<usize> {
        self.own.filter(|(_, received)| *received == message).map(|(sent, _)| sent)
    }

    fn arrived(
        &mut self,
        communicator: &TaggedCommunicator,
        message: usize,
        bytes: usize,
    ) -> Result<Range<usize>, Error> {
        let (start, pieces) =
            (self.incoming.range(message).start, self.incoming.pieces_of(message));
        self.progress(communicator, false)?;
        loop {
            while self.has_arrived[pieces.clone()].get(self.fronts[message]) == Some(&true) {
                self.fronts[message] += 1;
            }
            self.check_lengths()?;
            let last = self.fronts[message]
                .checked_sub(1)
                .map(|last| self.incoming.piece(message, pieces.start + last));
            let end = last.map_or(start, |piece| piece.end());
            if end - start >= bytes || !self.progress(communicator, true)? {
                return Ok(start..end);
            }
        }
    }

    /// Sends the rest of the next message, or an empty one instead; `false` if none is left.
    pub fn post_next(
        &mut self,
        communicator: &TaggedCommunicator,
        with_data: bool,
    ) -> Result<bool, Error> {
        let Some(&message) = self.order.get(self.begun) else { return Ok(false) };
        self.begun += 1;
        if !self.goes[message] {
            return Ok(true);
        }
        let (bytes, pieces) = (self.outgoing.buffer.as_ptr(), self.outgoing.pieces_of(message));
        for number in pieces.skip(self.posted[message]) {
            // SAFETY: all of it is packed, until the next move, or nothing of it is sent.
            unsafe { self.send_piece(communicator, (bytes, message, number), with_data) }?;
        }
        Ok(true)
    }

    /// Sends the next message, in the order of the schedule, when the one before has been sent. It
    /// does not wait for messages of the same step: ranks drift apart, but none stands idle.
    ///
    /// No rank waits for ever. Receives are posted before anything is sent, and the vote before a
    /// rank waits for it. Take, of all messages that never arrive, that of the earliest step. All
    /// earlier ones have arrived, and MPI completes a send whose receive is complete. So it was
    /// sent, to a posted receive, and MPI does not hold such a pair back. Ranks that only begin
    /// send all at once. After a vote against the move, ranks that are not ready send empty
    /// messages, and all others do so with the rest. None of them waits for a step.
    pub fn post_in_turn(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.unsent == 0 && self.post_next(communicator, true)? {}
        Ok(())
    }

    /// Notes arrived and sent segments, and sends those that may go; with `wait`, waits for one.
    /// `false` if nothing is under way.
    pub fn progress(
        &mut self,
        communicator: &TaggedCommunicator,
        wait: bool,
    ) -> Result<bool, Error> {
        let is_left = self.under_way.find(wait, communicator)?;
        for found in 0..self.under_way.found() {
            let number = self.under_way.piece(found);
            let Some(piece) = self.incoming.find(number) else {
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
        // The next message may have been posted in the place of abandoned ones.
        Ok(is_left || self.under_way.left > 0)
    }

    pub fn all(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.progress(communicator, true)? {}
        self.check_lengths()
    }

    pub fn check_lengths(&self) -> Result<(), Error> {
        let reason = || "a panic while it packed".into();
        self.short.map_or(Ok(()), |rank| Err(Error::PeerFailed { rank, reason: reason() }))
    }

    pub fn sender(&self, number: usize) -> usize {
        self.incoming.messages[number].rank
    }

    pub fn message(&self, number: usize) -> &[u8] {
        match self.own {
            Some((sent, received)) if received == number => self.outgoing.message(sent),
            _ => self.incoming.message(number),
        }
    }

    /// Completes a move that a rank was not ready for, without reading its messages.
    pub fn drain(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.post_next(communicator, false)? {}
        while self.progress(communicator, true)? {}
        Ok(())
    }

    fn leak_abandoned(&mut self) {
        if mem::take(&mut self.is_abandoned) {
            mem::forget(mem::take(&mut self.outgoing.buffer));
        }
    }

    /// Leaks the buffers, because MPI may still write to them.
    pub fn give_up(&mut self) {
        mem::forget(mem::take(&mut self.incoming.buffer));
        mem::forget(mem::take(&mut self.outgoing.buffer));
    }
}

impl Drop for Mail {
    /// Leaks what the library may still read.
    fn drop(&mut self) {
        self.leak_abandoned();
    }
}

/// Returns the numbers of a rank's outgoing messages in the order of sending, without that of rank
/// `here` to itself. A message that the schedule lacks comes last.
fn order(messages: &Messages, here: usize) -> Vec<usize> {
    let to = &messages.outgoing.envelopes;
    let mut order: Vec<usize> = (0..to.len()).filter(|send| to[*send].rank != here).collect();
    if let Some(ranks) = &messages.order {
        let places: HashMap<_, _> = ranks.iter().zip(0..).collect();
        order.sort_by_key(|send| places.get(&to[*send].rank).copied().unwrap_or(usize::MAX));
    }
    order
}

/// The outgoing messages of a move without steps, while they are packed: whole segments go at once.
pub struct Posting<'a> {
    mail: &'a mut Mail,
    communicator: &'a TaggedCommunicator,
    bytes: *const u8,
}

impl Posting<'_> {
    /// Sends the unsent segments in the first `bytes` of a message, which are packed.
    ///
    /// # Safety
    /// Packed bytes are not written to until the move has ended.
    pub unsafe fn packed(&mut self, message: usize, bytes: usize) -> Result<(), Error> {
        let Self { mail, communicator, bytes: buffer } = self;
        if !mail.goes[message] {
            return Ok(());
        }
        let end = mail.outgoing.messages[message].bytes.start + bytes;
        while let Some(number) = mail.outgoing.pieces_of(message).nth(mail.posted[message])
            && mail.outgoing.piece(message, number).end() <= end
        {
            // SAFETY: the segment is among the packed bytes, which the caller does not write to.
            unsafe { mail.send_piece(communicator, (*buffer, message, number), true) }?;
            mail.posted[message] += 1;
        }
        Ok(())
    }
}

pub struct Inbox<'a> {
    mail: &'a mut Mail,
    communicator: &'a TaggedCommunicator,
    /// The beginnings of the buffers of incoming and outgoing messages.
    bytes: [*const u8; 2],
}

impl<'a> Inbox<'a> {
    pub(super) fn new(mail: &'a mut Mail, communicator: &'a TaggedCommunicator) -> Self {
        let bytes = [mail.incoming.buffer.as_ptr(), mail.outgoing.buffer.as_ptr()];
        Self { mail, communicator, bytes }
    }

    /// Waits for `bytes` of a message or more, and returns its arrived prefix. Fails if the named
    /// rank never sends so much, and panics if the message is shorter.
    pub fn up_to(&mut self, message: usize, bytes: usize) -> Result<&'a [u8], Error> {
        let (buffer, range) = match self.mail.own_message(message) {
            Some(own) => (self.bytes[1], self.mail.outgoing.range(own)),
            None => (self.bytes[0], self.mail.arrived(self.communicator, message, bytes)?),
        };
        assert!(range.len() >= bytes, "more than a message has");
        // SAFETY: the range is one of a message, or of its beginning, in the buffer, which is there
        // and initialised (`Mail::restart`), and which this borrows. For incoming messages it
        // covers segments that have arrived (`Mail::arrived`), to which nothing writes before the
        // next move begins. Outgoing ones are only read by now.
        Ok(unsafe { slice::from_raw_parts(buffer.add(range.start), range.len()) })
    }
}

#[derive(Debug)]
struct Pieces {
    /// Empty until messages are first needed: see [`allocate`](Pieces::allocate).
    buffer: Vec<u8>,
    len: usize,
    messages: Vec<CutMessage>,
}

/// A message and its segments, each computed when needed: a list would grow with the array.
#[derive(Debug)]
struct CutMessage {
    rank: usize,
    bytes: Range<usize>,
    max_bytes: usize,
    pieces: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MessagePiece {
    rank: usize,
    start: usize,
    len: usize,
}

impl MessagePiece {
    fn end(self) -> usize {
        self.start + self.len
    }
}

impl Pieces {
    /// Cuts messages into segments of at most `max_bytes` of the other rank; rank `here` has none.
    fn new(lists: &Lists, max_bytes: &dyn Fn(usize) -> usize, here: usize) -> Self {
        let mut messages = Vec::with_capacity(lists.envelopes.len());
        let mut first = 0;
        for (&Envelope { rank, .. }, bytes) in lists.envelopes.iter().zip(&lists.bytes) {
            let (bytes, max_bytes) = (bytes.clone(), max_bytes(rank));
            let count = if rank == here { 0 } else { bytes.len().div_ceil(max_bytes) };
            messages.push(CutMessage { rank, bytes, max_bytes, pieces: first..first + count });
            first += count;
        }
        Self { buffer: Vec::new(), len: lists.len, messages }
    }

    fn count(&self) -> usize {
        self.messages.last().map_or(0, |message| message.pieces.end)
    }

    fn piece(&self, message: usize, number: usize) -> MessagePiece {
        let CutMessage { rank, bytes, max_bytes, pieces } = &self.messages[message];
        assert!(pieces.contains(&number), "a segment of this message");
        let start = bytes.start + (number - pieces.start) * max_bytes;
        MessagePiece { rank: *rank, start, len: (*max_bytes).min(bytes.end - start) }
    }

    fn find(&self, number: usize) -> Option<MessagePiece> {
        let message = self.messages.partition_point(|message| message.pieces.end <= number);
        (message < self.messages.len()).then(|| self.piece(message, number))
    }

    fn all(&self) -> impl Iterator<Item = MessagePiece> {
        let of =
            move |message| self.pieces_of(message).map(move |number| self.piece(message, number));
        (0..self.messages.len()).flat_map(of)
    }

    fn allocate(&mut self) {
        if self.buffer.len() < self.len {
            self.buffer = vec![0; self.len];
        }
    }

    fn pieces_of(&self, message: usize) -> Range<usize> {
        self.messages[message].pieces.clone()
    }

    fn range(&self, message: usize) -> Range<usize> {
        let range = self.messages[message].bytes.clone();
        assert!(range.end <= self.buffer.len(), "there is memory for messages when they are read");
        range
    }

    /// Returns a message that has arrived, or is packed. Other messages may be on their way.
    fn message(&self, message: usize) -> &[u8] {
        let range = self.range(message);
        // SAFETY: the range is inside of the buffer, as `range` checks, and all of the buffer is
        // initialised. A borrow of all of it would cover messages that MPI still writes to. This
        // one covers a message that MPI is through with, as `Mail` has seen, or only reads.
        unsafe { slice::from_raw_parts(self.buffer.as_ptr().add(range.start), range.len()) }
    }
}

/// Requests of a message that are tested at a time. The library searches all requests in each call,
/// so testing all of a long message would cost the square of their number. Other requests make
/// progress alike, and the first complete as early as any. So waiting for one of these never waits
/// for a message that does not come.
const WATCHED: usize = 4;

#[derive(Debug)]
struct UnderWay {
    /// Request of each segment, unless it is being tested. Empty until messages first go.
    requests: Vec<Request>,
    count: usize,
    /// Segments that have begun, and are not known to be complete.
    left: usize,
    found: usize,
    messages: Vec<Watch>,
    watched: Requests,
    /// The segment whose request is in each place of the list above.
    pieces: Vec<usize>,
}

#[derive(Debug)]
struct Watch {
    pieces: Range<usize>,
    next: usize,
    places: Range<usize>,
}

impl UnderWay {
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
            requests: Vec::new(),
            count: pieces,
            left: 0,
            found: 0,
            messages,
            watched: communicator.live().requests(places),
            pieces: vec![0; places],
        }
    }

    fn restart(&mut self, communicator: &OwnCommunicator) {
        self.requests.resize_with(self.count, || communicator.live().no_request());
        self.messages.iter_mut().for_each(|message| message.next = message.pieces.start);
        self.left = 0;
    }

    fn cancel(
        &mut self,
        count: usize,
        never: &dyn Fn(usize) -> bool,
        communicator: &OwnCommunicator,
    ) -> Result<(), Error> {
        let begun = self.requests.iter_mut().take(count).enumerate();
        for (_, request) in begun.filter(|(number, own)| own.is_live() && never(*number)) {
            communicator.must(request.cancel())?;
            self.left -= 1;
        }
        for (place, number) in self.pieces.iter().enumerate() {
            if *number < count && self.watched.is_live(place) && never(*number) {
                let none = communicator.live().no_request();
                communicator.must(self.watched.replace(place, none).cancel())?;
                self.left -= 1;
            }
        }
        Ok(())
    }

    fn forget(&mut self, these: &dyn Fn(usize) -> bool, communicator: &OwnCommunicator) -> usize {
        let (before, none) = (self.left, || communicator.live().no_request());
        let begun = self.requests.iter_mut().enumerate();
        for (_, request) in begun.filter(|(number, own)| own.is_live() && these(*number)) {
            *request = none();
            self.left -= 1;
        }
        for (place, number) in self.pieces.iter().enumerate() {
            if self.watched.is_live(place) && these(*number) {
                self.watched.replace(place, none());
                self.left -= 1;
            }
        }
        before - self.left
    }

    fn begun(&mut self, number: usize, request: Request) {
        self.requests[number] = request;
        self.left += 1;
    }

    /// Waits until some segments are complete, or only tests; `false` at once if none is under way.
    fn find(&mut self, wait: bool, communicator: &OwnCommunicator) -> Result<bool, Error> {
        self.found = 0;
        if self.left == 0 {
            return Ok(false);
        }
        self.watch(communicator);
        let is_left = communicator.some(wait, &mut self.watched)?;
        self.found = self.watched.found();
        self.left -= self.found;
        Ok(is_left)
    }

    fn watch(&mut self, communicator: &OwnCommunicator) {
        let Self { requests, messages, watched, pieces, .. } = self;
        for Watch { pieces: own, next, places } in messages {
            for place in places.clone() {
                if *next == own.end || requests.get(*next).is_none_or(|own| !own.is_live()) {
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

    fn found(&self) -> usize {
        self.found
    }

    fn piece(&self, found: usize) -> usize {
        self.pieces[self.watched.place(found)]
    }

    fn bytes(&self, found: usize) -> Result<usize, Error> {
        let bytes = self.watched.bytes(found).map_err(|why| told(0, why))?;
        Ok(bytes.unwrap_or(usize::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// A list of the segments would fill any memory.
    #[test]
    fn segments_of_the_longest_messages_are_not_listed() {
        let envelopes = [0, 1, 2].map(|rank| Envelope { rank, len: (1 << 60) + 5 });
        let pieces = Pieces::new(&Lists::new(&envelopes, 1), &|rank| 1 << (20 + rank), 1);
        assert_eq!(pieces.count(), (1 << 40) + (1 << 38) + 2);
        assert_eq!(pieces.find(1 << 40).map(|piece| (piece.rank, piece.len)), Some((0, 5)));
        let last = pieces.find(pieces.count() - 1);
        assert_eq!(last.map(|piece| (piece.rank, piece.len)), Some((2, 5)));
        assert_eq!(last.map(MessagePiece::end), Some(pieces.messages[2].bytes.end));
        assert_eq!(pieces.find(pieces.count()), None);
    }

    #[test]
    fn segments_cover_each_message_once() {
        let envelopes = [(0, 7), (3, 0), (2, 4), (1, 9), (4, 1)];
        let envelopes = envelopes.map(|(rank, len)| Envelope { rank, len });
        let pieces = Pieces::new(&Lists::new(&envelopes, 2), &|rank| 3 + rank, 2);
        let all: Vec<_> = pieces.all().collect();
        assert_eq!(all.len(), pieces.count());
        let found: Vec<_> = (0..pieces.count()).filter_map(|number| pieces.find(number)).collect();
        assert_eq!(all, found);
        for message in pieces.messages.iter().filter(|message| message.rank != 2) {
            let mut end = message.bytes.start;
            for piece in all.iter().filter(|piece| piece.rank == message.rank) {
                assert_eq!(piece.start, end);
                end = piece.end();
            }
            assert_eq!(end, message.bytes.end);
        }
        assert!(all.iter().all(|piece| piece.rank != 2 && piece.len > 0));
    }

    /// A round has messages to some ranks of the schedule only.
    #[test]
    fn each_message_is_sent_once_whatever_the_schedule_says() {
        assert_eq!(sent(Some(&[9, 3, 3, 1])), [3, 1, 0]);
        assert_eq!(sent(Some(&[])), [0, 1, 3]);
    }
}
