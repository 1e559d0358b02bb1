//! The tables as pictures: a cell has the colour of its destination.

use super::{Entry, Label, MAX_SHOWN, Stage, Tables};
use crate::canvas::{Anchor, Canvas, WIDTH};
use crate::metrics::{BODY, SMALL};
use crate::number::{counted, grouped};
use crate::palette::{self, PALE};
use crate::scale::Area;
use redist_plan::plan::{Plan, Side};

const GUTTER: f64 = 84.0;
const MAX_CELL_WIDTH: f64 = 56.0;
const CELL: f64 = 22.0;

pub fn pictures(plan: &Plan<1>, tables: &Tables) -> Vec<Canvas> {
    tables.stages().into_iter().map(|stage| picture(plan, stage)).collect()
}

fn picture(plan: &Plan<1>, stage: Stage<'_>) -> Canvas {
    let Stage { heading, note, side, label, rows } = stage;
    let side_words = match side {
        Side::Source => "source",
        Side::Destination => "destination",
    };
    let columns = rows.first().map_or(0, Vec::len);
    let (shown, height) = (columns.min(MAX_SHOWN), rows.len().min(MAX_SHOWN));
    let mut notes = vec![note];
    if shown < columns || height < rows.len() {
        let (all, ranks) = (grouped(rows.len() as u128), grouped(columns as u128));
        notes.push(format!("The first {height} of {all} rows, {shown} of {ranks} {side_words}s."));
    }
    let mut canvas = Canvas::new("table", heading, &notes);
    let top = canvas.bottom + SMALL + 10.0;
    let width = ((WIDTH - GUTTER) / shown.max(1) as f64).min(MAX_CELL_WIDTH);
    canvas.label(&format!("{side_words} →"), (0.0, top - 6.0), BODY, Anchor::Start);
    for column in 0..shown {
        let middle = GUTTER + width * (column as f64 + 0.5);
        let rank = plan.descriptor(side).nth_rank(column).to_string();
        canvas.label(&rank, (middle, top - 6.0), SMALL, Anchor::Middle);
    }
    for (row, entries) in rows.iter().take(height).enumerate() {
        let y = top + CELL * row as f64;
        canvas.label(&row.to_string(), (GUTTER - 8.0, y + CELL * 0.66), SMALL, Anchor::End);
        for (column, entry) in entries.iter().take(shown).enumerate() {
            let area = Area { x: GUTTER + width * column as f64, y, width, height: CELL };
            cell(&mut canvas, plan, area, (label, *entry));
        }
    }
    canvas.bottom = top + CELL * height as f64 + 6.0;
    canvas
}

fn cell(canvas: &mut Canvas, plan: &Plan<1>, area: Area, (label, entry): (Label, Option<Entry>)) {
    let Some(entry) = entry else {
        return canvas.fill("idle", area, PALE);
    };
    let Entry { destination, len, .. } = entry;
    let rank = plan.descriptor(Side::Destination).nth_rank(destination);
    let pointed_at = format!("to rank {rank}: {}", counted(len as u128, "element"));
    canvas.block("entry", area, palette::of_rank(rank), &label.of(&entry, rank), &pointed_at);
}
