//! Random layouts: every word of the notation, small extents, shrinking towards plain and small.

mod lines;

pub use lines::{LineCase, blocks_on_ranks, deals, lines};

use crate::array::permuted;
use crate::dealing::kept;
use crate::drawn;
use core::fmt;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, RngSeed};
use redist::layout::{Dist, Factor, FactorDist, RankOrder, Ranks, StorageOrder};
use redist::{Layout, Plan};
use std::env;

/// Returns 256 cases if all are played, else 64, or `PROPTEST_CASES`. A failing test prints the
/// seed.
pub fn config() -> ProptestConfig {
    let (usual, seed) = (ProptestConfig::default(), drawn::seed());
    eprintln!("cases are drawn from REDIST_TEST_SEED={seed}");
    let is_given = env::var_os("PROPTEST_CASES").is_some();
    ProptestConfig {
        cases: if is_given { usual.cases } else { drawn::some(usual.cases) },
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        rng_seed: RngSeed::Fixed(seed),
        ..usual
    }
}

/// Returns the [`config`] of one case in `share`: starting threads takes longer than small moves.
pub fn one_in(share: u32) -> ProptestConfig {
    let config = config();
    ProptestConfig { cases: config.cases.div_ceil(share), ..config }
}

/// Returns the [`config`] of so many cases, or of more if all are played.
pub fn drawn(few: u32, all: u32) -> ProptestConfig {
    let cases = if drawn::all() { all } else { few };
    match env::var_os("PROPTEST_CASES") {
        Some(_) => config(),
        None => ProptestConfig { cases, ..config() },
    }
}

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

    /// Moves a section of the case: `extents` of it, from `at` on, in the source's axes.
    pub fn part(&self, at: [usize; D], extents: [usize; D]) -> Self {
        let section = |layout: Layout<D>, moved: [usize; D], at: [usize; D]| {
            let sum = core::array::from_fn(|axis| layout.at[axis] + at[axis]);
            layout.of(layout.of.unwrap_or(moved)).at(sum)
        };
        let in_destination = |extents| permuted(extents, self.to.axes);
        Self {
            extents,
            from: section(self.from, self.extents, at),
            to: section(self.to, in_destination(self.extents), in_destination(at)),
        }
    }
}

impl<const D: usize> fmt::Debug for Case<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, from {}, to {}", self.extents, self.from, self.to)
    }
}

/// Draws redistributions of `D` dimensions; the more dimensions, the smaller they are.
pub fn cases<const D: usize>() -> impl Strategy<Value = Case<D>> {
    cases_on::<D>(usize::MAX)
}

pub fn cases_on<const D: usize>(ranks: usize) -> impl Strategy<Value = Case<D>> {
    cases_of(prop::array::uniform::<_, D>(0..=LARGEST[D - 1]), ranks)
}

/// Draws redistributions from and to layouts that have no blocks of one length: balanced, listed with
/// their owners, of factors, and of rows.
pub fn uneven_cases<const D: usize>() -> impl Strategy<Value = Case<D>> {
    let extents = prop::array::uniform::<_, D>(0..=LARGEST[D - 1]);
    between(extents, [sides_of::<D>(uneven_dists()), sides_of::<D>(uneven_dists())], usize::MAX)
}

pub fn awkward_cases_on<const D: usize>(ranks: usize) -> impl Strategy<Value = Case<D>> {
    cases_of(awkward::<D>(), ranks)
}

const LARGEST: [usize; 4] = [40, 12, 6, 4];

fn cases_of<const D: usize>(
    extents: impl Strategy<Value = [usize; D]>,
    ranks: usize,
) -> impl Strategy<Value = Case<D>> {
    between(extents, [sides::<D>(), sides::<D>()], ranks)
}

fn between<const D: usize>(
    extents: impl Strategy<Value = [usize; D]>,
    [from, to]: [impl Strategy<Value = RandomSide<D>>; 2],
    ranks: usize,
) -> impl Strategy<Value = Case<D>> {
    let axes = Just(Vec::from_iter(0..D)).prop_shuffle();
    (extents, from, to, axes).prop_map(move |(extents, from, to, axes)| {
        let axes = axes.try_into().expect("one axis a dimension");
        let (from, to) = (from.fitted(ranks), to.fitted(ranks));
        Case {
            extents,
            from: from.layout(extents),
            to: to.layout(permuted(extents, axes)).axes(axes),
        }
    })
}

