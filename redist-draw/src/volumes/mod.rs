//! A heat map of the elements from every rank to every other.

mod table;

use super::canvas::{Anchor, Canvas, rectangle};
use super::metrics::{BODY, SMALL, width_of};
use super::number::{counted, grouped};
use super::palette::{self, INK, QUIET};
use super::scale::Area;
use redist_plan::plan::{Plan, Side};
use table::VolumeTable;

const GUTTER: f64 = 84.0;
/// Width of all cells together, and the range of one cell's, in pixels.
const ROOM: f64 = 660.0;
const MAX_CELL_WIDTH: f64 = 110.0;
const MIN_CELL_WIDTH: f64 = 44.0;
const MAX_CELL_HEIGHT: f64 = 34.0;

/// Draws source ranks down, destination ranks to the right, elements in the cells, and a scale.
pub fn picture<const D: usize>(plan: &Plan<D>) -> Canvas {
    let table = VolumeTable::new(plan);
    let mut canvas = Canvas::new("volumes", "How much moves", &notes(plan, &table));
    canvas.label(
        "source rank ↓, destination rank →",
        (0.0, canvas.bottom + BODY),
        BODY,
        Anchor::Start,
    );
    let longest = width_of(&grouped(table.most()), SMALL) + 8.0;
    let width =
        longest.clamp(MIN_CELL_WIDTH, MAX_CELL_WIDTH).min(ROOM / table.columns.len() as f64);
    let height = (ROOM / table.rows.len() as f64).min(MAX_CELL_HEIGHT).min(width.max(18.0));
    let top = canvas.bottom + 2.0 * SMALL + 22.0;
    names(&mut canvas, &table, (width, height), top);
    cells(&mut canvas, &table, (width, height), top);
    let right = GUTTER + width * table.columns.len() as f64;
    let bottom = scale(&mut canvas, &table, (right + 44.0, top));
    canvas.bottom = bottom.max(top + height * table.rows.len() as f64) + 6.0;
    canvas
}

fn notes<const D: usize>(plan: &Plan<D>, table: &VolumeTable) -> Vec<String> {
    let total = table.total();
    let percent = if total == 0 { 0.0 } else { 100.0 * table.staying as f64 / total as f64 };
    let stays = format!("{percent:.0} % of them stay on their rank (framed cells).");
    if table.is_cut {
        let ranks = [Side::Source, Side::Destination]
            .map(|side| counted(plan.descriptor(side).ranks() as u128, "rank"));
        let (rows, columns) = (table.rows.len(), table.columns.len());
        return vec![
            format!("The first {rows} of {} and the first {columns} of {}.", ranks[0], ranks[1]),
            format!("{} move between these; {stays}", counted(total, "element")),
        ];
    }
    let mut notes = vec![format!("{} in all; {stays}", counted(total, "element"))];
    if table.group() != [1, 1] {
        let [rows, columns] = table.group();
        notes.push(format!("A cell adds up {rows} source × {columns} destination ranks."));
    }
    notes
}

fn name(ranks: &[usize]) -> String {
    match ranks {
        [first, .., last] => format!("{first}–{last}"),
        _ => ranks.first().map_or_else(String::new, ToString::to_string),
    }
}

fn names(canvas: &mut Canvas, table: &VolumeTable, (width, height): (f64, f64), top: f64) {
    for (number, ranks) in table.rows.iter().enumerate() {
        let y = top + height * (number as f64 + 0.5) + SMALL * 0.36;
        canvas.label(&name(ranks), (GUTTER - 8.0, y), SMALL, Anchor::End);
    }
    let widest =
        table.columns.iter().map(|ranks| width_of(&name(ranks), SMALL)).fold(0.0, f64::max) + 6.0;
    let every = (widest / width).ceil().max(1.0) as usize;
    for (number, ranks) in table.columns.iter().enumerate().step_by(every) {
        let x = GUTTER + width * (number as f64 + 0.5);
        canvas.label(&name(ranks), (x, top - 6.0), SMALL, Anchor::Middle);
    }
}

fn cells(canvas: &mut Canvas, table: &VolumeTable, (width, height): (f64, f64), top: f64) {
    let most = table.most();
    for (row, (sources, volumes)) in table.rows.iter().zip(&table.cells).enumerate() {
        for (column, (destinations, volume)) in table.columns.iter().zip(volumes).enumerate() {
            let (x, y) = (GUTTER + width * column as f64, top + height * row as f64);
            let area = Area { x, y, width, height };
            let pointed_at = format!("{} → {}: {volume}", name(sources), name(destinations));
            let inside = if *volume > 0 { grouped(*volume) } else { String::new() };
            canvas.block("volume", area, &palette::of_volume(*volume, most), &inside, &pointed_at);
            if sources.iter().any(|rank| destinations.contains(rank)) && *volume > 0 {
                let frame =
                    Area { x: x + 1.5, y: y + 1.5, width: width - 3.0, height: height - 3.0 };
                canvas.add(
                    rectangle(frame).set("class", "stays").set("fill", "none").set("stroke", INK),
                );
            }
        }
    }
    let (width, height) = (width * table.columns.len() as f64, height * table.rows.len() as f64);
    let frame = rectangle(Area { x: GUTTER, y: top, width, height }).set("fill", "none");
    canvas.add(frame.set("stroke", QUIET).set("stroke-width", 0.8));
}

/// Draws the colours from nothing to the most. Returns its end.
fn scale(canvas: &mut Canvas, table: &VolumeTable, (x, top): (f64, f64)) -> f64 {
    const STEPS: u128 = 4;
    const HEIGHT: f64 = 18.0;
    let most = table.most();
    canvas.label("elements", (x, top - 6.0), SMALL, Anchor::Start);
    let mut values: Vec<u128> =
        (0..=STEPS).rev().map(|step| most / STEPS * step + most % STEPS * step / STEPS).collect();
    values.dedup();
    for (number, value) in values.iter().enumerate() {
        let area = Area { x, y: top + HEIGHT * number as f64, width: 16.0, height: HEIGHT };
        canvas.add(
            rectangle(area)
                .set("class", "scale")
                .set("fill", palette::of_volume(*value, most))
                .set("stroke", QUIET)
                .set("stroke-width", 0.5),
        );
        canvas.label(
            &grouped(*value),
            (x + 24.0, area.y + HEIGHT * 0.5 + SMALL * 0.36),
            SMALL,
            Anchor::Start,
        );
    }
    top + HEIGHT * values.len() as f64
}
