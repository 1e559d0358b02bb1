//! What the C interface and the Python package share: plans whose number of dimensions is a value,
//! and layouts as lists of numbers. All of it is planned and moved by `redist`.
#![forbid(unsafe_code)]

mod layout;
mod plan;

pub use layout::{LayoutError, LayoutNumbers};
pub use plan::{DoorPlan, LocalPart, MAX_DIMENSIONS, NoPlan};
