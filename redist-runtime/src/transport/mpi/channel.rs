//! Repeated exchanges over MPI: receives posted first, every message handed over as it arrives.

use super::attribute::is_over;
use super::communicator::no_request;
use super::context::{Context, TaggedCommunicator};
use super::fragments::Fragments;
use super::preflight;
use super::route::{Route, Taken};
use super::sending::Sending;
use super::side::Side;
use super::typed::Types;
use super::vote::Vote;
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{Envelope, Footprint, RankChunks};
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Channel, Pack, Proposal, Unpack};
use ::mpi::ffi::MPI_Request;
use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::mem;
use std::sync::Arc;

/// A rank's end of a channel over MPI.
#[derive(Debug)]
pub struct MpiChannel {
    pub(super) element: ElementType,
    outgoing: Side,
    incoming: Side,
    /// The message to this rank itself, which never leaves it: its places in both sides.
    own: Option<(usize, usize)>,
    /// A request for each incoming piece, then one for each outgoing piece.
    requests: Vec<MPI_Request>,
    indices: Vec<c_int>,
    /// Pieces of each incoming message that have not arrived, and messages that have but were not handed over.
    pub(super) missing: Vec<usize>,
    arrived: Vec<usize>,
    pub(super) sending: Sending,
    /// A list kept between exchanges for its memory only.
    spare: Vec<&'static mut [u8]>,
    /// Whether messages are handed over together, and a list like the one before for it.
    together: bool,
    inbox: Vec<&'static [u8]>,
    /// This rank's chunks, where arrays are moved without messages.
    pub(super) chunks: Option<RankChunks>,
    pub(super) vote: Vote,
    pub(super) ready: Result<(), Error>,
    /// True from `begin` to the end of `complete`.
    under_way: bool,
    /// Numbers of the last shared arrays, on either side, that were found to be of this communicator's ranks.
    pub(super) known_arrays: [u64; 2],
    /// Lists kept between exchanges for their memory only.
    pub(super) sources: Vec<&'static [u8]>,
    pub(super) destinations: Vec<&'static [UnsafeCell<u8>]>,
    pub(super) taken: Taken,
    envelopes: [Vec<Envelope>; 2],
    /// For derived datatypes.
    pub(super) types: Option<Types>,
    pub(super) fragments: Option<Fragments>,
    pub(super) communicator: TaggedCommunicator,
}

impl MpiChannel {
    /// A channel, if all ranks propose the same. Collective.
    pub(super) fn open(
        context: &Arc<Context>,
        route: Route,
        proposal: Result<Proposal<'_>, Error>,
    ) -> Result<Self, Error> {
        let proposal = preflight::agreed(context.communicator(), proposal, route)?;
        let taken = Taken::new(context, route, proposal.steps.is_some(), proposal.element.bytes())?;
        Ok(Self::new(context.tagged()?, &proposal, taken))
    }

    fn new(communicator: TaggedCommunicator, proposal: &Proposal<'_>, taken: Taken) -> Self {
        let (width, here) = (proposal.element.bytes(), communicator.rank());
        let side = |envelopes| Side::new(envelopes, width, here);
        let (outgoing, incoming) = (side(proposal.outgoing), side(proposal.incoming));
        let place = |envelopes: &[Envelope]| envelopes.iter().position(|envelope| envelope.rank == here);
        let pieces = incoming.pieces.len() + outgoing.pieces.len();
        Self {
            element: proposal.element,
            own: place(proposal.outgoing).zip(place(proposal.incoming)),
            requests: vec![no_request(); pieces],
            // One more than none: the vote is asked after by itself.
            indices: vec![0; pieces.max(1)],
            missing: vec![0; proposal.incoming.len()],
            arrived: Vec::with_capacity(proposal.incoming.len()),
            sending: Sending::new(proposal, here),
            spare: Vec::with_capacity(proposal.outgoing.len()),
            together: false,
            inbox: Vec::new(),
            chunks: None,
            vote: Vote::new(),
            ready: Ok(()),
            under_way: false,
            known_arrays: [0; 2],
            sources: Vec::with_capacity(communicator.size()),
            destinations: Vec::new(),
            taken,
            types: None,
            fragments: None,
            envelopes: [proposal.outgoing.to_vec(), proposal.incoming.to_vec()],
            outgoing,
            incoming,
            communicator,
        }
    }

