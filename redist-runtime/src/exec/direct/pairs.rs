//! Copies from local arrays, or chunks of them, pair of ranks by pair of ranks.

use super::copy::{MIN_LARGE_BYTES, copy_strided};
use super::rows::CopyOptions;
use crate::cache::Stores;
use crate::exec::calls::CopiedBytes;
use crate::exec::transfer::UnpackTo;
use crate::exec::ways::Learnt;
use crate::plan::AnyPlan;
use crate::program::{DirectProgram, StridedArray, StridedArrays, StridedCopy, Walk};

/// A plan, and all ranks' arrays if not all are dense.
pub(super) type Between<'a> = (&'a AnyPlan, Option<&'a StridedArrays>);

/// Returns the ways to store a rank's long runs. In large arrays the faster one depends on the
/// processor, and on the runs. On an Intel Xeon, chunks of four ranks from 64² to 32² tiles took .87 of
/// the time through the caches. Chunks of two ranks from 2×1 to 1×2 with 256² tiles took 1.16 (1
/// December 2026).
pub(super) fn ways_to_store(options: &CopyOptions) -> Learnt<Stores> {
    Learnt::of(match options.array >= MIN_LARGE_BYTES {
        true => vec![Stores::Streamed, Stores::Cached],
        false => vec![Stores::Streamed],
    })
}

/// Says how long runs are stored, where there are several ways.
pub(super) fn stores_in_words(ways: &Learnt<Stores>) -> &'static str {
    match ways.others() {
        [] => "",
        _ => ", long runs through the caches or past them, as was faster so far",
    }
}

/// Copies to one rank, sender after sender, ready to run as often as wanted.
#[derive(Clone, Debug)]
pub(in crate::exec) struct Pairs {
    pub program: DirectProgram,
    pub walk: Walk,
    /// Bytes of an element.
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

    /// Prepares copies from this array of `rank` to packed messages, one at a time, as if they were
    /// copies back.
    pub fn to_messages(plan: &AnyPlan, from: (usize, &StridedArray), options: CopyOptions) -> Self {
        let program = DirectProgram::to_messages(plan, from, options.grain.tile);
        Self { walk: program.walk(), program, width: options.width }
    }

    /// Copies one message, whose sender is `peer`, to this rank's array.
    pub fn unpack(&self, message: &[u8], peer: usize, array: &mut [u8]) {
        let copy = &mut |strided| copy_strided(message, array, strided, self.width);
        self.program.for_each_of(&mut self.walk.clone(), peer, copy);
    }

    /// Copies this rank's array to one message, whose receiver is `peer`. The copies are those of
    /// [`to_messages`](Self::to_messages).
    pub fn pack(&self, array: &[u8], peer: usize, message: &mut [u8]) {
        let copy = &mut |strided: StridedCopy| {
            copy_strided(array, message, strided.reversed(), self.width);
        };
        self.program.for_each_of(&mut self.walk.clone(), peer, copy);
    }

    /// Passes all elements for this rank on; `sources` has each rank's source array. Passes over
    /// empty arrays. Allocates nothing. Panics if an array that is not empty is shorter than the
    /// plan needs.
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
