//! Plans on one communicator: they do not mix in any order of beginning, end and failure.

use crate::arrays::{Parts, case, moves, plan};
use crate::{EVERY, FROM_THREE};
use redist::mpi::{Communicator, Programs, RawCommunicator, SharedArray};
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, Side};
use redist_mpi_tests::{Case, Outcome, learns, rounds};
use redist_testing::strategies;
use std::cell::RefCell;
use std::{mem, process, thread};

pub const CASES: &[Case] = &[
    Case::new("contexts::many_plans", FROM_THREE, many_plans),
    Case::new("contexts::more_plans_than_tags", FROM_THREE, more_plans_than_tags),
    Case::new("contexts::duplicates_are_freed", &[1, 2, 3], duplicates_are_freed),
    Case::new("contexts::different_orders", FROM_THREE, different_orders).alone().limit(60),
    Case::new(
        "contexts::failed_and_finished_in_another_order",
        FROM_THREE,
        failed_in_another_order,
    )
    .limit(30),
    Case::new("contexts::failed_binds_between", FROM_THREE, failed_binds_between).limit(60),
    Case::new("contexts::communicators_come_and_go", &[1, 2, 3, 4], come_and_go),
    Case::new("contexts::communicator_goes_before_plans_and_arrays", FROM_THREE, goes_first),
    Case::new("contexts::duplicates_have_their_own", FROM_THREE, duplicates),
    Case::new("contexts::parts_of_the_world_beside_the_world", &[2, 3, 4, 6], parts_of_the_world),
    Case::new("contexts::given_up_on_one_rank", &[3, 4], given_up_on_one_rank).alone().limit(60),
    Case::new("contexts::alive_at_the_end", EVERY, alive_at_the_end).alone().limit(30),
    Case::new("contexts::an_array_outlives_mpi", &[1, 3], an_array_outlives_mpi).alone().limit(30),
    Case::new("contexts::couplings_before_the_end", &[4], couplings).alone().limit(30),
    Case::new("contexts::couplings_come_and_go", &[2], couplings_come_and_go)
        .on_one_node()
        .limit(120),
    Case::new("contexts::a_move_after_the_end", &[1, 3], after_the_end).alone().limit(30),
    Case::new("contexts::of_a_thread_that_ended", &[2, 3], thread_that_ended)
        .serialized()
        .limit(30),
    Case::new("contexts::another_thread", &[1, 3], another_thread).alone().limit(30),
];

type Line = Bound<u64, 1>;

/// Enough bytes that some libraries ask the receiver first.
fn line() -> strategies::Case<1> {
    case([3001], "cyclic(10) onto 3", "block onto 3 first 1")
}

fn bind(world: &Communicator) -> Result<Line, Error> {
    plan(&line()).bind(world)
}

fn all_move(parts: &Parts<u64>, rank: usize, bound: &mut [Line]) -> Outcome {
    bound.iter_mut().zip(0..).try_for_each(|(bound, round)| parts.moved(bound, round))?;
    let sources: Vec<_> = (0..bound.len() as u64).map(|round| parts.source(round + 7)).collect();
    let mut found = vec![parts.untouched(); bound.len()];
    let each = bound.iter_mut().zip(&sources).zip(&mut found);
    let mut started =
        each.map(|((bound, from), to)| bound.start(from, to)).collect::<Result<Vec<_>, _>>()?;
    let middle = started.len() * rank / 12;
    started.rotate_left(middle);
    if rank % 2 == 1 {
        started.reverse();
    }
    started.into_iter().try_for_each(redist::Started::finish)?;
    found.iter().zip(7..).try_for_each(|(found, round)| parts.same(found, round))
}

fn many_plans(world: &Communicator) -> Outcome {
    let parts = Parts::new(&line(), world.rank());
    (0..rounds(world, 500)).try_for_each(|_| bind(world).map(drop))?;
    let mut bound = (0..300).map(|_| bind(world)).collect::<Result<Vec<_>, _>>()?;
    all_move(&parts, world.rank(), &mut bound[..40])?;
    // Every rank drops others.
    let mut kept = (0..bound.len()).map(|number| number % 12 == world.rank() || number < 5);
    bound.retain(|_| kept.next() == Some(true));
    bound.truncate(5);
    bound.push(bind(world)?);
    all_move(&parts, world.rank(), &mut bound)
}

