//! Repeated exchanges between threads: ranks copy between each other's arrays, or every rank packs into a buffer of its own,
//! from which the others unpack.

use super::group::Rank;
use super::lend::{Lenders, Outcome, Slot, copy_lent};
use super::offer::Offer;
use super::rounds::Rounds;
use super::turns::Turns;
use crate::error::Error;
use crate::transport::order::turns;
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Channel, Lent, Pack, Proposal, Unpack};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A rank's end of a channel between threads.
#[derive(Debug)]
pub struct ThreadChannel {
    rounds: Rounds,
    /// Whether this rank is ready for this exchange.
    ready: Result<(), Error>,
    /// True from `begin` to the end of `complete`.
    under_way: bool,
    /// Bytes of each outgoing message.
    outgoing: Vec<usize>,
    /// Allocated when this rank packs for the first time, unless there are steps.
    buffer: Arc<RwLock<Vec<u8>>>,
    incoming: Vec<Incoming>,
    lenders: Lenders,
    /// The incoming messages by step; `None` where all go at once.
    by_step: Option<Arc<[usize]>>,
    /// Lists kept between exchanges for their memory only.
    spare: Spare,
}

/// Where a rank puts what the others take.
#[derive(Clone, Debug)]
pub(super) struct Outbox {
    pub buffer: Arc<RwLock<Vec<u8>>>,
    pub arrays: Arc<Slot>,
}

/// A message in its sender's buffer.
#[derive(Debug)]
pub(super) struct Incoming {
    pub buffer: Arc<RwLock<Vec<u8>>>,
    pub bytes: Range<usize>,
    /// Where messages go in steps: this rank's place among those that read from the buffer.
    pub turn: Option<(Arc<Turns>, usize)>,
}

#[derive(Debug)]
struct Spare {
    out: Vec<&'static mut [u8]>,
    guards: Vec<RwLockReadGuard<'static, Vec<u8>>>,
    inbox: Vec<&'static [u8]>,
}

impl ThreadChannel {
    pub(super) fn new(rank: &Rank, proposal: &Proposal<'_>, outbox: Outbox, offers: &[&Offer]) -> Self {
        let here = rank.number();
        let incoming: Vec<_> = proposal.incoming.iter().filter_map(|from| offers[from.rank].incoming(here)).collect();
        let slots: Vec<_> = offers.iter().map(|offer| offer.slot()).collect();
        let bytes = proposal.element.bytes();
        let messages = (proposal.outgoing.len(), incoming.len());
        assert_eq!(messages.1, proposal.incoming.len(), "plans with one digest have the same messages");
        let lists = (Vec::with_capacity(messages.0), Vec::with_capacity(messages.1), Vec::with_capacity(messages.1));
        let progress = offers.iter().map(|offer| Arc::clone(&offer.progress)).collect();
        Self {
            rounds: Rounds::new(here, Arc::clone(rank.group()), progress),
            ready: Ok(()),
            under_way: false,
            outgoing: proposal.outgoing.iter().map(|envelope| envelope.len * bytes).collect(),
            buffer: outbox.buffer,
            incoming,
            lenders: Lenders::new(outbox.arrays, slots),
            by_step: turns(proposal).map(|turns| turns.iter().filter_map(|turn| turn.receive).collect()),
            spare: Spare { out: lists.0, guards: lists.1, inbox: lists.2 },
        }
    }

    fn pack(&mut self, pack: Pack<'_>) {
        let mut buffer = self.buffer.write().unwrap_or_else(PoisonError::into_inner);
        buffer.resize(self.outgoing.iter().sum(), 0);
        let mut out: Vec<&mut [u8]> = recycle(std::mem::take(&mut self.spare.out));
        let mut rest = buffer.as_mut_slice();
        for &len in &self.outgoing {
            let (message, after) = rest.split_at_mut(len);
            out.push(message);
            rest = after;
        }
        pack(&mut out);
        self.spare.out = recycle(out);
    }

    fn unpack_all(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) {
        let mut guards: Vec<RwLockReadGuard<'_, Vec<u8>>> = recycle(std::mem::take(&mut self.spare.guards));
        let mut inbox: Vec<&[u8]> = recycle(std::mem::take(&mut self.spare.inbox));
        guards.extend(self.incoming.iter().map(|from| from.buffer.read().unwrap_or_else(PoisonError::into_inner)));
        inbox.extend(guards.iter().zip(&self.incoming).map(|(buffer, from)| &buffer[from.bytes.clone()]));
        unpack(Arrived::All(&mut inbox));
        self.spare.inbox = recycle(inbox);
        self.spare.guards = recycle(guards);
    }

