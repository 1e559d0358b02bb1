//! A rank has elements for few ranks: its faults reach these, and no other rank waits.

use redist::threads::{self, Rank};
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, Side, TypedPlan};
use redist_testing::drawn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// More ranks than all exchange with each other.
const RANKS: usize = 10;
const ROUTES: [Route; 2] = [Route::Automatic, Route::Messages];

fn plan() -> TypedPlan<u32, 1> {
    let to = "block(10) onto 10 of [95] at [5]";
    TypedPlan::parse([90], "block(10) onto 9", to).expect("the notation is right")
}

fn bind(rank: &Rank, route: Route) -> Result<Bound<u32, 1>, Error> {
    plan().binder().route(route).bind(rank)
}

struct Arrays {
    source: Vec<u32>,
    destination: Vec<u32>,
}

impl Arrays {
    fn new(bound: &Bound<u32, 1>, round: u32) -> Self {
        let source = bound.global_indices(Side::Source);
        Self {
            source: source.map(|[at]| at as u32 + 100 * round).collect(),
            destination: vec![u32::MAX; bound.local_len(Side::Destination)],
        }
    }

    fn are_right(&self, rank: usize, round: u32) -> bool {
        self.destination.iter().enumerate().all(|(at, found)| match 10 * rank + at {
            place @ 5..95 => *found == (place - 5) as u32 + 100 * round,
            _ => *found == u32::MAX,
        })
    }
}

fn goes(bound: &mut Bound<u32, 1>, call: usize, arrays: &mut Arrays) -> Result<(), Error> {
    let Arrays { source, destination } = arrays;
    match call {
        0 => bound.run(&source[..], &mut destination[..]),
        1 => bound.start(&source[..], &mut destination[..])?.finish(),
        _ => bound.run_with(&source[..], &mut destination[..], |moved, kept| *kept = moved),
    }
}

fn on_every_rank<R: Send>(body: impl Fn(&Rank) -> Result<R, Error> + Sync) -> Vec<R> {
    threads::run(RANKS, body).unwrap()
}

#[test]
fn each_rank_runs_or_starts_a_move() {
    for mix in 0..drawn::some(200) as usize {
        on_every_rank(|rank| {
            let mut bound = bind(rank, ROUTES[mix % 2])?;
            // Each rank goes through the calls in an order of its own.
            let mut drawn = mix * RANKS + rank.rank();
            for round in 1..4 {
                drawn = drawn
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let call = (drawn >> 33) % 3;
                let mut arrays = Arrays::new(&bound, round);
                goes(&mut bound, call, &mut arrays)?;
                assert!(arrays.are_right(rank.rank(), round), "{:?}", arrays.destination);
            }
            Ok(())
        });
    }
}

#[test]
fn moves_of_two_plans_overlap() {
    for _ in 0..drawn::some(50) {
        on_every_rank(|rank| {
            let (mut one, mut other) = (bind(rank, ROUTES[0])?, bind(rank, ROUTES[0])?);
            for round in 1..6 {
                let mut arrays = [Arrays::new(&one, round), Arrays::new(&other, round + 10)];
                let [first, second] = &mut arrays;
                match (rank.rank() + round as usize) % 3 {
                    0 => {
                        let begun = one.start(&first.source, &mut first.destination)?;
                        goes(&mut other, 0, second)?;
                        begun.finish()?;
                    }
                    1 => {
                        let begun = one.start(&first.source, &mut first.destination)?;
                        let last = other.start(&second.source, &mut second.destination)?;
                        last.finish().and(begun.finish())?;
                    }
                    _ => goes(&mut one, 0, first).and_then(|()| goes(&mut other, 1, second))?,
                }
                assert!(arrays[0].are_right(rank.rank(), round));
                assert!(arrays[1].are_right(rank.rank(), round + 10));
            }
            Ok(())
        });
    }
}

/// Plays a fault of rank 1; returns each rank's result of the move, and of the next one.
fn play(
    mix: usize,
    fault: impl Fn(&Rank, &mut Bound<u32, 1>, usize) -> Result<(), Error> + Sync,
) -> Vec<[Result<(), Error>; 2]> {
    on_every_rank(|rank| {
        let mut bound = bind(rank, ROUTES[mix % 2])?;
        let call = (mix + rank.rank()) % 3;
        let moved = if rank.rank() == 1 {
            fault(rank, &mut bound, call)
        } else {
            let mut arrays = Arrays::new(&bound, 1);
            let moved = goes(&mut bound, call, &mut arrays);
            match moved {
                Ok(()) => assert!(arrays.are_right(rank.rank(), 1)),
                Err(_) => assert!(arrays.destination.iter().all(|value| *value == u32::MAX)),
            }
            moved
        };
        let mut arrays = Arrays::new(&bound, 2);
        let next = goes(&mut bound, (call + 1) % 3, &mut arrays);
        assert!(next.is_err() || arrays.are_right(rank.rank(), 2));
        Ok([moved, next])
    })
}

