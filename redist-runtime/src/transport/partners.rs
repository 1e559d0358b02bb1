//! The ranks that a rank exchanges elements with in the moves of a plan.

use std::cell::Cell;

/// Most ranks that are compared pair by pair, because their pairs grow with the square.
const MAX_COMPARED: usize = 64;

/// Most ranks that meet although they have few partners each.
const FEW: usize = 8;

/// The partners of one rank. A move exchanges nothing with ranks that are not [met](Self::met).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partners {
    /// Other ranks that send to this one, increasing.
    pub senders: Vec<usize>,
    /// Other ranks that this one sends to, increasing.
    pub receivers: Vec<usize>,
    /// Both, or all other ranks if ranks divide the copies; increasing.
    pub met: Vec<usize>,
    /// `true` if ranks are few and each has a partner, or if each has partners among at least half
    /// of the other ranks. The same on all ranks. Such ranks meet, and divide copies between shared
    /// arrays. If each receiver copies its part, 4 ranks on 2 cores take 1.3 times as long to
    /// gather an array of 128 MiB (27 November 2026).
    pub divide: bool,
}

impl Partners {
    /// Finds the partners of `rank` among `ranks`; `sends` tells if one rank sends to another rank.
    /// Asks for a pair once, because an answer takes longer than all else here.
    pub fn new(rank: usize, ranks: usize, sends: impl Fn(usize, usize) -> bool) -> Self {
        let compared = if ranks <= MAX_COMPARED { ranks } else { 0 };
        let known = vec![Cell::new(None); compared * compared];
        let sends = |from: usize, to: usize| match known.get(from * compared + to) {
            Some(pair) => {
                let found = pair.get().unwrap_or_else(|| sends(from, to));
                pair.set(Some(found));
                found
            }
            None => sends(from, to),
        };
        let others = || (0..ranks).filter(|other| *other != rank && rank < ranks);
        let are_partners = |one: usize, other: usize| sends(one, other) || sends(other, one);
        let least = if ranks <= FEW { 1.min(ranks.saturating_sub(1)) } else { ranks / 2 };
        let has_enough = |one: usize| {
            let partners = (0..ranks).filter(|other| *other != one && are_partners(one, *other));
            partners.take(least).count() == least
        };
        let divide = ranks <= MAX_COMPARED && (0..ranks).all(has_enough);
        Self {
            senders: others().filter(|other| sends(*other, rank)).collect(),
            receivers: others().filter(|other| sends(rank, *other)).collect(),
            met: others().filter(|other| divide || are_partners(rank, *other)).collect(),
            divide,
        }
    }
}

/// The ranks that have to be ready, for a rank that completes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoesOn {
    /// The ranks that send to it. Over MPI, all ranks.
    WithSenders,
    /// All, because its own elements would be lost otherwise.
    WithAll,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_for_a_pair_once() {
        for ranks in [1, 2, 5, MAX_COMPARED] {
            let asked = Cell::new(0);
            Partners::new(0, ranks, |from, to| {
                asked.set(asked.get() + 1);
                (from + to) % 3 == 0
            });
            assert!(asked.get() <= ranks * (ranks - 1), "{} of {ranks} ranks", asked.get());
        }
    }

    fn ring(rank: usize, ranks: usize) -> Partners {
        Partners::new(rank, ranks, |from, to| (from + 1) % ranks == to)
    }

    #[test]
    fn partners_are_those_with_elements_for_each_other() {
        let of_nine = ring(2, 9);
        assert_eq!((&of_nine.senders[..], &of_nine.receivers[..]), (&[1][..], &[3][..]));
        assert_eq!((&of_nine.met[..], of_nine.divide), (&[1, 3][..], false));
    }

    #[test]
    fn few_ranks_and_ranks_with_many_partners_meet_all() {
        let of_four = ring(2, 4);
        assert_eq!((&of_four.senders[..], &of_four.receivers[..]), (&[1][..], &[3][..]));
        assert_eq!((&of_four.met[..], of_four.divide), (&[0, 1, 3][..], true));
        let near = |from: usize, to: usize| (to + 12 - from) % 12 <= 3;
        assert!(Partners::new(0, 12, near).divide && !ring(0, 12).divide);
        // Rank 2 has nothing for anybody.
        assert!(!Partners::new(0, 3, |from, to| from < 2 && to < 2).divide);
    }

    #[test]
    fn a_rank_outside_of_both_grids_has_none() {
        let idle = Partners::new(5, 4, |_, _| true);
        assert_eq!(idle, Partners { divide: true, ..Partners::default() });
    }
}
