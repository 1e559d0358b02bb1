//! The scheduled redistributions: x→kx, kx→x and s→t between grids of up to 128 ranks.

use anyhow::Context as _;
use redist::layout::{Dist, Ranks};
use redist::{Layout, Plan};

const BLOCK: usize = 8;

const GRIDS: [(usize, usize); 12] = [
    (8, 8),
    (16, 16),
    (32, 32),
    (64, 64),
    (128, 128),
    (16, 32),
    (16, 48),
    (36, 48),
    (48, 36),
    (64, 128),
    (128, 64),
    (96, 128),
];

const FACTORS: [usize; 10] = [2, 3, 4, 6, 8, 12, 16, 24, 48, 100];

/// Blocks of general redistributions; between some grids the last two have no closed form.
const GENERAL: [(usize, usize); 6] = [(30, 50), (654, 321), (7, 11), (64, 96), (6, 4), (2, 3)];

type Pair = (usize, usize);

/// Families, factors (for s→t both blocks) and ranks that are timed over links. Three each of x→kx,
/// in the paper's order of kinds: not all ranks meet, all meet with equal messages or with two
/// lengths. Of each, one has P < Q, one P = Q and one P > Q, the paper's scenarios.
const TIMED: [(&str, Pair, Pair); 11] = [
    ("x→kx", (1, 2), (4, 8)),
    ("x→kx", (1, 3), (6, 6)),
    ("x→kx", (1, 2), (8, 4)),
    ("x→kx", (1, 4), (4, 8)),
    ("x→kx", (1, 6), (6, 6)),
    ("x→kx", (1, 8), (8, 4)),
    ("x→kx", (1, 6), (4, 8)),
    ("x→kx", (1, 9), (6, 6)),
    ("x→kx", (1, 12), (8, 4)),
    ("kx→x", (2, 1), (8, 4)),
    ("s→t", (3, 5), (6, 6)),
];

/// A change of block sizes whose schedules are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledCase {
    /// x→kx, kx→x or s→t.
    pub family: &'static str,
    /// Elements in a block, of the source and of the destination.
    pub blocks: (usize, usize),
    /// Ranks of the source and of the destination.
    pub ranks: (usize, usize),
}

impl ScheduledCase {
    pub fn all(quick: bool) -> Vec<ScheduledCase> {
        let grids: Vec<_> =
            GRIDS.into_iter().filter(|grid| !quick || grid.0.max(grid.1) <= 32).collect();
        let factors: Vec<_> = FACTORS.into_iter().step_by(if quick { 4 } else { 1 }).collect();
        let nested = factors
            .iter()
            .flat_map(|k| [("x→kx", (BLOCK, k * BLOCK)), ("kx→x", (k * BLOCK, BLOCK))]);
        let general =
            GENERAL.into_iter().step_by(if quick { 2 } else { 1 }).map(|blocks| ("s→t", blocks));
        let blocks: Vec<_> = nested.chain(general).collect();
        let case = |(family, blocks), ranks| ScheduledCase { family, blocks, ranks };
        blocks
            .iter()
            .flat_map(|blocks| grids.iter().map(move |grid| case(*blocks, *grid)))
            .collect()
    }

    /// Lists the cases that are timed over links: on 12 ranks, where the paper has dozens.
    pub fn timed() -> Vec<ScheduledCase> {
        let case = |(family, (s, t), ranks)| ScheduledCase {
            family,
            blocks: (s * BLOCK, t * BLOCK),
            ranks,
        };
        TIMED.into_iter().map(case).collect()
    }

    /// Returns the factor of x→kx and kx→x; 0 for s→t.
    pub fn k(&self) -> usize {
        match self.family {
            "s→t" => 0,
            _ => self.blocks.0.max(self.blocks.1) / BLOCK,
        }
    }

    /// Plans whole periods, with about `elements_per_rank` elements a rank of the larger side.
    pub fn plan(&self, elements_per_rank: usize) -> anyhow::Result<Plan<1>> {
        self.plan_from(elements_per_rank, 0)
    }

    /// Plans the case with the destination's ranks after the source's.
    pub fn disjoint(&self, elements_per_rank: usize) -> anyhow::Result<Plan<1>> {
        self.plan_from(elements_per_rank, self.ranks.0)
    }

    fn plan_from(&self, elements_per_rank: usize, first: usize) -> anyhow::Result<Plan<1>> {
        let plan = |extent| {
            let [from, to] = [(self.blocks.0, self.ranks.0), (self.blocks.1, self.ranks.1)]
                .map(|(block, ranks)| Layout::new([Dist::Cyclic(block)], [ranks]));
            let to = to.ranks(Ranks::From(first));
            Plan::new([extent], from, to).with_context(|| format!("{self:?}"))
        };
        let period = plan(1 << 40)?.axis(0).period();
        plan(period * (elements_per_rank * self.ranks.0.max(self.ranks.1) / period).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::plan::schedule::MessageGraph;
    use std::cmp::Ordering;
    use std::collections::BTreeSet;

    #[test]
    fn extents_are_whole_periods() {
        for case in ScheduledCase::all(false).into_iter().chain(ScheduledCase::timed()) {
            let axis = case.plan(1 << 17).unwrap().axis(0);
            assert!(
                axis.len().is_multiple_of(axis.period()) && axis.len() >= axis.period(),
                "{case:?}"
            );
        }
    }

    #[test]
    fn timed_cases_are_of_all_the_kinds_of_the_paper() {
        let of_kind = |case: &ScheduledCase| {
            let graph = MessageGraph::of(&case.plan(1 << 12).unwrap()).unwrap();
            let lengths: BTreeSet<usize> = graph.edges().iter().map(|edge| edge.elements).collect();
            let all_meet = graph.edges().len() == case.ranks.0 * case.ranks.1;
            (case.family, all_meet, lengths.len())
        };
        let kinds: Vec<_> = ScheduledCase::timed().iter().map(of_kind).collect();
        let nested = |all_meet, lengths| ("x→kx", all_meet, lengths);
        assert_eq!(kinds[..3], [nested(false, 1); 3]);
        assert_eq!(kinds[3..6], [nested(true, 1); 3]);
        assert_eq!(kinds[6..9], [nested(true, 2); 3]);
        assert_eq!(kinds[9], ("kx→x", false, 1));
        for kind in ScheduledCase::timed()[..9].chunks(3) {
            let orders: Vec<Ordering> =
                kind.iter().map(|case| case.ranks.0.cmp(&case.ranks.1)).collect();
            assert_eq!(orders, [Ordering::Less, Ordering::Equal, Ordering::Greater]);
        }
    }
}
