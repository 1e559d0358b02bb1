//! The part of random cases that a test plays.

use std::env;

/// Returns the seed of drawing tests: `REDIST_TEST_SEED`, or a fixed number.
///
/// # Panics
/// If the variable is no number.
pub fn seed() -> u64 {
    let text = env::var("REDIST_TEST_SEED");
    text.map_or(1, |text| text.parse().expect("REDIST_TEST_SEED is a number"))
}

/// Returns `true` if `REDIST_TEST_ALL=1` asks for all cases, not only drawn ones.
pub fn all() -> bool {
    env::var("REDIST_TEST_ALL").is_ok_and(|text| text == "1")
}

/// Returns the number of played cases out of `usual`: a quarter, at least one, or all.
pub fn some(usual: u32) -> u32 {
    if all() { usual } else { usual.div_ceil(4) }
}
