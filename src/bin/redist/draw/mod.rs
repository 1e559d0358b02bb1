//! `redist draw`: pictures of a redistribution, as SVG.

mod options;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use redist_draw::{DrawError, Drawing};
use std::io::Write;
use std::path::Path;

pub use options::DrawOptions;

/// Runs the command.
pub fn run(options: DrawOptions) -> Result<(), CommandFailure> {
    options.input.clone().visit(options)
}

impl Visitor for DrawOptions {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        let drawing = Drawing {
            kind: self.what,
            title: self.title.or_else(|| item.name.clone()),
            pair: self.pair,
            axes: self.axes,
            slices: self.slices,
            method: self.method,
            element_bytes: item.element_bytes,
        };
        write(&self.output, &drawing.page(&item.plan).map_err(refusal)?)
    }
}

/// In the words of the options.
fn refusal(error: DrawError) -> CommandFailure {
    let dashes = if error.option.is_empty() { "" } else { "--" };
    CommandFailure::InputOptions(format!("{dashes}{error}"))
}

fn write(output: &Path, svg: &str) -> Result<(), CommandFailure> {
    if output.as_os_str() == "-" {
        return std::io::stdout()
            .write_all(svg.as_bytes())
            .map_err(|error| CommandFailure::work("standard output", error));
    }
    std::fs::write(output, svg).map_err(|error| CommandFailure::work(output.display(), error))
}
