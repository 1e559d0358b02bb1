use super::canvas::{Anchor, Canvas, WIDTH, rectangle};
use super::metrics::{BODY, SMALL};
use super::number::{counted, grouped};
use super::palette::{self, PALE, QUIET};
use super::scale::Area;
use redist_plan::plan::schedule::Schedule;
use redist_plan::plan::{Plan, Side};

const MAX_STEPS: usize = 32;
const MAX_RANKS_DRAWN: usize = 32;
const GUTTER: f64 = 84.0;
const MAX_CELL_WIDTH: f64 = 56.0;
const CELL: f64 = 30.0;
const LETTER: f64 = 12.0;

struct Entry {
    step: usize,
    /// In its grid.
    row: usize,
    ranks: [usize; 2],
    len: usize,
}

/// Draws a row for each sender, a column for each step, a cell for each message, as high as it is
/// long, in its receiver's colour.
pub fn picture<const D: usize>(
    plan: &Plan<D>,
    schedule: &dyn Schedule,
    least: Option<usize>,
) -> Canvas {
    let (steps, rows) = (schedule.steps().min(MAX_STEPS), schedule.sources().min(MAX_RANKS_DRAWN));
    let entries = entries(plan, schedule, steps, rows);
    let longest = entries.iter().map(|entry| entry.len).max().unwrap_or(0);
    let mut canvas = Canvas::new(
        "schedule",
        &heading(schedule, least),
        &notes(schedule, (steps, rows), longest),
    );
    canvas.label("sender ↓, step →", (0.0, canvas.bottom + BODY), BODY, Anchor::Start);
    let width = ((WIDTH - GUTTER - 20.0) / steps.max(1) as f64).min(MAX_CELL_WIDTH);
    let top = canvas.bottom + 2.0 * SMALL + 22.0;
    let senders = plan.descriptor(Side::Source);
    let senders: Vec<usize> = (0..rows).map(|row| senders.nth_rank(row)).collect();
    frame(&mut canvas, (&senders, steps), width, top);
    for entry in &entries {
        message(&mut canvas, entry, longest, width, top);
    }
    canvas.bottom = top + CELL * rows as f64;
    step_lengths(&mut canvas, &entries, steps, width);
    canvas
}

fn entries<const D: usize>(
    plan: &Plan<D>,
    schedule: &dyn Schedule,
    steps: usize,
    rows: usize,
) -> Vec<Entry> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let cells = (0..steps).flat_map(|step| (0..rows).map(move |row| (step, row)));
    let entry = |(step, row)| {
        let ranks = [from.nth_rank(row), to.nth_rank(schedule.destination(step, row)?)];
        let len = plan.volume(ranks[0], ranks[1]);
        (len > 0).then_some(Entry { step, row, ranks, len })
    };
    cells.filter_map(entry).collect()
}

fn heading(schedule: &dyn Schedule, least: Option<usize>) -> String {
    let steps = counted(schedule.steps() as u128, "step");
    let compared = match least {
        Some(least) if least == schedule.steps() => ", the least there can be".to_owned(),
        Some(least) => format!("; the least there can be: {}", grouped(least as u128)),
        None => String::new(),
    };
    format!("Who sends when: {}, {steps}{compared}", schedule.method())
}

fn notes(schedule: &dyn Schedule, (steps, rows): (usize, usize), longest: usize) -> Vec<String> {
    let longest = counted(longest as u128, "element");
    let mut notes = vec![format!(
        "Colours and numbers: the receiver. Heights: the message's length; the full height is {longest}. Grey: idle."
    )];
    if steps < schedule.steps() || rows < schedule.sources() {
        let (all, senders) =
            (grouped(schedule.steps() as u128), grouped(schedule.sources() as u128));
        notes.push(format!(
            "The first {steps} of {all} steps and the first {rows} of {senders} senders."
        ));
    }
    notes
}

fn frame(canvas: &mut Canvas, (senders, steps): (&[usize], usize), width: f64, top: f64) {
    for (row, rank) in senders.iter().enumerate() {
        let y = top + CELL * row as f64;
        canvas.label(&format!("rank {rank}"), (GUTTER - 8.0, y + CELL * 0.62), BODY, Anchor::End);
        for step in 0..steps {
            let area = Area { x: GUTTER + width * step as f64, y, width, height: CELL };
            canvas.block("cell", area, PALE, "", "");
        }
    }
    for step in 0..steps {
        let x = GUTTER + width * (step as f64 + 0.5);
        canvas.label(&step.to_string(), (x, top - 6.0), SMALL, Anchor::Middle);
    }
}

fn message(canvas: &mut Canvas, entry: &Entry, longest: usize, width: f64, top: f64) {
    let height = ((CELL - 2.0) * entry.len as f64 / longest as f64).max(1.5);
    let (x, bottom) =
        (GUTTER + width * entry.step as f64 + 1.0, top + CELL * (entry.row + 1) as f64 - 1.0);
    let [source, destination] = entry.ranks;
    let fill = palette::of_rank(destination);
    let pointed_at = format!(
        "step {}: {source} → {destination}: {}",
        entry.step,
        counted(entry.len as u128, "element")
    );
    let area = Area { x, y: bottom - height, width: width - 2.0, height };
    canvas.block("message", area, fill, "", &pointed_at);
    // A message that is shorter than a letter has its receiver above it.
    let above = Area { y: area.y - LETTER, height: LETTER, ..area };
    let (place, ground) = if height > LETTER { (area, fill) } else { (above, PALE) };
    canvas.inside(place, ground, &destination.to_string());
}

fn step_lengths(canvas: &mut Canvas, entries: &[Entry], steps: usize, width: f64) {
    let longest: Vec<usize> = (0..steps)
        .map(|step| {
            entries
                .iter()
                .filter(|entry| entry.step == step)
                .map(|entry| entry.len)
                .max()
                .unwrap_or(0)
        })
        .collect();
    let top = canvas.bottom + 4.0;
    let fits = |len: &usize| {
        Area { x: 0.0, y: 0.0, width, height: 20.0 }.fits(&grouped(*len as u128), SMALL)
    };
    if longest.iter().all(fits) {
        canvas.label("longest", (GUTTER - 8.0, top + SMALL + 2.0), SMALL, Anchor::End);
        for (step, len) in longest.iter().enumerate() {
            let x = GUTTER + width * (step as f64 + 0.5);
            canvas.label(&grouped(*len as u128), (x, top + SMALL + 2.0), SMALL, Anchor::Middle);
        }
    }
    let line = Area { x: GUTTER, y: canvas.bottom, width: width * steps as f64, height: 0.5 };
    canvas.add(rectangle(line).set("fill", QUIET));
    canvas.bottom = top + SMALL + 10.0;
}
