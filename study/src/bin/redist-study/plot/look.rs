//! How curves are told apart: by colour, and by marker for those who see colours differently or print in grey.

use plotters::style::RGBColor;

/// Colour and marker of a curve.
#[derive(Clone, Copy)]
pub struct Look {
    /// Of line and marker.
    pub color: RGBColor,
    corners: &'static [(i32, i32)],
}

/// Okabe and Ito's colours, without yellow, which is too pale for lines on white.
const COLORS: [RGBColor; 7] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Corners, in pixels from the point; their number has no common factor with that of the colours.
const MARKERS: [&[(i32, i32)]; 5] = [
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 5), (-6, 5)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -5), (-6, -5)],
    &[(-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2), (-5, -2)],
];

impl Look {
    /// Of the curve with this number; as many as there are colours and markers, multiplied, differ.
    pub fn of(number: usize) -> Self {
        Self { color: COLORS[number % COLORS.len()], corners: MARKERS[number % MARKERS.len()] }
    }

    /// Corners of the marker around a point; larger by a tenth for every curve that is drawn over this one, so that
    /// markers in one place are all seen.
    pub fn marker(&self, (x, y): (i32, i32), over: usize) -> Vec<(i32, i32)> {
        let scaled = |distance: i32| distance + distance * over as i32 / 10;
        self.corners.iter().map(|(dx, dy)| (x + scaled(*dx), y + scaled(*dy))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_of_many_curves_look_alike() {
        let looks: HashSet<_> =
            (0..35).map(Look::of).map(|look| ((look.color.0, look.color.1), look.corners)).collect();
        assert_eq!(looks.len(), 35);
    }
}
