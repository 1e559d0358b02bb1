//! Two dimensions: the product of the pieces of each that two ranks share.

use crate::axis;
use crate::canvas::{Anchor, Canvas, WIDTH};
use crate::common::pieces;
use crate::metrics::{BODY, SMALL};
use crate::number::{counted, grouped};
use crate::pair::Pair;
use crate::palette::{INK, PALE};
use crate::region::{self, DrawnRegion, Span};
use crate::scale::{Area, Scale};
use crate::sides::{self, SIDES};
use crate::view::View;
use redist_plan::plan::Plan;
use std::ops::Range;

/// Most blocks of a rank that are drawn along a dimension.
const MAX_BLOCKS: usize = 28;
/// Height of a strip of blocks, in pixels.
const STRIP: f64 = 14.0;
/// Space between strips and the square, in pixels.
const AIR: f64 = 12.0;
/// Space for labels, in pixels.
const GUTTER: f64 = 56.0;
/// Side of the square, in pixels, at most.
const SQUARE: f64 = 460.0;
/// Least side of the drawn rectangle, in pixels.
const MIN_SIDE: f64 = 250.0;
/// Left edge of the text, in pixels.
const TEXT: f64 = GUTTER + 2.0 * STRIP + SQUARE + 40.0;

/// One of the two drawn dimensions.
struct DrawnLine {
    /// Number of the dimension in the source's axes.
    dimension: usize,
    region: DrawnRegion,
    /// Ranges of indices that both ranks hold.
    common: Vec<Range<usize>>,
    /// Blocks of the two ranks, by side.
    blocks: [Vec<Span>; 2],
}

/// Draws both ranks' blocks at the edges, their tiles inside, and the common tiles dark.
pub fn picture<const D: usize>(plan: &Plan<D>, view: &View<D>) -> Canvas {
    let pair = &view.pair;
    let [down, right] = view.axes.map(|dimension| DrawnLine::new(plan, pair, dimension));
    let mut canvas = Canvas::new(
        "intersection",
        &pair.heading(),
        &[format!("{} in all. Tiles are products of blocks.", pair.volume(plan))],
    );
    let axes = format!("dimension {} ↓, dimension {} →", down.dimension, right.dimension);
    canvas.label(&axes, (0.0, canvas.bottom + SMALL), SMALL, Anchor::Start);
    let top = canvas.bottom + 2.0 * SMALL + 14.0;
    let aspect = down.region.range.len().max(1) as f64 / right.region.range.len().max(1) as f64;
    let width = (SQUARE / aspect).clamp(MIN_SIDE, SQUARE);
    let rows = Scale::new(
        down.region.range.clone(),
        top + 2.0 * STRIP + AIR,
        (width * aspect).clamp(MIN_SIDE, SQUARE),
    );
    let columns = Scale::new(right.region.range.clone(), GUTTER + 2.0 * STRIP + AIR, width);
    axis::horizontal(&mut canvas, &columns, top, axis::unit(&plan.axis(right.dimension)), true);
    axis::vertical(&mut canvas, &rows, GUTTER, axis::unit(&plan.axis(down.dimension)));
    strips(&mut canvas, pair, (&down, &rows), (&right, &columns), top);
    tiles(&mut canvas, pair, (&down, &rows), (&right, &columns));
    canvas.bottom = top;
    explanation(&mut canvas, plan, view, &[down, right]);
    canvas.bottom = canvas.bottom.max(rows.ends().1.1 + 6.0);
    canvas
}

impl DrawnLine {
    fn new<const D: usize>(plan: &Plan<D>, pair: &Pair<D>, dimension: usize) -> Self {
        let axis = plan.axis(dimension);
        let first = pieces(&axis, pair.along(dimension), 0..axis.len())
            .next()
            .map_or(0, |piece| piece.start);
        let start = if axis.pieces_below(first) < MAX_BLOCKS / 2 { 0 } else { first };
        let region = DrawnRegion::of_axis(&axis, start, MAX_BLOCKS);
        let common = pieces(&axis, pair.along(dimension), region.range.clone()).collect();
        let blocks = [0, 1].map(|at| {
            let blocks =
                region::blocks(&sides::section(plan, SIDES[at], dimension), region.range.clone());
            blocks
                .into_iter()
                .filter(|span| span.coordinate == pair.coordinates[at][dimension])
                .collect()
        });
        Self { dimension, region, common, blocks }
    }
}

