//! Plans between copies of an array of any number of dimensions, and batches that threads move.

use crate::plan::{LocalPart, NoPlan, by_dimensions};
use crate::simulated::RankArrays;
use redist::exec::{
    AnyBatch, AnyBinder, AnyBoundBatch, AnyCopies, BatchArrays, Combining, PlanWithCopies,
    Reduction,
};
use redist::layout::{LocalArray, Padding};
use redist::threads::{self, Failure, Rank};
use redist::{AnyElement, Error, Side};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};

/// The functions of [`DoorCopies`], for any number of dimensions.
pub trait CopiesOfAnySize: Send + Sync {
    /// Adds the array to a batch of this rank's, whose parts are dense.
    fn add_to(&self, batch: &mut AnyBatch, element: AnyElement, rank: usize) {
        self.add_padded_to(batch, element, rank, &[None, None]);
    }
    /// Adds the array to a batch of this rank's, whose parts have these memory layouts, by side.
    fn add_padded_to(
        &self,
        batch: &mut AnyBatch,
        element: AnyElement,
        rank: usize,
        paddings: &[Option<Padding>; 2],
    );
    /// Returns the number of copies on a side: those of a sum's source are its addends.
    fn count(&self, side: Side) -> usize;
    /// Returns a rank's end of the moves. The function combines the addends of a sum; other copies
    /// take none.
    fn any(&self, element: AnyElement, rank: usize, combine: Option<Combining>) -> AnyCopies;
    /// Returns `true` if the copies of the source are addends.
    fn is_sum(&self) -> bool;
    fn dimensions(&self) -> usize;
    /// Returns one past the highest rank that has a copy.
    fn ranks(&self) -> usize;
    fn local(&self, side: Side, rank: usize) -> LocalPart;
    /// Returns the rank's indices along each axis of a side's stored array; none without a part.
    fn axis_indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>>;
    /// Returns the index of an element of a rank's part in the side's stored array.
    fn global_index(&self, side: Side, rank: usize, offset: usize) -> Option<Vec<usize>>;
    fn explain(&self) -> String;
}

impl<const D: usize> CopiesOfAnySize for PlanWithCopies<u8, D> {
    fn add_padded_to(
        &self,
        batch: &mut AnyBatch,
        element: AnyElement,
        rank: usize,
        paddings: &[Option<Padding>; 2],
    ) {
        let lines = (0..self.copies(Side::Destination)).map(|line| self.line(line).1);
        let plans: Vec<AnyBinder> =
            lines.map(|plan| padded(AnyBinder::new(plan, element), paddings)).collect();
        let own = CopiesOfAnySize::local(self, Side::Source, rank);
        let span = match &paddings[0] {
            Some(Padding::Strides(strides)) => own.span(strides),
            _ => own.len,
        };
        batch.add_copies(&plans, span);
    }

    fn count(&self, side: Side) -> usize {
        self.copies(side)
    }

    fn any(&self, element: AnyElement, rank: usize, _combine: Option<Combining>) -> AnyCopies {
        AnyCopies::new(self, element, rank)
    }

    fn is_sum(&self) -> bool {
        false
    }

    fn dimensions(&self) -> usize {
        D
    }

    fn ranks(&self) -> usize {
        PlanWithCopies::ranks(self)
    }

    fn local(&self, side: Side, rank: usize) -> LocalPart {
        LocalPart::of(&PlanWithCopies::local(self, side, rank))
    }

    fn axis_indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>> {
        axis_indices(&PlanWithCopies::local(self, side, rank))
    }

    fn global_index(&self, side: Side, rank: usize, offset: usize) -> Option<Vec<usize>> {
        let local = PlanWithCopies::local(self, side, rank);
        (offset < local.len()).then(|| local.global_index(offset).into())
    }

    fn explain(&self) -> String {
        PlanWithCopies::explain(self)
    }
}

impl<const D: usize> CopiesOfAnySize for Reduction<u8, D> {
    fn add_padded_to(
        &self,
        batch: &mut AnyBatch,
        element: AnyElement,
        _rank: usize,
        paddings: &[Option<Padding>; 2],
    ) {
        let plans = self.plans().iter();
        let plans: Vec<AnyBinder> =
            plans.map(|plan| padded(AnyBinder::new(plan, element), paddings)).collect();
        batch.add_copies(&plans, 0);
    }

    fn count(&self, side: Side) -> usize {
        match side {
            Side::Source => self.addends(),
            Side::Destination => self.plans().len() / self.addends(),
        }
    }

    fn any(&self, element: AnyElement, rank: usize, combine: Option<Combining>) -> AnyCopies {
        AnyCopies::sums(self, element, rank, combine)
    }

    fn is_sum(&self) -> bool {
        true
    }

    fn dimensions(&self) -> usize {
        D
    }

    fn ranks(&self) -> usize {
        Reduction::ranks(self)
    }

    fn local(&self, side: Side, rank: usize) -> LocalPart {
        LocalPart::of(&Reduction::local(self, side, rank))
    }

    fn axis_indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>> {
        axis_indices(&Reduction::local(self, side, rank))
    }

