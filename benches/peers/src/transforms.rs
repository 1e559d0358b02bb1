//! C ← α op(A) + β C: redist's `run_with` beside `pdtran` and `pdgeadd`.

use crate::measured::{Measured, Method, Times};
use crate::options::Options;
use crate::timing::{median, wall};
use crate::worker::arrays::{differ, filled};
use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::exec::scale_add;
use redist::layout::RankOrder;
use redist::{Bound, Plan, Redistribution, RuntimePlan, Side};
use redist_scalapack::{Descriptor, Grid, Matrix, geadd, tran};
use std::hint::black_box;

/// Square matrices in square tiles, both on one grid.
struct Case {
    name: &'static str,
    /// Of the tiles of A, and of C.
    blocks: [usize; 2],
    transposed: bool,
    /// α and β: 1 and 0, a copy, or 2 and -1, where the second call undoes the first.
    factors: [f64; 2],
}

const EXTENT: usize = 4096;

const CASES: [Case; 6] = [
    case("Aᵀ, 64² → 64²", [64, 64], true, [1.0, 0.0]),
    case("Aᵀ, 64² → 32²", [64, 32], true, [1.0, 0.0]),
    case("2 Aᵀ − C, 64² → 32²", [64, 32], true, [2.0, -1.0]),
    case("2 A − C, 64² → 64²", [64, 64], false, [2.0, -1.0]),
    case("2 A − C, 64² → 32²", [64, 32], false, [2.0, -1.0]),
    case("2 A − C, 30² → 8²", [30, 8], false, [2.0, -1.0]),
];

const fn case(name: &'static str, blocks: [usize; 2], transposed: bool, factors: [f64; 2]) -> Case {
    Case { name, blocks, transposed, factors }
}

impl Case {
    fn plan(&self, [p, q]: [usize; 2]) -> RuntimePlan<f64, 2> {
        let tiles = |block| format!("scalapack({block}, {block}, {p}, {q})");
        let to = tiles(self.blocks[1]) + if self.transposed { " transposed" } else { "" };
        RuntimePlan::parse([EXTENT; 2], &tiles(self.blocks[0]), &to).expect("layouts of the table")
    }

    /// What C holds after so many calls, which began with zeros, where A's element is `moved`.
    fn expected(&self, calls: usize, moved: f64) -> f64 {
        match self.factors {
            [_, 0.0] => moved,
            _ if calls.is_multiple_of(2) => 0.0,
            _ => 2.0 * moved,
        }
    }
}

/// What computes C.
enum Peer {
    Redist(Box<Bound<f64, 2>>),
    ScaLapack { transposed: bool, a: Descriptor, c: Descriptor },
}

impl Peer {
    fn run(&mut self, [alpha, beta]: [f64; 2], a: &[f64], c: &mut [f64]) {
        match self {
            Peer::Redist(bound) if [alpha, beta] == [1.0, 0.0] => bound.run(a, c),
            Peer::Redist(bound) => bound.run_with(a, c, scale_add(alpha, beta)),
            Peer::ScaLapack { transposed, a: desc_a, c: desc_c } => {
                let a = Matrix { descriptor: desc_a, at: [0; 2], local: a };
                let c = Matrix { descriptor: desc_c, at: [0; 2], local: c };
                let routine = if *transposed { tran } else { geadd };
                routine(alpha, a, beta, c);
                Ok(())
            }
        }
        .expect("the arrays have the lengths of the plan");
    }
}

/// One method, with its C.
struct Contestant {
    name: &'static str,
    peer: Peer,
    c: Vec<f64>,
    calls: usize,
    times: Times,
    repeated: Vec<f64>,
}

