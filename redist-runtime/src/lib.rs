//! Layouts, planner and execution of `redist`.

mod arithmetic;

pub mod layout;
pub mod plan;
pub mod program;
