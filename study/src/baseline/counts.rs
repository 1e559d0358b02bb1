//! The costs of the algorithms in closed form: the operations of all source ranks together.
//!
//! `N` elements go from blocks of `s` on `P` ranks to blocks of `t` on `Q`, with a period `S =
//! min(N, lcm(s P, t Q))`. Equations 1 to 4 of Foyer, Tate and McIntosh-Smith are averages or
//! bounds; these are exact, and saturate. Algorithms must [apply](super::Intersection::applies).

use super::regular::Regular;
use super::{
    Aspen, BasicCycle, Classical, Falls, GuoNakata, HsuChung, HsuChungAnyRanks, Intersection,
    Operations, Pitfalls, Scalapack, Thakur, Window,
};
use num_integer::gcd;
use redist::plan::Axis;
use redist_plan::arithmetic::saturating_lcm;

pub type ClosedForm = fn(&Axis) -> Operations;

/// The closed forms of what the algorithms count, and of the bounds on it.
pub const EXACT: [(&dyn Intersection, ClosedForm); 8] = [
    (&Classical, classical),
    (&Thakur, thakur),
    (&Falls, falls),
    (&Pitfalls, pitfalls),
    (&HsuChung, hsu_chung),
    (&HsuChungAnyRanks, hsu_chung_any_ranks),
    (&BasicCycle, basic_cycle),
    (&Aspen, aspen),
];
pub const AT_MOST: [(&dyn Intersection, ClosedForm); 3] =
    [(&Scalapack, scalapack_at_most), (&GuoNakata, guo_nakata_at_most), (&Window, window)];

/// [`Classical`]: `ceil(N / s) ceil(N / t)` comparisons.
pub fn classical(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let (own, remote) =
        (line.len.div_ceil(line.source.block), line.len.div_ceil(line.destination.block));
    Operations { set_ups: 0, comparisons: own.saturating_mul(remote) }
}

/// [`Thakur`]: an owner for each piece, or each rank if one block size divides its partner.
pub fn thakur(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let nested = Nested::of(&line).is_some();
    Operations {
        set_ups: if nested { busy_ranks(&line) } else { axis.pieces() },
        comparisons: axis.pieces(),
    }
}

/// [`Falls`]: `Q ceil(S / s)` set-ups and the pieces of a period.
pub fn falls(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let own = axis.period().div_ceil(line.source.block);
    Operations {
        set_ups: line.destination.ranks.saturating_mul(own),
        comparisons: axis.pieces_below(axis.period()),
    }
}

/// [`Pitfalls`]: the pieces of a period, and of one of `s` and `t Q` as set-ups,
/// `ceil(S / s) + ceil(S / tQ) - ceil(S / lcm(s, tQ))`.
pub fn pitfalls(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let (period, block, round) = (axis.period(), line.source.block, line.destination.round);
    let both = period.div_ceil(saturating_lcm(block, round));
    let set_ups = period.div_ceil(block) + (period.div_ceil(round) - both);
    Operations { set_ups, comparisons: axis.pieces_below(period) }
}

/// [`Scalapack`]: `P Q` set-ups, at most `Q ceil(N / s) + P ceil(N / t)`
/// comparisons.
pub fn scalapack_at_most(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let (own, remote) =
        (line.len.div_ceil(line.source.block), line.len.div_ceil(line.destination.block));
    let (ranks, remote_ranks) = (line.source.ranks, line.destination.ranks);
    let comparisons = remote_ranks.saturating_mul(own).saturating_add(ranks.saturating_mul(remote));
    Operations { set_ups: ranks.saturating_mul(remote_ranks), comparisons }
}

/// [`GuoNakata`]: FALLS' set-ups and comparisons, and at most two that miss in each set-up, one at
/// either bound.
pub fn guo_nakata_at_most(axis: &Axis) -> Operations {
    let tight = falls(axis);
    let misses = tight.set_ups.saturating_mul(2);
    Operations { comparisons: tight.comparisons.saturating_add(misses), ..tight }
}

/// [`HsuChung`]: a set-up for each partner of each rank in one cycle. Each is a
/// family if `k <= P`; else each partner of each cycle is.
///
/// # Panics
/// If neither block size is a multiple of its partner.
pub fn hsu_chung(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let (nested, ranks) = (Nested::expected(&line), line.source.ranks);
    let cycle = line.len.min(nested.coarse.saturating_mul(ranks));
    let set_ups = nested.partners(cycle, ranks);
    Operations {
        set_ups,
        comparisons: if nested.k() <= ranks { set_ups } else { nested.partners(line.len, ranks) },
    }
}

/// [`HsuChungAnyRanks`]: the partners of all blocks of the coarser side.
/// The pieces of a period if each partner gets one of a block (`k <= Q`, or `k <= P` for r→kr).
///
/// # Panics
/// If neither block size is a multiple of its partner.
pub fn hsu_chung_any_ranks(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let nested = Nested::expected(&line);
    let scatters = line.source.block >= line.destination.block;
    let ranks = if scatters { line.destination.ranks } else { line.source.ranks };
    if nested.k() <= ranks {
        return aspen(axis);
    }
    let comparisons = nested.partners(line.len, ranks);
    Operations {
        set_ups: if scatters { line.len.div_ceil(nested.coarse) } else { comparisons },
        comparisons,
    }
}

