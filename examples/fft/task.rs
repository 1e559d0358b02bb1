//! One rank's task.

use crate::clock::{Clock, Phase};
use crate::part::{Part, Turns};
use landscape::Fallible;
use redist::exec::Route;
use redist::{Bound, Error, Redistribution, Side, Transport, TypedPlan};
use rustfft::num_complex::Complex32;

/// A transform to play and to time.
pub struct Task<'a, T, G> {
    pub turn: &'a T,
    pub gather: &'a G,
    pub route: Route,
    /// Transforms to time; a first one is not counted.
    pub times: usize,
}

/// One rank's outcome.
pub struct Outcome {
    /// The rank.
    pub rank: usize,
    pub kernels: [Vec<String>; 2],
    pub clock: Clock,
    /// All coefficients, row by row, on rank 0.
    pub spectrum: Vec<Complex32>,
}

/// Words of `explain` for compiled code.
const WRITTEN: &str = "code for these blocks";

impl<T, G> Task<'_, T, G>
where
    T: Redistribution<2, Element = Complex32>,
    G: Redistribution<2, Element = Complex32>,
{
    pub fn play(&self, communicator: &impl Transport) -> Result<Outcome, Error> {
        let mut turns = self.bound(self.turn, communicator)?;
        let mut planned = self.bound(&self.planned(), communicator)?;
        let mut gather = self.gather.bind(communicator)?;
        let (mut part, mut clock) = (Part::new(&turns), Clock::default());
        for _ in 0..=self.times {
            clock.next_round();
            part.transform(&mut turns, &mut clock)?;
            part.turn_twice(&mut turns, (&mut clock, Phase::WrittenTurns))?;
            part.turn_twice(&mut planned, (&mut clock, Phase::PlannedTurns))?;
        }
        let mut spectrum = vec![Complex32::ZERO; gather.local_len(Side::Destination)];
        gather.run(&part.rows, &mut spectrum)?;
        let kernels = [&turns.to_columns, &turns.to_rows].map(copying);
        Ok(Outcome { rank: gather.rank(), kernels, clock, spectrum })
    }

    fn bound<R: Redistribution<2, Element = Complex32>>(
        &self,
        plan: &R,
        communicator: &impl Transport,
    ) -> Result<Turns, Error> {
        let to_columns = plan.binder().route(self.route).bind(communicator)?;
        let to_rows = plan.inverse().binder().route(self.route).bind(communicator)?;
        Ok(Turns { to_columns, to_rows })
    }

    fn planned(&self) -> TypedPlan<Complex32, 2> {
        TypedPlan::from(self.turn.plan())
    }
}

fn copying(bound: &Bound<Complex32, 2>) -> Vec<String> {
    let explained = bound.explain();
    let lines = explained.lines().map(str::trim);
    let copies = |line: &&str| line.starts_with("source: ") || line.starts_with("destination: ");
    lines.filter(copies).map(str::to_owned).collect()
}

/// Returns lines about code from the binary, or all without any.
pub fn written(lines: &[String]) -> Vec<&String> {
    let written: Vec<_> = lines.iter().filter(|line| line.contains(WRITTEN)).collect();
    if written.is_empty() { lines.iter().collect() } else { written }
}

impl Outcome {
    /// Fails unless both turns run their own code.
    pub fn check_kernels(&self) -> Fallible<()> {
        let is_written = |lines: &Vec<String>| lines.iter().any(|line| line.contains(WRITTEN));
        match self.kernels.iter().find(|lines| !is_written(lines)) {
            Some(lines) => {
                let lines = lines.join("; ");
                Err(format!("rank {}: no {WRITTEN}, but {lines}", self.rank).into())
            }
            None => Ok(()),
        }
    }
}
