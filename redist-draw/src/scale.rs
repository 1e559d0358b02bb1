//! Maps indices to pixels.

use super::metrics::width_of;
use std::ops::Range;

/// A rectangle, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    pub fn in_row(scale: &Scale, range: &Range<usize>, y: f64, height: f64) -> Self {
        Self {
            x: scale.at(range.start),
            y,
            width: scale.at(range.end) - scale.at(range.start),
            height,
        }
    }

    pub fn in_matrix(rows: (&Scale, &Range<usize>), columns: (&Scale, &Range<usize>)) -> Self {
        let y = rows.0.at(rows.1.start);
        Self::in_row(columns.0, columns.1, y, rows.0.at(rows.1.end) - y)
    }

    pub fn fits(&self, text: &str, size: f64) -> bool {
        self.height >= size * 1.1 && self.width >= width_of(text, size) + 3.0
    }
}

/// A linear map from indices to pixels.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Indices that are mapped.
    indices: Range<usize>,
    /// Pixels of the first index and of the end.
    pixels: (f64, f64),
}

impl Scale {
    pub fn new(indices: Range<usize>, start: f64, length: f64) -> Self {
        Self { indices, pixels: (start, length) }
    }

    pub fn at(&self, index: usize) -> f64 {
        let fraction = (index - self.indices.start) as f64 / self.indices.len().max(1) as f64;
        self.pixels.0 + fraction * self.pixels.1
    }

    pub fn ends(&self) -> ((usize, f64), (usize, f64)) {
        let ((start, length), Range { start: first, end }) = (self.pixels, self.indices.clone());
        ((first, start), (end, start + length))
    }

    /// Returns round indices for an axis: at most `most` multiples of `unit`.
    pub fn ticks(&self, unit: usize, most: usize) -> Vec<usize> {
        let Range { start, end } = self.indices;
        let enough = (self.indices.len() / most.max(1)).div_ceil(unit.max(1)).max(1);
        let magnitude = 10usize.pow(enough.ilog10());
        let factor =
            [1, 2, 5].map(|digit| digit * magnitude).into_iter().find(|factor| *factor >= enough);
        let step = factor.unwrap_or(magnitude.saturating_mul(10)).saturating_mul(unit.max(1));
        let first = start.div_ceil(step);
        (first..=end / step).map(|number| number * step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_multiples_of_the_unit() {
        assert_eq!(
            Scale::new(0..100, 0.0, 1.0).ticks(10, 10),
            [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
        );
        assert_eq!(Scale::new(6..1003, 0.0, 1.0).ticks(64, 8), [128, 256, 384, 512, 640, 768, 896]);
        let huge = isize::MAX as usize;
        assert!(Scale::new(0..huge, 0.0, 1.0).ticks(1, 10).len() <= 11);
        assert_eq!(Scale::new(0..0, 0.0, 1.0).ticks(7, 10), [0]);
    }
}
