//! The planner against an independent reference's vectors; see `tests/data/README.md`.

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
