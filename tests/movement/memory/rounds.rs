//! Moves within a memory bound hold no more than they state.

use crate::alone;
use redist::exec::{Binder, Redistribution, TypedPlan};
use redist::plan::{Diag, Uplo};
use redist::threads::{self, Rank};
use redist::transport::{Route, Way};
use redist::{Bound, Error, Side, redistribute};
use redist_testing::allocations::{held, long_held, long_peak};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;

const LEN: usize = 300_000;

redistribute! {
    struct Cyclic: [u64; LEN] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct Columns: [u64; 600, 500] { from: (block, *) onto 3, to: (*, block) onto 3 }
}

fn held_by<const D: usize>(bound: &Bound<u64, D>, side: Side) -> Vec<u64> {
    let place = |index: [usize; D]| index.iter().fold(0, |place, at| place * 1000 + at);
    bound.global_indices(side).map(|index| place(index) as u64).collect()
}

fn moves<const D: usize>(bound: &mut Bound<u64, D>) -> Result<(), Error> {
    let mut array = vec![u64::MAX; bound.local_len(Side::Destination)];
    bound.run(&held_by(bound, Side::Source), &mut array)?;
    assert!(array == held_by(bound, Side::Destination), "in {} rounds", bound.rounds());
    Ok(())
}

/// Returns the most that all ranks hold in one move, their stated bytes, and the bytes of tables.
fn measured<R: Redistribution<D, Element = u64> + Sync, const D: usize>(
    plan: &R,
    binder: impl Fn(&R) -> Binder<'_, R, D> + Sync,
) -> (usize, usize) {
    let (_alone, meet) = (alone(), Barrier::new(3));
    let by_rank = threads::run(3, |rank| {
        let mut bound = binder(plan).bind(rank)?;
        let source = held_by(&bound, Side::Source);
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let expected = held_by(&bound, Side::Destination);
        meet.wait();
        let before = (long_held(), held());
        meet.wait();
        bound.run(&source, &mut destination)?;
        meet.wait();
        let (peak, after) = (long_peak() - before.0, held());
        assert!(destination == expected && bound.rounds() > 2, "{}", bound.explain());
        let tables = after.saturating_sub(before.1 + peak);
        assert!(tables < 32 << 10, "{tables} bytes are held beside messages");
        // The second move allocates nothing further.
        meet.wait();
        let before = long_held();
        meet.wait();
        bound.run(&source, &mut destination)?;
        meet.wait();
        assert_eq!(long_peak(), before, "buffers serve again");
        Ok::<_, Error>((peak, bound.scratch_bytes()))
    });
    let by_rank = by_rank.unwrap();
    (by_rank[0].0, by_rank.iter().map(|(_, stated)| stated).sum())
}

#[test]
fn the_peak_is_what_is_stated() {
    for max_bytes in [60_000, 100_000, 200_000] {
        let (peak, stated) = measured(&Cyclic::new(), |plan: &Cyclic| {
            plan.binder().route(Route::Messages).max_bytes(max_bytes)
        });
        assert_eq!(peak, stated, "in {max_bytes} bytes");
        assert!(stated <= 3 * max_bytes && stated > 2 * max_bytes, "{stated}");
        let (peak, stated) = measured(&Columns::new(), |plan: &Columns| {
            plan.binder().route(Route::Messages).max_bytes(max_bytes)
        });
        assert_eq!(peak, stated, "in {max_bytes} bytes, by columns");
    }
}

fn with_three<R: Send>(work: impl Fn(&Rank) -> Result<R, Error> + Sync) -> Vec<R> {
    let _alone = alone();
    threads::run(3, work).unwrap()
}

fn bounded(max_bytes: usize) -> impl Fn(&Rank) -> Result<Bound<u64, 1>, Error> {
    move |rank| Cyclic::new().binder().route(Route::Messages).max_bytes(max_bytes).bind(rank)
}

