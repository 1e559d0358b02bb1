//! Messages in fragments: packing, transfer and unpacking overlap.

use super::channel::MpiChannel;
use super::completions::Completions;
use super::context::TaggedCommunicator;
use super::mail::Mail;
use super::request::Request;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::{Messages, Part, Parts};
use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

/// Fragments of a message that are under way at a time: one travels while the next is packed.
const DEPTH: usize = 2;

/// What is under way, and memory for it: for each message to or from another rank, `DEPTH`
/// fragments.
#[derive(Debug)]
pub(super) struct Fragments {
    /// Bytes of an element.
    width: usize,
    /// Elements in a fragment.
    limit: usize,
    streams: Vec<Stream>,
    /// The stream of each outgoing message, if it leaves this rank.
    outgoing: Vec<Option<usize>>,
    /// Memory for each fragment that is under way, apart from that of all others: MPI may use some
    /// while this rank uses others. For each stream `DEPTH` of them, as below.
    slots: Vec<Vec<u8>>,
    /// For each stream `DEPTH` of them.
    requests: Vec<Request>,
    /// The fragment that each is for.
    numbers: Vec<usize>,
    done: Completions,
    /// Of these, those that are still to be looked at.
    unseen: Range<usize>,
    /// Slots with fragments that are to be packed, in the order in which they have to be sent.
    to_pack: VecDeque<usize>,
    last: Last,
    /// The message to this rank itself, and memory for a fragment of it.
    own: Option<OwnMessage>,
    scratch: Vec<u8>,
    /// False while the library may use the slots.
    is_idle: bool,
    /// Whether this rank has left the move in the middle, and sends empty fragments.
    has_left: bool,
    /// A rank that has.
    left: Option<usize>,
}

/// A message to or from another rank.
#[derive(Clone, Copy, Debug)]
struct Stream {
    message: usize,
    rank: usize,
    is_sent: bool,
    /// Elements.
    len: usize,
    /// Fragments begun.
    begun: usize,
}

#[derive(Clone, Copy, Debug)]
struct OwnMessage {
    sent: usize,
    received: usize,
    len: usize,
    done: usize,
}

impl Stream {
    fn fragments(&self, limit: usize) -> usize {
        self.len.div_ceil(limit)
    }
}

/// The elements of fragment `number` of a message of `len`.
fn elements(number: usize, limit: usize, len: usize) -> Range<usize> {
    number * limit..len.min((number + 1) * limit)
}

/// What was handed out last, and has been done when the next part is asked for.
#[derive(Clone, Copy, Debug)]
enum Last {
    /// The move has not begun.
    Nothing,
    /// A fragment to be sent from this slot.
    Packed(usize),
    /// A fragment that arrived in this slot.
    Unpacked(usize),
    /// Some elements of the message to this rank itself, which have to be unpacked.
    OwnPacked,
    OwnUnpacked,
    /// What this rank has left undone.
    Left,
}

impl Fragments {
    /// For messages of elements of `width` bytes, in fragments of about `fragment_bytes`.
    pub fn new(here: usize, width: usize, fragment_bytes: usize, messages: &Messages) -> Self {
        let limit = (fragment_bytes / width).max(1);
        let (mut streams, mut slots) = (Vec::new(), Vec::new());
        for (lists, is_sent) in [(&messages.incoming, false), (&messages.outgoing, true)] {
            let others = lists.envelopes.iter().enumerate();
            for (message, Envelope { rank, len }) in others.filter(|(_, other)| other.rank != here)
            {
                streams.push(Stream { message, rank: *rank, is_sent, len: *len, begun: 0 });
                slots.extend((0..DEPTH).map(|_| vec![0; limit.min(*len) * width]));
            }
        }
        let outgoing = &messages.outgoing.envelopes;
        let stream = |message| {
            streams.iter().position(|stream: &Stream| stream.is_sent && stream.message == message)
        };
        let own = messages.outgoing.with_rank(here).zip(messages.incoming.with_rank(here));
        let own = own.map(|(sent, received)| OwnMessage {
            sent,
            received,
            len: outgoing[sent].len,
            done: 0,
        });
        let requests = streams.len() * DEPTH;
        Self {
            width,
            limit,
            outgoing: (0..outgoing.len()).map(stream).collect(),
            slots,
            requests: Request::list(requests),
            numbers: vec![0; requests],
            done: Completions::new(requests),
            unseen: 0..0,
            to_pack: VecDeque::with_capacity(requests),
            last: Last::Nothing,
            scratch: vec![0; own.map_or(0, |own| own.len.min(limit)) * width],
            own,
            streams,
            is_idle: true,
            has_left: false,
            left: None,
        }
    }

