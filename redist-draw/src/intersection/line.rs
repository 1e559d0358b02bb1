//! One dimension: the source's blocks above, the destination's below, and common pieces between.

use crate::axis;
use crate::canvas::{Anchor, Canvas, WIDTH, rectangle, text};
use crate::common::pieces;
use crate::metrics::{SMALL, width_of_words};
use crate::number::{counted, grouped};
use crate::pair::Pair;
use crate::palette::{INK, PALE, PAPER, QUIET};
use crate::region::{self, DrawnRegion};
use crate::scale::{Area, Scale};
use crate::sides::{self, SIDES};
use redist_plan::plan::Axis;
use redist_plan::plan::{Plan, Side};
use std::ops::Range;

const MAX_BLOCKS: usize = 48;
const BAR: f64 = 34.0;
const GAP: f64 = 34.0;

/// Draws one or more periods, or windows, from the first in which the ranks share elements.
pub fn picture<const D: usize>(plan: &Plan<D>, pair: &Pair<D>) -> Canvas {
    let axis = plan.axis(0);
    let first = pieces(&axis, pair.along(0), 0..axis.len()).next();
    let region = DrawnRegion::of_axis(
        &axis,
        first.map_or(0, |piece| begins(&axis, piece.start)),
        MAX_BLOCKS,
    );
    let common: Vec<_> = pieces(&axis, pair.along(0), region.range.clone()).collect();
    let mut canvas =
        Canvas::new("intersection", &pair.heading(), &[note(plan, pair, &region, &common)]);
    let scale = Scale::new(region.range.clone(), 0.0, WIDTH);
    repetitions(&mut canvas, &axis, &region, &scale);
    let mut rows = [0.0; 2];
    for (at, side) in SIDES.into_iter().enumerate() {
        if side == Side::Destination {
            canvas.bottom += GAP - 8.0;
        } else {
            words(&mut canvas, plan, side);
        }
        rows[at] = canvas.bottom;
        bar(&mut canvas, plan, side, pair, (&region, &common, &scale));
    }
    for piece in &common {
        highlight(&mut canvas, &scale, piece, rows);
    }
    axis::horizontal(&mut canvas, &scale, rows[1] + BAR + 2.0, axis::unit(&axis), false);
    canvas.bottom = rows[1] + BAR + 2.0 * SMALL + 2.0;
    words(&mut canvas, plan, Side::Destination);
    canvas.label("global index", (WIDTH, canvas.bottom - 4.0), SMALL, Anchor::End);
    canvas
}

/// Returns the start of the period of `index`; if there is none, of the window or the pieces there.
fn begins(axis: &Axis, index: usize) -> usize {
    let units =
        [axis.period(), axis.window()].into_iter().filter(|unit| *unit > 0 && index / unit > 0);
    let fits = |unit: &usize| axis.pieces_below(*unit) <= MAX_BLOCKS;
    if axis.pieces_below(index) < MAX_BLOCKS / 2 {
        return 0;
    }
    units.filter(fits).map(|unit| index / unit * unit).next().unwrap_or(index)
}

fn note<const D: usize>(
    plan: &Plan<D>,
    pair: &Pair<D>,
    region: &DrawnRegion,
    common: &[Range<usize>],
) -> String {
    let pieces = counted(common.len() as u128, "common piece");
    if region.is_cut() {
        format!("{pieces} in the {}; they share {} in all.", region.note(), pair.volume(plan))
    } else {
        format!("{pieces} with {}.", pair.volume(plan))
    }
}

fn words<const D: usize>(canvas: &mut Canvas, plan: &Plan<D>, side: Side) {
    canvas.lines(&sides::words(plan, side), 0.0, WIDTH - 110.0);
    canvas.bottom += 4.0;
}

