//! Moves between copies of an array, and sums, whose element type is a value, for bindings to other
//! languages.

use super::any::{AnyBinder, AnyBound, AnyMover};
use super::any_batch::AnyBatch;
use super::copies_mover::{Combining, CopiesMover};
use super::reduction::Reduction;
use super::with_copies::PlanWithCopies;
use crate::element::AnyElement;
use crate::error::Error;
use crate::layout::LocalArray;
use crate::plan::Side;
use crate::program::StridedArray;
use crate::transport::Transport;

/// A [`PlanWithCopies`] or a [`Reduction`] of one rank, whose element type is a run-time value. Local
/// arrays are dense.
#[must_use = "copies do not move before `bind`"]
pub struct AnyCopies {
    batch: AnyBatch,
    element: AnyElement,
    /// The rank that this was made for.
    rank: usize,
    /// The rank's parts of its copies, by side.
    parts: [StridedArray; 2],
    /// Number of addends that become one; `None` where the source's copies are equal.
    addends: Option<usize>,
    combine: Option<Combining>,
}

impl AnyCopies {
    /// Makes a rank's part of moves between copies.
    pub fn new<const D: usize>(
        copies: &PlanWithCopies<u8, D>,
        element: AnyElement,
        rank: usize,
    ) -> Self {
        let lines = (0..copies.copies(Side::Destination)).map(|line| copies.line(line).1);
        let plans: Vec<AnyBinder> = lines.map(|plan| AnyBinder::new(plan, element)).collect();
        Self::of(
            &plans,
            [Side::Source, Side::Destination].map(|side| copies.local(side, rank)),
            rank,
        )
    }

    /// Makes a rank's part of sums. `combine` combines addends in [`AnyBound::run`] and
    /// [`AnyBound::finish`]; sums without it have only [`AnyBound::run_with`].
    pub fn sums<const D: usize>(
        sums: &Reduction<u8, D>,
        element: AnyElement,
        rank: usize,
        combine: Option<Combining>,
    ) -> Self {
        let plans: Vec<AnyBinder> =
            sums.plans().iter().map(|plan| AnyBinder::new(plan, element)).collect();
        let parts = [Side::Source, Side::Destination].map(|side| sums.local(side, rank));
        Self { addends: Some(sums.addends()), combine, ..Self::of(&plans, parts, rank) }
    }

    fn of<const D: usize>(plans: &[AnyBinder], parts: [LocalArray<D>; 2], rank: usize) -> Self {
        let element = plans.first().expect("copies have a plan").element();
        let mut batch = AnyBatch::new();
        batch.add_copies(plans, parts[Side::Source as usize].len());
        let parts = parts.map(|local| StridedArray {
            shape: local.extents().into(),
            strides: local.strides().into(),
            len: local.len(),
            ..StridedArray::default()
        });
        Self { batch, element, rank, parts, addends: None, combine: None }
    }

