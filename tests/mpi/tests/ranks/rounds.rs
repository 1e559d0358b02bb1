//! Moves with bounded message memory: an allocator compares stated and held bytes, and the
//! simulator the arrivals.

use crate::arrays::{Parts, case, chunk_bytes, plan};
use redist::mpi::Communicator;
use redist::plan::schedule::Method;
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution};
use redist_mpi_tests::{Case, Outcome, learns};
use redist_testing::allocations::{LONG, long_held, long_peak};
use redist_testing::strategies;
use std::panic::{self, AssertUnwindSafe};

pub const CASES: &[Case] = &[
    Case::new("rounds::within_the_bound", &[2, 3, 4], within_the_bound).limit(90),
    Case::new("rounds::peak_is_what_is_stated", &[2, 3, 4], peak_is_what_is_stated).limit(90),
    Case::new("rounds::in_steps", &[3, 4], in_steps).limit(90),
    Case::new("rounds::with_functions", &[3, 4], with_functions).limit(90),
    Case::new("rounds::chunks_count", &[3, 4], chunks_count).on_one_node().limit(90),
    Case::new("rounds::what_cannot_be_had", &[3, 4], what_cannot_be_had).limit(90),
    Case::new("rounds::panics_in_the_middle", &[3, 4], panics_in_the_middle).limit(90),
    Case::new("rounds::others_are_not_ready", &[3, 4], others_are_not_ready)
        .on_one_node()
        .limit(60),
];

const PAIRS: [(&str, &str); 4] = [
    ("(block, *) onto 2", "(*, block) onto 2 storage fortran"),
    ("(cyclic(3), *) onto 2", "(cyclic(2), cyclic(5)) onto (2, 1)"),
    ("(gen_block([40, 50]), *) onto 2", "(*, *)"),
    ("(*, cyclic(4)) onto 2 storage fortran of [100, 100] at [3, 5]", "(block, *) onto 1"),
];

fn line() -> strategies::Case<1> {
    case([60_000], "cyclic(7) onto 3", "block onto 3")
}

fn moves_within<const D: usize>(
    case: &strategies::Case<D>,
    bound: &mut Bound<u64, D>,
    max_bytes: usize,
) -> Outcome {
    let parts = Parts::<u64>::new(case, bound.rank());
    assert!(bound.scratch_bytes() <= max_bytes, "{} of {max_bytes}", bound.scratch_bytes());
    for round in 0..4 {
        parts.moved(bound, round)?;
        assert_eq!(bound.held_bytes(), bound.scratch_bytes(), "in {} rounds", bound.rounds());
    }
    Ok(())
}

/// Returns the bytes of heads: each message has one of 64.
fn heads<const D: usize>(case: &strategies::Case<D>) -> usize {
    2 * 64 * case.plan().ranks()
}

fn within_the_bound(world: &Communicator) -> Outcome {
    for (from, to) in PAIRS {
        let case = case([90, 70], from, to);
        for max_bytes in [300, 2000, 20_000, 1 << 20] {
            let (plan, max_bytes) = (plan::<u64, 2>(&case), max_bytes + heads(&case));
            let mut bound = plan.binder().max_bytes(max_bytes).bind(world)?;
            assert_eq!(bound.way(), Way::Messages, "a window is longer than that");
            moves_within(&case, &mut bound, max_bytes)?;
        }
    }
    Ok(())
}

fn peak_is_what_is_stated(world: &Communicator) -> Outcome {
    // Few tables, and short ones.
    let case = case([60_000], "cyclic(10) onto 2", "cyclic(2) onto 2");
    let parts = Parts::<u64>::new(&case, world.rank());
    let plan = plan::<u64, 1>(&case);
    let max_bytes = 200_000;
    let mut bound = plan.binder().route(Route::Messages).max_bytes(max_bytes).bind(world)?;
    assert!(bound.rounds() > 2, "{} rounds", bound.rounds());
    let (source, mut destination) = (parts.source(1), parts.untouched());
    let before = long_held();
    bound.run(&source, &mut destination)?;
    let taken = long_peak() - before;
    assert_eq!(taken, bound.scratch_bytes(), "{}", bound.explain());
    assert!(world.rank() > 1 || taken > 2 * LONG);
    let before = long_held();
    bound.run(&source, &mut destination)?;
    assert_eq!(long_peak(), before, "buffers serve again");
    parts.same(&destination, 1)
}

fn in_steps(world: &Communicator) -> Outcome {
    for method in [Method::Caterpillar, Method::Koenig] {
        for max_bytes in [20_000, 100_000] {
            let (case, plan) = (line(), plan::<u64, 1>(&line()));
            let mut bound = plan.binder().method(method).max_bytes(max_bytes).bind(world)?;
            assert!(bound.rounds() > 1);
            moves_within(&case, &mut bound, max_bytes)?;
        }
    }
    Ok(())
}

fn with_functions(world: &Communicator) -> Outcome {
    for (route, max_bytes) in [(Route::Messages, 300_000), (Route::Automatic, 1_300_000)] {
        let longer = case([600_000], "cyclic(7) onto 3", "block onto 3");
        let parts = Parts::<u64>::new(&longer, world.rank());
        let plan = plan::<u64, 1>(&longer);
        let mut bound = plan.binder().route(route).max_bytes(max_bytes).bind(world)?;
        assert!(bound.rounds() > 1);
        for round in 0..4 {
            let (source, mut destination) = (parts.source(round), parts.untouched());
            if (world.rank() as u64 + round).is_multiple_of(2) {
                bound.run(&source, &mut destination)?;
            } else {
                bound.run_with(&source, &mut destination, |moved, kept| *kept = moved)?;
            }
            assert!(bound.held_bytes() <= max_bytes, "{}", bound.held_bytes());
            parts.same(&destination, round)?;
        }
    }
    Ok(())
}

