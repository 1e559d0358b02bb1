//! The experiments of Park, Prasanna and Raghavendra: every schedule of every case and size.

use crate::exchange::{Messages, Partners, Scheme, partners};
use crate::latency::Latency;
use crate::phases::{all_right, milliseconds, of_all, phase};
use mpi::request::scope;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::plan::schedule::Method as Schedule;
use redist::transport::Route;
use redist::{Bound, Plan, Redistribution, Side, TypedPlan};
use redist_measuring::{Measured, Method, Spread};
use redist_moves::arrays::{filled, wrong};
use redist_moves::ranks::{Network, Worker};
use redist_moves::wall::{now, wall};
use redist_study::ScheduledCase;
use redist_study::links::TimedSchedule;
use redist_study::matchings::Order;
use redist_study::messages::MessagePieces;
use std::error::Error;
use std::fmt;
use std::hint::black_box;

/// Elements have 4 bytes, as the paper's.
type Element = f32;

/// Elements of a rank of the larger side: from 8 KiB, where startups count, to 1 MiB, which exceeds
/// the buffers of switches and shapers.
const ELEMENTS_PER_RANK: [usize; 4] = [1 << 11, 1 << 14, 1 << 16, 1 << 18];

/// Figures of the runs: of a rank's whole time, and of its transfer of data.
const WHOLE: [&str; 4] = ["most", "mean", "median", "least"];
const TRANSFER: [&str; 4] =
    ["transfer, most", "transfer, mean", "transfer, median", "transfer, least"];
const SCHEDULE: &str = "schedule";

/// How the messages of a schedule are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Packs, sends, receives and unpacks one message a step, as in the paper.
    Steps,
    Phases,
    Library,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Steps => "in steps",
            Way::Phases => "in phases",
            Way::Library => "by the library",
        })
    }
}

/// One rank, with its arrays and messages.
struct Rank<'a> {
    world: &'a SimpleCommunicator,
    plan: Plan<1>,
    /// Number in the world of the first destination: sources come before it.
    first: usize,
    /// This rank's number in the world.
    rank: usize,
    source: Vec<Element>,
    destination: Vec<Element>,
    messages: Messages<Element>,
}

/// A schedule in a way, with its runs: seconds, means over the ranks.
struct Contestant {
    order: Order,
    way: Way,
    bound: Option<Bound<Element, 1>>,
    /// A rank's whole time.
    runs: Vec<f64>,
    /// Of that, neither computing the schedule nor indices, packing or unpacking; empty for a move
    /// by the library.
    transfers: Vec<f64>,
    /// Computing the schedule, for each run.
    schedules: Vec<f64>,
}

/// Seconds of one rank in one run.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Computing the schedule.
    schedule: f64,
    /// Indices, packing and unpacking.
    packing: f64,
    /// From the start to this rank's end.
    whole: f64,
}

pub fn cases(ranks: usize) -> Vec<ScheduledCase> {
    let fits = |case: &ScheduledCase| case.ranks.0 + case.ranks.1 == ranks;
    ScheduledCase::timed().into_iter().filter(fits).collect()
}

fn ways(plan: &Plan<1>) -> Vec<(Order, Way)> {
    let all = Order::of(plan);
    let has_circulant = all.contains(&Order::Planner(Schedule::Circulant));
    let closed = if has_circulant { Schedule::Circulant } else { Schedule::ClosedForm };
    let some = [Schedule::AllAtOnce, closed, Schedule::Caterpillar].map(Order::Planner);
    let steps = all.into_iter().map(|order| (order, Way::Steps));
    let beside = [Way::Phases, Way::Library].map(|way| some.map(|order| (order, way)));
    steps.chain(beside.into_iter().flatten()).collect()
}

fn name(elements: usize, order: Order, way: Way) -> String {
    format!("{elements} | {way} | {order}")
}

pub fn measure(
    case: &ScheduledCase,
    world: &SimpleCommunicator,
    worker: &Worker,
) -> Result<Vec<Method>, Box<dyn Error>> {
    let mut told = Vec::new();
    for elements in ELEMENTS_PER_RANK {
        let plan = case.disjoint(elements)?;
        let mut rank = Rank::new(world, plan, case.ranks.0);
        let mut all = Vec::new();
        for (order, way) in ways(&plan) {
            all.push(Contestant::new(&plan, order, way, world)?);
        }
        let totals = worker.turns.take(all.len(), |number| rank.run(&mut all[number]))?;
        for (contestant, totals) in all.iter().zip(totals) {
            told.extend(contestant.told(elements, &totals)?);
        }
    }
    Ok(told)
}

