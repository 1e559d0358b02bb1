//! Finds ranks that keep none of the most parts, and therefore send one message more.

use super::residues::Residues;
use super::{COUNT, Effort, Figure};
use crate::layout::Ranks;
use crate::plan::{Plan, Side};

impl<const D: usize> Plan<D> {
    /// Returns `true` if a rank with the most parts keeps none; `None` if that takes too long.
    pub(super) const fn gives_all(
        &self,
        side: Side,
        most: &[Figure; D],
        effort: &mut Effort,
    ) -> Option<bool> {
        if self.all_meet() {
            // Then all ranks send the same, and those on both sides keep something.
            return Some(!self.is_within_other(side));
        }
        if self.are_numbered_alike() {
            return self.gives_all_along(side, most, effort);
        }
        let own = self.descriptor(side);
        let mut number = 0;
        while number < own.ranks() {
            let rank = own.nth_rank(number);
            if !effort.spend(COUNT * D + self.searched()) {
                return None;
            }
            if self.volume(rank, rank) == 0 {
                match self.has_most(side, rank, most, effort) {
                    Some(false) => {}
                    found => return found,
                }
            }
            number += 1;
        }
        Some(false)
    }

    /// Answers as [`gives_all`](Self::gives_all), if keeping some along each dimension is keeping
    /// some.
    const fn gives_all_along(
        &self,
        side: Side,
        most: &[Figure; D],
        effort: &mut Effort,
    ) -> Option<bool> {
        let mut dimension = 0;
        while dimension < D {
            let axis = self.axis(dimension);
            let mut coordinate = 0;
            while coordinate < axis.side(side).ranks() {
                if !effort.spend(COUNT) {
                    return None;
                }
                if axis.count(coordinate, coordinate) == 0 {
                    match axis.partners(side, coordinate, effort) {
                        Some(found) if found == most[dimension].value => return Some(true),
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

    const fn has_most(
        &self,
        side: Side,
        rank: usize,
        most: &[Figure; D],
        effort: &mut Effort,
    ) -> Option<bool> {
        let Some(coordinates) = self.descriptor(side).coordinates(rank) else { return Some(false) };
        let mut dimension = 0;
        while dimension < D {
            let (axis, own) = (self.axis(dimension), self.axis_on(side, dimension));
            match axis.partners(side, coordinates[own], effort) {
                Some(found) if found < most[dimension].value => return Some(false),
                Some(_) => {}
                None => return None,
            }
            dimension += 1;
        }
        Some(true)
    }

    /// Returns `true` if every rank of one side surely exchanges with every rank of the opposite
    /// side.
    const fn all_meet(&self) -> bool {
        let mut dimension = 0;
        while dimension < D {
            let axis = self.axis(dimension);
            let alone =
                axis.side(Side::Source).ranks() == 1 && axis.side(Side::Destination).ranks() == 1;
            match Residues::of_period(&axis, Side::Source) {
                _ if alone => {}
                Some(residues) if residues.all_meet() => {}
                _ => return false,
            }
            dimension += 1;
        }
        true
    }

    const fn is_within_other(&self, side: Side) -> bool {
        let (own, other) = (self.descriptor(side), self.descriptor(side.other()));
        match (own.layout().ranks, other.layout().ranks) {
            (Ranks::From(own_first), Ranks::From(first)) => {
                own_first >= first && own.ranks_end() <= other.ranks_end()
            }
            _ => {
                own.ranks() <= other.ranks() && {
                    let mut number = 0;
                    while number < own.ranks() && other.number_of(own.nth_rank(number)).is_some() {
                        number += 1;
                    }
                    number == own.ranks()
                }
            }
        }
    }

    pub(super) const fn searched(&self) -> usize {
        let (mut visits, mut sides) = (0, 0);
        while sides < 2 {
            let side = if sides == 0 { Side::Source } else { Side::Destination };
            if let Ranks::Map(list) = self.descriptor(side).layout().ranks {
                visits += list.len() / RANKS_OF_A_VISIT;
            }
            sides += 1;
        }
        visits
    }

    pub(super) const fn are_numbered_alike(&self) -> bool {
        let (from, to) = (self.descriptor(Side::Source), self.descriptor(Side::Destination));
        let mut dimension = 0;
        while dimension < D {
            let own = self.destination_axis(dimension);
            let (here, there) = (from.axis(dimension).ranks(), to.axis(own).ranks());
            let apart = from.number_distance(dimension) != to.number_distance(own);
            if here != there || here > 1 && apart {
                return false;
            }
            dimension += 1;
        }
        match (from.layout().ranks, to.layout().ranks) {
            (Ranks::From(first), Ranks::From(second)) => first == second,
            (Ranks::Map(list), Ranks::Map(other)) => are_equal(list, other),
            _ => false,
        }
    }
}

/// Ranks of a map that are compared in the time of one block visit.
const RANKS_OF_A_VISIT: usize = 16;

const fn are_equal(list: &[usize], other: &[usize]) -> bool {
    let mut number = 0;
    while number < list.len() && number < other.len() && list[number] == other[number] {
        number += 1;
    }
    number == list.len() && number == other.len()
}
