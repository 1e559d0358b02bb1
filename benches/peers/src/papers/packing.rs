//! The experiments of Hsu and Chung: every way to pack and unpack, with the same exchange between,
//! and a move by the library.

use super::exchange::Messages;
use super::{all_right, milliseconds, network, of_all, tell, wire};
use crate::options::Options;
use crate::timing::{now, wall};
use crate::worker::arrays::{filled, wrong};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Bound, Plan, Redistribution, RuntimePlan, Side};
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

/// Seconds of one method, a number a repetition.
#[derive(Default)]
struct Samples {
    communication: Vec<f64>,
    total: Vec<f64>,
}

/// Measures the paper's extents and blocks on as many ranks as there are.
///
/// # Errors
/// A wrong result.
pub fn measure(world: &SimpleCommunicator, options: &Options) -> Result<(), Box<dyn Error>> {
    let ranks = Communicator::size(world) as usize;
    for case in KrCase::all(&ELEMENTS, ranks) {
        measure_case(case, world, options)?;
    }
    Ok(())
}

fn measure_case(
    case: KrCase,
    world: &SimpleCommunicator,
    options: &Options,
) -> Result<(), Box<dyn Error>> {
    let mut rank = Rank::new(world, case);
    let methods = packing::all();
    // Items of the macro are made for the paper's number of ranks.
    let methods: Vec<_> = methods.iter().filter(|method| method.name() != Macro.name()).collect();
    let mut bound = RuntimePlan::<f32, 1>::from(rank.plan).bind(world)?;
    let mut samples: Vec<Samples> = methods.iter().map(|_| Samples::default()).collect();
    let mut moves = Vec::new();
    // The first round warms up. Another method goes first in every round.
    for round in 0..=options.repetitions {
        for number in (0..methods.len()).map(|number| (number + round) % methods.len()) {
            let (communication, total) = rank.measure(&**methods[number])?;
            if round > 0 {
                samples[number].communication.push(communication);
                samples[number].total.push(total);
            }
        }
        let moved = rank.moved(&mut bound)?;
        moves.extend((round > 0).then_some(moved));
    }
    for (method, Samples { communication, total }) in methods.iter().zip(samples) {
        let communication = Some(milliseconds(communication));
        let total = milliseconds(total);
        tell(world, &rank.row(method.name(), communication, total, options)?)?;
    }
    tell(world, &rank.row(MOVE, None, milliseconds(moves), options)?)
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

    fn row(
        &self,
        method: &str,
        communication: Option<f64>,
        total: f64,
        options: &Options,
    ) -> Result<TimedMove, Box<dyn Error>> {
        let (case, network) = (&self.case, network(options)?);
        Ok(TimedMove {
            nodes: network.0,
            link: network.1.to_string(),
            ranks: case.ranks,
            elements: case.elements,
            source: case.word(Side::Source),
            destination: case.word(Side::Destination),
            direction: case.direction().into(),
            k: case.k,
            r: case.r,
            method: method.into(),
            wire: wire(&self.plan, size_of::<f32>(), network),
            communication,
            total,
        })
    }
}