    /// Bytes of memory for fragments.
    pub fn bytes(&self) -> usize {
        self.slots.iter().map(Vec::len).sum::<usize>() + self.scratch.len()
    }

    /// Before a move.
    pub fn restart(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.begun = 0);
        self.own.iter_mut().for_each(|own| own.done = 0);
        self.to_pack.clear();
        (self.unseen, self.last, self.is_idle) = (0..0, Last::Nothing, false);
        (self.has_left, self.left) = (false, None);
    }

    /// The stream of an outgoing message and its number of fragments; none if it stays here.
    fn of_outgoing(&self, message: usize) -> Option<(usize, usize)> {
        self.outgoing[message].map(|stream| (stream, self.streams[stream].fragments(self.limit)))
    }

    /// Takes the next fragment of a stream for a slot; false where none is left.
    fn take_next(&mut self, slot: usize) -> bool {
        let limit = self.limit;
        let stream = &mut self.streams[slot / DEPTH];
        let is_left = stream.begun < stream.fragments(limit);
        if is_left {
            self.numbers[slot] = stream.begun;
            stream.begun += 1;
        }
        is_left
    }

    /// The message of a slot, its elements there, and their number of bytes.
    fn fragment(&self, slot: usize) -> (usize, Range<usize>, usize) {
        let stream = &self.streams[slot / DEPTH];
        let elements = elements(self.numbers[slot], self.limit, stream.len);
        let bytes = elements.len() * self.width;
        (stream.message, elements, bytes)
    }

    /// Sends what is in a slot, or gets ready to receive it there.
    fn post(&mut self, slot: usize, communicator: &TaggedCommunicator) -> Result<(), Error> {
        let (.., bytes) = self.fragment(slot);
        let Stream { rank, is_sent, .. } = self.streams[slot / DEPTH];
        let (buffer, tag) = (&mut self.slots[slot][..bytes], communicator.tag);
        let len = if is_sent && self.has_left { 0 } else { buffer.len() };
        // SAFETY: each slot is an allocation of its own, as long as a fragment, which stays where it
        // is. It is not touched until its request is complete: `advance` hands it out for packing
        // and unpacking, and posts it again, only after `Completions` has named it, and `drop` loses
        // the slots where a move has not come to its end (`is_idle`).
        self.requests[slot] = unsafe {
            match is_sent {
                true => communicator.begin_send(buffer.as_ptr(), len, rank, tag),
                false => communicator.begin_receive(buffer.as_mut_ptr(), len, rank, tag),
            }
        }?;
        Ok(())
    }

    fn part(&mut self, next: Last) -> Option<Part<'_>> {
        match next {
            Last::Nothing | Last::Left => None,
            Last::Packed(slot) => {
                let (message, elements, bytes) = self.fragment(slot);
                Some(Part::Pack { message, elements, to: &mut self.slots[slot][..bytes] })
            }
            Last::Unpacked(slot) => {
                let (message, elements, bytes) = self.fragment(slot);
                Some(Part::Unpack { message, elements, from: &self.slots[slot][..bytes] })
            }
            Last::OwnPacked => {
                let (own, elements) = self.own_elements()?;
                let bytes = elements.len() * self.width;
                Some(Part::Pack { message: own.sent, elements, to: &mut self.scratch[..bytes] })
            }
            Last::OwnUnpacked => {
                let (own, elements) = self.own_elements()?;
                let bytes = elements.len() * self.width;
                Some(Part::Unpack { message: own.received, elements, from: &self.scratch[..bytes] })
            }
        }
    }

    /// The elements of the message to this rank itself that are moved next.
    fn own_elements(&self) -> Option<(OwnMessage, Range<usize>)> {
        let own = self.own.filter(|own| own.done < own.len)?;
        Some((own, own.done..own.len.min(own.done + self.limit)))
    }

    /// Queues the first fragments of the messages that may be sent by now.
    fn begin_steps(&mut self, mail: &mut Mail) {
        while !mail.sending.has_steps() || mail.sending.is_idle(&mail.missing) {
            let Some(step) = mail.sending.begin_next() else { return };
            let Some((stream, count)) = step.send.and_then(|message| self.of_outgoing(message))
            else {
                continue;
            };
            mail.sending.pieces += count;
            for slot in stream * DEPTH..(stream + 1) * DEPTH {
                if self.take_next(slot) {
                    self.to_pack.push_back(slot);
                }
            }
        }
    }

    /// Posts the first receives.
    fn begin(&mut self, mail: &mut Mail, communicator: &TaggedCommunicator) -> Result<(), Error> {
        mail.sending.restart();
        mail.missing.fill(0);
        for slot in 0..self.requests.len() {
            let Stream { is_sent, message, .. } = self.streams[slot / DEPTH];
            if !is_sent && self.take_next(slot) {
                self.post(slot, communicator)?;
                mail.missing[message] = self.streams[slot / DEPTH].fragments(self.limit);
            }
        }
        Ok(())
    }

    /// Does what follows from what was handed out last.
    fn settle(&mut self, mail: &mut Mail, communicator: &TaggedCommunicator) -> Result<(), Error> {
        match self.last {
            Last::Nothing => self.begin(mail, communicator)?,
            Last::Packed(slot) => self.post(slot, communicator)?,
            Last::Unpacked(slot) => {
                mail.missing[self.streams[slot / DEPTH].message] -= 1;
                if self.take_next(slot) {
                    self.post(slot, communicator)?;
                }
            }
            Last::OwnPacked | Last::Left => {}
            Last::OwnUnpacked => {
                let end = self.own_elements().map_or(0, |(_, elements)| elements.end);
                self.own.iter_mut().for_each(|own| own.done = end);
            }
        }
        Ok(())
    }

    /// What is to be handed out next; `None` when all is done.
    fn advance(
        &mut self,
        mail: &mut Mail,
        communicator: &TaggedCommunicator,
    ) -> Result<Option<Last>, Error> {
        self.settle(mail, communicator)?;
        if let Last::OwnPacked = self.last {
            return Ok(Some(Last::OwnUnpacked));
        }
        loop {
            if let Some(slot) = self.to_pack.pop_front() {
                return Ok(Some(Last::Packed(slot)));
            }
            if let Some(place) = self.unseen.next() {
                let slot = self.done.request(place);
                if self.streams[slot / DEPTH].is_sent {
                    mail.sending.pieces -= 1;
                    if self.take_next(slot) {
                        self.to_pack.push_back(slot);
                    }
                } else if self.has_arrived(place, slot)? {
                    return Ok(Some(Last::Unpacked(slot)));
                } else {
                    self.last = Last::Unpacked(slot);
                    self.settle(mail, communicator)?;
                }
                continue;
            }
            self.begin_steps(mail);
            if !self.to_pack.is_empty() {
                continue;
            }
            // What stays here is moved while nothing arrives.
            let is_busy = self.own_elements().is_some();
            let is_left = communicator.some(!is_busy, &mut self.requests, &mut self.done)?;
            self.unseen = 0..self.done.len();
            match (self.unseen.is_empty(), is_busy) {
                (true, true) => return Ok(Some(Last::OwnPacked)),
                (true, false) if !is_left => return Ok(None),
                _ => {}
            }
        }
    }

    /// Whether a fragment is there; not, if its sender has left the move.
    fn has_arrived(&mut self, place: usize, slot: usize) -> Result<bool, Error> {
        let is_whole = self.done.bytes(place)? == self.fragment(slot).2;
        if !is_whole {
            self.left = Some(self.streams[slot / DEPTH].rank);
        }
        Ok(is_whole)
    }

    /// Goes on to the end without this rank, which copies nothing any more: it sends fragments of
    /// no bytes, by which their receivers learn of it, and takes what others send it.
    fn leave(&mut self, mail: &mut Mail, communicator: &TaggedCommunicator) -> Result<(), Error> {
        self.has_left = true;
        self.own.iter_mut().for_each(|own| own.done = own.len);
        if let Last::OwnPacked | Last::OwnUnpacked = self.last {
            self.last = Last::Left;
        }
        while let Some(next) = self.advance(mail, communicator)? {
            self.last = next;
        }
        self.is_idle = true;
        Ok(())
    }
}

