//! Moves with messages in the order of a schedule: the same arrays, if ranks start, run, forget or
//! cannot take part.

use crate::arrays::{Counted, Parts, case, moves_with, plan};
use crate::injected;
use crate::random::each;
use crate::routes::{is_told, receives_from};
use crate::{EVERY, FROM_THREE};
use redist::mpi::Communicator;
use redist::plan::AnyPlan;
use redist::plan::schedule::{Method, Schedules, steps};
use redist::{Bound, Error, Redistribution, Started};
use redist_mpi_tests::{Case as Trial, Outcome};
use redist_testing::strategies::Case;
use std::thread;
use std::time::Duration;

pub const CASES: &[Trial] = &[
    Trial::new("steps::listed", EVERY, listed),
    Trial::new("steps::random_lines", EVERY, |world| {
        each::<1>(world, |case| every_method::<u64, 1>(case, world))
    }),
    Trial::new("steps::random_planes", EVERY, |world| {
        each::<2>(world, |case| every_method::<f64, 2>(case, world))
    }),
    Trial::new("steps::split_messages", EVERY, |world| {
        each::<2>(world, |case| every_method_in_pieces::<u128, 2>(case, world, 13))
    }),
    Trial::new("steps::again_and_again", FROM_THREE, again_and_again),
    Trial::new("steps::are_kept", &[3, 4], are_kept).limit(30),
    Trial::new("steps::started", FROM_THREE, started).limit(60),
    Trial::new("steps::some_run_what_others_start", FROM_THREE, some_run).limit(60),
    Trial::new("steps::forgotten", FROM_THREE, forgotten).limit(60),
    Trial::new("steps::wrong_length", FROM_THREE, wrong_length).limit(30),
    Trial::new("steps::beside_a_rank_that_stays_away", FROM_THREE, beside_an_absent_rank)
        .on_one_node()
        .limit(30),
    Trial::new("steps::different_methods", FROM_THREE, different_methods).limit(30),
    Trial::new("steps::a_method_that_does_not_apply", FROM_THREE, does_not_apply).limit(30),
];

fn every_method<T: Counted, const D: usize>(case: &Case<D>, world: &Communicator) -> Outcome {
    every_method_in_pieces::<T, D>(case, world, 1 << 30)
}

/// Moves by every method, with messages cut into segments of as many bytes.
fn every_method_in_pieces<T: Counted, const D: usize>(
    case: &Case<D>,
    world: &Communicator,
    bytes: usize,
) -> Outcome {
    let methods = Method::ALL.into_iter().filter(|method| case.plan().schedule(*method).is_ok());
    methods.into_iter().try_for_each(|method| {
        let outcome = moves_with::<T, D, _>(case, world, |binder| {
            binder.method(method).max_message_bytes(bytes)
        });
        outcome.map_err(|error| format!("{method}: {error}").into())
    })
}

fn listed(world: &Communicator) -> Outcome {
    let size = world.size();
    let some = size.div_ceil(2);
    let line =
        |extent, from: &str, to: &str| every_method::<u64, 1>(&case([extent], from, to), world);
    line(1003, &format!("cyclic(10) onto {size}"), &format!("cyclic(2) onto {size}"))?;
    line(1003, &format!("cyclic(2) onto {some}"), &format!("cyclic(10) onto {size}"))?;
    line(
        700,
        &format!("cyclic(6) onto {size}"),
        &format!("cyclic(4) onto {some} ranks {}..{size}", size - some),
    )?;
    line(
        size + 1,
        &format!("block onto {size}"),
        &format!("cyclic onto {size} first {}", size - 1),
    )?;
    line(0, &format!("block onto {size}"), "block onto 1")?;
    if size > 2 {
        line(90, "gen_block([10, 80]) onto 2", "gen_block([70, 0, 20]) onto 3")?;
        line(
            5000,
            &format!("cyclic(3) onto {some}"),
            &format!("cyclic(9) onto {} ranks {some}..{size}", size - some),
        )?;
    }
    let plane = case(
        [40, 30],
        &format!("(block, *) onto {size}"),
        &format!("(*, cyclic(2)) onto {size} transposed"),
    );
    every_method::<f64, 2>(&plane, world)
}

const BY_STEPS: Method = Method::Caterpillar;

type Ready = (Parts<u64>, Bound<u64, 1>);

/// On few ranks, messages are too long to be sent before their receiver is ready. On many, they are
/// as long as the simulator has time for.
fn everybody_to_everybody(world: &Communicator) -> Case<1> {
    let size = world.size();
    case(
        [(600 * size * size).min(12_000)],
        &format!("cyclic(4) onto {size}"),
        &format!("cyclic onto {size}"),
    )
}

fn ready(world: &Communicator) -> Result<Ready, Error> {
    let case = everybody_to_everybody(world);
    Ok((Parts::new(&case, world.rank()), plan(&case).binder().method(BY_STEPS).bind(world)?))
}

fn again_and_again(world: &Communicator) -> Outcome {
    let (parts, mut bound) = ready(world)?;
    (0..10).try_for_each(|round| parts.moved(&mut bound, round))
}

