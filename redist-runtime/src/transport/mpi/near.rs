//! A rank's moves with the ranks of its node. A sender shares its part of an array, or copies it to
//! slots. It sends a message instead if it, or the receiver, called `start`, or if it also sends to
//! other nodes. Unsafe, because it reads other ranks' memory.

use super::communicator::OwnCommunicator;
use super::context::ContextUse;
use super::life::is_over;
use super::node::{NodeArrays, NodeBoard};
use super::node_slots::RingLength;
use super::packed::{SlotMessages, SlotRooms};
use super::reason::Fault;
use super::shared::SharedBytes;
use crate::cache::Stores;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::Side;
use crate::program::RankChunks;
use crate::transport::board::{Board, Progress};
use crate::transport::slots::{SLOTS, Slots, Span, StoreTimes};
use crate::transport::{Arrays, Chunk, NO_CHUNK, Partners, Source, Target, Way};
use std::hint::spin_loop;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use std::{mem, thread};

/// Offers of its core after which a rank with a long ring waits as others do.
const OFFERS: usize = 200;

/// A wait for a turn that is longer, for each rank of a core, is one for other processes: turns of
/// ranks end with a wait, after some 100 µs.
const LONG_TURN: Duration = Duration::from_micros(750);

/// Moves with a long ring after a long turn. A long ring leaves few waits in which turns are measured.
const MOVES_AHEAD: u32 = 4;

/// One rank's end of the node's moves of a plan.
#[derive(Debug)]
pub struct NodeEnd {
    pub(super) progress: Progress<NodeBoard>,
    /// Partners on other nodes. If this rank sends to some, it packs all its messages.
    pub far: Partners,
    pub context: ContextUse,
    pub element: ElementType,
    pub way: (Way, &'static str),
    /// The longest ring of slots that a move of this plan may take.
    pub(super) ring: RingLength,
    pub(super) packed: Option<SlotMessages>,
    pub(super) slots: InSlots,
}

/// The state of one rank's slots in a move.
#[derive(Debug, Default)]
pub(super) struct InSlots {
    /// This rank shares its source array in this move, and so sends nothing by slots.
    pub shares: bool,
    /// This rank's slots are counted for this move.
    pub sends: bool,
    /// This rank has not yet told the senders that it is through with their slots.
    pub is_open: bool,
    /// Progress of a move: chunks of the array with the largest part.
    pub chunks: usize,
    /// Number of the first of this rank's chunks in the move.
    first: u64,
    /// Progress that this rank has copied.
    round: usize,
    /// Chunks that this rank has stored.
    pub staged: usize,
    /// Messages are packed: perhaps before the move begins.
    pub is_packed: bool,
    times: StoreTimes,
    /// The ring of this rank's chunks in the move.
    ring: RingLength,
    /// Moves to come in which this rank goes ahead: [`MOVES_AHEAD`] once a turn of others was long.
    moves_ahead: u32,
    /// This rank stages all chunks that its ring has room for. Turns are long in this move, or were so
    /// in one of the last, so that the ring is the long one if there is one.
    goes_ahead: bool,
    /// Read only by the caller that got them last; kept for its memory otherwise.
    list: Vec<Chunk<'static>>,
}

impl NodeEnd {
    /// Publishes how this rank sends in a move that it runs.
    pub fn share(&mut self, arrays: &mut Arrays<'_>, is_ready: bool) {
        if matches!(arrays.target, Target::Kept) {
            self.progress.mark(|rank| &rank.keeps);
        }
        let ids =
            shared(arrays).map(|array| array.map_or(0, |array| array.number_in(&self.context)));
        let is_packed = mem::take(&mut self.slots.is_packed);
        self.slots.shares = ids[0] != 0 && is_ready;
        if is_ready && self.uses_slots() {
            (self.slots.is_open, self.slots.round, self.slots.staged) = (true, 0, 0);
            self.slots.goes_ahead = self.slots.moves_ahead > 0;
            self.slots.moves_ahead = self.slots.moves_ahead.saturating_sub(1);
            if !self.slots.shares {
                self.open_slots(is_packed);
            }
        }
        let own = &self.progress.own().arrays;
        own.source.store(ids[0], Ordering::Relaxed);
        own.destination.store(ids[1], Ordering::Relaxed);
        let is_long = u64::from(self.slots.ring == RingLength::Long);
        own.first.store(self.slots.first << 1 | is_long, Ordering::Relaxed);
        if self.slots.sends && self.slots.is_packed {
            self.progress.count(|rank| &rank.packed);
        }
        self.progress.arrive();
    }

