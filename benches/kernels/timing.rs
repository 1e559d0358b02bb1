//! Interleaved medians.

use std::time::Instant;

/// Something to be timed.
pub struct Candidate<'a> {
    /// The column of the table that it belongs to.
    pub column: &'static str,
    /// One pass.
    pub work: Box<dyn FnMut() + 'a>,
}

impl<'a> Candidate<'a> {
    pub fn new(column: &'static str, work: impl FnMut() + 'a) -> Self {
        Self { column, work: Box::new(work) }
    }

    fn seconds(&mut self, passes: usize) -> f64 {
        let start = Instant::now();
        for _ in 0..passes {
            (self.work)();
        }
        start.elapsed().as_secs_f64() / passes as f64
    }
}

/// Seconds that a sample should take at least, so that the clock's resolution does not matter.
const SAMPLE: f64 = 300e-6;

/// How often to measure, and what of.
#[derive(Clone, Copy)]
pub struct Samples {
    pub count: usize,
    /// The best of the samples instead of their median.
    pub best: bool,
    /// Stores past the caches, too.
    pub nontemporal: bool,
}

/// Seconds of one pass of each candidate.
pub fn seconds(candidates: &mut [Candidate<'_>], samples: Samples) -> Vec<f64> {
    let passes: Vec<usize> = candidates
        .iter_mut()
        .map(|candidate| {
            candidate.seconds(1);
            (SAMPLE / candidate.seconds(1).max(1e-9)).ceil().clamp(1.0, 10_000.0) as usize
        })
        .collect();
    let mut times = vec![Vec::new(); candidates.len()];
    for sample in 0..samples.count {
        // Another one first each time, and another one before each every other time: large arrays see
        // what that one has left.
        for turn in 0..candidates.len() {
            let turn = if sample % 2 == 0 { turn } else { candidates.len() - 1 - turn };
            let number = (sample / 2 + turn) % candidates.len();
            let candidate = &mut candidates[number];
            // Untimed: brings the caches into the state that this candidate leaves them in, which takes
            // some passes where they adapt to what is used again.
            if passes[number] < 8 {
                candidate.seconds(4);
            }
            times[number].push(candidate.seconds(passes[number]));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.iter().map(|times| times[if samples.best { 0 } else { times.len() / 2 }]).collect()
}