/// Draws both ranks' blocks along both edges: the source's outside, the destination's inside.
fn strips<const D: usize>(
    canvas: &mut Canvas,
    pair: &Pair<D>,
    (down, rows): (&DrawnLine, &Scale),
    (right, columns): (&DrawnLine, &Scale),
    top: f64,
) {
    let (((_, y), (_, bottom)), ((_, x), (_, end))) = (rows.ends(), columns.ends());
    for (at, color) in pair.colors().into_iter().enumerate() {
        let offset = STRIP * at as f64;
        canvas.fill("strip", Area { x, y: top + offset, width: end - x, height: STRIP }, PALE);
        canvas.fill(
            "strip",
            Area { x: GUTTER + offset, y, width: STRIP, height: bottom - y },
            PALE,
        );
        for span in &right.blocks[at] {
            canvas.fill("strip", Area::in_row(columns, &span.range, top + offset, STRIP), color);
        }
        for span in &down.blocks[at] {
            let (y, end) = (rows.at(span.range.start), rows.at(span.range.end));
            canvas.fill(
                "strip",
                Area { x: GUTTER + offset, y, width: STRIP, height: end - y },
                color,
            );
        }
    }
}

fn tiles<const D: usize>(
    canvas: &mut Canvas,
    pair: &Pair<D>,
    (down, rows): (&DrawnLine, &Scale),
    (right, columns): (&DrawnLine, &Scale),
) {
    canvas.fill(
        "ground",
        Area::in_matrix((rows, &down.region.range), (columns, &right.region.range)),
        PALE,
    );
    for (at, color) in pair.colors().into_iter().enumerate() {
        for row in &down.blocks[at] {
            for column in &right.blocks[at] {
                let area = Area::in_matrix((rows, &row.range), (columns, &column.range));
                canvas.fill(&format!("{}-tile", SIDES[at]), area, color);
            }
        }
    }
    for row in &down.common {
        for column in &right.common {
            let area = Area::in_matrix((rows, row), (columns, column));
            let elements = row.len() as u128 * column.len() as u128;
            let pointed_at =
                format!("{}..{} × {}..{}", row.start, row.end, column.start, column.end);
            canvas.block("common", area, INK, &grouped(elements), &pointed_at);
        }
    }
}

fn explanation<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    view: &View<D>,
    lines: &[DrawnLine; 2],
) {
    let pair = &view.pair;
    let [source, destination] = pair.ranks;
    let keys = [
        (pair.colors()[0], format!("source rank {source} (outer strips)")),
        (pair.colors()[1], format!("destination rank {destination} (inner strips)")),
        (INK, "common tiles, with their elements".to_owned()),
    ];
    for (color, words) in keys {
        canvas.fill("legend", Area { x: TEXT, y: canvas.bottom, width: 14.0, height: 14.0 }, color);
        canvas.label(&words, (TEXT + 21.0, canvas.bottom + 11.5), BODY, Anchor::Start);
        canvas.bottom += 22.0;
    }
    canvas.bottom += 8.0;
    for side in SIDES {
        canvas.lines(&sides::words(plan, side), TEXT, WIDTH - TEXT);
    }
    canvas.bottom += 8.0;
    for line in lines {
        let (pieces, elements) =
            (line.common.len(), line.common.iter().map(Range::len).sum::<usize>());
        let counts = format!(
            "{} of {}",
            counted(pieces as u128, "common piece"),
            counted(elements as u128, "element")
        );
        let cut = if line.region.is_cut() {
            format!(" in {}", line.region.note())
        } else {
            String::new()
        };
        canvas.lines(&format!("dimension {}: {counts}{cut}", line.dimension), TEXT, WIDTH - TEXT);
    }
    for dimension in view.cut() {
        let (p, q) = pair.along(dimension);
        let elements = counted(plan.axis(dimension).count(p, q) as u128, "common element");
        canvas.lines(&format!("dimension {dimension}, not drawn: {elements}"), TEXT, WIDTH - TEXT);
    }
}
