//! Copies straight from one rank's local array to another's.

mod copy;
mod direct_copies;
mod exchange;
mod rows;

use crate::plan::AnyPlan;
use crate::program::{Chunks, DirectProgram, Grain, Program, RankChunks, StridedCopy, Walk};
use crate::transport::Chunk;
pub(super) use copy::copy_strided;
use core::ops::Range;
pub(super) use direct_copies::DirectCopies;
pub(super) use rows::CopyOptions;

/// Bytes of the destination in a tile. A tile and what it is copied from stay in a second-level
/// cache; tiles for a first-level cache take twice the time with blocks of 30 by 50 elements.
const TILE_BYTES: usize = 64 << 10;

/// Length of runs from which copying all pairs of ranks together gains nothing: cache lines that
/// two runs share are few.
const MIN_LONG_RUN_BYTES: usize = 1 << 10;

/// For elements of `width` bytes.
fn grain(width: usize) -> Grain {
    let of_bytes = |bytes: usize| (bytes / width).max(1);
    Grain { tile: of_bytes(TILE_BYTES), long: of_bytes(MIN_LONG_RUN_BYTES) }
}

/// Part `part` of `tiles` tiles in `of` parts.
fn part_of(tiles: usize, (part, of): (usize, usize)) -> Range<usize> {
    let start = |part: usize| (tiles as u128 * part as u128 / of as u128) as usize;
    start(part)..start(part + 1)
}

/// What one rank copies to its own array from chunks of the others'.
#[derive(Debug)]
pub(super) struct Staged {
    rank: usize,
    width: usize,
    program: DirectProgram,
    walk: Walk,
    chunks: Chunks,
}

impl Staged {
    /// The messages to `rank`, from chunks of at most `longest` elements, and the chunks of this
    /// rank's own source array, from which `packing` packs.
    pub fn new(
        plan: &AnyPlan,
        rank: usize,
        width: usize,
        packing: &Program,
        longest: usize,
    ) -> (Self, RankChunks) {
        let chunks = Chunks::new(plan, longest);
        let own = chunks.of_rank(plan, packing, rank);
        let program = DirectProgram::new(plan, rank, grain(width).tile);
        (Self { rank, width, walk: program.walk(), program, chunks }, own)
    }

    /// Copies the part of this rank's messages that comes in one round; `shown` has the chunk of
    /// that round of each rank's source array, in place of which this rank's own, `source`, is
    /// read. Allocates nothing.
    ///
    /// # Panics
    /// If a chunk or an array is shorter than the plan says.
    pub fn copy_round(&mut self, shown: &[Chunk<'_>], source: &[u8], destination: &mut [u8]) {
        let Self { rank, width, program, walk, chunks } = self;
        program.for_each_of_round(
            walk,
            chunks,
            |sender| shown[sender].number,
            &mut |sender, start, strided| {
                let (from, start) =
                    if sender == *rank { (source, 0) } else { (shown[sender].bytes, start) };
                let strided = StridedCopy { source: strided.source - start, ..strided };
                copy_strided(from, destination, strided, *width);
            },
        );
    }
}

#[cfg(test)]
mod division;
#[cfg(test)]
mod tests;
