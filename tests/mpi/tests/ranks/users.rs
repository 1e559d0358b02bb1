//! The user's own communicator, messages and order of things are left alone.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, moves, plan};
use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::Redistribution;
use redist_mpi_tests::{Case, Outcome};
use redist_testing::strategies;
use std::any::Any;
use std::cell::RefCell;

pub const CASES: &[Case] = &[
    Case::new("users::error_handler", FROM_THREE, error_handler),
    Case::new("users::receive_from_anyone", FROM_THREE, receive_from_anyone),
    Case::new("users::messages_between_start_and_finish", FROM_THREE, messages_between),
    Case::new("users::communicator_goes_first", FROM_THREE, communicator_goes_first),
    Case::new("users::mpi_goes_first", FROM_THREE, mpi_goes_first).alone(),
];

fn line() -> strategies::Case<1> {
    case([500], "block onto 3", "cyclic(3) onto 3")
}

fn handler(world: &SimpleCommunicator) -> ffi::MPI_Errhandler {
    // SAFETY: a constant of the library.
    let mut handler = unsafe { ffi::RSMPI_ERRORS_RETURN };
    // SAFETY: the communicator is alive, and the handle outlives the call.
    unsafe { ffi::MPI_Comm_get_errhandler(world.as_raw(), &mut handler) };
    handler
}

fn error_handler(world: &SimpleCommunicator) -> Outcome {
    let before = handler(world);
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    assert!(handler(world) == before, "while bound");
    Parts::new(&line(), world.rank() as usize).moved(&mut bound, 1)?;
    drop(bound);
    assert!(handler(world) == before, "and after");
    Ok(())
}

/// The user waits for anything from anyone, as we bind and move: only the user's message may
/// arrive.
fn receive_from_anyone(world: &SimpleCommunicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let mut got = 0u64;
    mpi::request::scope(|scope| {
        let request = world.any_process().immediate_receive_into(scope, &mut got);
        let outcome = (0..10).try_for_each(|_| moves::<u64, 1, _>(&line(), world));
        world.process_at_rank((rank + 1) % size).send(&(1000 + rank as u64));
        request.wait();
        outcome
    })?;
    assert_eq!(got, 1000 + ((rank + size - 1) % size) as u64);
    Ok(())
}

/// The user's messages overtake ours, and ours theirs.
fn messages_between(world: &SimpleCommunicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let parts = Parts::<u64>::new(&line(), rank as usize);
    let mut bound = plan(&line()).bind(world)?;
    for round in 0..20 {
        let mut destination = parts.untouched();
        let started = bound.start(&parts.source(round), &mut destination)?;
        let (next, before) = (world.process_at_rank((rank + 1) % size), world.any_process());
        let (got, _) = mpi::point_to_point::send_receive::<i32, _, _, _>(&rank, &next, &before);
        assert_eq!(got, (rank + size - 1) % size);
        started.finish()?;
        parts.same(&destination, round)?;
    }
    Ok(())
}

fn communicator_goes_first(world: &SimpleCommunicator) -> Outcome {
    let users = world.duplicate();
    let mut bound = plan::<u64, 1>(&line()).bind(&users)?;
    drop(users);
    Parts::new(&line(), world.rank() as usize).moved(&mut bound, 1)
}

thread_local! {
    static KEPT: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// A bound plan that is dropped after `MPI_Finalize` must not call MPI any more.
fn mpi_goes_first(world: &SimpleCommunicator) -> Outcome {
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    Parts::new(&line(), world.rank() as usize).moved(&mut bound, 1)?;
    KEPT.set(Some(Box::new(bound)));
    Ok(())
}