    /// Returns the reason that a rank takes no part in the move, if it is known. This rank `sends` it
    /// a message.
    pub(super) fn absence(&self, rank: usize, sends: bool) -> Result<Option<Fault>, Error> {
        let board = &self.progress.board;
        match board.pages.far().filter(|_| !board.is_here(rank)) {
            Some(far) => {
                let call = self.progress.current_call().number();
                far.absence(rank, (board.plan, call), sends)
            }
            None if !self.progress.stays_away(rank) => Ok(None),
            None if board.has_ended(rank) => Ok(Some(Fault::Ended)),
            None => Ok(Some(Fault::OtherCall)),
        }
    }

    pub fn uses_slots(&self) -> bool {
        let has_slots = self.context.slots(RingLength::Short).is_some();
        matches!(self.way.0, Way::Chunks | Way::Slots) && has_slots
    }

    /// Begins this rank's move of slots, and publishes messages that are packed already.
    fn open_slots(&mut self, is_packed: bool) {
        let own_ring = match self.slots.goes_ahead && self.packed.is_none() {
            true => self.ring,
            false => RingLength::Short,
        };
        let Some(slots) = self.context.slots(own_ring) else { return };
        let board = &self.progress.board;
        let receivers = self.progress.partners.receivers.iter().map(|rank| board.place(*rank));
        let call = self.progress.current_call();
        let own = &mut self.slots;
        (own.sends, own.ring) = (true, own_ring);
        match &self.packed {
            Some(packed) => {
                let span = slots.next_span(packed.count);
                (own.first, own.is_packed) = (span.first, is_packed);
                slots.begin(span.first..span.end(), call, receivers);
                if is_packed {
                    slots.publish(span);
                }
            }
            None => {
                own.first = slots.next();
                slots.decide(own.times.begin(), own.chunks);
                slots.begin(own.first..own.first + own.chunks as u64, call, receivers);
            }
        }
    }

    pub(super) fn arrays_of(&self, rank: usize) -> &NodeArrays {
        &self.progress.marks(rank).arrays
    }

    pub fn sender_shares(&self, rank: usize) -> bool {
        !self.progress.sends_message(rank)
            && self.arrays_of(rank).source.load(Ordering::Relaxed) != 0
    }

    /// Waits until all ranks are counted; `true` if all share both arrays.
    pub fn all_share_both(&self) -> bool {
        let shares = |rank: usize| {
            let NodeArrays { source, destination, .. } = self.arrays_of(rank);
            [source, destination].iter().all(|array| array.load(Ordering::Relaxed) != 0)
        };
        let Progress { partners, rank, .. } = &self.progress;
        self.progress.all_share() && partners.met.iter().chain([rank]).all(|rank| shares(*rank))
    }

    pub fn sender_stages(&self, rank: usize) -> bool {
        self.uses_slots() && !self.progress.sends_message(rank) && !self.sender_shares(rank)
    }

    /// Tells the senders that this rank is through with their slots.
    pub fn leave_slots(&mut self) {
        if !mem::take(&mut self.slots.is_open) {
            return;
        }
        let count = self.packed.as_ref().map_or(self.slots.chunks as u64, |packed| packed.count);
        for sender in self.progress.partners.senders.iter().copied() {
            if self.progress.is_in(sender) {
                self.acknowledge(sender, count);
            }
        }
    }

    /// Tells a sender that this rank is through with so many chunks of the move, if they are in slots.
    fn acknowledge(&self, sender: usize, chunks: u64) {
        if self.sender_stages(sender)
            && let Some(slots) = self.slots_of(sender)
        {
            slots.acknowledge(self.place(sender), self.first(sender) + chunks);
        }
    }

    /// Names a receiver that needs the old content of a slot.
    fn reader(&self, slots: &Slots, chunk: u64) -> Option<usize> {
        let rank = |place: usize| self.members()[place];
        let needs_nothing = |place, call| self.progress.needs_nothing(rank(place), call);
        slots.reader(chunk, needs_nothing).map(rank)
    }

    /// Waits no longer for receivers that want messages, in slots that this rank fills.
    pub fn keep_readers(&self) {
        if let Some(slots) = self.context.slots(self.slots.ring).filter(|_| !self.slots.shares) {
            slots.keep(|place| !self.progress.waits_for_message(self.members()[place]));
        }
    }

    fn members(&self) -> &[usize] {
        self.progress.board.members()
    }

    fn place(&self, rank: usize) -> usize {
        self.progress.board.place(rank)
    }

