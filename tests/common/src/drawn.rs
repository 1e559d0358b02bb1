//! How much of what is random a test plays, and which part of it.

use std::env;

/// The number from which tests draw: that of `REDIST_TEST_SEED`, or a fixed one.
///
/// # Panics
/// Where the variable is no number.
pub fn seed() -> u64 {
    let text = env::var("REDIST_TEST_SEED");
    text.map_or(1, |text| text.parse().expect("REDIST_TEST_SEED is a number"))
}

/// Whether `REDIST_TEST_ALL=1` asks for all cases instead of some that are drawn.
pub fn all() -> bool {
    env::var("REDIST_TEST_ALL").is_ok_and(|text| text == "1")
}

/// The number of cases of `usual` that are played: one in four, but at least one, unless all are.
pub fn some(usual: u32) -> u32 {
    if all() { usual } else { usual.div_ceil(4) }
}
