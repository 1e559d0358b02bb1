mod counts;
mod memory;
mod rank;
mod report;
mod schedule;
mod text;

use crate::failure::CommandFailure;
use crate::input::{InputOptions, PlannedItem, Visitor};
use clap::Args;
use report::PlanReport;
use std::io::{self, Write};

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
        let text = if self.json {
            serde_json::to_string(&report)
                .map_err(|error| CommandFailure::work("writing JSON", error))?
                + "\n"
        } else {
            text::text(&report)
        };
        match io::stdout().write_all(text.as_bytes()) {
            // The reader has closed the pipe: not an error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| CommandFailure::work("standard output", error)),
        }
    }
}
