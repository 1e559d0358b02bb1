//! Messages under way: receives are posted first, and segments are sent while others are packed or
//! in the order of a schedule. Each message is read while it arrives. Unsafe, because MPI reads
//! packed bytes while the rest is written, and writes to bytes that have not arrived.

use super::early::EarlyMessage;
use super::gateway::Parcel;
use super::life::is_over;
use super::near::NodeEnd;
use super::reason::{Fault, panicked};
use super::segments::{Arrival, ArrivingParcel, Cut, CutMessage, MessageSegment, Segments};
use super::sends::Sends;
use super::tags::{TaggedCommunicator, is_awaited, pieces};
use super::under_way::UnderWay;
use crate::cache::copy_slice;
use crate::error::Error;
use crate::transport::Messages;
use crate::transport::board::call_of;
use crate::transport::wire::{HEAD_BYTES, Head};
use redist_mpi::Request;
use std::ops::Range;
use std::{mem, slice, thread};

/// Looks for arrived messages before a rank watches, and offers its core.
const LOOKS: usize = 16;

/// One rank's messages of a plan, under way in a move.
#[derive(Debug)]
pub(super) struct Transfers {
    pub outgoing: Segments,
    pub incoming: Segments,
    parcels: Vec<ArrivingParcel>,
    /// The number of the move (`Progress::number`).
    number: u64,
    /// Pieces (`tags.rs`) of the longest messages to other nodes, or of refusals, in all moves so far.
    pieces: u64,
    /// Pieces of the longest message to another node.
    most_pieces: u64,
    /// This rank waits for receivers on other nodes in this move; `None` until something is sent.
    waits: Option<bool>,
    /// The message to this rank itself, by its numbers on both sides; it is never sent.
    pub own: Option<(usize, usize)>,
    /// Requests of all incoming segments, then of all outgoing ones.
    under_way: UnderWay,
    /// Incoming segments that have arrived in this move.
    has_arrived: Vec<bool>,
    /// The first rank whose message has not come as it should.
    fault: Option<(usize, Fault)>,
    head: Head,
    /// Heads that are sent in place of messages, with the receiver and the call if this rank waits
    /// until that takes one.
    refusals: Sends<Option<(usize, u64)>>,
    /// Numbers of the outgoing messages, in the order in which they are sent.
    order: Vec<usize>,
    /// `true` if each is sent after the one before, in a move that this rank runs.
    pub in_turn: bool,
    /// Messages of that order that are sent, or about to be.
    begun: usize,
    /// Outgoing segments of this move whose sends are not known to be complete.
    unsent: usize,
    /// Sends of this move to ranks that take no part in it. The library may read their messages after
    /// the move's end.
    lost: Vec<Request>,
    /// Messages and sends of earlier moves, until the receivers have dropped them.
    abandoned: Vec<(Vec<u8>, Vec<Request>)>,
    pub communicator: TaggedCommunicator,
}

