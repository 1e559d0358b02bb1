//! Moves: all ranks meet, and do what they can do together.
//!
//! Unsafe, since a move lends arrays to other ranks.

use super::combine::{ArrivedRuns, UnpackTo, Visit};
use super::exchange::MessageExchange;
use super::mover::Mover;
use crate::error::Error;
use crate::program::transposes;
use crate::transport::{Arrays, Shape, Source, Target, Way};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a panic was about.
type Panic = Box<dyn std::any::Any + Send>;

impl Mover {
    /// Does what all ranks do together, and what may call the caller's function.
    ///
    /// # Errors
    /// Those of `work`; or that such a function does this.
    fn in_call(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        self.exchange.channel.begin_call()?;
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.exchange.channel.end_call();
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Moves everything, if this rank is `ready` and all others are. Collective.
    pub fn run(
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
        self.in_call(|mover| {
            if mover.moved(ready, &mut arrays, None)? {
                return Ok(());
            }
            let source = arrays.source.bytes();
            mover.deliver(source, &mut UnpackTo::Array(arrays.target.into_bytes()))
        })
    }

    /// Sends and receives all messages of a move that has begun.
    fn deliver(&mut self, source: &[u8], to: &mut UnpackTo<'_>) -> Result<(), Error> {
        if self.round_count() > 1 {
            return self.exchange_in_rounds(source, to);
        }
        self.prepare_messages();
        self.send(source)?;
        self.agree()?;
        self.receive_whole(to)
    }

    /// Meets all ranks, and moves everything, unless messages go by themselves, which is left to be
    /// done: false then. Where there is a function, it gets what arrives: no array of this rank's is
    /// written to then, nor is one lent.
    fn moved(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
        function: Option<&mut Visit<'_>>,
    ) -> Result<bool, Error> {
        let Self { prepared, exchange: MessageExchange { channel, copying, .. }, .. } = self;
        if ready.is_ok()
            && let Some(chunks) = channel.chunks()
            && let Some(rooms) = chunks.rooms_to_show(&arrays.source)
        {
            // Other ranks find it in this one's slots.
            let source = arrays.source.bytes();
            copying.pack(|list| rooms.add_to(list), |list| prepared.packing().pack(source, list));
        }
        // SAFETY: the shape is dropped in this function, returning or unwinding, while the arrays
        // stay borrowed. Where destinations are lent, this rank's is not used below but by way of
        // what was lent.
        let shape = unsafe { channel.meet(ready, arrays) }?;
        match shape {
            Shape::Messages => Ok(false),
            Shape::Lent(lent) if lent.destinations.is_empty() => {
                copying.counter.count(|calls| &mut calls.copied);
                match function {
                    Some(visit) => prepared.visited().visit(lent.sources, visit),
                    None => {
                        let destination = arrays.target.bytes_mut();
                        copying.counter.bytes += prepared.direct().copy(lent.sources, destination);
                    }
                }
                lent.end().map(|()| true)
            }
            Shape::Lent(lent) => {
                copying.counter.count(|calls| &mut calls.shares);
                copying.counter.bytes += prepared.share().copy_lent(&lent);
                lent.end().map(|()| true)
            }
            Shape::Chunks(shown) => {
                let (staged, own) = prepared.staged();
                let source = arrays.source.bytes();
                let mut to = match function {
                    Some(visit) => UnpackTo::Function(visit),
                    None => UnpackTo::Array(arrays.target.bytes_mut()),
                };
                while let Some(chunks) = shown.0.next_chunks(source, own)? {
                    copying.counter.count(|calls| &mut calls.rounds);
                    copying.counter.bytes += staged.copy_round(chunks, (source, own), &mut to);
                }
                Ok(true)
            }
            Shape::Packed(slots) => {
                let (source, prepared) = (arrays.source.bytes(), &*prepared);
                let mut to = match function {
                    Some(visit) => UnpackTo::Function(visit),
                    None => UnpackTo::Array(arrays.target.bytes_mut()),
                };
                let pack = |list: &mut [&mut [u8]]| prepared.packing().pack(source, list);
                let unpacked = copying.exchange_in_slots(slots, pack, |list, refill| {
                    prepared.unpacking().unpack_to(&mut to, list, refill)
                });
                unpacked.map(|()| true)
            }
        }
    }

    /// Begins a move that is [completed](Self::complete) later, if this rank is ready; else it ends
    /// here, when all others know. Collective.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.begin(ready.clone(), source)?;
        ready.map_err(|error| self.complete(|| UnpackTo::Array(&mut [])).err().unwrap_or(error))
    }