impl Contestant {
    fn new(
        plan: &Plan<1>,
        order: Order,
        way: Way,
        world: &SimpleCommunicator,
    ) -> Result<Self, Box<dyn Error>> {
        let bound = match (order, way) {
            (Order::Planner(method), Way::Library) => {
                let plan = TypedPlan::<Element, 1>::from(*plan);
                Some(plan.binder().route(Route::Messages).method(method).bind(world)?)
            }
            _ => None,
        };
        let (runs, transfers, schedules) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { order, way, bound, runs, transfers, schedules })
    }

    fn told(&self, elements: usize, totals: &[f64]) -> Result<Vec<Method>, Box<dyn Error>> {
        let name = name(elements, self.order, self.way);
        let mut told = vec![phase(&name, "total", totals)];
        let mut tell = |words: &[&str], runs: &[f64]| {
            let figures = figures(runs).ok_or("there are no runs")?;
            let of = words.iter().zip(figures);
            told.extend(of.map(|(word, figure)| phase(&name, word, &[figure])));
            Ok::<_, &str>(())
        };
        // The first run warms up.
        tell(&WHOLE, &self.runs[1..])?;
        if !self.transfers.is_empty() {
            tell(&TRANSFER, &self.transfers[1..])?;
        }
        told.push(phase(&name, SCHEDULE, &[mean(&self.schedules[1..])]));
        Ok(told)
    }
}

/// Returns the longest, mean, median and shortest of the runs.
fn figures(runs: &[f64]) -> Option<[f64; 4]> {
    let ends = Spread::of(runs.to_vec())?;
    Some([ends.most, mean(runs), ends.median, ends.least])
}

fn mean(runs: &[f64]) -> f64 {
    runs.iter().sum::<f64>() / runs.len() as f64
}

impl<'a> Rank<'a> {
    fn new(world: &'a SimpleCommunicator, plan: Plan<1>, first: usize) -> Self {
        let rank = Communicator::rank(world) as usize;
        let ranks = Communicator::size(world) as usize;
        let messages = Messages::of(&plan, (rank, ranks), Latency(0.0), 0.0);
        let source = filled(&plan, Side::Source, rank);
        let destination = vec![0.0; plan.descriptor(Side::Destination).local_len(rank)];
        Self { world, plan, first, rank, source, destination, messages }
    }

    fn run(&mut self, contestant: &mut Contestant) -> Result<f64, Box<dyn Error>> {
        let Contestant { order, way, bound, runs, transfers, schedules } = contestant;
        let world = self.world;
        self.destination.fill(0.0);
        let (mut mine, mut result) = (Times::default(), Ok(()));
        let total = wall(world, || {
            let start = now();
            match bound {
                Some(bound) => result = bound.run(&self.source, &mut self.destination),
                None => {
                    let steps = self.partners(*order);
                    mine.schedule = now() - start;
                    mine.packing = match way {
                        Way::Steps => self.in_steps(steps.as_deref()),
                        _ => self.in_phases(steps.as_deref()),
                    };
                }
            }
            mine.whole = now() - start;
        });
        result?;
        self.check(*order, *way)?;
        let of_ranks = |mine| mean(&of_all(world, mine));
        runs.push(of_ranks(mine.whole));
        if bound.is_none() {
            transfers.push(of_ranks(mine.whole - mine.schedule - mine.packing));
        }
        schedules.push(of_ranks(mine.schedule));
        Ok(total)
    }

    fn partners(&self, order: Order) -> Option<Vec<Partners>> {
        let schedule = order.schedule(black_box(&self.plan)).ok().flatten()?;
        Some(partners(&*schedule, self.first, self.rank))
    }

    fn pieces(&self) -> MessagePieces {
        match self.rank.checked_sub(self.first) {
            None => MessagePieces::of(&self.plan.axis(0), self.rank),
            Some(destination) => MessagePieces::of(&self.plan.inverse().axis(0), destination),
        }
    }

    /// As in the paper, a source packs and sends its next message while the destination unpacks.
    /// Returns the seconds of indices, packing and unpacking.
    fn in_steps(&mut self, steps: Option<&[Partners]>) -> f64 {
        let (pieces, mut packing) = timed(|| self.pieces());
        let Some(steps) = steps else { return packing + self.at_once(&pieces) };
        let Self { world, first, source, destination, messages, .. } = self;
        for (to, from) in steps {
            if let Some(to) = to.filter(|to| !messages.outgoing[*to].is_empty()) {
                let message = &mut messages.outgoing[to];
                packing += timed(|| pieces.pack(to - *first, source, message)).1;
                world.process_at_rank(to as i32).send(&message[..]);
            }
            if let Some(from) = from.filter(|from| !messages.incoming[*from].is_empty()) {
                let message = &mut messages.incoming[from];
                world.process_at_rank(from as i32).receive_into(&mut message[..]);
                packing += timed(|| pieces.unpack(from, message, destination)).1;
            }
        }
        packing
    }