/// Extents that are primes or 0 or 1, as often as any others; smaller for more dimensions.
pub fn awkward<const D: usize>() -> impl Strategy<Value = [usize; D]> {
    let largest = LARGEST[D - 1];
    let primes: Vec<usize> = [2, 3, 5, 7, 11, 13, 19, 23, 31, 37]
        .into_iter()
        .filter(|prime| *prime <= largest)
        .collect();
    let extent = prop_oneof![
        1 => Just(0usize),
        3 => Just(1usize),
        8 => prop::sample::select(primes),
        8 => 2..=largest,
    ];
    prop::array::uniform::<_, D>(extent)
}

#[derive(Clone, Copy, Debug)]
pub struct Chain<const D: usize> {
    pub first: Case<D>,
    /// Counts in the first's destination axes.
    pub second: Case<D>,
    pub both: Case<D>,
}

impl<const D: usize> Chain<D> {
    pub fn ranks(&self) -> usize {
        [self.first, self.second, self.both]
            .map(|case| case.plan().ranks())
            .into_iter()
            .max()
            .unwrap_or(0)
    }
}

pub fn chains_on<const D: usize>(ranks: usize) -> impl Strategy<Value = Chain<D>> {
    let axes = || {
        let axes = Just(Vec::from_iter(0..D)).prop_shuffle();
        axes.prop_map(|axes| <[usize; D]>::try_from(axes).expect("one axis a dimension"))
    };
    let sides = (sides::<D>(), sides::<D>(), sides::<D>());
    (awkward::<D>(), sides, axes(), axes()).prop_map(move |(extents, (a, b, c), to_b, to_c)| {
        let [a, b, c] = [a, b, c].map(|side| side.fitted(ranks));
        let in_b = permuted(extents, to_b);
        let in_c = permuted(in_b, to_c);
        let (a, b, c) = (a.layout(extents), b.layout(in_b), c.layout(in_c));
        let composed = to_b.map(|axis| to_c[axis]);
        Chain {
            first: Case { extents, from: a, to: b.axes(to_b) },
            second: Case { extents: in_b, from: b, to: c.axes(to_c) },
            both: Case { extents, from: a, to: c.axes(composed) },
        }
    })
}

/// Draws lines of up to 3000 elements, long enough for every kernel. Blocks have up to 48 elements,
/// or nest, or go to a power of two of ranks.
pub fn long_lines() -> impl Strategy<Value = Case<1>> {
    let any_blocks = || (1..=48usize, 1..=8usize);
    let nested = (any_blocks(), 1..=16usize)
        .prop_map(|((block, ranks), factor)| ((block * factor, ranks), (block, ranks)));
    let dealt = (0..4u32, 1..4u32, 1..=12usize, 1..=4usize).prop_map(
        |(block, ranks, rounds, from_ranks)| {
            let (block, ranks) = (1usize << block, 1usize << ranks);
            ((block * ranks * rounds, from_ranks), (block, ranks))
        },
    );
    let blocks = prop_oneof![(any_blocks(), any_blocks()), nested, dealt];
    let places = prop::array::uniform2((0..8usize, 0..20usize));
    (0..=3000usize, blocks, places, any::<[bool; 2]>()).prop_map(
        |(len, blocks, places, [sections, swapped])| {
            let layout = |(block, ranks), (first, before)| {
                let whole = Layout::new([Dist::Cyclic(block)], [ranks]).first([first % ranks]);
                if sections { whole.of([before + len + 5]).at([before]) } else { whole }
            };
            let (from, to) = (layout(blocks.0, places[0]), layout(blocks.1, places[1]));
            let (from, to) = if swapped { (to, from) } else { (from, to) };
            Case { extents: [len], from, to }
        },
    )
}

#[derive(Clone, Debug)]
struct RandomSide<const D: usize> {
    dimensions: [RandomDimension; D],
    section: bool,
    base: usize,
    /// Numbers that shuffle a map of the ranks, and the number of omitted ranks.
    map: Option<(u64, usize)>,
    rank_order: RankOrder,
    storage_order: StorageOrder,
}

#[derive(Clone, Debug)]
struct RandomDimension {
    dist: RandomDist,
    ranks: usize,
    first: usize,
    before: usize,
    after: usize,
}

#[derive(Clone, Debug)]
enum RandomDist {
    Known(Dist),
    /// `block(b)` with this many elements more than cover the extent.
    BlockOfMore(usize),
    /// `gen_block`, with boundaries at these parts of the extent, in 64ths.
    Cut(Vec<usize>),
    /// `blocks`, cut at these parts of the extent; owners are these numbers, modulo the ranks.
    Listed(Vec<usize>, Vec<usize>),
    /// `split`: numbers that choose factors, ranks and distributions.
    Split([usize; 5]),
    /// Rows cut likewise, so many at a time or in one turn. As many ranks share one, if that
    /// divides the ranks, or all.
    Rows(Vec<usize>, Option<usize>, Option<usize>),
}

