//! Votes on several nodes: the ranks of a node vote in memory, and a message, the *report*, carries
//! their result to each rank of the other nodes. Short messages of a plan travel with it
//! (`joined.rs`). No rank forwards reports, because a rank that has only begun a move may be in
//! other code. If all ranks of a node stay until the vote is over, each reports to a share of the
//! other ranks. Else the rank that finds the vote complete reports to all. Receives are from any
//! rank, because each piece of a report identifies itself.

use super::communicator::OwnCommunicator;
use super::life::is_over;
use super::parcels::{Parcel, Parcels, WholePiece};
use super::vote::Maxima;
use crate::error::Error;
use crate::transport::joined::JoinedLayout;
use crate::transport::nodes::Nodes;
use crate::transport::sync::have_cores;
use crate::transport::wire::WireError;
use crate::transport::wire::report::{Bounds, HEAD_BYTES, Head, read};
use redist_mpi::{Request, Requests};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::yield_now;

/// Most nodes with reports, because each node reports to each rank. Beyond, ranks vote by the
/// library's reductions, whose messages grow with the logarithm of the number of ranks.
pub(super) const MAX_NODES: usize = 64;

/// Votes that another node may be ahead: as many as plans have moves under way.
const MAX_AHEAD: usize = 1 << 16;

/// Polls of a waiting rank before it offers its core, if each rank of its node has a core, and if
/// others may need the core to vote.
const POLLS_OF_CORES: usize = 256;
const SHARED_POLLS: usize = 8;

const TAG: i32 = 0;

#[derive(Debug)]
pub(super) struct Reports {
    communicator: OwnCommunicator,
    nodes: Nodes,
    here: usize,
    /// The ranks of other nodes, and this rank's share of them if all of its node stay.
    far: Vec<usize>,
    share: Vec<usize>,
    ended: AtomicU64,
    pub polls: usize,
    state: RefCell<OpenVotes>,
}

impl Reports {
    /// Reports between these nodes, on a communicator that nothing else is sent on.
    pub fn new(communicator: OwnCommunicator, nodes: &Nodes) -> Self {
        let rank = communicator.rank();
        let (here, place) = (nodes.of(rank), nodes.place(rank));
        let far: Vec<usize> = (0..nodes.ranks()).filter(|rank| nodes.of(*rank) != here).collect();
        let share = far.iter().copied().skip(place).step_by(nodes.members(here).len()).collect();
        // From the next rank on, so that ranks begin with different receivers.
        let [far, share] = [far, share].map(|mut ranks: Vec<usize>| {
            let next = ranks.partition_point(|other| *other < rank);
            ranks.rotate_left(next);
            ranks
        });
        let mut state = OpenVotes::new(&communicator);
        state.provide(nodes.count(), far.len(), 0);
        let polls =
            if have_cores(nodes.members(here).len()) { POLLS_OF_CORES } else { SHARED_POLLS };
        let (ended, state) = (AtomicU64::new(0), RefCell::new(state));
        Self { communicator, nodes: nodes.clone(), here, far, share, ended, polls, state }
    }

    /// Allows a plan's messages in later reports: when all ranks set something up, and before
    /// another rank knows that it may send them.
    pub fn expect(&self, layout: &JoinedLayout) -> Result<(), Error> {
        // Posted receives are too short. They end, because all ranks have voted on all votes of
        // this rank, and have reported, before they voted to set something up.
        while !self.state.borrow().receives.is_empty() {
            self.receive()?;
            yield_now();
        }
        let state = &mut *self.state.borrow_mut();
        state.expect(layout);
        state.reclaim(&self.communicator)?;
        state.provide(self.nodes.count(), self.far.len(), layout.longest_to(&self.far));
        Ok(())
    }

    pub fn piece_of(&self, bytes: usize) -> Result<Vec<u8>, Error> {
        let state = &mut *self.state.borrow_mut();
        if state.spare.is_empty() {
            state.reclaim(&self.communicator)?;
        }
        let mut piece = state.spare.pop().unwrap_or_default();
        piece.resize(bytes, 0);
        Ok(piece)
    }

