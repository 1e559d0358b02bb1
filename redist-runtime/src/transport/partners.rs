//! The ranks that a rank exchanges elements with in the moves of a plan.

/// Most ranks that are compared pair by pair, because their pairs grow with the square.
const MAX_COMPARED: usize = 64;

/// The partners of one rank. A move exchanges nothing with other ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partners {
    /// Other ranks that send to this one, increasing.
    pub senders: Vec<usize>,
    /// Other ranks that this one sends to, increasing.
    pub receivers: Vec<usize>,
    /// Both, increasing.
    pub all: Vec<usize>,
    /// `true` if all of a few ranks are partners of each other: the same on all ranks.
    pub are_all: bool,
}

impl Partners {
    /// Finds the partners of `rank` among `ranks`; `sends` tells if one sends to another.
    pub fn new(rank: usize, ranks: usize, sends: impl Fn(usize, usize) -> bool) -> Self {
        let others = || (0..ranks).filter(|other| *other != rank && rank < ranks);
        let meet = |one: usize, other: usize| sends(one, other) || sends(other, one);
        let pairs = (0..ranks).flat_map(|one| (0..one).map(move |other| (one, other)));
        Self {
            senders: others().filter(|other| sends(*other, rank)).collect(),
            receivers: others().filter(|other| sends(rank, *other)).collect(),
            all: others().filter(|other| meet(rank, *other)).collect(),
            are_all: ranks <= MAX_COMPARED
                && pairs.into_iter().all(|(one, other)| meet(one, other)),
        }
    }

    /// Returns the partners of a rank that sends to each of `ranks`, and receives from each.
    #[cfg(test)]
    pub fn each_other(rank: usize, ranks: usize) -> Self {
        Self::new(rank, ranks, |_, _| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partners_are_those_with_elements_for_each_other() {
        // A ring of four: each sends to the next.
        let ring = Partners::new(2, 4, |from, to| (from + 1) % 4 == to);
        assert_eq!((&ring.senders[..], &ring.receivers[..]), (&[1][..], &[3][..]));
        assert_eq!((&ring.all[..], ring.are_all), (&[1, 3][..], false));
        let of_three = Partners::new(0, 3, |from, to| (from + 1) % 3 == to);
        assert_eq!((&of_three.all[..], of_three.are_all), (&[1, 2][..], true));
    }

    #[test]
    fn a_rank_outside_of_both_grids_has_none() {
        let idle = Partners::new(5, 4, |_, _| true);
        assert_eq!(idle, Partners { are_all: true, ..Partners::default() });
    }
}
