//! Messages in fragments: packing, transfer and unpacking overlap.

use super::channel::MpiChannel;
use super::communicator::no_request;
use super::context::TaggedCommunicator;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::Ends;
use ::mpi::ffi::MPI_Request;
use std::ffi::c_int;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a fragment.
static FRAGMENT: AtomicUsize = AtomicUsize::new(128 << 10);

/// Sets how many bytes a fragment has in channels that are opened later; 128 KiB if nobody does.
///
/// Every rank must set the same, or binding says which differs; at least one element goes at a time, and at most 2^30 bytes.
pub fn set_fragment_size(bytes: usize) {
    FRAGMENT.store(bytes.clamp(1, 1 << 30), Ordering::Relaxed);
}

/// Bytes of a fragment in channels that are opened now.
pub(super) fn fragment_size() -> usize {
    FRAGMENT.load(Ordering::Relaxed)
}

/// Fragments of a message that are under way at a time: one travels while the next is packed.
const DEPTH: usize = 2;

/// What is under way, and memory for it: for each message to or from another rank so many fragments at a time.
#[derive(Debug)]
pub(super) struct Fragments {
    /// Bytes of an element.
    width: usize,
    /// Elements in a fragment.
    limit: usize,
    streams: Vec<Stream>,
    /// The stream of each outgoing message, if it leaves this rank.
    outgoing: Vec<Option<usize>>,
    buffer: Vec<u8>,
    /// For each stream `DEPTH` of them.
    requests: Vec<MPI_Request>,
    /// The fragment that each is for.
    numbers: Vec<usize>,
    indices: Vec<c_int>,
    /// The message to this rank itself: its numbers, its length, what of it is done, and memory for a fragment.
    own: Option<Own>,
    scratch: Vec<u8>,
    /// False while the library may use the buffer.
    is_idle: bool,
}

/// A message to or from another rank.
#[derive(Clone, Copy, Debug)]
struct Stream {
    message: usize,
    rank: usize,
    is_sent: bool,
    /// Elements.
    len: usize,
    /// Where its part of the buffer begins, in elements.
    start: usize,
    /// Fragments begun.
    begun: usize,
}

#[derive(Clone, Copy, Debug)]
struct Own {
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

impl Fragments {
    /// For messages of elements of `width` bytes.
    pub fn new(here: usize, width: usize, [outgoing, incoming]: [&[Envelope]; 2]) -> Self {
        let limit = (fragment_size() / width).max(1);
        let (mut streams, mut size) = (Vec::new(), 0);
        for (envelopes, is_sent) in [(incoming, false), (outgoing, true)] {
            let others = envelopes.iter().enumerate().filter(|(_, envelope)| envelope.rank != here);
            for (message, Envelope { rank, len }) in others {
                streams.push(Stream { message, rank: *rank, is_sent, len: *len, start: size, begun: 0 });
                size += len.min(&(DEPTH * limit));
            }
        }
        let place = |message| streams.iter().position(|stream: &Stream| stream.is_sent && stream.message == message);
        let own_place = |envelopes: &[Envelope]| envelopes.iter().position(|envelope| envelope.rank == here);
        let own = own_place(outgoing).zip(own_place(incoming));
        let own = own.map(|(sent, received)| Own { sent, received, len: outgoing[sent].len, done: 0 });
        let requests = streams.len() * DEPTH;
        Self {
            width,
            limit,
            outgoing: (0..outgoing.len()).map(place).collect(),
            buffer: vec![0; size * width],
            requests: vec![no_request(); requests],
            numbers: vec![0; requests],
            indices: vec![0; requests.max(1)],
            scratch: vec![0; own.map_or(0, |own| own.len.min(limit)) * width],
            own,
            streams,
            is_idle: true,
        }
    }

    fn restart(&mut self) {
        self.streams.iter_mut().for_each(|stream| stream.begun = 0);
        self.own.iter_mut().for_each(|own| own.done = 0);
    }

    /// The number of fragments of an outgoing message, none if it stays here.
    fn of_outgoing(&self, message: usize) -> Option<(usize, usize)> {
        self.outgoing[message].map(|stream| (stream, self.streams[stream].fragments(self.limit)))
    }

