//! Messages that the ranks of a node pack for each other in shared memory.

use crate::FROM_THREE;
use crate::arrays::{Counted, Parts, case, chunk_bytes, moves, plan};
use crate::random::drawn;
use redist::exec::Calls;
use redist::mpi::Communicator;
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution, Side, redistribute};
use redist_mpi_tests::{Case, Outcome, rounds};
use redist_testing::strategies;
use std::panic::{self, AssertUnwindSafe};

pub const CASES: &[Case] = &[
    Case::new("packed::every_size", FROM_THREE, every_size).on_one_node(),
    Case::new("packed::planes_and_elements", FROM_THREE, planes_and_elements).on_one_node(),
    Case::new("packed::in_turn_with_others", FROM_THREE, in_turn_with_others).on_one_node(),
    Case::new("packed::some_start", FROM_THREE, some_start).on_one_node(),
    Case::new("packed::some_are_shared", FROM_THREE, some_are_shared).on_one_node(),
    Case::new("packed::a_function", FROM_THREE, a_function).on_one_node(),
    Case::new("packed::a_wrong_length_stops_all", FROM_THREE, wrong_length).on_one_node().limit(30),
    Case::new("packed::a_rank_that_leaves", FROM_THREE, a_rank_that_leaves).on_one_node().limit(60),
    Case::new("packed::a_rank_that_leaves_as_it_packs", FROM_THREE, leaves_as_it_packs)
        .on_one_node()
        .limit(60),
];

fn line(len: usize) -> strategies::Case<1> {
    case([len], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3")
}

/// A length of which each rank packs a few slots.
const LEN: usize = 30_000;

redistribute! {
    struct Static: [u64; LEN] { from: cyclic(10) onto 3, to: cyclic(2) onto 2 ranks 1..3 }
}

fn is_packed<T: Counted, const D: usize>(bound: &Bound<T, D>) -> bool {
    let said = bound.explain();
    bound.way() == Way::Slots
        && said.contains("packed into slots of memory that ranks of a node share")
}

fn every_size(world: &Communicator) -> Outcome {
    let lengths = [
        (300, false),
        (4_000, true),
        (20_000, true),
        (LEN, true),
        (60_000, true),
        (90_000, true),
        // Some rank packs five chunks.
        (15 * chunk_bytes(world)? / size_of::<u64>(), false),
    ];
    for (len, packs) in drawn(lengths, 3) {
        let case = line(len);
        let parts = Parts::<u64>::new(&case, world.rank());
        let mut bound = plan::<u64, 1>(&case).bind(world)?;
        assert_eq!(is_packed(&bound), packs, "{len}: {}", bound.explain());
        parts.moved(&mut bound, 1)?;
        if packs {
            let once = Calls { packed: 1, unpacked: 1, rounds: 1, ..Calls::default() };
            assert_eq!(bound.calls(), once);
        }
        (2..30).try_for_each(|round| parts.moved(&mut bound, round))?;
    }
    let parts = Parts::<u64>::new(&line(LEN), world.rank());
    let mut bound = Static::new().bind(world)?;
    assert!(is_packed(&bound));
    (0..rounds(world, 200)).try_for_each(|round| parts.moved(&mut bound, round))
}

fn planes_and_elements(world: &Communicator) -> Outcome {
    fn packed<T: Counted, const D: usize>(
        world: &Communicator,
        case: &strategies::Case<D>,
    ) -> Outcome {
        assert!(is_packed(&plan::<T, D>(case).bind(world)?), "{case:?}");
        moves::<T, D, _>(case, world)
    }
    let tiles = case(
        [600, 40],
        "(cyclic(8), cyclic(8)) onto (2, 1) storage fortran",
        "(cyclic(4), cyclic(4)) onto (2, 1) storage fortran",
    );
    packed::<f64, 2>(world, &tiles)?;
    packed::<[f32; 3], 2>(world, &tiles)?;
    let columns = case(
        [40, 900],
        "(*, cyclic(5)) onto 3",
        "(cyclic(4), cyclic(3)) onto (1, 3) storage fortran",
    );
    packed::<u32, 2>(world, &columns)?;
    let section = case(
        [5_000],
        "cyclic(7) onto 3 of [6000] at [30]",
        "cyclic(3) onto 2 ranks 1..3 of [5100] at [1]",
    );
    packed::<u128, 1>(world, &section)?;
    packed::<u16, 1>(world, &line(40_000))?;
    packed::<u8, 1>(world, &line(40_000))
}

fn in_turn_with_others(world: &Communicator) -> Outcome {
    let cases = [8_000, 60_000, 300, 90_000, 200_000, LEN].map(line);
    let rank = world.rank();
    let parts: Vec<_> = cases.iter().map(|case| Parts::<u64>::new(case, rank)).collect();
    let routes = [Route::Automatic, Route::Messages];
    let mut bound = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let planned = plan::<u64, 1>(case);
        bound.push(planned.binder().route(routes[usize::from(number == 5)]).bind(world)?);
    }
    for round in 0..rounds(world, 60) {
        let number = [0, 1, 2, 3, 1, 4, 3, 5, 0, 3][round as usize % 10];
        parts[number].moved(&mut bound[number], round)?;
    }
    Ok(())
}