    /// Notes this rank's vote and the messages that travel with its reports, takes whole pieces out
    /// of their list, and reuses the memory of others.
    pub fn open(
        &self,
        vote: u64,
        outgoing: Option<(Parcels, &mut Vec<WholePiece>)>,
        last: &mut Vec<Vec<Parcel>>,
    ) -> Result<(), Error> {
        let state = &mut *self.state.borrow_mut();
        state.take_rooms(last);
        make_room(last, self.nodes.count(), state.pieces);
        let open = state.vote(vote, self.nodes.count());
        open.is_posted = true;
        if let Some((parcels, pieces)) = outgoing {
            open.outgoing = Some(parcels);
            open.pieces.append(pieces);
            open.pieces.sort_unstable_by_key(|piece| piece.to);
        }
        state.missing += state.open[(vote - state.first) as usize].missing;
        state.post(&self.communicator)?;
        // For messages of later votes.
        while state.spare_rooms.len() + 1 < self.nodes.count() {
            state.spare_rooms.push(vec![0; HEAD_BYTES + state.longest]);
        }
        Ok(())
    }

    /// Reports a vote of all ranks of this node, once to each rank of another node. This node's ranks
    /// do so in shares if all stay, else this rank if it is `chosen`.
    pub fn tell(
        &self,
        vote: u64,
        tally: &Maxima,
        chosen: impl FnOnce() -> bool,
    ) -> Result<(), Error> {
        let state = &mut *self.state.borrow_mut();
        let open = state.vote(vote, self.nodes.count());
        let outgoing = open.outgoing.take();
        let to = match (tally.one_leaves(), chosen()) {
            (true, false) => return Ok(()),
            (true, true) => &self.far,
            (false, _) => &self.share,
        };
        let mut whole = mem::take(&mut open.pieces);
        let outgoing = outgoing.filter(|_| tally.is_for_it());
        state.reclaim(&self.communicator)?;
        for &rank in to {
            let pieces = outgoing.as_ref().map_or(1, |outgoing| outgoing.count(rank));
            for piece in 0..pieces {
                let head = Head { node: self.here, vote, piece, pieces, words: tally.words() };
                let packed = whole.binary_search_by_key(&rank, |piece| piece.to).ok();
                let bytes = match packed.filter(|_| outgoing.is_some()) {
                    Some(place) => {
                        let mut bytes = mem::take(&mut whole[place].bytes);
                        bytes[..HEAD_BYTES].copy_from_slice(&head.bytes());
                        bytes
                    }
                    // SAFETY: the caller has seen all ranks of this node vote on the vote that the
                    // parcels belong to, and this rank votes on no other before this returns.
                    None => unsafe { state.joined(&head, rank, outgoing.as_ref()) },
                };
                let (start, len) = (bytes.as_ptr(), bytes.len());
                // SAFETY: the bytes stay in place, wherever the vector is moved, and are neither
                // written to nor freed until the request is complete (`reclaim`, and `drop`, which
                // forgets them otherwise).
                let request = unsafe { self.communicator.begin_send(start, len, rank, TAG) }?;
                state.sent.push(Sent { bytes, request });
            }
        }
        // Keeps the memory, also of pieces that are not sent.
        let left = whole.drain(..).map(|piece| piece.bytes).filter(|bytes| !bytes.is_empty());
        state.spare.extend(left);
        state.vote(vote, self.nodes.count()).pieces = whole;
        Ok(())
    }

    pub fn receive(&self) -> Result<(), Error> {
        let state = &mut *self.state.borrow_mut();
        if state.receives.is_empty() {
            return Ok(());
        }
        self.communicator.some(false, &mut state.receives)?;
        if state.receives.found() == 0 {
            return Ok(());
        }
        let mut received = Ok(());
        for found in 0..state.receives.found() {
            let (place, len) = (state.receives.place(found), state.receives.bytes(found));
            let piece = mem::take(&mut state.rooms[place]);
            let len = len.ok().flatten().unwrap_or(0).min(piece.len());
            let noted = self.note(state, Parcel { piece, len });
            received = received.and(noted);
        }
        state.receives.retain_live();
        // Rooms taken above belong to complete receives.
        state.rooms.retain(|room| !room.is_empty());
        received.map_err(|error| error.told_by(self.communicator.rank()))?;
        state.post(&self.communicator)
    }

    fn note(&self, state: &mut OpenVotes, parcel: Parcel) -> Result<(), WireError> {
        let bounds = Bounds {
            nodes: self.nodes.count(),
            here: self.here,
            pieces: state.pieces,
            first: state.first,
            ahead: MAX_AHEAD,
        };
        let head = read(&parcel.piece[..parcel.len], &bounds)?;
        self.note_end(&head);
        state.note(&head, parcel, self.nodes.count())
    }

    fn note_end(&self, head: &Head) {
        if Maxima::told(head.words).all_have_ended() {
            self.ended.fetch_or(1 << head.node, Ordering::Relaxed);
        }
    }

