//! Cases of the soak.

use crate::array::messages;
use crate::strategies::{Case, awkward_cases_on, cases_on, long_lines};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use redist::plan::schedule::{Method, Schedules};
use redist::{Plan, Side};

#[derive(Debug)]
pub struct Known<const D: usize> {
    pub plan: Plan<D>,
    pub methods: Vec<Method>,
    /// For each rank, the offset of each element and its origin: a rank and an offset.
    arrivals: Vec<Vec<(usize, usize, usize)>>,
}

impl<const D: usize> Known<D> {
    fn new(case: Case<D>) -> Self {
        let plan = case.plan();
        let mut arrivals = vec![Vec::new(); plan.ranks()];
        for ((from, to), places) in messages(case.extents, &case.from, &case.to) {
            arrivals[to].extend(places.into_iter().map(|(source, own)| (own, from, source)));
        }
        let applies = |method: &Method| plan.schedule(*method).is_ok();
        let methods = Method::ALL.into_iter().filter(applies).collect();
        Self { plan, methods, arrivals }
    }

    pub fn local_len(&self, side: Side, rank: usize) -> usize {
        self.plan.descriptor(side).local_len(rank)
    }

    pub fn arrivals(&self, rank: usize) -> &[(usize, usize, usize)] {
        self.arrivals.get(rank).map_or(&[], Vec::as_slice)
    }
}

#[derive(Debug)]
pub struct Pool {
    pub(super) lines: Vec<Known<1>>,
    pub(super) planes: Vec<Known<2>>,
    pub(super) spaces: Vec<Known<3>>,
}

impl Pool {
    pub fn new(seed: u64, each: usize, ranks: usize) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let mut lines = drawn(&mut runner, each, &cases_on::<1>(ranks));
        let fits = |known: &Known<1>| known.plan.ranks() <= ranks;
        let long = drawn(&mut runner, 2 * each, &long_lines());
        lines.extend(long.into_iter().filter(fits));
        lines.extend(drawn(&mut runner, each, &awkward_cases_on::<1>(ranks)));
        let mut planes = drawn(&mut runner, each, &cases_on::<2>(ranks));
        planes.extend(drawn(&mut runner, each, &awkward_cases_on::<2>(ranks)));
        Self { lines, planes, spaces: drawn(&mut runner, each, &cases_on::<3>(ranks)) }
    }
}

fn drawn<const D: usize>(
    runner: &mut TestRunner,
    number: usize,
    strategy: &impl Strategy<Value = Case<D>>,
) -> Vec<Known<D>> {
    let mut draw = || strategy.new_tree(runner).expect("the strategy rejects nothing").current();
    (0..number).map(|_| Known::new(draw())).collect()
}
