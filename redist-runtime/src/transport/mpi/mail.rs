//! Messages under way: receives posted first, each message known as it arrives.

use super::communicator::OwnCommunicator;
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
    pub sending: Sending,
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

    /// Memory to pack into; messages are sent while they are packed, unless each waits for another.
    pub fn begin_packing<'a>(&'a mut self, communicator: &'a TaggedCommunicator) -> Outbox<'a> {
        let Pieces { buffer, messages, pieces, pieces_of, .. } = &mut self.outgoing;
        let (bytes, len) = (buffer.as_mut_ptr(), buffer.len());
        let posting = (!self.sending.is_in_turn()).then_some(Posting {
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

    /// Sends what is left of the next message, or an empty one in its place. False where no message is
    /// left.
    pub fn post_next(
        &mut self,
        communicator: &TaggedCommunicator,
        with_data: bool,
    ) -> Result<bool, Error> {
        let Some(message) = self.sending.begin_next() else { return Ok(false) };
        let Range { start, end } = self.outgoing.pieces_of(message);
        let (bytes, tag) = (self.outgoing.buffer.as_ptr(), communicator.tag);
        for number in start + self.posted[message]..end {
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
        while self.sending.is_idle() && self.post_next(communicator, true)? {}
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
                self.sending.pieces -= 1;
                continue;
            };
            if self.under_way.bytes(found)? != piece.len {
                self.short = Some(piece.rank);
            }
            self.has_arrived[number] = true;
        }
        if self.sending.is_in_turn() {
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
