//! `Bound`: a plan on the ranks of a communicator, and `Started`: a move that is under way.

use super::arrays::{DestinationArray, SourceArray};
use super::calls::{Calls, CopiedBytes};
use super::joined_mover::JoinedLine;
use super::mover::Mover;
use super::transfer::UnpackTo;
use crate::element::{Element, bytes_of, bytes_of_mut, elements_of};
use crate::error::Error;
use crate::layout::LocalArray;
use crate::plan::schedule::{Method, Step};
use crate::plan::{Plan, Side};
use crate::program::{Envelope, StridedArray, StridedCopy};
use crate::transport::{Arrays, GoesOn, Target, Way};
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

/// A bound redistribution: moves arrays as often as wanted. It owns the message buffers. The trait
/// [`Redistribution`](super::Redistribution) has an example.
///
/// The array holds `T` and has `D` dimensions. A bound plan stays on the thread that bound it:
///
/// ```compile_fail,E0277
/// # use redist_runtime as redist;
/// fn to_another_thread<T: Send>() {}
/// to_another_thread::<redist::Bound<f64, 1>>();
/// ```
pub struct Bound<T: Element, const D: usize> {
    /// First field, because the compiler names the first field that is not `Send`.
    stays: PhantomData<(T, StaysOnTheThreadThatBoundIt)>,
    pub(super) plan: Plan<D>,
    pub(super) mover: Mover,
    #[cfg(feature = "ndarray")]
    pub(super) gathered: Vec<T>,
}

