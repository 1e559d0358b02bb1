//! Progress of a channel's ranks, counted by their calls, and waiting for partners.

use super::calls::CollectiveCall;
use super::{Board, MoveMarks};
use crate::error::Error;
use crate::transport::sync::atomic::{AtomicU64, Ordering};
use crate::transport::sync::{IS_MODELLED, yield_now};
use crate::transport::{GoesOn, Leave, Partners};
use std::cell::Cell;
use std::hint::spin_loop;
use std::mem;

/// Times that a waiting rank offers its core before it sleeps.
const YIELDS: usize = if IS_MODELLED { 1 } else { 200 };

/// All ranks of a channel, seen from one of them.
#[derive(Debug)]
pub struct Progress<B> {
    /// This rank's number.
    pub rank: usize,
    pub partners: Partners,
    pub board: B,
    /// All other ranks.
    all: Vec<usize>,
    /// This rank's last move in each buffer of progress.
    moves: [Move; 2],
    /// Index of the buffer of the current move.
    pub buffer: usize,
    /// This rank takes no further part in the call, and is counted for all of its moves.
    refuses: Cell<bool>,
    pub ready: Result<(), Error>,
    /// A move goes on that no guard ends.
    pub under_way: bool,
    /// This rank has only begun its move.
    pub begun: Option<GoesOn>,
    /// How far this rank is in a call of several moves.
    stage: Cell<Stage>,
}

/// A rank's stage in its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The call has one move, or there is none.
    Single,
    /// The call has several moves, none of which has begun. All ranks agree on the first one if the
    /// call `asks_all`.
    Before { asks_all: bool },
    /// Some of several moves have begun.
    Among { asks_all: bool },
    /// All ranks know that the call has failed in its first move, and begin no further one.
    KnownToFail,
}

/// A move of this rank.
#[derive(Clone, Copy, Debug, Default)]
struct Move {
    call: CollectiveCall,
    /// The number of its call, and its number in a call of several moves, or [`LAST`].
    number: u64,
}

/// Bits of a move's number in its call, and the number behind all.
const MOVE_BITS: u32 = 24;
/// Number of a call's last move; marks of it count for all moves of the call.
const LAST: u64 = (1 << MOVE_BITS) - 1;

/// Returns the call of a move with a [number](Progress::number), and its place among the call's moves.
#[cfg(feature = "mpi")]
pub fn call_of(number: u64) -> (u64, u64) {
    (number >> MOVE_BITS, number & LAST)
}

/// Returns `true` if a move with a number is the first of its call, or the only one.
#[cfg(feature = "mpi")]
pub fn is_first(number: u64) -> bool {
    matches!(number & LAST, 0 | LAST)
}

/// Returns a number that successive moves of a plan count up.
fn count(number: u64) -> u64 {
    (number >> MOVE_BITS) + (number & LAST)
}

impl<B: Board> Progress<B> {
    pub fn new(rank: usize, board: B, partners: Partners) -> Self {
        let all =
            (0..board.ranks()).filter(|other| *other != rank && board.is_here(*other)).collect();
        Self {
            rank,
            partners,
            board,
            all,
            moves: Default::default(),
            buffer: 0,
            refuses: Cell::new(false),
            ready: Ok(()),
            under_way: false,
            begun: None,
            stage: Cell::new(Stage::Single),
        }
    }

    pub fn own(&self) -> &MoveMarks<B::Arrays> {
        self.marks(self.rank)
    }

    /// Returns a rank's progress, in the buffer of this rank's move.
    pub fn marks(&self, rank: usize) -> &MoveMarks<B::Arrays> {
        self.board.marks(rank, self.buffer)
    }

    pub fn current_call(&self) -> CollectiveCall {
        self.moves[self.buffer].call
    }

    fn now(&self) -> u64 {
        self.moves[self.buffer].number
    }

    /// Begins a call of one move, or of `several`, which [`end_call`](Self::end_call) ends. In the
    /// first of several, all ranks learn of one that is not ready, if the call `asks_all`.
    pub fn begin_call(&mut self, several: bool, asks_all: bool) {
        self.stage.set(if several { Stage::Before { asks_all } } else { Stage::Single });
    }

    /// Returns `true` in a call of several moves, of which this rank has begun one.
    pub fn is_among_several(&self) -> bool {
        matches!(self.stage.get(), Stage::Among { .. } | Stage::KnownToFail)
    }

    /// Publishes the call of a move, unless it is a further one of the same call. Fails if this rank
    /// has ended. The move before goes on until [`begin`](Self::begin).
    pub fn call(&self) -> Result<Option<CollectiveCall>, Error> {
        if self.is_among_several() { Ok(None) } else { self.board.begin().map(Some) }
    }

