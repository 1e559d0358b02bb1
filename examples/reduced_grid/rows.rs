//! Filters whole rows.

use rustfft::FftPlanner;
use rustfft::num_complex::Complex64;

/// A filter of rows of any length.
pub struct Filter {
    /// Transforms by length.
    planner: FftPlanner<f64>,
    waves: Vec<Complex64>,
}

impl Filter {
    pub fn new() -> Self {
        Self { planner: FftPlanner::new(), waves: Vec::new() }
    }

    /// Removes waves shorter than three points of the row.
    pub fn apply(&mut self, row: &mut [f64]) {
        let len = row.len();
        self.waves.clear();
        self.waves.extend(row.iter().map(|&value| Complex64::from(value)));
        self.planner.plan_fft_forward(len).process(&mut self.waves);
        for (number, wave) in self.waves.iter_mut().enumerate() {
            if 3 * number.min(len - number) > len {
                *wave = Complex64::ZERO;
            }
        }
        self.planner.plan_fft_inverse(len).process(&mut self.waves);
        for (value, wave) in row.iter_mut().zip(&self.waves) {
            *value = wave.re / len as f64;
        }
    }

    pub fn apply_to(&mut self, mut points: &mut [f64], lengths: impl IntoIterator<Item = usize>) {
        for length in lengths {
            let (row, rest) = points.split_at_mut(length);
            self.apply(row);
            points = rest;
        }
        assert!(points.is_empty(), "{} points of no row", points.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::ROWS;
    use std::f64::consts::TAU;

    fn cosine(len: usize, waves: usize) -> impl Iterator<Item = f64> {
        (0..len).map(move |point| (TAU * (waves * point % len) as f64 / len as f64).cos())
    }

    #[test]
    fn long_waves_stay_and_short_ones_go() {
        let mut filter = Filter::new();
        for len in ROWS {
            for waves in 0..=len / 2 {
                let mut row: Vec<f64> = cosine(len, waves).collect();
                filter.apply(&mut row);
                let stays = if 3 * waves > len { 0.0 } else { 1.0 };
                let wrong = row
                    .iter()
                    .zip(cosine(len, waves))
                    .find(|(found, before)| (**found - stays * before).abs() > 1e-12);
                assert_eq!(wrong, None, "{waves} waves in {len} points");
            }
        }
    }
}