/// Ends as whole messages do: a fragment's receive is posted when the one `DEPTH` before has
/// arrived, whatever else is under way, and a rank waits for any of its requests, not for a
/// particular one.
impl Parts for MpiChannel {
    fn next(&mut self) -> Result<Option<Part<'_>>, Error> {
        let Self { fragments: Some(fragments), mail: Some(mail), communicator, .. } = self else {
            return Ok(None);
        };
        let Some(next) = fragments.advance(mail, communicator)? else {
            fragments.is_idle = true;
            let reason = || "a panic in the middle of a move".into();
            let error = |rank| Error::PeerFailed { rank, reason: reason() };
            return fragments.left.map_or(Ok(None), |rank| Err(error(rank)));
        };
        fragments.last = next;
        Ok(fragments.part(next))
    }

    fn leave(&mut self) {
        let Self { fragments: Some(fragments), mail: Some(mail), communicator, .. } = self else {
            return;
        };
        if !fragments.is_idle {
            // An error has ended the job.
            let _ = fragments.leave(mail, communicator);
        }
    }
}

impl Drop for Fragments {
    fn drop(&mut self) {
        if !self.is_idle {
            // MPI may still write to the slots: better to lose them than to let it write to what is
            // no longer ours.
            mem::forget(mem::take(&mut self.slots));
        }
    }
}
