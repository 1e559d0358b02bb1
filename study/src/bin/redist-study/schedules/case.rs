//! What is scheduled: x→kx, kx→x and s→t between grids of up to 128 ranks.

use anyhow::Context as _;
use redist::layout::Dist;
use redist::{Layout, Plan};

/// About how many elements a rank holds: 1 MiB in double precision.
const ELEMENTS_PER_RANK: usize = 1 << 17;

/// Elements in a block of x.
const BLOCK: usize = 8;

/// Ranks of the source and of the destination.
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

/// One redistribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// x→kx, kx→x or s→t.
    pub family: &'static str,
    /// Elements in a block of the source and of the destination.
    pub blocks: (usize, usize),
    /// Ranks of the source and of the destination.
    pub ranks: (usize, usize),
}

impl Case {
    /// All of them, or a few.
    pub fn all(quick: bool) -> Vec<Case> {
        let grids: Vec<_> =
            GRIDS.into_iter().filter(|grid| !quick || grid.0.max(grid.1) <= 32).collect();
        let factors: Vec<_> = FACTORS.into_iter().step_by(if quick { 4 } else { 1 }).collect();
        let nested = factors
            .iter()
            .flat_map(|k| [("x→kx", (BLOCK, k * BLOCK)), ("kx→x", (k * BLOCK, BLOCK))]);
        let general =
            GENERAL.into_iter().step_by(if quick { 2 } else { 1 }).map(|blocks| ("s→t", blocks));
        let blocks: Vec<_> = nested.chain(general).collect();
        let case = |(family, blocks), ranks| Case { family, blocks, ranks };
        blocks
            .iter()
            .flat_map(|blocks| grids.iter().map(move |grid| case(*blocks, *grid)))
            .collect()
    }

    /// The factor of x→kx and kx→x; 0 for s→t.
    pub fn k(&self) -> usize {
        match self.family {
            "s→t" => 0,
            _ => self.blocks.0.max(self.blocks.1) / BLOCK,
        }
    }

    /// As the planner sees it: whole periods, so that messages have the sizes of the theory.
    ///
    /// # Errors
    /// Numbers that the planner does not accept.
    pub fn plan(&self) -> anyhow::Result<Plan<1>> {
        let plan = |extent| {
            let [from, to] = [(self.blocks.0, self.ranks.0), (self.blocks.1, self.ranks.1)]
                .map(|(block, ranks)| Layout::new([Dist::Cyclic(block)], [ranks]));
            Plan::new([extent], from, to).with_context(|| format!("{self:?}"))
        };
        let period = plan(1 << 40)?.axis(0).period();
        plan(period * (ELEMENTS_PER_RANK * self.ranks.0.max(self.ranks.1) / period).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_whole_periods() {
        for case in Case::all(false) {
            let axis = case.plan().unwrap().axis(0);
            assert!(
                axis.len().is_multiple_of(axis.period()) && axis.len() >= axis.period(),
                "{case:?}"
            );
        }
    }
}
