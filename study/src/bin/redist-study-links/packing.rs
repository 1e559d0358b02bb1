//! The experiments of Hsu and Chung: every method in every scheme, and moves by the library.

use crate::exchange::{Messages, Scheme};
use crate::latency::Latency;
use crate::phases::{all_right, milliseconds, of_all, phase};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Bound, Plan, Redistribution, Side, TypedPlan};
use redist_measuring::{Measured, Method};
use redist_moves::arrays::{filled, wrong};
use redist_moves::ranks::{Network, Worker};
use redist_moves::wall::{now, wall};
use redist_study::links::TimedMove;
use redist_study::packing::{self, ELEMENTS, KrCase, Macro, PackingMethod};
use std::error::Error;

/// Moves of the library in one call, planned before. Their messages carry no latency.
const MOVES: [&str; 2] = ["redist, a move", "redist, a move by the macro"];

const PARTS: [&str; 2] = ["packing", "communication"];

/// Seconds of indices, packing and unpacking, and of the rest: of the slowest rank.
type Parts = [f64; 2];

/// One rank, with its arrays and messages.
struct Rank<'a> {
    world: &'a SimpleCommunicator,
    case: KrCase,
    plan: Plan<1>,
    /// This rank's number in the world.
    rank: usize,
    /// The part of the array before the move.
    source: Vec<f32>,
    /// The part of the array after the move.
    destination: Vec<f32>,
    /// Packed elements to and from each rank.
    messages: Messages<f32>,
}

/// Lists the paper's blocks: on 4 ranks with all of its extents, on more with the least.
pub fn cases(ranks: usize) -> Vec<KrCase> {
    KrCase::all(if ranks == 4 { &ELEMENTS } else { &ELEMENTS[..1] }, ranks)
}

fn moves(latency: Latency) -> &'static [&'static str] {
    if latency.0 > 0.0 { &[] } else { &MOVES }
}

fn ways() -> Vec<(Box<dyn PackingMethod>, Scheme)> {
    let of_scheme = |scheme| packing::all().into_iter().map(move |method| (method, scheme));
    Scheme::ALL.into_iter().flat_map(of_scheme).collect()
}

fn name(method: &str, scheme: &str) -> String {
    format!("{method} | {scheme}")
}

pub fn measure(
    case: KrCase,
    world: &SimpleCommunicator,
    (worker, latency): (&Worker, Latency),
) -> Result<Vec<Method>, Box<dyn Error>> {
    let mut rank = Rank::new(world, case, latency);
    let ways = ways();
    let mut bound = [TypedPlan::<f32, 1>::from(rank.plan).bind(world)?, Macro::bind(&case, world)?];
    let mut parts: Vec<Vec<Parts>> = vec![Vec::new(); ways.len()];
    let moves = moves(latency);
    let totals = worker.turns.take(ways.len() + moves.len(), |number| match ways.get(number) {
        Some((method, scheme)) => {
            let (part, total) = rank.measure(&**method, *scheme)?;
            parts[number].push(part);
            Ok::<_, Box<dyn Error>>(total)
        }
        None => rank.moved(moves[number - ways.len()], &mut bound[number - ways.len()]),
    })?;
    let mut told = Vec::new();
    for (((method, scheme), parts), total) in ways.iter().zip(&parts).zip(&totals) {
        let name = name(method.name(), &scheme.to_string());
        for (number, part) in PARTS.into_iter().enumerate() {
            // The first is of the round that warms up.
            let samples: Vec<f64> = parts[1..].iter().map(|parts| parts[number]).collect();
            told.push(phase(&name, part, &samples));
        }
        told.push(phase(&name, "total", total));
    }
    let moves = moves.iter().zip(&totals[ways.len()..]);
    told.extend(moves.map(|(way, total)| phase(&name(way, ""), "total", total)));
    Ok(told)
}

impl<'a> Rank<'a> {
    fn new(world: &'a SimpleCommunicator, case: KrCase, latency: Latency) -> Self {
        let (plan, rank) = (case.plan(), Communicator::rank(world) as usize);
        let messages = Messages::of(&plan, (rank, case.ranks), latency, 0.0);
        let source = filled(&plan, Side::Source, rank);
        let destination = vec![0.0; plan.descriptor(Side::Destination).local_len(rank)];
        Self { world, case, plan, rank, source, destination, messages }
    }

    /// Times the parts and the whole. Methods without an unpacker unpack at the end.
    fn measure(
        &mut self,
        method: &dyn PackingMethod,
        scheme: Scheme,
    ) -> Result<(Parts, f64), Box<dyn Error>> {
        let world = self.world;
        self.destination.fill(0.0);
        let (mut packing, mut whole) = (0.0, 0.0);
        let total = wall(world, || {
            let Self { case, rank, source, destination, messages, .. } = self;
            let begin = now();
            method.pack(case, *rank, source, &mut messages.pack_into());
            let unpacker = method.unpacker(case, *rank);
            packing = now() - begin;
            match unpacker {
                Some(mut unpack) => messages.exchange_by(scheme, world, |from, message| {
                    let start = now();
                    unpack(from, message, destination);
                    packing += now() - start;
                }),
                None => {
                    messages.exchange_by(scheme, world, |_, _| ());
                    let start = now();
                    method.unpack(case, *rank, &messages.unpack_from(), destination);
                    packing += now() - start;
                }
            }
            whole = now() - begin;
        });
        self.check(&name(method.name(), &scheme.to_string()))?;
        let longest = |mine| of_all(world, mine).into_iter().fold(0.0, f64::max);
        Ok(([longest(packing), longest(whole - packing)], total))
    }

    fn moved(&mut self, way: &str, bound: &mut Bound<f32, 1>) -> Result<f64, Box<dyn Error>> {
        self.destination.fill(0.0);
        let mut result = Ok(());
        let total = wall(self.world, || {
            result = bound.run(&self.source, &mut self.destination);
        });
        result?;
        self.check(way)?;
        Ok(total)
    }

    fn check(&self, method: &str) -> Result<(), Box<dyn Error>> {
        match all_right(self.world, wrong(&self.plan, self.rank, &self.destination) == 0) {
            true => Ok(()),
            false => Err(format!("{method}, {:?}: a wrong result on a rank", self.case).into()),
        }
    }
}

/// Returns the lines of a case, with a latency in seconds.
pub fn lines(
    measured: &Measured,
    network: &Network,
    latency: Latency,
) -> Result<Vec<TimedMove>, Box<dyn Error>> {
    let number: usize = measured.task.row.parse()?;
    let case = cases(measured.task.ranks)[number];
    let ways = ways();
    let ways = ways.iter().map(|(method, scheme)| (method.name(), scheme.to_string()));
    let all = ways.chain(moves(latency).iter().map(|way| (*way, String::new())));
    let line = |way| line(&case, way, measured, network);
    all.map(|way| Ok(TimedMove { latency: latency.0 * 1e6, ..line(way)? })).collect()
}

fn line(
    case: &KrCase,
    (method, scheme): (&str, String),
    measured: &Measured,
    network: &Network,
) -> Result<TimedMove, Box<dyn Error>> {
    let name = name(method, &scheme);
    let total = milliseconds(measured, &name, "total").ok_or("a method was not told")?;
    let part = |number: usize| Some(milliseconds(measured, &name, PARTS[number])?.median);
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
        scheme,
        latency: 0.0,
        wire: network.wire(&case.plan(), size_of::<f32>()) * 1e3,
        packing: part(0),
        communication: part(1),
        total: total.median,
        total_apart: total.relative(),
    })
}