    /// Sends a packed message at once, and unpacks one when it comes. Returns the seconds of packing
    /// or unpacking.
    fn at_once(&mut self, pieces: &MessagePieces) -> f64 {
        let Self { world, first, rank, source, destination, messages, .. } = self;
        let mut packing = 0.0;
        if *rank >= *first {
            messages.exchange_by(Scheme::AnyOrder, world, |from, message| {
                packing += timed(|| pieces.unpack(from, message, destination)).1;
            });
            return packing;
        }
        scope(|scope| {
            let mut pending = Vec::new();
            let outgoing = messages.outgoing.iter_mut().enumerate();
            for (to, message) in outgoing.filter(|(_, message)| !message.is_empty()) {
                packing += timed(|| pieces.pack(to - *first, source, message)).1;
                let to = world.process_at_rank(to as i32);
                pending.push(to.immediate_send(scope, &message[..]));
            }
            pending.into_iter().for_each(|request| {
                request.wait();
            });
        });
        packing
    }

    /// Packs all, exchanges, unpacks all. Returns the seconds of indices, packing and unpacking.
    fn in_phases(&mut self, steps: Option<&[Partners]>) -> f64 {
        let (pieces, listing) = timed(|| self.pieces());
        let Self { world, first, source, destination, messages, .. } = self;
        let (_, packing) = timed(|| {
            let outgoing = messages.outgoing.iter_mut().enumerate();
            for (to, message) in outgoing.filter(|(_, message)| !message.is_empty()) {
                pieces.pack(to - *first, source, message);
            }
        });
        match steps {
            Some(steps) => messages.exchange_in_steps(world, steps),
            None => messages.exchange_by(Scheme::AnyOrder, world, |_, _| ()),
        }
        let (_, unpacking) = timed(|| {
            let incoming = messages.incoming.iter().enumerate();
            for (from, message) in incoming.filter(|(_, message)| !message.is_empty()) {
                pieces.unpack(from, message, destination);
            }
        });
        listing + packing + unpacking
    }

    fn check(&self, order: Order, way: Way) -> Result<(), Box<dyn Error>> {
        let right = wrong(&self.plan, self.rank, &self.destination) == 0;
        match all_right(self.world, right) {
            true => Ok(()),
            false => Err(format!("{order}, {way}: a wrong result on a rank").into()),
        }
    }
}

/// Does some work, and returns its seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = now();
    let done = work();
    (done, now() - start)
}

pub fn lines(measured: &Measured, network: &Network) -> Result<Vec<TimedSchedule>, Box<dyn Error>> {
    let number: usize = measured.task.row.parse()?;
    let case = &cases(measured.task.ranks)[number];
    let mut lines = Vec::new();
    for elements in ELEMENTS_PER_RANK {
        let plan = case.disjoint(elements)?;
        for (order, way) in ways(&plan) {
            lines.push(line(case, elements, (order, way), measured, network)?);
        }
    }
    Ok(lines)
}

fn line(
    case: &ScheduledCase,
    elements: usize,
    (order, way): (Order, Way),
    measured: &Measured,
    network: &Network,
) -> Result<TimedSchedule, Box<dyn Error>> {
    let plan = case.disjoint(elements)?;
    let name = name(elements, order, way);
    let of = |phase| milliseconds(measured, &name, phase).map(|spread| spread.median);
    let told = |phase| of(phase).ok_or("a phase was not told");
    let [most, mean, median, least] = WHOLE.map(told);
    let [transfer_most, transfer_mean, transfer_median, transfer_least] = TRANSFER.map(of);
    let steps = order.schedule(&plan)?.map_or(0, |schedule| schedule.steps());
    Ok(TimedSchedule {
        nodes: network.nodes,
        link: network.link.to_string(),
        family: case.family.into(),
        source_block: case.blocks.0,
        destination_block: case.blocks.1,
        sources: case.ranks.0,
        destinations: case.ranks.1,
        extent: plan.extents()[0],
        bytes: elements * size_of::<Element>(),
        way: way.to_string(),
        method: order.to_string(),
        steps,
        wire: network.wire(&plan, size_of::<Element>()) * 1e3,
        schedule: told(SCHEDULE)?,
        most: most?,
        mean: mean?,
        median: median?,
        least: least?,
        transfer_most,
        transfer_mean,
        transfer_median,
        transfer_least,
        total: told("total")?,
    })
}
