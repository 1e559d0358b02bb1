//! Two dimensions: both layouts as coloured matrices side by side. Of more dimensions, a slice.

use crate::axis;
use crate::canvas::{Anchor, Canvas, HALF, WIDTH};
use crate::legend;
use crate::metrics::SMALL;
use crate::number::grouped;
use crate::palette::{self, INK};
use crate::region::{self, DrawnRegion, Span};
use crate::scale::{Area, Scale};
use crate::sides;
use crate::view::View;
use redist_plan::plan::{Plan, Side};
use std::collections::BTreeSet;

const MAX_BLOCKS: usize = 24;
const GUTTER: f64 = 56.0;
const MIN_SIZE: f64 = 250.0;
const MAX_HEIGHT: f64 = 430.0;

/// Draws both layouts, with thick lines between rounds of the process grid.
pub fn picture<const D: usize>(plan: &Plan<D>, view: &View<D>) -> Canvas {
    let note =
        "Colours and numbers in the blocks are ranks; the grid of ranks begins anew at dark lines.";
    let notes: Vec<String> = [note.to_owned()].into_iter().chain(view.note()).collect();
    let mut canvas = Canvas::new("ownership", "Who holds what", &notes);
    let regions =
        view.axes.map(|dimension| DrawnRegion::of_axis(&plan.axis(dimension), 0, MAX_BLOCKS));
    canvas.side_by_side(|canvas, side, x| heading(canvas, plan, side, view, x));
    let (top, mut unnamed) = (canvas.bottom, BTreeSet::new());
    canvas.side_by_side(|canvas, side, x| {
        let (rows, columns) = scales(&regions, x, top);
        unnamed.append(&mut matrix(canvas, plan, side, view, (&rows, &columns), &regions));
        canvas.bottom = rows.ends().1.1 + 10.0;
        canvas.lines(&sides::storage(plan, side), x, HALF);
    });
    for (dimension, region) in view.axes.iter().zip(&regions).filter(|(_, region)| region.is_cut())
    {
        canvas.lines(&format!("dimension {dimension}: {}", region.note()), 0.0, WIDTH);
    }
    if !unnamed.is_empty() {
        legend::ranks(&mut canvas, &unnamed);
    }
    canvas
}

fn heading<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    view: &View<D>,
    x: f64,
) {
    canvas.lines(&sides::words(plan, side), x, HALF);
    let [down, right] = view.axes;
    let axes = format!("dimension {down} ↓, dimension {right} →");
    canvas.label(&axes, (x, canvas.bottom + SMALL + 4.0), SMALL, Anchor::Start);
    canvas.bottom += 2.0 * SMALL + 18.0;
}

fn scales([rows, columns]: &[DrawnRegion; 2], x: f64, top: f64) -> (Scale, Scale) {
    let aspect = rows.range.len().max(1) as f64 / columns.range.len().max(1) as f64;
    let widest = HALF - GUTTER;
    let width = (MAX_HEIGHT / aspect).clamp(MIN_SIZE, widest);
    let height = (width * aspect).clamp(MIN_SIZE, MAX_HEIGHT);
    (
        Scale::new(rows.range.clone(), top, height),
        Scale::new(columns.range.clone(), x + GUTTER, width),
    )
}

/// Draws one layout. Returns the ranks whose numbers did not fit.
fn matrix<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    view: &View<D>,
    (rows, columns): (&Scale, &Scale),
    regions: &[DrawnRegion; 2],
) -> BTreeSet<usize> {
    let sections = view.axes.map(|dimension| sides::section(plan, side, dimension));
    let spans = [0, 1].map(|at| region::blocks(&sections[at], regions[at].range.clone()));
    let mut coordinates: [usize; D] =
        std::array::from_fn(|dimension| match plan.axis(dimension).is_empty() {
            true => 0,
            false => sides::section(plan, side, dimension).owner(view.index[dimension]),
        });
    let (mut named, mut ranks) = (BTreeSet::new(), BTreeSet::new());
    for row in &spans[0] {
        for column in &spans[1] {
            coordinates[view.axes[0]] = row.coordinate;
            coordinates[view.axes[1]] = column.coordinate;
            let rank = sides::rank_at(plan, side, coordinates);
            let area = Area::in_matrix((rows, &row.range), (columns, &column.range));
            ranks.insert(rank);
            if area.fits(&rank.to_string(), SMALL) {
                named.insert(rank);
            }
            let pointed_at = format!("rank {rank}: {} × {}", indices(row), indices(column));
            canvas.block(
                &format!("{side}-block"),
                area,
                palette::of_rank(rank),
                &rank.to_string(),
                &pointed_at,
            );
        }
    }
    let units = [0, 1].map(|at| {
        sections[at].regular_block().filter(|block| *block < regions[at].range.len()).unwrap_or(1)
    });
    let (left, top) = (columns.ends().0.1, rows.ends().0.1);
    axis::vertical(canvas, rows, left, units[0]);
    axis::horizontal(canvas, columns, top, units[1], true);
    grid_lines(canvas, &spans, (rows, columns));
    ranks.difference(&named).copied().collect()
}

fn indices(span: &Span) -> String {
    format!("{}..{}", grouped(span.range.start as u128), grouped(span.range.end as u128))
}

fn grid_lines(canvas: &mut Canvas, spans: &[Vec<Span>; 2], (rows, columns): (&Scale, &Scale)) {
    let (((_, top), (_, bottom)), ((_, left), (_, right))) = (rows.ends(), columns.ends());
    let begins = |spans: &[Span]| -> Vec<usize> {
        spans.iter().skip(1).filter(|span| span.begins_round).map(|span| span.range.start).collect()
    };
    for index in begins(&spans[0]) {
        canvas.line((left, rows.at(index)), (right, rows.at(index)), INK, 1.2);
    }
    for index in begins(&spans[1]) {
        canvas.line((columns.at(index), top), (columns.at(index), bottom), INK, 1.2);
    }
}
