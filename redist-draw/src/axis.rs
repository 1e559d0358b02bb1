//! Draws axes with round ticks.

use super::canvas::{Anchor, Canvas};
use super::metrics::{SMALL, width_of};
use super::number::grouped;
use super::palette::QUIET;
use super::scale::Scale;
use super::sides::SIDES;
use redist_plan::plan::Axis;

/// Returns the shorter of both sides' blocks, which ticks are multiples of.
pub fn unit(axis: &Axis) -> usize {
    let blocks = SIDES.map(|side| axis.side(side).regular_block().unwrap_or(1));
    blocks[0].min(blocks[1])
}

pub fn horizontal(canvas: &mut Canvas, scale: &Scale, y: f64, unit: usize, above: bool) {
    let (first, last) = scale.ends();
    let label = width_of(&grouped(last.0 as u128), SMALL);
    let most = ((last.1 - first.1) / (1.5 * label + 10.0)) as usize;
    let (end, baseline) = if above { (y - 4.0, y - 7.0) } else { (y + 4.0, y + 5.0 + SMALL) };
    let mut free = first.1;
    for tick in scale.ticks(unit, most) {
        let (x, words) = (scale.at(tick), grouped(tick as u128));
        let width = width_of(&words, SMALL);
        // The outermost labels stay inside.
        let left = (x - width / 2.0).clamp(first.1, (last.1 - width).max(first.1));
        if left >= free {
            free = left + width + 6.0;
            canvas.line((x, y), (x, end), QUIET, 1.0);
            canvas.label(&words, (left + width / 2.0, baseline), SMALL, Anchor::Middle);
        }
    }
}

pub fn vertical(canvas: &mut Canvas, scale: &Scale, x: f64, unit: usize) {
    let (first, last) = scale.ends();
    let most = ((last.1 - first.1) / (SMALL * 2.4)) as usize;
    for tick in scale.ticks(unit, most) {
        let y = scale.at(tick);
        canvas.line((x - 4.0, y), (x, y), QUIET, 1.0);
        canvas.label(&grouped(tick as u128), (x - 7.0, y + SMALL * 0.36), SMALL, Anchor::End);
    }
}