    /// Begins a move: the first of a new `call`, or the next of the last one. Waits until no rank
    /// that joins it reads this rank's marks in the same buffer. Partners see it when this rank is
    /// counted.
    ///
    /// After a refusal it waits for all ranks, because some may look whether all were ready.
    pub fn begin(&mut self, call: Option<CollectiveCall>, ready: Result<(), Error>) {
        let last = self.moves[self.buffer];
        assert!(call.is_some() || last.number & LAST < LAST, "a move in too many rounds");
        let next = match call {
            Some(call) => {
                let first = if self.stage.get() == Stage::Single { LAST } else { 0 };
                Move { call, number: call.number() << MOVE_BITS | first }
            }
            None => Move { number: last.number + 1, ..last },
        };
        if self.refuses.get() {
            self.wait_to_leave(&self.all, last.number | LAST, next.call);
        }
        let before = mem::replace(&mut self.buffer, count(next.number) as usize % B::BUFFERS);
        let Partners { met, receivers, divide, .. } = &self.partners;
        let readers = if *divide { met } else { receivers };
        // A rank that has come to the last move has left the one before. This rank has asked then.
        let has_come = |rank: &usize| {
            let arrived = &self.board.marks(*rank, before).arrived;
            before != self.buffer && arrived.load(Ordering::Acquire) >= last.number
        };
        if !readers.iter().all(has_come) {
            self.wait_to_leave(readers, self.now(), next.call);
        }
        self.moves[self.buffer] = next;
        if call.is_some() {
            self.refuses.set(false);
        }
        if let Err(error) = &ready {
            self.mark(|rank| &rank.declines);
            self.refuse(error);
        }
        if let Stage::Before { asks_all } = self.stage.get() {
            self.stage.set(Stage::Among { asks_all });
        }
        (self.ready, self.under_way, self.begun) = (ready, true, None);
    }

    /// Waits until this rank and its senders are ready, and all ranks if the move goes on with all,
    /// or is the first of several.
    ///
    /// # Errors
    /// A rank is not ready, has ended, or makes a different call.
    pub fn agree(
        &self,
        counter: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64,
    ) -> Result<(), Error> {
        self.ready.clone()?;
        if self.stage.get() == (Stage::Among { asks_all: true }) && self.now() & LAST == 0 {
            self.none_declines().inspect_err(|_| self.stage.set(Stage::KnownToFail))?;
        }
        self.senders_are_ready(counter)?;
        if self.begun == Some(GoesOn::WithAll) { self.all_are_ready() } else { Ok(()) }
    }

    /// Waits until ranks have left the move `number` of this buffer, or made a call past the next.
    fn wait_to_leave(&self, ranks: &[usize], number: u64, next: CollectiveCall) {
        let is_gone = |rank: usize| self.has_gone(rank, number) || self.is_past(rank, next);
        self.wait_for_each(ranks, |rank| self.has_counted(rank, number), is_gone);
    }

    /// Returns `true` if a partner has stopped using this rank's arrays and marks of the move.
    fn has_left(&self, rank: usize) -> bool {
        self.has_counted(rank, self.now()) || self.has_gone(rank, self.now())
    }

    fn has_counted(&self, rank: usize, number: u64) -> bool {
        self.marks(rank).unpacked.load(Ordering::Acquire) >= number
    }

    /// Returns `true` if a rank has ended, has made a different call than the move `number`, or is
    /// through with that. The rank's next call waits for the cache line that is read here.
    fn has_gone(&self, rank: usize, number: u64) -> bool {
        // Read before the marks: the marks of the rank's earlier calls are visible then.
        let is_past = self.is_past(rank, self.current_call());
        self.has_counted(rank, number)
            || is_past && self.marks(rank).call.get() != self.current_call()
            || self.board.has_ended(rank)
    }

    pub fn agree_on_call(&self, ranks: &[usize]) -> Result<(), Error> {
        match ranks.iter().all(|rank| self.marks(*rank).call.get() == self.current_call()) {
            true => Ok(()),
            false => Err(Error::DifferentMoves { rank: self.rank }),
        }
    }

    /// Waits until all senders have counted up to this move.
    ///
    /// # Errors
    /// A sender is not ready, has ended, or makes a different call.
    pub fn senders_are_ready(
        &self,
        counter: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64,
    ) -> Result<(), Error> {
        let senders = &self.partners.senders;
        self.wait_for(senders, counter)?;
        self.agree_on_call(senders)?;
        self.refusal(senders)
    }