    /// Begins a move, whether this rank is ready or not; [`complete`](Self::complete) ends it.
    /// Collective.
    pub fn begin(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.prepare_messages();
            mover.exchange.channel.begin(ready)?;
            mover.send(source)
        })
    }

    /// Packs and sends all messages, if this rank is ready.
    fn send(&mut self, source: &[u8]) -> Result<(), Error> {
        let packing = self.prepared.packing();
        self.exchange.send(|messages, packed| packing.pack_and_tell(source, messages, packed))
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
            if self.round_count() == 1 {
                self.prepare_messages();
            }
            self.exchange.channel.begin(ready)?;
            return self.deliver(source.bytes(), &mut UnpackTo::Function(visit));
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
        self.deliver(source.bytes(), &mut UnpackTo::Function(visit))
    }

    /// Whether a function is given what arrives in the way that the plan is bound for; else packed
    /// messages go. What ranks copy in other ways is copied as it is; and a chunk has few columns of
    /// an array whose rows become columns.
    pub fn visits_in_its_way(&self) -> bool {
        match self.exchange.channel.way().0 {
            Way::Messages | Way::Joined | Way::Lent => true,
            Way::Chunks => !transposes(&self.prepared.facts.plan),
        }
    }

    /// Receives and unpacks all messages, if all ranks were ready, to what is asked for then.
    pub fn complete<'d>(&mut self, to: impl FnOnce() -> UnpackTo<'d>) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.agree()?;
            mover.receive_whole(&mut to())
        })
    }

    /// Whether all ranks were ready. A move that would go in rounds is none to be begun, and ends here.
    fn agree(&mut self) -> Result<(), Error> {
        self.exchange.channel.agree().inspect_err(|_| self.leave_rounds())
    }

    /// Receives all messages of a move. Where the caller's function panics, it ends as if that had
    /// not: others may wait for what this rank has to send them still.
    fn receive_whole(&mut self, to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let is_function = matches!(to, UnpackTo::Function(_));
        let received = catch_unwind(AssertUnwindSafe(|| self.receive(to)));
        received.unwrap_or_else(|panic| {
            if is_function && self.exchange.channel.all().is_ok() {
                self.exchange.channel.end();
            }
            resume_unwind(panic)
        })
    }

    /// Receives and unpacks all messages, of which it is known that all ranks send theirs.
    fn receive(&mut self, to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let unpacking = self.prepared.unpacking();
        self.exchange.receive(|messages, refill| unpacking.unpack_to(to, messages, refill))
    }
}

/// Moves whose messages go in several rounds, since those of all would take more memory than allowed.
impl Mover {
    /// Sends and receives all messages of a move that has begun, in rounds.
    ///
    /// Each round is a move by itself for the channel, and all ranks make as many. Where one round's
    /// vote is against it, it is the last on all ranks. What goes wrong later in a round may be known
    /// to some ranks only: these are not ready for the next one, from which all learn of it.
    fn exchange_in_rounds(&mut self, source: &[u8], to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let mut of_function = None;
        let all = || self.all_rounds(source, to, &mut of_function);
        let done = catch_unwind(AssertUnwindSafe(all));
        self.leave_rounds();
        match (done, of_function) {
            (Err(panic), _) | (_, Some(panic)) => resume_unwind(panic),
            (Ok(done), None) => done,
        }
    }

    /// Goes on where the caller's function panics, so that the others have what this rank sends.
    fn all_rounds(
        &mut self,
        source: &[u8],
        to: &mut UnpackTo<'_>,
        of_function: &mut Option<Panic>,
    ) -> Result<(), Error> {
        for round in 0..self.round_count() {
            if round > 0 {
                self.begin_round(Ok(()), source)?;
            }
            self.prepare_round(round);
            self.send_round(round, source)?;
            self.exchange.channel.agree()?;
            let received = match of_function {
                None => self.receive_round(round, source, to).map(|panic| *of_function = panic),
                Some(_) => self.receive(&mut UnpackTo::Function(&mut |_, _| ())),
            };
            received.inspect_err(|error| self.refuse_round(round + 1, error, source))?;
        }
        Ok(())
    }

    /// Begins a round after the first.
    fn begin_round(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        if self.exchange.channel.way().0 != Way::Messages {
            // Some rank has begun the move by itself, and so do all from now on.
            return self.exchange.channel.begin(ready);
        }
        // An array that is this rank's own is lent to no other where the way is messages.
        let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
        let moved = self.moved(ready, &mut arrays, None)?;
        assert!(!moved, "messages go where the way is messages");
        Ok(())
    }

    fn send_round(&mut self, round: usize, source: &[u8]) -> Result<(), Error> {
        let sent = catch_unwind(AssertUnwindSafe(|| self.send(source)));
        sent.unwrap_or_else(|panic| {
            // The others have been told, but it may have been after their vote.
            if self.exchange.channel.agree().is_ok() {
                self.refuse_round(round + 1, &self.panicked("packed"), source);
            }
            resume_unwind(panic)
        })
    }

    /// Receives what a round brings, after its vote; returns the panic of the caller's function, if
    /// it has panicked.
    fn receive_round(
        &mut self,
        round: usize,
        source: &[u8],
        to: &mut UnpackTo<'_>,
    ) -> Result<Option<Panic>, Error> {
        match catch_unwind(AssertUnwindSafe(|| self.receive(to))) {
            Ok(received) => received.map(|()| None),
            Err(panic) => {
                let all = self.exchange.channel.all();
                if all.is_ok() {
                    self.exchange.channel.end();
                    if matches!(to, UnpackTo::Function(_)) {
                        return Ok(Some(panic));
                    }
                }
                self.refuse_round(round + 1, &self.panicked("unpacked"), source);
                resume_unwind(panic)
            }
        }
    }

    fn panicked(&self, what_it_did: &str) -> Error {
        let reason = format!("a panic while it {what_it_did}");
        Error::PeerFailed { rank: self.rank(), reason }
    }

    /// Takes part in the vote of the next round, if there is one, as a rank that is not ready.
    fn refuse_round(&mut self, round: usize, error: &Error, source: &[u8]) {
        if round < self.round_count() {
            // It is the first error that this rank tells of.
            let _ = self
                .begin_round(Err(error.clone()), source)
                .and_then(|()| {
                    self.prepare_round(round);
                    self.send(source)
                })
                .and_then(|()| self.exchange.channel.agree());
        }
    }

    /// Whether all messages go at once, as a move needs that sends everything before it receives.
    ///
    /// # Errors
    /// They go in rounds.
    pub fn goes_at_once(&self, what: &str) -> Result<(), Error> {
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
}
