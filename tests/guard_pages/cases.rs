//! Random cases that can be had again.

use crate::elements::{Tagged, untouched};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use redist::{Plan, Side};
use redist_testing::array::{Messages, messages};
use redist_testing::guarded::noting;
use redist_testing::strategies::Case;

/// A case, and what the simulator says of it.
pub struct Known<const D: usize> {
    pub case: Case<D>,
    pub plan: Plan<D>,
    pub messages: Messages,
}

impl<const D: usize> Known<D> {
    pub fn new(case: Case<D>) -> Self {
        let messages = messages(case.extents, &case.from, &case.to);
        Self { case, plan: case.plan(), messages }
    }

    pub fn ranks(&self) -> usize {
        self.plan.ranks()
    }

    pub fn local_len(&self, side: Side, rank: usize) -> usize {
        self.plan.descriptor(side).local_len(rank)
    }

    /// A message, by its ends.
    pub fn message<const N: usize>(&self, from: usize, to: usize) -> Vec<[u8; N]> {
        let places = self.messages.get(&(from, to)).into_iter().flatten();
        places.map(|&(source, _)| Tagged::tag(from, source)).collect()
    }

    /// What a rank holds after the move.
    pub fn moved<const N: usize>(&self, rank: usize) -> Vec<[u8; N]> {
        let mut array = vec![untouched(); self.local_len(Side::Destination, rank)];
        for ((from, _), places) in self.messages.iter().filter(|((_, to), _)| *to == rank) {
            for &(source, destination) in places {
                array[destination] = Tagged::tag(*from, source);
            }
        }
        array
    }
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A number of cases of a strategy, or by `REDIST_GUARD_CASES` another number of each.
pub fn each<const D: usize>(
    usual: u64,
    strategy: impl Strategy<Value = Case<D>>,
    mut check: impl FnMut(&Known<D>),
) {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number("REDIST_GUARD_SEED", 1).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    for _ in 0..number("REDIST_GUARD_CASES", usual) {
        let case = strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
        noting(&format!("{case:?}"), || check(&Known::new(case)));
    }
}
