//! Times of the phases of a transform.

use std::time::{Duration, Instant};

/// A phase of a transform.
#[derive(Clone, Copy)]
pub enum Phase {
    /// Transforms of lines.
    Lines,
    /// Transpositions of this rank's columns.
    Transpositions,
    /// To columns and back, with waiting for other ranks.
    Turns,
    /// Only there and back, by the binary's code.
    WrittenTurns,
    /// The same, planned at run time.
    PlannedTurns,
}

/// Times of all rounds.
#[derive(Clone, Default)]
pub struct Clock {
    rounds: Vec<[Duration; 5]>,
}

impl Clock {
    pub fn next_round(&mut self) {
        self.rounds.push(Default::default());
    }

    pub fn time<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        if let Some(round) = self.rounds.last_mut() {
            round[phase as usize] += start.elapsed();
        }
        result
    }

    pub fn median(&self, phase: Phase) -> f64 {
        let rounds = self.rounds.iter().skip(1);
        let mut times: Vec<Duration> = rounds.map(|round| round[phase as usize]).collect();
        times.sort_unstable();
        times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    }

    pub fn rounds(&self) -> usize {
        self.rounds.len().saturating_sub(1)
    }
}
