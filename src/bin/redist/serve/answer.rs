//! The work of one request: a text becomes mistakes, or figures, pictures and calls.

use super::bounds::{MAX_ITEMS, MAX_MEMORY, MAX_PROCESSOR_SECONDS, TABLE_RANKS};
use super::calls::Calls;
use super::figures::{NamedFigure, Table, figures, table};
use crate::explain;
use crate::failure::CommandFailure;
use crate::input::{InputOptions, Mistake, Mistakes, Planned, PlannedItem, Refusal, Visitor};
use crate::output::print_json;
use clap::ValueEnum;
use redist_draw::{DrawError, Drawing, PageTexts};
use serde::{Deserialize, Serialize};
use std::io::{Read, stdin};

/// The name of the text in messages.
const TEXT: &str = "text";

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Asked {
    /// Figures and pictures of a redistribution.
    Plan,
    /// One redistribution as a file for a browser.
    File,
}

/// A request of the page.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    text: String,
    /// Values of names, `NB=64`.
    #[serde(default)]
    set: Vec<String>,
    /// The item to show; the first by default.
    #[serde(default)]
    name: Option<String>,
    /// `true` if the destination's ranks are put into other cells.
    #[serde(default)]
    relabel: bool,
}

/// An answer.
#[derive(Default, Serialize)]
struct Answer {
    mistakes: Vec<MistakeData>,
    /// Number of mistakes besides.
    more: usize,
    /// Names of the first items.
    items: Vec<String>,
    /// Number of items besides.
    more_items: usize,
    item: Option<ItemData>,
    file: Option<String>,
}

/// A mistake as the page marks it. Positions are in units of UTF-16, from 0.
#[derive(Serialize)]
struct MistakeData {
    message: String,
    /// `text`, or the name of the value that has the mistake; none for a mistake without a place.
    place: Option<String>,
    /// First position of the words.
    start: usize,
    /// Position behind the words.
    end: usize,
    /// Line, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
    /// The word to use in its stead, where the message has one.
    instead: Option<String>,
}

/// One item as the page shows it.
#[derive(Serialize)]
struct ItemData {
    name: Option<String>,
    layouts: [String; 2],
    figures: Vec<NamedFigure>,
    table: Option<Table>,
    pictures: Vec<PictureData>,
    /// The reason why there is no picture.
    undrawn: Option<String>,
    explained: String,
    calls: Calls,
}

/// One picture.
#[derive(Serialize)]
struct PictureData {
    kind: &'static str,
    shows: &'static str,
    svg: String,
}

/// Reads a request from standard input, and prints its answer.
pub fn run(asked: Asked) -> Result<(), CommandFailure> {
    bound_resources();
    let mut request = String::new();
    let read = stdin().read_to_string(&mut request);
    read.map_err(|error| CommandFailure::work("standard input", error))?;
    let request = serde_json::from_str(&request);
    print_json(&answer(request.map_err(|error| CommandFailure::work("a request", error))?, asked))
}

/// Has the system end this program where it takes too much.
fn bound_resources() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, setrlimit};
        let bounds = [(Resource::As, MAX_MEMORY), (Resource::Cpu, MAX_PROCESSOR_SECONDS)];
        for (resource, most) in bounds {
            let bound = Rlimit { current: Some(most), maximum: Some(most) };
            // A stricter bound that is there already stays.
            let _ = setrlimit(resource, bound);
        }
    }
}

fn answer(request: Request, asked: Asked) -> Answer {
    let options = InputOptions {
        redistribution: TEXT.into(),
        set: request.set,
        name: None,
        element_bytes: None,
        relabel: request.relabel,
    };
    let planned = match options.planned_from(TEXT, &request.text) {
        Ok(planned) => planned,
        Err(refusal) => return refused(refusal),
    };
    let items: Vec<String> = planned.iter().take(MAX_ITEMS).map(Planned::name).collect();
    let more_items = planned.len() - items.len();
    let wanted = |name: &String| items.iter().position(|item| item == name);
    let chosen = request.name.as_ref().and_then(wanted).unwrap_or(0);
    let mut answer = Answer { items, more_items, ..Answer::default() };
    let done = planned[chosen].visit(Answering { asked, answer: &mut answer });
    match done {
        Ok(()) => answer,
        Err(CommandFailure::InputOptions(message) | CommandFailure::Work(message)) => {
            refused(Refusal::Option(message))
        }
    }
}

fn refused(refusal: Refusal) -> Answer {
    let (mistakes, more) = match refusal {
        Refusal::Mistakes(Mistakes { first, more }) => (first, more),
        Refusal::Option(message) => (vec![Mistake { message, place: None }], 0),
    };
    Answer { mistakes: mistakes.iter().map(MistakeData::of).collect(), more, ..Answer::default() }
}

impl MistakeData {
    fn of(mistake: &Mistake) -> Self {
        let message = mistake.message.clone();
        let instead = instead(&message);
        let Some(place) = &mistake.place else {
            let [start, end, line, column] = [0; 4];
            return MistakeData { message, place: None, start, end, line, column, instead };
        };
        let units = |end: usize| place.text[..end].encode_utf16().count();
        let before = &place.text[..place.range.start];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        MistakeData {
            message,
            place: Some(place.name.trim_start_matches("--set ").to_owned()),
            start: units(place.range.start),
            end: units(place.range.end),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            instead,
        }
    }
}

/// Returns the word of "did you mean `cyclic`?".
fn instead(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("did you mean `")?;
    rest.split_once('`').map(|(word, _)| word.to_owned())
}

/// The answer about an item of any number of dimensions.
struct Answering<'a> {
    asked: Asked,
    answer: &'a mut Answer,
}

impl Visitor for Answering<'_> {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        match self.asked {
            Asked::Plan => self.answer.item = Some(ItemData::of(item)),
            Asked::File => self.answer.file = Some(file(item).map_err(unfiled)?),
        }
        Ok(())
    }
}

fn unfiled(error: DrawError) -> CommandFailure {
    CommandFailure::Work(error.to_string())
}

fn file<const D: usize>(item: &PlannedItem<D>) -> Result<String, DrawError> {
    let texts = PageTexts { element: item.element.clone(), name: item.name.clone() };
    drawing(item).html(&item.plan, &texts)
}

fn drawing<const D: usize>(item: &PlannedItem<D>) -> Drawing {
    Drawing { title: item.name.clone(), element_bytes: item.element_bytes, ..Drawing::default() }
}

impl ItemData {
    fn of<const D: usize>(item: &PlannedItem<D>) -> Self {
        let asked = redist_explain::Asked { most_pairs: TABLE_RANKS * TABLE_RANKS, rank: None };
        let report = explain::report(item, asked);
        let (pictures, undrawn) = match drawing(item).apart(&item.plan) {
            Ok(pictures) => (pictures, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let picture = |(kind, svg): (redist_draw::PictureKind, String)| PictureData {
            kind: kind.name(),
            shows: kind.shows(),
            svg,
        };
        ItemData {
            name: item.name.clone(),
            layouts: item.layouts.clone(),
            figures: figures(&report),
            table: table(&report),
            pictures: pictures.into_iter().map(picture).collect(),
            undrawn,
            explained: report.explained,
            calls: Calls::of(item),
        }
    }
}