    /// Ends a move that was begun and forgotten: as `complete` does, since others may finish theirs.
    pub(super) fn finish_forgotten(&mut self) {
        if self.under_way {
            // Whoever wants to know how it went does not forget it.
            let _ = self.complete(&mut |_| ());
        }
    }

    fn post_receives(&mut self) -> Result<(), Error> {
        self.missing.fill(0);
        self.arrived.clear();
        let (bytes, tag) = (self.incoming.buffer.as_mut_ptr(), self.communicator.tag);
        for (piece, request) in self.incoming.pieces.iter().zip(&mut self.requests) {
            // SAFETY: pieces lie in the buffer, which is neither moved nor touched until all requests are complete:
            // `complete` waits for them, and so does `drop`.
            *request = unsafe { self.communicator.begin_receive(bytes.add(piece.start), piece.len, piece.rank, tag) }?;
            self.missing[piece.message] += 1;
        }
        Ok(())
    }

    /// Sends what belongs to the next turn, or empty messages in its place. False where no turn is left.
    pub(super) fn post_turn(&mut self, with_data: bool) -> Result<bool, Error> {
        let Some(turn) = self.sending.begin_next() else { return Ok(false) };
        let pieces = turn.send.map_or(0..0, |message| self.outgoing.pieces_of(message));
        let (bytes, tag) = (self.outgoing.buffer.as_ptr(), self.communicator.tag);
        for number in pieces {
            let piece = self.outgoing.pieces[number];
            let len = if with_data { piece.len } else { 0 };
            // SAFETY: as for receives; the buffer is packed again only after all sends are complete.
            let request = unsafe { self.communicator.begin_send(bytes.add(piece.start), len, piece.rank, tag) }?;
            self.requests[self.incoming.pieces.len() + number] = request;
            self.sending.pieces += 1;
        }
        Ok(true)
    }

    /// Sends what may be sent by now: a step begins when this rank's messages of the step before, either way, are through.
    ///
    /// Nobody waits for ever. Receives are posted before anything is sent, and the vote before anybody waits for it. Of
    /// all messages that never arrive, take one of the earliest step: all earlier ones of its sender have arrived, both
    /// ways, and MPI completes a send whose receive is complete; so it was sent, to a receive that was posted, and MPI
    /// does not hold such a pair back. Ranks that only begin send all at once, those that are not ready send empty
    /// messages at once, and after a vote against it so do all others with what is left: none of them waits for a step.
    fn post_steps(&mut self) -> Result<(), Error> {
        while self.sending.is_idle(&self.missing) && self.post_turn(true)? {}
        Ok(())
    }

    pub(super) fn post_vote(&mut self, runs: bool) -> Result<(), Error> {
        // SAFETY: whoever votes waits for the request, and so does `drop`, or else it loses the vote.
        unsafe { self.vote.begin(&self.communicator, &self.ready, runs) }
    }

    fn pack(&mut self, pack: Pack<'_>) {
        let mut messages: Vec<&mut [u8]> = recycle(mem::take(&mut self.spare));
        messages.extend(self.outgoing.messages_mut());
        pack(&mut messages);
        self.spare = recycle(messages);
    }

    /// Gets ready to send.
    pub(super) fn prepare(&mut self, ready: Result<(), Error>, pack: Pack<'_>) -> Result<(), Error> {
        self.finish_forgotten();
        self.ready = ready;
        self.under_way = true;
        self.sending.restart();
        self.incoming.allocate();
        self.outgoing.allocate();
        self.post_receives()?;
        if self.ready.is_ok() {
            self.pack(pack);
        }
        Ok(())
    }

    /// Notes what has arrived and what is sent; with `wait`, waits until something is. False where nothing is under way.
    fn progress(&mut self, wait: bool) -> Result<bool, Error> {
        let done = self.communicator.some(wait, &mut self.requests, &mut self.indices)?;
        for &index in &self.indices[..done.unwrap_or(0)] {
            let Some(piece) = self.incoming.pieces.get(index as usize) else {
                self.sending.pieces -= 1;
                continue;
            };
            self.missing[piece.message] -= 1;
            if self.missing[piece.message] == 0 {
                self.arrived.push(piece.message);
            }
        }
        Ok(done.is_some())
    }

    /// Hands over all messages, when all have arrived.
    fn unpack_together(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) -> Result<(), Error> {
        self.post_steps()?;
        while self.progress(true)? {
            self.post_steps()?;
        }
        let mut inbox: Vec<&[u8]> = recycle(mem::take(&mut self.inbox));
        inbox.extend((0..self.missing.len()).map(|number| match self.own {
            Some((sent, received)) if received == number => self.outgoing.message(sent),
            _ => self.incoming.message(number),
        }));
        unpack(Arrived::All(&mut inbox));
        self.inbox = recycle(inbox);
        Ok(())
    }