    /// Returns the first of these ranks that has not counted up to this move.
    pub fn behind(
        &self,
        ranks: &[usize],
        counter: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64,
    ) -> Option<usize> {
        let is_behind =
            |rank: &usize| counter(self.marks(*rank)).load(Ordering::Acquire) < self.now();
        ranks.iter().copied().find(is_behind)
    }

    /// Waits until ranks count up to this move; fails if one has ended, or makes a different call.
    pub fn wait_for(
        &self,
        ranks: &[usize],
        counter: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64,
    ) -> Result<(), Error> {
        self.wait_while(Some(self.current_call()), |_| self.behind(ranks, &counter))
    }

    /// Waits until `named` names no rank; asks `closely` now and then. Fails if a named rank has
    /// ended, or makes a different `call`.
    fn wait_while(
        &self,
        call: Option<CollectiveCall>,
        mut named: impl FnMut(bool) -> Option<usize>,
    ) -> Result<(), Error> {
        // Other ranks are seldom far behind, and going to sleep takes longer than most moves.
        for offers in 0..YIELDS {
            if !IS_MODELLED {
                let Some(rank) = named(false) else { return Ok(()) };
                for _ in 0..self.board.looks(rank, offers) {
                    spin_loop();
                    if named(false).is_none() {
                        return Ok(());
                    }
                }
            }
            if named(true).is_none() {
                return Ok(());
            }
            yield_now();
        }
        self.board.wait(call, &mut || named(true))
    }

    fn wait_for_each(
        &self,
        ranks: &[usize],
        is_done: impl Fn(usize) -> bool,
        is_gone: impl Fn(usize) -> bool,
    ) {
        let is_over = |rank: usize, closely: bool| is_done(rank) || closely && is_gone(rank);
        let named = |closely| ranks.iter().copied().find(|rank| !is_over(*rank, closely));
        while self.wait_while(None, named).is_err() {}
    }

    /// Returns `true` if a rank has made a later call, or a different call in place of this one.
    fn is_past(&self, rank: usize, call: CollectiveCall) -> bool {
        self.board.last_call(rank).is_past(call)
    }

    pub fn count(&self, counter: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64) {
        counter(self.own()).store(self.counted(), Ordering::Release);
        self.board.notify();
    }

    fn counted(&self) -> u64 {
        if self.refuses.get() { self.now() | LAST } else { self.now() }
    }

    /// Ends a call. If it has several moves, this rank refuses the moves that it has `left_out`,
    /// and is counted as through with all.
    pub fn end_call(&mut self, left_out: Option<&Error>) {
        let is_among = self.is_among_several();
        let stage = self.stage.replace(Stage::Single);
        if !is_among {
            return;
        }
        let left_out = left_out.filter(|_| stage != Stage::KnownToFail);
        left_out.into_iter().for_each(|error| self.refuse_the_rest(error));
        self.moves[self.buffer].number |= LAST;
        for buffer in 0..B::BUFFERS {
            let unpacked = &self.board.marks(self.rank, buffer).unpacked;
            unpacked.store(self.now(), Ordering::Release);
        }
        self.board.notify();
    }

    /// Counts this rank as arrived. Its partners poll the cache line, so that it stores all that is
    /// there at once.
    pub fn arrive(&self) {
        self.own().call.show(self.current_call());
        self.count(|rank| &rank.arrived);
    }

    /// Sets a mark of this rank in this move; to be called before it is counted.
    pub fn mark(&self, mark: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64) {
        mark(self.own()).store(self.now(), Ordering::Relaxed);
    }

    /// Returns `true` if a counted rank has set a mark in this move.
    pub fn has(&self, rank: usize, mark: impl Fn(&MoveMarks<B::Arrays>) -> &AtomicU64) -> bool {
        mark(self.marks(rank)).load(Ordering::Relaxed) == self.now()
    }

    /// Waits until all ranks that divide the copies are counted; `true` if all share both arrays.
    pub fn all_share(&self) -> bool {
        let all = &self.partners.met;
        let met = self.wait_for(all, |rank| &rank.arrived);
        let shares = |rank: usize| {
            !self.has(rank, |rank| &rank.packs)
                && !self.has(rank, |rank| &rank.keeps)
                && !self.has_refused(rank)
        };
        met.is_ok()
            && self.agree_on_call(all).is_ok()
            && all.iter().chain([&self.rank]).all(|rank| shares(*rank))
    }

