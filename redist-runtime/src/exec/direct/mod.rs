//! Copies straight from one rank's local array to another's.

mod copy;
mod fetch;
mod share;

use crate::element::Element;
use crate::plan::Plan;
use crate::program::{DirectProgram, Walk};
use copy::copy_lattice;
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
    program: DirectProgram,
    walk: Walk,
}

impl Direct {
    /// The messages to `rank`; none where it is outside the destination's grid.
    pub fn new<T: Element, const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        let program = DirectProgram::new(plan, rank, tile::<T>());
        Self { walk: program.walk(), program }
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
