//! Stage 3, **program**: the runs of one rank's local array, message by message.
// Names of fields and of functions say enough to other stages, the only users.
#![allow(missing_docs)]

mod block_cursor;
mod clip;
mod direct;
pub mod lists;
mod long_rows;
mod long_step;
mod loop_dim;
mod period;
mod run_group;
mod step;
mod step_moves;
mod strided_array;
mod table;
mod value;

pub use value::Envelope;
// Names that only this library, its expansions and its tests use are hidden.
#[doc(hidden)]
pub use {
    clip::Clip,
    direct::{
        Chunks, DirectProgram, Grain, MAX_COORDINATES, Overlap, RankChunks, RepeatedRuns,
        RoundSpan, RowEnd, RowProgram, RowRuns, RowsBetween, Run, ShownChunk, Spacing, StridedCopy,
        Walk, transposes,
    },
    long_step::{LongStep, LoopStep, MAX_PEERS},
    loop_dim::LoopDim,
    period::{MAX_SHORT_ELEMENTS, Period},
    run_group::RunGroup,
    step::{
        BlocksAndRanks, MAX_STEP_CYCLES, MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS, RunStep,
        StepRun,
    },
    step_moves::{MAX_STEP_BYTES, MIN_STATEMENT_BYTES, Statement, StepMove, StepMoves},
    strided_array::{StridedArray, StridedArrays},
    value::Program,
};
