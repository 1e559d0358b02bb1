//! What one rank knows of votes on several nodes, and the memory of what travels with reports of them.
//!
//! Unsafe, since MPI receives into it.

use super::communicator::OwnCommunicator;
use super::joined::{Parcels, WholePiece};
use super::reports::TAG;
use super::vote::Maxima;
use crate::error::Error;
use crate::transport::joined::JoinedLayout;
use crate::transport::wire::WireError;
use crate::transport::wire::report::{HEAD_BYTES, Head};
use redist_mpi::{Request, Requests};
use std::collections::VecDeque;

/// Votes that are open at a time where few moves are under way.
const USUAL_VOTES: usize = 4;

/// Pieces that there is memory for before they are sent.
const USUAL_PIECES: usize = 32;

/// Votes that other nodes have not told all of, or that this rank has not asked for; and the memory of
/// what travels with them.
#[derive(Debug)]
pub(super) struct OpenVotes {
    /// The number of the first of `open`.
    pub first: u64,
    pub open: VecDeque<OpenVote>,
    /// Votes that are over, for their memory.
    pub closed: Vec<OpenVote>,
    /// Pieces that are sent, and memory for others.
    pub sent: Vec<Sent>,
    pub spare: Vec<Vec<u8>>,
    /// Receives under way, each with its memory.
    pub receives: Requests,
    pub rooms: Vec<Vec<u8>>,
    pub spare_rooms: Vec<Vec<u8>>,
    /// Pieces that are missing of votes that this rank has voted on.
    pub missing: usize,
    /// The most pieces of a report to this rank, and the most bytes that travel with one.
    pub pieces: usize,
    pub longest: usize,
}

/// A piece of a report on its way.
#[derive(Debug)]
pub(super) struct Sent {
    pub bytes: Vec<u8>,
    pub request: Request,
}

/// What travelled with a piece of a report.
#[derive(Debug, Default)]
pub(super) struct Parcel {
    /// As it was received, with its head.
    pub piece: Vec<u8>,
    pub len: usize,
}

impl Parcel {
    pub fn bytes(&self) -> &[u8] {
        self.piece.get(HEAD_BYTES..self.len).unwrap_or_default()
    }
}

/// A vote that has not been asked for.
#[derive(Debug, Default)]
pub(super) struct OpenVote {
    /// What other nodes have told.
    pub most: Maxima,
    /// Whether this rank has voted.
    pub is_posted: bool,
    /// Pieces that are known to be missing: one of each node that is yet to tell.
    pub missing: usize,
    /// For each node, its pieces: as many as there are, once one has come.
    pub parcels: Vec<Vec<Parcel>>,
    /// What travels with the reports of this node, and those of their pieces that are whole, by the
    /// rank that they go to.
    pub outgoing: Option<Parcels>,
    pub pieces: Vec<WholePiece>,
    pub is_taken: bool,
}

impl OpenVotes {
    pub fn new(communicator: &OwnCommunicator) -> Self {
        Self {
            first: 0,
            open: VecDeque::new(),
            closed: Vec::new(),
            sent: Vec::new(),
            spare: Vec::new(),
            receives: communicator.live().requests(0),
            rooms: Vec::new(),
            spare_rooms: Vec::new(),
            missing: 0,
            pieces: 1,
            longest: 0,
        }
    }

    /// Notes what may travel with reports.
    pub fn expect(&mut self, layout: &JoinedLayout) {
        let pieces = layout.parcels.iter().map(Vec::len).max().unwrap_or(0);
        let longest = layout.parcels.iter().flatten().max().copied().unwrap_or(0);
        self.pieces = pieces.max(self.pieces);
        self.longest = longest.max(self.longest);
    }

    /// Allocates what is usually needed before a move needs it: reports to `far` ranks of all `nodes`,
    /// with `longest` bytes in a piece.
    pub fn provide(&mut self, nodes: usize, far: usize, longest: usize) {
        self.open.reserve(USUAL_VOTES);
        self.closed.resize_with(USUAL_VOTES.max(self.closed.len()), OpenVote::default);
        for vote in &mut self.closed {
            make_room(&mut vote.parcels, nodes, self.pieces);
            vote.pieces.reserve(far);
        }
        // Those of one vote may be on their way still when the next are sent.
        let usual = (2 * far * self.pieces).min(USUAL_PIECES);
        self.spare.resize_with(usual.max(self.spare.len()), Vec::new);
        self.spare.iter_mut().for_each(|bytes| bytes.reserve(HEAD_BYTES + longest));
        self.sent.reserve(usual);
    }

