//! The seed by which tests draw their cases.

use std::env;

/// Returns the seed of drawing tests: `REDIST_TEST_SEED`, or a fixed number.
pub fn seed() -> u64 {
    let text = env::var("REDIST_TEST_SEED");
    text.map_or(1, |text| text.parse().expect("REDIST_TEST_SEED is a number"))
}

pub fn all() -> bool {
    env::var("REDIST_TEST_ALL").is_ok_and(|text| text == "1")
}

/// Returns the number of played cases out of `usual`: a quarter, at least one, or all.
pub fn some(usual: u32) -> u32 {
    if all() { usual } else { usual.div_ceil(4) }
}
