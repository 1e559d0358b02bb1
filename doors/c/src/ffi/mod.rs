//! The functions of `redist.h`.

mod batch;
mod batch_moves;
mod bind;
mod copies;
mod figures;
mod files;
mod functions;
mod interchange;
mod library;
mod lists;
mod local;
mod messages;
mod moves;
mod packing;
mod parts;
mod plan;
mod programs;
mod ranks;
mod shared;
mod simulated;

use crate::status::Refusal;
use redist::Side;

/// The side that an array is on before a move.
pub const REDIST_SOURCE: i32 = 0;
/// The side that an array is on after a move.
pub const REDIST_DESTINATION: i32 = 1;

fn side(number: i32) -> Result<Side, Refusal> {
    match number {
        REDIST_SOURCE => Ok(Side::Source),
        REDIST_DESTINATION => Ok(Side::Destination),
        other => Err(Refusal::argument(format!(
            "`side` is {other}, and must be REDIST_SOURCE or REDIST_DESTINATION"
        ))),
    }
}
