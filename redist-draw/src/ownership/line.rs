//! One dimension: both layouts as bars over the global index.

use super::local;
use crate::axis;
use crate::canvas::{Anchor, Canvas, WIDTH, rectangle};
use crate::metrics::SMALL;
use crate::number::{counted, grouped};
use crate::palette::{self, INK, PALE, QUIET};
use crate::region::{self, DrawnRegion};
use crate::scale::{Area, Scale};
use crate::sides::{self, SIDES};
use redist_plan::plan::Section;
use redist_plan::plan::{Plan, Side};

const MAX_BLOCKS: usize = 64;
const BAR: f64 = 30.0;

/// Draws both layouts over the index, the whole dimension if it is cut, and local arrays.
pub fn picture<const D: usize>(plan: &Plan<D>) -> Canvas {
    let region = DrawnRegion::of_axis(&plan.axis(0), 0, MAX_BLOCKS);
    let note =
        format!("{}. Colours and numbers in the blocks are ranks.", capitalised(&region.note()));
    let mut canvas = Canvas::new("ownership", "Who holds what", &[note]);
    if region.is_cut() {
        overview(&mut canvas, plan, &region);
    }
    let scale = Scale::new(region.range.clone(), 0.0, WIDTH);
    for side in SIDES {
        bar(&mut canvas, plan, side, &region, &scale);
    }
    let unit = SIDES
        .map(|side| sides::section(plan, side, 0).regular_block().unwrap_or(1))
        .into_iter()
        .max();
    let unit = unit.filter(|unit| *unit < region.range.len()).unwrap_or(1);
    let bottom = canvas.bottom + 2.0;
    axis::horizontal(&mut canvas, &scale, bottom, unit, false);
    canvas.label("global index", (WIDTH, canvas.bottom + 2.0 * SMALL + 11.0), SMALL, Anchor::End);
    canvas.bottom += 2.0 * SMALL + 26.0;
    local::arrays(&mut canvas, plan, &region);
    canvas
}

fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn bar<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    region: &DrawnRegion,
    scale: &Scale,
) {
    canvas.lines(&sides::words(plan, side), 0.0, WIDTH);
    let (section, top) = (sides::section(plan, side, 0), canvas.bottom + 3.0);
    for span in region::blocks(&section, region.range.clone()) {
        let rank = sides::rank_at(plan, side, [span.coordinate; D]);
        let (start, end) = (grouped(span.range.start as u128), grouped(span.range.end as u128));
        let pointed_at = format!("{side}: rank {rank} holds {start}..{end}");
        let area = Area::in_row(scale, &span.range, top, BAR);
        canvas.block(
            &format!("{side}-block"),
            area,
            palette::of_rank(rank),
            &rank.to_string(),
            &pointed_at,
        );
    }
    canvas.bottom = top + BAR + 8.0;
}

/// Draws the whole dimension, small, with the drawn part marked in it.
fn overview<const D: usize>(canvas: &mut Canvas, plan: &Plan<D>, region: &DrawnRegion) {
    const ROW: f64 = 15.0;
    const BELOW: f64 = 24.0;
    let (scale, top) = (Scale::new(0..region.of, 0.0, WIDTH), canvas.bottom + 4.0);
    for (side, y) in SIDES.into_iter().zip([top, top + ROW]) {
        whole(canvas, plan, side, &scale, (y, ROW));
    }
    let (bottom, end) = (top + 2.0 * ROW, scale.at(region.range.end).max(2.0));
    let drawn = rectangle(Area { x: 0.0, y: top, width: end, height: 2.0 * ROW });
    canvas.add(drawn.set("fill", "none").set("stroke", INK).set("stroke-width", 1.5));
    canvas.line((0.0, bottom), (0.0, bottom + BELOW), QUIET, 0.8);
    canvas.line((end, bottom), (WIDTH, bottom + BELOW), QUIET, 0.8);
    canvas.bottom = bottom + BELOW + 2.0;
}

fn whole<const D: usize>(
    canvas: &mut Canvas,
    plan: &Plan<D>,
    side: Side,
    scale: &Scale,
    (y, height): (f64, f64),
) {
    let (section, all) = (sides::section(plan, side, 0), 0..plan.axis(0).len());
    let blocks = region::number_of_blocks(&section, all.end);
    if blocks.unwrap_or(section.ranks()) > MAX_BLOCKS {
        let words = format!("{}: {}", sides::word(side), too_many(&section, blocks));
        let area = Area::in_row(scale, &all, y, height);
        canvas.fill("overview", area, PALE);
        return canvas.inside(area, PALE, &words);
    }
    for span in region::blocks(&section, all) {
        let rank = sides::rank_at(plan, side, [span.coordinate; D]);
        let area = Area::in_row(scale, &span.range, y, height);
        canvas.fill("overview", area, palette::of_rank(rank));
        canvas.inside(area, palette::of_rank(rank), &rank.to_string());
    }
}

fn too_many(section: &Section, blocks: Option<usize>) -> String {
    let ranks = counted(section.ranks() as u128, "rank");
    let (Some(blocks), Some(len)) = (blocks, section.regular_block()) else {
        return match section.deal().listed_parts() {
            Some((_, owners)) => format!("{} on {ranks}", counted(owners.len() as u128, "part")),
            None if section.deal().factors().is_some() => {
                let blocks = blocks.or(section.deal().given_blocks()).unwrap_or(0);
                format!("{} on {ranks}", counted(blocks as u128, "block"))
            }
            None => format!("one block for each of {ranks}"),
        };
    };
    let (blocks, len) = (counted(blocks as u128, "block"), counted(len as u128, "element"));
    format!("{blocks} of {len}, dealt to {ranks} in turn")
}
