//! The destination-processor table of Park, Prasanna and Raghavendra, the three stages that lead from
//! the array before to the array after, and the steps.
//!
//! The paper reorganises columns, which is local to each source; then rows, which moves blocks between
//! ranks and is the communication; then columns again, which is local to each destination. Its figure
//! has the four tables before, between and after.

mod entry;
mod picture;
mod reorganised;
mod text;

use crate::error::DrawError;
use crate::number::counted;
use crate::sides::SIDES;
use redist_plan::layout::Layout;
use redist_plan::plan::{Axis, Plan, Side};
use redist_schedules::{Method, Schedule};

pub use entry::{Entry, Row};
pub use picture::pictures;
pub use text::text;

/// Pieces of a period, and ranks, in a table.
const MAX_PIECES: usize = 4096;
/// Rows and columns that are shown.
const MAX_SHOWN: usize = 32;

/// A table with its heading, and a note to its picture.
pub struct Stage<'a> {
    heading: &'static str,
    note: String,
    /// The side whose ranks are the columns.
    side: Side,
    /// The number in an entry's place.
    label: Label,
    rows: &'a [Row],
}

/// The number that stands for an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The rank that owns it after the move.
    Destination,
    /// The piece's place in the order of the array.
    Piece,
}

impl Label {
    /// Returns the number of an entry, whose destination goes by the number `rank`.
    fn of(self, entry: &Entry, rank: usize) -> String {
        match (self, entry.piece) {
            (Label::Piece, Some(piece)) => piece.to_string(),
            _ => rank.to_string(),
        }
    }
}

/// All tables of one dimension.
#[derive(Debug)]
pub struct Tables {
    /// Elements of a period.
    pub period: usize,
    pub method: Method,
    /// Row `i` has each source's piece `i` of the period: the array before, and the paper's
    /// destination-processor table where an entry tells its destination.
    pub before: Vec<Row>,
    /// Each source's pieces step after step.
    pub columns_reorganised: Vec<Row>,
    /// The same rows, with each piece in the column of its destination.
    pub rows_reorganised: Vec<Row>,
    /// Row `i` has each destination's piece `i` of the period: the array after.
    pub after: Vec<Row>,
    /// Row `i` has the messages of step `i`, with the elements of the whole dimension.
    pub steps: Vec<Row>,
}

impl Tables {
    pub fn new(plan: &Plan<1>, schedule: &dyn Schedule) -> Result<Self, DrawError> {
        let axis = plan.axis(0);
        let columns = columns(&axis)?;
        let destinations = axis.side(Side::Destination).ranks();
        let columns_reorganised = reorganised::columns(schedule, &columns);
        let rows_reorganised = reorganised::rows(&columns_reorganised, destinations);
        Ok(Self {
            period: axis.period(),
            method: schedule.method(),
            before: rows(&columns),
            after: rows(&reorganised::columns_again(&rows_reorganised, destinations)),
            columns_reorganised,
            rows_reorganised,
            steps: (0..schedule.steps()).map(|step| messages(&axis, schedule, step)).collect(),
        })
    }

    fn stages(&self) -> [Stage<'_>; 6] {
        let period = counted(self.period as u128, "element");
        let (destination, piece) = (Label::Destination, Label::Piece);
        let stage = |heading, note: &str, (side, label), rows| {
            let note = note.to_owned();
            Stage { heading, note, side, label, rows }
        };
        let (source, receiver) = (Side::Source, Side::Destination);
        [
            stage(
                "Destinations of the pieces of a period",
                &format!(
                    "One period of {period}. Row: a source's pieces in order; number: who owns it after."
                ),
                (source, destination),
                &self.before[..],
            ),
            stage(
                "The array before",
                "The same pieces; number: the piece in the order of the array; colour: who owns it after.",
                (source, piece),
                &self.before,
            ),
            stage(
                "Columns reorganised: no destination twice in a row",
                "Each source reorders its own pieces. Grey: it has no piece for this row.",
                (source, piece),
                &self.columns_reorganised,
            ),
            stage(
                "Rows reorganised: pieces are with their destinations",
                "Pieces move within their rows, from rank to rank: this is the communication.",
                (receiver, piece),
                &self.rows_reorganised,
            ),
            stage(
                "Columns reorganised again: the array after",
                "Each destination puts its pieces into the order of its local array.",
                (receiver, piece),
                &self.after,
            ),
            stage(
                "Equal destinations join: the steps",
                &format!(
                    "Row: a step ({}); number: who receives. Pieces of one message travel together. Grey: idle.",
                    self.method
                ),
                (source, destination),
                &self.steps,
            ),
        ]
    }
}

/// Returns the plan of one dimension, between coordinates if there are more dimensions.
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
    for (number, (piece, [source, destination])) in axis.owned_pieces(0..period).enumerate() {
        columns[source].push(Entry { piece: Some(number), destination, len: piece.len() });
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
        (len > 0).then_some(Entry { piece: None, destination, len })
    };
    (0..schedule.sources()).map(message).collect()
}