    pub fn is_complete(&self, vote: u64) -> bool {
        let state = self.state.borrow();
        let place = vote.checked_sub(state.first).and_then(|at| usize::try_from(at).ok());
        place.and_then(|place| state.open.get(place)).is_some_and(|vote| vote.missing == 0)
    }

    /// Adds the other nodes' reports of a vote, and exchanges their messages for other memory.
    /// `false` if some are missing.
    pub fn take(&self, vote: u64, tally: &mut Maxima, parcels: &mut Vec<Vec<Parcel>>) -> bool {
        if !self.is_complete(vote) {
            return false;
        }
        let state = &mut *self.state.borrow_mut();
        let open = state.vote(vote, self.nodes.count());
        tally.include(&open.most);
        mem::swap(&mut open.parcels, parcels);
        open.is_taken = true;
        while state.open.front().is_some_and(|vote| vote.is_taken) {
            state.closed.extend(state.open.pop_front());
            state.first += 1;
        }
        true
    }

    /// Returns this rank's first untaken vote with incomplete reports, and their result.
    pub fn unfinished(&self) -> Option<(u64, Maxima)> {
        let state = self.state.borrow();
        let open = (state.first..).zip(&state.open);
        let mut left =
            open.filter(|(_, vote)| vote.is_posted && !vote.is_taken && vote.missing > 0);
        left.next().map(|(number, vote)| (number, vote.most))
    }

    /// Reports to ranks of other nodes that all of this node have ended, or their last votes. Any
    /// thread that may call the library may call it. The sent memory is leaked.
    pub fn tell_last(&self, vote: u64, tally: &Maxima) -> Vec<Request> {
        let head = Head { node: self.here, vote, piece: 0, pieces: 1, words: tally.words() };
        let bytes: &'static [u8; HEAD_BYTES] = Box::leak(Box::new(head.bytes()));
        let send = |rank: &usize| {
            // SAFETY: the bytes are never written to again, and never freed.
            unsafe { self.communicator.begin_send(bytes.as_ptr(), bytes.len(), *rank, TAG) }.ok()
        };
        self.far.iter().filter_map(send).collect()
    }

    /// Returns `true` if the ranks of all other nodes are known to have ended; receives their
    /// reports if no other receives are posted. Any thread that may call the library may call it.
    pub fn have_all_ended(&self) -> bool {
        let bounds = Bounds {
            nodes: self.nodes.count(),
            here: self.here,
            pieces: 1,
            first: 0,
            ahead: usize::MAX,
        };
        let mut bytes = [0; HEAD_BYTES];
        // A longer message is no last report, and stays.
        while let Ok(Some(found)) = self.communicator.next_message(TAG)
            && found.len == HEAD_BYTES
            && self.communicator.receive(found, &mut bytes).is_ok()
        {
            if let Ok(head) = read(&bytes, &bounds) {
                self.note_end(&head);
            }
        }
        self.ended.load(Ordering::Relaxed).count_ones() as usize + 1 >= self.nodes.count()
    }

    /// Leaks the communicator, because reports are left on it.
    pub fn keep(&self) {
        self.communicator.keep();
    }
}

impl Drop for Reports {
    /// Leaks memory that the library may still read or write.
    fn drop(&mut self) {
        let state = self.state.get_mut();
        for mut sent in mem::take(&mut state.sent) {
            let is_done = !is_over() && sent.request.test() == Ok(true);
            if !is_done {
                mem::forget(sent.bytes);
            }
        }
        if !state.receives.is_empty() {
            self.communicator.keep();
            mem::forget(mem::take(&mut state.rooms));
        }
    }
}

const USUAL_VOTES: usize = 4;

const USUAL_PIECES: usize = 32;

/// Votes with incomplete reports, or untaken by this rank; and the memory of their messages.
#[derive(Debug)]
struct OpenVotes {
    first: u64,
    open: VecDeque<OpenVote>,
    closed: Vec<OpenVote>,
    sent: Vec<Sent>,
    spare: Vec<Vec<u8>>,
    receives: Requests,
    rooms: Vec<Vec<u8>>,
    spare_rooms: Vec<Vec<u8>>,
    missing: usize,
    /// Most pieces of a report to this rank, and most bytes that travel with one.
    pieces: usize,
    longest: usize,
}

#[derive(Debug)]
struct Sent {
    bytes: Vec<u8>,
    request: Request,
}