    /// Checks the plans with all ranks of a communicator: see
    /// [`Batch::bind`](crate::exec::Batch::bind). Collective. A rank without plans calls
    /// [`AnyBinder::decline`]. Panics if this was made for another rank.
    pub fn bind<C: Transport>(self, communicator: &C) -> Result<AnyBound, Error> {
        let Self { batch, element, rank, parts, addends, combine } = self;
        assert_eq!(
            rank,
            communicator.rank(),
            "copies are bound on the rank that they were made for"
        );
        let bound = batch.0.bind(communicator)?;
        let mover = CopiesMover { bound, element, parts, addends, combine };
        Ok(AnyBound::new(AnyMover::Copied(Box::new(mover)), element))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::threads::{self, Rank};

    fn element() -> AnyElement {
        AnyElement::of_bytes(2).unwrap()
    }

    fn copies() -> PlanWithCopies<u8, 1> {
        PlanWithCopies::parse([8], "block onto 2", "cyclic onto 2 copies 2").unwrap()
    }

    fn part(side: Side, rank: usize) -> Vec<u8> {
        let indices = copies().local(side, rank).global_indices();
        indices.flat_map(|[index]| [index as u8, 7]).collect()
    }

    #[test]
    fn copies_move_in_one_call_or_two_or_through_a_function() {
        threads::run(4, |rank| {
            let own = rank.rank();
            let mut bound = AnyCopies::new(&copies(), element(), own).bind(rank)?;
            let [from, to] = [Side::Source, Side::Destination].map(|side| part(side, own));
            assert_eq!(bound.local_len(Side::Source), if own < 2 { 4 } else { 0 });
            assert_eq!((bound.local_shape(Side::Destination), bound.rank()), (&[4][..], own));
            let mut found = vec![0; 8];
            bound.run(&from[..], &mut found[..])?;
            assert_eq!(found, to);
            found.fill(0);
            bound.start(&from, 8)?;
            while !bound.test()? {
                std::thread::yield_now();
            }
            bound.finish(&mut found)?;
            assert_eq!(found, to);
            // The numbers only, added to what is there.
            let mut sums = vec![1; 4];
            bound.run_with(&from[..], &mut sums, 1, |arrived, kept| {
                let pairs = arrived.chunks_exact(2).zip(kept);
                pairs.for_each(|(arrived, kept)| *kept += arrived[0]);
            })?;
            assert!(sums.iter().zip(to.chunks(2)).all(|(sum, element)| *sum == element[0] + 1));
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    fn digits(arrived: &[u8], kept: &mut [u8]) {
        for (arrived, kept) in arrived.iter().zip(kept) {
            *kept = 10 * *kept + arrived;
        }
    }

    fn sums(rank: &Rank, combine: Option<Combining>) -> Result<AnyBound, Error> {
        let sums = Reduction::<u8, 1>::parse([6], "* copies 3", "block onto 3").unwrap();
        AnyCopies::sums(&sums, AnyElement::of_bytes(1).unwrap(), rank.rank(), combine).bind(rank)
    }

    #[test]
    fn addends_are_combined_in_their_order() {
        threads::run(3, |rank| {
            let addend = [rank.rank() as u8; 6].map(|own| own + 1);
            let mut bound = sums(rank, Some(Box::new(digits)))?;
            let mut found = [9; 2];
            bound.run(&addend, &mut found)?;
            assert_eq!(found, [123; 2]);
            found = [9; 2];
            bound.start(&addend, 2)?;
            bound.finish(&mut found)?;
            assert_eq!(found, [123; 2]);
            bound.run_with(&addend, &mut found, 1, |arrived, kept| {
                arrived.iter().zip(kept).for_each(|(arrived, kept)| *kept += arrived);
            })?;
            assert_eq!(found, [6; 2]);
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn what_does_not_fit_is_an_error_of_those_that_receive() {
        threads::run(3, |rank| {
            let (own, mut bound) = (rank.rank(), sums(rank, None)?);
            let (addend, mut found) = ([1; 6], [9; 4]);
            let told = |error: Error| error.to_string();
            let lacks = told(bound.run(&addend, &mut found[..2]).unwrap_err());
            assert!(lacks.contains("its plan names no function; call"), "{lacks}");
            let wide = told(bound.run_with(&addend, &mut found, 2, digits).unwrap_err());
            assert!(wide.contains("results of 2 bytes differ from addends of 1"), "{wide}");
            let len = if own == 1 { 5 } else { 6 };
            let short = bound.run_with(&addend[..len], &mut found[..2], 1, digits).unwrap_err();
            assert!(short.reason().contains("must hold 6 elements, found 5"), "{short}");
            assert_eq!(matches!(short, Error::LocalLength { rank: 1, .. }), own == 1);
            assert_eq!(found, [9; 4]);
            bound.run_with(&addend, &mut found[..2], 1, digits)?;
            assert_eq!(found, [111, 111, 9, 9]);
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}
