//! One move between threads in its parts, and beside computing.

use super::barrier::{Barrier, Library};
use super::pace::Pace;
use crate::sampling::shuffle;
use crate::scale::{Case, messages};
use anyhow::anyhow;
use redist::program::Envelope;
use redist::{Error, Plan, Redistribution, TypedPlan, threads};
use redist_measuring::median;
use std::hint::black_box;
use std::sync::RwLock;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

const MOST_RANKS: usize = 4;

/// Moves by the library before anything is timed; a rank computes for their median time.
const WARM_UP: usize = 9;

/// As many ranks as cores, because a rank that computes needs a core to itself.
pub fn ranks() -> usize {
    available_parallelism().map_or(2, usize::from).clamp(2, MOST_RANKS)
}

/// Seconds of one round: means over the ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Binding the plan.
    pub set_up: f64,
    /// Making this rank's programs.
    pub generating: f64,
    /// Packing all messages.
    pub packing: f64,
    /// Waiting at barriers.
    pub waiting: f64,
    /// Waiting for messages that are under way.
    pub latency: f64,
    /// Copying messages from the ranks that packed them.
    pub transfer: f64,
    /// Unpacking all messages.
    pub unpacking: f64,
    /// The library's own move, by `run`.
    pub run: f64,
    /// Computing for as long as a move takes.
    pub computing: f64,
    /// Starting a move, computing, and finishing the move.
    pub together: f64,
}

impl Times {
    pub fn whole(&self) -> f64 {
        self.packing + self.waiting + self.transfer + self.unpacking
    }

    /// Everything that a move costs that is planned for once: generating, buffering and latency.
    pub fn total(&self) -> f64 {
        self.generating + self.whole() + self.latency
    }

    fn all(&mut self) -> [&mut f64; 10] {
        let Self { set_up, generating, packing, waiting, latency, .. } = self;
        let first = [set_up, generating, packing, waiting, latency];
        let Self { transfer, unpacking, run, computing, together, .. } = self;
        let [a, b, c, d, e] = first;
        [a, b, c, d, e, transfer, unpacking, run, computing, together]
    }
}

/// A rank's packed messages, and when they left.
struct Outbox {
    /// Packed elements, by receiver.
    messages: Vec<Vec<f64>>,
    left: Instant,
}

/// The packed messages of all ranks, which their receivers copy.
struct Outboxes {
    of_ranks: Vec<RwLock<Outbox>>,
    envelopes: Vec<Vec<Envelope>>,
    /// A message is there so long after it left.
    latency: Duration,
}

impl Outboxes {
    fn new(plan: Plan<1>, ranks: usize, latency: Duration) -> Self {
        let runtime = TypedPlan::<f64, 1>::from(plan);
        let envelopes = |rank| runtime.binder().packing(rank).envelopes().to_vec();
        let outbox = |rank| {
            let left = Instant::now();
            RwLock::new(Outbox { messages: messages(&envelopes(rank)), left })
        };
        let of_ranks = (0..ranks).map(outbox).collect();
        Self { of_ranks, envelopes: (0..ranks).map(envelopes).collect(), latency }
    }
}

pub fn measure(case: &Case, rounds: usize) -> anyhow::Result<Vec<Times>> {
    let ranks = ranks();
    let plan = case.plan(ranks)?;
    let outboxes = Outboxes::new(plan, ranks, Duration::ZERO);
    let measured = threads::run(ranks, |rank| measured(plan, rank, &outboxes, rounds))
        .map_err(|error| anyhow!("{}: {error}", case.name))?;
    Ok(means(&measured, rounds))
}

/// Measures the parts of a move between so many threads, whose messages have a latency.
pub fn totals(
    case: &Case,
    ranks: usize,
    latency: Duration,
    rounds: usize,
) -> anyhow::Result<Vec<Times>> {
    let plan = case.plan(ranks)?;
    let outboxes = Outboxes::new(plan, ranks, latency);
    let measured = threads::run(ranks, |rank| {
        let mut barrier = Barrier::new(rank)?;
        let round = |_| parts(plan, rank.rank(), &outboxes, &mut barrier);
        // The first round warms up.
        let times = (0..=rounds).map(round).collect::<Result<Vec<Times>, Error>>()?;
        Ok::<_, Error>(times[1..].to_vec())
    });
    let measured = measured.map_err(|error| anyhow!("{}: {error}", case.name))?;
    Ok(means(&measured, rounds))
}

