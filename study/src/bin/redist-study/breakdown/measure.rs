//! Each rank's times of one move, part by part.

use crate::scale::Case;
use anyhow::anyhow;
use redist::program::Envelope;
use redist::{Bound, Error, Plan, Redistribution, RuntimePlan, threads};
use std::hint::black_box;
use std::sync::{Barrier, RwLock};
use std::time::Instant;

/// Ranks that move.
pub const RANKS: usize = 4;

/// Seconds of one round: means over the ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub set_up: f64,
    pub packing: f64,
    pub waiting: f64,
    pub transfer: f64,
    pub unpacking: f64,
    /// A move by the library.
    pub run: f64,
    /// A computation that takes about as long.
    pub computing: f64,
    /// Start, the same computation, finish.
    pub together: f64,
}

impl Times {
    /// All parts of a move but its set-up.
    pub fn whole(&self) -> f64 {
        self.packing + self.waiting + self.transfer + self.unpacking
    }

    fn all(&mut self) -> [&mut f64; 8] {
        let Self { set_up, packing, waiting, transfer, unpacking, run, computing, together } = self;
        [set_up, packing, waiting, transfer, unpacking, run, computing, together]
    }
}

/// Memory of all ranks: the barrier at which they wait, and the messages that each has packed.
struct Shared {
    barrier: Barrier,
    outboxes: Vec<RwLock<Vec<Vec<f64>>>>,
    envelopes: Vec<Vec<Envelope>>,
}

/// Measures some rounds.
///
/// # Errors
/// If a move fails.
pub fn measure(case: &Case, rounds: usize) -> anyhow::Result<Vec<Times>> {
    let plan = case.plan(RANKS)?;
    let runtime = RuntimePlan::<f64, 1>::from(plan);
    let envelopes = |rank| runtime.packing(rank).envelopes().to_vec();
    let shared = Shared {
        barrier: Barrier::new(RANKS),
        outboxes: (0..RANKS).map(|rank| RwLock::new(messages(&envelopes(rank)))).collect(),
        envelopes: (0..RANKS).map(envelopes).collect(),
    };
    let ranks = threads::run(RANKS, |rank| measured(plan, rank, &shared, rounds))
        .map_err(|error| anyhow!("{}: {error}", case.name))?;
    let mean = |round: usize| {
        let mut mean = Times::default();
        for times in &ranks {
            let mut times = times[round];
            for (sum, time) in mean.all().into_iter().zip(times.all()) {
                *sum += *time / RANKS as f64;
            }
        }
        mean
    };
    Ok((0..rounds).map(mean).collect())
}

fn measured(
    plan: Plan<1>,
    rank: &threads::Rank,
    shared: &Shared,
    rounds: usize,
) -> Result<Vec<Times>, Error> {
    let mut times = Vec::new();
    // The first round warms up.
    for _ in 0..=rounds {
        let mut round = parts(plan, rank.rank(), shared);
        by_the_library(plan, rank, shared, &mut round)?;
        times.push(round);
    }
    Ok(times.split_off(1))
}

/// Moves by the programs of a plan, part by part.
fn parts(plan: Plan<1>, rank: usize, shared: &Shared) -> Times {
    let runtime = RuntimePlan::<f64, 1>::from(plan);
    let (packing, unpacking) = (runtime.packing(rank), runtime.unpacking(rank));
    let source: Vec<f64> = (0..packing.local_len()).map(|index| index as f64).collect();
    let mut destination = vec![0.0; unpacking.local_len()];
    let mut inbox = messages(unpacking.envelopes());
    shared.barrier.wait();
    let packed = seconds(|| {
        let mut own = shared.outboxes[rank].write().expect("no rank panics");
        let mut out: Vec<&mut [f64]> = own.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&source, &mut out);
    });
    let waited = wait(shared);
    let transfer = seconds(|| {
        for (message, envelope) in inbox.iter_mut().zip(unpacking.envelopes()) {
            let place = shared.envelopes[envelope.rank].iter().position(|it| it.rank == rank);
            let sent = shared.outboxes[envelope.rank].read().expect("no rank panics");
            message.copy_from_slice(&sent[place.expect("both sides list a message")]);
        }
    });
    let unpacked = seconds(|| {
        let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
        unpacking.unpack(&mut destination, &arrived);
    });
    black_box(&destination);
    let waiting = waited + wait(shared);
    Times { packing: packed, waiting, transfer, unpacking: unpacked, ..Times::default() }
}

/// Moves by the library: alone, and around a computation.
fn by_the_library(
    plan: Plan<1>,
    rank: &threads::Rank,
    shared: &Shared,
    times: &mut Times,
) -> Result<(), Error> {
    shared.barrier.wait();
    let begin = Instant::now();
    let mut bound = RuntimePlan::<f64, 1>::from(plan).bind(rank)?;
    times.set_up = begin.elapsed().as_secs_f64();
    let source = vec![1.0; bound.local_len(redist::Side::Source)];
    let mut destination = vec![0.0; bound.local_len(redist::Side::Destination)];
    // First calls allocate.
    bound.run(&source, &mut destination)?;
    started(&mut bound, &source, &mut destination, 0)?;
    shared.barrier.wait();
    times.run = timed(|| bound.run(&source, &mut destination))?;
    let steps = steps_of(times.run);
    shared.barrier.wait();
    times.computing = seconds(|| compute(steps));
    shared.barrier.wait();
    times.together = timed(|| started(&mut bound, &source, &mut destination, steps))?;
    Ok(())
}

fn started(
    bound: &mut Bound<f64, 1>,
    source: &[f64],
    destination: &mut [f64],
    steps: usize,
) -> Result<(), Error> {
    let started = bound.start(source, destination)?;
    compute(steps);
    started.finish()
}

/// How many steps of a computation take so long.
fn steps_of(wanted: f64) -> usize {
    const PROBE: usize = 10_000;
    (PROBE as f64 * wanted / seconds(|| compute(PROBE)).max(1e-9)) as usize
}

/// A chain of dependent operations that needs no memory.
fn compute(steps: usize) {
    let mut value = black_box(1.0_f64);
    for _ in 0..steps {
        value = value.mul_add(0.999, 0.001);
    }
    black_box(value);
}

fn wait(shared: &Shared) -> f64 {
    seconds(|| {
        shared.barrier.wait();
    })
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

fn timed(work: impl FnOnce() -> Result<(), Error>) -> Result<f64, Error> {
    let begin = Instant::now();
    work().map(|()| begin.elapsed().as_secs_f64())
}

fn messages(envelopes: &[Envelope]) -> Vec<Vec<f64>> {
    envelopes.iter().map(|envelope| vec![0.0; envelope.len]).collect()
}
