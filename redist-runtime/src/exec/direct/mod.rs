//! Copies straight from one rank's local array to another's.

mod copy;
mod fetch;
mod share;

use crate::element::Element;
use crate::plan::Plan;
use crate::program::{Chunks, DirectProgram, Lattice, Program, RankChunks, Walk};
use crate::transport::Chunk;
pub(super) use copy::copy_lattice;
pub(super) use share::Share;

/// Bytes of the destination in a tile. It stays in a second cache together with what it is copied from; tiles of a first
/// cache's size spend more on their beginnings than they save (twice the time for tiles of 30 by 50 elements).
const TILE: usize = 64 << 10;

/// Elements of a tile.
fn tile<T>() -> usize {
    TILE / size_of::<T>().max(1)
}

/// What one rank copies from the others' local arrays to its own, ready to run as often as wanted.
#[derive(Clone, Debug)]
pub struct Direct {
    rank: usize,
    program: DirectProgram,
    walk: Walk,
    /// Where source arrays come in chunks.
    chunks: Option<Chunks>,
}

impl Direct {
    /// The messages to `rank`; none where it is outside the destination's grid.
    pub fn new<T: Element, const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        let program = DirectProgram::new(plan, rank, tile::<T>());
        Self { rank, walk: program.walk(), program, chunks: None }
    }

    /// Gets ready to copy from chunks of at most `longest` elements; returns those of this rank's own source array, of which
    /// it packs messages by `packing`.
    pub fn in_chunks<const D: usize>(&mut self, plan: &Plan<D>, packing: &Program, longest: usize) -> RankChunks {
        let chunks = Chunks::new(plan, longest);
        let own = chunks.of_rank(plan, packing, self.rank);
        self.chunks = Some(chunks);
        own
    }

    /// Copies what of the messages to this rank comes in one round; `shown` has the chunk of that round of each rank's
    /// source array, but the whole array of this rank itself. Nothing, unless ready for chunks. Allocates nothing.
    ///
    /// # Panics
    /// If a chunk or an array is shorter than the plan says.
    pub fn copy_round<T: Element>(&mut self, shown: &[Chunk<'_, T>], destination: &mut [T]) {
        let Self { rank, program, walk, chunks: Some(chunks) } = self else { return };
        program.for_each_of_round(walk, chunks, |sender| shown[sender].number, &mut |source, start, lattice| {
            let start = if source == *rank { 0 } else { start };
            copy_lattice(shown[source].elements, destination, Lattice { source: lattice.source - start, ..lattice });
        });
    }

    /// Copies all messages to this rank; `sources` has the source array of each rank. Allocates nothing.
    ///
    /// Elements of `destination` outside the moved section keep their values.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn copy<T: Element>(&mut self, sources: &[&[T]], destination: &mut [T]) {
        self.program.for_each(&mut self.walk, &mut |source, lattice| {
            copy_lattice(sources[source], destination, lattice);
        });
    }
}

#[cfg(test)]
mod tests;
