//! Memory that a move reads lives until the move ends, even if other code frees it before. After
//! the end of MPI, calls are errors. Types of one name are not one type.

use crate::arrays::{Parts, case, plan};
use redist::exec::Batch;
use redist::mpi::{Communicator, Coupling, RawCommunicator, SharedArray};
use redist::transport::{Route, Way};
use redist::{Bound, Element, Error, Redistribution, Side, Started, TypedPlan};
use redist_mpi_tests::{Case, Outcome, of_the_library};
use redist_testing::strategies;
use std::cell::RefCell;
use std::thread::sleep;
use std::time::Duration;
use std::{any, env, mem, process};

pub const CASES: &[Case] = &[
    Case::new("lives::a_function_drops_the_communicator", &[3, 6], drops_the_communicator)
        .limit(60),
    Case::new("lives::a_function_ends_mpi", &[3], ends_mpi)
        .fails(&["the move has ended", "MPI has been finalised"])
        .limit(30),
    // Messages between nodes may be under way when MPI ends: then the job ends in the move.
    Case::new("lives::a_function_ends_mpi_amid_messages", &[3], ends_mpi_amid_messages)
        .fails(&["MPI has been finalised"])
        .limit(30),
    Case::new("lives::finished_after_the_end", &[1, 3], finished_after_the_end).limit(30),
    Case::new("lives::bound_after_the_end", &[1, 3], bound_after_the_end).limit(30),
    Case::new("lives::plans_of_any_order", &[3], plans_of_any_order).alone().limit(30),
    Case::new("lives::arrays_of_any_order", &[3], arrays_of_any_order).alone().limit(30),
    Case::new("lives::a_rank_that_ends_late", &[3], a_rank_that_ends_late).alone().limit(30),
    Case::new("lives::a_function_that_moves", &[3, 4], a_function_that_moves).limit(60),
    Case::new("lives::an_array_without_room", &[1, 3], an_array_without_room).limit(60),
    Case::new("lives::bound_by_the_room_there_is", &[4], bound_by_the_room_there_is)
        .on_one_node()
        .limit(60),
    // Between nodes, a rank with a wrong array has memory for what is sent to it, or ends the job.
    Case::new("lives::a_start_that_is_too_long", &[3, 4], a_start_that_is_too_long)
        .on_one_node()
        .limit(30),
    Case::new("lives::two_types_of_one_name", &[3, 4], two_types_of_one_name).limit(30),
];

/// Lengths of one round, by packed messages, and of several, by chunks.
const LENS: [usize; 3] = [300, 3001, 100_000];

fn line(len: usize) -> strategies::Case<1> {
    case([len], "cyclic(10) onto 3", "block onto 3 first 1")
}

/// Each rank's function drops the rank's handle on the communicator. Ranks without arrivals drop it
/// when they have finished. Then the plan moves on.
fn drops_the_communicator(world: &Communicator) -> Outcome {
    for (len, route) in
        LENS.iter().flat_map(|len| [Route::Automatic, Route::Messages].map(|route| (*len, route)))
    {
        let line = line(len);
        let parts = Parts::<u64>::new(&line, world.rank());
        let (users, planned) = (world.duplicate()?, plan::<u64, 1>(&line));
        let mut bound = planned.binder().route(route).bind(&users)?;
        parts.moved(&mut bound, 1)?;
        let (mut users, mut found) = (Some(users), parts.untouched());
        bound.run_with(&parts.source(2), &mut found, |moved, kept| {
            drop(users.take());
            *kept = moved;
        })?;
        drop(users);
        parts.same(&found, 2)?;
        (3..6).try_for_each(|round| parts.moved(&mut bound, round))?;
    }
    Ok(())
}

/// Ranks 0 and 1 have a context that rank 2 lacks. The job ends.
fn plans_of_any_order(world: &Communicator) -> Outcome {
    let is_apart = world.rank() == 2;
    let pair = world.split(usize::from(is_apart), world.rank())?;
    let small = case([300], "cyclic(10) onto 2", "block onto 2");
    if !is_apart {
        plan::<u64, 1>(&small).bind(&pair)?;
    }
    plan::<u64, 1>(&line(LENS[0])).bind(world)?;
    drop(pair);
    let last = world.duplicate()?;
    plan::<u64, 1>(&line(LENS[0])).bind(&last)?;
    last.keep();
    Ok(())
}

/// Ranks 0 and 1 have a context that rank 2 lacks. No rank has plans, and arrays outlive their
/// communicators.
fn arrays_of_any_order(world: &Communicator) -> Outcome {
    let is_apart = world.rank() == 2;
    let pair = world.split(usize::from(is_apart), world.rank())?;
    let of_pair = (!is_apart).then(|| SharedArray::<u8>::new(&pair, 1)).transpose()?;
    let [early, late] = [world.duplicate()?, world.duplicate()?];
    let first = SharedArray::<u8>::new(&early, 1)?;
    drop((of_pair, pair));
    let last = SharedArray::<u8>::new(&late, 1)?;
    drop((early, late, first, last));
    Ok(())
}

