//! Draws the legend of ranks.

use super::canvas::{Anchor, Canvas, WIDTH};
use super::metrics::{BODY, width_of};
use super::palette::{self, DISTINCT};
use super::scale::Area;
use std::collections::BTreeSet;

/// Side of a coloured square, in pixels.
const SWATCH: f64 = 14.0;

pub fn ranks(canvas: &mut Canvas, ranks: &BTreeSet<usize>) {
    let top = canvas.bottom + 12.0;
    canvas.label("rank", (0.0, top + SWATCH * 0.8), BODY, Anchor::Start);
    let mut x = 44.0;
    let drawn: Vec<usize> = ranks.iter().copied().take(DISTINCT).collect();
    for rank in &drawn {
        let (words, swatch) = (rank.to_string(), Area { x, y: top, width: SWATCH, height: SWATCH });
        let step = SWATCH + 5.0 + width_of(&words, BODY) + 12.0;
        if x + step > WIDTH - 40.0 {
            break;
        }
        canvas.fill("legend", swatch, palette::of_rank(*rank));
        canvas.label(&words, (x + SWATCH + 5.0, top + SWATCH * 0.8), BODY, Anchor::Start);
        x += step;
    }
    if drawn.len() < ranks.len() {
        canvas.label("…", (x, top + SWATCH * 0.8), BODY, Anchor::Start);
    }
    canvas.bottom = top + SWATCH + 6.0;
    if ranks.last().is_some_and(|last| *last >= DISTINCT) {
        canvas.lines(
            &format!("Colours repeat after {DISTINCT} ranks; point at a block for its rank."),
            0.0,
            WIDTH,
        );
    }
}