    fn global_index(&self, side: Side, rank: usize, offset: usize) -> Option<Vec<usize>> {
        let local = Reduction::local(self, side, rank);
        (offset < local.len()).then(|| local.global_index(offset).into())
    }

    fn explain(&self) -> String {
        Reduction::explain(self)
    }
}

/// Sets the memory layouts of local arrays, by side.
fn padded(mut binder: AnyBinder, paddings: &[Option<Padding>; 2]) -> AnyBinder {
    for (side, padding) in [Side::Source, Side::Destination].into_iter().zip(paddings) {
        if let Some(padding) = padding {
            binder = binder.padding(side, padding.clone());
        }
    }
    binder
}

fn axis_indices<const D: usize>(local: &LocalArray<D>) -> Vec<Vec<i64>> {
    if local.is_empty() {
        return vec![Vec::new(); D];
    }
    let (extents, strides) = (local.extents(), local.strides());
    let along = |axis: usize| {
        let global = |index: usize| local.global_index(index * strides[axis])[axis] as i64;
        (0..extents[axis]).map(global).collect()
    };
    (0..D).map(along).collect()
}

/// A plan between copies whose number of dimensions is a value: a [`PlanWithCopies`].
pub struct DoorCopies(Box<dyn CopiesOfAnySize>);

fn copied<const D: usize>(
    (extents, from, to): (&[usize], &str, &str),
) -> Result<DoorCopies, NoPlan> {
    let extents = extents.try_into().expect("as many extents as dimensions");
    Ok(DoorCopies(Box::new(PlanWithCopies::<u8, D>::parse(extents, from, to)?)))
}

fn summed<const D: usize>(
    (extents, from, to): (&[usize], &str, &str),
) -> Result<DoorCopies, NoPlan> {
    let extents = extents.try_into().expect("as many extents as dimensions");
    Ok(DoorCopies(Box::new(Reduction::<u8, D>::parse(extents, from, to)?)))
}

impl DoorCopies {
    pub(crate) fn of(copies: impl CopiesOfAnySize + 'static) -> Self {
        Self(Box::new(copies))
    }

    /// Plans the sum of addends in the notation: see [`Reduction::parse`].
    ///
    /// # Errors
    /// As there, and too many dimensions.
    pub fn parse_sums(extents: &[usize], from: &str, to: &str) -> Result<Self, NoPlan> {
        by_dimensions!(summed, (extents, from, to), 0 1 2 3 4 5 6 7 8)
    }

    /// Plans the move between copies in the notation: see [`PlanWithCopies::parse`].
    ///
    /// # Errors
    /// As there, and too many dimensions.
    pub fn parse(extents: &[usize], from: &str, to: &str) -> Result<Self, NoPlan> {
        by_dimensions!(copied, (extents, from, to), 0 1 2 3 4 5 6 7 8)
    }
}

