//! Copies straight from one rank's local array to another's.

mod copy;
mod fetch;
mod rows;
mod share;

use crate::exec::kernels::Vectors;
use crate::plan::AnyPlan;
use crate::program::{Chunks, DirectProgram, Grain, Lattice, Program, RankChunks, RowProgram, RowWalk, Walk};
use crate::transport::Chunk;
pub(super) use copy::copy_lattice;
use rows::With;
pub(super) use share::Share;

/// Bytes of the destination in a tile. It stays in a second cache together with what it is copied from; tiles of a first
/// cache's size spend more on their beginnings than they save (twice the time for tiles of 30 by 50 elements).
const TILE: usize = 64 << 10;

/// Bytes of a run from which on nothing is gained by copying all pairs of ranks together: beginnings and ends are few.
const LONG: usize = 1 << 10;

/// For elements of `width` bytes.
fn grain(width: usize) -> Grain {
    let of_bytes = |bytes: usize| (bytes / width).max(1);
    Grain { tile: of_bytes(TILE), long: of_bytes(LONG) }
}

/// What one rank copies from the others' whole local arrays to its own, ready to run as often as wanted.
#[derive(Debug)]
pub struct Direct {
    ways: Ways,
    with: With,
}

#[derive(Debug)]
enum Ways {
    /// From all senders together.
    Rows(Box<RowProgram>, RowWalk),
    /// Message by message.
    Messages(DirectProgram, Walk),
}

impl Direct {
    /// The messages to `rank`; none where it is outside the destination's grid.
    pub fn new(plan: &AnyPlan, rank: usize, width: usize) -> Self {
        Self::in_grains(plan, rank, grain(width), With { width, vectors: Vectors::allowed() })
    }

    /// As [`new`](Self::new), with runs of other lengths taken for long ones.
    fn in_grains(plan: &AnyPlan, rank: usize, grain: Grain, with: With) -> Self {
        let ways = match RowProgram::new(plan, Some(rank), grain) {
            Some(program) => {
                let walk = program.walk();
                Ways::Rows(Box::new(program), walk)
            }
            None => {
                let program = DirectProgram::new(plan, rank, grain.tile);
                let walk = program.walk();
                Ways::Messages(program, walk)
            }
        };
        Self { ways, with }
    }

    /// Copies all messages to this rank; `sources` has the source array of each rank. Allocates nothing.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn copy(&mut self, sources: &[&[u8]], destination: &mut [u8]) {
        let with = self.with;
        match &mut self.ways {
            Ways::Rows(program, walk) => program.for_each(walk, &mut |row| {
                rows::copy_to_own(sources, destination, row, with);
            }),
            Ways::Messages(program, walk) => program.for_each(walk, &mut |source, lattice| {
                copy_lattice(sources[source], destination, lattice, with.width);
            }),
        }
    }
}

/// As [`Direct`], where the others show their arrays in chunks.
#[derive(Debug)]
pub(super) struct Staged {
    rank: usize,
    width: usize,
    program: DirectProgram,
    walk: Walk,
    chunks: Chunks,
}

impl Staged {
    /// The messages to `rank`, from chunks of at most `longest` elements; with the chunks of this rank's own source array, of
    /// which it packs messages by `packing`.
    pub fn new(plan: &AnyPlan, rank: usize, width: usize, packing: &Program, longest: usize) -> (Self, RankChunks) {
        let chunks = Chunks::new(plan, longest);
        let own = chunks.of_rank(plan, packing, rank);
        let program = DirectProgram::new(plan, rank, grain(width).tile);
        (Self { rank, width, walk: program.walk(), program, chunks }, own)
    }

    /// Copies what of the messages to this rank comes in one round; `shown` has the chunk of that round of each rank's
    /// source array, but the whole array of this rank itself. Allocates nothing.
    ///
    /// # Panics
    /// If a chunk or an array is shorter than the plan says.
    pub fn copy_round(&mut self, shown: &[Chunk<'_>], destination: &mut [u8]) {
        let Self { rank, width, program, walk, chunks } = self;
        program.for_each_of_round(walk, chunks, |sender| shown[sender].number, &mut |source, start, lattice| {
            let start = if source == *rank { 0 } else { start };
            copy_lattice(
                shown[source].bytes,
                destination,
                Lattice { source: lattice.source - start, ..lattice },
                *width,
            );
        });
    }
}

#[cfg(test)]
mod tests;