fn sides<const D: usize>() -> impl Strategy<Value = RandomSide<D>> {
    sides_of(dists(D))
}

fn sides_of<const D: usize>(
    dists: BoxedStrategy<RandomDist>,
) -> impl Strategy<Value = RandomSide<D>> {
    let orders = (
        prop::sample::select(vec![RankOrder::Row, RankOrder::Col]),
        prop::sample::select(vec![StorageOrder::C, StorageOrder::Fortran]),
    );
    let dimensions = prop::array::uniform::<_, D>(dimensions(D, dists));
    let map = prop::option::weighted(0.3, (any::<u64>(), 0..3usize));
    (dimensions, any::<bool>(), (0..4usize, map), orders).prop_map(
        |(dimensions, section, (base, map), (rank_order, storage_order))| RandomSide {
            dimensions,
            section,
            base,
            map,
            rank_order,
            storage_order,
        },
    )
}

/// Most ranks along a dimension of so many.
const MOST_RANKS: [usize; 4] = [6, 4, 3, 2];

/// All distributions of an array of so many dimensions.
fn dists(of: usize) -> BoxedStrategy<RandomDist> {
    let (ranks, size) = (MOST_RANKS[of - 1], [12usize, 5, 4, 3][of - 1]);
    let even = prop_oneof![
        1 => Just(RandomDist::Known(Dist::Collapsed)),
        1 => Just(RandomDist::Known(Dist::Block)),
        1 => (0..=size).prop_map(RandomDist::BlockOfMore),
        4 => (1..=size).prop_map(|block| RandomDist::Known(Dist::Cyclic(block))),
        3 => cuts(ranks).prop_map(RandomDist::Cut),
    ];
    // On the heap, because four dimensions of two sides overflow a test's stack.
    prop_oneof![10 => even, 9 => uneven_dists()].boxed()
}

/// Distributions whose blocks differ in length by rule or by list, one rank with any number of them.
fn uneven_dists() -> BoxedStrategy<RandomDist> {
    prop_oneof![
        2 => any::<bool>().prop_map(|last| RandomDist::Known(Dist::Balanced { last })),
        2 => owned_cuts(9).prop_map(|(cuts, owners)| RandomDist::Listed(cuts, owners)),
        2 => prop::array::uniform5(0..64usize).prop_map(RandomDist::Split),
        3 => (cuts(9), prop::option::of(1..4usize), prop::option::of(1..4usize))
            .prop_map(|(cuts, turn, points)| RandomDist::Rows(cuts, turn, points)),
    ]
    .boxed()
}

fn dimensions(
    of: usize,
    dists: BoxedStrategy<RandomDist>,
) -> impl Strategy<Value = RandomDimension> {
    let (ranks, margin) = (MOST_RANKS[of - 1], [9usize, 3, 2, 1][of - 1]);
    (dists, 1..=ranks, 0..ranks, 0..=margin, 0..=margin).prop_map(
        |(dist, ranks, first, before, after)| {
            let ranks = match &dist {
                RandomDist::Known(Dist::Collapsed) => 1,
                RandomDist::Cut(cuts) => cuts.len() + 1,
                _ => ranks,
            };
            RandomDimension { dist, ranks, first: first % ranks, before, after }
        },
    )
}

/// Parts of an extent, in 64ths, that cut it into at most `ranks` blocks; some coincide.
fn cuts(ranks: usize) -> impl Strategy<Value = Vec<usize>> {
    let cut = prop_oneof![6 => 0..=64usize, 1 => Just(0), 1 => Just(64)];
    prop::collection::vec(cut, 0..ranks).prop_map(|mut cuts| {
        cuts.sort_unstable();
        cuts
    })
}

/// Fewer than `parts` cuts, in 64ths of an extent, and numbers that choose the parts' owners.
fn owned_cuts(parts: usize) -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (cuts(parts), prop::collection::vec(0..60usize, parts))
}

/// Returns cuts and owners of an extent on so many ranks, from cuts in 64ths and numbers.
fn listed(
    (cuts, numbers): (&[usize], &[usize]),
    extent: usize,
    ranks: usize,
) -> (&'static [usize], &'static [usize]) {
    let owners = numbers[..cuts.len() + 1].iter().map(|number| number % ranks);
    let cuts: Vec<usize> = cuts.iter().map(|cut| cut * extent / 64).collect();
    (kept(&cuts), kept(&owners.collect::<Vec<_>>()))
}