    /// Returns `true` if a sender has only begun this move, so that its message is packed.
    pub fn sends_message(&self, sender: usize) -> bool {
        self.has(sender, |rank| &rank.packs)
    }

    /// Waits until each receiver has arrived, or has only begun the move. If this rank `shares` its
    /// array, a receiver must also have left. Returns `true` if a receiver waits for a message.
    pub fn is_a_message_wanted(&self, shares: bool) -> bool {
        let receivers = &self.partners.receivers;
        let is_done = |rank: usize| match shares {
            true => self.has_counted(rank, self.now()) || self.waits_for_message(rank),
            false => self.has_arrived(rank),
        };
        self.wait_for_each(receivers, is_done, |rank| self.has_left(rank));
        receivers.iter().any(|rank| self.wants_message(*rank))
    }

    /// Returns `true` if a receiver has only begun this move, and is ready to receive a message.
    pub fn wants_message(&self, rank: usize) -> bool {
        self.waits_for_message(rank) && !self.has_refused(rank)
    }

    /// Returns `true` if a receiver has only begun this move, and waits for a message.
    pub fn waits_for_message(&self, rank: usize) -> bool {
        self.marks(rank).arrived.load(Ordering::Acquire) >= self.now()
            && self.has(rank, |rank| &rank.packs)
    }

    pub fn has_arrived(&self, rank: usize) -> bool {
        self.behind(&[rank], |rank| &rank.arrived).is_none()
    }

    /// Returns the error of a rank that is through and has left its part undone.
    fn failed(&self) -> Result<(), Error> {
        let fails = |rank: &&usize| self.has(**rank, |rank| &rank.failed);
        self.partners.met.iter().find(fails).map_or(Ok(()), |rank| self.failure(*rank))
    }

    pub fn failure(&self, rank: usize) -> Result<(), Error> {
        self.board.tell();
        Err(Error::PeerFailed { rank, reason: "a panic while it copied".into() })
    }

    /// Stores the reason that this rank is not ready for this and the next moves of its call. It is
    /// counted afterwards.
    pub fn refuse(&self, error: &Error) {
        self.board.refuse(error);
        self.own().refuses.store(self.now(), Ordering::Relaxed);
        self.refuses.set(true);
    }

    /// Returns `true` if a counted rank is not ready for this call.
    fn has_refused(&self, rank: usize) -> bool {
        self.refuses_by(rank, self.buffer, self.now())
    }

    /// Returns `true` if a buffer shows that a rank was not ready for this call's move `number`.
    fn refuses_by(&self, rank: usize, buffer: usize, number: u64) -> bool {
        let from = self.board.marks(rank, buffer).refuses.load(Ordering::Relaxed);
        from >> MOVE_BITS == self.current_call().number() && from <= number
    }

    /// Refuses the rest of the call's moves.
    fn refuse_the_rest(&mut self, error: &Error) {
        if !self.refuses.get() {
            // Receivers look whether this rank was ready for the last move, whose messages it sent.
            self.board.refuse(error);
            self.own().refuses.store(self.now() + 1, Ordering::Relaxed);
            self.refuses.set(true);
        }
        self.count_all();
        if B::BUFFERS > 1 {
            let last = self.moves[self.buffer];
            self.buffer = 1 - self.buffer;
            self.wait_to_leave(&self.all, self.now(), last.call);
            self.moves[self.buffer] = last;
            self.own().refuses.store(last.number, Ordering::Relaxed);
            self.count_all();
        }
    }

    fn count_all(&self) {
        self.arrive();
        self.count(|rank| &rank.packed);
        self.count(|rank| &rank.unpacked);
    }

    /// Waits until all ranks arrive; fails if one is not ready, has ended, or makes a different
    /// call.
    fn all_are_ready(&self) -> Result<(), Error> {
        self.wait_for(&self.all, |rank| &rank.arrived)?;
        self.refusal(&self.all)
    }

    /// Waits until all ranks arrive. Fails on all ranks alike: if one has ended before, makes a
    /// different call, or was not ready when it began. A later refusal is for its receivers only,
    /// because others may have looked before.
    fn none_declines(&self) -> Result<(), Error> {
        self.wait_for(&self.all, |rank| &rank.arrived)?;
        let declines = |rank: &&usize| self.has(**rank, |rank| &rank.declines);
        let Some(rank) = self.all.iter().find(declines) else { return Ok(()) };
        self.board.tell();
        Err(self.board.refusal(*rank))
    }

    /// Returns `true` if all ranks know that this call has failed.
    #[cfg(feature = "mpi")]
    pub fn is_known_to_fail(&self) -> bool {
        self.stage.get() == Stage::KnownToFail
    }

