//! Elements of whole local arrays, one pair of ranks after the other.

use super::direct_copies::Between;
use super::grain;
use crate::exec::calls::CopiedBytes;
use crate::exec::combine::UnpackTo;
use crate::program::{DirectProgram, Walk};

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

    /// Passes all elements for this rank on; `sources` has each rank's source array. Passes over
    /// empty ones. Allocates nothing. Panics if another is shorter than the plan needs.
    pub fn visit(&mut self, sources: &[&[u8]], to: &mut UnpackTo<'_>) -> CopiedBytes {
        let Self { program, walk, width } = self;
        let mut copied = CopiedBytes::default();
        program.for_each(walk, &mut |from, strided| {
            if !sources[from].is_empty() {
                to.put(sources[from], strided, *width);
                copied.own += strided.elements() * *width;
            }
        });
        copied
    }
}
