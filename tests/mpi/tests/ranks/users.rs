//! The user's own communicator, messages and order of calls stay untouched.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, moves, plan};
use redist::Redistribution;
use redist::mpi::Communicator;
use redist_mpi_tests::{Case, Outcome, of_the_library, passed_on};
use redist_testing::strategies;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;

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

fn handler(world: &Communicator) -> usize {
    let mut handler = 0;
    let place = (&raw mut handler).cast();
    let get = of_the_library!("MPI_Comm_get_errhandler", (usize, *mut c_void));
    // SAFETY: the communicator is alive. No handle is longer than the word, which outlives the
    // call.
    assert_eq!(unsafe { get(world.as_raw(), place) }, 0);
    handler
}

fn has_errors_end_the_job(users: &Communicator) -> Outcome {
    let set = of_the_library!("MPI_Comm_set_errhandler", (usize, usize));
    // SAFETY: the communicator is alive, as is the world, and so its handler.
    assert_eq!(unsafe { set(users.as_raw(), handler(&*redist_mpi::world()?)) }, 0);
    Ok(())
}

fn error_handler(world: &Communicator) -> Outcome {
    let returned = handler(world);
    has_errors_end_the_job(world)?;
    let before = handler(world);
    assert!(before != returned, "the handler is another");
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    assert!(handler(world) == before, "while bound");
    Parts::new(&line(), world.rank()).moved(&mut bound, 1)?;
    drop(bound);
    assert!(handler(world) == before, "and after");
    Ok(())
}

/// The user waits for any message of any rank, while redist binds and moves: only the user's
/// message may arrive.
fn receive_from_anyone(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let mut got = [0_u64];
    // SAFETY: the number is left alone until the request is complete, below.
    let mut received = unsafe { world.irecv(got.as_mut_ptr().cast(), 8, None, None) }?;
    let outcome = (0..10).try_for_each(|_| moves::<u64, 1, _>(&line(), world));
    world.send(&[1000 + rank as u64], (rank + 1) % size, 0)?;
    received.wait()?;
    outcome?;
    assert_eq!(got, [1000 + ((rank + size - 1) % size) as u64]);
    Ok(())
}

fn messages_between(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let parts = Parts::<u64>::new(&line(), rank);
    let mut bound = plan(&line()).bind(world)?;
    for round in 0..20 {
        let mut destination = parts.untouched();
        let started = bound.start(&parts.source(round), &mut destination)?;
        assert_eq!(passed_on(world, None)?, (rank + size - 1) % size);
        started.finish()?;
        parts.same(&destination, round)?;
    }
    Ok(())
}

fn communicator_goes_first(world: &Communicator) -> Outcome {
    let users = world.duplicate()?;
    let mut bound = plan::<u64, 1>(&line()).bind(&users)?;
    drop(users);
    Parts::new(&line(), world.rank()).moved(&mut bound, 1)
}

thread_local! {
    static KEPT: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// A bound plan that is dropped after `MPI_Finalize` must not call MPI.
fn mpi_goes_first(world: &Communicator) -> Outcome {
    let mut bound = plan::<u64, 1>(&line()).bind(world)?;
    Parts::new(&line(), world.rank()).moved(&mut bound, 1)?;
    KEPT.set(Some(Box::new(bound)));
    Ok(())
}
