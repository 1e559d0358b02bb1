//! The experiments of Park, Prasanna and Raghavendra: every schedule of every case, in phases as
//! in the paper, and as the library moves.

use super::exchange::{Messages, Partners, partners};
use super::phases::{all_right, alone, milliseconds, of_all, phase};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::plan::schedule::Method as Schedule;
use redist::transport::Route;
use redist::{Bound, Plan, Redistribution, RuntimePlan, Side};
use redist_measuring::{Measured, Method, Spread, median};
use redist_moves::arrays::{filled, wrong};
use redist_moves::ranks::{Network, Worker};
use redist_moves::wall::{now, wall};
use redist_study::ScheduledCase;
use redist_study::links::TimedSchedule;
use std::error::Error;
use std::hint::black_box;

/// Elements of a rank of the larger side: 4 MiB, which is much more than a switch's buffer and what
/// passes a link's shaper at once.
const ELEMENTS_PER_RANK: usize = 1 << 19;

/// What is told of the ranks' transfers.
const TRANSFERS: [&str; 4] = ["most", "mean", "median", "least"];

/// Samples of what is measured beside the total, a number a round.
#[derive(Default)]
struct Samples {
    schedule: Vec<f64>,
    /// As in [`TRANSFERS`].
    transfer: [Vec<f64>; 4],
}

/// One rank, one plan: all that methods share.
struct Rank<'a> {
    world: &'a SimpleCommunicator,
    plan: Plan<1>,
    rank: usize,
    source: Vec<f64>,
    destination: Vec<f64>,
    messages: Messages<f64>,
}

/// All cases that fit the number of ranks.
pub fn cases(ranks: usize) -> Vec<ScheduledCase> {
    let fits = |case: &ScheduledCase| case.ranks.0.max(case.ranks.1) == ranks;
    ScheduledCase::timed().into_iter().filter(fits).collect()
}

/// Those that the redistribution has.
fn schedules(plan: &Plan<1>) -> Vec<Schedule> {
    Schedule::ALL.into_iter().filter(|method| plan.schedule(*method).is_ok()).collect()
}

/// Measures a case: each schedule in phases and each by the library, all in turn.
///
/// # Errors
/// A wrong result.
pub fn measure(
    case: &ScheduledCase,
    world: &SimpleCommunicator,
    worker: &Worker,
) -> Result<Vec<Method>, Box<dyn Error>> {
    let plan = case.plan(ELEMENTS_PER_RANK)?;
    let mut rank = Rank::new(world, plan);
    let mut ways = Vec::new();
    for method in schedules(&plan) {
        let binder = RuntimePlan::<f64, 1>::from(plan);
        let bound = binder.binder().route(Route::Messages).method(method).bind(world)?;
        ways.push((method, bound, Samples::default()));
    }
    let turns = worker.turns.take(2 * ways.len(), |number| {
        let (method, bound, samples) = &mut ways[number / 2];
        match number % 2 {
            0 => rank.phases(*method, samples),
            _ => rank.moved(*method, bound),
        }
    })?;
    let mut told = Vec::new();
    for ((method, _, samples), totals) in ways.iter().zip(turns.chunks(2)) {
        let name = method.to_string();
        told.push(phase(&name, "total", &totals[0]));
        told.push(phase(&name, "moved", &totals[1]));
        // The first of each is of the round that warms up.
        told.push(phase(&name, "schedule", &samples.schedule[1..]));
        for (word, transfer) in TRANSFERS.iter().zip(&samples.transfer) {
            told.push(phase(&name, word, &transfer[1..]));
        }
    }
    Ok(told)
}

impl<'a> Rank<'a> {
    fn new(world: &'a SimpleCommunicator, plan: Plan<1>) -> Self {
        let rank = Communicator::rank(world) as usize;
        let others = 0..Communicator::size(world) as usize;
        let empty = |volume: usize| vec![0.0; volume];
        let messages = Messages {
            outgoing: others.clone().map(|to| empty(plan.volume(rank, to))).collect(),
            incoming: others.map(|from| empty(plan.volume(from, rank))).collect(),
        };
        let source = filled(&plan, Side::Source, rank);
        let destination = vec![0.0; plan.descriptor(Side::Destination).local_len(rank)];
        Self { world, plan, rank, source, destination, messages }
    }