    /// Unpacks one message after the other, by step. Where all ranks do, at most one at a time reads from a sender's
    /// buffer: its receivers take turns, in the order of its steps.
    ///
    /// This ends. By now everybody has packed, so a rank waits for nothing but the turns before its own, which are of
    /// earlier steps: of all ranks that still wait, the one whose message has the earliest step waits for a rank that
    /// does not. Ranks that only begin, and may complete late, give up their turns as they begin; those that have ended
    /// or left the exchange have none any more.
    fn unpack_by_step(&self, messages: &[usize], unpack: &mut dyn FnMut(Arrived<'_, '_>)) {
        for &message in messages {
            let from = &self.incoming[message];
            self.wait_for_turn(from);
            let buffer = from.buffer.read().unwrap_or_else(PoisonError::into_inner);
            unpack(Arrived::One(message, &buffer[from.bytes.clone()]));
            drop(buffer);
            self.end_turn(from);
            self.rounds.notify();
        }
    }

    fn wait_for_turn(&self, from: &Incoming) {
        let Some((turns, place)) = &from.turn else { return };
        for turn in turns.before(*place) {
            let is_over = || turn.is_over(self.rounds.now) || self.rounds.has_unpacked(turn.receiver);
            // An error says that the rank has ended: it does not read any more.
            let _ = self.rounds.wait_while(|| (!is_over()).then_some(turn.receiver));
        }
    }

    fn end_turn(&self, from: &Incoming) {
        if let Some((turns, place)) = &from.turn {
            turns.end(*place, self.rounds.now);
        }
    }

    /// Begins an exchange; the others see it when this rank is counted.
    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        if self.under_way {
            // A move that was begun and forgotten: whoever wants to know how it went finishes it.
            let _ = self.complete(&mut |_| ());
        }
        // Nobody may still be reading what the last exchange packed.
        self.rounds.wait_for(|rank| &rank.unpacked)?;
        self.rounds.begin();
        if let Err(error) = &ready {
            self.rounds.refuse(error);
        }
        self.ready = ready;
        self.under_way = true;
        Ok(())
    }

    fn end_round(&mut self, unpack: impl FnOnce(&mut Self)) -> Result<(), Error> {
        self.rounds.wait_for(|rank| &rank.packed)?;
        // This rank's own reason first.
        let agreed = self.ready.clone().and_then(|()| self.rounds.refusal());
        if agreed.is_ok() {
            unpack(self);
        }
        self.leave(agreed)
    }

    fn pack_if_ready(&mut self, pack: Pack<'_>) {
        if self.ready.is_ok() {
            self.pack(pack);
        }
    }

    fn leave(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.under_way = false;
        self.rounds.count(|rank| &rank.unpacked);
        how
    }
}

impl Channel for ThreadChannel {
    fn lends(&self) -> bool {
        self.by_step.is_none()
    }

    fn begin(&mut self, ready: Result<(), Error>, pack: Pack<'_>) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.pack_if_ready(pack);
        self.rounds.pack();
        self.incoming.iter().for_each(|from| self.end_turn(from));
        self.rounds.count(|rank| &rank.arrived);
        self.rounds.count(|rank| &rank.packed);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.rounds.behind(|rank| &rank.packed).is_none())
    }

    fn complete(&mut self, unpack: &mut dyn FnMut(Arrived<'_, '_>)) -> Result<(), Error> {
        self.end_round(|channel| channel.unpack_all(unpack))
    }

    fn exchange(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
        pack: Pack<'_>,
        unpack: Unpack<'_>,
    ) -> Result<(), Error> {
        self.begin_round(ready)?;
        let Some(messages) = self.by_step.clone() else {
            let copy = |lent: Lent<'_, '_>| unpack(Arrived::Lent(lent), &mut []);
            let own = (source, &mut *destination);
            return match copy_lent(&self.rounds, &mut self.lenders, &self.ready, own, copy) {
                Ok(Outcome::Copied) => self.leave(Ok(())),
                Ok(Outcome::Refused(error)) | Err(error) => self.leave(Err(error)),
                Ok(Outcome::Packs) => {
                    self.pack_if_ready(pack);
                    self.rounds.count(|rank| &rank.packed);
                    self.complete(&mut |arrived| unpack(arrived, destination))
                }
            };
        };
        self.pack_if_ready(pack);
        self.rounds.count(|rank| &rank.packed);
        self.end_round(|channel| channel.unpack_by_step(&messages, &mut |arrived| unpack(arrived, destination)))
    }
}

impl Drop for ThreadChannel {
    /// A move that was begun and forgotten must not keep the others waiting.
    fn drop(&mut self) {
        if self.under_way {
            self.rounds.count(|rank| &rank.unpacked);
        }
    }
}
