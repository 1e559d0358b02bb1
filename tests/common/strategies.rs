//! Random layouts: every word of the notation, small extents, shrinking towards the plain and the small.

use super::array::permuted;
use super::dealing::Deal;
use super::movement::Movement;
use core::fmt;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use redist::{Axis, Dist, Layout, Plan, RankOrder, StorageOrder};

/// How many cases a property gets (`PROPTEST_CASES` changes it) and where a failing case is written down.
pub fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    }
}

/// A redistribution: two layouts that meet.
#[derive(Clone, Copy)]
pub struct Case<const D: usize> {
    pub extents: [usize; D],
    pub from: Layout<D>,
    pub to: Layout<D>,
}

impl<const D: usize> Case<D> {
    pub fn plan(&self) -> Plan<D> {
        Plan::new(self.extents, self.from, self.to).expect("the strategy keeps to the rules")
    }
}

impl<const D: usize> fmt::Debug for Case<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, from {}, to {}", self.extents, self.from, self.to)
    }
}

/// Random redistributions of `D` dimensions; the more dimensions, the smaller they are.
pub fn cases<const D: usize>() -> impl Strategy<Value = Case<D>> {
    let largest = [40usize, 12, 6, 4][D - 1];
    let extents = prop::array::uniform::<_, D>(0..=largest);
    let axes = Just(Vec::from_iter(0..D)).prop_shuffle();
    (extents, sides::<D>(), sides::<D>(), axes).prop_map(|(extents, from, to, axes)| {
        let axes = axes.try_into().expect("one axis a dimension");
        Case { extents, from: from.layout(extents), to: to.layout(permuted(extents, axes)).axes(axes) }
    })
}

/// One side, before it knows how long its dimensions are.
#[derive(Clone, Debug)]
struct RandomSide<const D: usize> {
    dimensions: [RandomDimension; D],
    section: bool,
    base: usize,
    rank_order: RankOrder,
    storage_order: StorageOrder,
}

#[derive(Clone, Copy, Debug)]
struct RandomDimension {
    dist: Dist,
    ranks: usize,
    first: usize,
    before: usize,
    after: usize,
}

fn sides<const D: usize>() -> impl Strategy<Value = RandomSide<D>> {
    let orders = (
        prop::sample::select(vec![RankOrder::Row, RankOrder::Col]),
        prop::sample::select(vec![StorageOrder::C, StorageOrder::Fortran]),
    );
    let dimensions = prop::array::uniform::<_, D>(dimensions(D));
    (dimensions, any::<bool>(), 0..4usize, orders).prop_map(
        |(dimensions, section, base, (rank_order, storage_order))| RandomSide {
            dimensions,
            section,
            base,
            rank_order,
            storage_order,
        },
    )
}

fn dimensions(of: usize) -> impl Strategy<Value = RandomDimension> {
    let (ranks, margin) = ([6usize, 4, 3, 2][of - 1], [9usize, 3, 2, 1][of - 1]);
    let size = [12usize, 5, 4, 3][of - 1];
    let dist = prop_oneof![
        1 => Just(Dist::Collapsed),
        1 => Just(Dist::Block),
        1 => (0..=size).prop_map(Dist::BlockOf),
        4 => (1..=size).prop_map(Dist::Cyclic),
    ];
    (dist, 1..=ranks, 0..ranks, 0..=margin, 0..=margin).prop_map(|(dist, ranks, first, before, after)| {
        let ranks = if dist.is_distributed() { ranks } else { 1 };
        RandomDimension { dist, ranks, first: first % ranks, before, after }
    })
}

impl<const D: usize> RandomSide<D> {
    /// `moved` are the extents of the moved part in this side's axes.
    fn layout(&self, moved: [usize; D]) -> Layout<D> {
        let each = |f: fn(&RandomDimension) -> usize| self.dimensions.each_ref().map(f);
        let (before, after) = (each(|d| d.before), each(|d| d.after));
        let stored = core::array::from_fn(|axis| before[axis] + moved[axis] + after[axis]);
        let extents = if self.section { stored } else { moved };
        let dists = core::array::from_fn(|axis| self.dimensions[axis].dist(extents[axis]));
        let whole = Layout::new(dists, each(|d| d.ranks))
            .first(each(|d| d.first))
            .base(self.base)
            .rank_order(self.rank_order)
            .storage_order(self.storage_order);
        if self.section { whole.section(stored, before) } else { whole }
    }
}

impl RandomDimension {
    /// A `block(b)` holds the smallest `b` that covers the extent, and what was drawn for it more.
    fn dist(&self, extent: usize) -> Dist {
        match self.dist {
            Dist::BlockOf(more) => Dist::BlockOf((extent.div_ceil(self.ranks) + more).max(1)),
            dist => dist,
        }
    }
}

/// Block, ranks and first rank of a distributed dimension.
type BlocksOnRanks = (usize, usize, usize);

pub fn blocks_on_ranks() -> impl Strategy<Value = BlocksOnRanks> {
    (1..=16usize, 1..=8usize, 0..8usize).prop_map(|(block, ranks, first)| (block, ranks, first % ranks))
}

/// One dimension: blocks of any size on both sides, possibly of a section, possibly of nothing.
#[derive(Clone, Copy, Debug)]
pub struct LineCase {
    pub len: usize,
    pub source: (Deal, usize),
    pub destination: (Deal, usize),
}

impl LineCase {
    pub fn axis(&self) -> Axis {
        let layout = |(deal, at): (Deal, usize)| {
            Layout::new([Dist::Cyclic(deal.block)], [deal.ranks]).first([deal.first]).section([deal.extent], [at])
        };
        let plan = Plan::new([self.len], layout(self.source), layout(self.destination));
        plan.expect("the strategy keeps to the rules").axis(0)
    }

    pub fn movement(&self) -> Movement {
        Movement::sections(self.len, self.source, self.destination)
    }
}

/// Random dimensions. Half of them are whole arrays, which have periods and windows that begin on a block.
pub fn lines() -> impl Strategy<Value = LineCase> {
    let margins = prop_oneof![Just([(0, 0); 2]), prop::array::uniform2((0..40usize, 0..10usize))];
    (0..160usize, sides_of_a_line(), margins).prop_map(|(len, (source, destination), margins)| {
        let side = |(block, ranks, first), (before, after)| {
            let extent = before + len + after;
            (Deal { extent, block, ranks, first }, before)
        };
        LineCase { len, source: side(source, margins[0]), destination: side(destination, margins[1]) }
    })
}

/// Half of them nest their blocks on the same number of ranks, as kr→r and r→kr do in the papers.
fn sides_of_a_line() -> impl Strategy<Value = (BlocksOnRanks, BlocksOnRanks)> {
    let nested = (blocks_on_ranks(), 1..=6usize, 0..8usize, any::<bool>()).prop_map(
        |((block, ranks, first), k, other_first, swapped)| {
            let (fine, coarse) = ((block, ranks, first), (block * k, ranks, other_first % ranks));
            if swapped { (fine, coarse) } else { (coarse, fine) }
        },
    );
    prop_oneof![(blocks_on_ranks(), blocks_on_ranks()), nested]
}
