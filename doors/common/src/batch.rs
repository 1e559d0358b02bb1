//! Arrays that move together, of any number of dimensions and any element types.

use crate::copies::{DoorCopies, simulate_batch};
use crate::plan::{DoorPlan, LocalPart};
use redist::exec::{AnyBatch, BatchArrays};
use redist::threads::Failure;
use redist::{AnyElement, Error, Side};
use std::sync::Arc;

/// The plan of an array, or the plans between its copies.
#[derive(Clone)]
pub enum Moved {
    Plan(Arc<DoorPlan>),
    Copies(Arc<DoorCopies>),
}

impl Moved {
    pub fn ranks(&self) -> usize {
        match self {
            Self::Plan(plan) => plan.any().ranks(),
            Self::Copies(copies) => copies.ranks(),
        }
    }

    pub fn local(&self, side: Side, rank: usize) -> LocalPart {
        match self {
            Self::Plan(plan) => plan.local(side, rank),
            Self::Copies(copies) => copies.local(side, rank),
        }
    }
}

/// Plans of arrays that move in one exchange, in order, with their element types.
#[derive(Clone, Default)]
pub struct DoorBatch(pub Vec<(Moved, AnyElement)>);

impl DoorBatch {
    /// Returns one past the highest rank of all plans.
    pub fn ranks(&self) -> usize {
        self.0.iter().map(|(moved, _)| moved.ranks()).max().unwrap_or(0)
    }

    /// Returns a rank's end of the batch.
    pub fn any(&self, rank: usize) -> AnyBatch {
        let mut batch = AnyBatch::new();
        for (moved, element) in &self.0 {
            match moved {
                Moved::Plan(plan) => batch.add(&plan.binder(*element)),
                Moved::Copies(copies) => copies.add_to(&mut batch, *element, rank),
            }
        }
        batch
    }

    /// Runs every rank as a thread, and moves all arrays; each rank has its own, by rank.
    ///
    /// # Errors
    /// A thread cannot be started; the errors of binding and of a move.
    ///
    /// # Panics
    /// There are not as many lists of arrays as ranks.
    pub fn simulate(&self, arrays: Vec<Vec<BatchArrays<'_>>>) -> Result<(), Failure<Error>> {
        let rank = |rank| self.any(rank);
        simulate_batch(self.ranks(), rank, |bound, mut own| bound.run(&mut own), arrays)
    }
}

/// An array of a list: its number, and its side.
pub type Place = (usize, Side);

/// Returns a destination that shares a byte with another array, and that array. Arrays are places with
/// their bytes, by array and by side.
pub fn overlapping(arrays: &[[(usize, usize); 2]]) -> Option<(Place, Place)> {
    let place = |number: usize, side: Side| (arrays[number][side as usize], side as usize, number);
    let both = |number| [Side::Source, Side::Destination].map(|side| place(number, side));
    let mut all: Vec<_> = (0..arrays.len()).flat_map(both).collect();
    all.retain(|((_, bytes), ..)| *bytes > 0);
    all.sort_unstable();
    let named = |side: usize, number| (number, [Side::Source, Side::Destination][side]);
    // The array that ends last of those before: of any side, and of destinations.
    let mut before: [Option<(usize, usize, usize)>; 2] = [None; 2];
    for ((begin, bytes), side, number) in all {
        // Sources may overlap each other.
        let last = if side == 1 { before[0] } else { before[1] };
        if let Some((end, other_side, other)) = last
            && begin < end
        {
            return Some(match side {
                1 => (named(1, number), named(other_side, other)),
                _ => (named(other_side, other), named(side, number)),
            });
        }
        let own = Some((begin.saturating_add(bytes), side, number));
        before[0] = before[0].max(own);
        if side == 1 {
            before[1] = before[1].max(own);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_destinations_must_be_apart() {
        let found = |arrays: &[[(usize, usize); 2]]| {
            overlapping(arrays).map(|((to, side), other)| {
                assert_eq!(side, Side::Destination);
                (to, other)
            })
        };
        assert_eq!(found(&[[(0, 8), (8, 8)], [(0, 8), (16, 8)]]), None);
        assert_eq!(found(&[[(0, 8), (7, 8)]]), Some((0, (0, Side::Source))));
        let twice = [[(0, 8), (40, 8)], [(20, 8), (47, 1)]];
        assert_eq!(found(&twice), Some((1, (0, Side::Destination))));
        // A source inside of a destination, behind other sources; an array without bytes.
        let inside = [[(90, 100), (0, 60)], [(50, 2), (10, 0)]];
        assert_eq!(found(&inside), Some((0, (1, Side::Source))));
    }

    #[test]
    fn arrays_and_copies_move_together() {
        let byte = AnyElement::of_bytes(1).unwrap();
        let plan = DoorPlan::parse(&[6], "block onto 2", "cyclic onto 3").unwrap();
        let copies = DoorCopies::parse(&[], "() ranks 1..2", "() copies 3").unwrap();
        let members = [Moved::Plan(plan.into()), Moved::Copies(copies.into())];
        let batch = DoorBatch(members.map(|moved| (moved, byte)).into());
        assert_eq!((batch.ranks(), batch.0[1].0.local(Side::Source, 0).len), (3, 0));
        let sources: [[&[u8]; 2]; 3] = [[&[0, 1, 2], &[]], [&[3, 4, 5], &[7]], [&[], &[]]];
        let mut found = [([9; 2], [9; 1]); 3];
        let arrays = sources.iter().zip(&mut found).map(|([line, one], (to, copy))| {
            vec![BatchArrays::of_bytes(byte, line, to), BatchArrays::of_bytes(byte, one, copy)]
        });
        batch.simulate(arrays.collect()).unwrap();
        assert_eq!(found, [([0, 3], [7]), ([1, 4], [7]), ([2, 5], [7])]);
    }
}