impl Deref for DoorCopies {
    type Target = dyn CopiesOfAnySize;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Runs every rank as a thread. Binds a batch that `batch` makes for a rank, and has `run` move it; each
/// rank has its own arrays, by rank.
///
/// # Errors
/// A thread cannot be started; the errors of binding and of a move.
///
/// # Panics
/// There are not as many lists of arrays as ranks.
pub fn simulate_batch(
    ranks: usize,
    batch: impl Fn(usize) -> AnyBatch + Sync,
    run: impl Fn(&mut AnyBoundBatch, Vec<BatchArrays<'_>>) -> Result<(), Error> + Sync,
    arrays: Vec<Vec<BatchArrays<'_>>>,
) -> Result<(), Failure<Error>> {
    assert_eq!(arrays.len(), ranks, "each rank has its arrays");
    let arrays: Vec<_> = arrays.into_iter().map(|arrays| Mutex::new(Some(arrays))).collect();
    let moved = |rank: &Rank| {
        let own = arrays[rank.rank()].lock().unwrap_or_else(PoisonError::into_inner).take();
        run(&mut batch(rank.rank()).bind(rank)?, own.expect("a rank runs once"))
    };
    threads::run(ranks, moved).map(drop)
}

/// Runs every rank as a thread, and moves the copies of an array; each rank has its own arrays, by
/// rank. `combine` makes a rank's function that combines addends.
///
/// # Errors
/// A thread cannot be started; the errors of binding and of a move, such as a sum without a function.
///
/// # Panics
/// There are not as many arrays as ranks.
pub fn simulate_copies(
    copies: &DoorCopies,
    element: AnyElement,
    combine: impl Fn() -> Option<Combining> + Sync,
    arrays: Vec<RankArrays<'_>>,
) -> Result<(), Failure<Error>> {
    assert_eq!(arrays.len(), copies.ranks(), "each rank has its arrays");
    let arrays: Vec<_> = arrays.into_iter().map(|arrays| Mutex::new(Some(arrays))).collect();
    let moved = |rank: &Rank| {
        let number = rank.rank();
        let own = arrays[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        let RankArrays { source, destination, .. } = own.expect("a rank runs once");
        copies.any(element, number, combine()).bind(rank)?.run(source, destination)
    };
    threads::run(copies.ranks(), moved).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combine::{Combine, combined};

    #[test]
    fn copies_of_any_size_move_between_threads() {
        let (from, to) = ("(block, *) onto 2 of [6, 5] at [1, 2]", "(*, cyclic) onto 2 copies 2");
        let copies = DoorCopies::parse(&[4, 3], from, to).unwrap();
        let counts = [Side::Source, Side::Destination].map(|side| copies.count(side));
        assert_eq!((counts, copies.ranks()), ([1, 2], 4));
        assert_eq!(copies.axis_indices(Side::Destination, 3), [vec![0, 1, 2, 3], vec![1]]);
        assert_eq!(copies.axis_indices(Side::Source, 3), [vec![], vec![]] as [Vec<i64>; 2]);
        assert!(copies.explain().contains("to copy 1 from copy 0"));
        let element = AnyElement::of_bytes(1).unwrap();
        let part = |rank: usize| -> Vec<u8> {
            (0..copies.local(Side::Source, rank).len).map(|at| (15 * rank + at) as u8).collect()
        };
        let sources: Vec<_> = (0..4).map(part).collect();
        let mut found: Vec<_> =
            (0..4).map(|rank| vec![99; copies.local(Side::Destination, rank).len]).collect();
        let pairs = sources.iter().zip(&mut found);
        let arrays = pairs.map(|(from, to)| vec![BatchArrays::of_bytes(element, from, to)]);
        let batch = |rank: usize| {
            let mut batch = AnyBatch::new();
            copies.add_to(&mut batch, element, rank);
            batch
        };
        let run =
            |bound: &mut AnyBoundBatch, mut arrays: Vec<BatchArrays<'_>>| bound.run(&mut arrays);
        simulate_batch(4, batch, run, arrays.collect()).unwrap();
        // The same into rows of three, of which the last is not written.
        let wide = Some(Padding::Strides(vec![3, 1]));
        let padded = |rank: usize| {
            let mut batch = AnyBatch::new();
            let first =
                (copies.local(Side::Destination, rank).extents[1] == 2).then(|| wide.clone());
            copies.add_padded_to(&mut batch, element, rank, &[None, first.flatten()]);
            batch
        };
        let mut apart: Vec<_> = (0..4).map(|rank| vec![99; [11, 4][rank % 2]]).collect();
        let pairs = sources.iter().zip(&mut apart);
        let arrays = pairs.map(|(from, to)| vec![BatchArrays::of_bytes(element, from, to)]);
        simulate_batch(4, padded, run, arrays.collect()).unwrap();
        assert_eq!(apart[0], [7, 9, 99, 12, 14, 99, 17, 19, 99, 22, 24]);
        assert_eq!(apart[3], [8, 13, 18, 23]);
        // The section begins at row 1 and column 2; rows have five elements.
        assert_eq!(found[0], [7, 9, 12, 14, 17, 19, 22, 24]);
        assert_eq!((&found[0], &found[1]), (&found[2], &found[3]));
        assert_eq!(found[1], [8, 13, 18, 23]);
    }

    #[test]
    fn sums_of_any_size_are_made_between_threads() {
        let sums = DoorCopies::parse_sums(&[2, 3], "(*, *) copies 2", "(*, block) onto 3").unwrap();
        assert!(sums.is_sum() && sums.dimensions() == 2);
        assert_eq!(sums.global_index(Side::Destination, 2, 1), Some(vec![1, 2]));
        assert_eq!(sums.global_index(Side::Destination, 2, 2), None);
        let addends = [[1, 2, 3, 4, 5, 6], [10, 20, 30, 40, 50, 60]]
            .map(|addend| addend.map(i64::to_ne_bytes));
        let sources = [addends[0].as_flattened(), addends[1].as_flattened(), &[]];
        let element = AnyElement::named("i64").unwrap();
        let moved = |how: Option<Combine>| {
            let mut found = [[0; 16]; 3];
            let arrays = sources.iter().zip(&mut found);
            let paddings = || [None, None];
            let arrays = arrays.map(|(source, destination)| RankArrays {
                source,
                paddings: paddings(),
                destination,
            });
            let function = || how.and_then(|how| combined(element, how));
            simulate_copies(&sums, element, function, arrays.collect()).map(|()| found)
        };
        let expected = [[11_i64, 44], [22, 55], [33, 66]];
        for (found, expected) in moved(Some(Combine::Sum)).unwrap().iter().zip(expected) {
            assert_eq!(found[..], *expected.map(i64::to_ne_bytes).as_flattened());
        }
        assert!(moved(None).unwrap_err().to_string().contains("names no function"));
    }

    #[test]
    fn sides_without_copies_are_refused() {
        let refused =
            |from: &str, to: &str| DoorCopies::parse(&[8], from, to).err().unwrap().to_string();
        assert!(refused("block onto 2 copies 0", "*").contains("copies"));
        assert!(refused("blok onto 2", "*").contains("blok"));
        assert!(refused("*", "(*, *)").contains('*'));
        assert!(DoorCopies::parse(&[1; 9], "*", "*").is_err());
        assert!(DoorCopies::parse(&[], "() copies 2", "()").is_ok());
    }
}
