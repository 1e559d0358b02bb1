//! `redist explain`: what a redistribution is, for people or for machines.

mod counts;
mod memory;
mod rank;
mod report;
mod schedule;
mod text;
mod words;

use crate::failure::Failure;
use crate::input::{Input, Item, Visitor};
use clap::Args;
use report::Report;
use std::io::{self, Write};

/// Class, window, counts, bytes, schedule and memory of a redistribution.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: Input,

    /// Print one line of JSON for each item; docs/cli.md has its schema.
    #[arg(long)]
    json: bool,

    /// Show the messages of this rank of the communicator.
    #[arg(long)]
    rank: Option<usize>,

    /// The most pairs of ranks whose counts are listed; 0 for none.
    #[arg(long, value_name = "PAIRS", default_value_t = counts::DEFAULT_PAIRS)]
    counts: usize,
}

/// Runs the command.
pub fn run(options: Options) -> Result<(), Failure> {
    options.input.visit_all(&options)
}

impl Visitor for &Options {
    fn visit<const D: usize>(self, item: &Item<D>) -> Result<(), Failure> {
        if let Some(rank) = self.rank.filter(|&rank| rank >= item.plan.ranks()) {
            let ranks = item.plan.ranks();
            return Err(Failure::Input(format!(
                "error: --rank {rank}: the redistribution has ranks 0 to {}",
                ranks - 1
            )));
        }
        let report = Report::new(item, self.counts, self.rank);
        let text = if self.json {
            serde_json::to_string(&report).map_err(|error| Failure::work("writing JSON", error))? + "\n"
        } else {
            text::text(&report)
        };
        match io::stdout().write_all(text.as_bytes()) {
            // Whoever reads has seen enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Failure::work("standard output", error)),
        }
    }
}