/// A rank gives up contexts that all others have until the end of MPI. Its next communicators are of
/// this rank only, and must not get the numbers of communicators that others still send words on.
fn given_up_on_one_rank(world: &Communicator) -> Outcome {
    let (own, parts) =
        (world.split(world.rank(), world.rank())?, Parts::new(&line(), world.rank()));
    let mut of_all = Vec::new();
    for _ in 0..40 {
        of_all.push(bind(&world.duplicate()?)?);
    }
    all_move(&parts, world.rank(), &mut of_all)?;
    if world.rank() == 0 {
        of_all.clear();
    }
    let alone = case([3001], "cyclic(10) onto 1", "block onto 1");
    let mut of_this_rank = Vec::new();
    for _ in 0..60 {
        let users = own.duplicate()?;
        of_this_rank.push((plan::<u64, 1>(&alone).bind(&users)?, users));
    }
    mem::forget((of_all, of_this_rank));
    Ok(())
}

fn more_plans_than_tags(world: &Communicator) -> Outcome {
    let parts = Parts::new(&line(), world.rank());
    let (users, planned) = (world.duplicate()?, plan(&line()));
    let mut bound = (0..30)
        .map(|_| planned.binder().max_tags(4).bind(&users))
        .collect::<Result<Vec<_>, _>>()?;
    all_move(&parts, world.rank(), &mut bound)?;
    drop(users);
    all_move(&parts, world.rank(), &mut bound)
}

/// MPICH has room for 2048 communicators.
fn duplicates_are_freed(world: &Communicator) -> Outcome {
    let size = world.size();
    let line = case([3001], &format!("cyclic(10) onto {size}"), &format!("block onto {size}"));
    let parts = Parts::new(&line, world.rank());
    let planned = plan::<u64, 1>(&line);
    let bind = || planned.binder().max_tags(1).bind(world);
    let mut bound = [bind()?, bind()?];
    (0..rounds(world, 3000)).try_for_each(|_| bind().map(drop))?;
    all_move(&parts, world.rank(), &mut bound)
}

/// Rank 1 runs two plans in another order. All ranks fail then, and ever after.
fn different_orders(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    for route in [Route::Automatic, Route::Messages] {
        let (users, planned) = (world.duplicate()?, plan::<u64, 1>(&line()));
        let bind = || planned.binder().route(route).bind(&users);
        let mut bound = [bind()?, bind()?];
        for bound in &mut bound {
            parts.moved(bound, 1)?;
        }
        if world.rank() == 1 {
            bound.reverse();
        }
        for bound in &mut bound {
            for _ in 0..2 {
                let mut destination = parts.untouched();
                match bound.run(&parts.source(2), &mut destination) {
                    Err(Error::DifferentMoves { .. }) => {}
                    Ok(()) if !learns(world, 3) => {}
                    other => return Err(format!("{route}: {other:?}").into()),
                }
                assert!(destination == parts.untouched(), "{route}: nothing may move");
            }
        }
        parts.moved(&mut planned.bind(world)?, 3)?;
    }
    Ok(())
}

/// Ranks 1 and 2 are not ready for a move each, finished in different orders. All ranks learn it.
fn failed_in_another_order(world: &Communicator) -> Outcome {
    let (rank, parts) = (world.rank(), Parts::<u64>::new(&line(), world.rank()));
    let mut bound = [bind(world)?, bind(world)?, bind(world)?];
    for round in 0..20 {
        let source = parts.source(round);
        let mut found = [parts.untouched(), parts.untouched(), parts.untouched()];
        let mut started = Vec::new();
        for (number, (bound, to)) in bound.iter_mut().zip(&mut found).enumerate() {
            let ready = number == 0 || number != rank;
            match (bound.start(&source[usize::from(!ready)..], to), ready) {
                (Ok(move_), true) => started.push((number, move_)),
                (Err(Error::LocalLength { rank: told, .. }), false) => {
                    assert_eq!(told, rank)
                }
                (other, _) => return Err(format!("move {number}: {:?}", other.err()).into()),
            }
        }
        if rank % 2 == 0 {
            started.reverse();
        }
        for (number, move_) in started {
            match (number, move_.finish()) {
                (0, Ok(())) => {}
                (_, Ok(())) if !learns(world, 3) => {}
                (1 | 2, Err(Error::PeerFailed { rank: told, reason })) => {
                    assert_eq!(told, number);
                    assert!(reason.starts_with("the local source array"), "{reason}");
                }
                (_, other) => return Err(format!("move {number}: {other:?}").into()),
            }
        }
        parts.same(&found[0], round)?;
        assert!(found[1] == parts.untouched() && found[2] == parts.untouched(), "nothing may move");
    }
    all_move(&parts, rank, &mut bound)
}

