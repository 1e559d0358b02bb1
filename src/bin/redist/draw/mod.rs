mod options;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use crate::output::print;
use redist_draw::{DrawError, Drawing, PageTexts, PictureKind};
use std::path::Path;

pub use options::DrawOptions;

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
        let drawn = if self.table {
            table(&drawing, item, (&self.output, self.dimension))?
        } else if is_html(&self.output) {
            html(&drawing, item)?
        } else {
            drawing.page(&item.plan).map_err(refusal)?
        };
        write(&self.output, &drawn)
    }
}

fn is_html(output: &Path) -> bool {
    output.extension().is_some_and(|suffix| ["html", "htm"].iter().any(|html| suffix == *html))
}

fn table<const D: usize>(
    drawing: &Drawing,
    item: &PlannedItem<D>,
    (output, dimension): (&Path, usize),
) -> Result<String, CommandFailure> {
    if is_html(output) {
        let message = "error: --table is drawn as SVG, or written as text to a file with .txt";
        return Err(CommandFailure::InputOptions(message.into()));
    }
    let drawn = if output.extension().is_some_and(|suffix| suffix == "txt") {
        drawing.table_text(&item.plan, dimension)
    } else {
        drawing.table(&item.plan, dimension)
    };
    drawn.map_err(refusal)
}

fn html<const D: usize>(
    drawing: &Drawing,
    item: &PlannedItem<D>,
) -> Result<String, CommandFailure> {
    if drawing.kind != PictureKind::All {
        let message = "error: --what chooses an SVG picture; an HTML page shows all of them";
        return Err(CommandFailure::InputOptions(message.into()));
    }
    let texts = PageTexts { element: item.element.clone(), name: item.name.clone() };
    drawing.html(&item.plan, &texts).map_err(refusal)
}

fn refusal(error: DrawError) -> CommandFailure {
    let dashes = if error.option.is_empty() { "" } else { "--" };
    CommandFailure::InputOptions(format!("{dashes}{error}"))
}

fn write(output: &Path, svg: &str) -> Result<(), CommandFailure> {
    if output.as_os_str() == "-" {
        return print(svg);
    }
    std::fs::write(output, svg).map_err(|error| CommandFailure::work(output.display(), error))
}