/// No other rank's end waits for it, but the library's.
fn a_rank_that_ends_late(world: &Communicator) -> Outcome {
    for _ in 0..2 {
        let kept = world.duplicate()?;
        plan::<u64, 1>(&line(LENS[0])).bind(&kept)?;
        kept.keep();
    }
    if world.rank() == 0 {
        sleep(Duration::from_secs(3));
    }
    Ok(())
}

fn ends_mpi(world: &Communicator) -> Outcome {
    ends_mpi_by(world, Route::Automatic)
}

fn ends_mpi_amid_messages(world: &Communicator) -> Outcome {
    ends_mpi_by(world, Route::Messages)
}

/// As by dropping the environment, which the harness has. Memory of the move stays.
fn ends_mpi_by(world: &Communicator, route: Route) -> Outcome {
    let line = line(LENS[2]);
    let (parts, planned) = (Parts::<u64>::new(&line, world.rank()), plan::<u64, 1>(&line));
    let mut bound = planned.binder().route(route).bind(world)?;
    let mut is_running = true;
    let moved = bound.run_with(&parts.source(2), &mut parts.untouched(), |_, _| {
        if mem::take(&mut is_running) {
            // SAFETY: MPI is initialised, by this thread.
            unsafe { of_the_library!("MPI_Finalize", ())() };
        }
    });
    // No harness can go on without MPI.
    panic!("the move has ended: {moved:?}, and another says {:?}", bound.run(&[], &mut []).err());
}

/// Rank 1's function makes a collective call: it gets an error, and no rank waits.
fn a_function_that_moves(world: &Communicator) -> Outcome {
    let line = line(LENS[1]);
    let (parts, planned) = (Parts::<u64>::new(&line, world.rank()), plan::<u64, 1>(&line));
    for route in [Route::Automatic, Route::Messages] {
        let bind = || planned.binder().route(route).bind(world);
        let (mut outer, mut inner, mut started) = (bind()?, bind()?, bind()?);
        let (mut found, mut to) = (parts.untouched(), parts.untouched());
        let mut asks = (world.rank() == 1).then_some(());
        let started = started.start(&parts.source(3), &mut to)?;
        outer.run_with(&parts.source(2), &mut found, |moved, kept| {
            *kept = moved;
            if asks.take().is_some() {
                let told = [
                    inner.run(&parts.source(1), &mut parts.untouched()).err(),
                    inner.start(&parts.source(1), &mut parts.untouched()).err(),
                    bind().err(),
                    SharedArray::<u64>::new(world, 1).err(),
                ];
                for error in told {
                    let text = error.map(|error| error.to_string()).unwrap_or_default();
                    assert!(text.contains("in the function of another move"), "{text}");
                }
            }
        })?;
        started.finish()?;
        parts.same(&to, 3)?;
        parts.same(&found, 2)?;
        parts.moved(&mut inner, 4)?;
        parts.moved(&mut outer, 5)?;
    }
    Ok(())
}

fn an_array_without_room(world: &Communicator) -> Outcome {
    let small = case([90], &format!("cyclic(4) onto {}", world.size()), "block onto 1");
    let parts = Parts::<u64>::new(&small, world.rank());
    let mut bound = plan::<u64, 1>(&small).bind(world)?;
    for one in 0..world.size() {
        let len = if world.rank() == one { 1 << 45 } else { 9 };
        let told = SharedArray::<u8>::new(world, len).err();
        let text = told.map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("/dev/shm has"), "{text}");
        parts.moved(&mut bound, one as u64)?;
        assert_eq!(*SharedArray::<u8>::new(world, 9)?, [0; 9]);
    }
    Ok(())
}

/// `.ci/mpi` plays this with a `/dev/shm` that is too small, too, and says so.
fn bound_by_the_room_there_is(world: &Communicator) -> Outcome {
    let expected =
        if env::var_os("REDIST_MPI_SMALL_SHM").is_some() { Way::Messages } else { Way::Chunks };
    let small = line(LENS[1]);
    let parts = Parts::<u64>::new(&small, world.rank());
    let users = world.duplicate()?;
    for round in 0..2 {
        let mut bound = plan::<u64, 1>(&small).bind(&users)?;
        assert_eq!(bound.way(), expected, "{}", bound.explain());
        parts.moved(&mut bound, round)?;
        let told = SharedArray::<u8>::new(&users, 2 << 20).err().map(|error| error.to_string());
        let has_room = told.as_ref().is_none_or(|told| !told.contains("/dev/shm has"));
        assert_eq!(has_room, expected == Way::Chunks, "{told:?}");
    }
    Ok(())
}