/// Not `Send`, because peers wait for the thread that bound the plan. Bind it where it runs.
struct StaysOnTheThreadThatBoundIt(#[expect(dead_code, reason = "it is not `Send`")] *mut ());

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
    pub(super) fn of(plan: Plan<D>, mover: Mover) -> Self {
        Self {
            plan,
            mover,
            #[cfg(feature = "ndarray")]
            gathered: Vec::new(),
            stays: PhantomData,
        }
    }

    /// Moves the array: `source` is this rank's part before the move, `destination` its part after
    /// it. Both are in their layout's storage order, empty if the rank holds nothing. Collective.
    /// Plans nothing. Allocates only message buffers and kernel tables, on their first use.
    ///
    /// Elements of `destination` outside the moved section keep their values. The call returns after
    /// the last use of this rank's arrays. [`explain`](Bound::explain) says how elements go.
    ///
    /// # Errors
    /// An array of the wrong length on this rank or on a sender, or a sender that is lost or makes
    /// a different call. Shared arrays made for other ranks, or not parts of one array. The
    /// destination has not changed then. Over MPI, and if the plan is bound
    /// [collectively](super::Binder::collectively), every rank returns an error if one does. If
    /// another rank panics while it copies, destinations are unspecified.
    pub fn run(
        &mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<(), Error> {
        // SAFETY: all ranks move elements of type `T`, because binding compared the types. Programs
        // and kernels have this element width, so they copy whole elements to places of whole ones.
        let (len, target) = unsafe { destination.target() };
        let ready = self.mover.lengths(source.elements().len(), len);
        self.mover.run(ready, Arrays { source: source.source(), target }, None)
    }

    /// Moves the array and calls `function` with each arriving element and the element in its place
    /// in `destination`. Collective; arrays are as for [`run`](Bound::run).
    ///
    /// The destination's type need not be an [`Element`], because it never leaves the rank. The
    /// function runs once per moved element of this rank's destination, in no particular order;
    /// elements outside the moved section stay untouched. Common functions:
    /// [`scale_add`](super::scale_add), [`converted`](super::converted),
    /// [`conjugated`](super::conjugated).
    ///
    /// In one move, some ranks can call this with functions of their own, and others
    /// [`run`](Bound::run). The function reads shared sources, chunks or packed messages.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// // Each rank counts how often a word has been seen, over several moves.
    /// let plan = TypedPlan::<u32, 1>::parse([100], "block onto 2", "cyclic onto 2")?;
    /// threads::run(2, |rank| {
    ///     let mut bound = plan.bind(rank)?;
    ///     let seen = vec![3; bound.local_len(Side::Source)];
    ///     let mut sums = vec![0_u64; bound.local_len(Side::Destination)];
    ///     for _ in 0..4 {
    ///         bound.run_with(&seen, &mut sums, |moved, sum| *sum += u64::from(moved))?;
    ///     }
    ///     assert!(sums.iter().all(|sum| *sum == 12));
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// A function that moves or binds on the same communicator gets an error. Ranks without
    /// arrivals do not call it, and peers wait for the end of this move.
    ///
    /// # Errors
    /// The errors of [`run`](Bound::run). If another rank panics while it packs, the function may
    /// have run for some elements.
    ///
    /// # Panics
    /// If `function` does, after it has run for some elements. The other ranks' moves succeed, and
    /// the next move of all ranks works.
    pub fn run_with<U>(
        &mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &mut [U],
        function: impl FnMut(T, &mut U),
    ) -> Result<(), Error> {
        let ready = self.mover.lengths(source.elements().len(), destination.len());
        let arrays = Arrays { source: source.source(), target: Target::Kept };
        self.mover.run(ready, arrays, Some(&mut for_each(destination, function)))
    }

    /// Moves the array in place: `array` holds this rank's part before and after the move, of other
    /// lengths. It is empty on ranks outside a side's grid. Collective; other ranks may
    /// [`run`](Bound::run) or [`start`](Bound::start) the same move.
    ///
    /// Uses packed messages, with any way and schedule, because all elements must leave the array
    /// before others arrive. Elements outside the source's moved section are lost. The capacity does
    /// not shrink.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, TypedPlan, threads};
    ///
    /// // Two ranks leave, and the three that stay get blocks of 4.
    /// let fewer = TypedPlan::<u32, 1>::parse([60], "cyclic(3) onto 5", "cyclic(4) onto 3")?;
    /// let lens = threads::run(5, |rank| {
    ///     let mut bound = fewer.bind(rank)?;
    ///     let mut array: Vec<u32> = vec![rank.rank() as u32; 12];
    ///     bound.run_in_place(&mut array)?;
    ///     Ok::<_, redist::Error>(array.len())
    /// })?;
    /// assert_eq!(lens, [20, 20, 20, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`run`](Bound::run). [`Error::Unavailable`] if the destination has unmoved
    /// elements or gaps, which would have no value, or if [`max_bytes`](super::Binder::max_bytes)
    /// needs rounds. The array is unchanged, unless a rank is lost after all were ready.
    pub fn run_in_place(&mut self, array: &mut Vec<T>) -> Result<(), Error> {
        let (before, after) = (array.len(), self.mover.array(Side::Destination).len);
        let ready = self.mover.can_run_in_place(before);
        self.mover.start(ready, bytes_of(array), GoesOn::WithAll)?;
        let whole = &mut *array;
        let moved = self.complete(move || {
            whole.resize(before.max(after), T::ZERO);
            &mut whole[..after]
        });
        array.truncate(if moved.is_ok() { after } else { before });
        moved
    }

    /// Begins a move and lets the caller work until it [finishes](Started::finish). Collective.
    ///
    /// The source is packed on return and may change. The move borrows the destination until it is
    /// finished or dropped. Other ranks may [`run`](Bound::run) the same move, or finish theirs in
    /// any order.
    ///
    /// All packed messages travel at once, whatever the way and the schedule, because this rank
    /// does not wait for its peers before it finishes.
    ///
    /// # Errors
    /// The errors of [`run`](Bound::run), and [`Error::Unavailable`] if
    /// [`max_bytes`](super::Binder::max_bytes) needs several rounds.
    pub fn start<'a>(
        &'a mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &'a mut (impl DestinationArray<T> + ?Sized),
    ) -> Result<Started<'a, T, D>, Error> {
        self.started(source.elements(), destination.elements_mut())
    }

    /// Begins a move with a function and lets the caller work until it
    /// [finishes](Started::finish_with). Collective; otherwise as [`start`](Bound::start).
    ///
    /// # Errors
    /// The errors of [`start`](Bound::start).
    pub fn start_with<'a, U>(
        &'a mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &'a mut [U],
    ) -> Result<Started<'a, T, D, U>, Error> {
        self.started(source.elements(), destination)
    }

    fn started<'a, U>(
        &'a mut self,
        source: &[T],
        destination: &'a mut [U],
    ) -> Result<Started<'a, T, D, U>, Error> {
        let lengths = self.mover.lengths(source.len(), destination.len());
        let ready = lengths.and_then(|()| self.mover.goes_at_once("a move that is started"));
        self.mover.start(ready, bytes_of(source), GoesOn::WithSenders)?;
        Ok(Started { bound: self, destination })
    }

    /// Ends a move into the array that `destination` returns, if all ranks were ready. Returns the
    /// errors of [`run`](Self::run).
    fn complete<'d>(&mut self, destination: impl FnOnce() -> &'d mut [T]) -> Result<(), Error> {
        // SAFETY: all ranks move elements of type `T`, because binding compared the types. Programs
        // and kernels have this element width, so they copy whole elements to places of whole ones.
        self.mover.complete(|| UnpackTo::Array(unsafe { bytes_of_mut(destination()) }))
    }

    /// Returns this rank's number in the communicator.
    pub fn rank(&self) -> usize {
        self.mover.rank()
    }

    /// Returns the envelopes of packed messages from this rank, itself included.
    #[doc(hidden)]
    pub fn outgoing(&self) -> &[Envelope] {
        self.mover.prepared.packing().envelopes()
    }

    /// Returns the envelopes of packed messages to this rank, itself included.
    #[doc(hidden)]
    pub fn incoming(&self) -> &[Envelope] {
        self.mover.prepared.unpacking().envelopes()
    }

    #[doc(hidden)]
    pub fn way(&self) -> Way {
        self.mover.way()
    }

    #[doc(hidden)]
    pub fn method(&self) -> Method {
        self.mover.method()
    }

    /// Returns the number of rounds of packed messages: 1 unless
    /// [`max_bytes`](super::Binder::max_bytes) needs more. Applies to
    /// [`run_with`](Bound::run_with), and to [`run`](Bound::run) if it packs messages. The same on
    /// all ranks.
    pub fn rounds(&self) -> usize {
        self.mover.round_count()
    }

    /// Returns the most bytes of message buffers that [`run`](Bound::run) holds on this rank, sent
    /// and received, if all ranks call it. Ranks that share arrays need none; chunks need their
    /// window. Never exceeds [`max_bytes`](super::Binder::max_bytes). Leaves out copy tables and
    /// the MPI library's own memory.
    pub fn scratch_bytes(&self) -> usize {
        self.mover.scratch_bytes()
    }

    /// Returns the bytes of message buffers and chunk window that this rank holds now.
    #[doc(hidden)]
    pub fn held_bytes(&self) -> usize {
        let held = self.mover.exchange.channel.facts();
        held.messages + held.window
    }

    /// Returns the steps of the schedule that this rank takes part in; `None` without a schedule.
    #[doc(hidden)]
    pub fn steps(&self) -> Option<&[Step]> {
        self.mover.decision.steps.as_deref()
    }

    #[doc(hidden)]
    pub fn calls(&self) -> Calls {
        self.mover.exchange.copying.counter.calls
    }

    #[doc(hidden)]
    pub fn copied_bytes(&self) -> CopiedBytes {
        self.mover.exchange.copying.counter.bytes
    }

    /// Calls `watch` with the counts before each copy. For tests, which panic or wait there.
    #[doc(hidden)]
    pub fn watch(&mut self, watch: impl FnMut(Calls) + 'static) {
        self.mover.exchange.copying.counter.watch = Some(Box::new(watch));
    }

    #[doc(hidden)]
    pub fn prepared(&self) -> Vec<&'static str> {
        self.mover.prepared.made()
    }

    /// Returns the length of this rank's local array on one side, in elements. With
    /// [`strides`](super::Binder::strides) or
    /// [`leading_dimension`](super::Binder::leading_dimension) it ends with the last element. With
    /// [`within`](super::Binder::within) it counts the whole enclosing array, halo included. Moves
    /// also take longer arrays in these cases.
    pub fn local_len(&self, side: Side) -> usize {
        self.mover.local_len(side)
    }

    /// Returns the plan.
    pub fn plan(&self) -> &Plan<D> {
        &self.plan
    }

    /// Returns this rank's local array on one side: extents, strides, offsets and global indices.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<f64, 2>::parse([6, 4], "(cyclic(2), *) onto 3", "(*, block) onto 2")?;
    /// threads::run(3, |rank| {
    ///     let mut bound = plan.bind(rank)?;
    ///     let value = |[row, column]: [usize; 2]| (10 * row + column) as f64;
    ///     let rows: Vec<f64> = bound.global_indices(Side::Source).map(value).collect();
    ///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&rows, &mut columns)?;
    ///     let local = bound.local(Side::Destination);
    ///     for (offset, found) in columns.iter().enumerate() {
    ///         let index = local.global_index(offset);
    ///         assert_eq!(*found, value(index));
    ///         assert_eq!(local.offset_of(index), Some(offset));
    ///     }
    ///     assert_eq!(bound.plan().descriptor(Side::Destination).owner([5, 3]), 1);
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn local(&self, side: Side) -> LocalArray<D> {
        let StridedArray { strides, first, .. } = self.mover.array(side);
        self.plan.descriptor(side).local(self.mover.rank()).placed(strides, *first)
    }

    /// Returns the extents of the enclosing array in memory, padding included
    /// ([`Binder::leading_dimension`](super::Binder::leading_dimension),
    /// [`within`](super::Binder::within)).
    pub fn local_shape(&self, side: Side) -> [usize; D] {
        let shape = self.mover.local_shape(side);
        core::array::from_fn(|dimension| shape[dimension])
    }

    /// Iterates over the global indices of this rank's local array, in its storage order.
    pub fn global_indices(
        &self,
        side: Side,
    ) -> impl ExactSizeIterator<Item = [usize; D]> + FusedIterator + Clone + fmt::Debug + use<T, D>
    {
        self.local(side).global_indices()
    }

    /// Describes [`run`](Bound::run) on this rank if all ranks call it: way, schedule, copying
    /// code, volumes, memory, and the first move's preparations. Gives reasons.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Error, Redistribution, TypedPlan, threads};
    ///
    /// let plan = TypedPlan::<f64, 1>::parse([1200], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
    /// threads::run(3, |rank| {
    ///     let text = plan.bind(rank)?.explain();
    ///     assert!(text.contains("way: lent arrays"), "{text}");
    ///     assert!(text.contains("nothing is packed"), "{text}");
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn explain(&self) -> String {
        self.mover.explain()
    }
}

