use crate::input::InputOptions;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use redist::plan::schedule::Method;
use redist_draw::{METHODS, PictureKind};
use std::path::PathBuf;

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
    /// The two dimensions of the source that are drawn, the one that goes down first [default: the
    /// first that are distributed].
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