impl Transfers {
    /// Messages in segments, cut for the other rank.
    pub fn new(
        messages: &Messages,
        cut: &dyn Fn(usize) -> Cut,
        parcels: &[Parcel],
        communicator: TaggedCommunicator,
    ) -> Self {
        let here = communicator.rank();
        let outgoing = Segments::new(&messages.outgoing, cut, here);
        let mut incoming = Segments::new(&messages.incoming, cut, here);
        let parcels = parcels.iter().map(|parcel| incoming.join(parcel)).collect();
        let both = incoming.messages.iter().chain(&outgoing.messages);
        let far = outgoing.messages.iter().filter(|message| message.goes_far());
        let most = far.map(|message| pieces(message.bytes.len(), message.segments.len())).max();
        Self {
            own: messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here)),
            under_way: UnderWay::new(both.map(|message| message.segments.len()), &communicator),
            has_arrived: Vec::new(),
            fault: None,
            head: Head::default(),
            refusals: Sends::default(),
            order: messages.in_order(here),
            in_turn: messages.order.is_some(),
            begun: 0,
            unsent: 0,
            lost: Vec::new(),
            abandoned: Vec::new(),
            outgoing,
            incoming,
            parcels,
            number: 0,
            pieces: 0,
            most_pieces: most.unwrap_or(0),
            waits: None,
            communicator,
        }
    }

    /// Returns `true` if this rank has no messages, or none is prepared.
    pub fn is_empty(&self) -> bool {
        self.incoming.messages.is_empty() && self.outgoing.messages.is_empty()
    }

    /// Takes the buffers of other messages, none of which is still under way.
    pub fn reuse(&mut self, mut last: Self) {
        last.abandon();
        self.abandoned = mem::take(&mut last.abandoned);
        self.pieces = last.pieces;
        self.outgoing.buffer = mem::take(&mut last.outgoing.buffer);
        self.incoming.buffer = mem::take(&mut last.incoming.buffer);
        self.refusals = mem::take(&mut last.refusals);
    }

    /// Begins a move with this number, which heads tell.
    pub fn restart(&mut self, number: u64) {
        (self.number, self.head) = (number, Head { number, ..Head::default() });
        self.waits = None;
        self.communicator.early.forget_before(call_of(number).0);
        for parcel in &mut self.parcels {
            (parcel.is_open, parcel.has_arrived) = (false, false);
        }
        (self.begun, self.unsent) = (0, 0);
        for message in self.incoming.messages.iter_mut().chain(&mut self.outgoing.messages) {
            (message.open, message.front, message.goes) = (0, 0, false);
            message.arrival = Arrival::default();
        }
        self.under_way.restart(&self.communicator);
        self.abandon();
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
        self.take_early_parcels();
        for message in 0..self.incoming.messages.len() {
            let CutMessage { rank, goes, segments, .. } = &mut self.incoming.messages[message];
            if *goes || !sends(*rank) {
                continue;
            }
            *goes = true;
            let first = segments.start;
            if !self.take_early(message) {
                self.post(message, first)?;
            }
        }
        Ok(())
    }

    /// Begins to receive a message, from this segment on.
    fn post(&mut self, message: usize, first: usize) -> Result<(), Error> {
        let (communicator, end) = (&self.communicator, self.incoming.segments_of(message).end);
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), communicator.tag(self.number));
        for number in first..end {
            let MessageSegment { start, len, rank, .. } = self.incoming.segment(message, number);
            // SAFETY: segments lie in the buffer (`Segments::segment`), which `restart` has made.
            // It is neither moved nor freed until all requests are complete. Received bytes
            // are not touched: `message` borrows only arrived bytes, and none of these has
            // arrived. A move waits for all before it ends (`all`, `drain`). If it has not ended,
            // the channel's `drop` gives the buffer up (`give_up`).
            let begun = unsafe { communicator.irecv(bytes.add(start), len, Some(rank), Some(tag)) };
            self.under_way.begun(number, communicator.must(begun)?);
            self.has_arrived[number] = false;
            self.incoming.messages[message].open += 1;
        }
        if first < end {
            self.under_way.watch_again(message, first);
            communicator.early.receives(tag);
        }
        Ok(())
    }

    /// Takes a message, or a refusal, that has come before this rank came to its move.
    fn take_early(&mut self, message: usize) -> bool {
        let (rank, range) = (self.sender(message), self.incoming.range(message));
        let early = &self.communicator.early;
        let Some(EarlyMessage { head, bytes, .. }) = early.take(Some(rank), self.number) else {
            return false;
        };
        let fault =
            Fault::of(head).or((bytes.len() != HEAD_BYTES + range.len()).then_some(Fault::Short));
        match fault {
            Some(fault) => {
                self.fault.get_or_insert((rank, fault));
            }
            None => {
                self.fill(range.start - HEAD_BYTES..range.end, &bytes);
                self.has_arrived[self.incoming.segments_of(message)].fill(true);
            }
        }
        true
    }

    /// Copies bytes to a part of the buffer in which nothing is under way.
    fn fill(&mut self, range: Range<usize>, bytes: &[u8]) {
        assert!(range.end <= self.incoming.buffer.len() && range.len() == bytes.len(), "its room");
        let start = self.incoming.buffer.as_mut_ptr();
        // SAFETY: the range is in the buffer. The library writes to none of it, as the callers have
        // seen, and it is not borrowed in this move, because it has not arrived.
        let room = unsafe { slice::from_raw_parts_mut(start.add(range.start), range.len()) };
        copy_slice(bytes, room);
    }

    /// Begins to send messages only to the ranks that `receives` tells, and not twice in a move.
    pub fn send_to(&mut self, receives: impl Fn(usize) -> bool) {
        self.begun = 0;
        for message in &mut self.outgoing.messages {
            message.goes = receives(message.rank) && !message.is_joined;
        }
    }

    /// Sends heads, with the reason that this rank is not ready, in place of messages to other nodes.
    pub fn refuse(&mut self, number: u64, head: Head) -> Result<(), Error> {
        (self.number, self.waits) = (number, None);
        self.refusals.reclaim(&self.communicator)?;
        for message in 0..self.outgoing.messages.len() {
            if self.outgoing.messages[message].goes_far() {
                let (to, is_awaited) = (self.outgoing.messages[message].rank, self.is_awaited(1));
                let mut bytes = self.refusals.memory();
                bytes.extend_from_slice(&head.bytes());
                let awaited = is_awaited.then_some((to, call_of(number).0));
                let to = (to, self.communicator.refusal_tag(), is_awaited);
                self.refusals.send(&self.communicator, to, (bytes, awaited))?;
            }
        }
        Ok(())
    }

    /// Names a rank that has not taken a refusal that this one waits for, and the call.
    pub fn behind(&mut self) -> Result<Option<(usize, u64)>, Error> {
        self.refusals.reclaim(&self.communicator)?;
        Ok(self.refusals.about().find_map(|awaited| *awaited))
    }

    /// Waits no longer for a rank that takes no part in a call.
    pub fn give_up_refusal(&mut self, behind: (usize, u64)) {
        let about = self.refusals.about();
        about.filter(|awaited| **awaited == Some(behind)).for_each(|awaited| *awaited = None);
    }

    /// Returns `true` if this rank waits for receivers on other nodes in this move, whose messages
    /// have so many pieces.
    fn is_awaited(&mut self, pieces: u64) -> bool {
        let before = self.pieces;
        *self.waits.get_or_insert_with(|| {
            self.pieces = before.saturating_add(pieces);
            is_awaited(before, pieces)
        })
    }

    /// Receives the refusals of ranks on other nodes that have come.
    fn receive_refusals(&mut self) -> Result<(), Error> {
        if !self.incoming.messages.iter().any(CutMessage::goes_far) {
            return Ok(());
        }
        while let Some(found) = self.communicator.next_message(self.communicator.refusal_tag())? {
            let from = found.source;
            let Ok(head) = Head::read(&self.communicator.receive_whole(found)?) else { continue };
            if head.number > self.number {
                let bytes = Vec::new();
                self.communicator.early.keep(EarlyMessage { from, head, bytes, is_parcel: false });
            } else if let Some(fault) = Fault::of(head).filter(|_| head.number == self.number) {
                self.fault.get_or_insert((from, fault));
                self.cancel(|other| other != from)?;
            }
        }
        Ok(())
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
            let (source, len) = (found.source, found.len);
            let Some(place) = self.place_of_parcel(source, len) else {
                let bytes = self.communicator.receive_whole(found)?;
                self.other_parcel(source, bytes);
                continue;
            };
            let range = self.parcels[place].bytes.clone();
            assert!(range.end <= self.incoming.buffer.len(), "there is memory for parcels");
            let start = self.incoming.buffer.as_mut_ptr();
            // SAFETY: the parcel's bytes are in the buffer, and no other message's. Nothing has
            // borrowed them in this move, because they have not arrived.
            let bytes = unsafe { slice::from_raw_parts_mut(start.add(range.start), range.len()) };
            self.communicator.receive(found, bytes)?;
            match Head::read(bytes) {
                Ok(head) if head.number == self.number => self.parcel_is_there(place),
                _ => {
                    let bytes = bytes.to_vec();
                    self.other_parcel(source, bytes);
                }
            }
        }
        Ok(())
    }

    /// Returns the parcel, not there yet, to which a message of a rank may belong.
    fn place_of_parcel(&self, source: usize, len: usize) -> Option<usize> {
        let is_it = |parcel: &ArrivingParcel| {
            let is_wanted = parcel.is_open && !parcel.has_arrived;
            is_wanted && parcel.bytes.len() == len && self.has(parcel, source)
        };
        self.parcels.iter().position(is_it)
    }

    fn take_early_parcels(&mut self) {
        while self.waits_for_parcels()
            && let Some(EarlyMessage { from, bytes, .. }) =
                self.communicator.early.take(None, self.number)
        {
            match self.place_of_parcel(from, bytes.len()) {
                Some(place) => {
                    self.fill(self.parcels[place].bytes.clone(), &bytes);
                    self.parcel_is_there(place);
                }
                None => self.other_parcel(from, bytes),
            }
        }
    }

    fn parcel_is_there(&mut self, place: usize) {
        self.parcels[place].has_arrived = true;
        for number in &self.parcels[place].messages {
            let rank = self.incoming.messages[*number].rank;
            let fault = self.incoming.head_of(*number).map_or(Some(Fault::Short), Fault::of);
            if let Some(fault) = fault {
                self.fault.get_or_insert((rank, fault));
            }
        }
    }

    /// Keeps a parcel of a later move. Ranks of a node send them, so that they may overtake each other.
    fn other_parcel(&mut self, from: usize, bytes: Vec<u8>) {
        let Ok(head) = Head::read(&bytes) else { return };
        if head.number > self.number {
            self.communicator.early.keep(EarlyMessage { from, head, bytes, is_parcel: true });
        } else if head.number == self.number {
            self.fault.get_or_insert((from, Fault::OtherCall));
        }
    }

    fn waits_for_parcels(&self) -> bool {
        self.parcels.iter().any(|parcel| parcel.is_open && !parcel.has_arrived)
    }

    /// Returns the ranks whose messages, or whose receipt of some, are missing; `true` for the latter.
    fn missing(&self) -> impl Iterator<Item = (usize, bool)> {
        let is_missing = |message: &&CutMessage| message.open > 0;
        let sent = self.outgoing.messages.iter().filter(is_missing);
        let comes = self.incoming.messages.iter().filter(is_missing);
        let missing = self.parcels.iter().filter(|parcel| parcel.is_open && !parcel.has_arrived);
        let joined = missing.flat_map(|parcel| &parcel.messages);
        let joined = joined.map(|message| &self.incoming.messages[*message]);
        // A question says if this rank's own message is under way.
        let sent = sent.map(|message| (message.rank, true));
        sent.chain(comes.chain(joined).map(|message| (message.rank, false)))
    }

    /// Waits no longer for a rank that takes no part in the move, and leaves what is sent to it.
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
            sent.is_some_and(|sent| gone.iter().any(|segments| segments.contains(&sent)))
        };
        let Self { under_way, lost, communicator, .. } = self;
        let lose = |request| {
            lost.push(request);
            Ok(())
        };
        let forgotten = under_way.take_out(&never, communicator, lose)?;
        if forgotten > 0 {
            // Another communicator with its number would get the message.
            self.communicator.keep();
            self.unsent -= forgotten;
        }
        Ok(())
    }

    /// Cancels what does not come, in a move that fails. `comes` tells of each sender. A message of
    /// which something has come is waited for, because its sender sends all of it at once.
    pub fn cancel(&mut self, comes: impl Fn(usize) -> bool) -> Result<(), Error> {
        for message in 0..self.incoming.messages.len() {
            let CutMessage { rank, open, segments, arrival, .. } =
                &mut self.incoming.messages[message];
            if *open == 0 || comes(*rank) || mem::replace(&mut arrival.is_closed, true) {
                continue;
            }
            let (segments, begun) = (segments.clone(), mem::take(open));
            let matched = self.under_way.cancel(segments.clone(), &self.communicator)?;
            let cancelled = begun - matched.len();
            for (number, bytes) in matched {
                self.note_piece(number, bytes);
            }
            if cancelled < segments.len() {
                self.post(message, segments.end - cancelled)?;
            }
            self.judge(message)?;
        }
        Ok(())
    }

    /// Notes a segment that has come.
    fn note_piece(&mut self, number: usize, bytes: usize) {
        let Some(segment) = self.incoming.find(number) else { return };
        let (is_whole, head) = (bytes == segment.len, self.incoming.head_in(segment, bytes));
        let own = &mut self.incoming.messages[segment.message];
        self.has_arrived[number] = is_whole;
        own.arrival.is_short |= !is_whole;
        if number == own.segments.start {
            own.arrival.head = Some(head.unwrap_or(self.head));
        }
    }

    /// Looks whether a message is of this move. A message of a move that this rank had no part in
    /// is dropped, and the receive begins again. A message of a later move is kept; then its sender
    /// takes no part in this one, because messages come in order.
    fn judge(&mut self, message: usize) -> Result<(), Error> {
        let CutMessage { rank, open, segments, arrival, .. } = &self.incoming.messages[message];
        let (from, open, first, arrival) = (*rank, *open, segments.start, *arrival);
        let Some(head) = arrival.head else { return Ok(()) };
        if head.number == self.number {
            if let Some(fault) = Fault::of(head).or(arrival.is_short.then_some(Fault::Short)) {
                self.fault.get_or_insert((from, fault));
            }
            return Ok(());
        }
        self.has_arrived[first] = false;
        if open > 0 {
            return Ok(());
        }
        self.incoming.messages[message].arrival =
            Arrival { is_closed: arrival.is_closed, ..Arrival::default() };
        if head.number < self.number {
            return if arrival.is_closed { Ok(()) } else { self.post(message, first) };
        }
        let (head, bytes) = match arrival.is_short {
            true => (panicked(head.number, from), Vec::new()),
            false => (head, self.incoming.message_and_head(message).to_vec()),
        };
        self.communicator.early.keep(EarlyMessage { from, head, bytes, is_parcel: false });
        // It has sent a refusal before, if any.
        self.receive_refusals()?;
        self.fault.get_or_insert((from, Fault::OtherCall));
        Ok(())
    }

    pub fn bytes(&self) -> usize {
        self.outgoing.buffer.len() + self.incoming.buffer.len()
    }

    /// Begins to send a segment, from the buffer at `bytes`: all of it, or at most so many bytes.
    ///
    /// # Safety
    /// The segment is packed. Nothing writes to it before the next move.
    pub unsafe fn send_segment(
        &mut self,
        (bytes, message, number): (*const u8, usize, usize),
        most: usize,
    ) -> Result<(), Error> {
        let MessageSegment { start, len, rank, .. } = self.outgoing.segment(message, number);
        let len = len.min(most);
        let sent = &self.outgoing.messages[message];
        // Between nodes, this rank waits in some moves until the first segment is received.
        let is_first = sent.goes_far() && number == sent.segments.start;
        let pieces = self.most_pieces;
        let is_awaited = is_first && self.is_awaited(pieces);
        // SAFETY: segments lie in the buffer (`Segments::segment`), which `restart` made. It is
        // neither moved nor freed until all requests are complete. A move waits for these before it
        // ends. If it has not ended, the channel's `drop` gives the buffer up (`give_up`). The caller
        // does not write to the segment until then.
        let request = unsafe {
            let tag = self.communicator.tag(self.number);
            self.communicator.begin_send(bytes.add(start), len, rank, tag, is_awaited)
        }?;
        self.under_way.begun(self.incoming.count() + number, request);
        self.outgoing.messages[message].open += 1;
        self.unsent += 1;
        Ok(())
    }

    pub fn arrived(
        &mut self,
        near: &NodeEnd,
        message: usize,
        bytes: usize,
    ) -> Result<Range<usize>, Error> {
        let (range, segments) = (self.incoming.range(message), self.incoming.segments_of(message));
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
            while self.has_arrived[segments.clone()].get(*front) == Some(&true) {
                *front += 1;
            }
            let last = front.checked_sub(1);
            self.check()?;
            let last = last.map(|last| self.incoming.segment(message, segments.start + last));
            let end = last.map_or(range.start, |segment| segment.end().max(range.start));
            if end - range.start >= bytes || is_last {
                return Ok(range.start..end);
            }
            if !self.wait_a_while(near, is_sure, &mut looks)? {
                self.check()?;
                is_last = true;
            }
        }
    }

    /// Sends the rest of the next message, or, in as many segments, that this rank has panicked;
    /// `false` if none is left.
    pub fn post_next(&mut self, with_data: bool) -> Result<bool, Error> {
        let Some(&number) = self.order.get(self.begun) else { return Ok(false) };
        self.begun += 1;
        let message = &mut self.outgoing.messages[number];
        if !message.goes {
            return Ok(true);
        }
        let (segments, posted) = (message.segments.clone(), message.front);
        let (rank, most) = (self.communicator.rank(), if with_data { usize::MAX } else { 0 });
        if !with_data && posted == 0 {
            self.outgoing.write_head(number, panicked(self.number, rank));
        }
        let (bytes, first) = (self.outgoing.buffer.as_ptr(), segments.start);
        for segment in segments.skip(posted) {
            let most = if segment == first { most.max(HEAD_BYTES) } else { most };
            // SAFETY: all of it is packed, until the next move, or only its head is sent.
            unsafe { self.send_segment((bytes, number, segment), most) }?;
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

    /// Notes arrived and sent segments, and sends segments that may go; with `wait`, waits for one.
    /// `false` if nothing is under way.
    pub fn progress(&mut self, wait: bool) -> Result<bool, Error> {
        let is_left = self.under_way.find(wait, &self.communicator)?;
        for found in 0..self.under_way.found {
            let number = self.under_way.segment(found);
            let Some(segment) = self.incoming.find(number) else {
                self.unsent -= 1;
                let sent = self.outgoing.find(number - self.incoming.count());
                let message = sent.map_or(0, |segment| segment.message);
                self.outgoing.messages[message].open -= 1;
                continue;
            };
            self.incoming.messages[segment.message].open -= 1;
            let bytes = self.under_way.bytes(found)?;
            self.note_piece(number, bytes);
            self.judge(segment.message)?;
        }
        if self.in_turn {
            self.post_in_turn()?;
        }
        self.receive_parcels()?;
        // The next message may have been posted in the place of abandoned ones.
        Ok(is_left || self.under_way.left > 0 || self.waits_for_parcels())
    }

    /// Waits for all messages, of ranks that take part in the move.
    pub fn all(&mut self, near: &NodeEnd) -> Result<(), Error> {
        let mut looks = 0;
        while self.wait_a_while(near, false, &mut looks)? {}
        Ok(())
    }

    /// Takes ranks out of the move that take no part in it.
    pub fn look(&mut self, near: &NodeEnd) -> Result<(), Error> {
        near.progress.board.pages.serve()?;
        self.receive_refusals()?;
        let mut absent = Vec::new();
        for (rank, sends) in self.missing() {
            absent.extend(near.absence(rank, sends)?.map(|absence| (rank, absence)));
        }
        absent.into_iter().try_for_each(|(rank, why)| self.take_out(rank, why))
    }

    /// Makes [`progress`](Self::progress), and looks at the other ranks now and then. Waits in the
    /// library if it `is_sure` that all messages will come.
    fn wait_a_while(
        &mut self,
        near: &NodeEnd,
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

    /// Sets the messages of lost sends aside, and frees messages whose sends are complete.
    fn abandon(&mut self) {
        if !self.lost.is_empty() {
            let messages = mem::take(&mut self.outgoing.buffer);
            self.abandoned.push((messages, mem::take(&mut self.lost)));
        }
        let is_sent = |request: &mut Request| request.test() == Ok(true);
        self.abandoned.retain_mut(|(_, requests)| is_over() || !requests.iter_mut().all(is_sent));
    }

    /// Leaks the buffers, because MPI may still write to them.
    pub fn give_up(&mut self) {
        mem::forget(mem::take(&mut self.incoming.buffer));
        mem::forget(mem::take(&mut self.outgoing.buffer));
    }
}

impl Drop for Transfers {
    /// Leaks what the library may still read.
    fn drop(&mut self) {
        self.abandon();
        self.abandoned.drain(..).for_each(mem::forget);
    }
}