#[test]
fn explain_tells_rounds_and_memory() {
    let texts = with_three(|rank| {
        let mut bound = bounded(100_000)(rank)?;
        let before = bound.explain();
        moves(&mut bound)?;
        let lent = Cyclic::new().binder().max_bytes(100_000).bind(rank)?;
        assert_eq!((lent.way(), lent.scratch_bytes()), (Way::Lent, 0));
        let whole = bounded(1 << 30)(rank)?;
        assert_eq!((whole.rounds(), whole.scratch_bytes()), (1, LEN / 3 * 8));
        Ok([before, bound.explain(), lent.explain()])
    });
    for [before, after, lent] in texts {
        for (text, words) in [
            (
                &before,
                "0 bytes for messages now, 100000 at most, in 8 rounds, of 100000 bytes that",
            ),
            (&before, "every round tables"),
            (&before, "packed box by box"),
            (&after, "100000 bytes for messages now, 100000 at most"),
            (&lent, "way: lent arrays"),
            (
                &lent,
                "0 bytes for messages now; 100000 at most where packed messages go, in 8 rounds",
            ),
        ] {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}

#[test]
fn what_does_not_fit_is_told_on_all_ranks() {
    let told = with_three(|rank| Ok(bounded(7)(rank).err()));
    assert_eq!(told, vec![Some(Error::Scratch { max_bytes: 7, needed: 8 }); 3]);
    let told = with_three(|rank| Ok(bounded(800 + rank.rank() / 2)(rank).unwrap_err()));
    for error in told {
        assert!(matches!(error, Error::DifferentOptions { rank: 2, here: 0, .. }), "{error}");
        assert!(error.to_string().contains("all messages of a rank in 801 bytes"), "{error}");
    }
    let square = TypedPlan::<u64, 2>::parse([60, 60], "(block, *) onto 3", "(*, block) onto 3");
    let square = square.unwrap();
    let triangle = || square.binder().trapezoid(Uplo::Lower, Diag::Unit);
    let told = with_three(|rank| {
        let mut whole = triangle().max_bytes(60 * 20 * 8).bind(rank)?;
        let mut array = vec![0; 60 * 20];
        whole.run(&vec![1; 60 * 20], &mut array)?;
        assert!(array.contains(&1) && whole.held_bytes() == whole.scratch_bytes());
        Ok(triangle().max_bytes(60 * 20 * 8 - 1).bind(rank).unwrap_err())
    });
    for error in told {
        assert!(error.to_string().starts_with("a trapezoid within 9599 bytes"), "{error}");
    }
}

#[test]
fn moves_that_take_all_at_once_are_told_of_on_all_ranks() {
    let told = with_three(|rank| {
        let mut bound = bounded(1000)(rank)?;
        let (source, mut array) = (held_by(&bound, Side::Source), vec![7; LEN / 3]);
        let started = bound.start(&source, &mut array).map(drop).unwrap_err();
        let with = bound.start_with(&source, &mut array).map(drop).unwrap_err();
        assert_eq!(array, vec![7; LEN / 3]);
        let mut own = source.clone();
        let in_place = bound.run_in_place(&mut own).unwrap_err();
        assert_eq!((own == source, bound.held_bytes()), (true, 0));
        // One rank, among ranks that run.
        let amid = match rank.rank() {
            1 => bound.start(&source, &mut array).map(drop),
            _ => bound.run(&source, &mut array),
        };
        moves(&mut bound)?;
        Ok([started, with, in_place, amid.unwrap_err()].map(|error| error.to_string()))
    });
    for [started, with, in_place, amid] in told {
        for text in [started, with, amid] {
            assert!(text.contains("a move that is started within 1000 bytes"), "{text}");
        }
        assert!(in_place.contains("a move in place within 1000 bytes"), "{in_place}");
    }
}

/// Ranks 0 and 1 exchange 400,000 elements in a million rounds, which they would all play, and rank
/// 2 sends to rank 3 alone.
#[test]
fn all_ranks_learn_of_a_wrong_length_before_the_first_round() {
    let (from, to) = (
        "gen_block([300_000, 300_000, 9, 1]) onto 4",
        "gen_block([100_000, 500_000, 1, 9]) onto 4",
    );
    let plan = TypedPlan::<u64, 1>::parse([600_010], from, to).unwrap();
    for faulty in [2, 3] {
        threads::run(4, |rank| {
            let binder = plan.binder().route(Route::Messages).max_bytes(8);
            let mut bound = binder.bind(rank)?;
            assert!(bound.rounds() >= 200_000, "{} rounds", bound.rounds());
            let source = held_by(&bound, Side::Source);
            let mut array = vec![7; bound.local_len(Side::Destination)];
            let is_short = usize::from(rank.rank() == faulty);
            match bound.run(&source[is_short..], &mut array).unwrap_err() {
                Error::LocalLength { rank: of, .. } if of == rank.rank() => assert_eq!(of, faulty),
                Error::PeerFailed { rank: of, .. } => assert_eq!(of, faulty),
                other => panic!("{other}"),
            }
            assert!(array.iter().all(|element| *element == 7), "nothing has moved");
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}

#[test]
fn a_panic_in_a_later_round_ends_one_move() {
    let told = with_three(|rank| {
        let plan = Cyclic::new();
        let binder = plan.binder().route(Route::Messages).max_bytes(100_000);
        let (mut bound, panics) = (binder.bind(rank)?, rank.rank() == 1);
        let source = held_by(&bound, Side::Source);
        let mut array = vec![0; LEN / 3];
        bound.watch(move |calls| {
            assert!(!panics || calls.packed != 5, "amid packing");
        });
        let packing = catch_unwind(AssertUnwindSafe(|| bound.run(&source, &mut array))).ok();
        bound.watch(|_| ());
        moves(&mut bound)?;
        let before = bound.calls();
        bound.watch(move |calls| {
            let is_late = calls.unpacked == before.unpacked + 4;
            assert!(!panics || !is_late, "amid unpacking");
        });
        let unpacking = catch_unwind(AssertUnwindSafe(|| bound.run(&source, &mut array))).ok();
        bound.watch(|_| ());
        moves(&mut bound)?;
        Ok([packing, unpacking])
    });
    let failed =
        |what: &str| Error::PeerFailed { rank: 1, reason: format!("a panic while it {what}") };
    for (rank, [packing, unpacking]) in told.into_iter().enumerate() {
        let told = |what| (rank != 1).then_some(Err(failed(what)));
        assert_eq!((packing, unpacking), (told("packed"), told("unpacked")));
    }
}

#[test]
fn a_function_that_panics_costs_the_others_nothing() {
    for route in [Route::Automatic, Route::Messages] {
        with_three(|rank| {
            let plan = Cyclic::new();
            let binder = plan.binder().route(route).max_bytes(100_000);
            let (mut bound, panics, mut left) =
                (binder.bind(rank)?, rank.rank() == 2, 20_000_isize);
            let source = held_by(&bound, Side::Source);
            let mut array = vec![0; LEN / 3];
            let with = catch_unwind(AssertUnwindSafe(|| {
                bound.run_with(&source, &mut array, |moved, kept| {
                    left -= 1;
                    assert!(!panics || left > 0, "amid a function");
                    *kept = moved;
                })
            }));
            match with {
                Ok(moved) => {
                    moved.map(|()| assert!(array == held_by(&bound, Side::Destination)))?
                }
                Err(_) => assert!(panics),
            }
            moves(&mut bound)
        });
    }
}