/// [`BasicCycle`]: `ceil(S / gcd(s, t))` set-ups and the pieces of a period.
pub fn basic_cycle(axis: &Axis) -> Operations {
    let (line, period) = (Regular::of(axis), axis.period());
    let unit = gcd(line.source.block, line.destination.block);
    Operations { set_ups: period.div_ceil(unit), comparisons: axis.pieces_below(period) }
}

/// [`Aspen`]: `ceil(S / s)` set-ups and the pieces of a period,
/// `ceil(S / s) + ceil(S / t) - ceil(S / lcm(s, t))`.
pub fn aspen(axis: &Axis) -> Operations {
    let period = axis.period();
    Operations {
        set_ups: period.div_ceil(Regular::of(axis).source.block),
        comparisons: axis.pieces_below(period),
    }
}

/// [`Window`]: a set-up for each rank with elements, and the pieces of the first
/// `min(N, lcm(s P, t))` elements. An upper bound if one block size divides its partner. A rank
/// makes no more comparisons than a [window has pieces](Axis::window_pieces).
pub fn window(axis: &Axis) -> Operations {
    let line = Regular::of(axis);
    let stride = line.len.min(saturating_lcm(line.source.round, line.destination.block));
    Operations { set_ups: busy_ranks(&line), comparisons: axis.pieces_below(stride) }
}

fn busy_ranks(line: &Regular) -> usize {
    line.source.ranks.min(line.len.div_ceil(line.source.block))
}

/// A dimension in which one side's blocks are whole blocks of the opposite side.
struct Nested {
    /// Elements in a block of the side with the larger blocks.
    coarse: usize,
    /// Elements in a block of the side with the smaller blocks.
    fine: usize,
}

impl Nested {
    fn of(line: &Regular) -> Option<Self> {
        let (s, t) = (line.source.block, line.destination.block);
        let (coarse, fine) = (s.max(t), s.min(t));
        coarse.is_multiple_of(fine).then_some(Self { coarse, fine })
    }

    fn expected(line: &Regular) -> Self {
        Self::of(line).expect("one block size is a multiple of the other")
    }

    fn k(&self) -> usize {
        self.coarse / self.fine
    }

    /// Counts the partners of each coarse block of `0..end` among `ranks` fine ranks.
    fn partners(&self, end: usize, ranks: usize) -> usize {
        let rest = (end % self.coarse).div_ceil(self.fine);
        (end / self.coarse).saturating_mul(self.k().min(ranks)).saturating_add(rest.min(ranks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::plan::Plan;

    fn axis(len: usize, from: &str, to: &str) -> Axis {
        Plan::<1>::parse([len], from, to).unwrap().axis(0)
    }

    fn operations(set_ups: usize, comparisons: usize) -> Operations {
        Operations { set_ups, comparisons }
    }

    /// 30 elements, blocks of 4 on 2 ranks and of 6 on 3: the period is 72.
    #[test]
    fn one_dimension_by_hand() {
        let axis = axis(30, "cyclic(4) onto 2", "cyclic(6) onto 3");
        assert_eq!(classical(&axis), operations(0, 8 * 5));
        assert_eq!(falls(&axis), operations(3 * 8, 10)); // boundaries at 4 6 8 12 16 18 20 24 28
        assert_eq!(aspen(&axis), operations(8, 10));
        assert_eq!(basic_cycle(&axis), operations(15, 10));
        assert_eq!(pitfalls(&axis), operations(9, 10)); // 18 is inside a block of 4
        assert_eq!(thakur(&axis), operations(10, 10));
        assert_eq!(scalapack_at_most(&axis), operations(6, 3 * 8 + 2 * 5));
        assert_eq!((window(&axis), axis.window_pieces()), (operations(2, 8), 4)); // of the first lcm(8, 6)
    }

    #[test]
    fn nested_blocks_by_hand() {
        let coarse = axis(30, "cyclic(10) onto 3", "cyclic(2) onto 3");
        assert_eq!(hsu_chung(&coarse), operations(9, 9)); // all pairs, in one cycle
        assert_eq!(thakur(&coarse), operations(3, 15));
        let fine = axis(24, "cyclic(2) onto 2", "cyclic(6) onto 2");
        assert_eq!(hsu_chung(&fine), operations(4, 8)); // all pairs, in two cycles
        assert_eq!(hsu_chung_any_ranks(&fine), operations(8, 8));
    }

    #[test]
    fn nothing_costs_nothing_and_the_largest_numbers_saturate() {
        let none = axis(0, "cyclic(4) onto 2", "cyclic(2) onto 3");
        assert_eq!(
            [classical(&none), falls(&none), pitfalls(&none), aspen(&none), window(&none)],
            [operations(0, 0); 5]
        );
        let huge = axis(usize::MAX / 2, "cyclic onto 2", "cyclic(3) onto 5");
        assert_eq!(classical(&huge).comparisons, usize::MAX);
        assert_eq!(aspen(&huge), operations(30, 30));
    }
}
