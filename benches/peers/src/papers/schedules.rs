//! The experiments of Park, Prasanna and Raghavendra: every schedule of every case, in phases as
//! in the paper, and as the library moves.

use super::exchange::{Messages, Partners, partners};
use super::{all_right, alone, milliseconds, network, of_all, tell, wire};
use crate::options::Options;
use crate::timing::{median, now, wall};
use crate::worker::arrays::{filled, wrong};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Plan, Redistribution, RuntimePlan, Side};
use redist_study::ScheduledCase;
use redist_study::links::TimedSchedule;
use std::error::Error;
use std::hint::black_box;

/// Elements of a rank of the larger side: 4 MiB, which is much more than a switch's buffer and what
/// passes a link's shaper at once.
const ELEMENTS_PER_RANK: usize = 1 << 19;

/// Samples of one method, a number a repetition.
#[derive(Default)]
struct Samples {
    schedule: Vec<f64>,
    /// Most, mean, median and least over the ranks.
    transfer: [Vec<f64>; 4],
    total: Vec<f64>,
    moved: Vec<f64>,
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

/// Measures all cases that fit the number of ranks.
///
/// # Errors
/// A wrong result.
pub fn measure(world: &SimpleCommunicator, options: &Options) -> Result<(), Box<dyn Error>> {
    let ranks = Communicator::size(world) as usize;
    let fits = |case: &ScheduledCase| case.ranks.0.max(case.ranks.1) == ranks;
    for case in ScheduledCase::timed().iter().filter(|case| fits(case)) {
        measure_case(case, world, options)?;
    }
    Ok(())
}

fn measure_case(
    case: &ScheduledCase,
    world: &SimpleCommunicator,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    let plan = case.plan(ELEMENTS_PER_RANK)?;
    let mut rank = Rank::new(world, plan);
    let mut methods = Vec::new();
    for method in Method::ALL.into_iter().filter(|method| plan.schedule(*method).is_ok()) {
        let binder = RuntimePlan::<f64, 1>::from(plan);
        let bound = binder.binder().route(Route::Messages).method(method).bind(world)?;
        methods.push((method, bound, Samples::default()));
    }
    // The first round warms up. Another method goes first in every round.
    for round in 0..=options.repetitions {
        let first = round % methods.len();
        methods.rotate_left(first);
        for (method, bound, samples) in &mut methods {
            rank.measure(*method, bound, samples)?;
            if round == 0 {
                *samples = Samples::default();
            }
        }
        methods.rotate_right(first);
    }
    for (method, _, samples) in methods {
        tell(world, &row(case, &plan, method, samples, options)?)?;
    }
    Ok(())
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

    fn measure(
        &mut self,
        method: Method,
        bound: &mut Bound<f64, 1>,
        samples: &mut Samples,
    ) -> Result<(), Box<dyn Error>> {
        let world = self.world;
        let mine = alone(world, || {
            black_box(self.partners(method));
        });
        samples.schedule.push(median(&mut of_all(world, mine)));
        self.destination.fill(0.0);
        let mut mine = 0.0;
        samples.total.push(wall(world, || mine = self.in_phases(method)));
        let mut all = of_all(world, mine);
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let middle = median(&mut all);
        let most = all.last().copied().unwrap_or_default();
        let of_ranks = [most, mean, middle, all.first().copied().unwrap_or_default()];
        samples.transfer.iter_mut().zip(of_ranks).for_each(|(kept, sample)| kept.push(sample));
        self.check(method, "in phases")?;
        let Self { source, destination, .. } = self;
        destination.fill(0.0);
        let mut result = Ok(());
        samples.moved.push(wall(world, || result = bound.run(source, destination)));
        result?;
        self.check(method, "by the library")
    }

    /// This rank's partners in every step; `None` for all at once.
    fn partners(&self, method: Method) -> Option<Vec<Partners>> {
        let schedule = black_box(&self.plan).schedule(method).ok().flatten()?;
        Some(partners(&*schedule, self.rank))
    }

    fn transfer(&mut self, steps: Option<&[Partners]>) {
        match steps {
            Some(steps) => self.messages.exchange_in_steps(self.world, steps),
            None => self.messages.exchange(self.world),
        }
    }

    /// One thing after the other, as the paper has it; nothing is planned before. Returns the
    /// seconds of the transfer alone, which have in them what a partner was late with packing.
    fn in_phases(&mut self, method: Method) -> f64 {
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

    fn check(&self, method: Method, how: &str) -> Result<(), Box<dyn Error>> {
        let right = wrong(&self.plan, self.rank, &self.destination) == 0;
        match all_right(self.world, right) {
            true => Ok(()),
            false => Err(format!("{method}, {how}: a wrong result on a rank").into()),
        }
    }
}

fn row(
    case: &ScheduledCase,
    plan: &Plan<1>,
    method: Method,
    samples: Samples,
    options: &Options,
) -> Result<TimedSchedule, Box<dyn Error>> {
    let [transfer_most, transfer_mean, transfer_median, transfer_least] =
        samples.transfer.map(milliseconds);
    let network = network(options)?;
    Ok(TimedSchedule {
        nodes: network.0,
        link: network.1.to_string(),
        family: case.family.into(),
        source_block: case.blocks.0,
        destination_block: case.blocks.1,
        sources: case.ranks.0,
        destinations: case.ranks.1,
        extent: plan.extents()[0],
        method: method.to_string(),
        steps: plan.schedule(method)?.map_or(0, |schedule| schedule.steps()),
        wire: wire(plan, size_of::<f64>(), network),
        schedule: milliseconds(samples.schedule),
        transfer_most,
        transfer_mean,
        transfer_median,
        transfer_least,
        total: milliseconds(samples.total),
        moved: milliseconds(samples.moved),
    })
}
