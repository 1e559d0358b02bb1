//! Draws local arrays.

use crate::axis;
use crate::canvas::{Anchor, Canvas, HALF};
use crate::metrics::{BODY, SMALL};
use crate::number::counted;
use crate::palette::{self, QUIET};
use crate::region::{self, DrawnRegion};
use crate::scale::{Area, Scale};
use crate::sides::{self, SIDES};
use redist_plan::plan::{Plan, Side};

/// Most ranks whose arrays are drawn.
const MAX_RANKS_DRAWN: usize = 8;
/// Height of an array, in pixels.
const ROW: f64 = 22.0;
/// Space for labels, in pixels.
const GUTTER: f64 = 64.0;

pub fn arrays<const D: usize>(canvas: &mut Canvas, plan: &Plan<D>, region: &DrawnRegion) {
    let longest = SIDES.map(|side| {
        let section = sides::section(plan, side, 0);
        (0..section.ranks().min(MAX_RANKS_DRAWN))
            .map(|at| section.owned_below(at, region.range.end))
            .max()
            .unwrap_or(0)
    });
    let longest = longest[0].max(longest[1]);
    canvas.side_by_side(|canvas, side, x| column(canvas, plan, side, region, (x, longest)));
}

fn column<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    region: &DrawnRegion,
    (x, longest): (f64, usize),
) {
    let (when, what) = match side {
        Side::Source => ("before", "where elements go"),
        Side::Destination => ("after", "where elements came from"),
    };
    let part = if region.is_cut() { ", of this part" } else { "" };
    let heading = format!("Local arrays {when}{part}: {what}");
    canvas.label(&heading, (x, canvas.bottom + BODY), BODY, Anchor::Start);
    canvas.bottom += BODY * 1.4 + 4.0;
    let section = sides::section(plan, side, 0);
    let scale = Scale::new(0..longest, x + GUTTER, HALF - GUTTER);
    for coordinate in 0..section.ranks().min(MAX_RANKS_DRAWN) {
        row(canvas, plan, (side, coordinate), region, &scale);
    }
    let unit = section.regular_block().filter(|block| *block < longest).unwrap_or(1);
    axis::horizontal(canvas, &scale, canvas.bottom, unit, false);
    canvas.bottom += 2.0 * SMALL + 4.0;
    canvas.label("local index", (x + HALF, canvas.bottom + 2.0), SMALL, Anchor::End);
    canvas.bottom += SMALL;
    if section.ranks() > MAX_RANKS_DRAWN {
        let words =
            format!("and {}", counted((section.ranks() - MAX_RANKS_DRAWN) as u128, "more rank"));
        canvas.label(&words, (x, canvas.bottom + BODY * 0.6), BODY, Anchor::Start);
        canvas.bottom += BODY * 1.2;
    }
}

/// Draws one rank's array: its blocks, each in pieces of the other side's blocks.
fn row<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    (side, coordinate): (Side, usize),
    region: &DrawnRegion,
    scale: &Scale,
) {
    let (section, across) = (sides::section(plan, side, 0), sides::section(plan, side.other(), 0));
    let rank = sides::rank_at(plan, side, [coordinate; D]);
    let (top, first) = (canvas.bottom, section.local_from(coordinate, 0));
    canvas.label(
        &format!("rank {rank}"),
        (scale.ends().0.1 - 8.0, top + ROW * 0.62),
        BODY,
        Anchor::End,
    );
    for span in region::blocks(&section, region.range.clone()) {
        if span.coordinate != coordinate {
            continue;
        }
        let start = section.local(span.range.start) - first;
        for piece in region::blocks(&across, span.range.clone()) {
            let peer = sides::rank_at(plan, side.other(), [piece.coordinate; D]);
            let at = section.local(piece.range.start) - first;
            let area = Area::in_row(scale, &(at..at + piece.range.len()), top + 2.0, ROW - 4.0);
            let pointed_at =
                format!("rank {rank} at {at}: global {}..{}", piece.range.start, piece.range.end);
            canvas.block("local", area, palette::of_rank(peer), &peer.to_string(), &pointed_at);
        }
        if scale.at(start + span.range.len()) - scale.at(start) > 4.0 {
            canvas.line((scale.at(start), top), (scale.at(start), top + ROW), QUIET, 1.0);
        }
    }
    canvas.bottom += ROW + 3.0;
}