    /// Packs and sends the next fragment of a stream, or gets ready to receive it; false where none is left.
    fn begin(&mut self, slot: usize, communicator: &TaggedCommunicator, ends: &mut dyn Ends) -> Result<bool, Error> {
        let (limit, width) = (self.limit, self.width);
        let stream = &mut self.streams[slot / DEPTH];
        if stream.begun == stream.fragments(limit) {
            return Ok(false);
        }
        let elements = elements(stream.begun, limit, stream.len);
        let start = stream.start + slot % DEPTH * limit;
        let buffer = &mut self.buffer[start * width..(start + elements.len()) * width];
        let bytes = buffer.len();
        // SAFETY: the bytes lie in the buffer, which is neither moved nor touched there until the request is complete: the
        // exchange waits for all of them, and a channel that gives up loses its buffer.
        self.requests[slot] = unsafe {
            if stream.is_sent {
                ends.pack(stream.message, elements, buffer);
                communicator.begin_send(buffer.as_ptr(), bytes, stream.rank, communicator.tag)
            } else {
                communicator.begin_receive(buffer.as_mut_ptr(), bytes, stream.rank, communicator.tag)
            }
        }?;
        self.numbers[slot] = stream.begun;
        stream.begun += 1;
        Ok(true)
    }

    /// Unpacks what has arrived in a slot. Returns the message.
    fn arrived(&self, slot: usize, ends: &mut dyn Ends) -> usize {
        let stream = &self.streams[slot / DEPTH];
        let elements = elements(self.numbers[slot], self.limit, stream.len);
        let start = stream.start + slot % DEPTH * self.limit;
        let buffer = &self.buffer[start * self.width..(start + elements.len()) * self.width];
        ends.unpack(stream.message, elements, buffer);
        stream.message
    }

    /// Moves a fragment of this rank's message to itself; false where none is left.
    fn own_fragment(&mut self, ends: &mut dyn Ends) -> bool {
        let Some(own) = self.own.as_mut().filter(|own| own.done < own.len) else { return false };
        let elements = own.done..own.len.min(own.done + self.limit);
        let buffer = &mut self.scratch[..elements.len() * self.width];
        ends.pack(own.sent, elements.clone(), buffer);
        ends.unpack(own.received, elements.clone(), buffer);
        own.done = elements.end;
        true
    }
}

impl MpiChannel {
    /// Moves all messages in fragments; every rank is known to be here.
    ///
    /// This ends, as whole messages do: a fragment's receive is posted when the one `DEPTH` before has arrived, whatever
    /// else is under way, and a rank waits for any of its requests, not for a particular one.
    pub(super) fn exchange_fragments(&mut self, fragments: &mut Fragments, ends: &mut dyn Ends) -> Result<(), Error> {
        fragments.restart();
        fragments.is_idle = false;
        self.sending.restart();
        self.missing.fill(0);
        for slot in 0..fragments.requests.len() {
            let Stream { is_sent, message, .. } = fragments.streams[slot / DEPTH];
            if !is_sent && fragments.begin(slot, &self.communicator, ends)? {
                self.missing[message] = fragments.streams[slot / DEPTH].fragments(fragments.limit);
            }
        }
        self.begin_turns(fragments, ends)?;
        loop {
            // What stays here is moved while nothing arrives.
            let is_busy = fragments.own.is_some_and(|own| own.done < own.len);
            let Fragments { requests, indices, .. } = fragments;
            let done = self.communicator.some(!is_busy, requests, indices)?;
            for place in 0..done.unwrap_or(0) {
                let slot = fragments.indices[place] as usize;
                if fragments.streams[slot / DEPTH].is_sent {
                    self.sending.pieces -= 1;
                } else {
                    let message = fragments.arrived(slot, ends);
                    self.missing[message] -= 1;
                }
                fragments.begin(slot, &self.communicator, ends)?;
            }
            self.begin_turns(fragments, ends)?;
            if done.unwrap_or(0) == 0 && !fragments.own_fragment(ends) && done.is_none() {
                break;
            }
        }
        fragments.is_idle = true;
        Ok(())
    }

    /// Begins to send the messages whose turn it is.
    fn begin_turns(&mut self, fragments: &mut Fragments, ends: &mut dyn Ends) -> Result<(), Error> {
        while !self.sending.has_steps() || self.sending.is_idle(&self.missing) {
            let Some(turn) = self.sending.begin_next() else { return Ok(()) };
            let Some((stream, count)) = turn.send.and_then(|message| fragments.of_outgoing(message)) else { continue };
            self.sending.pieces += count;
            for slot in stream * DEPTH..(stream + 1) * DEPTH {
                fragments.begin(slot, &self.communicator, ends)?;
            }
        }
        Ok(())
    }
}

impl Drop for Fragments {
    fn drop(&mut self) {
        if !self.is_idle {
            // MPI may still write to the buffer: better to lose it than to let it write to what is no longer ours.
            mem::forget(mem::take(&mut self.buffer));
        }
    }
}