    /// Returns a message of a sender, or of this rank, if it is packed in slots.
    ///
    /// # Safety
    /// The sender's messages are packed (`packed`). The slice is dropped before this rank leaves the
    /// move.
    pub unsafe fn in_slots(&self, number: usize) -> Option<&[u8]> {
        let (packed, slots) = (self.packed.as_ref()?, self.context.slots(RingLength::Short)?);
        let (sender, bytes) = &packed.incoming[number];
        let stages = match *sender == self.progress.rank {
            true => !self.slots.shares,
            false => self.progress.board.is_here(*sender) && self.sender_stages(*sender),
        };
        if !stages {
            return None;
        }
        let span = Span { first: self.first(*sender), count: packed.count };
        // SAFETY: the sender has published the slots of this move (`packed`), and the slice is
        // dropped before this rank acknowledges them, as the caller promises.
        Some(unsafe { slots.message(self.place(*sender), span, bytes.clone()) })
    }

    fn first(&self, rank: usize) -> u64 {
        self.arrays_of(rank).first.load(Ordering::Relaxed) >> 1
    }

    /// Returns the slots of a sender of this move, in the ring that it has chosen for it.
    fn slots_of(&self, sender: usize) -> Option<&Slots> {
        let is_long = self.arrays_of(sender).first.load(Ordering::Relaxed) & 1 == 1;
        self.context.slots(if is_long { RingLength::Long } else { RingLength::Short })
    }

    fn acknowledge_round(&self) {
        if self.slots.round > 0 {
            let senders = self.progress.partners.senders.iter();
            senders.for_each(|sender| self.acknowledge(*sender, self.slots.round as u64));
        }
    }

    /// Stages chunks that need no wait, at most up to a number.
    fn stage_up_to(&mut self, most: usize, source: &[u8], own: &RankChunks) {
        let Some(slots) = self.context.slots(self.slots.ring).filter(|_| self.slots.sends) else {
            return;
        };
        if self.progress.partners.receivers.is_empty() {
            self.slots.staged = own.rounds();
        }
        let (width, stores) = (self.element.bytes(), slots.stores(own.rounds()).chunks);
        self.slots.times.begin_work();
        while self.slots.staged < most.min(own.rounds()) {
            let chunk = self.slots.first + self.slots.staged as u64;
            if self.reader(slots, chunk).is_some() {
                break;
            }
            let shown = own.shown(self.slots.staged);
            slots.stage(chunk, (width, stores), source, &shown, |mut part| {
                own.for_each_read(&shown, &mut part);
            });
            self.slots.staged += 1;
        }
        self.slots.times.end_work();
    }

    fn wait_for_slot(&self) {
        let Some(slots) = self.context.slots(self.slots.ring) else { return };
        let chunk = self.slots.first + self.slots.staged as u64;
        // A receiver that has ended, or has left, needs nothing: it is not named.
        let _ = self.progress.wait_until(|| self.reader(slots, chunk));
    }

    /// Stages the chunk of this round, for which it waits, and as many ahead as there is room for.
    fn stage_for_round(&mut self, source: &[u8], own: &RankChunks) {
        let round = self.slots.round;
        self.stage_up_to(round + SLOTS, source, own);
        while self.slots.sends && self.slots.staged <= round {
            self.wait_for_slot();
            self.stage_up_to(round + SLOTS, source, own);
        }
    }

    /// Waits for the round's chunks, if this rank has a long ring. Once a turn of others was long, it
    /// stages all that its ring has room for in place of a wait, although these chunks leave the cache.
    fn go_ahead(&mut self, source: &[u8], own: &RankChunks) {
        if self.ring == RingLength::Short {
            return;
        }
        let long = LONG_TURN * self.progress.board.pages.ranks_of_a_core() as u32;
        let mut offers = 0;
        while offers < OFFERS && self.misses_round() {
            if self.slots.goes_ahead {
                let staged = self.slots.staged;
                self.stage_up_to(staged + 1, source, own);
                if self.slots.staged > staged {
                    continue;
                }
            }
            if self.comes_soon(offers) {
                return;
            }
            let began = Instant::now();
            thread::yield_now();
            if began.elapsed() > long {
                (self.slots.goes_ahead, self.slots.moves_ahead) = (true, MOVES_AHEAD);
            }
            offers += 1;
        }
    }

    /// Looks for the round's chunks, as long as it should before this rank offers its core again.
    fn comes_soon(&self, offers: usize) -> bool {
        let missing = self.progress.partners.senders.iter().find(|sender| self.misses(**sender));
        let looks = missing.map_or(0, |sender| self.progress.board.looks(*sender, offers));
        (0..looks).any(|_| {
            spin_loop();
            !self.misses_round()
        })
    }

