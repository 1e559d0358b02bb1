//! Figures for `require`, counted from the simulator's messages.

use proptest::prelude::*;
use redist::layout::{Dist, Ranks};
use redist::plan::Figure;
use redist::{Layout, Plan};
use redist_testing::array::{messages, permuted, store};
use redist_testing::strategies::{Case, cases, config, long_lines};
use std::collections::BTreeMap;

type Figures = [usize; 4];

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
}

fn wide_lines() -> impl Strategy<Value = Case<1>> {
    let side = || (1..=12usize, 1..=40usize, 0..40usize, 0..30usize, 0..3usize);
    (0..=900usize, side(), side()).prop_map(|(len, from, to)| {
        let layout = |(block, ranks, first, at, base)| {
            let whole = Layout::new([Dist::Cyclic(block)], [ranks]).first([first % ranks]);
            whole.ranks(Ranks::From(base)).of([len + 40]).at([at])
        };
        Case { extents: [len], from: layout(from), to: layout(to) }
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn figures_of_wide_lines(case in wide_lines()) {
        agree(&case);
    }

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

#[test]
fn figures_of_huge_grids() {
    const RANKS: usize = 1 << 16;
    let figures = |extent, from: &str, to: &str| {
        planned(&Plan::<1>::parse([extent], from, to).expect("a plan"))
    };
    let values = |figures: [Figure; 4]| figures.map(|figure| (figure.value, figure.is_exact));
    // Over whole periods, 3 and 2 blocks of the other side touch one, each of another rank.
    let whole = figures(RANKS * 6000, "cyclic(6) onto 65536", "cyclic(2) onto 65536");
    assert_eq!(values(whole)[1], (3, true));
    // All to all, and every rank keeps something.
    let all = figures(1 << 60, "cyclic(5) onto 65536", "cyclic(7) onto 65535");
    assert_eq!((values(all)[0], values(all)[1]), ((65535, true), (RANKS, true)));
    let blocks = figures(RANKS * 100, "block onto 65536", "block onto 65535");
    assert_eq!((values(blocks)[1], values(blocks)[3].1), ((2, true), true));
    let scattered = figures(RANKS * 100, "block onto 65536", "cyclic onto 65536");
    assert_eq!((values(scattered)[1], values(scattered)[2]), ((100, true), (100, true)));
}
