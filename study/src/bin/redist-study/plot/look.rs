//! Curves' colours, and markers for those who see colours differently or print in grey.

use plotters::style::RGBColor;

/// How a curve is drawn.
#[derive(Clone, Copy)]
pub struct Look {
    pub color: RGBColor,
    /// Width of the line, in pixels.
    pub width: u32,
    /// Corners of the marker, in pixels from the point.
    corners: &'static [(i32, i32)],
}

const OURS: RGBColor = RGBColor(0, 0, 0);

/// Okabe and Ito's colours without black and yellow, which is too pale; then grey and wine red.
const COLORS: [RGBColor; 8] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(136, 136, 136),
    RGBColor(136, 34, 85),
];

/// Corners, in pixels from the point; their number has no common factor with that of the colours.
const MARKERS: [&[(i32, i32)]; 5] = [
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 5), (-6, 5)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(0, 6), (6, -5), (-6, -5)],
    &[(-2, -5), (2, -5), (5, -2), (5, 2), (2, 5), (-2, 5), (-5, 2), (-5, -2)],
];

/// Looks of others differ, as many as there are colours and markers, multiplied.
pub fn of_all(are_ours: impl Iterator<Item = bool>) -> impl Iterator<Item = Look> {
    let mut numbers = [0, 0];
    are_ours.map(move |is_ours| {
        let number = numbers[usize::from(is_ours)];
        numbers[usize::from(is_ours)] += 1;
        let (color, width) = if is_ours { (OURS, 3) } else { (COLORS[number % COLORS.len()], 2) };
        Look { color, width, corners: MARKERS[number % MARKERS.len()] }
    })
}

impl Look {
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
        let look = |look: Look| ((look.color.0, look.color.1, look.color.2), look.corners);
        let looks: HashSet<_> = of_all((0..45).map(|number| number % 9 == 0)).map(look).collect();
        assert_eq!(looks.len(), 45);
    }
}
