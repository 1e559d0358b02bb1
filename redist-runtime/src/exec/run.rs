//! Moves: all ranks meet, and do what they can do together.
//!
//! Unsafe, since a move lends arrays to other ranks.

use super::combine::{ArrivedRuns, UnpackTo, Visit};
use super::in_slots::InSlots;
use super::mover::Mover;
use super::recycle::recycle;
use super::transfer::{Refill, Whole};
use crate::error::Error;
use crate::program::transposes;
use crate::transport::{Arrays, Inbox, Outbox, Shape, Source, Target, Way};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Mover {
    /// Does what all ranks do together, and what may call the caller's function.
    ///
    /// # Errors
    /// Those of `work`; or that such a function does this.
    fn in_call(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.channel.begin_call()?;
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.channel.end_call();
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Moves everything, if this rank is `ready` and all others are. Collective.
    pub fn run(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        target: Target<'_>,
    ) -> Result<(), Error> {
        self.in_call(|mover| mover.run_to(ready, source, target))
    }

    fn run_to(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        target: Target<'_>,
    ) -> Result<(), Error> {
        let mut arrays = Arrays { source, target };
        if self.prepared.facts.trapezoid.is_some() {
            // What ranks copy of each other's arrays is all of them.
            arrays.source = Source::Own(arrays.source.bytes());
            arrays.target = Target::Own(arrays.target.into_bytes());
        }
        if self.moved(ready, &mut arrays, None)? {
            return Ok(());
        }
        let (source, destination) = (arrays.source.bytes(), arrays.target.into_bytes());
        if self.round_count() > 1 {
            return self.exchange_in_rounds(source, &mut UnpackTo::Array(destination));
        }
        self.prepare_messages();
        self.send(source)?;
        self.complete_to(&mut UnpackTo::Array(destination))
    }

    /// Meets all ranks, and moves everything, unless messages go by themselves, which is left to be
    /// done: false then. Where there is a function, it gets what arrives: no array of this rank's is
    /// written to then, nor is one lent.
    pub(super) fn moved(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
        function: Option<&mut Visit<'_>>,
    ) -> Result<bool, Error> {
        if ready.is_ok() {
            self.pack_early(&arrays.source);
        }
        let Self { channel, prepared, counter, outgoing, incoming, .. } = self;
        // SAFETY: the shape is dropped in this function, returning or unwinding, while the arrays
        // stay borrowed. Where destinations are lent, this rank's is not used below but by way of
        // what was lent.
        let shape = unsafe { channel.meet(ready, arrays) }?;
        match shape {
            Shape::Messages => Ok(false),
            Shape::Lent(lent) if lent.destinations.is_empty() => {
                counter.count(|calls| &mut calls.copied);
                match function {
                    Some(visit) => prepared.visited().visit(lent.sources, visit),
                    None => {
                        let destination = arrays.target.bytes_mut();
                        counter.bytes += prepared.direct().copy(lent.sources, destination);
                    }
                }
                lent.end().map(|()| true)
            }
            Shape::Lent(lent) => {
                counter.count(|calls| &mut calls.shares);
                counter.bytes += prepared.share().copy_lent(&lent);
                lent.end().map(|()| true)
            }
            Shape::Chunks(mut shown) => {
                let (staged, own) = prepared.staged();
                let (source, destination) = (arrays.source.bytes(), arrays.target.bytes_mut());
                let mut function = function;
                while let Some(chunks) = shown.next(source, own)? {
                    counter.count(|calls| &mut calls.rounds);
                    match &mut function {
                        Some(visit) => staged.visit_round(chunks, source, *visit),
                        None => {
                            counter.bytes += staged.copy_round(chunks, (source, own), destination);
                        }
                    }
                }
                Ok(true)
            }
            Shape::Packed(slots) => {
                let mut to = match function {
                    Some(visit) => UnpackTo::Function(visit),
                    None => UnpackTo::Array(arrays.target.bytes_mut()),
                };
                InSlots { prepared, counter, outgoing, incoming }
                    .exchange(slots, arrays.source.bytes(), &mut to)
                    .map(|()| true)
            }
        }
    }

    /// Begins a move that is [completed](Self::complete) later. Collective.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.in_call(|mover| mover.send_all(ready, source))
    }

    fn send_all(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.prepare_messages();
        self.channel.begin(ready)?;
        self.send(source)
    }

    /// Packs and sends all messages, if this rank is ready: while the rest is packed, where the
    /// transport can do so.
    pub(super) fn send(&mut self, source: &[u8]) -> Result<(), Error> {
        let Self { channel, prepared, counter, messages, .. } = self;
        if let (Some(outbox), Some(messages)) = (channel.begin_messages()?, messages) {
            let Outbox { rooms, mut posting } = outbox;
            let mut outgoing: Vec<&mut [u8]> = recycle(mem::take(&mut self.outgoing));
            rooms.add_to(&messages.outgoing, &mut outgoing);
            let (lens, mut sent) = (&messages.outgoing.bytes, Ok(()));
            let mut packed = |first: usize, left: &[&mut [u8]]| {
                let Some(posting) = &mut posting else { return };
                for (number, left) in (first..).zip(left) {
                    let len = lens[number].len() - left.len();
                    // SAFETY: messages are packed from their fronts on, and what is left of one is
                    // all that will be written to.
                    sent = mem::replace(&mut sent, Ok(()))
                        .and_then(|()| unsafe { posting.packed(number, len) });
                }
            };
            let done = catch_unwind(AssertUnwindSafe(|| {
                counter.count(|calls| &mut calls.packed);
                let packing = prepared.packing();
                counter.bytes += packing.pack_and_tell(source, &mut outgoing, &mut packed);
            }));
            self.outgoing = recycle(outgoing);
            if let Err(panic) = done {
                // The others wait for what is not packed.
                let _ = channel.leave();
                resume_unwind(panic);
            }
            sent?;
        }
        self.channel.send()
    }

    /// Moves everything, which a function is given in place of an array, if this rank is `ready` and
    /// all others are: from lent arrays or chunks, or by messages. Where the function panics, the
    /// move ends as if it had not: others need what this rank shows or sends. Collective.
    pub fn run_with(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        self.in_call(|mover| mover.visit(ready, source, visit))
    }

    fn visit(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        visit: &mut Visit<'_>,
    ) -> Result<(), Error> {
        if !self.visits_in_its_way() {
            if self.round_count() > 1 {
                self.channel.begin(ready)?;
                return self.exchange_in_rounds(source.bytes(), &mut UnpackTo::Function(visit));
            }
            self.send_all(ready, source.bytes())?;
            return self.visit_all(visit);
        }
        let mut arrays = Arrays { source, target: Target::Kept };
        let mut panicked = None;
        let mut guarded = |bytes: &[u8], runs: ArrivedRuns| {
            if panicked.is_none() {
                panicked = catch_unwind(AssertUnwindSafe(|| visit(bytes, runs))).err();
            }
        };
        let moved = self.moved(ready, &mut arrays, Some(&mut guarded));
        if let Some(panic) = panicked {
            resume_unwind(panic);
        }
        if moved? {
            return Ok(());
        }
        let source = arrays.source.bytes();
        if self.round_count() > 1 {
            return self.exchange_in_rounds(source, &mut UnpackTo::Function(visit));
        }
        self.prepare_messages();
        self.send(source)?;
        self.visit_all(visit)
    }

    /// Whether a function is given what arrives in the way that the plan is bound for; else packed
    /// messages go. What ranks copy in other ways is copied as it is; and a chunk has few columns of
    /// an array whose rows become columns.
    pub fn visits_in_its_way(&self) -> bool {
        match self.channel.way().0 {
            Way::Messages | Way::Joined | Way::Lent => true,
            Way::Chunks => !transposes(&self.prepared.facts.plan),
        }
    }

    /// Receives all messages, if all ranks were ready, and hands them to a function. Where it panics,
    /// the move ends as if it had not: others may wait for what this rank has to send them still.
    pub fn complete_with(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        self.in_call(|mover| mover.visit_all(visit))
    }

    fn visit_all(&mut self, visit: &mut Visit<'_>) -> Result<(), Error> {
        let complete = || self.complete_to(&mut UnpackTo::Function(visit));
        catch_unwind(AssertUnwindSafe(complete)).unwrap_or_else(|panic| {
            if self.channel.all().is_ok() {
                self.channel.end();
            }
            resume_unwind(panic)
        })
    }

    /// Receives and unpacks all messages, if all ranks were ready, into the array that is asked for
    /// then.
    pub fn complete<'d>(
        &mut self,
        destination: impl FnOnce() -> &'d mut [u8],
    ) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.agree()?;
            mover.receive(&mut UnpackTo::Array(destination()))
        })
    }

    fn complete_to(&mut self, destination: &mut UnpackTo<'_>) -> Result<(), Error> {
        self.agree()?;
        self.receive(destination)
    }

    /// Whether all ranks were ready. A move that would go in rounds is none to be begun, and ends here.
    fn agree(&mut self) -> Result<(), Error> {
        self.channel.agree().inspect_err(|_| self.leave_rounds())
    }

    /// Receives and unpacks all messages, of which it is known that all ranks send theirs.
    pub(super) fn receive(&mut self, destination: &mut UnpackTo<'_>) -> Result<(), Error> {
        let unpacking = self.prepared.unpacking();
        if let Some(inbox) = self.channel.inbox() {
            let count = unpacking.envelopes().len();
            let mut messages: Vec<&[u8]> = recycle(mem::take(&mut self.incoming));
            messages.extend((0..count).map(|_| &[][..]));
            let mut arriving = Arriving::new(inbox, &mut self.given, count);
            self.counter.count(|calls| &mut calls.unpacked);
            self.counter.bytes += destination.all(unpacking, &mut messages, &mut arriving);
            let arrived = arriving.result;
            self.incoming = recycle(messages);
            arrived?;
            self.channel.all()?;
            self.channel.end();
            return Ok(());
        }
        self.channel.all()?;
        let mut messages: Vec<&[u8]> = recycle(mem::take(&mut self.incoming));
        messages
            .extend((0..unpacking.envelopes().len()).map(|number| self.channel.message(number)));
        self.counter.count(|calls| &mut calls.unpacked);
        self.counter.bytes += destination.all(unpacking, &mut messages, &mut Whole);
        self.incoming = recycle(messages);
        self.channel.end();
        Ok(())
    }
}

/// Messages that are unpacked as they arrive.
struct Arriving<'a> {
    inbox: Inbox<'a>,
    /// Bytes of each message that have been handed out.
    given: &'a mut [usize],
    result: Result<(), Error>,
}

impl<'a> Arriving<'a> {
    fn new(inbox: Inbox<'a>, given: &'a mut Vec<usize>, messages: usize) -> Self {
        given.clear();
        given.resize(messages, 0);
        Self { inbox, given, result: Ok(()) }
    }
}

impl<'a> Refill<'a> for Arriving<'a> {
    fn refill(&mut self, message: usize, left: &mut &'a [u8], bytes: usize) -> bool {
        let used = self.given[message] - left.len();
        match self.inbox.up_to(message, used + bytes) {
            Ok(arrived) => {
                (self.given[message], *left) = (arrived.len(), &arrived[used..]);
                true
            }
            Err(error) => {
                self.result = Err(error);
                false
            }
        }
    }
}
