//! Moves between ranks: threads, or with the feature `mpi` processes.

use crate::elements::{Numbered, SAMPLE, WAYS};
use redist::{Error, Redistribution, Side, Transport, TypedPlan, threads};
use redist_measuring::Turns;
use redist_moves::{LEARNING_MOVES, Meeting};
use std::hint::black_box;
use std::sync::Mutex;

/// Seconds of a move, by each of the [`WAYS`].
type Seconds = Vec<Vec<f64>>;

type Failure = Box<dyn std::error::Error>;

/// Moves as one of all ranks. `clock` returns the seconds of a work of all.
fn of_rank<T: Numbered, const D: usize>(
    item: &impl Redistribution<D, Element = T>,
    communicator: &impl Transport,
    turns: Turns,
    clock: impl Fn(&mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error>,
) -> Result<Seconds, Error> {
    let plan = TypedPlan::<T, D>::from(item.plan());
    let elements: usize = item.plan().extents().iter().product();
    let bytes = elements / item.plan().ranks() * size_of::<T>();
    let calls = SAMPLE / bytes.max(1) + 1;
    let mut bound = [item.bind(communicator)?, plan.bind(communicator)?];
    let len = |side| bound[0].local_len(side);
    let (held, len) = (len(Side::Source), len(Side::Destination));
    let source: Vec<T> = (0..held).map(T::numbered).collect();
    let mut destination = vec![T::ZERO; len];
    for bound in &mut bound {
        (0..LEARNING_MOVES).try_for_each(|_| bound.run(&source, &mut destination))?;
    }
    let mut samples = turns.take(WAYS.len(), |way| {
        let mut once = || bound[way].run(black_box(&source), &mut destination);
        clock(&mut || (0..calls).try_for_each(|_| once()))
    })?;
    let [mut by_item, mut by_plan] = [(); 2].map(|()| vec![T::ZERO; len]);
    bound[0].run(&source, &mut by_item)?;
    bound[1].run(&source, &mut by_plan)?;
    assert!(by_item == by_plan, "both move the same");
    samples.iter_mut().flatten().for_each(|sample| *sample /= calls as f64);
    Ok(samples)
}

pub fn between_threads<T: Numbered, const D: usize>(
    item: &(impl Redistribution<D, Element = T> + Sync),
    turns: Turns,
) -> Result<Seconds, Failure> {
    let ranks = item.plan().ranks();
    let (meeting, seconds) = (Meeting::new(ranks), Mutex::new(Vec::new()));
    threads::run(ranks, |rank| {
        let is_first = rank.rank() == 0;
        let of_this = of_rank(item, rank, turns, |work| meeting.timed(is_first, &mut *work))?;
        if is_first {
            *seconds.lock().expect("no rank panics here") = of_this;
        }
        Ok::<_, Error>(())
    })?;
    Ok(seconds.into_inner().expect("no rank panics here"))
}

/// Moves as one of the ranks that `mpiexec` has launched, which all get the same times.
#[cfg(feature = "mpi")]
pub fn between_processes<T: Numbered, const D: usize>(
    item: &impl Redistribution<D, Element = T>,
    turns: Turns,
) -> Result<Seconds, Failure> {
    let mut seconds = Vec::new();
    redist_moves::ranks::with_world(|world| {
        seconds = of_rank(item, world, turns, |work| {
            let mut done = Ok(());
            let time = redist_moves::wall::wall(world, || done = work());
            done.map(|()| time)
        })?;
        Ok(())
    })?;
    Ok(seconds)
}

#[cfg(not(feature = "mpi"))]
pub fn between_processes<T: Numbered, const D: usize>(
    _: &impl Redistribution<D, Element = T>,
    _: Turns,
) -> Result<Seconds, Failure> {
    Err("moves between MPI ranks need the feature `mpi`".into())
}