/// A move of 2^60 bytes, which no rank has. So no rank lists or allocates messages before its
/// partners are known to be ready. A fourth rank holds nothing, and waits for no message.
fn a_start_that_is_too_long(world: &Communicator) -> Outcome {
    let is_told = |error: &Option<Error>| match world.rank() {
        3 => error.is_none(),
        _ => matches!(error, Some(Error::LocalLength { found: 0, .. })),
    };
    let planned = TypedPlan::<u8, 1>::parse([1 << 60], "block onto 3", "cyclic onto 3")?;
    for route in [Route::Automatic, Route::Messages] {
        let mut bound = planned.binder().route(route).bind(world)?;
        for _ in 0..2 {
            let started = bound.start(&[], &mut []).and_then(Started::finish).err();
            for error in [started, bound.run(&[], &mut []).err()] {
                assert!(is_told(&error), "{route:?}: {error:?}");
            }
        }
    }
    let small = line(LENS[0]);
    let parts = Parts::<u64>::new(&small, world.rank());
    parts.moved(&mut plan::<u64, 1>(&small).bind(world)?, 1)
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
    static LATE: RefCell<Vec<Late>> = const { RefCell::new(Vec::new()) };
}

fn after_the_end(late: impl FnOnce() -> Vec<Option<Error>> + 'static) {
    LATE.with_borrow_mut(|all| all.push(Late(Some(Box::new(late)))));
}

fn finished_after_the_end(world: &Communicator) -> Outcome {
    for (number, route) in [Route::Automatic, Route::Messages].into_iter().enumerate() {
        for asks in [false, true] {
            let line =
                case([LENS[number]], &format!("cyclic(10) onto {}", world.size()), "block onto 1");
            let parts = Parts::<u64>::new(&line, world.rank());
            let bound = plan::<u64, 1>(&line).binder().route(route).bind(world)?;
            let bound: &'static mut Bound<u64, 1> = Box::leak(Box::new(bound));
            parts.moved(bound, 1)?;
            let destination = parts.untouched().leak();
            let mut started: Started<'static, u64, 1> =
                bound.start(&parts.source(2), destination)?;
            after_the_end(move || {
                let asked = if asks { vec![started.test().err()] } else { Vec::new() };
                [asked, vec![started.finish().err()]].concat()
            });
        }
    }
    Ok(())
}

fn bound_after_the_end(world: &Communicator) -> Outcome {
    let small = case([90], "cyclic(4) onto 1", "block onto 1");
    let planned = plan::<u64, 1>(&small);
    planned.bind(world)?;
    let communicators = [redist_mpi::world()?, redist_mpi::this_rank()?];
    after_the_end(move || {
        let told = communicators.each_ref().map(|ranks| {
            let mut batch = Batch::new();
            batch.add(&planned);
            [
                planned.bind(ranks).err(),
                batch.bind(ranks).err(),
                SharedArray::<u64>::new(ranks, 3).err(),
                Coupling::rendezvous(ranks, Side::Source, "nowhere", Duration::ZERO).err(),
            ]
        });
        told.into_iter().flatten().chain([RawCommunicator::world().err()]).collect()
    });
    Ok(())
}

/// Stands for a program in which two crates of one name have a type of one name each.
trait OfOneName: Element {
    const NEW: fn(u8) -> Self;
}

struct First;
struct Second;

trait Has {
    type Flag: OfOneName;
}

const _: () = {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Flag(bool, [u8; 3]);

    impl OfOneName for Flag {
        const NEW: fn(u8) -> Self = |value| Flag(value % 2 == 1, [value; 3]);
    }

    impl Has for First {
        type Flag = Flag;
    }
};

const _: () = {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Flag(u8, [u8; 3]);

    impl OfOneName for Flag {
        const NEW: fn(u8) -> Self = |value| Flag(value, [value; 3]);
    }

    impl Has for Second {
        type Flag = Flag;
    }
};

/// A `bool` would hold 7.
fn two_types_of_one_name(world: &Communicator) -> Outcome {
    assert_eq!(any::type_name::<<First as Has>::Flag>(), any::type_name::<<Second as Has>::Flag>());
    for one in 0..3 {
        let told = match world.rank() {
            rank if rank == one => moves_flags::<<First as Has>::Flag>(world),
            _ => moves_flags::<<Second as Has>::Flag>(world),
        };
        match told {
            Err(Error::DifferentElement { theirs, here, ours, .. }) => {
                assert_eq!(here, 0);
                let both = [theirs, ours];
                for words in ["of {bool, [u8; 3]} (of 4 bytes", "of {u8, [u8; 3]} (of 4 bytes"] {
                    assert!(both.iter().any(|text| text.contains(words)), "{both:?}");
                }
            }
            told => return Err(format!("{one}: {told:?}").into()),
        }
    }
    Ok(())
}

fn moves_flags<T: OfOneName>(world: &Communicator) -> Result<(), Error> {
    let mut bound = plan::<T, 1>(&line(LENS[0])).bind(world)?;
    let source = vec![T::NEW(7); bound.local_len(Side::Source)];
    let mut destination = vec![T::ZERO; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)
}
