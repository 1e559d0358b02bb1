//! Cases that move between guard pages.

use crate::elements::{Tagged, untouched};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use redist::{Plan, Side};
use redist_testing::array::{Messages, messages};
use redist_testing::drawn;
use redist_testing::guarded::noting;
use redist_testing::strategies::Case;

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

    pub fn of(extents: [usize; D], from: &str, to: &str) -> Self {
        let layout = |text: &str| text.parse().expect("a layout");
        Self::new(Case { extents, from: layout(from), to: layout(to) })
    }

    pub fn ranks(&self) -> usize {
        self.plan.ranks()
    }

    pub fn local_len(&self, side: Side, rank: usize) -> usize {
        self.plan.descriptor(side).local_len(rank)
    }

    pub fn message<const N: usize>(&self, from: usize, to: usize) -> Vec<[u8; N]> {
        let places = self.messages.get(&(from, to)).into_iter().flatten();
        places.map(|&(source, _)| Tagged::tag(from, source)).collect()
    }

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

/// Returns `true` for one number in `share`, which the seed draws, or if all are played.
pub fn is_drawn(number: usize, share: u64) -> bool {
    drawn::all() || (number as u64).wrapping_add(drawn::seed()).is_multiple_of(share)
}

pub fn each<const D: usize>(
    usual: u32,
    strategy: impl Strategy<Value = Case<D>>,
    mut check: impl FnMut(&Known<D>),
) {
    each_until(usual, strategy, |known| {
        check(known);
        true
    });
}

/// Plays as [`each`] does, and continues until `check` has seen enough.
pub fn each_until<const D: usize>(
    usual: u32,
    strategy: impl Strategy<Value = Case<D>>,
    mut check: impl FnMut(&Known<D>) -> bool,
) {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&drawn::seed().to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let given = std::env::var("REDIST_GUARD_CASES").ok().and_then(|text| text.parse().ok());
    let (some, mut is_enough) = (given.unwrap_or_else(|| drawn::some(usual)), true);
    for number in 0..some.max(2 * usual) {
        if number >= some && is_enough {
            break;
        }
        let case = strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
        noting(&format!("{case:?}, drawn from REDIST_TEST_SEED={}", drawn::seed()), || {
            is_enough = check(&Known::new(case));
        });
    }
}
