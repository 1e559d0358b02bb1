//! Reports of a redistribution, a pure function of its plan: `redist explain --json`, and the same in other languages.
#![forbid(unsafe_code)]
#![allow(missing_docs)] // Names of fields are those of the JSON, which docs/cli.md describes.

mod counts;
mod memory;
mod rank;
mod report;
mod schedule;

pub use counts::{Counts, DEFAULT_MAX_PAIRS, Messages};
pub use memory::{MemoryReport, SideMemory};
pub use rank::{MessageReport, OneRank, SideReport};
pub use report::{
    Asked, Described, Grid, GridRanks, MAX_TABLE_PIECES, Parameters, PlanReport, RelabelReport,
};
pub use schedule::{Chosen, Considered};
