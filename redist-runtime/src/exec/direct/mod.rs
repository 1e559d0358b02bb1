//! Copies straight from one rank's local array to another's.

mod copy;
mod fetch;
mod rows;
mod share;

use crate::element::Element;
use crate::exec::kernels::Vectors;
use crate::plan::Plan;
use crate::program::{Chunks, DirectProgram, Grain, Lattice, Program, RankChunks, RowProgram, RowWalk, Walk};
use crate::transport::Chunk;
pub(super) use copy::copy_lattice;
use core::fmt;
pub(super) use share::Share;
use std::sync::LazyLock;

/// Bytes of the destination in a tile. It stays in a second cache together with what it is copied from; tiles of a first
/// cache's size spend more on their beginnings than they save (twice the time for tiles of 30 by 50 elements).
const TILE: usize = 64 << 10;

/// Bytes of a run from which on nothing is gained by copying all pairs of ranks together: beginnings and ends are few.
const LONG: usize = 1 << 10;

fn grain<T>() -> Grain {
    let of_bytes = |bytes: usize| (bytes / size_of::<T>().max(1)).max(1);
    Grain { tile: of_bytes(TILE), long: of_bytes(LONG) }
}

/// What one rank copies from the others' local arrays to its own, ready to run as often as wanted.
pub struct Direct {
    rank: usize,
    grain: Grain,
    vectors: Vectors,
    whole: LazyLock<Ways, Box<dyn FnOnce() -> Ways + Send>>,
    /// Where source arrays come in chunks.
    rounds: Option<Staged>,
}

/// How whole arrays are copied.
enum Ways {
    /// From all senders together.
    Rows(Box<RowProgram>, RowWalk),
    /// Message by message.
    Messages(DirectProgram, Walk),
}

/// How chunks are copied.
struct Staged {
    program: DirectProgram,
    walk: Walk,
    chunks: Chunks,
}

impl Ways {
    fn new<const D: usize>(plan: &Plan<D>, rank: usize, grain: Grain) -> Self {
        match RowProgram::new(plan, Some(rank), grain) {
            Some(program) => {
                let walk = program.walk();
                Self::Rows(Box::new(program), walk)
            }
            None => {
                let program = DirectProgram::new(plan, rank, grain.tile);
                let walk = program.walk();
                Self::Messages(program, walk)
            }
        }
    }
}

impl fmt::Debug for Direct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direct").field("rank", &self.rank).finish_non_exhaustive()
    }
}

impl Direct {
    /// The messages to `rank`; none where it is outside the destination's grid.
    pub fn new<T: Element, const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        Self::in_grains(plan, rank, grain::<T>(), Vectors::allowed())
    }

    /// As [`new`](Self::new), with runs of other lengths taken for long ones, by vectors that the processor has.
    fn in_grains<const D: usize>(plan: &Plan<D>, rank: usize, grain: Grain, vectors: Vectors) -> Self {
        let plan = *plan;
        Self {
            rank,
            grain,
            vectors,
            whole: LazyLock::new(Box::new(move || Ways::new(&plan, rank, grain))),
            rounds: None,
        }
    }

    /// Gets ready to copy from chunks of at most `longest` elements; returns those of this rank's own source array, of which
    /// it packs messages by `packing`.
    pub fn in_chunks<const D: usize>(&mut self, plan: &Plan<D>, packing: &Program, longest: usize) -> RankChunks {
        let chunks = Chunks::new(plan, longest);
        let own = chunks.of_rank(plan, packing, self.rank);
        let program = DirectProgram::new(plan, self.rank, self.grain.tile);
        self.rounds = Some(Staged { walk: program.walk(), program, chunks });
        own
    }

    /// Copies what of the messages to this rank comes in one round; `shown` has the chunk of that round of each rank's
    /// source array, but the whole array of this rank itself. Nothing, unless ready for chunks. Allocates nothing.
    ///
    /// # Panics
    /// If a chunk or an array is shorter than the plan says.
    pub fn copy_round<T: Element>(&mut self, shown: &[Chunk<'_, T>], destination: &mut [T]) {
        let Self { rank, rounds: Some(Staged { program, walk, chunks }), .. } = self else { return };
        program.for_each_of_round(walk, chunks, |sender| shown[sender].number, &mut |source, start, lattice| {
            let start = if source == *rank { 0 } else { start };
            copy_lattice(shown[source].elements, destination, Lattice { source: lattice.source - start, ..lattice });
        });
    }

    /// Copies all messages to this rank; `sources` has the source array of each rank. Allocates nothing from the second
    /// time on.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn copy<T: Element>(&mut self, sources: &[&[T]], destination: &mut [T]) {
        let vectors = self.vectors;
        match LazyLock::force_mut(&mut self.whole) {
            Ways::Rows(program, walk) => program.for_each(walk, &mut |row| {
                rows::copy_to_own(sources, destination, row, vectors);
            }),
            Ways::Messages(program, walk) => program.for_each(walk, &mut |source, lattice| {
                copy_lattice(sources[source], destination, lattice);
            }),
        }
    }
}

#[cfg(test)]
mod tests;
