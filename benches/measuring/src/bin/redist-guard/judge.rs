//! Judges if a row is slower than it was.

use redist_measuring::median;
use std::fmt;

/// Ratio of times, base to this commit, below which a row is suspect.
const LIMIT: f64 = 0.95;

/// The chance that an end of the interval is on the wrong side of the median.
const CHANCE: f64 = 0.01;

/// The verdict on one row.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Median of the rounds' ratios, base to this commit.
    pub ratio: f64,
    /// Contains the median of many more rounds, with a chance of 1 in 100 at each end.
    pub interval: [f64; 2],
    /// Number of rounds.
    pub rounds: usize,
}

impl Judged {
    /// Judges rounds of any distribution. The k-th of n samples is above the median with the chance
    /// of fewer than k heads of n coins.
    pub fn of(ratios: &[f64]) -> Self {
        let mut sorted = ratios.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let interval = match outermost(sorted.len()) {
            0 => [0.0, f64::INFINITY],
            place => [sorted[place - 1], sorted[sorted.len() - place]],
        };
        Self { ratio: median(&sorted), interval, rounds: sorted.len() }
    }

    pub fn is_suspect(&self) -> bool {
        self.ratio < LIMIT
    }

    pub fn is_slower(&self) -> bool {
        self.is_suspect() && self.interval[1] < 1.0
    }

    pub fn is_told(&self) -> bool {
        self.interval[1].is_finite()
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.interval.map(|end| match end {
            end if end.is_finite() && end > 0.0 => format!("{end:.2}"),
            _ => "?".into(),
        });
        write!(f, "{:.2} ({low}–{high}, {} rounds)", self.ratio, self.rounds)
    }
}

/// Returns the largest place, from either end, whose sample is by chance beyond the median.
fn outermost(samples: usize) -> usize {
    let (mut chance, mut exactly, mut place) = (0.0, 0.5_f64.powi(samples as i32), 0);
    loop {
        chance += exactly;
        if chance > CHANCE {
            return place;
        }
        place += 1;
        exactly *= (samples + 1 - place) as f64 / place as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_intervals_are_those_of_the_sign_test() {
        // From tables of the binomial distribution.
        let places = [(0, 0), (6, 0), (7, 1), (10, 1), (11, 2), (15, 3), (20, 5), (100, 38)];
        for (samples, place) in places {
            assert_eq!(outermost(samples), place, "{samples}");
        }
    }

    #[test]
    fn a_row_that_is_slower_in_all_rounds_is_found() {
        let judged = Judged::of(&[0.9, 0.91, 0.88, 0.94, 0.9, 0.89, 0.92]);
        assert!(judged.is_slower(), "{judged}");
        assert_eq!(judged.to_string(), "0.90 (0.88–0.94, 7 rounds)");
    }

    #[test]
    fn a_row_whose_spread_reaches_one_is_not() {
        assert!(!Judged::of(&[0.9, 0.91, 0.5, 1.2, 0.9, 0.9, 0.8]).is_slower());
        assert!(!Judged::of(&[0.5; 6]).is_slower() && !Judged::of(&[0.5; 6]).is_told());
        assert!(!Judged::of(&[0.96; 20]).is_slower());
        assert!(!Judged::of(&[1.3; 5]).is_suspect());
    }

    /// With noise of a tenth, hardly one of a thousand equal rows is found in both runs.
    #[test]
    fn noise_is_not_found() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut rounds = |count: usize, mean: f64| -> Vec<f64> {
            (0..count).map(|_| mean * (0.8 + 0.4 * random.f64())).collect()
        };
        let slower = |first: Vec<f64>, again: Vec<f64>| {
            Judged::of(&first).is_suspect() && Judged::of(&again).is_slower()
        };
        let alike = (0..1000).filter(|_| slower(rounds(5, 1.0), rounds(11, 1.0))).count();
        assert!(alike <= 4, "{alike} of 1000 rows that are alike");
        let worse = (0..1000).filter(|_| slower(rounds(5, 0.8), rounds(11, 0.8))).count();
        assert!(worse >= 850, "{worse} of 1000 rows that are a quarter slower");
    }
}