/// Ranks that start the move have messages for all; packed slots are passed over.
fn some_start(world: &Communicator) -> Outcome {
    let rank = world.rank() as u64;
    let parts = Parts::<u64>::new(&line(LEN), rank as usize);
    let mut bound = Static::new().bind(world)?;
    parts.moved_by_some(&mut bound, rank)?;
    let mut other = plan::<u64, 1>(&line(LEN)).bind(world)?;
    parts.forgotten(&mut other, rank)?;
    (0..20).try_for_each(|round| parts.moved(&mut bound, round))
}

/// A rank with a shared source packs once it knows that not all sources are shared.
fn some_are_shared(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(LEN), world.rank());
    let mut bound = Static::new().bind(world)?;
    let mut shared = bound.shared_array(Side::Source)?;
    for round in 0..30 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        shared.copy_from_slice(&source);
        let before = bound.calls();
        match (round % 3, world.rank() as u64 % 3 == round % 2) {
            (0, _) | (1, true) => bound.run(&shared, &mut destination)?,
            _ => bound.run(&source, &mut destination)?,
        }
        parts.same(&destination, round)?;
        let (calls, is_mixed) = (bound.calls(), round % 3 == 1);
        let counts = (calls.copied - before.copied, calls.rounds - before.rounds);
        assert!(is_mixed || counts == if round % 3 == 0 { (1, 0) } else { (0, 1) }, "{counts:?}");
    }
    Ok(())
}

fn a_function(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(LEN), world.rank());
    let mut bound = Static::new().bind(world)?;
    for round in 0..10 {
        let mut kept = parts.untouched();
        bound.run_with(&parts.source(round), &mut kept, |moved, kept| *kept = moved)?;
        parts.same(&kept, round)?;
    }
    assert_eq!(bound.calls().rounds, 10);
    Ok(())
}

fn wrong_length(world: &Communicator) -> Outcome {
    let parts = Parts::<u64>::new(&line(LEN), world.rank());
    let mut bound = Static::new().bind(world)?;
    for round in 0..8 {
        let (source, mut destination) = (parts.source(round), parts.untouched());
        let is_wrong = world.rank() == 1;
        let source = if is_wrong { &source[1..] } else { &source[..] };
        match bound.run(source, &mut destination) {
            Err(Error::LocalLength { rank: 1, .. }) if is_wrong => {}
            Err(Error::PeerFailed { rank: 1, .. }) if !is_wrong => {}
            // Its one receiver is rank 2.
            Ok(()) if world.rank() != 2 => {}
            other => return Err(format!("{other:?}").into()),
        }
        assert!(destination == parts.untouched(), "nothing may move");
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}

/// Rank 1 panics before it reads anything. The other ranks have all that they need.
fn a_rank_that_leaves(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let (parts, gives_up) = (Parts::<u64>::new(&line(LEN), world.rank()), world.rank() == 1);
    let mut bound = Static::new().bind(world)?;
    parts.moved(&mut bound, 0)?;
    let amid = Calls { packed: 2, rounds: 2, unpacked: 1, ..Calls::default() };
    bound.watch(move |calls| assert!(!(gives_up && calls == amid), "has had enough"));
    let mut destination = parts.untouched();
    let run = AssertUnwindSafe(|| bound.run(&parts.source(1), &mut destination));
    match panic::catch_unwind(run) {
        Err(_) if gives_up => {}
        Ok(Ok(())) if !gives_up => parts.same(&destination, 1)?,
        // A rank that still waited gets an error.
        Ok(Err(Error::PeerFailed { rank: 1, .. })) if !gives_up => {}
        other => return Err(format!("{other:?}").into()),
    }
    let rounds = bound.calls().rounds;
    (2..6).try_for_each(|round| parts.moved(&mut bound, round))?;
    assert_eq!(bound.calls().rounds, rounds + 4);
    moves::<u64, 1, _>(&line(8_000), world)
}

/// Rank 1 panics as it packs, before the move begins, and goes on with the same plan. Its call counts.
fn leaves_as_it_packs(world: &Communicator) -> Outcome {
    panic::set_hook(Box::new(|_| ()));
    let (parts, gives_up) = (Parts::<u64>::new(&line(LEN), world.rank()), world.rank() == 1);
    let mut bound = Static::new().bind(world)?;
    for round in 0..10 {
        let packed = bound.calls().packed;
        bound.watch(move |calls| assert!(!gives_up || calls.packed == packed, "has had enough"));
        let mut destination = parts.untouched();
        let run = AssertUnwindSafe(|| bound.run(&parts.source(round), &mut destination));
        match panic::catch_unwind(run) {
            Err(_) if gives_up => {}
            // Its one receiver is rank 2.
            Ok(Ok(())) if world.rank() != 1 && world.rank() != 2 => {
                parts.same(&destination, round)?;
            }
            Ok(Err(Error::PeerFailed { rank: 1, .. })) if world.rank() == 2 => {
                assert!(destination == parts.untouched(), "nothing may move");
            }
            other => return Err(format!("{other:?}").into()),
        }
        bound.watch(|_| ());
        parts.moved(&mut bound, round + 50)?;
    }
    Ok(())
}
