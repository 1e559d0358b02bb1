//! Repeated exchanges over MPI: receives posted first, every message handed over as it arrives.

use super::communicator::{OwnCommunicator, no_request};
use super::preflight::{self, failure_of};
use crate::element::Element;
use crate::error::Error;
use crate::program::Envelope;
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Channel, Proposal};
use ::mpi::ffi::MPI_Request;
use std::ffi::c_int;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of the longest message that is sent as one; longer ones are split.
static MESSAGE_LIMIT: AtomicUsize = AtomicUsize::new(1 << 30);

/// Sets from how many bytes on messages of channels that are opened later are split; 1 GiB if nobody does.
///
/// Every rank must set the same, at least 1 and at most 2^31 - 1 bytes; other values are brought into that range.
pub fn set_message_limit(bytes: usize) {
    MESSAGE_LIMIT.store(bytes.clamp(1, c_int::MAX as usize), Ordering::Relaxed);
}

/// A rank's end of a channel over MPI.
#[derive(Debug)]
pub struct MpiChannel<T: Element> {
    outgoing: Side<T>,
    incoming: Side<T>,
    /// The message to this rank itself, which never leaves it: its places in both sides.
    own: Option<(usize, usize)>,
    /// Pieces of each incoming message that have not arrived, and messages that have but were not handed over.
    missing: Vec<usize>,
    arrived: Vec<usize>,
    indices: Vec<c_int>,
    /// A list kept between exchanges for its memory only.
    spare: Vec<&'static mut [T]>,
    vote: Box<Vote>,
    ready: Result<(), Error>,
    /// True from `begin` to the end of `complete`.
    under_way: bool,
    communicator: OwnCommunicator,
}

/// The messages of one direction, one after the other in one buffer.
#[derive(Debug)]
struct Side<T> {
    buffer: Vec<T>,
    messages: Vec<Range<usize>>,
    pieces: Vec<Piece>,
    requests: Vec<MPI_Request>,
}

/// A part of a message that is sent as one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    message: usize,
    rank: usize,
    /// In bytes of the buffer.
    start: usize,
    len: usize,
}

/// Whether all ranks are ready: the largest rank that is not, or -1. In a place of its own, where MPI may write.
#[derive(Debug)]
struct Vote {
    mine: c_int,
    most: c_int,
    request: MPI_Request,
}

impl<T: Element> Side<T> {
    fn new(envelopes: &[Envelope], here: usize) -> Self {
        let limit = MESSAGE_LIMIT.load(Ordering::Relaxed);
        let (mut messages, mut pieces, mut start) = (Vec::new(), Vec::new(), 0);
        for (message, envelope) in envelopes.iter().enumerate() {
            let (range, rank) = (start..start + envelope.len, envelope.rank);
            let bytes = range.start * size_of::<T>()..range.end * size_of::<T>();
            let starts = bytes.clone().step_by(limit).filter(|_| rank != here);
            pieces.extend(starts.map(|start| Piece { message, rank, start, len: limit.min(bytes.end - start) }));
            start = range.end;
            messages.push(range);
        }
        let requests = vec![no_request(); pieces.len()];
        Self { buffer: vec![T::ZERO; start], messages, pieces, requests }
    }
}

impl<T: Element> MpiChannel<T> {
    /// A channel, if all ranks propose the same. Collective.
    pub(super) fn open(communicator: OwnCommunicator, proposal: Result<Proposal<'_>, Error>) -> Result<Self, Error> {
        let proposal = preflight::agreed::<T>(&communicator, proposal)?;
        Ok(Self::new(communicator, &proposal))
    }

    fn new(communicator: OwnCommunicator, proposal: &Proposal<'_>) -> Self {
        let here = communicator.rank();
        let (outgoing, incoming) = (Side::new(proposal.outgoing, here), Side::new(proposal.incoming, here));
        let place = |envelopes: &[Envelope]| envelopes.iter().position(|envelope| envelope.rank == here);
        Self {
            own: place(proposal.outgoing).zip(place(proposal.incoming)),
            missing: vec![0; incoming.messages.len()],
            arrived: Vec::with_capacity(incoming.messages.len()),
            // One more than none: the vote is asked after by itself.
            indices: vec![0; incoming.pieces.len().max(outgoing.pieces.len()).max(1)],
            spare: Vec::with_capacity(proposal.outgoing.len()),
            vote: Box::new(Vote { mine: -1, most: -1, request: no_request() }),
            ready: Ok(()),
            under_way: false,
            outgoing,
            incoming,
            communicator,
        }
    }

    /// Ends a move that was begun and forgotten: as `complete` does, since others may finish theirs.
    fn finish_forgotten(&mut self) {
        if self.under_way {
            // Whoever wants to know how it went does not forget it.
            let _ = self.complete(|_| ());
        }
    }

    fn post_receives(&mut self) -> Result<(), Error> {
        self.missing.fill(0);
        self.arrived.clear();
        let bytes = self.incoming.buffer.as_mut_ptr().cast::<u8>();
        for (piece, request) in self.incoming.pieces.iter().zip(&mut self.incoming.requests) {
            // SAFETY: pieces lie in the buffer, which is neither moved nor touched until all requests are complete:
            // `complete` waits for them, and so does `drop`.
            *request = unsafe { self.communicator.begin_receive(bytes.add(piece.start), piece.len, piece.rank) }?;
            self.missing[piece.message] += 1;
        }
        Ok(())
    }