    /// Returns `true` if some sender has not published its chunk of this round.
    fn misses_round(&self) -> bool {
        self.progress.partners.senders.iter().any(|sender| self.misses(*sender))
    }

    fn misses(&self, sender: usize) -> bool {
        let chunk = self.first(sender) + self.slots.round as u64;
        let has = |slots: &Slots| slots.has(self.place(sender), chunk);
        self.sender_stages(sender) && !self.slots_of(sender).is_none_or(has)
    }

    fn wait_for_round(&self) -> Result<(), Error> {
        self.progress.wait_for_parts(|sender| self.misses(sender))
    }

    fn chunks_of_round(&mut self, own: &RankChunks) -> &[Chunk<'_>] {
        let round = self.slots.round - 1;
        let mut list = mem::take(&mut self.slots.list);
        list.clear();
        let mut senders = self.progress.partners.senders.iter().copied().peekable();
        for rank in 0..self.context.communicator().size() {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let chunk = match is_sender.then(|| self.slots_of(rank)).flatten() {
                _ if rank == self.progress.rank => (own.number(round), &[][..]),
                // SAFETY: the sender has published it, as has been waited for. The slice is dropped
                // before the next round, which acknowledges it: the result borrows the channel.
                Some(slots) if self.sender_stages(rank) => unsafe {
                    slots.shown(self.place(rank), self.first(rank) + round as u64)
                },
                _ => (NO_CHUNK, &[][..]),
            };
            list.push(Chunk { number: chunk.0, bytes: chunk.1 });
        }
        self.slots.list = list;
        &self.slots.list
    }
}

/// Moves by slots. Chunks are [noted](Self::note_chunks) once. A move of chunks calls
/// [`next_chunks`](Self::next_chunks) until it returns none. A move of messages packs them to the
/// [rooms](Self::rooms), waits for [the senders' messages](Self::packed), and
/// [reads](Self::add_messages) them.
impl NodeEnd {
    /// Returns the bytes of this rank's rings.
    pub(super) fn slot_bytes(&self) -> usize {
        let bytes = |ring| self.context.slots(ring).map_or(0, Slots::bytes);
        let long = if self.ring == RingLength::Long { bytes(RingLength::Long) } else { 0 };
        bytes(RingLength::Short) + long
    }

    pub fn max_chunk(&self) -> usize {
        self.context
            .slots(RingLength::Short)
            .map_or(0, |slots| slots.elements(self.element.bytes()))
    }

    pub fn note_chunks(&mut self, own: &RankChunks) {
        self.slots.chunks = own.rounds();
        let bytes = self.max_chunk() * self.element.bytes();
        self.slots.times = StoreTimes::of(own.rounds(), bytes);
    }