fn bar<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    pair: &Pair<D>,
    (region, common, scale): (&DrawnRegion, &[Range<usize>], &Scale),
) {
    let which = usize::from(side == Side::Destination);
    let section = sides::section(plan, side, 0);
    for span in region::blocks(&section, region.range.clone()) {
        let rank = sides::rank_at(plan, side, [span.coordinate; D]);
        let fill = if rank == pair.ranks[which] { pair.colors()[which] } else { PALE };
        let (start, end) = (grouped(span.range.start as u128), grouped(span.range.end as u128));
        let area = Area::in_row(scale, &span.range, canvas.bottom, BAR);
        canvas.block("block", area, fill, "", &format!("{side} rank {rank}: {start}..{end}"));
        let widest = if fill == PALE { span.range } else { widest_part(&span.range, common) };
        canvas.inside(Area::in_row(scale, &widest, canvas.bottom, BAR), fill, &rank.to_string());
    }
    canvas.bottom += BAR + 8.0;
}

/// Returns the longest part of a block that no common piece cuts, for its rank.
fn widest_part(block: &Range<usize>, common: &[Range<usize>]) -> Range<usize> {
    let edges = common.iter().flat_map(|piece| [piece.start, piece.end]);
    let inside = edges.filter(|edge| block.contains(edge));
    let cuts: Vec<usize> = [block.start].into_iter().chain(inside).chain([block.end]).collect();
    let parts = cuts.windows(2).map(|cut| cut[0]..cut[1]);
    parts.max_by_key(Range::len).unwrap_or_else(|| block.clone())
}

fn highlight(canvas: &mut Canvas, scale: &Scale, piece: &Range<usize>, rows: [f64; 2]) {
    let area = Area::in_row(scale, piece, rows[0] + BAR, rows[1] - rows[0] - BAR);
    let length = counted(piece.len() as u128, "element");
    let pointed_at =
        format!("{}..{}: {length}", grouped(piece.start as u128), grouped(piece.end as u128));
    canvas.block("common", area, INK, &grouped(piece.len() as u128), &pointed_at);
    for y in rows {
        let frame = Area::in_row(scale, piece, y, BAR);
        canvas.add(
            rectangle(frame)
                .set("class", "frame")
                .set("fill", "none")
                .set("stroke", INK)
                .set("stroke-width", 2),
        );
    }
}

fn repetitions(canvas: &mut Canvas, axis: &Axis, region: &DrawnRegion, scale: &Scale) {
    for (name, length) in [("period", axis.period()), ("window", axis.window())] {
        let Range { start, end } = region.range;
        let repeats = length > 0 && length < axis.len() && start.is_multiple_of(length);
        if !repeats || length > end - start || (name == "window" && length == axis.period()) {
            continue;
        }
        let (left, right, y) = (scale.at(start), scale.at(start + length), canvas.bottom + 8.0);
        canvas.line((left, y), (right, y), QUIET, 1.0);
        for x in [left + 0.5, right - 0.5] {
            canvas.line((x, y - 4.0), (x, y + 4.0), QUIET, 1.0);
        }
        let words = format!("one {name}: {}", counted(length as u128, "element"));
        let width = width_of_words(&words, SMALL) + 8.0;
        let middle = f64::midpoint(left, right).max(width / 2.0 + 8.0);
        let inside = width < right - left - 12.0;
        let x = if inside { middle - width / 2.0 } else { right + 6.0 };
        canvas.add(rectangle(Area { x, y: y - 7.0, width, height: 14.0 }).set("fill", PAPER));
        canvas.add(
            text(&words, (x + width / 2.0, y + SMALL * 0.36), SMALL, Anchor::Middle)
                .set("fill", QUIET),
        );
        canvas.bottom += 20.0;
    }
    canvas.bottom += 4.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_written_where_no_frame_is() {
        assert_eq!(widest_part(&(10..20), &[4..6, 12..13, 19..25]), 13..19);
        assert_eq!(widest_part(&(10..20), &[4..8, 10..20]), 10..20);
        assert_eq!(widest_part(&(10..20), &[]), 10..20);
    }

    #[test]
    fn distant_pieces_are_gone_to() {
        let plan =
            Plan::parse([1 << 62], "cyclic(1000) onto 1000", "cyclic(1001) onto 1000").unwrap();
        let axis = plan.axis(0);
        let pair = Pair::of(&plan, [0, 999]).unwrap();
        let first = pieces(&axis, pair.along(0), 0..axis.len()).next().unwrap();
        let region = DrawnRegion::of_axis(&axis, begins(&axis, first.start), MAX_BLOCKS);
        assert!(region.range.contains(&first.start) && region.is_cut(), "{region:?} {first:?}");
    }
}