    /// Sends every piece; empty ones where this rank is not ready, so that nobody waits for them.
    fn post_sends(&mut self) -> Result<(), Error> {
        let ready = self.ready.is_ok();
        let bytes = self.outgoing.buffer.as_ptr().cast::<u8>();
        for (piece, request) in self.outgoing.pieces.iter().zip(&mut self.outgoing.requests) {
            let len = if ready { piece.len } else { 0 };
            // SAFETY: as for receives; the buffer is packed again only after all sends are complete.
            *request = unsafe { self.communicator.begin_send(bytes.add(piece.start), len, piece.rank) }?;
        }
        Ok(())
    }

    fn post_vote(&mut self) -> Result<(), Error> {
        self.vote.mine = if self.ready.is_ok() { -1 } else { self.communicator.rank() as c_int };
        let (mine, most) = (&raw const self.vote.mine, &raw mut self.vote.most);
        // SAFETY: the numbers are in a box that lives as long as the channel, which waits for the request.
        self.vote.request = unsafe { self.communicator.begin_maximum(mine, most) }?;
        Ok(())
    }

    fn pack(&mut self, pack: impl FnOnce(&mut [&mut [T]])) {
        let mut messages: Vec<&mut [T]> = recycle(mem::take(&mut self.spare));
        let mut rest = self.outgoing.buffer.as_mut_slice();
        for message in &self.outgoing.messages {
            let (front, after) = rest.split_at_mut(message.len());
            messages.push(front);
            rest = after;
        }
        pack(&mut messages);
        self.spare = recycle(messages);
    }

    /// Notes what has arrived; with `wait`, waits until something has. False where nothing is left to arrive.
    fn progress(&mut self, wait: bool) -> Result<bool, Error> {
        let done = self.communicator.some(wait, &mut self.incoming.requests, &mut self.indices)?;
        for &index in &self.indices[..done.unwrap_or(0)] {
            let message = self.incoming.pieces[index as usize].message;
            self.missing[message] -= 1;
            if self.missing[message] == 0 {
                self.arrived.push(message);
            }
        }
        Ok(done.is_some())
    }

    /// Waits for everything that is under way, whatever becomes of it.
    fn drain(&mut self) -> Result<(), Error> {
        while self.progress(true)? {}
        while self.communicator.some(true, &mut self.outgoing.requests, &mut self.indices)?.is_some() {}
        self.communicator.wait(&mut self.vote.request)
    }

    fn unpack_all(&mut self, mut unpack: impl FnMut(Arrived<'_, '_, T>)) -> Result<(), Error> {
        if let Some((sent, received)) = self.own {
            unpack(Arrived::One(received, &self.outgoing.buffer[self.outgoing.messages[sent].clone()]));
        }
        loop {
            while let Some(message) = self.arrived.pop() {
                unpack(Arrived::One(message, &self.incoming.buffer[self.incoming.messages[message].clone()]));
            }
            if !self.progress(true)? && self.arrived.is_empty() {
                return Ok(());
            }
        }
    }
}

impl<T: Element> Channel<T> for MpiChannel<T> {
    const ONE_BY_ONE: bool = true;

    fn begin(&mut self, ready: Result<(), Error>, pack: impl FnOnce(&mut [&mut [T]])) -> Result<(), Error> {
        self.finish_forgotten();
        self.ready = ready;
        self.under_way = true;
        self.post_receives()?;
        if self.ready.is_ok() {
            self.pack(pack);
        }
        self.post_sends()?;
        self.post_vote()
    }

    fn test(&mut self) -> Result<bool, Error> {
        let all_here = !self.progress(false)?;
        let all_sent = self.communicator.some(false, &mut self.outgoing.requests, &mut self.indices)?.is_none();
        let voted = self.communicator.some(false, std::slice::from_mut(&mut self.vote.request), &mut self.indices)?;
        Ok(all_here && all_sent && voted.is_none())
    }

    fn complete(&mut self, unpack: impl FnMut(Arrived<'_, '_, T>)) -> Result<(), Error> {
        self.communicator.wait(&mut self.vote.request)?;
        let Ok(failed) = usize::try_from(self.vote.most) else {
            self.unpack_all(unpack)?;
            self.drain()?;
            self.under_way = false;
            return Ok(());
        };
        self.drain()?;
        self.under_way = false;
        let ready = mem::replace(&mut self.ready, Ok(()));
        Err(failure_of(&self.communicator, failed, ready.as_ref().err())?)
    }
}

impl<T: Element> Drop for MpiChannel<T> {
    fn drop(&mut self) {
        if !::mpi::is_finalized() {
            self.finish_forgotten();
        }
        if self.under_way {
            // MPI may still write to the buffers: better to lose them than to let it write to what is no longer ours.
            mem::forget(mem::take(&mut self.incoming.buffer));
            mem::forget(mem::take(&mut self.outgoing.buffer));
            Box::leak(mem::replace(&mut self.vote, Box::new(Vote { mine: -1, most: -1, request: no_request() })));
        }
    }
}
