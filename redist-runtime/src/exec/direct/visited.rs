//! Functions applied to whole local arrays.

use super::direct_copies::Between;
use super::grain;
use crate::exec::combine::{Visit, visit_strided};
use crate::program::{DirectProgram, Walk};

/// Elements of one rank's messages, ready for a function any number of times.
#[derive(Debug)]
pub(in crate::exec) struct Visited {
    program: DirectProgram,
    walk: Walk,
    width: usize,
}

impl Visited {
    pub fn new((plan, arrays): Between<'_>, rank: usize, width: usize) -> Self {
        let program = DirectProgram::between(plan, rank, grain(width).tile, arrays);
        Self { walk: program.walk(), program, width }
    }

    /// Passes all elements for this rank to a function; `sources` has each rank's source array.
    /// Allocates nothing. Panics if an array is shorter than the plan needs.
    pub fn visit(&mut self, sources: &[&[u8]], visit: &mut Visit<'_>) {
        let Self { program, walk, width } = self;
        program.for_each(walk, &mut |from, strided| {
            visit_strided(visit, sources[from], strided, *width);
        });
    }
}
