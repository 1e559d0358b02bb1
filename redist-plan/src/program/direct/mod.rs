//! Copies from local array to local array without messages: loops over the offsets of both ends.

mod chunk_order;
mod chunks;
mod direct_program;
mod overlap;
mod row_program;
mod row_runs;
mod strided_copy;
mod tiles;

pub use chunks::{Chunks, RankChunks, ShownChunk};
pub use direct_program::DirectProgram;
pub use overlap::Overlap;
pub use row_program::{Grain, RowProgram, RowsBetween};
pub use row_runs::{MAX_COORDINATES, RepeatedRuns, RoundSpan, RowRuns, Run};
pub use strided_copy::{Spacing, StridedCopy};
pub use tiles::{RowEnd, Walk, transposes};
