//! Memory of the rank that needs the most.

use super::{Effort, Figure};
use crate::plan::{Plan, Section, Side};

impl<const D: usize> Plan<D> {
    /// Returns the bytes of the rank that needs the most: both local arrays, and buffers for all
    /// that it sends, receives and keeps. Ranks that copy from array to array need no buffers. A
    /// search that takes too long gives an upper bound, the sum of the most on each side;
    /// `usize::MAX` if it overflows.
    ///
    /// ```
    /// # use redist_plan as redist;
    /// use redist::Plan;
    /// let plan = Plan::<1>::parse([1000], "block onto 4", "block onto 2")?;
    /// assert_eq!(plan.memory(8).value, 8 * (250 + 500 + 250 + 500));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn memory(&self, element_bytes: usize) -> Figure {
        self.memory_within(element_bytes, Effort::OF_PROGRAMS)
    }

    pub(super) const fn memory_within(&self, element_bytes: usize, effort: Effort) -> Figure {
        let Figure { value, is_exact } = self.memory_in_elements(effort);
        Figure { value: value.saturating_mul(element_bytes), is_exact }
    }

    const fn memory_in_elements(&self, mut effort: Effort) -> Figure {
        let sides = (self.most_on(Side::Source), self.most_on(Side::Destination));
        let bound = sides.0.saturating_add(sides.1);
        // The ranks with the first elements are most likely to need the most.
        let first = [self.first_holder(Side::Source), self.first_holder(Side::Destination)];
        let (mut most, mut turn) = (0, 0);
        while turn < first.len() + self.ranks() && most < bound {
            if !effort.spend(4 * D + self.searched()) {
                return Figure::bound(bound);
            }
            let rank = if turn < first.len() { first[turn] } else { turn - first.len() };
            let needed = self.needed_on(Side::Source, rank);
            let needed = needed.saturating_add(self.needed_on(Side::Destination, rank));
            most = if needed > most { needed } else { most };
            turn += 1;
        }
        Figure::exact(most)
    }

    const fn first_holder(&self, side: Side) -> usize {
        let (own, mut coordinates, mut dimension) = (self.descriptor(side), [0; D], 0);
        while dimension < D {
            let section = self.axis(dimension).side(side);
            coordinates[self.axis_on(side, dimension)] = section.owner(0);
            dimension += 1;
        }
        own.rank_at(coordinates)
    }

    const fn needed_on(&self, side: Side, rank: usize) -> usize {
        let own = self.descriptor(side);
        let Some(coordinates) = own.coordinates(rank) else { return 0 };
        let (mut moved, mut dimension) = (1usize, 0);
        while dimension < D {
            let (axis, coordinate) =
                (self.axis(dimension), coordinates[self.axis_on(side, dimension)]);
            moved = moved.saturating_mul(axis.side(side).owned_below(coordinate, axis.len()));
            dimension += 1;
        }
        own.local_len(rank).saturating_add(moved)
    }

    const fn most_on(&self, side: Side) -> usize {
        let own = self.descriptor(side);
        let (mut stored, mut moved, mut dimension) = (1usize, 1usize, 0);
        while dimension < D {
            let (axis, deal) = (self.axis(dimension), own.axis(self.axis_on(side, dimension)));
            let whole = Section::new(deal, 0).most_owned_below(deal.extent());
            stored = stored.saturating_mul(whole);
            moved = moved.saturating_mul(axis.side(side).most_owned_below(axis.len()));
            dimension += 1;
        }
        stored.saturating_add(moved)
    }
}
