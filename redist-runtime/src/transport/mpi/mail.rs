//! Messages under way: receives posted first, each message known as it arrives.

use super::pieces::Pieces;
use super::posting::Posting;
use super::sending::Sending;
use super::tags::TaggedCommunicator;
use super::under_way::UnderWay;
use crate::error::Error;
use crate::transport::{Messages, Outbox, Rooms};
use std::ops::Range;
use std::{mem, slice};

/// A rank's messages to and from others.
#[derive(Debug)]
pub(super) struct Mail {
    pub outgoing: Pieces,
    pub incoming: Pieces,
    /// The message to this rank itself, which never leaves it: its numbers on both sides.
    own: Option<(usize, usize)>,
    /// Whether it has not been told of in this move.
    own_is_next: bool,
    /// The requests of all incoming pieces, then those of all outgoing ones.
    under_way: UnderWay,
    /// Pieces of each incoming message that have not arrived, and messages that have but were not
    /// told of.
    pub missing: Vec<usize>,
    arrived: Vec<usize>,
    /// Which incoming pieces have arrived in this move, and how many of each message's first ones
    /// are known to have.
    has_arrived: Vec<bool>,
    fronts: Vec<usize>,
    /// Pieces of each outgoing message that have been sent in this move.
    posted: Vec<usize>,
    /// Outgoing messages that are not packed yet in this move.
    unpacked: Vec<bool>,
    /// Whether messages are packed one by one in this move.
    in_turn: bool,
    /// A rank whose piece was of another length than it should.
    short: Option<usize>,
    pub sending: Sending,
}

