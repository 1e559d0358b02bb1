//! Schedules: contention-free, complete, as short as they claim.

#[path = "../common/mod.rs"]
mod common;

mod closed_forms;
mod dimensions;
mod huge;
mod koenig;
mod seen_by_ranks;
mod support;
mod worked_example;
