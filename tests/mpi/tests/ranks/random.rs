//! Random layouts with every word of the notation, against the simulator: overlapping and disjoint
//! grids, idle ranks, sections, axes, storage orders.

use crate::EVERY;
use crate::arrays::{Counted, moves, plan};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use redist::mpi::Communicator;
use redist::{Error, Redistribution};
use redist_mpi_tests::{Case as Trial, Outcome, current_case, rounds, seed};
use redist_testing::fnv::Fnv;
use redist_testing::strategies::{Case, cases, cases_on};
use std::env;
use std::fmt::Debug;

pub const CASES: &[Trial] = &[
    Trial::new("random::lines", EVERY, random::<u64, 1>),
    Trial::new("random::lines_of_bytes", EVERY, random::<u8, 1>),
    Trial::new("random::planes", EVERY, random::<f64, 2>),
    Trial::new("random::planes_of_arrays", EVERY, random::<[f32; 3], 2>),
    Trial::new("random::spaces", EVERY, random::<u128, 3>),
];

/// Returns the number of a case's random values: `REDIST_MPI_CASES`, or the usual number.
fn values(usual: u64) -> u64 {
    env::var("REDIST_MPI_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Returns all rows of a table or, with `REDIST_MPI_CASES`, as many that the seed draws.
pub fn drawn<R>(rows: impl IntoIterator<Item = R>, some: usize) -> Vec<R> {
    let mut rows: Vec<R> = rows.into_iter().collect();
    if env::var_os("REDIST_MPI_CASES").is_some() {
        fastrand::Rng::with_seed(seed()).shuffle(&mut rows);
        rows.truncate(some);
    }
    rows
}

/// Makes the same values of the same seed on every rank; other cases make others.
fn runner(size: usize) -> TestRunner {
    let mut name = Fnv::default();
    name.words(current_case().unwrap_or_default().bytes().map(usize::from));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    bytes[8..12].copy_from_slice(&(size as u32).to_le_bytes());
    bytes[12..28].copy_from_slice(name.hex().as_bytes());
    TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

pub fn random<T: Counted, const D: usize>(world: &Communicator) -> Outcome {
    each(world, |case| there_and_back::<T, D>(case, world))
}

/// Visits random cases with ranks enough; of every four, one may need more.
pub fn each<const D: usize>(
    world: &Communicator,
    outcome_of: impl Fn(&Case<D>) -> Outcome,
) -> Outcome {
    let (mut runner, ranks) = (runner(world.size()), world.size());
    let (fitting, any) = (cases_on::<D>(ranks).boxed(), cases::<D>().boxed());
    for number in 0..rounds(world, values(40)) {
        let strategy = if number % 4 == 3 { &any } else { &fitting };
        let case = strategy.new_tree(&mut runner).map_err(|why| why.to_string())?.current();
        let fits = case.plan().ranks() <= ranks;
        let outcome = if fits { outcome_of(&case) } else { is_refused(&case, world) };
        outcome.map_err(|error| format!("{case:?}: {error}"))?;
    }
    Ok(())
}

pub fn each_of<V: Debug>(
    world: &Communicator,
    (usual, strategy): (u64, impl Strategy<Value = V>),
    outcome_of: impl Fn(&V) -> Outcome,
) -> Outcome {
    let mut runner = runner(world.size());
    for _ in 0..rounds(world, values(usual)) {
        let value = strategy.new_tree(&mut runner).map_err(|why| why.to_string())?.current();
        outcome_of(&value).map_err(|error| format!("{value:?}: {error}"))?;
    }
    Ok(())
}

fn there_and_back<T: Counted, const D: usize>(case: &Case<D>, world: &Communicator) -> Outcome {
    moves::<T, D, _>(case, world)?;
    let keeps_axes = case.to.axes.is_sorted();
    let back = Case { extents: case.extents, from: case.to, to: case.from };
    if keeps_axes { moves::<T, D, _>(&back, world) } else { Ok(()) }
}

fn is_refused<const D: usize>(case: &Case<D>, world: &Communicator) -> Outcome {
    let needed = case.plan().ranks();
    match plan::<u64, D>(case).bind(world).map(drop) {
        Err(Error::TooFewRanks { needed: told, .. }) if told == needed => Ok(()),
        other => Err(format!("too few ranks, but bind says {other:?}").into()),
    }
}
