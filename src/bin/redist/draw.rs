//! `redist draw`: pictures of a redistribution.

use crate::failure::CommandFailure;
use crate::input::{InputOptions, PlannedItem, Visitor};
use crate::output::print;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use redist::plan::schedule::Method;
use redist_draw::{DrawError, Drawing, METHODS, PageTexts, PictureKind};
use std::path::{Path, PathBuf};

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

/// Draws a redistribution: pictures as SVG, or one HTML page to look at in a browser.
#[derive(Args)]
pub struct DrawOptions {
    #[command(flatten)]
    pub input: InputOptions,
    /// The file that is written; - for standard output. A name with the suffix .html gets a page
    /// with both layouts, messages, schedule and explanation, which needs no network.
    #[arg(short, long, visible_alias = "out", default_value = "-")]
    pub output: PathBuf,
    /// Which picture.
    #[arg(long, value_parser = kinds(), default_value = "all")]
    pub what: PictureKind,
    /// The table of destinations instead of pictures, and the steps that it becomes. A name of the
    /// output with the suffix .txt gets text.
    #[arg(long, conflicts_with = "what")]
    pub table: bool,
    /// The dimension of the table.
    #[arg(
        long,
        value_name = "DIMENSION",
        default_value_t = 0,
        requires = "table",
        conflicts_with = "what"
    )]
    pub dimension: usize,
    /// The title of the page, instead of the redistribution's name.
    #[arg(long)]
    pub title: Option<String>,
    /// The source rank and the destination rank whose common pieces are drawn [default: the two
    /// different ranks that share the most].
    #[arg(long, value_name = "SOURCE,DESTINATION", value_parser = two)]
    pub pair: Option<[usize; 2]>,
    /// The two dimensions of the source that are drawn, the dimension that goes down first
    /// [default: the first that are distributed].
    #[arg(long, value_name = "DOWN,RIGHT", value_parser = two)]
    pub axes: Option<[usize; 2]>,
    /// Cut another dimension here; once for each [default: through what the pair shares, near the
    /// middle].
    #[arg(long = "slice", value_name = "DIMENSION=INDEX", value_parser = assignment)]
    pub slices: Vec<(usize, usize)>,
    /// Order of the messages [default: what costs the least on a network].
    #[arg(long, value_parser = methods())]
    pub method: Option<Method>,
}

fn kinds() -> impl TypedValueParser<Value = PictureKind> {
    let words = PictureKind::NAMED.map(|(name, _, shows)| PossibleValue::new(name).help(shows));
    PossibleValuesParser::new(words)
        .try_map(|word| PictureKind::named(&word).ok_or("no such picture"))
}

fn methods() -> impl TypedValueParser<Value = Method> {
    let named =
        |word: String| METHODS.iter().find(|(name, _)| *name == word).map(|(_, method)| *method);
    PossibleValuesParser::new(METHODS.map(|(name, _)| name))
        .try_map(move |word| named(word).ok_or("no such method"))
}

fn two(text: &str) -> Result<[usize; 2], String> {
    let (first, second) =
        text.split_once(',').ok_or("two numbers with a comma between them, as in 1,2")?;
    Ok([number(first)?, number(second)?])
}

fn assignment(text: &str) -> Result<(usize, usize), String> {
    let (dimension, index) = text.split_once('=').ok_or("a dimension and an index, as in 2=5")?;
    Ok((number(dimension)?, number(index)?))
}

fn number(text: &str) -> Result<usize, String> {
    text.trim().parse().map_err(|error| format!("`{text}`: {error}"))
}
