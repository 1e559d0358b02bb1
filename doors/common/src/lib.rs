//! What the C interface and the Python package share: plans whose number of dimensions is a value,
//! layouts as lists of numbers, and shared arrays that are known by their address. All of it is planned and moved by `redist`.
#![forbid(unsafe_code)]

mod layout;
mod plan;
mod shared;
pub mod words;

pub use layout::{LayoutError, LayoutNumbers};
pub use plan::{DoorPlan, LocalPart, MAX_DIMENSIONS, NoPlan};
pub use shared::{free_shared, free_shared_anywhere, keep_shared, run_between};
