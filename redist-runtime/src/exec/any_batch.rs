//! Batches of plans whose numbers of dimensions and element types are values, for bindings to other
//! languages.

use super::any::AnyBinder;
use super::arrays::BatchArrays;
use super::batch::{Batch, BoundBatch};
use super::copies_mover::receive_with;
use super::run_receiver::{EachRun, RunReceiver};
use crate::element::AnyElement;
use crate::error::Error;
use crate::transport::Transport;
use core::ops::Deref;
use core::slice;

/// A [`Batch`] whose plans and element types are run-time values. Local arrays are dense, unless
/// binders say otherwise.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{AnyBatch, AnyBinder, BatchArrays};
/// use redist::{AnyElement, Plan, threads};
///
/// let (byte, pair) = (AnyElement::of_bytes(1).unwrap(), AnyElement::of_bytes(2).unwrap());
/// let field = Plan::parse([4, 6], "(block, *) onto 2", "(*, block) onto 2")?;
/// let line = Plan::parse([8], "block onto 2", "cyclic onto 2")?;
/// threads::run(2, |rank| {
///     let mut batch = AnyBatch::new();
///     batch.add(&AnyBinder::new(&field, byte));
///     batch.add(&AnyBinder::new(&line, pair));
///     let mut bound = batch.bind(rank)?;
///     let own = rank.rank() as u8;
///     let (mut columns, mut cyclic) = ([9; 12], [9; 8]);
///     bound.run(&mut [
///         BatchArrays::of_bytes(byte, &[own; 12], &mut columns),
///         BatchArrays::of_bytes(pair, &[own; 8], &mut cyclic),
///     ])?;
///     assert_eq!((columns[5], columns[6], cyclic), (0, 1, [0, 0, 0, 0, 1, 1, 1, 1]));
///     Ok::<_, redist::Error>(())
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "a batch does nothing before `bind`"]
pub struct AnyBatch(pub(super) Batch);

impl AnyBatch {
    /// Makes an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array. Of the binder's options only the [`padding`](AnyBinder::padding) of this rank's
    /// arrays counts. Arrays are numbered from 0; all ranks must add them in the same order.
    pub fn add(&mut self, binder: &AnyBinder) {
        self.add_copies(slice::from_ref(binder), 0);
    }

    /// Adds an array of which there are copies: a plan for each copy of the destination, as
    /// [`PlanWithCopies`](crate::exec::PlanWithCopies) finds them. This rank's part of the source has
    /// `source_len` elements at least, also if no plan reads it.
    ///
    /// # Panics
    /// If there is no plan, or plans differ in their element types.
    pub fn add_copies(&mut self, plans: &[AnyBinder], source_len: usize) {
        let element = plans.first().expect("an array has a plan").element();
        assert!(plans.iter().all(|plan| plan.element() == element), "an array has one type");
        for plan in plans {
            let words = format!("{} of {}", plan.words(), element.name());
            self.0.add_facts(plan.facts(0), words, plan.paddings());
        }
        self.0.add_elements(element.element_type(), [source_len, 0]);
    }

    /// Checks all plans with all ranks of a communicator: see [`Batch::bind`]. Collective.
    pub fn bind<C: Transport>(self, communicator: &C) -> Result<AnyBoundBatch, Error> {
        Ok(AnyBoundBatch { bound: self.0.bind(communicator)?, is_under_way: false })
    }
}

/// A [`BoundBatch`] for arrays of bytes, made by [`AnyBatch::bind`]. The caller keeps nothing
/// borrowed between [`start`](Self::start) and [`finish`](Self::finish). All moves are collective.
pub struct AnyBoundBatch {
    bound: BoundBatch,
    /// `true` between `start` and `finish`.
    is_under_way: bool,
}

