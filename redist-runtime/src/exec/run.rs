//! Moves: all ranks meet and move together. Unsafe, because a move shares arrays with other ranks.

use super::exchange::MessageExchange;
use super::mover::Mover;
use super::pull::Puller;
use super::transfer::{UnpackTo, Visit};
use crate::error::Error;
use crate::plan::Side;
use crate::program::{StridedCopy, transposes};
use crate::transport::{Access, Arrays, GoesOn, Source, Target, Way, slots_of};
use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

impl Mover {
    /// # Errors
    /// The error of `work`, or a call from inside the caller's function.
    fn in_call(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        let several = self.round_count() > 1;
        self.exchange.channel.begin_call(several)?;
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.exchange.channel.end_call(self.left_out.take().as_ref());
        match self.of_function.take() {
            Some(panic) => resume_unwind(panic),
            None => done.unwrap_or_else(|panic| resume_unwind(panic)),
        }
    }

    /// Moves everything to this rank's array, or to a function if all ranks are ready. Collective.
    pub(super) fn run(
        &mut self,
        ready: Result<(), Error>,
        mut arrays: Arrays<'_>,
        mut function: Option<&mut Visit<'_>>,
    ) -> Result<(), Error> {
        if self.prepared.facts.trapezoid.is_some() && function.is_none() {
            // Ranks copy whole arrays of their peers.
            arrays.source = Source::Own(arrays.source.bytes());
            arrays.target = Target::Own(arrays.target.into_bytes());
        }
        let by_messages = function.is_some() && !self.visits_in_its_way();
        self.in_call(|mover| {
            if by_messages {
                mover.prepare_unless_in_rounds();
                mover.exchange.channel.begin(ready, GoesOn::WithSenders)?;
            } else if mover.moved(ready, &mut arrays, function.as_deref_mut())? {
                return Ok(());
            }
            let source = arrays.source.bytes();
            let to = &mut UnpackTo::new(function, &mut arrays.target);
            if mover.round_count() > 1 {
                return mover.exchange_in_rounds(source, to);
            }
            mover.prepare_messages();
            mover.send(source)?;
            mover.agree()?;
            mover.receive(to)
        })
    }

    /// Joins a move as a rank that is not ready, for this reason. Collective.
    pub(super) fn decline(&mut self, reason: Error) -> Result<(), Error> {
        let arrays = Arrays { source: Source::Own(&[]), target: Target::Own(&mut []) };
        self.run(Err(reason), arrays, None)
    }

