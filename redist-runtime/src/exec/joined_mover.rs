//! One rank's end of moves of one array in parts, which several programs hold and want.

use super::array_shape::{check_lengths, check_shape};
use super::mover::Mover;
use super::run_receiver::RunReceiver;
use super::transfer::UnpackTo;
use crate::error::Error;
use crate::plan::Side;
use crate::program::{StridedArray, StridedCopy};
use crate::transport::{GoesOn, MoveVote};

/// A bound plan of two programs: their common part of the array.
pub trait JoinedLine {
    /// Unit of the caller's arrays: an element, or a byte.
    type Unit;

    /// Begins a move of this rank, ready or not; `complete` ends it. Collective.
    fn begin(&mut self, ready: Result<(), Error>, source: &[Self::Unit]) -> Result<(), Error>;

    /// Returns `true` if `complete` would not wait.
    fn test(&mut self) -> Result<bool, Error>;

    /// Ends a move. `None` takes what has arrived, and drops it.
    fn complete(&mut self, destination: Option<&mut [Self::Unit]>) -> Result<(), Error>;
}

impl JoinedLine for Mover {
    type Unit = u8;

    fn begin(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        Mover::begin(self, ready, source, GoesOn::WithSenders)
    }

    fn test(&mut self) -> Result<bool, Error> {
        self.exchange.channel.test()
    }

    fn complete(&mut self, destination: Option<&mut [u8]>) -> Result<(), Error> {
        let mut dropped = |_: &[u8], _: StridedCopy| {};
        Mover::complete(self, || match destination {
            Some(bytes) => UnpackTo::Array(bytes),
            None => UnpackTo::Function(&mut dropped),
        })
    }
}

/// Moves a rank's parts of one array to and from all programs that have common parts with its own.
pub struct JoinedMover<L> {
    /// A vote of all ranks of all programs.
    vote: Box<dyn MoveVote>,
    /// The plans of this rank's program, each on the ranks of two programs.
    lines: Vec<L>,
    /// This rank's dense local arrays, by side; empty where its program has no part.
    parts: [StridedArray; 2],
}

impl<L> JoinedMover<L> {
    /// Joins plans whose ranks vote together.
    pub fn new(vote: impl MoveVote + 'static, lines: Vec<L>, parts: [StridedArray; 2]) -> Self {
        Self { vote: Box::new(vote), lines, parts }
    }

    /// Returns this rank's number among the ranks of all programs.
    pub fn rank(&self) -> usize {
        self.vote.rank()
    }

    /// Returns the plans of this rank's program.
    pub fn lines(&self) -> &[L] {
        &self.lines
    }

    /// Returns this rank's local array on one side.
    pub fn part(&self, side: Side) -> &StridedArray {
        &self.parts[side as usize]
    }

    /// Checks the elements of this rank's local arrays, by side.
    ///
    /// # Errors
    /// An array has another length.
    pub fn lengths(&self, found: [usize; 2]) -> Result<(), Error> {
        check_lengths(&self.parts, self.rank(), found)
    }

    /// Checks an array that is brought whole: see `Mover::holds`.
    pub(super) fn holds(
        &self,
        side: Side,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<(), Error> {
        check_shape(self.part(side), (self.rank(), side), shape, strides)
    }

    /// Ends a move on all ranks. `end` ends that of one plan, with `false` where some rank is not ready:
    /// pairs with all ranks ready have sent their messages, which must be taken.
    fn end_with(
        &mut self,
        mine: Result<(), Error>,
        mut end: impl FnMut(&mut L, bool) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut outcome = self.vote.finish(mine);
        let are_ready = outcome.is_ok();
        for line in &mut self.lines {
            let ended = end(line, are_ready);
            outcome = outcome.and(ended);
        }
        outcome
    }
}

impl<L: JoinedLine> JoinedMover<L> {
    /// Begins a move, which [`finish`](Self::finish) ends. Has packed the source on return. Collective
    /// over all ranks of all programs.
    ///
    /// # Errors
    /// This rank is not ready; its move ends here. The other ranks learn of it when they finish.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[L::Unit]) -> Result<(), Error> {
        self.vote.begin(ready.is_ok())?;
        for line in &mut self.lines {
            line.begin(ready.clone(), source)?;
        }
        let Err(error) = ready else { return Ok(()) };
        let told = self.end_with(Err(error.clone()), |line, _| line.complete(None));
        Err(told.err().unwrap_or(error))
    }

    /// Returns `true` if [`finish`](Self::finish) would not wait.
    ///
    /// # Errors
    /// The errors of `finish`.
    pub fn test(&mut self) -> Result<bool, Error> {
        let mut is_over = self.vote.test()?;
        for line in &mut self.lines {
            is_over &= line.test()?;
        }
        Ok(is_over)
    }

    /// Waits until the destination holds its part, from all programs.
    ///
    /// # Errors
    /// A rank of any program is not ready, or a sender is gone. The destination has not changed then.
    pub fn finish(&mut self, destination: &mut [L::Unit]) -> Result<(), Error> {
        self.end_with(Ok(()), |line, are_ready| {
            line.complete(are_ready.then_some(&mut *destination))
        })
    }
}

impl JoinedMover<Mover> {
    /// As [`finish`](Self::finish), to a receiver of runs. The widths are bytes of an element: of what
    /// arrives, and of the destination.
    pub(super) fn finish_by(
        &mut self,
        destination: &mut [u8],
        widths: [usize; 2],
        receiver: &mut impl RunReceiver,
    ) -> Result<(), Error> {
        let ended = self.end_with(Ok(()), |line, are_ready| {
            let mut visit = |message: &[u8], runs: StridedCopy| {
                if are_ready {
                    receiver.receive(message, destination, runs, widths);
                }
            };
            Mover::complete(line, || UnpackTo::Function(&mut visit))
        });
        receiver.end(destination);
        ended
    }

    /// Describes the plans of this rank's program.
    pub(super) fn explain(&self) -> String {
        let mut text =
            format!("one array in parts of several programs; plans: {}", self.lines.len());
        for line in &self.lines {
            text += &format!("\n{}", line.explain());
        }
        text
    }
}