/// Rank 0's first receiver is late: rank 0 sends nothing else before that message has arrived.
/// Messages are above the library's eager limit.
fn are_kept(world: &Communicator) -> Outcome {
    const LATE: Duration = Duration::from_millis(200);
    let (size, here) = (world.size(), world.rank());
    let case = case(
        [32_768 * size * size],
        &format!("block onto {size}"),
        &format!("cyclic(64) onto {size}"),
    );
    let (parts, redistribution) = (Parts::<u64>::new(&case, here), plan::<u64, 1>(&case));
    let (any, schedule) = (AnyPlan::from(case.plan()), case.plan().schedule(Method::Caterpillar)?);
    let of_rank_0 = steps(&any, &*schedule.ok_or("it has steps")?, 0);
    let order: Vec<usize> =
        of_rank_0.iter().filter_map(|step| step.send).filter(|to| *to != 0).collect();
    let mut bound = redistribution
        .binder()
        .method(Method::Caterpillar)
        .max_message_bytes(1 << 20)
        .bind(world)?;
    for round in 0..2 {
        world.barrier()?;
        if order[0] == here {
            thread::sleep(LATE);
        }
        let mut woke = [injected::now()];
        injected::note_sends();
        parts.moved(&mut bound, round)?;
        let sent = injected::sends();
        world.bcast(order[0], &mut woke)?;
        if here == 0 {
            // All other messages between ranks are short.
            let long: Vec<_> = sent.into_iter().filter(|sent| sent.bytes > 1 << 10).collect();
            let to: Vec<usize> = long.iter().map(|sent| sent.to).collect();
            assert_eq!(to, order, "rank 0 did not keep to the schedule");
            assert!(long[1..].iter().all(|sent| sent.when >= woke[0]), "two were under way");
        }
        assert_eq!(bound.calls().packed, 1 + round as usize, "messages are packed together");
    }
    Ok(())
}

fn started(world: &Communicator) -> Outcome {
    let ((parts, mut one), (_, mut other)) = (ready(world)?, ready(world)?);
    for round in 0..5 {
        let mut found = [parts.untouched(), parts.untouched()];
        let [here, there] = &mut found;
        let mut moves = [
            one.start(&parts.source(round), here)?,
            other.start(&parts.source(round + 100), there)?,
        ];
        if round == 3 {
            while !moves[0].test()? {
                thread::yield_now();
            }
        }
        if world.rank() % 2 == 1 {
            moves.reverse();
        }
        moves.into_iter().try_for_each(Started::finish)?;
        parts.same(&found[0], round)?;
        parts.same(&found[1], round + 100)?;
    }
    Ok(())
}

fn some_run(world: &Communicator) -> Outcome {
    let (parts, mut bound) = ready(world)?;
    parts.moved_by_some(&mut bound, world.rank() as u64)
}

fn forgotten(world: &Communicator) -> Outcome {
    let (parts, mut bound) = ready(world)?;
    parts.forgotten(&mut bound, world.rank() as u64)
}

fn wrong_length(world: &Communicator) -> Outcome {
    let (parts, mut bound) = ready(world)?;
    for round in 0..4 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let wrong = if round % 2 == 1 { &[2, 0][..] } else { &[2] };
        let (is_wrong, learns) = (wrong.contains(&world.rank()), receives_from(world, wrong));
        let error =
            bound.run(if is_wrong { &source[1..] } else { &source }, &mut destination).err();
        is_told(error, is_wrong, learns)?;
        assert!(destination == parts.untouched() || !learns, "nothing may move");
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

/// Rank 0 sends to rank 1 first, which makes a different call. Rank 2 gets its elements all the
/// same.
fn beside_an_absent_rank(world: &Communicator) -> Outcome {
    let scattered = case([1_200_000], "block onto 1", "block onto 3");
    let parts = Parts::<u64>::new(&scattered, world.rank());
    let schedules = |method: &Method| scattered.plan().schedule(*method).is_ok();
    for method in Method::ALL.into_iter().filter(schedules) {
        let mut bound = plan(&scattered).binder().method(method).bind(world)?;
        if world.rank() == 1 {
            match plan::<u64, 1>(&scattered).bind(world).map(drop) {
                Err(Error::DifferentMoves { .. }) => {}
                other => return Err(format!("{method}: {other:?}").into()),
            }
        } else {
            parts.moved(&mut bound, 1)?;
        }
        parts.moved(&mut bound, 2)?;
    }
    Ok(())
}

fn different_methods(world: &Communicator) -> Outcome {
    let redistribution = plan::<u64, 1>(&everybody_to_everybody(world));
    let told = |method| redistribution.binder().method(method).bind(world).map(drop).err();
    let expected =
        Error::DifferentSchedule { rank: 1, theirs: Method::Koenig, here: 0, ours: BY_STEPS };
    assert_eq!(told(if world.rank() == 1 { Method::Koenig } else { BY_STEPS }), Some(expected));
    let told = match world.rank() {
        2 => redistribution.bind(world).map(drop).err(),
        _ => told(BY_STEPS),
    };
    let expected =
        Error::DifferentSchedule { rank: 2, theirs: Method::AllAtOnce, here: 0, ours: BY_STEPS };
    assert_eq!(told, Some(expected));
    let (parts, mut bound) = ready(world)?;
    parts.moved(&mut bound, 1)
}

fn does_not_apply(world: &Communicator) -> Outcome {
    let case = case([90], "gen_block([10, 0, 80]) onto 3", "cyclic(3) onto 3");
    let why =
        case.plan().schedule(Method::Circulant).err().ok_or("its blocks are not of one size")?;
    assert_eq!(
        plan::<u64, 1>(&case).binder().method(Method::Circulant).bind(world).map(drop),
        Err(Error::Schedule(why))
    );
    moves_with::<u64, 1, _>(&case, world, |binder| binder.method(BY_STEPS))
}