fn failed_binds_between(world: &Communicator) -> Outcome {
    let (rank, parts) = (world.rank(), Parts::<u64>::new(&line(), world.rank()));
    let other =
        |at| if rank == at { case([3001], "cyclic(9) onto 3", "block onto 3") } else { line() };
    let mut bound = bind(world)?;
    for round in 0..20 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let started = bound.start(&source, &mut destination)?;
        let differs = plan::<u64, 1>(&other(2)).bind(world).err();
        assert!(
            matches!(differs, Some(Error::DifferentPlan { rank: 2, here: 0, .. })),
            "{differs:?}"
        );
        let element =
            if rank == 1 { plan::<f64, 1>(&line()).bind(world).err() } else { bind(world).err() };
        assert!(
            matches!(element, Some(Error::DifferentElement { rank: 1, here: 0, .. })),
            "{element:?}"
        );
        let wide = if rank == 0 { case([10], "block onto 99", "cyclic onto 1") } else { line() };
        let failed = plan::<u64, 1>(&wide).bind(world).err();
        assert!(
            matches!(failed, Some(Error::PeerFailed { rank: 0, .. } | Error::TooFewRanks { .. })),
            "{failed:?}"
        );
        let mut again = bind(world)?;
        started.finish()?;
        parts.same(&destination, round)?;
        parts.moved(&mut again, round + 50)?;
    }
    Ok(())
}

/// MPICH has room for 2048 communicators, so kept values must go with them.
fn come_and_go(world: &Communicator) -> Outcome {
    let small = case([9], "block onto 1", "cyclic onto 1");
    (0..rounds(world, 1500)).try_for_each(|round| {
        let users = world.duplicate()?;
        let bound = plan::<u64, 1>(&small).bind(&users)?;
        // Either may go first.
        if round % 2 == 0 {
            drop(users);
            drop(bound);
        }
        Ok(())
    })
}

fn goes_first(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let users = world.duplicate()?;
    let mut bound = [bind(&users)?, bind(&users)?];
    let mut array = bound[0].shared_array(Side::Source)?;
    drop(users);
    array.copy_from_slice(&parts.source(3));
    let mut destination = parts.untouched();
    bound[1].run(&array, &mut destination)?;
    parts.same(&destination, 3)?;
    all_move(&parts, world.rank(), &mut bound)?;
    drop(bound);
    assert_eq!(*array, *parts.source(3), "the array outlives the plans");
    Ok(())
}

fn duplicates(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(), world.rank());
    let first = bind(world)?;
    let users = world.duplicate()?;
    let mut bound = [first, bind(&users)?, bind(world)?, bind(&users)?];
    for round in 0..20 {
        let [one, two, ..] = &mut bound;
        let ((source, mut here), mut there) =
            ((parts.source(round), parts.untouched()), parts.untouched());
        // On unrelated communicators, moves may begin in any order.
        let (one, two) = match world.rank() % 2 {
            0 => (one.start(&source, &mut here)?, two.start(&source, &mut there)?),
            _ => {
                let two = two.start(&source, &mut there)?;
                (one.start(&source, &mut here)?, two)
            }
        };
        one.finish()?;
        two.finish()?;
        parts.same(&here, round)?;
        parts.same(&there, round)?;
    }
    all_move(&parts, world.rank(), &mut bound)
}

/// Ranks of one part bind more often than ranks of the second part, and than all.
fn parts_of_the_world(world: &Communicator) -> Outcome {
    let color = world.rank() % 2;
    let half = world.split(color, world.rank())?;
    for round in 0..20 {
        let ranks = if round % 3 == 0 { 1 } else { half.size() };
        let part = case([500], &format!("cyclic(3) onto {ranks}"), "block onto 1");
        (0..color * 3 + round % 2).try_for_each(|_| moves::<u64, 1, _>(&part, &half))?;
        let whole = case([500], &format!("cyclic(3) onto {}", world.size()), "block onto 2");
        moves::<u64, 1, _>(&whole, world)?;
    }
    Ok(())
}

/// `MPI_Finalize` finds contexts on its own communicators and on a communicator that was not freed,
/// and live plans.
fn alive_at_the_end(world: &Communicator) -> Outcome {
    let small = case([90], "cyclic(4) onto 1", "block onto 1");
    let alone = redist_mpi::this_rank()?;
    moves::<u64, 1, _>(&small, &alone)?;
    let users = world.duplicate()?;
    users.keep();
    // SAFETY: the handle is that of a live communicator, which is never freed.
    let raw = unsafe { RawCommunicator::new(users.as_raw()) }?;
    drop(users);
    moves::<u64, 1, _>(&small, &raw)?;
    mem::forget(plan::<u64, 1>(&small).bind(&raw)?);
    if world.rank() == 0 {
        mem::forget(plan::<u64, 1>(&small).bind(&alone)?);
    }
    moves::<u64, 1, _>(&small, world)
}

