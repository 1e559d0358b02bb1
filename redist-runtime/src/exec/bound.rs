//! A plan bound to the ranks of a communicator: what `run` runs.

use super::kernels::Recipe;
use super::mover::Mover;
use super::started::Started;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::plan::{Plan, Side};
use crate::program::{Envelope, Step};
use crate::transport::{Channel, Transport};
use core::marker::PhantomData;

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
///
/// `T` is what the array holds, `C` the communicator, `D` the number of the array's dimensions.
pub struct Bound<T: Element, C: Transport, const D: usize> {
    pub(super) plan: Plan<D>,
    pub(super) mover: Mover<C::Channel>,
    element: PhantomData<fn(T) -> T>,
}

impl<T: Element, C: Transport, const D: usize> Bound<T, C, D> {
    /// Of a plan, and what it was bound to for elements of type `T`.
    pub(super) fn of(plan: Plan<D>, mover: Mover<C::Channel>) -> Self {
        Self { plan, mover, element: PhantomData }
    }

    /// Moves the array: `source` is this rank's part before, `destination` its part after, both in elements and in
    /// their layout's storage order, empty where the rank holds nothing. Collective; plans nothing, and allocates nothing
    /// but memory for messages, and tables to pack and unpack them by, when they are first needed.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// Where ranks are threads and there are no steps, nothing is packed: the ranks divide the array among them, each
    /// copies its share from all source arrays to all destinations, and this returns when nobody uses either any more.
    /// Where they are processes of one node, each copies its part from chunks of the others' source arrays, which they show
    /// in a small window of shared memory.
    ///
    /// # Errors
    /// A slice of the wrong length, here or on another rank, or a rank that is gone. Every rank then returns an error,
    /// and no destination has changed.
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        let ready = self.mover.lengths(source.len(), destination.len());
        // SAFETY: all ranks move elements of this type, as they found when the plan was bound, and move them whole.
        self.mover.run(ready, bytes_of(source), unsafe { bytes_of_mut(destination) })
    }

    /// Begins a move, so that the caller can do other work until it [finishes](Started::finish). Collective.
    ///
    /// The source has been packed when this returns, and may be written to. The destination is lent until the move is
    /// finished or dropped; dropping it waits, too.
    ///
    /// All messages are under way at once, whatever the schedule: until the move is finished nobody would be there to
    /// send those of the next step. Memory for messages, and tables to copy them by, are allocated when they are first
    /// needed: in the first move of this sort, or the first [`run`](Bound::run) that sends messages. Other ranks may
    /// [`run`](Bound::run) the same move, or finish theirs in any order.
    ///
    /// # Errors
    /// As [`run`](Bound::run).
    pub fn start<'a>(&'a mut self, source: &[T], destination: &'a mut [T]) -> Result<Started<'a, T, C, D>, Error> {
        let ready = self.mover.lengths(source.len(), destination.len());
        self.mover.start(ready.clone(), bytes_of(source))?;
        match ready {
            Ok(()) => Ok(Started::new(self, destination)),
            // The others learn of it when they finish; this rank has nothing to overlap.
            Err(error) => Err(self.complete(destination).err().unwrap_or(error)),
        }
    }

    pub(super) fn test(&mut self) -> Result<bool, Error> {
        self.mover.channel.test()
    }

    pub(super) fn complete(&mut self, destination: &mut [T]) -> Result<(), Error> {
        // SAFETY: as for `run`.
        self.mover.complete(unsafe { bytes_of_mut(destination) })
    }

    /// What this rank sends, its message to itself included.
    pub fn outgoing(&self) -> &[Envelope] {
        self.mover.outgoing()
    }

    /// What this rank receives, its message from itself included.
    pub fn incoming(&self) -> &[Envelope] {
        self.mover.incoming()
    }

    /// The method that ordered the messages in time.
    pub fn method(&self) -> Method {
        self.mover.decision.method
    }

    /// What this rank does in which step of [`run`](Bound::run); `None` where all messages go at once.
    pub fn steps(&self) -> Option<&[Step]> {
        self.mover.decision.steps.as_deref()
    }

    /// Why this method, in words.
    pub fn reason(&self) -> &str {
        &self.mover.decision.reason
    }

    /// What packs and what unpacks this rank's messages, and why: chosen when the plan was bound.
    pub fn kernels(&self) -> (Recipe, Recipe) {
        self.mover.kernels()
    }

    /// Length of this rank's local array on one side, in elements.
    pub fn local_len(&self, side: Side) -> usize {
        self.mover.local_len(side)
    }
}
