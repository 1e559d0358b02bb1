//! Moves by lists of indices, which each rank knows for itself alone.

use super::arrays::BatchArrays;
use super::list_mover::ListMover;
use super::list_volume::ListVolume;
use crate::element::{Element, ElementType};
use crate::error::Error;
use crate::plan::Side;
use crate::program::lists::{IndexList, ListSides};
use crate::transport::Transport;
use core::marker::PhantomData;

/// A move by the global indices of each rank's elements, before and after.
///
/// Each rank brings its own two [`IndexList`]s, of which no other rank has to know. An index may be
/// wanted by any ranks, and any number of times. It is in one source list, unless elements are
/// declared [`equal`](IndexMove::equal). A list may also be that of a layout
/// ([`IndexList::of`]). Runs of neighbours, and indices at equal distances, are found and copied as
/// such.
///
/// ```
/// # use redist_runtime as redist;
/// # use redist::program::lists::IndexList;
/// use redist::exec::IndexMove; // and `IndexList`
/// use redist::{Side, threads};
///
/// threads::run(3, |rank| {
///     // Rows 4 r..4 r + 4 are on rank r, and go where their number modulo 3 says, backwards.
///     let own: Vec<usize> = (4 * rank.rank()..4 * rank.rank() + 4).collect();
///     let wanted: Vec<usize> = (0..12).rev().filter(|row| row % 3 == rank.rank()).collect();
///     let lists = [IndexList::new(&own), IndexList::new(&wanted)];
///     let mut bound = IndexMove::<u32>::new(12, lists).bind(rank)?;
///     let rows: Vec<u32> = own.iter().map(|row| 10 * *row as u32).collect();
///     let mut found = vec![0; bound.local_len(Side::Destination)];
///     bound.run(&rows, &mut found)?;
///     assert!(found.iter().zip(wanted).all(|(found, row)| *found == 10 * row as u32));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), redist::threads::Failure<redist::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "a move does nothing before `bind`"]
pub struct IndexMove<T> {
    /// Number of all indices.
    extent: usize,
    /// Indices of this rank's elements, by side.
    lists: [IndexList; 2],
    /// `true` if elements of one index are equal on all ranks.
    are_equal: bool,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> IndexMove<T> {
    /// Moves elements of the indices `0..extent`, from places in one list to those in the other.
    pub fn new(extent: usize, lists: [IndexList; 2]) -> Self {
        Self { extent, lists, are_equal: false, element: PhantomData }
    }

    /// Declares elements that several ranks have under one index equal: those of the lowest rank
    /// travel. The same on all ranks.
    pub fn equal(self) -> Self {
        Self { are_equal: true, ..self }
    }

    /// Plans with all ranks of a communicator. Collective.
    ///
    /// # Errors
    /// On all ranks, if an index is not below the extent, is in two source lists and not declared
    /// equal, or is wanted and in none. Also if ranks bring different extents or element types.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<BoundIndexMove<T>, Error> {
        let sides = ListSides {
            extent: self.extent,
            lists: [&self.lists[0], &self.lists[1]],
            are_equal: self.are_equal,
        };
        let mover = ListMover::new(&sides, ElementType::of::<T>(), communicator)?;
        Ok(BoundIndexMove { mover, element: PhantomData })
    }
}

/// A bound [`IndexMove`]; runs as often as wanted.
pub struct BoundIndexMove<T> {
    mover: ListMover,
    element: PhantomData<*mut T>,
}

impl<T: Element> BoundIndexMove<T> {
    /// Returns the number of this rank's elements on one side.
    pub fn local_len(&self, side: Side) -> usize {
        self.mover.lens[side as usize]
    }