#[derive(Debug, Default)]
struct OpenVote {
    most: Maxima,
    is_posted: bool,
    /// Known missing pieces: one of each node that has not reported.
    missing: usize,
    /// Each node's pieces: all places, once one has come.
    parcels: Vec<Vec<Parcel>>,
    /// Messages that travel with this node's reports, and whole pieces of them, by receiver.
    outgoing: Option<Parcels>,
    pieces: Vec<WholePiece>,
    is_taken: bool,
}

impl OpenVotes {
    fn new(communicator: &OwnCommunicator) -> Self {
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

    fn expect(&mut self, layout: &JoinedLayout) {
        let pieces = layout.parcels.iter().map(Vec::len).max().unwrap_or(0);
        let longest = layout.parcels.iter().flatten().max().copied().unwrap_or(0);
        self.pieces = pieces.max(self.pieces);
        self.longest = longest.max(self.longest);
    }

    /// Allocates the usual memory before a move needs it: reports to `far` ranks of all `nodes`,
    /// with `longest` bytes in a piece.
    fn provide(&mut self, nodes: usize, far: usize, longest: usize) {
        self.open.reserve(USUAL_VOTES);
        self.closed.resize_with(USUAL_VOTES.max(self.closed.len()), OpenVote::default);
        for vote in &mut self.closed {
            make_room(&mut vote.parcels, nodes, self.pieces);
            vote.pieces.reserve(far);
        }
        // Pieces of one vote may still be on their way when the next are sent.
        let usual = (2 * far * self.pieces).min(USUAL_PIECES);
        self.spare.resize_with(usual.max(self.spare.len()), Vec::new);
        self.spare.iter_mut().for_each(|bytes| bytes.reserve(HEAD_BYTES + longest));
        self.sent.reserve(usual);
    }

    fn vote(&mut self, number: u64, nodes: usize) -> &mut OpenVote {
        let place = number.checked_sub(self.first).expect("a vote is asked for once") as usize;
        while self.open.len() <= place {
            let mut vote = self.closed.pop().unwrap_or_default();
            self.take_rooms(&mut vote.parcels);
            vote.begin(nodes, self.pieces);
            self.open.push_back(vote);
        }
        &mut self.open[place]
    }

    fn take_rooms(&mut self, parcels: &mut [Vec<Parcel>]) {
        let rooms = parcels.iter_mut().flat_map(|parcels| parcels.drain(..));
        self.spare_rooms.extend(rooms.map(|parcel| parcel.piece).filter(|room| !room.is_empty()));
    }

    fn post(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
        while self.receives.len() < self.missing {
            let mut room = self.spare_rooms.pop().unwrap_or_default();
            room.resize(HEAD_BYTES + self.longest, 0);
            let (start, len) = (room.as_mut_ptr(), room.len());
            // SAFETY: the bytes stay in place, wherever the vector is moved, and are not touched
            // until the request is complete (`receive`, and `drop`, which forgets them otherwise).
            let request = unsafe { communicator.begin_receive_any(start, len, TAG) }?;
            self.receives.push(request);
            self.rooms.push(room);
        }
        Ok(())
    }

    /// Returns a piece of a report to a rank, with its messages.
    ///
    /// # Safety
    /// As for [`Parcels::copy_to`]. This rank has seen the votes of this node on the move, and
    /// votes on no other before this returns.
    unsafe fn joined(&mut self, head: &Head, to: usize, parcels: Option<&Parcels>) -> Vec<u8> {
        let mut bytes = self.spare.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(&head.bytes());
        if let Some(parcels) = parcels {
            // SAFETY: the caller has seen all ranks of this node vote on the move, and does not
            // vote on another before this returns.
            unsafe { parcels.copy_to(to, head.piece, &mut bytes) };
        }
        bytes
    }

    fn note(&mut self, head: &Head, parcel: Parcel, nodes: usize) -> Result<(), WireError> {
        let vote = self.vote(head.vote, nodes);
        let before = vote.missing;
        let noted = vote.note(head, parcel);
        let (is_posted, now) = (vote.is_posted, vote.missing);
        if is_posted {
            self.missing = self.missing + now - before;
        }
        noted
    }

    fn reclaim(&mut self, communicator: &OwnCommunicator) -> Result<(), Error> {
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

fn make_room(parcels: &mut Vec<Vec<Parcel>>, nodes: usize, pieces: usize) {
    parcels.resize_with(nodes, Vec::new);
    parcels.iter_mut().for_each(|parcels| parcels.reserve(pieces));
}
