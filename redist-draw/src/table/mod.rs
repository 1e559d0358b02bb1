//! The destination-processor table of Park, Prasanna and Raghavendra, and its steps: its columns
//! are reorganised, then its rows.

mod entry;
mod picture;
mod reorganised;
mod text;

use crate::error::DrawError;
use crate::number::counted;
use crate::sides::SIDES;
use redist_plan::layout::Layout;
use redist_plan::plan::schedule::{Method, Schedule};
use redist_plan::plan::{Axis, Plan, Side};

pub use entry::{Entry, Row};
pub use picture::pictures;
pub use text::text;

const MAX_PIECES: usize = 4096;
const MAX_SHOWN: usize = 32;

/// A table with its heading, and a note to its picture.
pub struct Stage<'a> {
    heading: &'static str,
    note: String,
    rows: &'a [Row],
}

#[derive(Debug)]
pub struct Tables {
    pub period: usize,
    pub method: Method,
    /// Row `i` has the destination of each source's piece `i` of the period.
    pub destinations: Vec<Row>,
    /// Each column by groups of steps, which the circulant schedule alone has.
    pub columns_reorganised: Option<Vec<Row>>,
    pub rows_reorganised: Vec<Row>,
    /// Row `i` has the messages of step `i`, with the elements of the whole dimension.
    pub steps: Vec<Row>,
}

impl Tables {
    pub fn new(plan: &Plan<1>, schedule: &dyn Schedule) -> Result<Self, DrawError> {
        let axis = plan.axis(0);
        let columns = columns(&axis)?;
        let steps = (0..schedule.steps()).map(|step| messages(&axis, schedule, step)).collect();
        Ok(Self {
            period: axis.period(),
            method: schedule.method(),
            destinations: rows(&columns),
            columns_reorganised: reorganised::columns(&axis, schedule, &columns)
                .map(|columns| rows(&columns)),
            rows_reorganised: reorganised::rows(schedule, &columns),
            steps,
        })
    }

    fn stages(&self) -> Vec<Stage<'_>> {
        let stage = |heading, note, rows| Stage { heading, note, rows };
        let period = counted(self.period as u128, "element");
        let destinations = stage(
            "Destinations of the pieces of a period",
            format!(
                "One period of {period}. Row: a source's pieces in order; number: who owns it after."
            ),
            &self.destinations[..],
        );
        let columns = self.columns_reorganised.as_deref().map(|rows| {
            let note = "Entries moved within their columns: the steps of a group reach one class of ranks.";
            stage("Columns reorganised", note.to_owned(), rows)
        });
        let rows = stage(
            "Rows reorganised: no destination twice in a row",
            "Columns rotated within their groups. Grey: a source has no piece for this row."
                .to_owned(),
            &self.rows_reorganised,
        );
        let steps = stage(
            "Equal destinations join: the steps",
            format!(
                "Row: a step ({}); pieces of one message travel together. Grey: idle.",
                self.method
            ),
            &self.steps,
        );
        [destinations].into_iter().chain(columns).chain([rows, steps]).collect()
    }
}

/// Returns the plan of one dimension by itself, between coordinates if there are others.
pub fn line<const D: usize>(plan: &Plan<D>, dimension: usize) -> Result<Plan<1>, DrawError> {
    if dimension >= D {
        let reason = format!("{dimension}: there is no such dimension; there are 0..{D}");
        return Err(DrawError::of("dimension", reason));
    }
    let [from, to] = SIDES.map(|side| layout(plan, side, dimension));
    Plan::new([plan.extents()[dimension]], from, to)
        .map_err(|error| DrawError::of("dimension", format!("{dimension}: {error}")))
}

fn layout<const D: usize>(plan: &Plan<D>, side: Side, dimension: usize) -> Layout<1> {
    let (whole, axis) = (plan.descriptor(side).layout(), plan.axis_on(side, dimension));
    let mut line = Layout::new([whole.dists[axis]], [whole.grid[axis]]).first([whole.first[axis]]);
    line.of = whole.of.map(|extents| [extents[axis]]);
    line.at = [whole.at[axis]];
    if D == 1 { line.ranks(whole.ranks) } else { line }
}

fn columns(axis: &Axis) -> Result<Vec<Vec<Entry>>, DrawError> {
    let (period, ranks) = (axis.period(), axis.side(Side::Source).ranks());
    let pieces = axis.pieces_below(period);
    if pieces > MAX_PIECES || ranks > MAX_PIECES {
        let reason = format!("a period has {pieces} pieces; a table has at most {MAX_PIECES}");
        return Err(DrawError::of("table:", reason));
    }
    let mut columns = vec![Vec::new(); ranks];
    for (piece, [source, destination]) in axis.owned_pieces(0..period) {
        columns[source].push(Entry { destination, len: piece.len() });
    }
    Ok(columns)
}

fn rows(columns: &[Vec<Entry>]) -> Vec<Row> {
    let most = columns.iter().map(Vec::len).max().unwrap_or(0);
    (0..most).map(|row| columns.iter().map(|column| column.get(row).copied()).collect()).collect()
}

fn messages(axis: &Axis, schedule: &dyn Schedule, step: usize) -> Row {
    let message = |source| {
        let destination = schedule.destination(step, source)?;
        let len = axis.count(source, destination);
        (len > 0).then_some(Entry { destination, len })
    };
    (0..schedule.sources()).map(message).collect()
}