/// Dropped couplings beside communicators, of which one half of the ranks has more.
fn couplings(world: &Communicator) -> Outcome {
    let color = usize::from(world.rank() >= 2);
    let half = world.split(color, world.rank())?;
    if color == 1 {
        moves::<u64, 1, _>(&case([90], "cyclic(4) onto 2", "block onto 2"), &half)?;
    }
    coupled(world, color)?;
    drop(half);
    coupled(world, color)
}

fn coupled(world: &Communicator, program: usize) -> Outcome {
    let role = [Side::Source, Side::Destination][program];
    let coupling = Programs::numbered(world, program)?.couple(role, 1 - program)?;
    let ranks = world.size();
    let from = format!("cyclic(4) onto {ranks}");
    moves::<u64, 1, _>(&case([90], &from, "block onto 2"), &coupling)
}

/// MPICH has 2048 communicators for a process; a coupling takes several.
fn couplings_come_and_go(world: &Communicator) -> Outcome {
    (0..700).try_for_each(|_| coupled(world, usize::from(world.rank() >= 1)))
}

/// Safe code uses an array after the end of MPI, when its communicator and its plan are gone.
fn an_array_outlives_mpi(world: &Communicator) -> Outcome {
    let small = case([90], "cyclic(4) onto 1", "block onto 1");
    let users = world.duplicate()?;
    let mut array = plan::<u64, 1>(&small).bind(&users)?.shared_array(Side::Source)?;
    drop(users);
    array.fill(7);
    if world.rank() == 0 {
        mem::forget(plan::<u64, 1>(&small).bind(world)?.shared_array(Side::Source)?);
    } else {
        drop(plan::<u64, 1>(&small).bind(world)?.shared_array(Side::Source)?);
    }
    KEPT.with_borrow_mut(|kept| kept.push(LateArray(array)));
    Ok(())
}

/// Is dropped after the end of MPI.
struct LateArray(SharedArray<u64>);

impl Drop for LateArray {
    fn drop(&mut self) {
        if redist_mpi::is_finalized() != Ok(true) || self.0.iter().any(|element| *element != 7) {
            eprintln!("after the end: {:?}", self.0);
            process::abort();
        }
        self.0.fill(8);
    }
}

thread_local! {
    static KEPT: RefCell<Vec<LateArray>> = const { RefCell::new(Vec::new()) };
}

/// Moves an array when it is dropped, which must fail, because MPI has been finalised by then.
struct Late(Bound<u64, 1>);

impl Drop for Late {
    fn drop(&mut self) {
        let [source, mut destination] =
            [Side::Source, Side::Destination].map(|side| vec![0; self.0.local_len(side)]);
        let moved = self.0.run(&source, &mut destination);
        if !matches!(moved, Err(Error::Unavailable { .. })) {
            eprintln!("after the end: {moved:?}");
            process::abort();
        }
    }
}

thread_local! {
    static LATE: RefCell<Vec<Late>> = const { RefCell::new(Vec::new()) };
}

fn after_the_end(world: &Communicator) -> Outcome {
    let size = world.size();
    let line = case([3001], &format!("cyclic(10) onto {size}"), &format!("block onto {size}"));
    for route in [Route::Automatic, Route::Messages] {
        let late = Late(plan(&line).binder().route(route).bind(world)?);
        LATE.with_borrow_mut(|kept| kept.push(late));
    }
    Ok(())
}

/// The last rank's plans are of a thread that has ended.
fn thread_that_ended(world: &Communicator) -> Outcome {
    let moved = || -> Result<(), String> {
        let small = case([90], "cyclic(4) onto 2", "block onto 2");
        let world = RawCommunicator::world().map_err(|error| error.to_string())?;
        moves::<u64, 1, _>(&small, &world).map_err(|error| error.to_string())
    };
    if world.rank() + 1 == world.size() {
        thread::spawn(moved).join().expect("it does not panic")?;
    } else {
        moved()?;
    }
    Ok(())
}

fn another_thread(world: &Communicator) -> Outcome {
    let size = world.size();
    let line = case([3001], &format!("cyclic(10) onto {size}"), &format!("block onto {size}"));
    let mut bound = plan::<u64, 1>(&line).bind(world)?;
    let told = || {
        let world = RawCommunicator::world().err().map(|error| error.to_string());
        [world, redist_mpi::this_rank().err().map(|error| error.to_string())]
    };
    for text in thread::spawn(told).join().expect("it does not panic") {
        let text = text.unwrap_or_default();
        assert!(text.contains("MPI was initialised for its main thread alone"), "{text}");
    }
    Parts::new(&line, world.rank()).moved(&mut bound, 1)
}