    /// Meets all ranks and moves everything; returns `false` if the messages are still to be sent.
    /// A function receives the arrivals; this rank then neither writes nor shares a destination.
    fn moved(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
        function: Option<&mut Visit<'_>>,
    ) -> Result<bool, Error> {
        let mut panic = None;
        let ready = ready.and_then(|()| {
            self.caught("packed", &mut panic, |mover| {
                mover.pack_ahead(&arrays.source);
                Ok(())
            })
        });
        if ready.is_err() {
            // Senders that have only begun the move send some all the same.
            self.prepare_messages();
        }
        let Self { prepared, exchange, of_function, .. } = self;
        let MessageExchange { channel, copying, messages, .. } = exchange;
        // SAFETY: this function drops the access, returning or unwinding, while the arrays stay
        // borrowed. It uses a shared destination of this rank below only through the shared form.
        let access = unsafe { channel.meet(ready, arrays) };
        if let Some(panic) = panic {
            // All ranks have counted this move, so that they agree on the next one.
            drop(access);
            resume_unwind(panic);
        }
        match access? {
            Access::Messages => Ok(false),
            Access::Pulled(pull) => {
                let source = arrays.source.bytes();
                // Peers need this rank's data though its caller's function has panicked.
                let mut guarded = function.map(|visit| {
                    move |bytes: &[u8], runs: StridedCopy| {
                        if of_function.is_none() {
                            let call = AssertUnwindSafe(|| visit(bytes, runs));
                            *of_function = catch_unwind(call).err();
                        }
                    }
                });
                let guarded = guarded.as_mut().map(|visit| visit as &mut Visit<'_>);
                let to = &mut UnpackTo::new(guarded, &mut arrays.target);
                Puller { prepared, copying, messages }.pull(pull, source, to).map(|()| true)
            }
            Access::Lent(lent) => {
                copying.counter.count(|calls| &mut calls.shares);
                copying.counter.bytes += prepared.copies(true).copy_lent(&lent);
                lent.end().map(|()| true)
            }
        }
    }

    /// Packs the messages that other ranks read in this rank's slots, if there is room by now.
    fn pack_ahead(&mut self, source: &Source<'_>) {
        let MessageExchange { channel, copying, .. } = &mut self.exchange;
        if let Some(slots) = slots_of(&mut **channel)
            && let Some(rooms) = slots.rooms_before(source)
        {
            let source = source.bytes();
            let packing = self.prepared.packing();
            copying.pack(|list| rooms.add_to(list), |list| packing.pack(source, list));
        }
    }

    /// Begins a move if this rank is ready. Otherwise the move ends here. Collective.
    pub(super) fn start(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        goes_on: GoesOn,
    ) -> Result<(), Error> {
        self.begin(ready.clone(), source, goes_on)?;
        ready.map_err(|error| self.complete(|| UnpackTo::Array(&mut [])).err().unwrap_or(error))
    }

    /// Begins a move of this rank, ready or not; [`complete`](Self::complete) ends it. Collective.
    pub(super) fn begin(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        goes_on: GoesOn,
    ) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.prepare_messages();
            mover.exchange.channel.begin(ready, goes_on)?;
            mover.send(source)
        })
    }

    fn send(&mut self, source: &[u8]) -> Result<(), Error> {
        let packing = self.prepared.packing();
        self.exchange.send(|messages, packed| packing.pack_and_tell(source, messages, packed))
    }

    /// Returns `true` if a function can receive elements by the plan's way; otherwise packed
    /// messages go. Other ways copy without functions, and a chunk holds few columns of an array
    /// whose rows become columns.
    fn visits_in_its_way(&self) -> bool {
        match self.way() {
            Way::Messages | Way::Lent => true,
            Way::Chunks | Way::Slots => !transposes(&self.prepared.facts.plan),
        }
    }

    /// Receives and unpacks all messages to the target that `to` returns, if all ranks were ready.
    pub(super) fn complete<'d>(&mut self, to: impl FnOnce() -> UnpackTo<'d>) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.agree()?;
            mover.receive(&mut to())
        })
    }

    /// Returns the ranks' agreement. A move in rounds cannot be begun, and ends here.
    fn agree(&mut self) -> Result<(), Error> {
        self.exchange.channel.agree().inspect_err(|_| self.leave_rounds())
    }

    /// Receives all messages, also if the caller's function panics.
    fn receive(&mut self, to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let is_function = matches!(to, UnpackTo::Function(_));
        let (unpacking, exchange) = (self.prepared.unpacking(), &mut self.exchange);
        let received = catch_unwind(AssertUnwindSafe(|| {
            exchange.receive(|messages, refill| unpacking.unpack_to(to, messages, refill))
        }));
        received.unwrap_or_else(|panic| {
            if !is_function || self.exchange.channel.all().is_err() {
                resume_unwind(panic);
            }
            self.exchange.channel.end();
            self.of_function = Some(panic);
            Ok(())
        })
    }

    /// Sends and receives all messages of a started move, in rounds.
    ///
    /// For the channel each round is a move. All ranks learn in the first one of a rank that is not
    /// ready, and begin no other. Of a later failure, over MPI a failed agreement ends the rounds on
    /// all ranks of several nodes. Elsewhere only some ranks may know of it; they report not ready in
    /// the next round. A thread whose call fails is not ready for the rounds that are left.
    fn exchange_in_rounds(&mut self, source: &[u8], to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let mut panic = None;
        let outcome = self.all_rounds(source, to, &mut panic);
        self.left_out = outcome.as_ref().err().cloned();
        self.leave_rounds();
        panic.map_or(outcome, |panic| resume_unwind(panic))
    }

    fn all_rounds(
        &mut self,
        source: &[u8],
        to: &mut UnpackTo<'_>,
        panic: &mut Option<Box<dyn Any + Send>>,
    ) -> Result<(), Error> {
        for round in 0..self.round_count() {
            if round > 0 {
                self.begin_round(Ok(()), source)?;
            }
            self.prepare_round(round);
            let sent = self.caught("packed", panic, |mover| mover.send(source));
            if sent.is_err() && panic.is_none() {
                return sent;
            }
            // The peers of a rank that panics have been notified, perhaps after their agreement.
            let agreed = self.exchange.channel.agree();
            if agreed.is_err() {
                if round + 1 < self.round_count() {
                    // Senders that do not know of it yet send the next round's messages.
                    self.prepare_round(round + 1);
                }
                return sent.and(agreed);
            }
            let done = sent.and_then(|()| self.receive_round(to, panic));
            if let Err(error) = &done {
                self.refuse_round(round + 1, error, source);
                return done;
            }
        }
        Ok(())
    }

    fn receive_round(
        &mut self,
        to: &mut UnpackTo<'_>,
        panic: &mut Option<Box<dyn Any + Send>>,
    ) -> Result<(), Error> {
        let done = self.caught("unpacked", panic, |mover| match mover.of_function {
            None => mover.receive(to),
            // Peers need this rank's data though its caller's function has panicked.
            Some(_) => mover.receive(&mut UnpackTo::Function(&mut |_, _| ())),
        });
        let channel = &mut self.exchange.channel;
        if panic.is_some() && channel.all().is_ok() {
            channel.end();
        }
        done
    }

    /// Returns a panic of `work` as this rank's error.
    fn caught(
        &mut self,
        what_it_did: &str,
        panic: &mut Option<Box<dyn Any + Send>>,
        work: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        catch_unwind(AssertUnwindSafe(|| work(self))).unwrap_or_else(|caught| {
            *panic = Some(caught);
            let reason = format!("a panic while it {what_it_did}");
            Err(Error::PeerFailed { rank: self.rank(), reason })
        })
    }

    fn begin_round(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        if self.way() != Way::Messages {
            // Some rank has begun the move with messages, so all ranks send messages in every
            // round.
            return self.exchange.channel.begin(ready, GoesOn::WithSenders);
        }
        // The way of messages shares no rank's own array.
        let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
        let moved = self.moved(ready, &mut arrays, None)?;
        assert!(!moved, "messages go where the way is messages");
        Ok(())
    }

    /// Joins the agreement of the next round, if any, as a rank that is not ready.
    fn refuse_round(&mut self, round: usize, error: &Error, source: &[u8]) {
        if round < self.round_count() {
            // This rank reports its first error.
            let _ = self
                .begin_round(Err(error.clone()), source)
                .and_then(|()| {
                    self.prepare_round(round);
                    self.send(source)
                })
                .and_then(|()| self.exchange.channel.agree());
        }
    }

    /// # Errors
    /// The messages go in rounds.
    pub(super) fn goes_at_once(&self, what: &str) -> Result<(), Error> {
        let Some(rounds) = self.rounds.as_ref().filter(|rounds| rounds.count() > 1) else {
            return Ok(());
        };
        let (count, max_bytes) = (rounds.count(), rounds.max_bytes);
        Err(Error::Unavailable {
            what: format!("{what} within {max_bytes} bytes (`max_bytes`)"),
            reason: format!(
                "it sends all messages before it receives any, and within that bound they go in {count} rounds; \
                 allow more, or use `run`"
            ),
        })
    }

    pub(super) fn can_run_in_place(&self, len: usize) -> Result<(), Error> {
        self.lengths(len, self.array(Side::Destination).len)?;
        self.goes_at_once("a move in place")?;
        let rank = self.rank();
        let unavailable =
            |reason: String| Err(Error::Unavailable { what: "a move in place".into(), reason });
        if self.array(Side::Destination).has_gaps {
            return unavailable(format!(
                "the destination of rank {rank} has gaps, which would hold what was there before; use `run` with two \
                 arrays"
            ));
        }
        let whole = self.prepared.facts.plan.descriptor(Side::Destination).local_len(rank);
        let moved = self.elements_of_messages(Side::Destination);
        if moved == whole {
            return Ok(());
        }
        unavailable(format!(
            "{} of the {whole} elements that rank {rank} has afterwards are outside of what is moved, and would have \
             no value; use `run` with two arrays",
            whole - moved
        ))
    }
}
