//! Repeated exchanges between threads: every rank packs into a buffer of its own, from which the others unpack.

use super::group::Rank;
use super::offer::Offer;
use super::rounds::Rounds;
use super::turns::Turns;
use crate::element::Element;
use crate::error::Error;
use crate::transport::order::turns;
use crate::transport::recycle::recycle;
use crate::transport::{Arrived, Channel, Proposal};
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// A rank's end of a channel between threads.
#[derive(Debug)]
pub struct ThreadChannel<T: 'static> {
    rounds: Rounds,
    /// Whether this rank is ready for this exchange.
    ready: Result<(), Error>,
    /// True from `begin` to the end of `complete`.
    under_way: bool,
    outgoing: Vec<usize>,
    buffer: Arc<RwLock<Vec<T>>>,
    incoming: Vec<Incoming<T>>,
    /// The incoming messages by step; `None` where all go at once.
    by_step: Option<Arc<[usize]>>,
    /// Lists kept between exchanges for their memory only.
    spare: Spare<T>,
}

/// A message in its sender's buffer.
#[derive(Debug)]
pub(super) struct Incoming<T> {
    pub buffer: Arc<RwLock<Vec<T>>>,
    pub elements: Range<usize>,
    /// Where messages go in steps: this rank's place among those that read from the buffer.
    pub turn: Option<(Arc<Turns>, usize)>,
}

#[derive(Debug)]
struct Spare<T: 'static> {
    out: Vec<&'static mut [T]>,
    guards: Vec<RwLockReadGuard<'static, Vec<T>>>,
    inbox: Vec<&'static [T]>,
}

impl<T: Element> ThreadChannel<T> {
    pub(super) fn new(rank: &Rank, proposal: &Proposal<'_>, buffer: Arc<RwLock<Vec<T>>>, offers: &[&Offer]) -> Self {
        let here = rank.number();
        let incoming: Vec<_> = proposal.incoming.iter().filter_map(|from| offers[from.rank].incoming(here)).collect();
        let messages = (proposal.outgoing.len(), incoming.len());
        assert_eq!(messages.1, proposal.incoming.len(), "plans with one digest have the same messages");
        let lists = (Vec::with_capacity(messages.0), Vec::with_capacity(messages.1), Vec::with_capacity(messages.1));
        let progress = offers.iter().map(|offer| Arc::clone(&offer.progress)).collect();
        Self {
            rounds: Rounds::new(here, Arc::clone(rank.group()), progress),
            ready: Ok(()),
            under_way: false,
            outgoing: proposal.outgoing.iter().map(|envelope| envelope.len).collect(),
            buffer,
            incoming,
            by_step: turns(proposal).map(|turns| turns.iter().filter_map(|turn| turn.receive).collect()),
            spare: Spare { out: lists.0, guards: lists.1, inbox: lists.2 },
        }
    }

    fn pack(&mut self, pack: impl FnOnce(&mut [&mut [T]])) {
        let mut buffer = self.buffer.write().unwrap_or_else(PoisonError::into_inner);
        let mut out: Vec<&mut [T]> = recycle(std::mem::take(&mut self.spare.out));
        let mut rest = buffer.as_mut_slice();
        for &len in &self.outgoing {
            let (message, after) = rest.split_at_mut(len);
            out.push(message);
            rest = after;
        }
        pack(&mut out);
        self.spare.out = recycle(out);
    }

    fn unpack_all(&mut self, unpack: impl FnOnce(Arrived<'_, '_, T>)) {
        let mut guards: Vec<RwLockReadGuard<'_, Vec<T>>> = recycle(std::mem::take(&mut self.spare.guards));
        let mut inbox: Vec<&[T]> = recycle(std::mem::take(&mut self.spare.inbox));
        guards.extend(self.incoming.iter().map(|from| from.buffer.read().unwrap_or_else(PoisonError::into_inner)));
        inbox.extend(guards.iter().zip(&self.incoming).map(|(buffer, from)| &buffer[from.elements.clone()]));
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
    fn unpack_by_step(&self, messages: &[usize], mut unpack: impl FnMut(Arrived<'_, '_, T>)) {
        for &message in messages {
            let from = &self.incoming[message];
            self.wait_for_turn(from);
            let buffer = from.buffer.read().unwrap_or_else(PoisonError::into_inner);
            unpack(Arrived::One(message, &buffer[from.elements.clone()]));
            drop(buffer);
            self.end_turn(from);
            self.rounds.notify();
        }
    }

    fn wait_for_turn(&self, from: &Incoming<T>) {
        let Some((turns, place)) = &from.turn else { return };
        for turn in turns.before(*place) {
            let is_over = || turn.is_over(self.rounds.now) || self.rounds.has_unpacked(turn.receiver);
            // An error says that the rank has ended: it does not read any more.
            let _ = self.rounds.wait_while(|| (!is_over()).then_some(turn.receiver));
        }
    }

    fn end_turn(&self, from: &Incoming<T>) {
        if let Some((turns, place)) = &from.turn {
            turns.end(*place, self.rounds.now);
        }
    }

    /// Begins an exchange; the others see it when this rank is counted.
    fn begin_round(&mut self, ready: Result<(), Error>, pack: impl FnOnce(&mut [&mut [T]])) -> Result<(), Error> {
        if self.under_way {
            // A move that was begun and forgotten: whoever wants to know how it went finishes it.
            let _ = self.complete(|_| ());
        }
        // Nobody may still be reading what the last exchange packed.
        self.rounds.wait_for(|rank| &rank.unpacked)?;
        self.rounds.now += 1;
        match &ready {
            Ok(()) => self.pack(pack),
            Err(error) => self.rounds.refuse(error),
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
        self.under_way = false;
        self.rounds.count(|rank| &rank.unpacked);
        agreed
    }
}

impl<T: Element> Channel<T> for ThreadChannel<T> {
    fn one_by_one(&self) -> bool {
        self.by_step.is_some()
    }

    fn begin(&mut self, ready: Result<(), Error>, pack: impl FnOnce(&mut [&mut [T]])) -> Result<(), Error> {
        self.begin_round(ready, pack)?;
        self.incoming.iter().for_each(|from| self.end_turn(from));
        self.rounds.count(|rank| &rank.packed);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        Ok(self.rounds.behind(|rank| &rank.packed).is_none())
    }

    fn complete(&mut self, unpack: impl FnMut(Arrived<'_, '_, T>)) -> Result<(), Error> {
        self.end_round(|channel| channel.unpack_all(unpack))
    }

    fn exchange(
        &mut self,
        ready: Result<(), Error>,
        pack: impl FnOnce(&mut [&mut [T]]),
        unpack: impl FnMut(Arrived<'_, '_, T>),
    ) -> Result<(), Error> {
        let Some(messages) = self.by_step.clone() else {
            self.begin(ready, pack)?;
            return self.complete(unpack);
        };
        self.begin_round(ready, pack)?;
        self.rounds.count(|rank| &rank.packed);
        self.end_round(|channel| channel.unpack_by_step(&messages, unpack))
    }
}

impl<T> Drop for ThreadChannel<T> {
    /// A move that was begun and forgotten must not keep the others waiting.
    fn drop(&mut self) {
        if self.under_way {
            self.rounds.count(|rank| &rank.unpacked);
        }
    }
}
