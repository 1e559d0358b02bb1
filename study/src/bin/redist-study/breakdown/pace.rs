//! Work of a given duration, to be hidden behind a move.

use redist_measuring::median;
use std::hint::black_box;
use std::time::Instant;

/// Far longer than the clock's resolution and a thread's wake-up.
const PROBE: usize = 100_000;

const PROBES: usize = 9;

/// A chain of dependent operations that needs no memory.
pub struct Pace {
    /// Operations in the chain.
    steps: usize,
}

impl Pace {
    pub fn lasting(wanted: f64) -> Self {
        let probe = || {
            let begin = Instant::now();
            Self { steps: PROBE }.compute();
            begin.elapsed().as_secs_f64()
        };
        let probes: Vec<f64> = (0..PROBES).map(|_| probe()).collect();
        Self { steps: steps(wanted, median(&probes)) }
    }

    pub fn compute(&self) {
        let mut value = black_box(1.0_f64);
        for _ in 0..self.steps {
            value = value * 0.999 + 0.001;
        }
        black_box(value);
    }
}

fn steps(wanted: f64, probe: f64) -> usize {
    (PROBE as f64 * wanted / probe.max(1e-9)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_the_pace() {
        assert_eq!(steps(2e-3, 1e-3), 2 * PROBE);
        assert_eq!(steps(0.0, 1e-3), 0);
    }
}
