//! Copies from local arrays, or chunks of them, one pair of ranks after the other.

use super::rows::CopyOptions;
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::UnpackTo;
use crate::plan::AnyPlan;
use crate::program::{DirectProgram, StridedArray, StridedArrays, Walk};

/// A plan, and all ranks' arrays if not all are dense.
pub(super) type Between<'a> = (&'a AnyPlan, Option<&'a StridedArrays>);

#[derive(Clone, Debug)]
pub(in crate::exec) struct Pairs {
    pub program: DirectProgram,
    pub walk: Walk,
    pub width: usize,
}

impl Pairs {
    pub fn new((plan, arrays): Between<'_>, rank: usize, options: CopyOptions) -> Self {
        let program = DirectProgram::new(plan, rank, options.grain.tile, arrays);
        Self { walk: program.walk(), program, width: options.width }
    }

    /// Prepares copies from packed messages to this array of `rank`, one at a time.
    pub fn of_messages(plan: &AnyPlan, to: (usize, &StridedArray), options: CopyOptions) -> Self {
        let program = DirectProgram::from_messages(plan, to, options.grain.tile);
        Self { walk: program.walk(), program, width: options.width }
    }

    /// Passes all elements for this rank on; `sources` has each rank's source array. Passes over
    /// empty ones. Allocates nothing. Panics if another is shorter than the plan needs.
    pub fn copy(&mut self, sources: &[&[u8]], to: &mut UnpackTo<'_>) -> CopiedBytes {
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
