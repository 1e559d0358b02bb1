//! Streams of copies: those of a group of runs are a statement each, on any processor.

use super::copies::{CopiedRuns, TOGETHER};
use super::step::{CompiledStep, Write, WriteStream, no_stream};
use super::steps::{advance, by_inputs, counted, place, steps};
use crate::program::MAX_STEP_PEERS;

steps!(#[doc = "On any processor."], COPIES, TOGETHER);

/// The runs of a group.
struct Group<S, const STREAM: usize, const NUMBER: usize>(S);

impl<S: CompiledStep, const STREAM: usize, const NUMBER: usize> Group<S, STREAM, NUMBER> {
    const RUNS: CopiedRuns = CopiedRuns::of::<S>(STREAM, NUMBER);
}

const fn runs<S: CompiledStep, const STREAM: usize, const NUMBER: usize>() -> usize {
    Group::<S, STREAM, NUMBER>::RUNS.count
}

macro_rules! copied {
    ($from:ident, $to:ident, [$($run:literal)*]) => {
        // SAFETY: the caller vouches for this step, in which the runs lie (`StepMoves`).
        unsafe { $(const { Group::<S, STREAM, NUMBER>::RUNS.get($run) }.copy($from, $to);)* }
    };
}

by_inputs!((inline(always)), runs, copied);