    /// Returns the error of the first of these counted ranks that is not ready for this move.
    pub fn refusal(&self, ranks: &[usize]) -> Result<(), Error> {
        let refuses = |rank: &&usize| self.has_refused(**rank);
        let Some(rank) = ranks.iter().find(refuses) else { return Ok(()) };
        self.board.tell();
        Err(self.board.refusal(*rank))
    }
}

impl<B: Board> Leave for Progress<B> {
    /// Leaves a move in which all ranks share their arrays.
    fn leave(&self, failed: bool) -> Result<(), Error> {
        if failed {
            self.mark(|rank| &rank.failed);
        }
        self.count(|rank| &rank.unpacked);
        let is_done = |rank: usize| self.has_counted(rank, self.now());
        self.wait_for_each(&self.partners.met, is_done, |rank| self.has_left(rank));
        // The rank's own failure is worse.
        if failed { Ok(()) } else { self.failed() }
    }
}

#[cfg(feature = "mpi")]
impl<B: Board> Progress<B> {
    /// Waits until each of these ranks has arrived in this move, has ended, or has made a different
    /// call.
    pub fn wait_to_come(&self, ranks: &[usize]) {
        self.wait_for_each(ranks, |rank| self.has_arrived(rank), |rank| self.has_left(rank));
    }

    /// Returns `true` if a rank has come to this move, by the same call, and is ready for it.
    pub fn is_in(&self, rank: usize) -> bool {
        self.takes_part(rank) && !self.has_refused(rank)
    }

    /// Returns `true` if a rank has come to this move by the same call, ready or not.
    pub fn takes_part(&self, rank: usize) -> bool {
        self.has_arrived(rank) && self.marks(rank).call.get() == self.current_call()
    }

    pub fn is_at_fault(&self, rank: usize) -> bool {
        self.stays_away(rank) || self.has_arrived(rank) && self.has_refused(rank)
    }

    /// Returns `true` if some sender of this move makes a different call, has ended, or is not ready.
    pub fn is_any_at_fault(&self) -> bool {
        self.partners.senders.iter().any(|rank| self.is_at_fault(*rank))
    }

    /// Returns `true` if a rank makes a different call than this move, or has ended.
    pub fn stays_away(&self, rank: usize) -> bool {
        self.has_left(rank) && !self.takes_part(rank)
    }

    /// Returns `true` if the rank skipped this call of the plan, or ended before it.
    pub fn takes_no_part(&self, rank: usize, call: CollectiveCall) -> bool {
        let is_past = self.is_past(rank, call) || self.board.has_ended(rank);
        is_past && self.marks(rank).call.get() != call
    }

    /// Returns the number of this move, which no other of the plan has; later ones have larger ones.
    pub fn number(&self) -> u64 {
        self.now()
    }

    /// Waits until no rank is named; fails if a named rank has ended, or makes a different call.
    pub fn wait_until(&self, mut missing: impl FnMut() -> Option<usize>) -> Result<(), Error> {
        self.wait_while(Some(self.current_call()), |_| missing())
    }

    /// Returns `true` if a rank has left a call's move, or takes part in this move by messages
    /// only.
    pub fn needs_nothing(&self, rank: usize, call: CollectiveCall) -> bool {
        self.is_past(rank, call)
            || self.board.has_ended(rank)
            || call == self.current_call() && self.waits_for_message(rank)
    }

    pub fn is_behind_in_packing(&self, rank: usize) -> bool {
        self.behind(&[rank], |rank| &rank.packed).is_some()
    }

    /// Waits until no sender is missing that has not left its part undone; fails if one has.
    pub fn wait_for_parts(&self, is_missing: impl Fn(usize) -> bool) -> Result<(), Error> {
        let has_failed = |rank: usize| {
            self.behind(&[rank], |rank| &rank.unpacked).is_none()
                && self.has(rank, |rank| &rank.failed)
        };
        let senders = || self.partners.senders.iter().copied();
        self.wait_until(|| senders().find(|rank| is_missing(*rank) && !has_failed(*rank)))?;
        senders().find(|rank| is_missing(*rank)).map_or(Ok(()), |rank| self.failure(rank))
    }

    pub fn refuses(&self) -> bool {
        self.refuses.get()
    }

    /// Returns `true` if a rank that had come to the move before was not ready for it.
    pub fn has_refused_before(&self, rank: usize) -> bool {
        (0..B::BUFFERS).any(|buffer| self.refuses_by(rank, buffer, self.now() - 1))
    }
}
