//! Figures: medians and spreads of times.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Returns the median; NaN without samples.
pub fn median(samples: &[f64]) -> f64 {
    quartiles(samples)[1]
}

/// Returns both quartiles and the median, interpolated; NaN without samples.
pub fn quartiles(samples: &[f64]) -> [f64; 3] {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return [f64::NAN; 3] };
    [0.25, 0.5, 0.75].map(|part| {
        let at = part * last as f64;
        let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
        below + (above - below) * at.fract()
    })
}

/// Seconds of a method in one process, over its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// Median, in seconds.
    pub median: f64,
    /// Least, in seconds.
    pub least: f64,
    /// Number of rounds.
    #[serde(default)]
    pub rounds: usize,
    /// Before the first call: plans, types, tables, buffers.
    #[serde(default)]
    pub setup: f64,
    /// The median of later set-ups; the first includes the set-up of a process and a communicator.
    #[serde(default)]
    pub setup_again: Option<f64>,
    /// The first call; 0 if it was not timed.
    #[serde(default)]
    pub first: f64,
    /// Elements that were wrong after the first call or after the last.
    #[serde(default)]
    pub wrong: u64,
}

impl Times {
    pub fn of(samples: &[f64]) -> Self {
        Self {
            median: median(samples),
            least: samples.iter().copied().fold(f64::INFINITY, f64::min),
            rounds: samples.len(),
            setup: 0.0,
            setup_again: None,
            first: 0.0,
            wrong: 0,
        }
    }
}

/// A figure's median, least and most over several processes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Median over the processes.
    pub median: f64,
    /// Least process.
    pub least: f64,
    /// Greatest process.
    pub most: f64,
}

impl Spread {
    pub fn of(figures: impl IntoIterator<Item = f64>) -> Option<Self> {
        let figures: Vec<f64> = figures.into_iter().collect();
        let least = figures.iter().copied().reduce(f64::min)?;
        let most = figures.iter().copied().reduce(f64::max)?;
        Some(Self { median: median(&figures), least, most })
    }

    /// Returns the distance of least and most, as a part of the median.
    pub fn relative(&self) -> f64 {
        (self.most - self.least) / self.median
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let Self { median, least, most } = self;
        write!(f, "{median:.digits$}")?;
        // One process, or all alike as far as is shown.
        let [low, high] = [least, most].map(|end| format!("{end:.digits$}"));
        if low == high { Ok(()) } else { write!(f, " ({low}–{high})") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_not_moved_by_an_outlier() {
        assert_eq!(median(&[3.0, 1.0, 1e9, 2.0, 2.5]), 2.5);
        assert_eq!(median(&[3.0, 1.0]), 2.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn quartiles_fall_between_neighbours() {
        assert_eq!(quartiles(&[5.0, 1.0, 2.0, 4.0, 3.0]), [2.0, 3.0, 4.0]);
        assert_eq!(quartiles(&[0.0, 1.0]), [0.25, 0.5, 0.75]);
        assert_eq!(quartiles(&[7.0]), [7.0; 3]);
    }

    #[test]
    fn a_spread_says_how_far_processes_are_apart() {
        let spread = Spread::of([0.69, 1.83, 0.9]).unwrap();
        assert_eq!(spread.to_string(), "0.90 (0.69–1.83)");
        assert_eq!(format!("{spread:.1}"), "0.9 (0.7–1.8)");
        assert!((spread.relative() - 1.14 / 0.9).abs() < 1e-12);
        assert_eq!(Spread::of([1.0, 1.001]).unwrap().to_string(), "1.00");
        assert_eq!(Spread::of([]), None);
    }
}
