//! The experiments of Hsu and Chung: every way to pack and unpack, with the same exchange between,
//! and a move by the library.

use super::exchange::Messages;
use super::phases::{all_right, milliseconds, of_all, phase};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Bound, Plan, Redistribution, RuntimePlan, Side};
use redist_measuring::{Measured, Method};
use redist_moves::arrays::{filled, wrong};
use redist_moves::ranks::{Network, Worker};
use redist_moves::wall::{now, wall};
use redist_study::links::TimedMove;
use redist_study::packing::{self, ELEMENTS, KrCase, Macro, PackingMethod};
use std::error::Error;

/// What the library does in one call, with a plan that was made before.
const MOVE: &str = "redist, a move";

/// One rank, one case.
struct Rank<'a> {
    world: &'a SimpleCommunicator,
    case: KrCase,
    plan: Plan<1>,
    rank: usize,
    source: Vec<f32>,
    destination: Vec<f32>,
    messages: Messages<f32>,
}

/// The paper's extents and blocks on as many ranks.
pub fn cases(ranks: usize) -> Vec<KrCase> {
    KrCase::all(&ELEMENTS, ranks)
}

/// All methods but the macro's items, which are made for the paper's number of ranks.
fn methods() -> Vec<Box<dyn PackingMethod>> {
    packing::all().into_iter().filter(|method| method.name() != Macro.name()).collect()
}

/// Measures a case: all methods, and a move by the library, in turn.
///
/// # Errors
/// A wrong result.
pub fn measure(
    case: KrCase,
    world: &SimpleCommunicator,
    worker: &Worker,
) -> Result<Vec<Method>, Box<dyn Error>> {
    let mut rank = Rank::new(world, case);
    let methods = methods();
    let mut bound = RuntimePlan::<f32, 1>::from(rank.plan).bind(world)?;
    let mut communication = vec![Vec::new(); methods.len()];
    let totals = worker.turns.take(methods.len() + 1, |number| match methods.get(number) {
        Some(method) => {
            let (exchange, total) = rank.measure(&**method)?;
            communication[number].push(exchange);
            Ok::<_, Box<dyn Error>>(total)
        }
        None => rank.moved(&mut bound),
    })?;
    let mut told = Vec::new();
    for ((method, exchange), total) in methods.iter().zip(&communication).zip(&totals) {
        // The first is of the round that warms up.
        told.push(phase(method.name(), "communication", &exchange[1..]));
        told.push(phase(method.name(), "total", total));
    }
    told.extend(totals.last().map(|moves| phase(MOVE, "total", moves)));
    Ok(told)
}

impl<'a> Rank<'a> {
    fn new(world: &'a SimpleCommunicator, case: KrCase) -> Self {
        let (plan, rank) = (case.plan(), Communicator::rank(world) as usize);
        let others = 0..case.ranks;
        let messages = Messages {
            outgoing: others.clone().map(|to| vec![0.0; plan.volume(rank, to)]).collect(),
            incoming: others.map(|from| vec![0.0; plan.volume(from, rank)]).collect(),
        };
        let source = filled(&plan, Side::Source, rank);
        let destination = vec![0.0; plan.descriptor(Side::Destination).local_len(rank)];
        Self { world, case, plan, rank, source, destination, messages }
    }

    /// Seconds of the exchange, on the rank that takes longest, and of everything.
    fn measure(&mut self, method: &dyn PackingMethod) -> Result<(f64, f64), Box<dyn Error>> {
        let world = self.world;
        self.destination.fill(0.0);
        let mut communication = 0.0;
        let total = wall(world, || {
            let Self { case, rank, source, destination, messages, .. } = self;
            let mut outgoing: Vec<&mut [f32]> =
                messages.outgoing.iter_mut().map(Vec::as_mut_slice).collect();
            method.pack(case, *rank, source, &mut outgoing);
            let start = now();
            messages.exchange(world);
            communication = now() - start;
            let incoming: Vec<&[f32]> = messages.incoming.iter().map(Vec::as_slice).collect();
            method.unpack(case, *rank, &incoming, destination);
        });
        self.check(method.name())?;
        let longest = of_all(world, communication).into_iter().fold(0.0, f64::max);
        Ok((longest, total))
    }

    fn moved(&mut self, bound: &mut Bound<f32, 1>) -> Result<f64, Box<dyn Error>> {
        self.destination.fill(0.0);
        let mut result = Ok(());
        let total = wall(self.world, || {
            result = bound.run(&self.source, &mut self.destination);
        });
        result?;
        self.check(MOVE)?;
        Ok(total)
    }

    fn check(&self, method: &str) -> Result<(), Box<dyn Error>> {
        match all_right(self.world, wrong(&self.plan, self.rank, &self.destination) == 0) {
            true => Ok(()),
            false => Err(format!("{method}, {:?}: a wrong result on a rank", self.case).into()),
        }
    }
}

/// What the processes told of a case: a line for each method.
///
/// # Errors
/// A number that no case has.
pub fn lines(measured: &Measured, network: &Network) -> Result<Vec<TimedMove>, Box<dyn Error>> {
    let number: usize = measured.task.row.parse()?;
    let case = cases(measured.task.ranks)[number];
    let names = methods().iter().map(|method| method.name()).chain([MOVE]).collect::<Vec<_>>();
    names.into_iter().map(|name| line(&case, name, measured, network)).collect()
}

fn line(
    case: &KrCase,
    method: &str,
    measured: &Measured,
    network: &Network,
) -> Result<TimedMove, Box<dyn Error>> {
    let total = milliseconds(measured, method, "total").ok_or("a method was not told")?;
    let exchange = milliseconds(measured, method, "communication");
    Ok(TimedMove {
        nodes: network.nodes,
        link: network.link.to_string(),
        ranks: case.ranks,
        elements: case.elements,
        source: case.word(Side::Source),
        destination: case.word(Side::Destination),
        direction: case.direction().into(),
        k: case.k,
        r: case.r,
        method: method.into(),
        wire: network.wire(&case.plan(), size_of::<f32>()) * 1e3,
        communication: exchange.map(|exchange| exchange.median),
        total: total.median,
        total_apart: total.relative(),
    })
}