    /// Hands over every message as it arrives, and sends what is left to be sent in the meantime.
    fn unpack_all(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) -> Result<(), Error> {
        if let Some((sent, received)) = self.own {
            unpack(Arrived::One(received, self.outgoing.message(sent)));
        }
        loop {
            self.post_steps()?;
            match self.arrived.pop() {
                Some(message) => {
                    unpack(Arrived::One(message, self.incoming.message(message)));
                    // Others may be waiting for what this rank sends next.
                    let _ = self.sending.is_through() || self.progress(false)?;
                }
                None if self.progress(true)? => {}
                None => return Ok(()),
            }
        }
    }

    /// What the vote comes to: this rank's own reason first.
    pub(super) fn outcome(&mut self) -> Result<(), Error> {
        let Some((rank, reason)) = self.vote.failed() else { return Ok(()) };
        Err(mem::replace(&mut self.ready, Ok(())).err().unwrap_or(Error::PeerFailed { rank, reason }))
    }

    /// Ends a move that a rank was not ready for; its messages are of no interest.
    fn drain(&mut self) -> Result<(), Error> {
        while self.post_turn(false)? {}
        while self.progress(true)? {}
        Ok(())
    }
}

impl Channel for MpiChannel {
    fn longest_chunk(&self) -> Option<usize> {
        Some(self.staging()?.elements(self.element.bytes()))
    }

    fn stage(&mut self, chunks: RankChunks) {
        self.chunks = Some(chunks);
    }

    fn hand_over_together(&mut self) {
        self.inbox.reserve(self.missing.len());
        self.together = true;
    }

    fn wants_footprints(&self) -> bool {
        matches!(self.taken.route, Route::DerivedTypes | Route::Fragments)
    }

    fn take_footprints(&mut self, outgoing: &[Footprint], incoming: &[Footprint]) -> Result<(), Error> {
        let envelopes = [&self.envelopes[0][..], &self.envelopes[1][..]];
        if self.taken.route == Route::Fragments {
            self.fragments = Some(Fragments::new(self.communicator.rank(), self.element.bytes(), envelopes));
            return Ok(());
        }
        self.types = Some(Types::new(&self.communicator, self.element, envelopes, [outgoing, incoming])?);
        Ok(())
    }

    fn begin(&mut self, ready: Result<(), Error>, pack: Pack<'_>) -> Result<(), Error> {
        self.prepare(ready, pack)?;
        // Empty messages where this rank is not ready, so that nobody waits for them.
        while self.post_turn(self.ready.is_ok())? {}
        self.post_vote(false)
    }

    fn test(&mut self) -> Result<bool, Error> {
        let is_through = !self.progress(false)?;
        let voted = self.communicator.some(false, std::slice::from_mut(&mut self.vote.request), &mut self.indices)?;
        Ok(is_through && voted.is_none())
    }

    fn complete(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) -> Result<(), Error> {
        self.communicator.wait(&mut self.vote.request)?;
        match (self.vote.failed(), self.together) {
            (Some(_), _) => self.drain()?,
            (None, true) => self.unpack_together(unpack)?,
            (None, false) => self.unpack_all(unpack)?,
        }
        self.under_way = false;
        self.outcome()
    }

    fn exchange(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
        pack: Pack<'_>,
        unpack: Unpack<'_>,
    ) -> Result<(), Error> {
        if self.taken.route != Route::Messages {
            return self.exchange_together(ready, source, destination, pack, unpack);
        }
        if ready.is_err() || !self.sending.has_steps() {
            self.begin(ready, pack)?;
        } else {
            self.prepare(ready, pack)?;
            self.post_steps()?;
            self.post_vote(true)?;
        }
        self.complete(&mut |arrived| unpack(arrived, destination))
    }
}

impl Drop for MpiChannel {
    fn drop(&mut self) {
        if !is_over() {
            self.finish_forgotten();
        }
        if self.under_way {
            // MPI may still write to the buffers: better to lose them than to let it write to what is no longer ours.
            mem::forget(mem::take(&mut self.incoming.buffer));
            mem::forget(mem::take(&mut self.outgoing.buffer));
            mem::forget(mem::replace(&mut self.vote, Vote::new()));
        }
    }
}
