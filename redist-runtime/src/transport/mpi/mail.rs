//! Messages under way: receives posted first, each message known as it arrives.

use super::completions::Completions;
use super::context::TaggedCommunicator;
use super::pieces::Pieces;
use super::request::Request;
use super::sending::Sending;
use crate::error::Error;
use crate::transport::Messages;
use std::mem;

/// A rank's messages to and from others.
#[derive(Debug)]
pub(super) struct Mail {
    pub outgoing: Pieces,
    pub incoming: Pieces,
    /// The message to this rank itself, which never leaves it: its numbers on both sides.
    own: Option<(usize, usize)>,
    /// Whether it has not been told of in this move.
    own_is_next: bool,
    /// A request for each incoming piece, then one for each outgoing piece.
    requests: Vec<Request>,
    done: Completions,
    /// Pieces of each incoming message that have not arrived, and messages that have but were not
    /// told of.
    pub missing: Vec<usize>,
    arrived: Vec<usize>,
    /// A rank whose piece was of another length than it should.
    short: Option<usize>,
    pub sending: Sending,
}

impl Mail {
    pub fn new(messages: &Messages, max_bytes: usize, here: usize) -> Self {
        let outgoing = Pieces::new(&messages.outgoing, max_bytes, here);
        let incoming = Pieces::new(&messages.incoming, max_bytes, here);
        let (pieces, received) =
            (incoming.pieces.len() + outgoing.pieces.len(), messages.incoming.envelopes.len());
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            own_is_next: false,
            requests: Request::list(pieces),
            done: Completions::new(pieces),
            missing: vec![0; received],
            arrived: Vec::with_capacity(received),
            short: None,
            sending: Sending::new(messages, here),
            outgoing,
            incoming,
        }
    }

    /// Posts all receives.
    pub fn restart(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        self.sending.restart();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.missing.fill(0);
        self.arrived.clear();
        self.short = None;
        self.own_is_next = self.own.is_some();
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), communicator.tag);
        for (piece, request) in self.incoming.pieces.iter().zip(&mut self.requests) {
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

    /// Sends what belongs to the next step, or empty messages in its place. False where no step is
    /// left.
    pub fn post_next(
        &mut self,
        communicator: &TaggedCommunicator,
        with_data: bool,
    ) -> Result<bool, Error> {
        let Some(step) = self.sending.begin_next() else { return Ok(false) };
        let pieces = step.send.map_or(0..0, |message| self.outgoing.pieces_of(message));
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
            self.requests[self.incoming.pieces.len() + number] = request;
            self.sending.pieces += 1;
        }
        Ok(true)
    }

    /// Sends what may be sent by now: a step begins when this rank's messages of the step before,
    /// either way, are through.
    ///
    /// No rank waits for ever. Receives are posted before anything is sent, and the vote before a
    /// rank waits for it. Of all messages that never arrive, take one of the earliest step: all
    /// earlier ones of its sender have arrived, both ways, and MPI completes a send whose receive
    /// is complete; so it was sent, to a receive that was posted, and MPI does not hold such a pair
    /// back. Ranks that only begin send all at once, those that are not ready send empty messages
    /// at once, and after a vote against it so do all others with what is left: none of them waits
    /// for a step.
    pub fn post_steps(&mut self, communicator: &TaggedCommunicator) -> Result<(), Error> {
        while self.sending.is_idle(&self.missing) && self.post_next(communicator, true)? {}
        Ok(())
    }

    /// Notes what has arrived and what is sent; with `wait`, waits until something is. False where
    /// nothing is under way.
    pub fn progress(
        &mut self,
        communicator: &TaggedCommunicator,
        wait: bool,
    ) -> Result<bool, Error> {
        let is_left = communicator.some(wait, &mut self.requests, &mut self.done)?;
        for place in 0..self.done.len() {
            let Some(piece) = self.incoming.pieces.get(self.done.request(place)) else {
                self.sending.pieces -= 1;
                continue;
            };
            if self.done.bytes(place)? != piece.len {
                self.short = Some(piece.rank);
            }
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