/// Rank 0 receives from ranks 1 and 2. All ranks learn in the first round that it or rank 1 is not
/// ready, and none is ahead of the others with messages that nobody receives.
fn others_are_not_ready(world: &Communicator) -> Outcome {
    let (case, rank) = (case([30_021], "block onto 3 first 1", "block onto 1"), world.rank());
    let (parts, plan) = (Parts::<u64>::new(&case, rank), plan::<u64, 1>(&case));
    for max_bytes in [50_000, 90_000, 110_000, 150_000] {
        let binder = plan.binder().route(Route::Messages).max_message_bytes(1000);
        let mut bound = binder.max_bytes(max_bytes).bind(world)?;
        assert!(bound.rounds() > 1, "within {max_bytes}");
        for (faulty, round) in [(0, 1), (1, 41)] {
            let source = &parts.source(1)[usize::from(rank == faulty)..];
            match (rank, bound.run(source, &mut parts.untouched())) {
                (_, Err(Error::LocalLength { rank: found, .. })) if found == faulty => {}
                (_, Err(Error::PeerFailed { rank: of, .. })) if of == faulty && rank != of => {}
                (_, other) => return Err(format!("within {max_bytes}: {other:?}").into()),
            }
            (round..round + 40).try_for_each(|round| parts.moved(&mut bound, round))?;
        }
    }
    Ok(())
}

/// The window counts, and is too long for a short bound.
fn chunks_count(world: &Communicator) -> Outcome {
    let (case, plan) = (line(), plan::<u64, 1>(&line()));
    // Its 8 chunks, and some counters.
    let window = 8 * chunk_bytes(world)?;
    let (enough, little) = (4 * window, 2 * window);
    let mut chunks = plan.binder().max_bytes(enough).bind(world)?;
    assert!(matches!(chunks.way(), Way::Chunks | Way::Slots), "{}", chunks.explain());
    moves_within(&case, &mut chunks, enough)?;
    let few = plan.binder().max_bytes(little).bind(world)?;
    assert_eq!(few.way(), Way::Messages, "{}", few.explain());
    let told = plan.binder().route(Route::Chunks).max_bytes(little).bind(world).err();
    let told = told.map(|error| error.to_string()).unwrap_or_default();
    assert!(told.contains("the window for chunks is longer than half of `max_bytes`"), "{told}");
    moves_within(&case, &mut plan.bind(world)?, usize::MAX)
}

fn what_cannot_be_had(world: &Communicator) -> Outcome {
    let (case, plan) = (line(), plan::<u64, 1>(&line()));
    let heads = heads(&case);
    let told = plan.binder().max_bytes(heads + 15).bind(world).err();
    assert_eq!(told, Some(Error::Scratch { max_bytes: heads + 15, needed: heads + 16 }));
    let own = 1000 + usize::from(world.rank() == 1);
    let told = plan.binder().max_bytes(own).bind(world).err();
    assert!(matches!(told, Some(Error::DifferentOptions { rank: 1, here: 0, .. })), "{told:?}");
    let mut bound = plan.binder().max_bytes(1000).bind(world)?;
    let parts = Parts::<u64>::new(&case, world.rank());
    for starts in [0, 1, 2] {
        let (source, mut destination) = (parts.source(1), parts.untouched());
        let told = match world.rank() == starts {
            true => bound.start(&source, &mut destination).and_then(|started| started.finish()),
            false => bound.run(&source, &mut destination),
        };
        match told {
            Err(Error::Unavailable { what, .. }) if world.rank() == starts => {
                assert_eq!(what, "a move that is started within 1000 bytes (`max_bytes`)");
            }
            Err(Error::PeerFailed { rank, .. }) if rank == starts => {}
            Ok(()) if !learns(world, 3) => {}
            other => return Err(format!("{other:?}").into()),
        }
        assert_eq!(destination, parts.untouched());
    }
    moves_within(&case, &mut bound, 1000)
}

fn panics_in_the_middle(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let (case, plan, panics) = (line(), plan::<u64, 1>(&line()), world.rank() == 1);
    // In steps, the default of several nodes, messages are packed one by one.
    let mut bound = plan.binder().method(Method::AllAtOnce).max_bytes(40_000).bind(world)?;
    let parts = Parts::<u64>::new(&case, world.rank());
    bound.watch(move |calls| assert!(!panics || calls.packed != 3, "amid packing"));
    let mut moved = || bound.run(&parts.source(1), &mut parts.untouched());
    match panic::catch_unwind(AssertUnwindSafe(&mut moved)) {
        Err(_) if panics => {}
        Ok(Err(Error::PeerFailed { rank: 1, .. })) if !panics => {}
        Ok(Ok(())) if !learns(world, 3) => {}
        other => return Err(format!("{other:?}").into()),
    }
    parts.moved(&mut bound, 2)?;
    let (source, mut destination) = (parts.source(3), parts.untouched());
    let mut left = 5_000_isize;
    let with = AssertUnwindSafe(|| {
        bound.run_with(&source, &mut destination, |moved, kept| {
            left -= 1;
            assert!(!panics || left > 0, "amid a function");
            *kept = moved;
        })
    });
    match panic::catch_unwind(with) {
        Err(_) if panics => {}
        Ok(Ok(())) if !panics => parts.same(&destination, 3)?,
        other => return Err(format!("{other:?}").into()),
    }
    moves_within(&case, &mut bound, 40_000)
}
