//! Stage 3, **program**: the runs of one rank's local array, message by message.
// Names of fields and of functions say enough to other stages, the only users.
#![allow(missing_docs)]

mod block_cursor;
mod clip;
mod direct;
mod long_rows;
mod loop_dim;
mod period;
mod run_group;
mod step;
mod step_moves;
mod steps;
mod strided_array;
mod table;
mod value;

// Names that only this library, its expansions and its tests use are hidden.
#[doc(hidden)]
pub use clip::Clip;
#[doc(hidden)]
pub use direct::{
    Chunks, DirectProgram, Grain, MAX_COORDINATES, Overlap, RankChunks, RepeatedRuns, RoundSpan,
    RowEnd, RowProgram, RowRuns, RowsBetween, Run, ShownChunk, Spacing, StridedCopy, Walk,
    transposes,
};
#[doc(hidden)]
pub use loop_dim::LoopDim;
#[doc(hidden)]
pub use period::{MAX_SHORT_ELEMENTS, Period};
#[doc(hidden)]
pub use run_group::RunGroup;
#[doc(hidden)]
pub use step::{
    BlocksAndRanks, MAX_STEP_CYCLES, MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS, RunStep,
    StepRun,
};
#[doc(hidden)]
pub use step_moves::{MAX_STEP_BYTES, MIN_STATEMENT_BYTES, Statement, StepMove, StepMoves};
pub use steps::Step;
#[doc(hidden)]
pub use steps::steps;
#[doc(hidden)]
pub use strided_array::{StridedArray, StridedArrays};
pub use value::Envelope;
#[doc(hidden)]
pub use value::Program;
