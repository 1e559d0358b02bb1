//! Streams of copies: those of a group of runs are a statement each, on any processor.

use super::copies::{CopiedRuns, TOGETHER};
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{advance, by_inputs, counted, place, steps};
use crate::program::MAX_STEP_PEERS;

steps!(#[doc = "On any processor."], COPIES, TOGETHER);

/// The runs of a group.
struct CopiedGroup<S, const STREAM: usize, const NUMBER: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const NUMBER: usize> CopiedGroup<S, STREAM, NUMBER> {
    const RUNS: CopiedRuns = CopiedRuns::of::<S>(STREAM, NUMBER);
}

const fn runs<S: CompiledStep, const STREAM: usize, const NUMBER: usize>() -> usize {
    CopiedGroup::<S, STREAM, NUMBER>::RUNS.count
}

macro_rules! copied {
    ($from:ident, $to:ident, [$($run:literal)*]) => {
        // SAFETY: the caller vouches for this step, in which the runs lie (`StepMoves`).
        unsafe { $(const { CopiedGroup::<S, STREAM, NUMBER>::RUNS.get($run) }.copy($from, $to);)* }
    };
}

by_inputs!((inline(always)), runs, copied:
    1 of_1 0 2 of_2 1 3 of_3 2 4 of_4 3 5 of_5 4 6 of_6 5 7 of_7 6 8 of_8 7 9 of_9 8 10 of_10 9
    11 of_11 10 12 of_12 11 13 of_13 12 14 of_14 13 15 of_15 14 16 of_16 15);
