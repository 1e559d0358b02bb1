//! `redist explain`: class, window, counts, schedule and memory of a redistribution.

mod text;

use crate::failure::CommandFailure;
use crate::input::{InputOptions, PlannedItem, Visitor};
use crate::output::{print, print_json};
use clap::Args;
use redist_explain::{Asked, DEFAULT_MAX_PAIRS, Described, PlanReport, RelabelReport};

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
    #[arg(long, value_name = "PAIRS", default_value_t = DEFAULT_MAX_PAIRS)]
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
        let report = report(item, Asked { most_pairs: self.counts, rank: self.rank });
        if self.json { print_json(&report) } else { print(&text::text(&report)) }
    }
}

/// Reports an item in the user's words.
pub fn report<const D: usize>(item: &PlannedItem<D>, asked: Asked) -> PlanReport {
    let described = Described {
        name: item.name.clone(),
        element: item.element.clone(),
        element_bytes: item.element_bytes,
        relabelled: item
            .relabelled
            .map(|saving| RelabelReport::new(saving.elements, saving.stayed, saving.stays)),
    };
    PlanReport::new(&item.plan, described, asked)
}

#[cfg(test)]
mod tests {
    use redist_explain::MAX_TABLE_PIECES;
    use redist_notation::spec::DEFAULT_MAX_TABLE_PIECES;

    #[test]
    fn tables_are_as_long_as_those_of_items() {
        assert_eq!(MAX_TABLE_PIECES, DEFAULT_MAX_TABLE_PIECES);
    }
}
