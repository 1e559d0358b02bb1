//! Messages of a rank, and the steps that they take.

use super::residues::Residues;
use super::{COUNT, Effort, Figure};
use crate::arithmetic::max;
use crate::plan::{Plan, Side};

impl<const D: usize> Plan<D> {
    /// The most messages that a rank sends to other ranks, or the most that one receives from
    /// others, whichever is more. What stays on a rank is no message.
    ///
    /// A bound from above where it takes too long to find: see [`Figure`].
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::plan::Plan;
    /// let plan = Plan::<1>::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 4 ranks 1..5")?;
    /// assert_eq!(plan.messages().value, 4); // from rank 0, which is not among the others
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn messages(&self) -> Figure {
        let mut effort = Effort::new();
        let (out, into) = self.degrees(&mut effort);
        let most = max(out.value, into.value);
        if most == 0 || !out.is_exact || !into.is_exact {
            return Figure { value: most, is_exact: out.is_exact && into.is_exact };
        }
        // A rank that keeps something has one message less.
        let sends = out.value == most;
        let receives = into.value == most;
        let sent = if sends { self.sends_all(Side::Source, &mut effort) } else { Some(false) };
        let received = match sent {
            Some(false) if receives => self.sends_all(Side::Destination, &mut effort),
            found => found,
        };
        match received {
            Some(true) => Figure::exact(most),
            Some(false) => Figure::exact(most - 1),
            None => Figure::bound(most),
        }
    }

    /// The least number of steps of any schedule in which no rank sends or receives two messages at
    /// a time: the most parts that a rank sends or receives, what it keeps counted as one
    /// (Kőnig's theorem). [`Method::Koenig`](super::super::schedule::Method::Koenig) reaches it.
    ///
    /// A bound from above where it takes too long to find: see [`Figure`].
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::plan::Plan;
    /// let plan = Plan::<1>::parse([1200], "cyclic(10) onto 4", "cyclic(30) onto 6")?;
    /// assert_eq!((plan.steps().value, plan.messages().value), (6, 6)); // rank 1 keeps nothing
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn steps(&self) -> Figure {
        let (out, into) = self.degrees(&mut Effort::new());
        Figure { value: max(out.value, into.value), is_exact: out.is_exact && into.is_exact }
    }

    /// The most parts that a rank sends and that one receives, to itself too: the product of the
    /// most along each dimension, since every combination of coordinates is a rank.
    const fn degrees(&self, effort: &mut Effort) -> (Figure, Figure) {
        let (mut out, mut into) = (Figure::exact(1), Figure::exact(1));
        let mut dimension = 0;
        while dimension < D {
            let axis = self.axis(dimension);
            if axis.is_empty() {
                return (Figure::exact(0), Figure::exact(0));
            }
            out = out.times(axis.most_partners(Side::Source, effort));
            into = into.times(axis.most_partners(Side::Destination, effort));
            dimension += 1;
        }
        (out, into)
    }

    /// Whether a rank that sends the most parts, or receives them, keeps none of them; `None` where
    /// that takes too long to find.
    const fn sends_all(&self, side: Side, effort: &mut Effort) -> Option<bool> {
        if self.all_meet() {
            // Then all ranks send the same, and those on both sides keep something.
            return Some(!self.is_within_other(side));
        }
        if self.are_numbered_alike() {
            return self.sends_all_along(side, effort);
        }
        let own = self.descriptor(side);
        let (first, mut number) = (own.layout().ranks_from, 0);
        while number < own.ranks() {
            let rank = first + number;
            if !effort.spend(COUNT * D) {
                return None;
            }
            if self.volume(rank, rank) == 0 {
                match self.has_most(side, rank, effort) {
                    Some(false) => {}
                    found => return found,
                }
            }
            number += 1;
        }
        Some(false)
    }

    /// As [`sends_all`](Self::sends_all), where a rank keeps something if it does along each
    /// dimension: then one dimension in which some rank with the most keeps nothing is enough.
    const fn sends_all_along(&self, side: Side, effort: &mut Effort) -> Option<bool> {
        let mut dimension = 0;
        while dimension < D {
            let axis = self.axis(dimension);
            let most = axis.most_partners(side, effort);
            let mut coordinate = 0;
            while coordinate < axis.side(side).ranks() {
                if !most.is_exact || !effort.spend(COUNT) {
                    return None;
                }
                if axis.count(coordinate, coordinate) == 0 {
                    match axis.partners(side, coordinate, effort) {
                        Some(found) if found == most.value => return Some(true),
                        Some(_) => {}
                        None => return None,
                    }
                }
                coordinate += 1;
            }
            dimension += 1;
        }
        Some(false)
    }

    /// Whether a rank of this side has the most parts along every dimension.
    const fn has_most(&self, side: Side, rank: usize, effort: &mut Effort) -> Option<bool> {
        let Some(coordinates) = self.descriptor(side).coordinates(rank) else { return Some(false) };
        let mut dimension = 0;
        while dimension < D {
            let (axis, own) = (self.axis(dimension), self.axis_on(side, dimension));
            let most = axis.most_partners(side, effort);
            match axis.partners(side, coordinates[own], effort) {
                Some(found) if most.is_exact && found < most.value => return Some(false),
                Some(_) if most.is_exact => {}
                _ => return None,
            }
            dimension += 1;
        }
        Some(true)
    }

    /// Whether every rank of one side is known to meet every rank of the other.
    const fn all_meet(&self) -> bool {
        let mut dimension = 0;
        while dimension < D {
            let axis = self.axis(dimension);
            let alone = axis.side(Side::Source).ranks() == 1 && axis.side(Side::Destination).ranks() == 1;
            match Residues::of(&axis, Side::Source) {
                _ if alone => {}
                Some(residues) if residues.all_meet() && residues.repeat_within(axis.len()) => {}
                _ => return false,
            }
            dimension += 1;
        }
        true
    }

    /// Whether all ranks of a side are ranks of the other, too.
    const fn is_within_other(&self, side: Side) -> bool {
        let (own, other) = (self.descriptor(side), self.descriptor(side.other()));
        let (own_first, first) = (own.layout().ranks_from, other.layout().ranks_from);
        own_first >= first && own_first + own.ranks() <= first + other.ranks()
    }

    /// Whether the same coordinates are the same rank on both sides, along every dimension.
    pub(super) const fn are_numbered_alike(&self) -> bool {
        let (from, to) = (self.descriptor(Side::Source), self.descriptor(Side::Destination));
        let mut dimension = 0;
        while dimension < D {
            let own = self.destination_axis(dimension);
            let (here, there) = (from.axis(dimension).ranks(), to.axis(own).ranks());
            let apart = from.rank_distance(dimension) != to.rank_distance(own);
            if here != there || here > 1 && apart {
                return false;
            }
            dimension += 1;
        }
        from.layout().ranks_from == to.layout().ranks_from
    }
}
