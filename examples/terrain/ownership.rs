//! Draws the owners of rows and of columns.

use landscape::{Picture, Relief, Scale, Spacing};
use redist::{Plan, Side};

/// The longer side of each of the two maps, and the gap between them, in pixels.
const LONGER_SIDE: f64 = 800.0;
/// Pixels between the two maps.
const GAP: u32 = 24;

/// Okabe and Ito's blue, orange, green and purple, for any colour vision.
const RANKS: [[f64; 3]; 4] =
    [[0.0, 114.0, 178.0], [230.0, 159.0, 0.0], [0.0, 158.0, 115.0], [204.0, 121.0, 167.0]];
/// Colour of the gap.
const WHITE: [f64; 3] = [255.0; 3];

/// Draws the source's owners on the left, the destination's on the right.
pub fn picture(relief: &Relief, spacing: Spacing, plan: &Plan<2>) -> Picture {
    let scale = Scale::new(relief.extents, spacing, LONGER_SIDE);
    Picture::paint(2 * scale.width + GAP, scale.height, |x, y| match x {
        left if left < scale.width => owner(relief, &scale, plan, Side::Source, left, y),
        gap if gap < scale.width + GAP => WHITE,
        right => owner(relief, &scale, plan, Side::Destination, right - scale.width - GAP, y),
    })
}

fn owner(relief: &Relief, scale: &Scale, plan: &Plan<2>, side: Side, x: u32, y: u32) -> [f64; 3] {
    let place = scale.place(x, y);
    let rank = plan.descriptor(side).owner(place.cell());
    let light = 0.45 + 0.75 * place.sample(&relief.shade);
    RANKS[rank % RANKS.len()].map(|band| light * (0.85 * band + 0.15 * 255.0))
}
