//! The computation on ranks that are threads, each with its block of rows or of columns.

use crate::creep::Creep;
use redist::threads::{self, Failure, Rank};
use redist::{Envelope, Error, Redistribution, Side, Transport};
use std::time::{Duration, Instant};

/// What all ranks did together.
pub struct Outcome {
    /// Row by row, as it was read.
    pub elevation: Vec<f64>,
    pub ranks: usize,
    pub redistributions: u64,
    /// What a pair of redistributions moved, there and back.
    pub traffic: Traffic,
    /// From the first to the last step.
    pub elapsed: Duration,
    /// Summed over ranks.
    pub clock: Clock,
}

/// Messages of one rank, or of all.
#[derive(Clone, Copy, Default)]
pub struct Traffic {
    /// To other ranks.
    pub messages: usize,
    /// Elements in these.
    pub moved: usize,
    /// Elements whose rank stays the same.
    pub kept: usize,
}

/// Where the time of one rank went, or of all.
#[derive(Clone, Copy, Default)]
pub struct Clock {
    pub solving: Duration,
    /// Packing, unpacking and waiting for other ranks.
    pub redistributing: Duration,
}

/// What one rank hands back.
struct Part {
    rows: Vec<f64>,
    traffic: Traffic,
    clock: Clock,
}

/// The elevations after all steps, and what it took.
pub fn diffuse<A, B>(
    to_columns: &A,
    to_rows: &B,
    elevation: &[f64],
    creep: &Creep,
    step_done: &(dyn Fn() + Sync),
) -> Result<Outcome, Failure<Error>>
where
    A: Redistribution<2, Element = f64> + Sync,
    B: Redistribution<2, Element = f64> + Sync,
{
    let ranks = to_columns.plan().ranks();
    let start = Instant::now();
    let parts = threads::run(ranks, |rank| {
        let rows = dealt(elevation, to_columns, rank.rank());
        diffuse_part(rank, (to_columns, to_rows), rows, creep, step_done)
    })?;
    let elapsed = start.elapsed();
    let traffic = parts.iter().fold(Traffic::default(), |sum, part| sum.and(part.traffic));
    let clock = parts.iter().fold(Clock::default(), |sum, part| sum.and(part.clock));
    // Blocks of whole rows in C order: rank after rank, the parts are the array.
    let elevation = parts.into_iter().flat_map(|part| part.rows).collect();
    Ok(Outcome { elevation, ranks, redistributions: 2 * creep.steps, traffic, elapsed, clock })
}

/// A rank's block of rows.
fn dealt(elevation: &[f64], to_columns: &impl Redistribution<2>, rank: usize) -> Vec<f64> {
    let plan = to_columns.plan();
    let rows = plan.descriptor(Side::Source);
    let start: usize = (0..rank).map(|before| rows.local_len(before)).sum();
    elevation[start..start + rows.local_len(rank)].to_vec()
}

/// One rank's work. An error here reaches the other ranks as an error, wherever they are.
fn diffuse_part<A, B>(
    rank: &Rank,
    (to_columns, to_rows): (&A, &B),
    mut rows: Vec<f64>,
    creep: &Creep,
    step_done: &(dyn Fn() + Sync),
) -> Result<Part, Error>
where
    A: Redistribution<2, Element = f64>,
    B: Redistribution<2, Element = f64>,
{
    let mut to_columns = to_columns.bind(rank)?;
    let mut to_rows = to_rows.bind(rank)?;
    let mut columns = vec![0.0; to_columns.local_len(Side::Destination)];
    let mut clock = Clock::default();
    for _ in 0..creep.steps {
        clock.solve(|| creep.rows.explicit(&mut rows));
        clock.redistribute(|| to_columns.run(&rows, &mut columns))?;
        clock.solve(|| {
            creep.columns.implicit(&mut columns);
            creep.columns.explicit(&mut columns);
        });
        clock.redistribute(|| to_rows.run(&columns, &mut rows))?;
        clock.solve(|| creep.rows.implicit(&mut rows));
        if rank.rank() == 0 {
            step_done();
        }
    }
    let traffic = traffic(rank, to_columns.outgoing()).and(traffic(rank, to_rows.outgoing()));
    Ok(Part { rows, traffic, clock })
}

fn traffic(rank: &Rank, outgoing: &[Envelope]) -> Traffic {
    outgoing.iter().fold(Traffic::default(), |sum, envelope| {
        sum.and(match envelope.rank == rank.rank() {
            true => Traffic { kept: envelope.len, ..Traffic::default() },
            false => Traffic { messages: 1, moved: envelope.len, kept: 0 },
        })
    })
}

impl Traffic {
    fn and(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, moved: self.moved + other.moved, kept: self.kept + other.kept }
    }
}

impl Clock {
    fn solve(&mut self, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        self.solving += start.elapsed();
    }

    fn redistribute(&mut self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let start = Instant::now();
        let result = work();
        self.redistributing += start.elapsed();
        result
    }

    fn and(self, other: Self) -> Self {
        Self { solving: self.solving + other.solving, redistributing: self.redistributing + other.redistributing }
    }

    /// Of the time of all ranks, the part that went into redistributing: 0 to 1.
    pub fn share(&self) -> f64 {
        self.redistributing.as_secs_f64() / (self.redistributing + self.solving).as_secs_f64().max(f64::MIN_POSITIVE)
    }
}
