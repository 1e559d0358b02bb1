//! A plan bound to the ranks of a communicator: what `run` runs.

use super::arrays::{DestinationArray, SourceArray};
use super::calls::{Calls, CopiedBytes};
use super::combine::UnpackTo;
use super::mover::Mover;
use crate::element::{Element, bytes_of, bytes_of_mut};
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::plan::{Plan, Side};
use crate::program::{Envelope, Step};
use crate::transport::Way;
use core::fmt;
use core::marker::PhantomData;

/// A redistribution ready to run, as often as wanted. It owns its messages' memory.
///
/// `T` is what the array holds, `D` the number of the array's dimensions. It stays on the thread
/// that it was bound on:
///
/// ```compile_fail,E0277
/// # use redist_runtime as redist;
/// fn to_another_thread<T: Send>() {}
/// to_another_thread::<redist::exec::Bound<f64, 1>>();
/// ```
pub struct Bound<T: Element, const D: usize> {
    /// First, since the compiler names the first field that keeps it from being sent.
    stays: PhantomData<(T, StaysOnTheThreadThatBoundIt)>,
    pub(super) plan: Plan<D>,
    pub(super) mover: Mover,
    /// The source, where it is a view with gaps: as the plan was bound for it.
    #[cfg(feature = "ndarray")]
    pub(super) gathered: Vec<T>,
}

/// A rank is a thread: others would be none of the ranks that wait for each other. Bind the plan on the
/// thread that runs it, which is what the compiler says with this type's name.
struct StaysOnTheThreadThatBoundIt(#[expect(dead_code, reason = "it is not `Send`")] *mut ());

/// Which plan it is, and on which rank.
impl<T: Element, const D: usize> fmt::Debug for Bound<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = format_args!("{}", self.plan);
        f.debug_struct("Bound")
            .field("rank", &self.rank())
            .field("plan", &plan)
            .finish_non_exhaustive()
    }
}

impl<T: Element, const D: usize> Bound<T, D> {
    /// Of a plan, and what it was bound to for elements of type `T`.
    pub(super) fn of(plan: Plan<D>, mover: Mover) -> Self {
        Self {
            plan,
            mover,
            #[cfg(feature = "ndarray")]
            gathered: Vec::new(),
            stays: PhantomData,
        }
    }

    /// Moves the array: `source` is this rank's part before, `destination` its part after, both in
    /// elements and in their layout's storage order, empty where the rank holds nothing.
    /// Collective. It plans nothing, and allocates nothing but memory for messages, when they are
    /// first needed, and what kernels copy by.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// Threads pack nothing: they divide the array among them, each copies its share from all source
    /// arrays to all destinations, and this returns when no rank uses either any more. Processes of
    /// one node each copy their part from chunks of the others' source arrays, which they show in a
    /// small window of shared memory. From arrays in shared memory (`SharedArray`) they copy straight:
    /// to ordinary arrays each rank its own part, and between shared arrays the ranks divide the work,
    /// as threads do. [`explain`](Bound::explain) says what is done here.
    ///
    /// # Errors
    /// An array of the wrong length, here or on another rank, or a rank that is gone; shared arrays
    /// that were not made for the ranks of this plan, or are not parts of one. Every rank then
    /// returns an error, and no destination has changed. Where another rank panics while it copies,
    /// no destination can be relied on.
    pub fn run(
        &mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<(), Error> {
        // SAFETY: all ranks move elements of type `T`, as they have compared when the plan was
        // bound, and programs and kernels, made for elements of its width, copy whole elements to
        // the places of whole elements.
        let (len, target) = unsafe { destination.target() };
        let ready = self.mover.lengths(source.elements().len(), len);
        self.mover.run(ready, source.source(), target)
    }

    /// Begins a move, so that the caller can do other work until it [finishes](Started::finish).
    /// Collective.
    ///
    /// The source has been packed when this returns, and may be written to. The destination is lent
    /// until the move is finished or dropped; dropping it waits, too.
    ///
    /// Packed messages are under way all at once, whatever the way and the schedule: until the move
    /// is finished this rank is not there for others to wait for. Memory for messages, and tables
    /// to copy them by, are made when they are first needed: in the first move of this sort, or the
    /// first [`run`](Bound::run) that sends messages. Other ranks may [`run`](Bound::run) the same
    /// move, or finish theirs in any order.
    ///
    /// # Errors
    /// As [`run`](Bound::run), and [`Error::Unavailable`] where
    /// [`max_bytes`](super::Binder::max_bytes) has messages go in rounds.
    pub fn start<'a>(
        &'a mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &'a mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<Started<'a, T, D>, Error> {
        let (source, destination) = (source.elements(), destination.elements_mut());
        let lengths = self.mover.lengths(source.len(), destination.len());
        let ready = lengths.and_then(|()| self.mover.goes_at_once("a move that is started"));
        self.mover.start(ready, bytes_of(source))?;
        Ok(Started::new(self, destination))
    }

    /// Begins a move, whether this rank is ready or not; [`complete`](Self::complete) ends it.
    /// Collective. For moves of several plans at once: others [start](Self::start).
    ///
    /// # Errors
    /// What the transport says.
    #[doc(hidden)]
    pub fn begin(&mut self, ready: Result<(), Error>, source: &[T]) -> Result<(), Error> {
        self.mover.begin(ready, bytes_of(source))
    }

