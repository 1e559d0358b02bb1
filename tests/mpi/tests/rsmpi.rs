//! Communicators of the crate `mpi`, which is linked with one library: plans bind to them directly.

#[path = "ranks/arrays.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod arrays;

use arrays::{Parts, case, moves, plan};
use mpi::topology::{Color, SimpleCommunicator};
use mpi::traits::*;
use redist::exec::Batch;
use redist::mpi::{Coupling, SharedArray};
use redist::{Error, Redistribution, Side, Transport};
use redist_mpi_tests::{Case, Outcome};
use redist_testing::strategies;
use std::cell::RefCell;
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

/// All cells have as many ranks, so that the crate's world is theirs also in a list.
const RANKS: &[usize] = &[4];

/// Bodies use the crate's own communicator, not their argument.
macro_rules! cases {
    ($($name:ident $(.$option:ident($argument:expr))*;)*) => {
        &[$(Case::new(
            concat!("rsmpi::", stringify!($name)),
            RANKS,
            |_| $name(&SimpleCommunicator::world()),
        )$(.$option($argument))*,)*]
    };
}

const CASES: &[Case] = cases! {
    world;
    by_value;
    duplicate;
    halves;
    part_of_the_world;
    reversed;
    cartesian;
    communicator_goes_first;
};

/// These end MPI, or have plans live until then.
const ALONE: &[Case] = cases! {
    bound_after_the_end.limit(30);
    another_thread.limit(30);
};

fn main() -> ExitCode {
    let alone = ALONE.iter().map(|case| case.alone());
    redist_mpi_tests::main_in_lists(&CASES.iter().copied().chain(alone).collect::<Vec<_>>())
}

fn line(ranks: i32) -> strategies::Case<1> {
    case([3001], &format!("cyclic(10) onto {ranks}"), &format!("block onto {ranks}"))
}

fn world(world: &SimpleCommunicator) -> Outcome {
    moves::<u64, 1, _>(&line(4), world)?;
    assert_eq!(*SharedArray::<u8>::new(world, 9)?, [0; 9]);
    Ok(())
}

fn moves_on(ranks: impl Transport) -> Outcome {
    moves::<u64, 1, _>(&line(3), &ranks)
}

fn by_value(world: &SimpleCommunicator) -> Outcome {
    moves_on(SimpleCommunicator::world())?;
    moves_on(world.duplicate())
}

fn duplicate(world: &SimpleCommunicator) -> Outcome {
    moves::<u64, 1, _>(&line(3), &world.duplicate())
}

fn halves(world: &SimpleCommunicator) -> Outcome {
    let color = world.rank() % 2;
    let half = world.split_by_color(Color::with_value(color)).ok_or("every rank has a color")?;
    (0..20).try_for_each(|_| moves::<u64, 1, _>(&line(1 + color), &half))
}

fn part_of_the_world(world: &SimpleCommunicator) -> Outcome {
    let color = if world.rank() < 3 { Color::with_value(0) } else { Color::undefined() };
    world.split_by_color(color).map_or(Ok(()), |part| moves::<u64, 1, _>(&line(3), &part))
}

fn reversed(world: &SimpleCommunicator) -> Outcome {
    let color = Color::with_value(0);
    let reversed =
        world.split_by_color_with_key(color, -world.rank()).ok_or("every rank has a color")?;
    assert_eq!(reversed.rank(), world.size() - 1 - world.rank());
    moves::<u64, 1, _>(&line(3), &reversed)
}

fn cartesian(world: &SimpleCommunicator) -> Outcome {
    let grid = world.create_cartesian_communicator(&[2, world.size() / 2], &[false; 2], false);
    moves::<u64, 1, _>(&line(4), &grid.ok_or("every rank is in the grid")?)
}

fn communicator_goes_first(world: &SimpleCommunicator) -> Outcome {
    let users = world.duplicate();
    let mut bound = plan::<u64, 1>(&line(3)).bind(&users)?;
    drop(users);
    Parts::new(&line(3), bound.rank()).moved(&mut bound, 1)
}

struct Late(Option<Box<dyn FnOnce() -> Vec<Option<Error>>>>);

impl Drop for Late {
    fn drop(&mut self) {
        let told = self.0.take().map(|late| late()).unwrap_or_default();
        let is_told = |error: &Option<Error>| matches!(error, Some(Error::Unavailable { .. }));
        if told.is_empty() || !told.iter().all(is_told) {
            eprintln!("after the end: {told:?}");
            process::abort();
        }
    }
}

thread_local! {
    static LATE: RefCell<Option<Late>> = const { RefCell::new(None) };
}

fn bound_after_the_end(world: &SimpleCommunicator) -> Outcome {
    let planned = plan::<u64, 1>(&line(1));
    planned.bind(world)?;
    let late = move || {
        let told = [SimpleCommunicator::world(), SimpleCommunicator::self_comm()].map(|ranks| {
            let mut batch = Batch::new();
            batch.add(&planned);
            [
                planned.bind(&ranks).err(),
                batch.bind(&ranks).err(),
                SharedArray::<u64>::new(&ranks, 3).err(),
                Coupling::rendezvous(&ranks, Side::Source, "nowhere", Duration::ZERO).err(),
            ]
        });
        told.into_iter().flatten().collect()
    };
    LATE.set(Some(Late(Some(Box::new(late)))));
    Ok(())
}

/// The safe calls of the crate give every thread the world. Plans bind on the first thread, and not
/// on the second; no call is made for either.
fn another_thread(world: &SimpleCommunicator) -> Outcome {
    let mut bound = plan::<u64, 1>(&line(4)).bind(world)?;
    let told = |communicator: SimpleCommunicator| {
        plan::<u64, 1>(&line(4)).bind(&communicator).map(drop).unwrap_err().to_string()
    };
    thread::scope(|scope| {
        for communicator in [SimpleCommunicator::world, SimpleCommunicator::self_comm] {
            let there = scope.spawn(move || told(communicator()));
            let text = there.join().expect("it does not panic");
            assert!(text.contains("MPI was initialised for its main thread alone"), "{text}");
        }
    });
    Parts::new(&line(4), bound.rank()).moved(&mut bound, 1)
}