#[doc(hidden)]
impl<T: Element, const D: usize> JoinedLine for Bound<T, D> {
    type Unit = T;

    fn begin(&mut self, ready: Result<(), Error>, source: &[T]) -> Result<(), Error> {
        self.mover.begin(ready, bytes_of(source), GoesOn::WithSenders)
    }

    fn test(&mut self) -> Result<bool, Error> {
        self.mover.exchange.channel.test()
    }

    fn complete(&mut self, destination: Option<&mut [T]>) -> Result<(), Error> {
        match destination {
            Some(destination) => Bound::complete(self, || destination),
            None => JoinedLine::complete(&mut self.mover, None),
        }
    }
}

/// A move of [`Bound::start`] or [`Bound::start_with`], to elements `U`. Dropping it waits for no
/// rank, and leaves the destination as it is. The other ranks get this rank's elements all the same.
/// This rank's next call of the plan receives what it was sent, and loses errors.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Redistribution, TypedPlan, Side, ok, threads};
///
/// let plan = TypedPlan::<u32, 1>::parse([12], "block onto 3", "cyclic onto 3")?;
/// let moved = threads::run(3, |rank| {
///     let mut bound = plan.bind(rank)?;
///     let mut destination = vec![0; bound.local_len(Side::Destination)];
///     let started = bound.start(&[rank.rank() as u32; 4], &mut destination)?;
///     // Work of this rank's own, and then:
///     started.finish()?;
///     ok(destination)
/// })?;
/// assert_eq!(moved[0], [0, 0, 1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "the destination holds its part after `finish`, which says how the move went"]
pub struct Started<'a, T: Element, const D: usize, U = T> {
    pub(super) bound: &'a mut Bound<T, D>,
    /// The array to finish into.
    pub(super) destination: &'a mut [U],
}

