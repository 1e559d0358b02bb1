//! What `require` can demand of a plan, counted from the simulator's messages.

use proptest::prelude::*;
use redist::Plan;
use redist::plan::{Figure, Side};
use redist_testing::array::{messages, permuted, store};
use redist_testing::strategies::{Case, cases, config, long_lines};
use std::collections::BTreeMap;

/// Messages, steps, elements that stay, and elements of memory.
type Figures = [usize; 4];

/// The largest number of entries that a rank has, or 0.
fn most(ranks: impl Iterator<Item = usize>) -> usize {
    let mut entries = BTreeMap::new();
    ranks.for_each(|rank| *entries.entry(rank).or_insert(0) += 1);
    entries.into_values().max().unwrap_or(0)
}

fn simulated<const D: usize>(case: &Case<D>) -> Figures {
    let Case { extents, from, to } = case;
    let messages = messages(*extents, from, to);
    let degree = |with_own: bool| {
        let all = || messages.keys().filter(move |(p, q)| with_own || p != q);
        most(all().map(|(p, _)| *p)).max(most(all().map(|(_, q)| *q)))
    };
    let kept = messages.iter().filter(|((p, q), _)| p == q).map(|(_, elements)| elements.len());
    let mut needed: BTreeMap<usize, usize> = BTreeMap::new();
    for stored in [store(*extents, from), store(permuted(*extents, to.axes), to)] {
        stored.lengths.iter().for_each(|(rank, len)| *needed.entry(*rank).or_default() += len);
    }
    for ((p, q), elements) in &messages {
        *needed.entry(*p).or_default() += elements.len();
        *needed.entry(*q).or_default() += elements.len();
    }
    [degree(false), degree(true), kept.sum(), needed.into_values().max().unwrap_or(0)]
}

fn planned<const D: usize>(plan: &Plan<D>) -> [Figure; 4] {
    [plan.messages(), plan.steps(), plan.stays(), plan.memory(1)]
}

fn agree<const D: usize>(case: &Case<D>) {
    let plan = case.plan();
    let figures = planned(&plan);
    assert!(figures.iter().all(|figure| figure.is_exact), "{figures:?}");
    assert_eq!(figures.map(|figure| figure.value), simulated(case), "{case:?}");
    let back = planned(&plan.inverse());
    assert_eq!(figures, back, "the way back of {case:?}");
    let ranks = plan.ranks() * plan.axis(0).side(Side::Source).ranks();
    assert!(plan.messages().value <= plan.steps().value && plan.steps().value <= ranks);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn figures_of_lines(case in cases::<1>()) {
        agree(&case);
    }

    #[test]
    fn figures_of_long_lines(case in long_lines()) {
        agree(&case);
    }

    #[test]
    fn figures_of_planes(case in cases::<2>()) {
        agree(&case);
    }

    #[test]
    fn figures_of_boxes(case in cases::<3>()) {
        agree(&case);
    }
}