/// Measures all cases whose names contain what was asked for. Collective.
pub fn work(world: &SimpleCommunicator, options: &Options) {
    let ranks = Communicator::size(world) as usize;
    let q = (1..=ranks).rev().find(|q| ranks.is_multiple_of(*q) && q * q <= ranks).unwrap_or(1);
    let (shape, rank) = ([ranks / q, q], Communicator::rank(world) as usize);
    // Outlives the descriptors that name it.
    let grid = Grid::new(world, shape, RankOrder::Row);
    for case in CASES.iter().filter(|case| case.name.contains(&options.only)) {
        let planned = case.plan(shape);
        let plan = planned.plan();
        let a: Vec<f64> = filled(&plan, Side::Source, rank);
        let mut methods = contestants(world, case, &planned, &grid);
        for contestant in &mut methods {
            contestant.times.first = contestant.timed(world, case, &a);
            contestant.check(world, case, &plan);
        }
        let memcpy = rounds(world, options, case, &a, &mut methods);
        for contestant in &mut methods {
            contestant.check(world, case, &plan);
            contestant.times.median = median(&mut contestant.repeated);
            contestant.times.least = contestant.repeated.first().copied().unwrap_or_default();
        }
        if rank == 0 {
            tell(case, &plan, ranks, memcpy, methods);
        }
    }
}

fn contestants(
    world: &SimpleCommunicator,
    case: &Case,
    plan: &RuntimePlan<f64, 2>,
    grid: &Grid,
) -> [Contestant; 2] {
    let mut bound = None;
    let setup = wall(world, || bound = Some(plan.bind(world).expect("all ranks bind one plan")));
    let bound = bound.expect("bound just now");
    let zeros = || vec![0.0; bound.local_len(Side::Destination)];
    let descriptor = |block| Descriptor::new([EXTENT; 2], [block; 2], [0; 2], grid);
    let [a, c] = case.blocks.map(descriptor);
    let theirs = Peer::ScaLapack { transposed: case.transposed, a, c };
    let (ours, others) = (zeros(), zeros());
    [
        Contestant::new("redist, run time", Peer::Redist(Box::new(bound)), ours, setup),
        Contestant::new("ScaLAPACK", theirs, others, 0.0),
    ]
}

/// All methods in turn, and two passes of `memcpy` in each round, whose median is returned.
fn rounds(
    world: &SimpleCommunicator,
    options: &Options,
    case: &Case,
    a: &[f64],
    methods: &mut [Contestant; 2],
) -> f64 {
    let (mut between, mut to) = (vec![0.0; a.len()], vec![0.0; a.len()]);
    let mut passes = Vec::with_capacity(options.repetitions);
    // Round 0 warms up what the first calls of others have pushed out.
    for round in 0..=options.repetitions {
        let copied = wall(world, || {
            between.copy_from_slice(a);
            black_box(&mut between);
            to.copy_from_slice(&between);
            black_box(&mut to);
        });
        passes.extend((round > 0).then_some(copied));
        // Another goes first in every round.
        for number in [round % 2, (round + 1) % 2] {
            let moved = methods[number].timed(world, case, a);
            methods[number].repeated.extend((round > 0).then_some(moved));
        }
    }
    median(&mut passes)
}

impl Contestant {
    fn new(name: &'static str, peer: Peer, c: Vec<f64>, setup: f64) -> Self {
        let times =
            Times { setup, setup_again: None, first: 0.0, median: 0.0, least: 0.0, wrong: 0 };
        Self { name, peer, c, calls: 0, times, repeated: Vec::new() }
    }

    fn timed(&mut self, world: &SimpleCommunicator, case: &Case, a: &[f64]) -> f64 {
        self.calls += 1;
        wall(world, || self.peer.run(case.factors, a, &mut self.c))
    }

    fn check(&mut self, world: &SimpleCommunicator, case: &Case, plan: &Plan<2>) {
        let rank = Communicator::rank(world) as usize;
        let mine = differ(plan, rank, &self.c, |moved| case.expected(self.calls, moved));
        let mut all = 0;
        world.all_reduce_into(&mine, &mut all, SystemOperation::sum());
        self.times.wrong += all;
    }
}

fn tell(case: &Case, plan: &Plan<2>, ranks: usize, memcpy: f64, methods: [Contestant; 2]) {
    let layout = |side| plan.descriptor(side).layout().to_string();
    let outcome =
        |method: Contestant| Method { name: method.name.into(), outcome: Ok(method.times) };
    let measured = Measured {
        case: case.name.into(),
        element: "f64".into(),
        extents: plan.extents().to_vec(),
        from: layout(Side::Source),
        to: layout(Side::Destination),
        ranks,
        memcpy,
        wire: None,
        methods: methods.map(outcome).into(),
    };
    println!("{}", serde_json::to_string(&measured).expect("numbers and texts have a JSON form"));
}
