//! Hsu and Chung, *Efficient Methods for kr → r and r → kr Array Redistribution*: blocks of one
//! side are whole blocks of the opposite side.

mod any_ranks;
mod same_ranks;

pub mod equations;

pub use any_ranks::HsuChungAnyRanks;
pub(super) use any_ranks::gather;
pub use same_ranks::HsuChung;

use super::whole;
use redist::plan::Axis;

fn applies(axis: &Axis) -> Result<(), &'static str> {
    whole(axis)?;
    match axis.regular_blocks() {
        Some((s, t)) if s.is_multiple_of(t) || t.is_multiple_of(s) => Ok(()),
        _ => Err("neither block size is a multiple of the other"),
    }
}