    /// True if [`complete`](Self::complete) would not wait any more.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn test(&mut self) -> Result<bool, Error> {
        self.mover.exchange.channel.test()
    }

    /// Ends a move, if all ranks were ready, into the array that is asked for then.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    #[doc(hidden)]
    pub fn complete<'d>(&mut self, destination: impl FnOnce() -> &'d mut [T]) -> Result<(), Error> {
        // SAFETY: all ranks move elements of type `T`, as they have compared when the plan was
        // bound, and programs and kernels, made for elements of its width, copy whole elements to
        // the places of whole elements.
        self.mover.complete(|| UnpackTo::Array(unsafe { bytes_of_mut(destination()) }))
    }

    /// This rank's number in the communicator.
    pub fn rank(&self) -> usize {
        self.mover.rank()
    }

    /// What this rank sends where messages go, its message to itself included. What packs them is
    /// made by this, if it was not needed before.
    pub fn outgoing(&self) -> &[Envelope] {
        self.mover.prepared.packing().envelopes()
    }

    /// What this rank receives where messages go, its message from itself included. What unpacks
    /// them is made by this, if it was not needed before.
    pub fn incoming(&self) -> &[Envelope] {
        self.mover.prepared.unpacking().envelopes()
    }

    /// How elements get from rank to rank in [`run`](Bound::run).
    pub fn way(&self) -> Way {
        self.mover.exchange.channel.way().0
    }

    /// The method that made the schedule.
    pub fn method(&self) -> Method {
        self.mover.decision.method
    }

    /// In how many rounds packed messages go, in [`run`](Bound::run) where the [`way`](Bound::way) is
    /// messages, and in [`run_with`](Bound::run_with): 1, where
    /// [`max_bytes`](super::Binder::max_bytes) needs no more. The same on all ranks.
    pub fn rounds(&self) -> usize {
        self.mover.round_count()
    }

    /// Bytes of memory for messages that [`run`](Bound::run) holds at most on this rank where all
    /// ranks call it, both ways together, known before anything moves: none where ranks lend their
    /// arrays, the window where they show chunks. Where
    /// [`max_bytes`](super::Binder::max_bytes) is said, never more than that. Tables to copy by are
    /// not counted, nor is what an MPI library holds by itself.
    pub fn scratch_bytes(&self) -> usize {
        self.mover.scratch_bytes()
    }

    /// Bytes of memory for messages that this rank holds now, with the window for chunks.
    #[doc(hidden)]
    pub fn held_bytes(&self) -> usize {
        let held = self.mover.exchange.channel.memory();
        held.messages + held.window
    }

    /// The steps of the schedule in which this rank sends or receives; `None` without a schedule.
    /// MPI ranks send their messages in this order where messages go in [`run`](Bound::run).
    pub fn steps(&self) -> Option<&[Step]> {
        self.mover.decision.steps.as_deref()
    }

    /// How often each way of copying was called on this rank.
    #[doc(hidden)]
    pub fn calls(&self) -> Calls {
        self.mover.exchange.copying.counter.calls
    }

    /// How many bytes each kind of code has copied on this rank, of local arrays and messages.
    #[doc(hidden)]
    pub fn copied_bytes(&self) -> CopiedBytes {
        self.mover.exchange.copying.counter.bytes
    }

    /// Has `watch` called amid moves, before everything that copies, with what has been called. For
    /// tests, which panic or wait there.
    #[doc(hidden)]
    pub fn watch(&mut self, watch: impl FnMut(Calls) + 'static) {
        self.mover.exchange.copying.counter.watch = Some(Box::new(watch));
    }

    /// The names of what has been prepared so far.
    #[doc(hidden)]
    pub fn prepared(&self) -> Vec<&'static str> {
        self.mover.prepared.made()
    }

    /// Length of this rank's local array on one side, in elements, which is what moves take. Where
    /// the rank has said how the array lies in memory, that is up to its last element
    /// ([`strides`](super::Binder::strides), [`leading_dimension`](super::Binder::leading_dimension)),
    /// or all of the array that it is in, halo and all ([`within`](super::Binder::within)). Moves
    /// take longer arrays then, too.
    pub fn local_len(&self, side: Side) -> usize {
        self.mover.array(side).len
    }
}

/// A move that [`Bound::start`] began. Dropping it waits for its end, like
/// [`finish`](Started::finish), but errors are lost.
#[must_use = "dropping a started move waits for it; `finish` says how it went"]
pub struct Started<'a, T: Element, const D: usize> {
    bound: &'a mut Bound<T, D>,
    /// `None` once finished.
    destination: Option<&'a mut [T]>,
}

impl<'a, T: Element, const D: usize> Started<'a, T, D> {
    fn new(bound: &'a mut Bound<T, D>, destination: &'a mut [T]) -> Self {
        Self { bound, destination: Some(destination) }
    }

    /// True if [`finish`](Started::finish) would not wait any more. Lets the transport make
    /// progress.
    ///
    /// # Errors
    /// As [`finish`](Started::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.test()
    }

    /// As [`Bound::copied_bytes`].
    #[doc(hidden)]
    pub fn copied_bytes(&self) -> CopiedBytes {
        self.bound.copied_bytes()
    }

    /// Waits until the destination holds its part.
    ///
    /// # Errors
    /// As [`Bound::run`].
    pub fn finish(mut self) -> Result<(), Error> {
        match self.destination.take() {
            Some(destination) => self.bound.complete(|| destination),
            None => Ok(()),
        }
    }
}

impl<T: Element, const D: usize> Drop for Started<'_, T, D> {
    fn drop(&mut self) {
        if let Some(destination) = self.destination.take() {
            // `finish` is there for errors.
            let _ = self.bound.complete(|| destination);
        }
    }
}
