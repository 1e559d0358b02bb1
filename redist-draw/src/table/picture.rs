//! The tables as pictures: a cell has the colour of its destination.

use super::{Entry, MAX_SHOWN, Row, Stage, Tables};
use crate::canvas::{Anchor, Canvas, WIDTH};
use crate::metrics::{BODY, SMALL};
use crate::number::{counted, grouped};
use crate::palette::{self, PALE};
use crate::scale::Area;
use redist_plan::plan::{Plan, Side};

const GUTTER: f64 = 84.0;
const MAX_CELL_WIDTH: f64 = 56.0;
const CELL: f64 = 22.0;

struct Ranks<'a>(&'a Plan<1>);

impl Ranks<'_> {
    fn of(&self, side: Side, number: usize) -> usize {
        self.0.descriptor(side).nth_rank(number)
    }
}

pub fn pictures(plan: &Plan<1>, tables: &Tables, method: &str) -> Vec<Canvas> {
    let stages = tables.stages().into_iter();
    stages
        .map(|(stage, rows)| {
            let note = note(stage, tables.period, method);
            picture(&Ranks(plan), stage.heading(), note, rows)
        })
        .collect()
}

fn note(stage: Stage, period: usize, method: &str) -> String {
    match stage {
        Stage::Destinations => {
            let period = counted(period as u128, "element");
            format!(
                "One period of {period}. Row: a source's pieces in order; number: who owns it after."
            )
        }
        Stage::ColumnsReorganised => {
            "Entries moved within their columns: the steps of a group reach one class of ranks."
                .to_owned()
        }
        Stage::RowsReorganised => {
            "Columns rotated within their groups. Grey: a source has no piece for this row."
                .to_owned()
        }
        Stage::Steps => {
            format!("Row: a step ({method}); pieces of one message travel together. Grey: idle.")
        }
    }
}

fn picture(ranks: &Ranks<'_>, heading: &str, note: String, rows: &[Row]) -> Canvas {
    let columns = rows.first().map_or(0, Vec::len);
    let (shown, height) = (columns.min(MAX_SHOWN), rows.len().min(MAX_SHOWN));
    let mut notes = vec![note];
    if shown < columns || height < rows.len() {
        let (all, sources) = (grouped(rows.len() as u128), grouped(columns as u128));
        notes.push(format!("The first {height} of {all} rows, {shown} of {sources} sources."));
    }
    let mut canvas = Canvas::new("table", heading, &notes);
    let top = canvas.bottom + SMALL + 10.0;
    let width = ((WIDTH - GUTTER) / shown.max(1) as f64).min(MAX_CELL_WIDTH);
    canvas.label("source →", (0.0, top - 6.0), BODY, Anchor::Start);
    for column in 0..shown {
        let middle = GUTTER + width * (column as f64 + 0.5);
        let rank = ranks.of(Side::Source, column).to_string();
        canvas.label(&rank, (middle, top - 6.0), SMALL, Anchor::Middle);
    }
    for (row, entries) in rows.iter().take(height).enumerate() {
        let y = top + CELL * row as f64;
        canvas.label(&row.to_string(), (GUTTER - 8.0, y + CELL * 0.66), SMALL, Anchor::End);
        for (column, entry) in entries.iter().take(shown).enumerate() {
            let area = Area { x: GUTTER + width * column as f64, y, width, height: CELL };
            cell(&mut canvas, ranks, area, *entry);
        }
    }
    canvas.bottom = top + CELL * height as f64 + 6.0;
    canvas
}

fn cell(canvas: &mut Canvas, ranks: &Ranks<'_>, area: Area, entry: Option<Entry>) {
    let Some(Entry { destination, len }) = entry else {
        return canvas.block("idle", area, PALE, "", "");
    };
    let rank = ranks.of(Side::Destination, destination);
    let pointed_at = format!("to rank {rank}: {}", counted(len as u128, "element"));
    canvas.block("entry", area, palette::of_rank(rank), &rank.to_string(), &pointed_at);
}
