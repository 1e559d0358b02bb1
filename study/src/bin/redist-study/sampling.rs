//! Medians of times, with works in drawn order, and means of ratios.

use redist_measuring::{Shuffle, Turns, median};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Shortest sample: far above the clock's resolution.
const MIN_SAMPLE_SECONDS: f64 = 20e-6;

static SEED: AtomicU64 = AtomicU64::new(1);

pub fn draw_from(seed: u64) {
    SEED.store(seed, Ordering::Relaxed);
}

pub fn shuffle() -> Shuffle {
    Shuffle::new(SEED.load(Ordering::Relaxed))
}

pub fn turns(rounds: usize) -> Turns {
    Turns { least: rounds, most: rounds, seconds: 0.0, seed: SEED.load(Ordering::Relaxed) }
}

/// Returns the median seconds of one call of each, in an order drawn for each round.
pub fn medians(works: &mut [Box<dyn FnMut() + '_>], rounds: usize) -> Vec<f64> {
    let repeats: Vec<usize> = works.iter_mut().map(|work| repeats(&mut **work)).collect();
    let Ok(samples) = turns(rounds).take(works.len(), |number| {
        Ok::<_, Infallible>(seconds(&mut *works[number], repeats[number]))
    });
    samples.iter().map(|samples| median(samples)).collect()
}

/// Returns the calls of short work in a sample. The first call may allocate, and does not count.
fn repeats(work: &mut dyn FnMut()) -> usize {
    let first = seconds(work, 1);
    if first >= 10.0 * MIN_SAMPLE_SECONDS {
        return 1;
    }
    (MIN_SAMPLE_SECONDS / seconds(work, 1).max(1e-9)).ceil() as usize
}

fn seconds(work: &mut dyn FnMut(), calls: usize) -> f64 {
    let start = Instant::now();
    (0..calls).for_each(|_| work());
    start.elapsed().as_secs_f64() / calls as f64
}

pub fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Fits `c xᵃ` by least squares on logarithms, and returns `a`; NaN for a single `x`.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let logarithms = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (x_sum, y_sum) = logarithms().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x, sum.1 + y));
    let (x_mean, y_mean) = (x_sum / count, y_sum / count);
    let covariance: f64 = logarithms().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let variance: f64 = logarithms().map(|(x, _)| (x - x_mean).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn a_ratio_and_its_inverse_cancel() {
        assert!((geometric_mean(&[4.0, 0.25, 2.0]) - 2f64.cbrt()).abs() < 1e-12);
    }

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let squares: Vec<_> = (1..9).map(f64::from).map(|x| (x, 7.0 * x * x)).collect();
        assert!((exponent(&squares) - 2.0).abs() < 1e-12);
        assert!(exponent(&[(1.0, 5.0), (2.0, 5.0), (4.0, 5.0)]).abs() < 1e-12);
        // Between x and x², as least squares weigh them.
        let mixed = exponent(&[(1.0, 1.0), (10.0, 10.0), (100.0, 1e4)]);
        assert!((mixed - 2.0).abs() < 1e-12, "{mixed}");
        assert!(exponent(&[(3.0, 1.0), (3.0, 2.0)]).is_nan());
    }

    #[test]
    fn each_work_gets_its_own_time_and_all_rounds() {
        let calls = Cell::new(0);
        let sleep = |milliseconds| std::thread::sleep(Duration::from_millis(milliseconds));
        let slow = || sleep(20);
        let counted = || {
            calls.set(calls.get() + 1);
            sleep(2);
        };
        let times = medians(&mut [Box::new(slow), Box::new(counted)], 3);
        // A call to see how long it takes, a call to warm up, and the three rounds.
        assert_eq!(calls.get(), 5);
        assert!(times[0] > times[1] && times[1] >= 2e-3, "{times:?}");
    }
}
