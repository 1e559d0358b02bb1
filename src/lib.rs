//! Moves a distributed array from one block-cyclic layout to another.

pub use redist_macros::redistribute;
pub use redist_runtime::layout::{
    BlockCyclic, BlockCyclicError, Descriptor, Dist, Layout, LayoutError, MAX_EXTENT, NotationError, RankOrder, StorageOrder,
};
pub use redist_runtime::plan::{self, Axis, Class, Digest, ParsePlanError, Piece, Plan, PlanError, Side};
