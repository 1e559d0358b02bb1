//! Direct copies from one rank's local array to another's.

mod copy;
mod direct_copies;
mod exchange;
mod pairs;
mod rows;
mod staged;

use crate::program::Grain;
pub(super) use copy::copy_strided;
use core::ops::Range;
pub(super) use direct_copies::DirectCopies;
pub use direct_copies::RankCopies;
pub(super) use pairs::Pairs;
pub(super) use rows::CopyOptions;
pub(super) use staged::Staged;

/// Destination bytes of a tile. A tile and its sources stay in a second-level cache. First-level
/// tiles take twice the time with blocks of 30 by 50 elements.
const TILE_BYTES: usize = 64 << 10;

/// Run length from which pairs of ranks are copied apart, because few cache lines hold two runs.
const MIN_LONG_RUN_BYTES: usize = 1 << 10;

fn grain(width: usize) -> Grain {
    let of_bytes = |bytes: usize| (bytes / width).max(1);
    Grain { tile: of_bytes(TILE_BYTES), long: of_bytes(MIN_LONG_RUN_BYTES) }
}

fn part_of(tiles: usize, (part, of): (usize, usize)) -> Range<usize> {
    let start = |part: usize| (tiles as u128 * part as u128 / of as u128) as usize;
    start(part)..start(part + 1)
}

#[cfg(test)]
mod tests;
