//! Elements that stay on their rank.

use super::partners::cost;
use super::{COUNT, Effort, Figure};
use crate::arithmetic::{gcd, inverse_modulo, max, min, saturating_lcm, subtract_modulo};
use crate::layout::Ranks;
use crate::plan::{Axis, Plan, Side};

impl<const D: usize> Plan<D> {
    /// Counts the elements that stay on their rank, wherever they lie in its local arrays; 0, a
    /// lower bound, if the search takes too long.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    /// let plan = Plan::<1>::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 3")?;
    /// assert_eq!((plan.stays().value, plan.volume(0, 0)), (334, 136));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn stays(&self) -> Figure {
        self.stays_within(Effort::OF_PROGRAMS)
    }

    pub(super) const fn stays_within(&self, mut effort: Effort) -> Figure {
        let found = if self.are_numbered_alike() {
            self.stays_along(&mut effort)
        } else {
            self.stays_on_ranks(&mut effort)
        };
        match found {
            Some(elements) => Figure::exact(elements),
            None => Figure::bound(0),
        }
    }

    /// Counts for plans whose coordinates are the same rank on both sides.
    const fn stays_along(&self, effort: &mut Effort) -> Option<usize> {
        let (mut elements, mut dimension) = (1usize, 0);
        while dimension < D {
            // An empty array may be too large in its other dimensions.
            elements = match self.axis(dimension).stays_along_it(effort) {
                Some(along) => elements.saturating_mul(along),
                None => return None,
            };
            dimension += 1;
        }
        Some(elements)
    }

    const fn stays_on_ranks(&self, effort: &mut Effort) -> Option<usize> {
        let (from, to) = (self.descriptor(Side::Source), self.descriptor(Side::Destination));
        let ranks = min(from.ranks(), to.ranks());
        let fewer = if from.ranks() == ranks { from } else { to };
        // Ranks of only one side cost nothing where both have ranges.
        let (mut number, mut last) = (0, ranks);
        if let (Ranks::From(first), Ranks::From(second)) = (from.layout().ranks, to.layout().ranks)
        {
            let (start, end) = (max(first, second), min(from.ranks_end(), to.ranks_end()));
            let base = if from.ranks() == ranks { first } else { second };
            (number, last) = (start - base, max(start, end) - base);
        }
        if !effort.spend((last - number).saturating_mul(COUNT * D + self.searched())) {
            return None;
        }
        let mut elements = 0;
        while number < last {
            let rank = fewer.nth_rank(number);
            elements += self.volume(rank, rank);
            number += 1;
        }
        Some(elements)
    }
}

impl Axis {
    const fn stays_along_it(&self, effort: &mut Effort) -> Option<usize> {
        if let Some(blocks) = self.regular_blocks() {
            return self.stays_in_windows(blocks, effort);
        }
        if self.stretch(0).is_some() {
            return self.stays_in_stretches(effort);
        }
        let (source, destination) = (self.side(Side::Source), self.side(Side::Destination));
        let (mut elements, mut coordinate) = (0, 0);
        while coordinate < source.ranks() {
            if !effort.spend(COUNT * (cost(&source) + cost(&destination))) {
                return None;
            }
            elements += self.count(coordinate, coordinate);
            coordinate += 1;
        }
        Some(elements)
    }

    const fn stays_in_stretches(&self, effort: &mut Effort) -> Option<usize> {
        let (mut elements, mut index) = (0, 0);
        while index < self.len()
            && let Some(part) = self.stretch(index)
        {
            elements += match part.stays_along_it(effort) {
                Some(along) => along,
                None => return None,
            };
            index += part.len();
        }
        Some(elements)
    }

    /// Owners of both sides move on from window to window, one side by a fixed number more. A piece
    /// of the first window therefore stays once in a fixed number of windows.
    const fn stays_in_windows(&self, (s, t): (usize, usize), effort: &mut Effort) -> Option<usize> {
        let (from, to) = (self.side(Side::Source), self.side(Side::Destination));
        let (ranks, window) = (from.ranks(), saturating_lcm(s, t));
        let (windows, rest) = (self.len() / window, self.len() % window);
        let shift = subtract_modulo(window / s % ranks, window / t % ranks, ranks);
        let last_shift = windows % ranks * shift % ranks;
        let (mut elements, mut index) = (0, 0);
        while index < min(window, self.len()) {
            let end = min(min(from.block_end(index), to.block_end(index)), window);
            let apart = subtract_modulo(from.owner(index), to.owner(index), ranks);
            elements += (end - index) * same_owner(apart, shift, windows, ranks);
            if (apart + last_shift).is_multiple_of(ranks) && index < rest {
                elements += min(end, rest) - index;
            }
            if !effort.spend(4) {
                return None;
            }
            index = end;
        }
        Some(elements)
    }
}

/// Counts the multiples of `ranks` in the first `count` terms of `apart, apart + shift, …`.
const fn same_owner(apart: usize, shift: usize, count: usize, ranks: usize) -> usize {
    let common = gcd(shift, ranks);
    if !apart.is_multiple_of(common) {
        return 0;
    }
    let (every, apart) = (ranks / common, apart / common);
    let first = (every - apart) % every * inverse_modulo(shift / common, every) % every;
    if first < count { (count - 1 - first) / every + 1 } else { 0 }
}