    /// In phases. Returns the seconds of everything.
    fn phases(&mut self, method: Schedule, samples: &mut Samples) -> Result<f64, Box<dyn Error>> {
        let world = self.world;
        let mine = alone(world, || {
            black_box(self.partners(method));
        });
        samples.schedule.push(median(&of_all(world, mine)));
        self.destination.fill(0.0);
        let mut mine = 0.0;
        let total = wall(world, || mine = self.in_phases(method));
        let all = of_all(world, mine);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let ends = Spread::of(all).ok_or("there are no ranks")?;
        let of_ranks = [ends.most, mean, ends.median, ends.least];
        samples.transfer.iter_mut().zip(of_ranks).for_each(|(kept, sample)| kept.push(sample));
        self.check(method, "in phases")?;
        Ok(total)
    }

    /// By the library.
    fn moved(
        &mut self,
        method: Schedule,
        bound: &mut Bound<f64, 1>,
    ) -> Result<f64, Box<dyn Error>> {
        let Self { source, destination, .. } = self;
        destination.fill(0.0);
        let mut result = Ok(());
        let moved = wall(self.world, || result = bound.run(source, destination));
        result?;
        self.check(method, "by the library")?;
        Ok(moved)
    }

    /// This rank's partners in every step; `None` for all at once.
    fn partners(&self, method: Schedule) -> Option<Vec<Partners>> {
        let schedule = black_box(&self.plan).schedule(method).ok().flatten()?;
        Some(partners(&*schedule, self.rank))
    }

    fn transfer(&mut self, steps: Option<&[Partners]>) {
        match steps {
            Some(steps) => self.messages.exchange_in_steps(self.world, steps),
            None => self.messages.exchange(self.world),
        }
    }

    /// Plans, packs everything, exchanges and unpacks, one after the other. Returns the seconds of
    /// the transfer alone, which include the wait for a partner that still packs.
    fn in_phases(&mut self, method: Schedule) -> f64 {
        let steps = self.partners(method);
        let plan = RuntimePlan::<f64, 1>::from(self.plan);
        let packing = plan.packing(self.rank);
        let mut buffers: Vec<Option<&mut [f64]>> =
            self.messages.outgoing.iter_mut().map(|message| Some(&mut message[..])).collect();
        let in_order = packing.envelopes().iter().filter_map(|to| buffers[to.rank].take());
        packing.pack(&self.source, &mut in_order.collect::<Vec<_>>());
        let start = now();
        self.transfer(steps.as_deref());
        let transferred = now() - start;
        let unpacking = plan.unpacking(self.rank);
        let in_order = unpacking.envelopes().iter().map(|from| &self.messages.incoming[from.rank]);
        let in_order: Vec<&[f64]> = in_order.map(Vec::as_slice).collect();
        unpacking.unpack(&mut self.destination, &in_order);
        transferred
    }

    fn check(&self, method: Schedule, how: &str) -> Result<(), Box<dyn Error>> {
        let right = wrong(&self.plan, self.rank, &self.destination) == 0;
        match all_right(self.world, right) {
            true => Ok(()),
            false => Err(format!("{method}, {how}: a wrong result on a rank").into()),
        }
    }
}

/// What the processes told of a case: a line for each schedule.
///
/// # Errors
/// A case that the planner refuses.
pub fn lines(measured: &Measured, network: &Network) -> Result<Vec<TimedSchedule>, Box<dyn Error>> {
    let number: usize = measured.task.row.parse()?;
    let case = &cases(measured.task.ranks)[number];
    let plan = case.plan(ELEMENTS_PER_RANK)?;
    let line = |method| line(case, &plan, method, measured, network);
    schedules(&plan).into_iter().map(line).collect()
}

fn line(
    case: &ScheduledCase,
    plan: &Plan<1>,
    method: Schedule,
    measured: &Measured,
    network: &Network,
) -> Result<TimedSchedule, Box<dyn Error>> {
    let name = method.to_string();
    let of = |phase| milliseconds(measured, &name, phase).ok_or("a phase was not told");
    let [most, mean, middle, least] = TRANSFERS;
    Ok(TimedSchedule {
        nodes: network.nodes,
        link: network.link.to_string(),
        family: case.family.into(),
        source_block: case.blocks.0,
        destination_block: case.blocks.1,
        sources: case.ranks.0,
        destinations: case.ranks.1,
        extent: plan.extents()[0],
        method: name.clone(),
        steps: plan.schedule(method)?.map_or(0, |schedule| schedule.steps()),
        wire: network.wire(plan, size_of::<f64>()) * 1e3,
        schedule: of("schedule")?.median,
        transfer_most: of(most)?.median,
        transfer_mean: of(mean)?.median,
        transfer_median: of(middle)?.median,
        transfer_least: of(least)?.median,
        total: of("total")?.median,
        moved: of("moved")?.median,
        total_apart: of("total")?.relative(),
        moved_apart: of("moved")?.relative(),
    })
}