/// Returns the mean over the ranks of each round.
fn means(measured: &[Vec<Times>], rounds: usize) -> Vec<Times> {
    let ranks = measured.len();
    let mean = |round: usize| {
        let mut mean = Times::default();
        for times in measured {
            let mut times = times[round];
            for (sum, time) in mean.all().into_iter().zip(times.all()) {
                *sum += *time / ranks as f64;
            }
        }
        mean
    };
    (0..rounds).map(mean).collect()
}

fn measured(
    plan: Plan<1>,
    rank: &threads::Rank,
    outboxes: &Outboxes,
    rounds: usize,
) -> Result<Vec<Times>, Error> {
    let mut barrier = Barrier::new(rank)?;
    let mut library = Library::new(plan, rank, 1.0)?;
    let steps = library.calibrate(&mut barrier)?;
    let mut orders = shuffle();
    let mut times = Vec::new();
    // The first round warms up.
    for _ in 0..=rounds {
        let mut round = parts(plan, rank.rank(), outboxes, &mut barrier)?;
        barrier.wait()?;
        round.set_up = timed(|| TypedPlan::<f64, 1>::from(plan).bind(rank).map(drop))?;
        for work in orders.order(3) {
            barrier.wait()?;
            match work {
                0 => round.run = timed(|| library.run())?,
                1 => round.computing = seconds(|| steps.compute()),
                _ => round.together = timed(|| library.around(&steps))?,
            }
        }
        times.push(round);
    }
    Ok(times.split_off(1))
}

fn parts(
    plan: Plan<1>,
    rank: usize,
    outboxes: &Outboxes,
    barrier: &mut Barrier,
) -> Result<Times, Error> {
    let begin = Instant::now();
    let runtime = TypedPlan::<f64, 1>::from(plan);
    let (packing, unpacking) = (runtime.binder().packing(rank), runtime.binder().unpacking(rank));
    let generating = begin.elapsed().as_secs_f64();
    let source: Vec<f64> = (0..packing.local_len()).map(|index| index as f64).collect();
    let mut destination = vec![0.0; unpacking.local_len()];
    let mut inbox = messages(unpacking.envelopes());
    barrier.wait()?;
    let packed = seconds(|| {
        let mut own = outboxes.of_ranks[rank].write().expect("no rank panics");
        let mut out: Vec<&mut [f64]> = own.messages.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&source, &mut out);
        own.left = Instant::now();
    });
    let waited = timed(|| barrier.wait())?;
    let mut latency = 0.0;
    let transfer = seconds(|| {
        for (message, envelope) in inbox.iter_mut().zip(unpacking.envelopes()) {
            let place = outboxes.envelopes[envelope.rank].iter().position(|it| it.rank == rank);
            let sent = outboxes.of_ranks[envelope.rank].read().expect("no rank panics");
            if envelope.rank != rank {
                latency += seconds(|| wait_until(sent.left + outboxes.latency));
            }
            message.copy_from_slice(&sent.messages[place.expect("both sides list a message")]);
        }
    });
    let transfer = transfer - latency;
    let unpacked = seconds(|| {
        let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
        unpacking.unpack(&mut destination, &arrived);
    });
    black_box(&destination);
    let waiting = waited + timed(|| barrier.wait())?;
    let unpacking = unpacked;
    let times = Times { generating, packing: packed, waiting, latency, ..Times::default() };
    Ok(Times { transfer, unpacking, ..times })
}

/// Waits for a message that is under way; other ranks may have the core.
fn wait_until(there: Instant) {
    while Instant::now() < there {
        std::thread::yield_now();
    }
}

impl Library<f64> {
    /// Finds the steps of a move's time. All ranks measure at once, as they compute later.
    fn calibrate(&mut self, barrier: &mut Barrier) -> Result<Pace, Error> {
        let mut moves = Vec::new();
        for _ in 0..=WARM_UP {
            barrier.wait()?;
            moves.push(timed(|| self.run())?);
        }
        barrier.wait()?;
        let steps = Pace::lasting(median(&moves[1..]));
        // First calls allocate.
        self.around(&steps)?;
        Ok(steps)
    }

    fn around(&mut self, steps: &Pace) -> Result<(), Error> {
        let started = self.bound.start(&self.source, &mut self.destination)?;
        steps.compute();
        started.finish()
    }
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
