//! What a function is given of whole local arrays.

use super::direct_copies::Between;
use super::grain;
use crate::exec::combine::{Visit, visit_strided};
use crate::program::{DirectProgram, Walk};

/// What comes to one rank, ready to be given to a function any number of times.
#[derive(Debug)]
pub(in crate::exec) struct Visited {
    program: DirectProgram,
    walk: Walk,
    /// Bytes of an element.
    width: usize,
}

impl Visited {
    /// The messages to `rank`.
    pub fn new((plan, arrays): Between<'_>, rank: usize, width: usize) -> Self {
        let program = DirectProgram::between(plan, rank, grain(width).tile, arrays);
        Self { walk: program.walk(), program, width }
    }

    /// Hands all elements that come to this rank to a function; `sources` has the source array of each
    /// rank. Allocates nothing.
    ///
    /// # Panics
    /// If an array is shorter than the plan says.
    pub fn visit(&mut self, sources: &[&[u8]], visit: &mut Visit<'_>) {
        let Self { program, walk, width } = self;
        program.for_each(walk, &mut |from, strided| {
            visit_strided(visit, sources[from], strided, *width);
        });
    }
}
