//! Common code of the C interface and the Python package. Plans have a number of dimensions that is
//! a value, layouts are lists of numbers, and shared arrays are known by their address.
#![forbid(unsafe_code)]

mod layout;
mod plan;
mod shared;
pub mod words;

pub use layout::{LayoutError, LayoutNumbers};
pub use plan::{DoorPlan, LocalPart, MAX_DIMENSIONS, NoPlan};
pub use shared::{free_shared, free_shared_anywhere, keep_shared, run_between};