    /// Returns what goes to each rank (source), or comes from it (destination), by increasing rank.
    /// Elements that stay on this rank are among it.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// # use redist::program::lists::IndexList;
    /// use redist::exec::IndexMove; // and `IndexList`
    /// use redist::{Side, threads};
    ///
    /// threads::run(2, |rank| {
    ///     // Blocks become every second index.
    ///     let own = IndexList::from_fn(1000, |place| 1000 * rank.rank() + place);
    ///     let wanted = IndexList::from_fn(1000, |place| 2 * place + rank.rank());
    ///     let bound = IndexMove::<f32>::new(2000, [own, wanted]).bind(rank)?;
    ///     let [to_0, to_1] = bound.volumes(Side::Source) else { panic!("two receivers") };
    ///     // 500 runs of one element, in one group at equal distances.
    ///     assert_eq!((to_0.rank, to_0.elements, to_0.runs, to_0.strides), (0, 500, 500, 1));
    ///     assert_eq!((to_1.rank, to_1.elements, to_1.singles), (1, 500, 0));
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), redist::threads::Failure<redist::Error>>(())
    /// ```
    pub fn volumes(&self, side: Side) -> &[ListVolume] {
        self.mover.volumes(side)
    }

    /// Describes [`run`](Self::run) on this rank: its messages, and the runs that it copies, partner
    /// by partner.
    pub fn explain(&self) -> String {
        self.mover.explain()
    }

    /// Moves all elements. Collective.
    ///
    /// # Errors
    /// A local array of this rank or of a sender has another length, or a sender is gone. The
    /// destination of a rank with an error has not changed.
    pub fn run(&mut self, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        let ready = self.mover.lengths([source.len(), destination.len()]);
        let arrays = BatchArrays::new(source, destination);
        self.mover.run(ready, arrays.source, arrays.destination)
    }

    /// Begins a move, and lets the caller work until it [finishes](StartedIndexMove::finish).
    /// Collective: other ranks may [`run`](Self::run) the move. The source is packed on return, and
    /// may change.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// # use redist::program::lists::IndexList;
    /// use redist::exec::IndexMove; // and `IndexList`
    /// use redist::{Side, threads};
    ///
    /// threads::run(2, |rank| {
    ///     let (own, wanted) = ([2 * rank.rank(), 2 * rank.rank() + 1], [3, 0]);
    ///     let lists = [IndexList::new(&own), IndexList::new(&wanted)];
    ///     let mut bound = IndexMove::<f64>::new(4, lists).bind(rank)?;
    ///     let (mut source, mut found) = (own.map(|index| index as f64), [0.0; 2]);
    ///     let started = bound.start(&source, &mut found)?;
    ///     source.fill(-1.0);
    ///     started.finish()?;
    ///     assert_eq!(found, [3.0, 0.0]);
    ///     Ok::<_, redist::Error>(())
    /// })?;
    /// # Ok::<(), redist::threads::Failure<redist::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn start<'a>(
        &'a mut self,
        source: &[T],
        destination: &'a mut [T],
    ) -> Result<StartedIndexMove<'a, T>, Error> {
        let ready = self.mover.lengths([source.len(), destination.len()]);
        let arrays = BatchArrays::new(source, &mut []);
        self.mover.start(ready, arrays.source)?;
        Ok(StartedIndexMove { bound: self, destination })
    }
}

/// A move of [`BoundIndexMove::start`]. Dropping it waits for no rank, and leaves the destination as it
/// is; the next call of the plan receives what this rank was sent, and loses errors.
#[must_use = "the destination holds its part after `finish`, which says how the move went"]
pub struct StartedIndexMove<'a, T> {
    bound: &'a mut BoundIndexMove<T>,
    /// The array to finish into.
    destination: &'a mut [T],
}

impl<T: Element> StartedIndexMove<'_, T> {
    /// Returns `true` if [`finish`](Self::finish) would not wait. Lets the transport make progress.
    ///
    /// # Errors
    /// The errors of [`finish`](Self::finish).
    pub fn test(&mut self) -> Result<bool, Error> {
        self.bound.mover.test()
    }

    /// Waits until the destination holds its elements.
    ///
    /// # Errors
    /// The errors of [`BoundIndexMove::run`].
    pub fn finish(self) -> Result<(), Error> {
        let arrays = BatchArrays::new(&[], self.destination);
        self.bound.mover.finish(arrays.destination)
    }
}

#[cfg(test)]
mod tests;
