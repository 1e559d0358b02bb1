//! The played part of a list: drawn by `REDIST_TEST_SEED`, or all of it by `REDIST_TEST_ALL=1`.

use crate::random::Random;
use std::env;

pub struct Draw(Option<Random>);

impl Draw {
    /// Draws alike on all ranks; distinct lists pass different numbers.
    pub fn new(list: u64) -> Self {
        let some = env::var_os("REDIST_TEST_ALL").is_none_or(|all| all != "1");
        let seed = env::var("REDIST_TEST_SEED").ok().filter(|_| some).map(|text| {
            text.parse::<u64>()
                .unwrap_or_else(|_| panic!("REDIST_TEST_SEED: `{text}` is no number"))
        });
        Self(seed.map(|seed| Random(Random(seed ^ list).bits())))
    }

    /// Returns `most` of the items, or all.
    pub fn some<T>(&mut self, most: usize, items: impl IntoIterator<Item = T>) -> Vec<T> {
        let mut items: Vec<T> = items.into_iter().collect();
        if let Some(random) = &mut self.0 {
            for last in (1..items.len()).rev() {
                items.swap(last, random.between(0, last));
            }
            items.truncate(most);
        }
        items
    }

    pub fn count(&self, few: usize, many: usize) -> usize {
        if self.0.is_some() { few } else { many }
    }

    /// Returns a seed for random cases: `fixed` if all are played.
    pub fn seed(&mut self, fixed: u64) -> u64 {
        self.0.as_mut().map_or(fixed, Random::bits)
    }

    /// Returns numbers of ranks to launch: the first `fixed`, and `most` of the rest.
    pub fn ranks(
        &mut self,
        fixed: usize,
        most: usize,
        counts: &'static [usize],
    ) -> &'static [usize] {
        let (fixed, others) = counts.split_at(fixed);
        [fixed, &self.some(most, others.iter().copied())].concat().leak()
    }
}