    /// Returns memory to pack the next move's messages, if it is free. A ready rank calls it right
    /// before it [meets](crate::transport::Channel::meet) all ranks.
    pub fn rooms_before(&mut self, source: &Source<'_>) -> Option<SlotRooms<'_>> {
        let (packed, slots) = (self.packed.as_ref()?, self.context.slots(RingLength::Short)?);
        let span = slots.next_span(packed.count);
        let is_own = matches!(source, Source::Own(_));
        self.slots.is_packed = is_own
            && self.far.receivers.is_empty()
            && !is_over()
            && !self.progress.under_way
            && self.reader(slots, span.end() - 1).is_none();
        // SAFETY: no receiver is still reading the slots, as asked just now. The move that begins
        // next publishes them, and no other channel of this thread moves before.
        self.slots.is_packed.then(|| unsafe { SlotRooms::new(slots, span, packed) })
    }

    /// Returns `true` if this rank, or one of its senders, uses slots in this move.
    pub fn are_used(&self) -> bool {
        let senders = &self.progress.partners.senders;
        self.slots.sends || senders.iter().any(|rank| self.sender_stages(*rank))
    }

    /// Publishes as many of this rank's chunks as there is room for.
    pub fn stage(&mut self, source: &[u8], own: &RankChunks) {
        self.stage_up_to(SLOTS, source, own);
    }

    /// Publishes this rank's next chunks, and returns one of each sender, by rank; `None` at the end.
    /// Once the move has failed for this rank, it publishes all that its receivers wait for.
    pub fn next_chunks(
        &mut self,
        source: &[u8],
        own: &RankChunks,
        outcome: &mut Result<(), Error>,
    ) -> Option<&[Chunk<'_>]> {
        // A rank that has no elements on either side copies none.
        let copies = !source.is_empty() || !self.progress.partners.senders.is_empty();
        let chunks = if copies { own.rounds() } else { 0 };
        self.slots.times.end_work();
        if outcome.is_ok() && self.slots.round < chunks {
            self.acknowledge_round();
            self.stage_for_round(source, own);
            self.go_ahead(source, own);
            *outcome = self.wait_for_round();
        }
        if outcome.is_ok() && self.slots.round < chunks {
            self.slots.round += 1;
            self.note_round();
            return Some(self.chunks_of_round(own));
        }
        self.leave_slots();
        while self.slots.sends && self.slots.staged < own.rounds() {
            self.wait_for_slot();
            self.stage_up_to(usize::MAX, source, own);
        }
        if self.slots.sends {
            self.slots.times.end();
        }
        None
    }

    /// Notes that a round has come, and decides how further ones are stored.
    fn note_round(&mut self) {
        let way = if self.slots.sends { self.slots.times.note_round() } else { None };
        self.slots.times.begin_work();
        if let (Some(way), Some(slots)) = (way, self.context.slots(self.slots.ring)) {
            slots.decide(way, self.slots.chunks);
        }
    }

    /// Returns how long runs of this move's chunks are stored in a large destination.
    pub fn stores(&self) -> Stores {
        let slots = self.context.slots(self.slots.ring).filter(|_| self.slots.sends);
        slots.map_or(Stores::Streamed, |slots| slots.stores(self.slots.chunks).destination)
    }

    /// Returns memory to pack into, if this rank sends by slots, and has not packed before.
    pub fn rooms(&mut self) -> Option<SlotRooms<'_>> {
        let (packed, slots) = (self.packed.as_ref()?, self.context.slots(RingLength::Short)?);
        if self.slots.is_packed || !self.slots.sends {
            return None;
        }
        let span = Span { first: self.slots.first, count: packed.count };
        let _ = self.progress.wait_until(|| self.reader(slots, span.end() - 1));
        // SAFETY: no receiver is still reading the slots, as waited for just now. The next call
        // publishes them.
        Some(unsafe { SlotRooms::new(slots, span, packed) })
    }

    /// Publishes packed messages, and waits for the senders' messages, unless the move has failed.
    pub fn packed(&mut self, outcome: &mut Result<(), Error>) {
        let (Some(packed), Some(slots)) = (&self.packed, self.context.slots(RingLength::Short))
        else {
            return;
        };
        if self.slots.sends && !mem::replace(&mut self.slots.is_packed, true) {
            slots.publish(Span { first: self.slots.first, count: packed.count });
            self.progress.count(|rank| &rank.packed);
        }
        if outcome.is_ok() {
            *outcome = self.progress.wait_for_parts(|rank| {
                self.sender_stages(rank) && self.progress.is_behind_in_packing(rank)
            });
        }
    }

    /// Returns `true` if all incoming messages are in slots.
    pub fn have_all(&self) -> bool {
        let senders = &self.progress.partners.senders;
        !self.slots.shares
            && self.far.senders.is_empty()
            && senders.iter().all(|rank| self.sender_stages(*rank))
    }

    pub fn add_messages<'m>(&'m self, messages: &mut Vec<&'m [u8]>) {
        let count = self.packed.as_ref().map_or(0, |packed| packed.incoming.len());
        // SAFETY: the caller has waited for the senders' messages (`packed`), and drops the slices
        // before it leaves the move, which borrows the channel mutably.
        let message = |number| unsafe { self.in_slots(number) };
        messages.extend((0..count).filter_map(message));
    }
}

/// Returns the shared arrays that a rank brings to a move, by side.
pub(super) fn shared<'a>(arrays: &'a Arrays<'_>) -> [Option<&'a SharedBytes>; 2] {
    let source = match &arrays.source {
        Source::Shared(array) => Some(*array),
        Source::Own(_) => None,
    };
    let target = match &arrays.target {
        Target::Shared(array) => Some(&**array),
        Target::Own(_) | Target::Kept => None,
    };
    [source, target]
}

/// Checks that this rank's shared arrays are of the ranks of a plan.
pub(super) fn recognised(arrays: &Arrays<'_>, communicator: &OwnCommunicator) -> Result<(), Error> {
    for (side, array) in [Side::Source, Side::Destination].into_iter().zip(shared(arrays)) {
        let Some(array) = array else { continue };
        if !array.belongs_to(communicator)? {
            return Err(Error::ForeignArray { rank: communicator.rank(), side });
        }
    }
    Ok(())
}
