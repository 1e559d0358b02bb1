//! Moves that are under way while the ranks do other work.

use crate::FROM_THREE;
use crate::arrays::{Parts, case, plan};
use redist::mpi::Communicator;
use redist::{Bound, Error, Redistribution};
use redist_mpi_tests::{Case, Outcome};
use std::thread;
use std::time::{Duration, Instant};

pub const CASES: &[Case] = &[
    Case::new("started::source_is_free_at_once", FROM_THREE, source_is_free),
    Case::new("started::test_until_it_is_there", FROM_THREE, test_until_it_is_there),
    Case::new("started::start_does_not_wait", &[3], start_does_not_wait),
    Case::new("started::drop_waits_for_no_rank", FROM_THREE, drop_waits_for_no_rank),
    Case::new("started::forgotten_and_run_again", FROM_THREE, forgotten_and_run_again).limit(60),
    Case::new("started::forgotten_and_dropped", FROM_THREE, forgotten_and_dropped).limit(60),
    Case::new("started::wrong_length", FROM_THREE, wrong_length).limit(30),
    Case::new("started::a_test_takes_no_fault", FROM_THREE, test_takes_no_fault).limit(30),
    Case::new("started::a_sender_begins_before_its_receiver", FROM_THREE, begins_before).limit(30),
    Case::new("started::a_sender_is_not_far_ahead", FROM_THREE, not_far_ahead).limit(60),
];

/// Messages too long to be sent before their receiver is ready.
fn parts(world: &Communicator) -> Result<(Parts<u64>, Bound<u64, 1>), Error> {
    let case = case([12_000], "block onto 3", "block onto 3 first 1");
    Ok((Parts::new(&case, world.rank()), plan(&case).bind(world)?))
}

fn source_is_free(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    for round in 0..20 {
        let (mut source, mut destination) = (parts.source(round), parts.untouched());
        let started = bound.start(&source, &mut destination)?;
        source.fill(0);
        started.finish()?;
        parts.same(&destination, round)?;
    }
    Ok(())
}

/// `test` must become `true` without any call of `finish`, on all ranks.
fn test_until_it_is_there(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    for round in 0..20 {
        let mut destination = parts.untouched();
        let mut started = bound.start(&parts.source(round), &mut destination)?;
        let begun = Instant::now();
        while !started.test()? {
            assert!(begun.elapsed() < Duration::from_secs(60), "it never gets there");
            thread::yield_now();
        }
        assert!(started.test()?, "what was there stays there");
        started.finish()?;
        parts.same(&destination, round)?;
    }
    Ok(())
}

fn start_does_not_wait(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    let mut destination = parts.untouched();
    world.barrier()?;
    let begun = Instant::now();
    if world.rank() == 0 {
        thread::sleep(Duration::from_secs(2));
    }
    let mut started = bound.start(&parts.source(1), &mut destination)?;
    if world.rank() != 0 {
        assert!(!started.test()?, "rank 0 has not begun");
        assert!(begun.elapsed() < Duration::from_secs(1), "start has waited for rank 0");
    }
    started.finish()?;
    parts.same(&destination, 1)
}

/// One rank starts its moves when the others have dropped theirs.
fn drop_waits_for_no_rank(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    for round in 0..20 {
        let is_last = round as usize % world.size() == world.rank();
        if is_last {
            world.barrier()?;
        }
        let mut destination = parts.untouched();
        let _ = bound.start(&parts.source(round), &mut destination)?;
        assert_eq!(destination, parts.untouched(), "it is not finished");
        if !is_last {
            world.barrier()?;
        }
        parts.moved(&mut bound, round + 100)?;
    }
    Ok(())
}

/// A forgotten move is never finished: the next one must do that, and not mix up their messages.
fn forgotten_and_run_again(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    for round in 0..10 {
        let _ = bound.start(&parts.source(round), &mut parts.untouched())?;
        parts.moved(&mut bound, round + 100)?;
    }
    Ok(())
}