/// Returns factors of an extent and of ranks, which these numbers choose.
pub fn split([outer, ranks, own, other, block]: [usize; 5], extent: usize, all: usize) -> Dist {
    let divisor = |of: usize, number: usize| {
        let divisors: Vec<usize> = (1..=of.max(1)).filter(|by| of.is_multiple_of(*by)).collect();
        divisors[number % divisors.len()]
    };
    let (outer, along) = (divisor(extent, outer), divisor(all, ranks));
    let inner = divisor(extent / outer, block);
    let dist = |number: usize, ranks: usize| match (ranks, number % 4) {
        (1, 0) => FactorDist::Collapsed,
        (_, 1) => FactorDist::Balanced { last: block % 2 == 0 },
        (_, 2) => FactorDist::Cyclic(1 + block % 3),
        _ => FactorDist::Block,
    };
    Dist::split(&[
        Factor::new(outer, dist(own, along)).onto(along),
        Factor::new(inner, dist(other, all / along)).onto(all / along),
        Factor::new(extent / outer / inner, FactorDist::Collapsed),
    ])
}

/// Returns the block sizes by these cuts, as a run-time layout has them: equal lists are kept once.
fn sizes(cuts: &[usize], extent: usize) -> &'static [usize] {
    let (mut sizes, mut start) = (Vec::new(), 0);
    for end in cuts.iter().map(|cut| cut * extent / 64).chain([extent]) {
        sizes.push(end - start);
        start = end;
    }
    kept(&sizes)
}

impl<const D: usize> RandomSide<D> {
    /// Shrinks the longest dimension of its grid first.
    fn fitted(mut self, ranks: usize) -> Self {
        self.base = self.base.min(ranks / 3);
        while self.base + self.grid_ranks() > ranks {
            let longest =
                self.dimensions.iter_mut().max_by_key(|d| d.ranks).expect("a side has dimensions");
            longest.lose_a_rank();
        }
        let taken = self.base + self.grid_ranks();
        self.map = self.map.map(|(shuffle, spare)| (shuffle, spare.min(ranks - taken)));
        self
    }

    fn grid_ranks(&self) -> usize {
        self.dimensions.iter().map(|dimension| dimension.ranks).product()
    }

    fn ranks(&self) -> Ranks {
        let Some((mut shuffle, spare)) = self.map else { return Ranks::From(self.base) };
        let count = self.grid_ranks();
        let mut ranks: Vec<usize> = (0..self.base + count + spare).collect();
        for place in (1..ranks.len()).rev() {
            ranks.swap(place, (shuffle % (place as u64 + 1)) as usize);
            shuffle = shuffle.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1) ^ shuffle >> 29;
        }
        Ranks::map(&ranks[..count])
    }

    fn layout(&self, moved: [usize; D]) -> Layout<D> {
        let each = |f: fn(&RandomDimension) -> usize| self.dimensions.each_ref().map(f);
        let (before, after) = (each(|d| d.before), each(|d| d.after));
        let stored = core::array::from_fn(|axis| before[axis] + moved[axis] + after[axis]);
        let extents = if self.section { stored } else { moved };
        let dists = core::array::from_fn(|axis| self.dimensions[axis].dist(extents[axis]));
        let whole = Layout::new(dists, each(|d| d.ranks))
            .first(each(|d| d.first))
            .ranks(self.ranks())
            .order(self.rank_order)
            .storage(self.storage_order);
        if self.section { whole.of(stored).at(before) } else { whole }
    }
}

impl RandomDimension {
    fn lose_a_rank(&mut self) {
        self.ranks -= 1;
        self.first = self.first.min(self.ranks - 1);
        if let RandomDist::Cut(cuts) = &mut self.dist {
            cuts.pop();
        }
    }

    fn dist(&self, extent: usize) -> Dist {
        match &self.dist {
            RandomDist::Known(dist) => *dist,
            RandomDist::BlockOfMore(more) => {
                Dist::BlockOf((extent.div_ceil(self.ranks) + more).max(1))
            }
            RandomDist::Cut(cuts) => Dist::GenBlock(sizes(cuts, extent)),
            RandomDist::Listed(cuts, numbers) => {
                let (cuts, owners) = listed((cuts, numbers), extent, self.ranks);
                Dist::Blocks { cuts, owners }
            }
            RandomDist::Split(numbers) => split(*numbers, extent, self.ranks),
            RandomDist::Rows(cuts, _, None) => Dist::Points(sizes(cuts, extent)),
            RandomDist::Rows(cuts, turn, Some(points)) => {
                let points = if self.ranks.is_multiple_of(*points) { *points } else { 1 };
                Dist::Rows { lengths: sizes(cuts, extent), turn: *turn, points }
            }
        }
    }
}
