//! Messages under way: receives are posted first, and segments are sent while others are packed or
//! in the order of a schedule. Each message is read while it arrives. Unsafe, because MPI reads
//! packed bytes while the rest is written, and writes to bytes that have not arrived.

use super::gateway::Parcel;
use super::near::NearMove;
use super::pieces::{ArrivingParcel, Cut, CutMessage, MessagePiece, Pieces};
use super::reason::{Fault, panicked};
use super::sends::Sends;
use super::tags::{TaggedCommunicator, is_awaited};
use super::under_way::UnderWay;
use crate::error::Error;
use crate::transport::Messages;
use crate::transport::wire::Head;
use redist_mpi::Request;
use std::ops::Range;
use std::{mem, slice, thread};

/// Looks for arrived messages before a rank watches, and offers its core.
const LOOKS: usize = 16;

#[derive(Debug)]
pub(super) struct Mail {
    outgoing: Pieces,
    incoming: Pieces,
    parcels: Vec<ArrivingParcel>,
    /// The number of the move.
    number: u64,
    /// The message to this rank itself, by its numbers on both sides; it is never sent.
    own: Option<(usize, usize)>,
    /// Requests of all incoming segments, then of all outgoing ones.
    under_way: UnderWay,
    /// Incoming segments that have arrived in this move.
    has_arrived: Vec<bool>,
    /// The first rank whose message has not come as it should.
    fault: Option<(usize, Fault)>,
    head: Head,
    /// Heads that are sent alone, in place of messages.
    refusals: Sends<()>,
    order: Vec<usize>,
    /// `true` if each is sent after the one before, in a move that this rank runs.
    pub in_turn: bool,
    /// Messages of that order that are sent, or about to be.
    begun: usize,
    unsent: usize,
    /// The library may read outgoing messages of this move after its end.
    is_abandoned: bool,
    pub communicator: TaggedCommunicator,
}

