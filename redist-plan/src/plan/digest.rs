//! The numbers that ranks compare, and their hash.

use super::{Axis, Plan, Side};
use crate::layout::{MAX_EXTENT, MAX_RANKS, Ranks};
use core::fmt;

/// Grows when the order of messages or the numbers below change.
const FORMAT: usize = 1;

/// Stands for the first rank if a map follows.
const MAP_FOLLOWS: usize = MAX_RANKS;

/// Stands for a block if rows follow, after their turn and points.
const ROWS_FOLLOW: usize = MAX_EXTENT + 1;

/// Stands for the block of a `block balanced` whose first ranks have more.
const BALANCED: usize = MAX_EXTENT + 2;

/// Stands for the block of a `block balanced last`.
const BALANCED_LAST: usize = MAX_EXTENT + 3;

/// Stands for a block if listed parts follow, after the number of their cuts.
const PARTS_FOLLOW: usize = MAX_EXTENT + 4;

/// Stands for a block if the factors of a `split` follow, each as a dimension without sections.
const FACTORS_FOLLOW: usize = MAX_EXTENT + 5;

/// FNV-1a over the numbers of a plan as little-endian 64-bit words.
///
/// Plans of one digest move the same elements between the same places in the same order, but for a
/// collision. `block` and the `cyclic(b)` that it amounts to have one digest, and `block balanced`
/// where it is a `block`; a `gen_block` has a different one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest(pub u64);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Digest {
    const fn word(&mut self, word: u64) {
        let (mut rest, mut byte) = (word, 0);
        while byte < 8 {
            self.0 = (self.0 ^ (rest & 0xff)).wrapping_mul(0x0000_0100_0000_01b3);
            rest >>= 8;
            byte += 1;
        }
    }
}

/// Counts numbers; hashes them, or keeps them where there is a place.
struct PlanNumbers<'a> {
    digest: Digest,
    /// Numbers so far.
    count: usize,
    /// Places for all numbers; `None` to hash them.
    places: Option<&'a mut [u64]>,
}

impl PlanNumbers<'_> {
    const HASHED: Self = Self { digest: Digest(0xcbf2_9ce4_8422_2325), count: 0, places: None };

    const fn push(&mut self, number: usize) {
        match &mut self.places {
            Some(places) => places[self.count] = number as u64,
            None => self.digest.word(number as u64),
        }
        self.count += 1;
    }

    const fn list(&mut self, list: &[usize]) {
        let mut number = 0;
        while number < list.len() {
            self.push(list[number]);
            number += 1;
        }
    }

    const fn side(&mut self, axis: &Axis, side: Side) {
        let section = axis.side(side);
        let deal = section.deal();
        let (rows, parts) = (deal.given_rows(), deal.listed_parts());
        let (sizes, block): (&[usize], usize) = match (deal.given_sizes(), rows) {
            // No block of one size has 0 elements, so 0 says that as many sizes follow as there are
            // ranks.
            (Some(sizes), _) => (sizes, 0),
            (None, Some((lengths, _, _))) => (lengths, ROWS_FOLLOW),
            (None, None) => match deal.balanced_last() {
                None if parts.is_some() => (&[], PARTS_FOLLOW),
                None if deal.nth_factor(0).is_some() => (&[], FACTORS_FOLLOW),
                None => (&[], deal.block()),
                Some(false) => (&[], BALANCED),
                Some(true) => (&[], BALANCED_LAST),
            },
        };
        self.list(&[deal.extent(), block, deal.ranks(), deal.first(), section.at()]);
        if let Some((lengths, turn, points)) = rows {
            self.list(&[lengths.len(), turn, points]);
        }
        self.list(sizes);
        if let Some((cuts, owners)) = parts {
            self.push(cuts.len());
            self.list(cuts);
            self.list(owners);
        }
        let mut place = 0;
        while let Some(factor) = deal.nth_factor(place) {
            let block = match factor.balanced_last() {
                None if factor.ranks == 1 => factor.extent,
                None => factor.block(),
                Some(false) => BALANCED,
                Some(true) => BALANCED_LAST,
            };
            self.list(&[factor.extent, block, factor.ranks]);
            place += 1;
        }
    }

    const fn plan<const D: usize>(&mut self, plan: &Plan<D>) {
        self.list(&[FORMAT, D]);
        let mut dimension = 0;
        while dimension < D {
            let axis = plan.axis(dimension);
            self.push(axis.len());
            self.side(&axis, Side::Source);
            self.side(&axis, Side::Destination);
            self.push(plan.destination_axis(dimension));
            dimension += 1;
        }
        self.ranks(plan, Side::Source);
        self.ranks(plan, Side::Destination);
    }

    const fn ranks<const D: usize>(&mut self, plan: &Plan<D>, side: Side) {
        let layout = plan.descriptor(side).layout();
        match layout.ranks {
            Ranks::From(first) => self.push(first),
            Ranks::Map(list) => {
                self.push(MAP_FOLLOWS);
                self.list(list);
            }
        }
        self.list(&[layout.order as usize, layout.storage as usize]);
    }
}

impl<const D: usize> Plan<D> {
    /// Hashes the numbers of the plan.
    #[doc(hidden)]
    pub const fn digest(&self) -> Digest {
        let mut numbers = PlanNumbers::HASHED;
        numbers.plan(self);
        numbers.digest
    }

    /// Returns `8 + 12 D` numbers, and the lists of both sides, beside their hash. Equal plans have
    /// equal numbers.
    pub(super) fn numbers(&self) -> (Digest, Vec<u64>) {
        let mut hashed = PlanNumbers::HASHED;
        hashed.plan(self);
        let mut kept = vec![0; hashed.count];
        PlanNumbers { places: Some(&mut kept), ..PlanNumbers::HASHED }.plan(self);
        (hashed.digest, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const D: usize>(extents: [usize; D], from: &str, to: &str, count: usize) {
        let (digest, numbers) = Plan::parse(extents, from, to).unwrap().numbers();
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |state, byte| {
            (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        assert_eq!((hash, numbers.len()), (digest.0, count));
    }

    #[test]
    fn the_digest_is_a_hash_of_them() {
        check(
            [10, 12, 9],
            "(cyclic(3), *, gen_block([4, 5])) onto (2, 2) storage fortran order col",
            "(*, gen_block([2, 0, 8]), cyclic(2)) onto (3, 2) first (1, 1) ranks 2..8 axes (1, 2, 0)",
            8 + 3 * 12 + 2 + 3,
        );
        let mapped = "(block, cyclic) onto (2, 2) ranks [3, 0, 5, 1]";
        check([10, 12], mapped, "(block, *) onto 3 ranks [2, 1, 0]", 8 + 2 * 12 + 4 + 3);
        let rows = "rows([2, 4, 4, 2], block, points(2)) onto 4 first 1";
        check([12], "rows([2, 4, 4, 2], cyclic) onto 2", rows, 8 + 12 + 2 * (3 + 4));
        let parts = "blocks([3, 3, 7], [2, 0, 1, 2]) onto 3";
        check([12], parts, "cyclic onto 2", 8 + 12 + 1 + 3 + 4);
        let split = "split([2, 3, 2], block, cyclic onto 2, *) onto 4";
        check([12], split, "cyclic onto 2", 8 + 12 + 2 * 3);
        check([8], "block balanced onto 3", "block balanced last onto 3", 8 + 12);
        check([7], "block onto 3", "cyclic onto 2 of 9 at 2", 8 + 12);
    }
}
