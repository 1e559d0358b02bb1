use super::barrier::{Barrier, Library};
use super::pace::Pace;
use crate::sampling::shuffle;
use crate::scale::{Case, messages};
use anyhow::anyhow;
use redist::program::Envelope;
use redist::{Error, Plan, Redistribution, RuntimePlan, threads};
use redist_measuring::median;
use std::hint::black_box;
use std::sync::RwLock;
use std::thread::available_parallelism;
use std::time::Instant;

const MOST_RANKS: usize = 4;

/// Moves by the library before anything is timed; a rank computes for their median time.
const WARM_UP: usize = 9;

/// As many ranks as cores, because a rank that computes needs one to itself.
pub fn ranks() -> usize {
    available_parallelism().map_or(2, usize::from).clamp(2, MOST_RANKS)
}

/// Seconds of one round: means over the ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    pub set_up: f64,
    pub packing: f64,
    pub waiting: f64,
    pub transfer: f64,
    pub unpacking: f64,
    pub run: f64,
    pub computing: f64,
    pub together: f64,
}

impl Times {
    pub fn whole(&self) -> f64 {
        self.packing + self.waiting + self.transfer + self.unpacking
    }

    fn all(&mut self) -> [&mut f64; 8] {
        let Self { set_up, packing, waiting, transfer, unpacking, run, computing, together } = self;
        [set_up, packing, waiting, transfer, unpacking, run, computing, together]
    }
}

struct Outboxes {
    messages: Vec<RwLock<Vec<Vec<f64>>>>,
    envelopes: Vec<Vec<Envelope>>,
}

pub fn measure(case: &Case, rounds: usize) -> anyhow::Result<Vec<Times>> {
    let ranks = ranks();
    let plan = case.plan(ranks)?;
    let runtime = RuntimePlan::<f64, 1>::from(plan);
    let envelopes = |rank| runtime.binder().packing(rank).envelopes().to_vec();
    let outboxes = Outboxes {
        messages: (0..ranks).map(|rank| RwLock::new(messages(&envelopes(rank)))).collect(),
        envelopes: (0..ranks).map(envelopes).collect(),
    };
    let measured = threads::run(ranks, |rank| measured(plan, rank, &outboxes, rounds))
        .map_err(|error| anyhow!("{}: {error}", case.name))?;
    let mean = |round: usize| {
        let mut mean = Times::default();
        for times in &measured {
            let mut times = times[round];
            for (sum, time) in mean.all().into_iter().zip(times.all()) {
                *sum += *time / ranks as f64;
            }
        }
        mean
    };
    Ok((0..rounds).map(mean).collect())
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
        round.set_up = timed(|| RuntimePlan::<f64, 1>::from(plan).bind(rank).map(drop))?;
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
    let runtime = RuntimePlan::<f64, 1>::from(plan);
    let (packing, unpacking) = (runtime.binder().packing(rank), runtime.binder().unpacking(rank));
    let source: Vec<f64> = (0..packing.local_len()).map(|index| index as f64).collect();
    let mut destination = vec![0.0; unpacking.local_len()];
    let mut inbox = messages(unpacking.envelopes());
    barrier.wait()?;
    let packed = seconds(|| {
        let mut own = outboxes.messages[rank].write().expect("no rank panics");
        let mut out: Vec<&mut [f64]> = own.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&source, &mut out);
    });
    let waited = timed(|| barrier.wait())?;
    let transfer = seconds(|| {
        for (message, envelope) in inbox.iter_mut().zip(unpacking.envelopes()) {
            let place = outboxes.envelopes[envelope.rank].iter().position(|it| it.rank == rank);
            let sent = outboxes.messages[envelope.rank].read().expect("no rank panics");
            message.copy_from_slice(&sent[place.expect("both sides list a message")]);
        }
    });
    let unpacked = seconds(|| {
        let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
        unpacking.unpack(&mut destination, &arrived);
    });
    black_box(&destination);
    let waiting = waited + timed(|| barrier.wait())?;
    Ok(Times { packing: packed, waiting, transfer, unpacking: unpacked, ..Times::default() })
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
