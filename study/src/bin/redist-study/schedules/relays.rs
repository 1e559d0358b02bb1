//! Messages that go through other ranks: x→kx and kx→x on the same ranks, in several phases.
//!
//! After Lim, Bhat and Prasanna, *Efficient Algorithms for Block-Cyclic Redistribution of Arrays*. Only
//! the abstract is at hand: relays take `O(log k)` steps, and a hybrid combines them with direct
//! messages. Here a phase between two block sizes is a relay; a chain of prime factors has as
//! many steps as the abstract says.

use anyhow::Context as _;
use redist::layout::Dist;
use redist::plan::schedule::{CostModel, MessageGraph};
use redist::{Layout, Plan};
use redist_study::ScheduledCase;
use redist_study::baseline::MultiPhase;

/// Bytes of an element.
pub const BYTES: usize = 8;

/// Relays through every block size between, and as many of them as are cheapest.
pub const NAMES: [&str; 2] = ["indirect", "hybrid"];

/// Steps, and elements of the longest messages, of all phases together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Steps of all phases.
    pub steps: usize,
    /// Elements of the longest message, summed over all steps.
    pub elements: usize,
}

impl Cost {
    fn seconds(self) -> f64 {
        CostModel::NETWORK.seconds(self.steps, (self.elements * BYTES) as f64)
    }
}

/// Returns the cheapest chain of the most phases, and the cheapest of all; nothing for other cases.
pub fn of(case: &ScheduledCase, plan: &Plan<1>) -> anyhow::Result<Vec<(&'static str, Cost)>> {
    if case.k() == 0 || case.ranks.0 != case.ranks.1 {
        return Ok(Vec::new());
    }
    let chains = MultiPhase::nested(&plan.axis(0)).map_err(anyhow::Error::msg)?;
    let most = chains.iter().map(|chain| chain.blocks().len()).max().unwrap_or(0);
    let priced = |chain: &MultiPhase| Ok((chain.blocks().len(), cost(case, plan, chain.blocks())?));
    let costs = chains.iter().map(priced).collect::<anyhow::Result<Vec<(usize, Cost)>>>()?;
    let cheapest = |wanted: &dyn Fn(usize) -> bool| {
        let of = costs.iter().filter(|(phases, _)| wanted(*phases)).map(|(_, cost)| *cost);
        of.min_by(|a, b| a.seconds().total_cmp(&b.seconds())).context("there is no chain")
    };
    let [indirect, hybrid] = [cheapest(&|phases| phases == most)?, cheapest(&|_| true)?];
    Ok(NAMES.into_iter().zip([indirect, hybrid]).collect())
}

/// Sums over the phases the fewest steps and the shortest ones, which the circulant schedule has.
fn cost(case: &ScheduledCase, plan: &Plan<1>, between: &[usize]) -> anyhow::Result<Cost> {
    let blocks = [&[case.blocks.0], between, &[case.blocks.1]].concat();
    let layout = |block: usize| Layout::new([Dist::Cyclic(block)], [case.ranks.0]);
    let mut sum = Cost { steps: 0, elements: 0 };
    for pair in blocks.windows(2) {
        let phase = Plan::new(plan.extents(), layout(pair[0]), layout(pair[1]));
        let graph = MessageGraph::of(&phase.context("a phase")?).context("a phase")?;
        sum.steps += graph.least_steps();
        sum.elements += graph.least_elements();
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_16(k: usize) -> Vec<(&'static str, Cost)> {
        let case = ScheduledCase { family: "x→kx", blocks: (8, 8 * k), ranks: (16, 16) };
        of(&case, &case.plan(1 << 10).unwrap()).unwrap()
    }

    /// Of 16 ranks that get blocks 16 times as long, one phase has 16 steps; four have two each.
    #[test]
    fn relays_take_as_many_steps_as_the_logarithm() {
        let [(indirect, cost), (hybrid, cheapest)] = of_16(16)[..] else { panic!("two rows") };
        assert_eq!((indirect, hybrid), (NAMES[0], NAMES[1]));
        assert_eq!(cost.steps, 2 * 4);
        // Every phase moves all of a rank's elements, in its steps together.
        assert_eq!(cost.elements, 4 << 10);
        assert!(cheapest.seconds() <= cost.seconds());
        assert_eq!(of_16(2)[0].1, of_16(2)[1].1);
    }
}
