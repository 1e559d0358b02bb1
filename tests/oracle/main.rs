//! The planner against `tests/data/block_cyclic.json`, which an independent reference wrote; see `tests/data/README.md`.

#[path = "../common/mod.rs"]
mod common;

mod arrays;
mod baselines;
mod closed_forms;
mod descriptors;
mod given_blocks;
mod hsu_chung;
mod huge;
mod messages;
mod pieces;
mod relabelling;
mod schedules;
mod simulator;
mod vectors;
