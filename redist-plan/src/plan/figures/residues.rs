//! The partners of each rank over a whole period, in closed form. Block `B` of one side begins at
//! `B s - a` of a section, block `C` of the opposite side at `C t - b`. They meet if the difference
//! is above `-t` and below `s`. A rank's blocks are `P` apart, its partner's `Q`: over a period,
//! differences count modulo `G = gcd(s P, t Q)`. A rank meets the ranks whose `C t` modulo `G` is
//! in a window of `s + t - 1` numbers. `C t` takes the multiples of `gcd(t, G)`, each for equally
//! many ranks.

use crate::arithmetic::wide_gcd;
use crate::plan::{Axis, Side};

/// A dimension seen from one side.
pub(super) struct Residues {
    /// Elements in a block of this side, and of the opposite side.
    blocks: (u128, u128),
    /// Elements after which a rank's blocks repeat, on this side and on the opposite side.
    rounds: (u128, u128),
    /// Ranks of the other side.
    others: u128,
    /// Start of this side's section, in its own blocks, after the opposite section's.
    ahead: i128,
    /// `G`, in elements.
    modulus: u128,
    /// `gcd(t, G)`, in elements.
    spacing: u128,
}

impl Residues {
    pub const fn of(axis: &Axis, side: Side) -> Option<Self> {
        let (own, other) = (axis.side(side), axis.side(side.other()));
        let (Some(s), Some(t)) = (own.regular_block(), other.regular_block()) else { return None };
        let (s, t) = (s as u128, t as u128);
        let rounds = (s * own.ranks() as u128, t * other.ranks() as u128);
        let modulus = wide_gcd(rounds.0, rounds.1);
        Some(Self {
            blocks: (s, t),
            rounds,
            others: other.ranks() as u128,
            ahead: own.at() as i128 - other.at() as i128,
            modulus,
            spacing: wide_gcd(t, modulus),
        })
    }

    /// Returns the dimension if it has a whole period: then all pairs meet that ever do.
    pub const fn of_period(axis: &Axis, side: Side) -> Option<Self> {
        match Self::of(axis, side) {
            Some(residues) if residues.repeat_within(axis.len()) => Some(residues),
            _ => None,
        }
    }

    const fn repeat_within(&self, len: usize) -> bool {
        match (self.rounds.0 / self.modulus).checked_mul(self.rounds.1) {
            Some(period) => period <= len as u128,
            None => false,
        }
    }

    pub const fn all_meet(&self) -> bool {
        self.window() >= self.modulus
    }

    const fn window(&self) -> u128 {
        self.blocks.0 + self.blocks.1 - 1
    }

    pub const fn partners(&self, block: usize) -> usize {
        let start = block as i128 * self.blocks.0 as i128;
        self.met(self.before_first(self.ahead - start, self.spacing))
    }

    pub const fn most(&self) -> usize {
        self.met(self.before_first(self.ahead, wide_gcd(self.blocks.0, self.spacing)))
    }

    /// Counts the window's numbers before the first that is congruent to `difference`.
    const fn before_first(&self, difference: i128, modulus: u128) -> u128 {
        let start = 1 - self.blocks.1 as i128;
        (difference - start).rem_euclid(modulus as i128) as u128
    }

    /// Counts the ranks met if that many numbers precede the first multiple of the spacing.
    const fn met(&self, before: u128) -> usize {
        if self.all_meet() {
            return self.others as usize;
        }
        let (whole, rest) = (self.window() / self.spacing, self.window() % self.spacing);
        let multiples = if before < rest { whole + 1 } else { whole };
        (multiples * (self.others * self.spacing / self.modulus)) as usize
    }
}
