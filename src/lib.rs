//! Moves a distributed array from one block-cyclic layout to another.

pub use redist_macros::redistribute;
pub use redist_runtime::exec::{self, Bound, Kernels, Redistribution, RuntimePlan, Tier};
pub use redist_runtime::layout::{
    self, BlockCyclic, BlockCyclicError, Descriptor, Dist, Layout, LayoutError, MAX_EXTENT, NotationError, RankOrder,
    StorageOrder,
};
pub use redist_runtime::plan::{self, Axis, Class, Digest, ParsePlanError, Piece, Plan, PlanError, Side};
pub use redist_runtime::program::{self, Envelope, Message, Program};
pub use redist_runtime::transport::{self, Transport, threads};
pub use redist_runtime::{Element, Error};