impl<T: Element, const D: usize, U> Started<'_, T, D, U> {
    /// Returns `true` if [`finish`](Started::finish) would not wait. Lets the transport make
    /// progress.
    ///
    /// # Errors
    /// The errors of [`finish`](Started::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.mover.exchange.channel.test()
    }

    /// Waits for this rank's elements, and calls `function` with each, as [`Bound::run_with`] does.
    ///
    /// # Errors
    /// The errors of [`Bound::run_with`].
    ///
    /// # Panics
    /// The panics of [`Bound::run_with`].
    pub fn finish_with(self, function: impl FnMut(T, &mut U)) -> Result<(), Error> {
        let visit = &mut for_each(self.destination, function);
        self.bound.mover.complete(|| UnpackTo::Function(visit))
    }

    #[doc(hidden)]
    pub fn copied_bytes(&self) -> CopiedBytes {
        self.bound.copied_bytes()
    }
}

impl<T: Element, const D: usize> Started<'_, T, D> {
    /// Waits until the destination holds its part.
    ///
    /// # Errors
    /// The errors of [`Bound::run`].
    pub fn finish(self) -> Result<(), Error> {
        let Self { bound, destination } = self;
        bound.complete(|| destination)
    }
}

/// Returns a visitor that calls a function with each arriving element and its place in the array.
pub(super) fn for_each<T: Element, U>(
    local: &mut [U],
    mut function: impl FnMut(T, &mut U),
) -> impl FnMut(&[u8], StridedCopy) {
    move |message, runs| {
        runs.runs().for_each(|(from, to)| {
            let bytes = &message[from * size_of::<T>()..(from + runs.len) * size_of::<T>()];
            // SAFETY: all ranks move elements of type `T`, because binding compared the types, and
            // pack whole ones; runs are in elements.
            let moved = unsafe { elements_of::<T>(bytes) };
            for (moved, kept) in moved.zip(&mut local[to..to + runs.len]) {
                function(moved, kept);
            }
        });
    }
}
