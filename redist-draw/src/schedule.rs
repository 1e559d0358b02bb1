//! Draws a schedule: rows of senders, columns of steps.

use super::canvas::{Anchor, Canvas, WIDTH, rectangle};
use super::metrics::{BODY, SMALL};
use super::number::{counted, grouped};
use super::palette::{self, PALE, QUIET};
use super::scale::Area;
use redist_plan::plan::{Plan, Side};
use redist_schedules::Schedule;

/// Most steps that are drawn.
const MAX_STEPS: usize = 32;
/// Most senders that are drawn.
const MAX_RANKS_DRAWN: usize = 32;
/// Space for labels, in pixels.
const GUTTER: f64 = 84.0;
/// Largest width of a step, in pixels.
const MAX_CELL_WIDTH: f64 = 56.0;
/// Height of a sender's row, in pixels.
const CELL: f64 = 30.0;
/// Height of a letter, in pixels: a lower cell has its letters above it.
const LETTER: f64 = 12.0;

/// A message in its step.
pub struct Message {
    /// The sender's, in its grid.
    row: usize,
    /// Sender and receiver in the communicator.
    pub ranks: [usize; 2],
    /// Elements of the message.
    pub len: usize,
}

/// Draws a row for each sender, a column for each step, a cell for each message, as high as it is
/// long, in its receiver's colour.
pub fn picture<const D: usize>(
    plan: &Plan<D>,
    schedule: &dyn Schedule,
    least: Option<usize>,
) -> Canvas {
    let (steps, rows) = (schedule.steps().min(MAX_STEPS), schedule.sources().min(MAX_RANKS_DRAWN));
    let drawn: Vec<Vec<Message>> =
        (0..steps).map(|step| messages(plan, schedule, step, rows)).collect();
    let longest = longest(drawn.iter().flatten());
    let mut canvas = Canvas::new(
        "schedule",
        &format!("Who sends when: {}", in_words(schedule, least)),
        &notes(schedule, (steps, rows), longest),
    );
    canvas.label("sender ↓, step →", (0.0, canvas.bottom + BODY), BODY, Anchor::Start);
    let width = ((WIDTH - GUTTER - 20.0) / steps.max(1) as f64).min(MAX_CELL_WIDTH);
    let top = canvas.bottom + 2.0 * SMALL + 22.0;
    let senders = plan.descriptor(Side::Source);
    let senders: Vec<usize> = (0..rows).map(|row| senders.nth_rank(row)).collect();
    frame(&mut canvas, (&senders, steps), width, top);
    for (step, messages) in drawn.iter().enumerate() {
        for entry in messages {
            message(&mut canvas, (step, entry), longest, width, top);
        }
    }
    canvas.bottom = top + CELL * rows as f64;
    step_lengths(&mut canvas, &drawn, width);
    canvas
}

/// Lists a step's messages of the first senders.
pub fn messages<const D: usize>(
    plan: &Plan<D>,
    schedule: &dyn Schedule,
    step: usize,
    senders: usize,
) -> Vec<Message> {
    let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
    let message = |row| {
        let ranks = [from.nth_rank(row), to.nth_rank(schedule.destination(step, row)?)];
        let len = plan.volume(ranks[0], ranks[1]);
        (len > 0).then_some(Message { row, ranks, len })
    };
    (0..schedule.sources().min(senders)).filter_map(message).collect()
}

pub fn longest<'a>(messages: impl IntoIterator<Item = &'a Message>) -> usize {
    messages.into_iter().map(|message| message.len).max().unwrap_or(0)
}

/// Names the method, and compares its steps with the least.
pub fn in_words(schedule: &dyn Schedule, least: Option<usize>) -> String {
    let steps = counted(schedule.steps() as u128, "step");
    let compared = match least {
        Some(least) if least == schedule.steps() => ", the least there can be".to_owned(),
        Some(least) => format!("; the least there can be: {}", grouped(least as u128)),
        None => String::new(),
    };
    format!("{}, {steps}{compared}", schedule.method())
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
            canvas.fill("cell", area, PALE);
        }
    }
    for step in 0..steps {
        let x = GUTTER + width * (step as f64 + 0.5);
        canvas.label(&step.to_string(), (x, top - 6.0), SMALL, Anchor::Middle);
    }
}

fn message(
    canvas: &mut Canvas,
    (step, entry): (usize, &Message),
    longest: usize,
    width: f64,
    top: f64,
) {
    let height = ((CELL - 2.0) * entry.len as f64 / longest as f64).max(1.5);
    let (x, bottom) =
        (GUTTER + width * step as f64 + 1.0, top + CELL * (entry.row + 1) as f64 - 1.0);
    let [source, destination] = entry.ranks;
    let fill = palette::of_rank(destination);
    let elements = counted(entry.len as u128, "element");
    let pointed_at = format!("step {step}: {source} → {destination}: {elements}");
    let area = Area { x, y: bottom - height, width: width - 2.0, height };
    canvas.block("message", area, fill, "", &pointed_at);
    // A message that is shorter than a letter has its receiver above it.
    let above = Area { y: area.y - LETTER, height: LETTER, ..area };
    let (place, ground) = if height > LETTER { (area, fill) } else { (above, PALE) };
    canvas.inside(place, ground, &destination.to_string());
}

fn step_lengths(canvas: &mut Canvas, drawn: &[Vec<Message>], width: f64) {
    let longest: Vec<usize> = drawn.iter().map(longest).collect();
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
    let line = Area { x: GUTTER, y: canvas.bottom, width: width * drawn.len() as f64, height: 0.5 };
    canvas.add(rectangle(line).set("fill", QUIET));
    canvas.bottom = top + SMALL + 10.0;
}