fn expect_of_receivers(told: &[[Result<(), Error>; 2]], is_right: impl Fn(&Error) -> bool) {
    for (rank, [moved, next]) in told.iter().enumerate() {
        match moved {
            Err(error) => assert!(rank == 1 || rank == 2 && is_right(error), "{rank}: {error}"),
            Ok(()) => assert!(![1, 2].contains(&rank), "{rank}"),
        }
        assert_eq!(*next, Ok(()), "{rank}");
    }
}

#[test]
fn a_wrong_length_is_an_error_of_receivers() {
    for mix in 0..6 {
        let told = play(mix, |_, bound, call| {
            let mut arrays = Arrays::new(bound, 1);
            arrays.source.pop();
            goes(bound, call, &mut arrays)
        });
        expect_of_receivers(&told, |error| matches!(error, Error::PeerFailed { rank: 1, .. }));
    }
}

#[test]
fn another_plan_is_an_error_of_receivers() {
    for mix in 0..6 {
        let told = on_every_rank(|rank| {
            let mut bound = [bind(rank, ROUTES[mix % 2])?, bind(rank, ROUTES[mix / 3])?];
            let call = (mix + rank.rank()) % 3;
            let mut arrays = Arrays::new(&bound[0], 1);
            let moved = goes(&mut bound[usize::from(rank.rank() == 1)], call, &mut arrays);
            let mut arrays = Arrays::new(&bound[0], 2);
            let next = goes(&mut bound[0], call, &mut arrays);
            assert!(next.is_err() || arrays.are_right(rank.rank(), 2));
            Ok([moved, next])
        });
        expect_of_receivers(&told, |error| matches!(error, Error::DifferentMoves { .. }));
    }
}

#[test]
fn a_rank_that_has_ended_is_missed_by_its_receivers() {
    for mix in 0..6 {
        let told = threads::run(RANKS, |rank| {
            let mut bound = bind(rank, ROUTES[mix % 2])?;
            if rank.rank() == 1 {
                return Ok(Ok(()));
            }
            let mut arrays = Arrays::new(&bound, 1);
            let moved = goes(&mut bound, (mix + rank.rank()) % 3, &mut arrays);
            assert!(moved.is_err() || arrays.are_right(rank.rank(), 1));
            Ok::<_, Error>(moved)
        });
        for (rank, moved) in told.unwrap().into_iter().enumerate() {
            match moved {
                Ok(()) => assert_ne!(rank, 2),
                Err(error) => {
                    assert!(rank == 2 && matches!(error, Error::RankEnded { rank: 1, .. }));
                }
            }
        }
    }
}

// feature: errors of all ranks (collectively)
#[test]
fn all_ranks_learn_of_a_fault_in_collective_moves() {
    for call in 0..3 {
        let told = on_every_rank(|rank| {
            let mut bound = plan().binder().collectively().bind(rank)?;
            let mut arrays = Arrays::new(&bound, 1);
            arrays.source.truncate(if rank.rank() == 1 { 3 } else { 10 });
            let moved = goes(&mut bound, call, &mut arrays);
            assert!(arrays.destination.iter().all(|value| *value == u32::MAX));
            let mut arrays = Arrays::new(&bound, 2);
            goes(&mut bound, call, &mut arrays).map(|()| moved)
        });
        for (rank, moved) in told.into_iter().enumerate().filter(|(rank, _)| *rank != 1) {
            let is_told = matches!(moved, Err(Error::PeerFailed { rank: 1, .. }));
            assert!(is_told, "{rank}: {moved:?}");
        }
    }
}

/// Rank 0 sends to rank 1; rank 2 goes on without them.
#[test]
fn a_rank_without_partners_waits_for_nobody() {
    let is_through = AtomicBool::new(false);
    let plan = TypedPlan::<u8, 1>::parse([8], "* onto 1", "* onto 1 ranks 1..2").unwrap();
    let moved = threads::run(3, |rank| {
        let mut bound = plan.bind(rank)?;
        let began = Instant::now();
        while rank.rank() != 2 && !is_through.load(Ordering::Acquire) {
            assert!(began.elapsed() < Duration::from_secs(20), "rank 2 waits for others");
            std::thread::yield_now();
        }
        let mut found = vec![0; bound.local_len(Side::Destination)];
        for round in 1..5 {
            bound.run(&vec![round; bound.local_len(Side::Source)], &mut found)?;
            assert!(found.iter().all(|element| *element == round));
        }
        is_through.store(true, Ordering::Release);
        Ok::<_, Error>(())
    });
    moved.unwrap();
}

/// Rank 9 has nothing for rank 0, but its fault could lose rank 0's elements for rank 1.
#[test]
fn moves_in_place_are_made_by_all_ranks_or_by_none() {
    let plan = TypedPlan::<u32, 1>::parse([90], "block(10) onto 9", "block(9) onto 10").unwrap();
    let told = on_every_rank(|rank| {
        let mut bound = plan.bind(rank)?;
        let len = bound.local_len(Side::Source);
        let wrong = vec![rank.rank() as u32; len + usize::from(rank.rank() == 9)];
        let mut array = wrong.clone();
        let moved = bound.run_in_place(&mut array);
        assert_eq!(array, wrong);
        array.truncate(len);
        bound.run_in_place(&mut array)?;
        assert_eq!(array.len(), 9);
        Ok(moved)
    });
    assert!(told.iter().all(Result::is_err), "{told:?}");
}
