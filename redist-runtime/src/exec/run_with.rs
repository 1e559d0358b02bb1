//! Moves with a function: `kept = f(moved, kept)`. Unsafe, because it views received bytes as
//! elements. Per user type, only the loop over evenly spaced runs is compiled.

use super::arrays::SourceArray;
use super::combine::UnpackTo;
use super::{Bound, Started};
use crate::element::{Element, elements_of};
use crate::error::Error;
use crate::program::StridedCopy;
use crate::transport::{Arrays, Target};

impl<T: Element, const D: usize> Bound<T, D> {
    /// Moves the array and calls `function` with each arriving element and the element in its place
    /// in `destination`. Source and destination are this rank's parts before and after the move,
    /// both in their layout's storage order. Collective.
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
    /// use redist::{Error, Redistribution, RuntimePlan, Side, threads};
    ///
    /// // Each rank counts how often a word has been seen, over several moves.
    /// let plan = RuntimePlan::<u32, 1>::parse([100], "block onto 2", "cyclic onto 2")?;
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
    /// As [`run`](Bound::run). If another rank panics while it packs, the function may have run for
    /// some elements.
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

    /// Begins a move with a function and lets the caller work until it
    /// [finishes](Started::finish_with). Collective; otherwise as [`start`](Bound::start).
    ///
    /// # Errors
    /// As [`start`](Bound::start).
    pub fn start_with<'a, U>(
        &'a mut self,
        source: &(impl SourceArray<T> + ?Sized),
        destination: &'a mut [U],
    ) -> Result<Started<'a, T, D, U>, Error> {
        self.started(source.elements(), destination, |bound, _| {
            // Callers who want the error call `finish_with`.
            let ignore = &mut |_: &[u8], _: StridedCopy| ();
            let _ = bound.mover.complete(|| UnpackTo::Function(ignore));
        })
    }
}

impl<T: Element, const D: usize, U> Started<'_, T, D, U> {
    /// Waits for this rank's elements, and calls `function` with each, as [`Bound::run_with`] does.
    ///
    /// # Errors
    /// As [`Bound::run_with`].
    ///
    /// # Panics
    /// As [`Bound::run_with`].
    pub fn finish_with(mut self, function: impl FnMut(T, &mut U)) -> Result<(), Error> {
        self.destination.take().map_or(Ok(()), |destination| {
            let visit = &mut for_each(destination, function);
            self.bound.mover.complete(|| UnpackTo::Function(visit))
        })
    }
}

fn for_each<T: Element, U>(
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
