//! Random dimensions, and the operations of algorithms on them.

use proptest::prelude::*;
use redist::layout::Dist;
use redist::plan::{Axis, Side};
use redist::{Layout, Plan};
use redist_study::baseline::{Intersection, Operations, Segments};
use redist_testing::dealing::{Blocks, Deal};
use redist_testing::strategies::LineCase;
use std::ops::Add;

/// Draws whole dimensions with blocks of one size; half of them nest, as kr→r and r→kr do.
pub fn whole() -> impl Strategy<Value = LineCase> {
    let grids =
        prop_oneof![(1..=7usize).prop_map(|ranks| (ranks, ranks)), (1..=7usize, 1..=7usize)];
    let blocks = prop_oneof![
        (1..=12usize, 1..=12usize),
        (1..=4usize, 1..=19usize).prop_map(|(r, k)| (k * r, r)),
        (1..=4usize, 1..=19usize).prop_map(|(r, k)| (r, k * r)),
    ];
    (0..400usize, blocks, grids, any::<[usize; 2]>()).prop_map(|(len, (s, t), (p, q), firsts)| {
        let deal = |block, ranks, first: usize| {
            (Deal { extent: len, blocks: Blocks::Of(block), ranks, first: first % ranks }, 0)
        };
        LineCase { len, source: deal(s, p, firsts[0]), destination: deal(t, q, firsts[1]) }
    })
}

pub fn axis(len: usize, source: (usize, usize), destination: (usize, usize)) -> Axis {
    let layout = |(block, ranks)| Layout::new([Dist::Cyclic(block)], [ranks]);
    Plan::new([len], layout(source), layout(destination))
        .expect("the numbers keep to the rules")
        .axis(0)
}

pub fn per_rank(axis: &Axis, algorithm: &dyn Intersection) -> Vec<Operations> {
    let mut found: Vec<Segments> = Vec::new();
    let ranks = axis.side(Side::Source).ranks();
    (0..ranks).map(|rank| algorithm.intersect(axis, rank, &mut found)).collect()
}

pub fn together(axis: &Axis, algorithm: &dyn Intersection) -> Operations {
    per_rank(axis, algorithm).into_iter().reduce(Operations::add).unwrap_or_default()
}
