//! Times short work.

use redist_measuring::{Method, Turns};
use std::convert::Infallible;
use std::time::Instant;

/// One column's work.
pub struct Candidate<'a> {
    column: &'static str,
    work: Box<dyn FnMut() + 'a>,
}

impl<'a> Candidate<'a> {
    pub fn new(column: &'static str, work: impl FnMut() + 'a) -> Self {
        Self { column, work: Box::new(work) }
    }

    fn seconds(&mut self, passes: usize) -> f64 {
        let start = Instant::now();
        (0..passes).for_each(|_| (self.work)());
        start.elapsed().as_secs_f64()
    }

    fn passes(&mut self) -> usize {
        self.seconds(1);
        (SAMPLE / self.seconds(1).max(1e-9)).ceil().clamp(1.0, 10_000.0) as usize
    }
}

/// The least seconds of a sample, for the clock's resolution.
const SAMPLE: f64 = 300e-6;

pub fn timed(mut candidates: Vec<Candidate<'_>>, turns: Turns) -> Vec<Method> {
    let passes: Vec<usize> = candidates.iter_mut().map(Candidate::passes).collect();
    let Ok(samples) = turns.take(candidates.len(), |number| {
        let candidate = &mut candidates[number];
        // Untimed: brings the caches into the state that this candidate leaves them in, which takes
        // some passes where they adapt to what is used again.
        if passes[number] < 8 {
            candidate.seconds(4);
        }
        Ok::<_, Infallible>(candidate.seconds(passes[number]))
    });
    let of_one = |(number, sums): (usize, Vec<f64>)| {
        let times: Vec<f64> = sums.iter().map(|sum| sum / passes[number] as f64).collect();
        Method::timed(candidates[number].column, &times)
    };
    samples.into_iter().enumerate().map(of_one).collect()
}