impl Mail {
    /// Messages in segments, cut for the other rank.
    pub fn new(
        messages: &Messages,
        cut: &dyn Fn(usize) -> Cut,
        parcels: &[Parcel],
        communicator: TaggedCommunicator,
    ) -> Self {
        let here = communicator.rank();
        let outgoing = Pieces::new(&messages.outgoing, cut, here);
        let mut incoming = Pieces::new(&messages.incoming, cut, here);
        let parcels = parcels.iter().map(|parcel| incoming.join(parcel)).collect();
        let both = incoming.messages.iter().chain(&outgoing.messages);
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            under_way: UnderWay::new(both.map(|message| message.pieces.len()), &communicator),
            has_arrived: Vec::new(),
            fault: None,
            head: Head::default(),
            refusals: Sends::default(),
            order: messages.in_order(here),
            in_turn: messages.order.is_some(),
            begun: 0,
            unsent: 0,
            is_abandoned: false,
            outgoing,
            incoming,
            parcels,
            number: 0,
            communicator,
        }
    }

    /// Returns `true` if this rank has no messages, or none is prepared.
    pub fn is_empty(&self) -> bool {
        self.incoming.messages.is_empty() && self.outgoing.messages.is_empty()
    }

    /// Takes the buffers of other messages, none of which is under way any more.
    pub fn reuse(&mut self, mut last: Self) {
        last.leak_abandoned();
        self.outgoing.buffer = mem::take(&mut last.outgoing.buffer);
        self.incoming.buffer = mem::take(&mut last.incoming.buffer);
        self.refusals = mem::take(&mut last.refusals);
    }

    /// Begins a move with this number, in a call whose number heads tell.
    pub fn restart(&mut self, number: u64, call: u64) {
        (self.number, self.head) = (number, Head { call, ..Head::default() });
        for parcel in &mut self.parcels {
            (parcel.is_open, parcel.has_arrived) = (false, false);
        }
        (self.begun, self.unsent) = (0, 0);
        for message in self.incoming.messages.iter_mut().chain(&mut self.outgoing.messages) {
            (message.open, message.front, message.goes) = (0, 0, false);
        }
        self.under_way.restart(&self.communicator);
        self.leak_abandoned();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.has_arrived.clear();
        self.has_arrived.resize(self.incoming.count(), false);
        self.fault = None;
        self.outgoing.write_heads(self.head);
    }

    /// Begins to receive the messages of the ranks that `sends` tells, and not twice in a move.
    pub fn receive(&mut self, sends: impl Fn(usize) -> bool) -> Result<(), Error> {
        for parcel in &mut self.parcels {
            let sender = self.incoming.messages[parcel.messages[0]].rank;
            parcel.is_open |= sends(sender);
        }
        let communicator = &self.communicator;
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), communicator.tag(self.number));
        for message in 0..self.incoming.messages.len() {
            let CutMessage { rank, goes, .. } = &mut self.incoming.messages[message];
            if *goes || !sends(*rank) {
                continue;
            }
            *goes = true;
            for number in self.incoming.pieces_of(message) {
                let MessagePiece { start, len, rank, .. } = self.incoming.piece(message, number);
                // SAFETY: segments lie in the buffer (`Pieces::piece`), which `restart` has made.
                // It is neither moved nor freed until all requests are complete. Received bytes
                // are not touched: `message` borrows only arrived bytes. A move waits for all
                // before it ends (`all`, `drain`), and so does the channel's `drop`, or else it
                // gives the buffer up (`give_up`).
                let begun =
                    unsafe { communicator.irecv(bytes.add(start), len, Some(rank), Some(tag)) };
                self.under_way.begun(number, communicator.must(begun)?);
                self.incoming.messages[message].open += 1;
            }
        }
        Ok(())
    }

    /// Begins to send messages to the ranks that `receives` tells, alone, and not twice in a move.
    pub fn send_to(&mut self, receives: impl Fn(usize) -> bool) {
        self.begun = 0;
        for message in &mut self.outgoing.messages {
            message.goes = receives(message.rank) && !message.is_joined;
        }
    }

    /// Sends heads alone, with the reason that this rank is not ready, to the ranks that get heads.
    pub fn refuse(&mut self, number: u64, head: Head) -> Result<(), Error> {
        self.number = number;
        for message in 0..self.outgoing.messages.len() {
            if self.outgoing.messages[message].has_own_head() {
                self.send_head(message, head)?;
            }
        }
        Ok(())
    }

    /// Sends a head alone, in place of a message of which nothing has been sent.
    fn send_head(&mut self, message: usize, head: Head) -> Result<(), Error> {
        let tag = self.communicator.tag(self.number);
        let to = (self.outgoing.messages[message].rank, tag, false);
        self.refusals.reclaim(&self.communicator)?;
        let mut bytes = self.refusals.memory();
        bytes.extend_from_slice(&head.bytes());
        self.refusals.send(&self.communicator, to, (bytes, ()))
    }

    fn has(&self, parcel: &ArrivingParcel, sender: usize) -> bool {
        parcel.messages.iter().any(|message| self.incoming.messages[*message].rank == sender)
    }

    /// Receives the parcels that have come.
    fn receive_parcels(&mut self) -> Result<(), Error> {
        let tag = self.communicator.parcel_tag(self.number);
        while self.waits_for_parcels()
            && let Some(found) = self.communicator.next_message(tag)?
        {
            let source = found.source;
            let mut parcels = self.parcels.iter();
            let place = parcels.position(|parcel| self.has(parcel, source) && parcel.is_open);
            let Some(place) = place.filter(|place| self.parcels[*place].bytes.len() == found.len)
            else {
                self.communicator.receive_away(found)?;
                self.fault.get_or_insert((source, Fault::OtherCall));
                continue;
            };
            let range = self.parcels[place].bytes.clone();
            assert!(range.end <= self.incoming.buffer.len(), "there is memory for parcels");
            let start = self.incoming.buffer.as_mut_ptr();
            // SAFETY: the parcel's bytes are in the buffer, and no other message's. Nothing has
            // borrowed them in this move, because they have not arrived.
            let bytes = unsafe { slice::from_raw_parts_mut(start.add(range.start), range.len()) };
            self.communicator.receive(found, bytes)?;
            self.parcels[place].has_arrived = true;
            for number in &self.parcels[place].messages {
                let rank = self.incoming.messages[*number].rank;
                let head = self.incoming.head_of(*number);
                let fault = head.map_or(Some(Fault::Short), |head| Fault::of(head, self.head.call));
                if let Some(fault) = fault {
                    self.fault.get_or_insert((rank, fault));
                }
            }
        }
        Ok(())
    }

    fn waits_for_parcels(&self) -> bool {
        self.parcels.iter().any(|parcel| parcel.is_open && !parcel.has_arrived)
    }

    /// Returns the ranks whose messages, or whose receipt of some, are missing.
    fn missing(&self) -> impl Iterator<Item = usize> {
        let both = self.incoming.messages.iter().chain(&self.outgoing.messages);
        let is_missing = |message: &&CutMessage| message.open > 0;
        let apart = both.filter(is_missing).map(|message| message.rank);
        let missing = self.parcels.iter().filter(|parcel| parcel.is_open && !parcel.has_arrived);
        let joined = missing.flat_map(|parcel| &parcel.messages);
        apart.chain(joined.map(|message| self.incoming.messages[*message].rank))
    }

    /// Waits no longer for a rank that takes no part in the move, and leaks what is sent to it.
    fn take_out(&mut self, rank: usize, why: Fault) -> Result<(), Error> {
        let mut messages = self.incoming.messages.iter();
        let is_sender = messages.any(|sent| sent.rank == rank && sent.open > 0);
        // If one rank of a parcel is absent, none sends it.
        let is_joined = |parcel: &ArrivingParcel| !parcel.has_arrived && self.has(parcel, rank);
        let parcel = self.parcels.iter().position(is_joined);
        if let Some(parcel) = parcel {
            self.parcels[parcel].is_open = false;
        }
        if is_sender || parcel.is_some() {
            self.fault.get_or_insert((rank, why));
        }
        self.cancel(|from| from != rank)?;
        let (first, gone) = (self.incoming.count(), self.outgoing.close(|to| to != rank));
        let never = |number: usize| {
            let sent = number.checked_sub(first);
            sent.is_some_and(|sent| gone.iter().any(|pieces| pieces.contains(&sent)))
        };
        let forgotten = self.under_way.take_out(&never, &self.communicator, |_| Ok(()))?;
        if forgotten > 0 {
            // Another communicator with its number would get the message.
            self.communicator.keep();
            (self.unsent, self.is_abandoned) = (self.unsent - forgotten, true);
        }
        Ok(())
    }

    /// Cancels what does not come, in a move that fails. `comes` tells of each sender.
    pub fn cancel(&mut self, comes: impl Fn(usize) -> bool) -> Result<(), Error> {
        let (gone, communicator) = (self.incoming.close(comes), &self.communicator);
        let never = |number: usize| gone.iter().any(|pieces| pieces.contains(&number));
        let cancel = |mut request: Request| communicator.must(request.cancel());
        self.under_way.take_out(&never, communicator, cancel).map(drop)
    }

    pub fn bytes(&self) -> usize {
        self.outgoing.buffer.len() + self.incoming.buffer.len()
    }

    /// Returns memory to pack into; messages go while they are packed, unless they go in turn.
    pub fn begin_packing(&mut self) -> (&mut [u8], Option<Posting<'_>>) {
        let (bytes, len) = (self.outgoing.buffer.as_mut_ptr(), self.outgoing.buffer.len());
        let posting = (!self.in_turn).then_some(Posting { mail: self, bytes });
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
        (bytes, message, number): (*const u8, usize, usize),
        with_data: bool,
    ) -> Result<(), Error> {
        let MessagePiece { start, len, rank, .. } = self.outgoing.piece(message, number);
        let len = if with_data { len } else { 0 };
        let sent = &self.outgoing.messages[message];
        // Between nodes, this rank waits in some moves until the first segment is received.
        let is_first = sent.has_own_head() && number == sent.pieces.start;
        let is_awaited = is_first && is_awaited(self.number);
        // SAFETY: segments lie in the buffer (`Pieces::piece`), which `restart` made. It is
        // neither moved nor freed until all requests are complete. A move waits for these before it
        // ends, and so does the channel's `drop`, or else it gives the buffer up (`give_up`). The
        // caller does not write to the segment until then.
        let request = unsafe {
            let tag = self.communicator.tag(self.number);
            self.communicator.begin_send(bytes.add(start), len, rank, tag, is_awaited)
        }?;
        self.under_way.begun(self.incoming.count() + number, request);
        self.outgoing.messages[message].open += 1;
        self.unsent += 1;
        Ok(())
    }

    fn arrived(
        &mut self,
        near: &NearMove,
        message: usize,
        bytes: usize,
    ) -> Result<Range<usize>, Error> {
        let (range, pieces) = (self.incoming.range(message), self.incoming.pieces_of(message));
        let is_sure = near.far.met.is_empty();
        self.progress(false)?;
        let (mut looks, mut is_last) = (0, false);
        loop {
            let is_joined =
                |parcel: &ArrivingParcel| parcel.has_arrived && parcel.messages.contains(&message);
            if self.parcels.iter().any(is_joined) {
                return self.check().map(|()| range);
            }
            let front = &mut self.incoming.messages[message].front;
            while self.has_arrived[pieces.clone()].get(*front) == Some(&true) {
                *front += 1;
            }
            let last = front.checked_sub(1);
            self.check()?;
            let last = last.map(|last| self.incoming.piece(message, pieces.start + last));
            let end = last.map_or(range.start, |piece| piece.end().max(range.start));
            if end - range.start >= bytes || is_last {
                return Ok(range.start..end);
            }
            if !self.wait_a_while(near, is_sure, &mut looks)? {
                self.check()?;
                is_last = true;
            }
        }
    }

    /// Sends the rest of the next message, or an empty one instead; `false` if none is left.
    pub fn post_next(&mut self, with_data: bool) -> Result<bool, Error> {
        let Some(&number) = self.order.get(self.begun) else { return Ok(false) };
        self.begun += 1;
        let message = &mut self.outgoing.messages[number];
        if !message.goes {
            return Ok(true);
        }
        let (pieces, posted) = (message.pieces.clone(), message.front);
        if !with_data && posted == 0 && message.has_own_head() {
            message.front = pieces.len();
            let head = panicked(self.head.call, self.communicator.rank());
            return self.send_head(number, head).map(|()| true);
        }
        let bytes = self.outgoing.buffer.as_ptr();
        for piece in pieces.skip(posted) {
            // SAFETY: all of it is packed, until the next move, or nothing of it is sent.
            unsafe { self.send_piece((bytes, number, piece), with_data) }?;
            self.outgoing.messages[number].front += 1;
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
    pub fn post_in_turn(&mut self) -> Result<(), Error> {
        while self.unsent == 0 && self.post_next(true)? {}
        Ok(())
    }

    /// Notes arrived and sent segments, and sends those that may go; with `wait`, waits for one.
    /// `false` if nothing is under way.
    pub fn progress(&mut self, wait: bool) -> Result<bool, Error> {
        let is_left = self.under_way.find(wait, &self.communicator)?;
        let mut refusing_ranks = Vec::new();
        for found in 0..self.under_way.found {
            let number = self.under_way.piece(found);
            let Some(piece) = self.incoming.find(number) else {
                self.unsent -= 1;
                let sent = self.outgoing.find(number - self.incoming.count());
                let message = sent.map_or(0, |piece| piece.message);
                self.outgoing.messages[message].open -= 1;
                continue;
            };
            self.incoming.messages[piece.message].open -= 1;
            let bytes = self.under_way.bytes(found)?;
            let head = self.incoming.head_in(piece, bytes);
            let fault = head.and_then(|head| Fault::of(head, self.head.call));
            let fault = fault.or_else(|| (bytes != piece.len).then_some(Fault::Short));
            self.has_arrived[number] = fault.is_none();
            if let Some(fault) = fault {
                self.fault.get_or_insert((piece.rank, fault));
                refusing_ranks.extend(matches!(fault, Fault::Refused(_)).then_some(piece.rank));
            }
        }
        for rank in refusing_ranks {
            self.cancel(|from| from != rank)?;
        }
        if self.in_turn {
            self.post_in_turn()?;
        }
        self.receive_parcels()?;
        // The next message may have been posted in the place of abandoned ones.
        Ok(is_left || self.under_way.left > 0 || self.waits_for_parcels())
    }

    /// Waits for all messages, of ranks that take part in the move.
    pub fn all(&mut self, near: &NearMove) -> Result<(), Error> {
        let mut looks = 0;
        while self.wait_a_while(near, false, &mut looks)? {}
        Ok(())
    }

    /// Takes ranks out of the move that take no part in it.
    pub fn look(&mut self, near: &NearMove) -> Result<(), Error> {
        near.rounds.board.pages.serve()?;
        let mut absent = Vec::new();
        for rank in self.missing() {
            absent.extend(near.absence(rank)?.map(|absence| (rank, absence)));
        }
        absent.into_iter().try_for_each(|(rank, why)| self.take_out(rank, why))
    }

    /// As [`progress`](Self::progress); looks at the other ranks now and then. Waits in the library
    /// if it `is_sure` that all messages will come.
    fn wait_a_while(
        &mut self,
        near: &NearMove,
        is_sure: bool,
        looks: &mut usize,
    ) -> Result<bool, Error> {
        *looks += 1;
        if looks.is_multiple_of(LOOKS) {
            self.look(near)?;
            thread::yield_now();
        }
        self.progress(is_sure)
    }

    /// Fails if a message has not come as it should.
    pub fn check(&self) -> Result<(), Error> {
        let here = self.communicator.rank();
        self.fault.map_or(Ok(()), |(rank, fault)| Err(fault.error(rank, here)))
    }

    pub fn sender(&self, number: usize) -> usize {
        self.incoming.messages[number].rank
    }

    pub fn message(&self, number: usize) -> &[u8] {
        self.incoming.message(number)
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

/// The outgoing messages of a move without steps, while they are packed: whole segments go at once.
pub struct Posting<'a> {
    mail: &'a mut Mail,
    bytes: *const u8,
}

impl Posting<'_> {
    /// Sends the unsent segments in the first `bytes` of a message, which are packed.
    ///
    /// # Safety
    /// Packed bytes are not written to until the move has ended.
    pub unsafe fn packed(&mut self, message: usize, bytes: usize) -> Result<(), Error> {
        let Self { mail, bytes: buffer } = self;
        let CutMessage { goes: true, bytes: range, .. } = &mail.outgoing.messages[message] else {
            return Ok(());
        };
        let end = range.start + bytes;
        while let Some(number) =
            mail.outgoing.pieces_of(message).nth(mail.outgoing.messages[message].front)
            && mail.outgoing.piece(message, number).end() <= end
        {
            // SAFETY: the segment is among the packed bytes, which the caller does not write to.
            unsafe { mail.send_piece((*buffer, message, number), true) }?;
            mail.outgoing.messages[message].front += 1;
        }
        Ok(())
    }
}

pub struct Inbox<'a> {
    mail: &'a mut Mail,
    near: &'a NearMove,
    /// The beginnings of the buffers of incoming and outgoing messages.
    bytes: [*const u8; 2],
}

impl<'a> Inbox<'a> {
    pub(super) fn new(mail: &'a mut Mail, near: &'a NearMove) -> Self {
        let bytes = [mail.incoming.buffer.as_ptr(), mail.outgoing.buffer.as_ptr()];
        Self { mail, near, bytes }
    }

    /// Waits for `bytes` of a message or more, and returns its arrived prefix. Fails if the named
    /// rank never sends so much, and panics if the message is shorter.
    pub fn up_to(&mut self, message: usize, bytes: usize) -> Result<&'a [u8], Error> {
        let (buffer, range) = match self.mail.own {
            Some((sent, received)) if received == message => {
                (self.bytes[1], self.mail.outgoing.range(sent))
            }
            _ => (self.bytes[0], self.mail.arrived(self.near, message, bytes)?),
        };
        assert!(range.len() >= bytes, "more than a message has");
        // SAFETY: the range is one of a message, or of its beginning, in the buffer, which is there
        // and initialised (`Mail::restart`), and which this borrows. For incoming messages it
        // covers segments that have arrived (`Mail::arrived`), to which nothing writes before the
        // next move begins. Outgoing ones are only read by now.
        Ok(unsafe { slice::from_raw_parts(buffer.add(range.start), range.len()) })
    }
}
