//! `redist explain`: class, window, counts, schedule and memory of a redistribution.

mod counts;
mod memory;
mod rank;
mod report;
mod schedule;
mod text;

use crate::failure::CommandFailure;
use crate::input::{InputOptions, PlannedItem, Visitor};
use crate::output::{print, print_json};
use clap::Args;
pub use report::PlanReport;

/// Class, window, counts, bytes, schedule and memory of a redistribution.
#[derive(Args)]
pub struct ExplainOptions {
    #[command(flatten)]
    input: InputOptions,

    /// Print one line of JSON for each item; docs/cli.md has its schema.
    #[arg(long)]
    json: bool,

    /// Show the messages of this rank of the communicator.
    #[arg(long)]
    rank: Option<usize>,

    /// The most pairs of ranks whose counts are listed; 0 for none.
    #[arg(long, value_name = "PAIRS", default_value_t = counts::DEFAULT_MAX_PAIRS)]
    counts: usize,
}

pub fn run(options: ExplainOptions) -> Result<(), CommandFailure> {
    options.input.visit_all(&options)
}

impl Visitor for &ExplainOptions {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        if let Some(rank) = self.rank.filter(|&rank| rank >= item.plan.ranks()) {
            let ranks = item.plan.ranks();
            return Err(CommandFailure::InputOptions(format!(
                "error: --rank {rank}: the redistribution has ranks 0 to {}",
                ranks - 1
            )));
        }
        let report = PlanReport::new(item, self.counts, self.rank);
        if self.json { print_json(&report) } else { print(&text::text(&report)) }
    }
}
