//! Data of an HTML page, as its script reads them.

use super::messages::{self, MAX_MATRIX_RANKS, MessageData, RankData};
use super::part::ShownPart;
use super::steps::ScheduleData;
use super::texts::PageTexts;
use crate::drawing::Drawing;
use crate::error::DrawError;
use crate::number::counted;
use crate::sides::{self, SIDES};
use crate::view::View;
use redist_plan::plan::{Plan, Side};
use serde::Serialize;

/// All data of a page.
#[derive(Serialize)]
pub struct PageData {
    title: String,
    array: String,
    notes: Vec<String>,
    /// Extents of the moved array, in elements.
    extents: Vec<usize>,
    /// Dimensions that go down and to the right, in the source's axes.
    axes: [usize; 2],
    /// Start and end of the shown part of each dimension.
    shown: Vec<[usize; 2]>,
    /// Elements of a row, if a line is divided into rows.
    row: Option<usize>,
    /// Index of the slice in each dimension.
    index: Vec<usize>,
    /// Numbers of the two ranks that are compared.
    pair: [usize; 2],
    sides: [SideData; 2],
    /// For each dimension, pieces: start, end, and both sides' coordinates.
    pieces: Vec<Vec<[usize; 4]>>,
    matrix: MatrixData,
    messages: Vec<MessageData>,
    schedule: ScheduleData,
    explain: String,
    call: String,
}

/// One side of the plan.
#[derive(Serialize)]
struct SideData {
    layout: String,
    storage: String,
    /// For each dimension of the source, the side's own axis.
    axes: Vec<usize>,
    /// For each dimension, blocks: start, end, coordinate, first local index.
    blocks: Vec<Vec<[usize; 4]>>,
    ranks: Vec<RankData>,
}

/// Ranks of the table of messages.
#[derive(Serialize)]
struct MatrixData {
    /// Source ranks.
    rows: Vec<usize>,
    /// Destination ranks.
    columns: Vec<usize>,
    note: Option<String>,
}

impl PageData {
    pub fn of<const D: usize>(
        drawing: &Drawing,
        plan: &Plan<D>,
        title: &str,
        texts: &PageTexts,
    ) -> Result<Self, DrawError> {
        let view = drawing.view(plan)?;
        let part = ShownPart::new(plan, &view, &drawing.slices)?;
        let pair = match drawing.pair {
            None if !part.shows(plan, &view.pair) => part.owners(plan),
            _ => view.pair.ranks,
        };
        Ok(Self {
            title: title.to_owned(),
            array: sides::array(plan),
            notes: notes(plan, &view, &part),
            extents: plan.extents().to_vec(),
            axes: part.axes,
            shown: part.regions.iter().map(|shown| [shown.range.start, shown.range.end]).collect(),
            row: part.row,
            index: part.index.to_vec(),
            pair,
            sides: [0, 1].map(|at| SideData::of(plan, &part, (SIDES[at], pair[at]))),
            pieces: (0..D).map(|dimension| part.pieces(plan, dimension)).collect(),
            matrix: MatrixData::of(plan),
            messages: messages::messages(plan, &part, pair),
            schedule: ScheduleData::of(drawing, plan)?,
            explain: plan.explain(),
            call: texts.macro_call(plan),
        })
    }
}

fn notes<const D: usize>(plan: &Plan<D>, view: &View<D>, part: &ShownPart<D>) -> Vec<String> {
    let permuted = (0..D).any(|dimension| plan.destination_axis(dimension) != dimension);
    let axes = permuted.then(|| {
        "Both layouts are drawn in the source's axes; local indices are in each side's own.".into()
    });
    let cut = view.cut().count();
    let slice = (cut > 1).then(|| format!("{cut} dimensions are cut; one of them has a slider."));
    [part.note(), sides::section_note(plan), axes, slice].into_iter().flatten().collect()
}

impl SideData {
    fn of<const D: usize>(
        plan: &Plan<D>,
        part: &ShownPart<D>,
        (side, picked): (Side, usize),
    ) -> Self {
        Self {
            layout: plan.descriptor(side).layout().to_string(),
            storage: sides::storage(plan, side),
            axes: (0..D).map(|dimension| plan.axis_on(side, dimension)).collect(),
            blocks: (0..D).map(|dimension| part.blocks(plan, side, dimension)).collect(),
            ranks: messages::ranks(plan, part, (side, picked)),
        }
    }
}

impl MatrixData {
    fn of<const D: usize>(plan: &Plan<D>) -> Self {
        let [rows, columns] = SIDES.map(|side| sides::lowest_ranks(plan, side, MAX_MATRIX_RANKS));
        let all = SIDES.map(|side| plan.descriptor(side).ranks());
        let note = (rows.len() < all[0] || columns.len() < all[1]).then(|| {
            let [from, to] = all.map(|ranks| counted(ranks as u128, "rank"));
            format!("The first {} of {from} and the first {} of {to}.", rows.len(), columns.len())
        });
        Self { rows, columns, note }
    }
}
