//! Moves: all ranks meet and move together. Unsafe, because a move shares arrays with other ranks.

use super::combine::{ArrivedRuns, UnpackTo, Visit};
use super::exchange::MessageExchange;
use super::mover::Mover;
use super::pull::Puller;
use crate::error::Error;
use crate::program::transposes;
use crate::transport::{Arrays, GoesOn, Shape, Source, Target, Way};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

type Panic = Box<dyn std::any::Any + Send>;

impl Mover {
    /// # Errors
    /// Those of `work`, or of a call from inside the caller's function.
    fn in_call(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        let several = self.round_count() > 1;
        self.exchange.channel.begin_call(several)?;
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        self.exchange.channel.end_call(self.left_out.take().as_ref());
        done.unwrap_or_else(|panic| resume_unwind(panic))
    }

    pub fn run(
        &mut self,
        ready: Result<(), Error>,
        source: Source<'_>,
        target: Target<'_>,
    ) -> Result<(), Error> {
        let mut arrays = Arrays { source, target };
        if self.prepared.facts.trapezoid.is_some() {
            // Ranks copy whole arrays of their peers.
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

    fn deliver(&mut self, source: &[u8], to: &mut UnpackTo<'_>) -> Result<(), Error> {
        if self.round_count() > 1 {
            return self.exchange_in_rounds(source, to);
        }
        self.prepare_messages();
        self.send(source)?;
        self.agree()?;
        self.receive_whole(to)
    }

    /// Meets all ranks and moves everything; returns `false` if the messages are still to be sent.
    /// A function receives the arrivals; this rank then neither writes nor shares a destination.
    fn moved(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
        function: Option<&mut Visit<'_>>,
    ) -> Result<bool, Error> {
        if ready.is_err() {
            // Senders that have only begun the move send some all the same.
            self.prepare_messages();
        }
        let Self { prepared, exchange: MessageExchange { channel, copying, messages, .. }, .. } =
            self;
        if ready.is_ok()
            && let Some(slots) = channel.slots()
            && let Some(rooms) = slots.rooms_before(&arrays.source)
        {
            // Other ranks read the messages in this rank's slots.
            let source = arrays.source.bytes();
            copying.pack(|list| rooms.add_to(list), |list| prepared.packing().pack(source, list));
        }
        // SAFETY: this function drops the shape, returning or unwinding, while the arrays stay
        // borrowed. It uses a shared destination of this rank below only through the shared form.
        let shape = unsafe { channel.meet(ready, arrays) }?;
        match shape {
            Shape::Messages => Ok(false),
            Shape::Pulled(pull) => {
                let mut to = match function {
                    Some(visit) => UnpackTo::Function(visit),
                    None => UnpackTo::Array(arrays.target.bytes_mut()),
                };
                let source = arrays.source.bytes();
                Puller { prepared, copying, messages }.pull(pull, source, &mut to).map(|()| true)
            }
            Shape::Lent(lent) if lent.destinations.is_empty() => {
                copying.counter.count(|calls| &mut calls.copied);
                match function {
                    Some(visit) => {
                        prepared.visited().visit(lent.sources, &mut UnpackTo::Function(visit));
                    }
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
        }
    }

    /// Begins a move if this rank is ready. Otherwise the move ends here. Collective.
    pub fn start(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        goes_on: GoesOn,
    ) -> Result<(), Error> {
        self.begin(ready.clone(), source, goes_on)?;
        ready.map_err(|error| self.complete(|| UnpackTo::Array(&mut [])).err().unwrap_or(error))
    }

    /// Begins a move of this rank, ready or not; [`complete`](Self::complete) ends it. Collective.
    pub fn begin(
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

    /// Moves everything to a function instead of an array if all ranks are ready: from shared
    /// arrays or chunks, or by messages. If the function panics, the move still ends normally,
    /// because peers need this rank's data. Collective.
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
            self.exchange.channel.begin(ready, GoesOn::WithSenders)?;
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

    /// Returns `true` if a function can receive elements by the plan's way; otherwise packed
    /// messages go. Other ways copy without functions, and a chunk holds few columns of an array
    /// whose rows become columns.
    pub fn visits_in_its_way(&self) -> bool {
        match self.exchange.channel.way().0 {
            Way::Messages | Way::Joined | Way::Lent => true,
            Way::Chunks => !transposes(&self.prepared.facts.plan),
        }
    }

    /// Receives and unpacks all messages to the target that `to` returns, if all ranks were ready.
    pub fn complete<'d>(&mut self, to: impl FnOnce() -> UnpackTo<'d>) -> Result<(), Error> {
        self.in_call(|mover| {
            mover.agree()?;
            mover.receive_whole(&mut to())
        })
    }

    /// Returns the ranks' agreement. A move in rounds cannot be begun, and ends here.
    fn agree(&mut self) -> Result<(), Error> {
        self.exchange.channel.agree().inspect_err(|_| self.leave_rounds())
    }

    /// Receives all messages of a move, also if the caller's function panics.
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

    fn receive(&mut self, to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let unpacking = self.prepared.unpacking();
        self.exchange.receive(|messages, refill| unpacking.unpack_to(to, messages, refill))
    }
}

impl Mover {
    /// Sends and receives all messages of a started move, in rounds.
    ///
    /// For the channel each round is a move, and all ranks make equally many. Over MPI a failed
    /// agreement ends the rounds on all ranks. Only some ranks may know of another failure in a
    /// round; they report not ready in the next. A thread whose call fails is not ready for the
    /// rounds that are left.
    fn exchange_in_rounds(&mut self, source: &[u8], to: &mut UnpackTo<'_>) -> Result<(), Error> {
        let (mut of_function, mut made) = (None, 0);
        let all = || self.all_rounds(source, to, (&mut of_function, &mut made));
        let done = catch_unwind(AssertUnwindSafe(all));
        if made < self.round_count() {
            let panicked = || Err(self.panicked("moved"));
            self.left_out = done.as_ref().map_or_else(|_| panicked(), Clone::clone).err();
        }
        self.leave_rounds();
        match (done, of_function) {
            (Err(panic), _) | (_, Some(panic)) => resume_unwind(panic),
            (Ok(done), None) => done,
        }
    }

    /// Continues if the caller's function panics, because peers need this rank's data.
    fn all_rounds(
        &mut self,
        source: &[u8],
        to: &mut UnpackTo<'_>,
        (of_function, made): (&mut Option<Panic>, &mut usize),
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
            *made += 1;
        }
        Ok(())
    }

    fn begin_round(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        if self.exchange.channel.way().0 != Way::Messages {
            // Some rank has begun the move by itself, so all do from now on.
            return self.exchange.channel.begin(ready, GoesOn::WithSenders);
        }
        // The way of messages shares no rank's own array.
        let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
        let moved = self.moved(ready, &mut arrays, None)?;
        assert!(!moved, "messages go where the way is messages");
        Ok(())
    }

    fn send_round(&mut self, round: usize, source: &[u8]) -> Result<(), Error> {
        let sent = catch_unwind(AssertUnwindSafe(|| self.send(source)));
        sent.unwrap_or_else(|panic| {
            // The peers have been notified, perhaps after their agreement.
            if self.exchange.channel.agree().is_ok() {
                self.refuse_round(round + 1, &self.panicked("packed"), source);
            }
            resume_unwind(panic)
        })
    }

    /// Receives a round's messages after its agreement; returns the panic of the caller's function.
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