    /// A vote that is open, or is from now on.
    pub fn vote(&mut self, number: u64, nodes: usize) -> &mut OpenVote {
        let place = number.checked_sub(self.first).expect("a vote is asked for once") as usize;
        while self.open.len() <= place {
            let mut vote = self.closed.pop().unwrap_or_default();
            self.take_rooms(&mut vote.parcels);
            vote.begin(nodes, self.pieces);
            self.open.push_back(vote);
        }
        &mut self.open[place]
    }

    /// Takes the memory of what has been unpacked.
    pub fn take_rooms(&mut self, parcels: &mut [Vec<Parcel>]) {
        let rooms = parcels.iter_mut().flat_map(|parcels| parcels.drain(..));
        self.spare_rooms.extend(rooms.map(|parcel| parcel.piece).filter(|room| !room.is_empty()));
    }

    /// Posts a receive for each piece that is missing.
    pub fn post(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        while self.receives.len() < self.missing {
            let mut room = self.spare_rooms.pop().unwrap_or_default();
            room.resize(HEAD_BYTES + self.longest, 0);
            let (start, len) = (room.as_mut_ptr(), room.len());
            // SAFETY: the bytes stay where they are, wherever the vector is moved, and are not
            // touched until the request is complete (`receive`, and `drop`, which forgets them
            // otherwise).
            let request = unsafe { communicator.begin_receive_any(start, len, TAG) }?;
            self.receives.push(request);
            self.rooms.push(room);
        }
        Ok(())
    }

    /// A piece of a report to a rank, with the messages that travel in it.
    ///
    /// # Safety
    /// As for [`Parcels::copy_to`]: the votes of this node on the move have been seen, and this
    /// rank votes on no other before this returns.
    pub unsafe fn joined(&mut self, head: &Head, to: usize, parcels: Option<&Parcels>) -> Vec<u8> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(&head.bytes());
        if let Some(parcels) = parcels {
            // SAFETY: the caller has seen that all ranks of this node have voted on the move, and
            // does not vote on another before this returns.
            unsafe { parcels.copy_to(to, head.piece, &mut bytes) };
        }
        bytes
    }

    /// Notes a piece of a report.
    pub fn note(&mut self, head: &Head, parcel: Parcel, nodes: usize) -> Result<(), WireError> {
        let vote = self.vote(head.vote, nodes);
        let before = vote.missing;
        let noted = vote.note(head, parcel);
        let (is_posted, now) = (vote.is_posted, vote.missing);
        if is_posted {
            self.missing = self.missing + now - before;
        }
        noted
    }

    /// Takes the memory of what has been sent.
    pub fn reclaim(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        let mut place = 0;
        while let Some(sent) = self.sent.get_mut(place) {
            if communicator.is_done(&mut sent.request)? {
                self.spare.push(self.sent.swap_remove(place).bytes);
            } else {
                place += 1;
            }
        }
        Ok(())
    }
}

impl OpenVote {
    fn begin(&mut self, nodes: usize, pieces: usize) {
        (self.most, self.missing, self.is_taken) = (Maxima::default(), nodes - 1, false);
        (self.outgoing, self.is_posted) = (None, false);
        self.pieces.clear();
        make_room(&mut self.parcels, nodes, pieces);
    }

    fn note(&mut self, head: &Head, parcel: Parcel) -> Result<(), WireError> {
        let parcels = &mut self.parcels[head.node];
        if parcels.is_empty() {
            self.most.include(&Maxima::told(head.words));
            parcels.resize_with(head.pieces, Parcel::default);
            self.missing += head.pieces - 1;
        }
        match parcels.get_mut(head.piece) {
            Some(place) if place.len == 0 && !self.is_taken => *place = parcel,
            _ => {
                let what = format!("more of node {}'s report than there is", head.node);
                return Err(WireError::Malformed(what));
            }
        }
        self.missing -= 1;
        Ok(())
    }
}

/// For this number of pieces from each node: allocated once.
pub(super) fn make_room(parcels: &mut Vec<Vec<Parcel>>, nodes: usize, pieces: usize) {
    parcels.resize_with(nodes, Vec::new);
    parcels.iter_mut().for_each(|parcels| parcels.reserve(pieces));
}
