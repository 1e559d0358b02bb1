//! Layouts, planner and execution of `redist`.

pub mod layout;