/// MPI must not write to freed memory, nor be left with requests at its end.
fn forgotten_and_dropped(world: &Communicator) -> Outcome {
    for round in 0..10 {
        let (parts, mut bound) = parts(world)?;
        let _ = bound.start(&parts.source(round), &mut parts.untouched())?;
    }
    Ok(())
}

/// The rank at fault gets its error at once, other ranks when they finish. A dropped move reports
/// nothing, but ends.
fn wrong_length(world: &Communicator) -> Outcome {
    let (parts, mut bound) = parts(world)?;
    // Its one receiver is rank 2.
    let learns = matches!(world.rank(), 1 | 2);
    for round in 0..5 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let short = if world.rank() == 1 { &source[1..] } else { &source[..] };
        match (bound.start(short, &mut destination), world.rank()) {
            (Err(Error::LocalLength { rank: 1, .. }), 1) => {}
            (Ok(_), _) if round % 2 == 1 => {}
            (Ok(started), _) => {
                let told = started.finish();
                let knows = matches!(told, Err(Error::PeerFailed { rank: 1, .. }));
                assert!(knows || told.is_ok() && !learns, "{told:?}");
            }
            (Err(error), _) => return Err(error.into()),
        }
        assert!(destination == parts.untouched() || !learns, "nothing may move");
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

/// A rank that tests until it would not wait still learns of a fault, of which all ranks do.
fn test_takes_no_fault(world: &Communicator) -> Outcome {
    let case = case([12_000], "block onto 3", "block onto 3 first 1");
    let parts = Parts::<u64>::new(&case, world.rank());
    let mut bound = plan::<u64, 1>(&case).binder().collectively().bind(world)?;
    for round in 0..5 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let short = if world.rank() == 1 { &source[1..] } else { &source[..] };
        match (bound.start(short, &mut destination), world.rank()) {
            (Err(Error::LocalLength { rank: 1, .. }), 1) => {}
            (Ok(mut started), _) => {
                let begun = Instant::now();
                while !started.test()? && begun.elapsed() < Duration::from_millis(300) {
                    thread::yield_now();
                }
                let told = started.finish();
                assert!(matches!(told, Err(Error::PeerFailed { rank: 1, .. })), "{told:?}");
            }
            (Err(error), _) => return Err(error.into()),
        }
        assert!(destination == parts.untouched(), "nothing may move");
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

/// A receiver that runs knows of such a sender's message when it begins to receive messages of
/// other nodes, and must not receive it twice.
fn begins_before(world: &Communicator) -> Outcome {
    let case = case([100], "block onto 3", "block onto 1 ranks 2..3");
    let (parts, mut bound) =
        (Parts::<u64>::new(&case, world.rank()), plan::<u64, 1>(&case).bind(world)?);
    for round in 0..4 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        if world.rank() == 2 {
            world.barrier()?;
            bound.run(&source, &mut destination)?;
        } else {
            let started = bound.start(&source, &mut destination)?;
            world.barrier()?;
            started.finish()?;
        }
        parts.same(&destination, round)?;
    }
    Ok(())
}

/// Senders of short messages would make all moves before their receiver begins.
fn not_far_ahead(world: &Communicator) -> Outcome {
    const PAUSE: Duration = Duration::from_millis(300);
    for from in ["block onto 1", "block onto 2 ranks [0, 2]"] {
        let case = case([100], from, "block onto 1 ranks 1..2");
        let (parts, mut bound) =
            (Parts::<u64>::new(&case, world.rank()), plan::<u64, 1>(&case).bind(world)?);
        for round in 0..3 {
            let begun = Instant::now();
            world.barrier()?;
            if world.rank() == 1 {
                thread::sleep(PAUSE);
            }
            (0..150).try_for_each(|_| parts.moved(&mut bound, round))?;
            assert!(world.rank() != 0 || begun.elapsed() >= PAUSE, "{from}: {}", bound.explain());
        }
    }
    Ok(())
}
