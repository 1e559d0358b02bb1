//! The planner against `tests/data/block_cyclic.json`, which an independent reference wrote; see
//! `tests/data/README.md`.

mod arrays;
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