impl AnyBoundBatch {
    /// Moves all arrays: see [`BoundBatch::run`]. Panics if a move is under way.
    pub fn run(&mut self, arrays: &mut [BatchArrays<'_>]) -> Result<(), Error> {
        self.check_idle();
        self.bound.run(arrays)
    }

    /// Moves the addends of the only array, and combines them: see
    /// [`BoundReduction::run`](crate::exec::BoundReduction::run). The array's plans are those of a
    /// [`Reduction`](crate::exec::Reduction) of so many addends. `combine` receives the bytes of addends
    /// at any address, and the bytes of as many results so far; it does not panic. Panics if a move is
    /// under way.
    pub fn run_combined(
        &mut self,
        arrays: BatchArrays<'_>,
        addends: usize,
        combine: impl FnMut(&[u8], &mut [u8]),
    ) -> Result<(), Error> {
        self.run_by(arrays, Some(addends), &mut EachRun(combine))
    }

    /// Moves the only array to a receiver of runs, such as [`JoinedRuns`](super::JoinedRuns). Of so many
    /// `addends` the first is stored, and the receiver has each further one. Panics as
    /// [`run_combined`](Self::run_combined).
    pub fn run_by(
        &mut self,
        arrays: BatchArrays<'_>,
        addends: Option<usize>,
        receiver: &mut impl RunReceiver,
    ) -> Result<(), Error> {
        self.check_idle();
        let widths = [arrays.element.bytes(); 2];
        self.bound.begin_checked(slice::from_ref(&arrays))?;
        receive_with(&mut self.bound, addends, arrays.destination, widths, receiver)
    }

    /// Ends a move of the only array that was begun by [`start`](Self::start), as
    /// [`run_by`](Self::run_by) does. Panics as [`finish`](Self::finish).
    pub fn finish_by(
        &mut self,
        (element, destination): (AnyElement, &mut [u8]),
        addends: Option<usize>,
        receiver: &mut impl RunReceiver,
    ) -> Result<(), Error> {
        assert!(self.is_under_way, "no move is under way: `start` one before `finish`");
        self.bound.check_destinations(&[&mut *destination]);
        self.is_under_way = false;
        receive_with(&mut self.bound, addends, destination, [element.bytes(); 2], receiver)
    }

    /// Begins a move to destinations like these, which [`finish`](Self::finish) receives. Has packed
    /// the sources on return. Fails and panics as [`run`](Self::run); no move is under way after an
    /// error.
    pub fn start(&mut self, arrays: &[BatchArrays<'_>]) -> Result<(), Error> {
        self.check_idle();
        self.bound.begin_checked(arrays)?;
        self.is_under_way = true;
        Ok(())
    }

    /// As [`start`](Self::start), with the sources only, and the bytes of each destination. Panics as
    /// there, if these are not as many, or if bytes are no whole elements.
    pub fn start_from(
        &mut self,
        sources: &[(AnyElement, &[u8])],
        destination_bytes: &[usize],
    ) -> Result<(), Error> {
        assert_eq!(sources.len(), destination_bytes.len(), "a destination for each source");
        let arrays = sources.iter().zip(destination_bytes).map(|((element, source), bytes)| {
            let width = element.bytes();
            assert!(bytes.is_multiple_of(width), "{bytes} bytes are no elements of {width}");
            let mut arrays = BatchArrays::of_bytes(*element, source, &mut []);
            arrays.lens[1] = bytes / width;
            arrays
        });
        self.start(&arrays.collect::<Vec<_>>())
    }

    /// Returns `true` from [`start`](Self::start) to [`finish`](Self::finish).
    pub fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// Returns `true` if [`finish`](Self::finish) would not wait. Panics if no move is under way.
    pub fn test(&mut self) -> Result<bool, Error> {
        assert!(self.is_under_way, "no move is under way: `start` one before `test`");
        self.bound.test()
    }

    /// Waits until the destinations, one for each array, hold their parts. Ends the move, also with
    /// an error. Panics if no move is under way, or a destination has another length than its plan's.
    pub fn finish(&mut self, destinations: &mut [&mut [u8]]) -> Result<(), Error> {
        assert!(self.is_under_way, "no move is under way: `start` one before `finish`");
        self.bound.check_destinations(destinations);
        self.is_under_way = false;
        self.bound.complete_into(destinations)
    }

    /// Joins the other ranks' move as a rank that cannot take part. Ranks that receive from it get
    /// its error. Returns this rank's error. Panics if a move is under way.
    pub fn decline(&mut self, reason: Error) -> Error {
        self.check_idle();
        self.bound.decline(reason)
    }

    fn check_idle(&self) {
        assert!(!self.is_under_way, "a move is under way: `finish` it before the next");
    }
}

/// Lengths and words of the bound batch.
impl Deref for AnyBoundBatch {
    type Target = BoundBatch;

    fn deref(&self) -> &BoundBatch {
        &self.bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{PlanWithCopies, Reduction};
    use crate::layout::Padding;
    use crate::plan::{Plan, Side};
    use crate::transport::threads;

    fn element() -> AnyElement {
        AnyElement::of_bytes(2).unwrap()
    }

    /// Two copies of blocks of four elements, from one on ranks 0 and 1.
    fn copies(rank: usize) -> (AnyBatch, PlanWithCopies<u8, 1>) {
        let copies =
            PlanWithCopies::<u8, 1>::parse([8], "block onto 2", "block onto 2 copies 2").unwrap();
        let lines = (0..copies.copies(Side::Destination)).map(|line| copies.line(line).1);
        let plans: Vec<_> = lines.map(|plan| AnyBinder::new(plan, element())).collect();
        let mut batch = AnyBatch::new();
        batch.add_copies(&plans, copies.local(Side::Source, rank).len());
        let line = Plan::parse([8], "cyclic onto 4", "block onto 4").unwrap();
        batch.add(&AnyBinder::new(&line, AnyElement::of_bytes(1).unwrap()));
        (batch, copies)
    }

    #[test]
    fn copies_and_arrays_move_in_one_call_or_two() {
        let byte = AnyElement::of_bytes(1).unwrap();
        threads::run(4, |rank| {
            let own = rank.rank();
            let (batch, copies) = copies(own);
            let mut bound = batch.bind(rank)?;
            let part = |side| -> Vec<u8> {
                let indices = copies.local(side, own).global_indices();
                indices.flat_map(|[index]| [index as u8, 7]).collect()
            };
            let (source, expected) = (part(Side::Source), part(Side::Destination));
            assert_eq!((source.len(), expected.len()), (if own < 2 { 8 } else { 0 }, 8));
            let line = [own as u8, own as u8 + 4];
            for starts in [false, true] {
                let (mut found, mut block) = (vec![0; 8], [0; 2]);
                let mut arrays = [
                    BatchArrays::of_bytes(element(), &source, &mut found),
                    BatchArrays::of_bytes(byte, &line, &mut block),
                ];
                if starts {
                    bound.start(&arrays)?;
                    assert!(bound.is_under_way());
                    bound.finish(&mut [&mut found, &mut block])?;
                    bound.start_from(&[(element(), &source), (byte, &line)], &[8, 2])?;
                    (found, block) = (vec![0; 8], [0; 2]);
                    bound.finish(&mut [&mut found, &mut block])?;
                } else {
                    bound.run(&mut arrays)?;
                }
                assert_eq!((&found, block), (&expected, [2 * own as u8, 2 * own as u8 + 1]));
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn parts_with_gaps_move_beside_dense_ones() {
        let byte = AnyElement::of_bytes(1).unwrap();
        let line = Plan::parse([6], "cyclic onto 2", "block onto 2").unwrap();
        let every = |stride: usize| Padding::Strides(vec![stride]);
        threads::run(2, |rank| {
            let own = rank.rank();
            let mut batch = AnyBatch::new();
            // Rank 1 has gaps in its source of one array, rank 0 in its destination.
            let binder = AnyBinder::new(&line, byte);
            let side = [Side::Destination, Side::Source][own];
            batch.add(&binder.clone().padding(side, every(2)));
            batch.add(&binder);
            let mut bound = batch.bind(rank)?;
            let lens = [Side::Source, Side::Destination].map(|side| bound.local_len(0, side));
            assert_eq!(lens, [[3, 5], [5, 3]][own]);
            let of_rank = |at: usize| (2 * at + own) as u8;
            let (dense, apart) =
                ([0, 1, 2].map(of_rank), [of_rank(0), 99, of_rank(1), 99, of_rank(2)]);
            let first = if own == 0 { &dense[..] } else { &apart };
            for starts in [false, true] {
                let (mut found, mut other) = (vec![77; lens[1]], [77; 3]);
                let mut arrays = [
                    BatchArrays::of_bytes(byte, first, &mut found),
                    BatchArrays::of_bytes(byte, &dense, &mut other),
                ];
                match starts {
                    true => {
                        bound.start(&arrays)?;
                        bound.finish(&mut [&mut found, &mut other])?;
                    }
                    false => bound.run(&mut arrays)?,
                }
                let expected: &[u8] = if own == 0 { &[0, 77, 1, 77, 2] } else { &[3, 4, 5] };
                assert_eq!((&found[..], other), (expected, [[0, 1, 2], [3, 4, 5]][own]));
            }
            let mut wrong = AnyBatch::new();
            let stride = if own == 0 { 0 } else { 1 };
            wrong.add(&AnyBinder::new(&line, byte).padding(Side::Source, every(stride)));
            let told = wrong.bind(rank).err().expect("no such array").to_string();
            assert!(told.contains("dimension 0 has stride 0"), "{told}");
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn addends_are_combined_in_their_order() {
        let sums = Reduction::<u8, 1>::parse([6], "* copies 3", "block onto 3").unwrap();
        let plans: Vec<_> =
            sums.plans().iter().map(|plan| AnyBinder::new(plan, element())).collect();
        assert_eq!((sums.ranks(), sums.addends(), plans.len()), (3, 3, 3));
        threads::run(3, |rank| {
            let own = rank.rank();
            let mut batch = AnyBatch::new();
            batch.add_copies(&plans, sums.local(Side::Source, own).len());
            let mut bound = batch.bind(rank)?;
            let addend: Vec<u8> = (0..6).flat_map(|at| [at, own as u8 + 1]).collect();
            let mut found = [9; 4];
            let arrays = BatchArrays::of_bytes(element(), &addend, &mut found);
            let digits = |arrived: &[u8], kept: &mut [u8]| {
                for (arrived, kept) in arrived.chunks(2).zip(kept.chunks_mut(2)) {
                    assert_eq!(arrived[0], kept[0]);
                    kept[1] = 10 * kept[1] + arrived[1];
                }
            };
            bound.run_combined(arrays, 3, digits)?;
            let first = 2 * own as u8;
            assert_eq!(found, [first, 123, first + 1, 123]);
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn a_rank_that_declines_tells_those_that_receive() {
        threads::run(4, |rank| {
            let own = rank.rank();
            let (batch, copies) = copies(own);
            let mut bound = batch.bind(rank)?;
            let source = vec![1; 2 * copies.local(Side::Source, own).len()];
            let (mut found, mut block) = (vec![9; 8], [9; 2]);
            let byte = AnyElement::of_bytes(1).unwrap();
            for turn in 0..2 {
                let mut arrays = [
                    BatchArrays::of_bytes(element(), &source, &mut found),
                    BatchArrays::of_bytes(byte, &[0; 2], &mut block),
                ];
                let reason = Error::Batch { rank: own, reason: "no list".into() };
                let told = match own == 3 && turn == 0 {
                    true => Err(bound.decline(reason)),
                    false => bound.run(&mut arrays),
                };
                // Rank 3 sends to ranks 1 and 3.
                let fails = turn == 0 && own % 2 == 1;
                assert_eq!(told.is_err(), fails, "{told:?}");
                assert_eq!(block == [9; 2], fails);
                assert!(told.err().is_none_or(|told| told.to_string().contains("no list")));
            }
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}