impl Mail {
    /// With pieces of at most `max_bytes` of the rank that they go to or come from.
    pub fn new(messages: &Messages, max_bytes: &dyn Fn(usize) -> usize, here: usize) -> Self {
        let outgoing = Pieces::new(&messages.outgoing, max_bytes, here);
        let incoming = Pieces::new(&messages.incoming, max_bytes, here);
        let received = messages.incoming.envelopes.len();
        let both = incoming.pieces_of.iter().chain(&outgoing.pieces_of);
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            own_is_next: false,
            under_way: UnderWay::new(both.map(Range::len)),
            missing: vec![0; received],
            arrived: Vec::with_capacity(received),
            has_arrived: vec![false; incoming.pieces.len()],
            fronts: vec![0; received],
            posted: vec![0; messages.outgoing.envelopes.len()],
            in_turn: false,
            unpacked: vec![false; messages.outgoing.envelopes.len()],
            short: None,
            sending: Sending::new(messages, here),
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
        self.sending.restart();
        self.under_way.restart();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.missing.fill(0);
        self.has_arrived.fill(false);
        self.fronts.fill(0);
        self.posted.fill(0);
        self.unpacked.fill(false);
        self.in_turn = false;
        self.arrived.clear();
        self.short = None;
        self.own_is_next = self.own.is_some();
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), communicator.tag);
        let requests = &mut self.under_way.requests;
        for (piece, request) in self.incoming.pieces.iter().zip(requests) {
            // SAFETY: pieces lie in the buffer (`Pieces::new` cuts it), which `allocate` made above.
            // It is neither moved nor freed until all requests are complete, and what is received
            // is not touched: `message` borrows only what has arrived, a move waits for all before
            // it ends (`all`, `next`, `drain`), and so does the channel's `drop`, or else it gives
            // the buffer up (`give_up`).
            *request = unsafe {
                communicator.begin_receive(bytes.add(piece.start), piece.len, piece.rank, tag)
            }?;
            self.missing[piece.message] += 1;
        }
        Ok(())
    }

    /// Memory to pack into; without steps, messages are sent while they are packed.
    pub fn begin_packing<'a>(&'a mut self, communicator: &'a TaggedCommunicator) -> Outbox<'a> {
        let Pieces { buffer, messages, pieces, pieces_of, .. } = &mut self.outgoing;
        let (bytes, len) = (buffer.as_mut_ptr(), buffer.len());
        let posting = (!self.sending.has_steps()).then_some(Posting {
            communicator,
            bytes,
            messages,
            pieces,
            pieces_of,
            requests: &mut self.under_way.requests[self.incoming.pieces.len()..],
            posted: &mut self.posted,
            under_way: &mut self.sending.pieces,
        });
        // SAFETY: it is the buffer, which is borrowed exclusively; what is packed through the slice
        // is read by MPI alone, by the pointer that the slice is made from.
        let buffer = unsafe { slice::from_raw_parts_mut(bytes, len) };
        Outbox { rooms: Rooms::Buffer(buffer), posting }
    }

    /// Which message is the next where they are packed one by one: in the order of steps, and that to
    /// this rank itself last.
    pub fn next_to_pack(&mut self) -> Option<usize> {
        if !mem::replace(&mut self.in_turn, true) {
            self.unpacked.fill(true);
        }
        let own = self.own.map(|(sent, _)| sent);
        self.sending.messages().chain(own).find(|message| self.unpacked[*message])
    }

    /// Memory for a message that is packed by itself.
    pub fn room(&mut self, message: usize) -> &mut [u8] {
        assert!(self.unpacked[message], "it may have been sent");
        let Range { start, end } = self.outgoing.range(message);
        // SAFETY: the range is inside of the buffer (`Pieces::range`), all of which is initialised,
        // and this borrows it exclusively. MPI uses messages that are packed, and not this one.
        unsafe {
            slice::from_raw_parts_mut(self.outgoing.buffer.as_mut_ptr().add(start), end - start)
        }
    }

    /// Notes that a message is packed, and sends what may be sent by now.
    pub fn packed(
        &mut self,
        communicator: &TaggedCommunicator,
        message: usize,
    ) -> Result<(), Error> {
        self.unpacked[message] = false;
        self.progress(communicator, false)?;
        self.post_steps(communicator)
    }

    /// The number of the outgoing message that is the incoming one of this number, since it never
    /// leaves this rank.
    pub fn own_message(&self, message: usize) -> Option<usize> {
        self.own.filter(|(_, received)| *received == message).map(|(sent, _)| sent)
    }

    /// Where the first pieces of an incoming message are that have arrived: waits until these are
    /// `bytes` or more.
    pub fn arrived(
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

    /// Sends what belongs to the next step, or empty messages in its place. False where no step is
    /// left.
    pub fn post_next(
        &mut self,
        communicator: &TaggedCommunicator,
        with_data: bool,
    ) -> Result<bool, Error> {
        let Some(step) = self.sending.begin_next() else { return Ok(false) };
        let posted = |message: usize| self.posted[message];
        let pieces = step.send.map_or(0..0, |message| {
            let Range { start, end } = self.outgoing.pieces_of(message);
            start + posted(message)..end
        });
        let (bytes, tag) = (self.outgoing.buffer.as_ptr(), communicator.tag);
        for number in pieces {
            let piece = self.outgoing.pieces[number];
            let len = if with_data { piece.len } else { 0 };
            // SAFETY: pieces lie in the buffer (`Pieces::new` cuts it), which `restart` made. It is
            // neither moved nor freed until all requests are complete, for which a move waits
            // before it ends, and so does the channel's `drop`, or else it gives the buffer up
            // (`give_up`); it is packed again in the next move only.
            let request =
                unsafe { communicator.begin_send(bytes.add(piece.start), len, piece.rank, tag) }?;
            self.under_way.requests[self.incoming.pieces.len() + number] = request;
            self.sending.pieces += 1;
        }
        Ok(true)
    }

    /// Sends what may be sent by now: a step begins when this rank has sent its message of the step
    /// before. What it receives is not waited for: ranks drift apart by that, but none stands idle.
    ///
    /// No rank waits for ever. Receives are posted before anything is sent, and the vote before a
    /// rank waits for it. Of all messages of a rank that never arrive, take that of the earliest
    /// step: all earlier ones have arrived, and MPI completes a send whose receive is complete; so it
    /// was sent, to a receive that was posted, and MPI does not hold such a pair back. Ranks that
    /// only begin send all at once, those that are not ready send empty messages at once, and after a
    /// vote against it so do all others with what is left: none of them waits for a step.
    pub fn post_steps(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.sending.is_idle()
            && self.next_is_packed()
            && self.post_next(communicator, true)?
        {}
        Ok(())
    }

    fn next_is_packed(&self) -> bool {
        self.sending.next_message().is_none_or(|message| !self.unpacked[message])
    }

    /// Notes what has arrived and what is sent; with `wait`, waits until something is. False where
    /// nothing is under way.
    pub fn progress(
        &mut self,
        communicator: &TaggedCommunicator,
        wait: bool,
    ) -> Result<bool, Error> {
        let is_left = self.under_way.find(wait, communicator)?;
        for found in 0..self.under_way.found() {
            let number = self.under_way.piece(found);
            let Some(piece) = self.incoming.pieces.get(number) else {
                self.sending.pieces -= 1;
                continue;
            };
            if self.under_way.bytes(found)? != piece.len {
                self.short = Some(piece.rank);
            }
            self.has_arrived[number] = true;
            self.missing[piece.message] -= 1;
            if self.missing[piece.message] == 0 {
                self.arrived.push(piece.message);
            }
        }
        Ok(is_left)
    }

    /// Waits for all messages, and sends what is left to be sent in the meantime.
    pub fn all(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        self.post_steps(communicator)?;
        while self.progress(communicator, true)? {
            self.post_steps(communicator)?;
        }
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

    /// The number of a message that has arrived; sends what is left to be sent in the meantime.
    /// `None` after the last.
    pub fn next(&mut self, communicator: &TaggedCommunicator) -> Result<Option<usize>, Error> {
        if let (true, Some((_, received))) = (mem::take(&mut self.own_is_next), self.own) {
            return Ok(Some(received));
        }
        // Others may be waiting for what this rank sends next.
        let _ = self.sending.is_through() || self.progress(communicator, false)?;
        loop {
            self.post_steps(communicator)?;
            let arrived = self.arrived.pop();
            self.check_lengths()?;
            if arrived.is_some() || !self.progress(communicator, true)? {
                return Ok(arrived.or_else(|| self.arrived.pop()));
            }
        }
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
