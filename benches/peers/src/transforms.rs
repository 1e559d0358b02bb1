//! C ← α op(A) + β C: redist's `run_with` beside `pdtran` and `pdgeadd`.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::exec::scale_add;
use redist::layout::RankOrder;
use redist::{Bound, Plan, Redistribution, Side, TypedPlan};
use redist_measuring::{Array, Method, Row, Task, Times};
use redist_moves::arrays::{differ, filled};
use redist_moves::ranks::{UNIT, Worker};
use redist_moves::wall::wall;
use redist_scalapack::{Descriptor, Grid, Matrix, geadd, tran};
use std::convert::Infallible;
use std::error::Error;
use std::hint::black_box;

/// One transform.
struct Case {
    name: &'static str,
    /// MB = NB of the source and of the destination.
    blocks: [usize; 2],
    /// `true` if op(A) is the transpose.
    transposed: bool,
    /// α and β: 1 and 0, a copy, or 2 and -1, which the second call undoes.
    factors: [f64; 2],
}

/// Rows and columns of the matrices.
const EXTENT: usize = 4096;

/// All transforms.
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
    fn plan(&self, [p, q]: [usize; 2]) -> TypedPlan<f64, 2> {
        let tiles = |block| format!("scalapack({block}, {block}, {p}, {q})");
        let to = tiles(self.blocks[1]) + if self.transposed { " transposed" } else { "" };
        TypedPlan::parse([EXTENT; 2], &tiles(self.blocks[0]), &to).expect("layouts of the table")
    }

    fn expected(&self, calls: usize, moved: f64) -> f64 {
        match self.factors {
            [_, 0.0] => moved,
            _ if calls.is_multiple_of(2) => 0.0,
            _ => 2.0 * moved,
        }
    }
}

/// A way to transform.
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

/// One way, with its times.
struct Contestant {
    name: &'static str,
    peer: Peer,
    /// C on this rank.
    c: Vec<f64>,
    /// Calls so far: every second one undoes the one before.
    calls: usize,
    times: Times,
}

pub fn tasks(ranks: usize) -> Vec<Task> {
    CASES.iter().map(|case| Task { row: case.name.into(), ranks }).collect()
}

pub fn work(world: &SimpleCommunicator, worker: &Worker) -> Result<(), Box<dyn Error>> {
    let ranks = Communicator::size(world) as usize;
    let q = (1..=ranks).rev().find(|q| ranks.is_multiple_of(*q) && q * q <= ranks).unwrap_or(1);
    let (shape, rank) = ([ranks / q, q], Communicator::rank(world) as usize);
    // Outlives the descriptors that name it.
    let grid = Grid::new(world, shape, RankOrder::Row);
    let case = CASES.iter().find(|case| case.name == worker.row).ok_or("there is no such row")?;
    let planned = case.plan(shape);
    let plan = planned.plan();
    let a: Vec<f64> = filled(&plan, Side::Source, rank);
    let mut methods = contestants(world, case, &planned, &grid);
    for contestant in &mut methods {
        contestant.times.first = contestant.timed(world, case, &a);
        contestant.check(world, case, &plan);
    }
    let unit = take_turns(world, worker, case, &a, &mut methods);
    methods.iter_mut().for_each(|contestant| contestant.check(world, case, &plan));
    if rank == 0 {
        tell(case, &plan, ranks, unit, methods);
    }
    Ok(())
}

fn contestants(
    world: &SimpleCommunicator,
    case: &Case,
    plan: &TypedPlan<f64, 2>,
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

/// Runs all methods in turn, with two passes of `memcpy`, whose times it returns.
fn take_turns(
    world: &SimpleCommunicator,
    worker: &Worker,
    case: &Case,
    a: &[f64],
    methods: &mut [Contestant; 2],
) -> Times {
    let (mut between, mut to) = (vec![0.0; a.len()], vec![0.0; a.len()]);
    let samples = worker.turns.take(3, |number| {
        Ok::<_, Infallible>(match number.checked_sub(1) {
            None => wall(world, || {
                between.copy_from_slice(a);
                black_box(&mut between);
                to.copy_from_slice(&between);
                black_box(&mut to);
            }),
            Some(method) => methods[method].timed(world, case, a),
        })
    });
    let Ok(samples) = samples;
    for (method, samples) in methods.iter_mut().zip(&samples[1..]) {
        let Times { setup, first, wrong, .. } = method.times;
        method.times = Times { setup, first, wrong, ..Times::of(samples) };
    }
    Times::of(&samples[0])
}

impl Contestant {
    fn new(name: &'static str, peer: Peer, c: Vec<f64>, setup: f64) -> Self {
        Self { name, peer, c, calls: 0, times: Times { setup, ..Times::of(&[]) } }
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

fn tell(case: &Case, plan: &Plan<2>, ranks: usize, unit: Times, methods: [Contestant; 2]) {
    let layout = |side| plan.descriptor(side).layout().to_string();
    let method = |name: &str, times| Method { name: name.into(), outcome: Ok(times) };
    let methods = methods.iter().map(|contestant| method(contestant.name, contestant.times));
    let array = Array {
        element: "f64".into(),
        extents: plan.extents().to_vec(),
        from: layout(Side::Source),
        to: layout(Side::Destination),
    };
    let methods = [method(UNIT, unit)].into_iter().chain(methods).collect();
    Row { array: Some(array), ..Row::plain(case.name, ranks, methods) }.tell();
}
