//! Moves whose messages go in several rounds, since those of all would take more memory than allowed.

use super::combine::UnpackTo;
use super::mover::Mover;
use crate::error::Error;
use crate::transport::{Arrays, Source, Target, Way};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// What a panic was about.
type Panic = Box<dyn std::any::Any + Send>;

impl Mover {
    /// Sends and receives all messages of a move that has begun, in rounds.
    ///
    /// Each round is a move by itself for the channel, and all ranks make as many. Where one round's
    /// vote is against it, it is the last on all ranks. What goes wrong later in a round may be known
    /// to some ranks only: these are not ready for the next one, from which all learn of it.
    pub(super) fn exchange_in_rounds(
        &mut self,
        source: &[u8],
        to: &mut UnpackTo<'_>,
    ) -> Result<(), Error> {
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
            self.channel.agree()?;
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
        if self.channel.way().0 != Way::Messages {
            // Some rank has begun the move by itself, and so do all from now on.
            return self.channel.begin(ready);
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
            if self.channel.agree().is_ok() {
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
                let all = self.channel.all();
                if all.is_ok() {
                    self.channel.end();
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
                .and_then(|()| self.channel.agree());
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
