//! Threads that panic, leave or disagree, and threads that do not.

use redist::threads::{self, Failure, Rank};
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, Side, TypedPlan};
use redist_testing::message::Message;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

type Moves = TypedPlan<u64, 1>;

fn plan() -> Moves {
    TypedPlan::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3").unwrap()
}

fn bind(rank: &Rank) -> Result<Bound<u64, 1>, Error> {
    plan().bind(rank)
}

/// Rank 0 receives nothing, and learns of faults all the same.
fn bind_collectively(rank: &Rank) -> Result<Bound<u64, 1>, Error> {
    plan().binder().collectively().bind(rank)
}

fn held(side: Side, rank: usize) -> Vec<u64> {
    let descriptor = *plan().plan().descriptor(side);
    let mut local = vec![u64::MAX; descriptor.local_len(rank)];
    for global in 0..1003 {
        if descriptor.owner([global]) == rank {
            local[descriptor.local_offset([global])] = global as u64;
        }
    }
    local
}

// feature: all ranks in one process, without MPI = `threads::run`
#[test]
fn an_array_moves_again_and_again() {
    let moved = threads::run(3, |rank| {
        let mut bound = bind(rank)?;
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        for round in 0..50 {
            let source: Vec<u64> =
                held(Side::Source, rank.rank()).iter().map(|value| value + round).collect();
            bound.run(&source, &mut destination)?;
            let expected: Vec<u64> =
                held(Side::Destination, rank.rank()).iter().map(|value| value + round).collect();
            assert_eq!(destination, expected);
        }
        Ok::<_, Error>(destination.len())
    });
    assert_eq!(moved.unwrap(), [0, 502, 501]);
}

#[test]
fn a_panic_reaches_every_other_rank_as_an_error() {
    let told = AtomicUsize::new(0);
    let result = threads::run(3, |rank| {
        let mut bound = bind_collectively(rank)?;
        assert!(rank.rank() != 1, "rank 1 has had enough");
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let error = bound.run(&held(Side::Source, rank.rank()), &mut destination).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "rank 1 panicked: rank 1 has had enough while rank {} waited for it",
                rank.rank()
            )
        );
        told.fetch_add(1, Ordering::Relaxed);
        Err::<(), Error>(error)
    });
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
    assert_eq!(told.into_inner(), 2);
}

#[test]
fn returning_early_is_an_error_for_those_who_wait() {
    let result = threads::run(3, |rank| {
        if rank.rank() == 2 {
            return Ok(());
        }
        bind(rank).map(drop)
    });
    let Err(Failure::Error { rank: 0 | 1, error: Error::RankEnded { rank: 2, how, .. } }) = result
    else {
        panic!("{result:?}")
    };
    assert_eq!(how, "returned");
}

#[test]
fn a_wrong_length_on_one_rank_stops_all_and_changes_nothing() {
    let errors = threads::run(3, |rank| {
        let mut bound = bind_collectively(rank)?;
        let mut source = held(Side::Source, rank.rank());
        let mut destination = vec![7; bound.local_len(Side::Destination)];
        source.truncate(if rank.rank() == 1 { 5 } else { usize::MAX });
        let error = bound.run(&source, &mut destination).unwrap_err();
        assert!(destination.iter().all(|&value| value == 7), "nothing may move");
        bound.run(&held(Side::Source, rank.rank()), &mut destination)?;
        assert_eq!(destination, held(Side::Destination, rank.rank()), "and the next run works");
        Ok::<_, Error>(error)
    });
    let errors = errors.unwrap();
    let (side, expected, found) = (Side::Source, 333, 5);
    let own = Error::LocalLength { rank: 1, side, expected, found, exchanged: false };
    let told = Error::PeerFailed { rank: 1, reason: own.reason() };
    assert_eq!(errors, [told.clone(), own, told]);
}

#[test]
fn ranks_with_different_elements_fail_together() {
    let errors = threads::run(2, |rank| {
        let (from, to) = ("block onto 2", "cyclic onto 2");
        Ok::<_, Error>(match rank.rank() {
            0 => TypedPlan::<f32, 1>::parse([30], from, to)
                .unwrap()
                .bind(rank)
                .map(drop)
                .unwrap_err(),
            _ => TypedPlan::<f64, 1>::parse([30], from, to)
                .unwrap()
                .bind(rank)
                .map(drop)
                .unwrap_err(),
        })
    });
    for error in errors.unwrap() {
        assert_eq!(
            error.to_string(),
            "rank 1 moves elements of type f64, rank 0 of type f32; all ranks must move the same"
        );
    }
}

#[test]
fn too_few_ranks_are_told_so() {
    let errors = threads::run(2, |rank| Ok::<_, Error>(bind(rank).map(drop).unwrap_err()));
    assert_eq!(errors.unwrap(), vec![Error::TooFewRanks { needed: 3, size: 2 }; 2]);
}

// feature: ranks that are threads = `threads::run`
#[test]
fn ranks_that_hold_nothing_take_part() {
    let plan =
        TypedPlan::<u8, 2>::parse([4, 3], "(block, *) onto 9 ranks 1..10", "(*, block) onto 2")
            .unwrap();
    let parts = threads::run(11, |rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![rank.rank() as u8; bound.local_len(Side::Source)];
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        bound.run(&source, &mut destination)?;
        Ok::<_, Error>(destination)
    });
    let parts = parts.unwrap();
    assert_eq!(parts[0], [1, 1, 2, 2, 3, 3, 4, 4]);
    assert_eq!(parts[1], [1, 2, 3, 4]);
    assert!(parts[2..].iter().all(Vec::is_empty));
}

#[test]
fn a_message_seen_from_both_ends_is_what_moves() {
    let plan = TypedPlan::<u32, 2>::parse(
        [9, 14],
        "(cyclic(2), cyclic(3)) onto (2, 2) storage fortran of [12, 20] at [3, 5]",
        "(cyclic(4), block) onto (2, 2) first (1, 0) transposed",
    );
    let plan = plan.unwrap();
    let sources: Vec<Vec<u32>> = (0..4)
        .map(|rank| {
            (0..plan.plan().descriptor(Side::Source).local_len(rank) as u32)
                .map(|i| i + 1000 * rank as u32)
                .collect()
        })
        .collect();
    let moved = threads::run(4, |rank| {
        let mut bound = plan.bind(rank)?;
        let mut destination = vec![u32::MAX; bound.local_len(Side::Destination)];
        bound.run(&sources[rank.rank()], &mut destination)?;
        Ok::<_, Error>(destination)
    });
    for (to, destination) in moved.unwrap().iter().enumerate() {
        let mut expected = vec![u32::MAX; destination.len()];
        for (from, source) in sources.iter().enumerate() {
            for run in Message::new(&plan.plan(), from, to).runs() {
                for step in 0..run.len {
                    let at = run.destination_offset + step * run.destination_stride;
                    expected[at] = source[run.source_offset + step * run.source_stride];
                }
            }
        }
        assert_eq!(destination, &expected);
    }
}

#[test]
fn other_work_can_be_done_while_a_move_is_under_way() {
    let moved = threads::run(3, |rank| {
        let mut bound = bind(rank)?;
        let (mut source, len) =
            (held(Side::Source, rank.rank()), bound.local_len(Side::Destination));
        let mut destination = vec![0; len];
        let mut started = bound.start(&source, &mut destination)?;
        source.fill(0); // packed already
        while !started.test()? {
            thread::yield_now();
        }
        started.finish()?;
        assert_eq!(destination, held(Side::Destination, rank.rank()));
        destination.fill(0);
        let _ = bound.start(&held(Side::Source, rank.rank()), &mut destination)?;
        assert!(destination.iter().all(|element| *element == 0), "it was not finished");
        bound.run(&held(Side::Source, rank.rank()), &mut destination)?;
        assert_eq!(destination, held(Side::Destination, rank.rank()));
        Ok::<_, Error>(())
    });
    assert!(moved.is_ok(), "{moved:?}");
}

#[test]
fn a_move_that_cannot_start_on_one_rank_starts_on_none() {
    let errors = threads::run(3, |rank| {
        let mut bound = bind_collectively(rank)?;
        let len = bound.local_len(Side::Destination) + usize::from(rank.rank() == 2);
        let mut destination = vec![7; len];
        let error = match bound.start(&held(Side::Source, rank.rank()), &mut destination) {
            Ok(started) => started.finish().unwrap_err(),
            Err(error) => error,
        };
        assert!(destination.iter().all(|&value| value == 7));
        Ok::<_, Error>(error)
    });
    let errors = errors.unwrap();
    assert!(
        matches!(errors[2], Error::LocalLength { rank: 2, side: Side::Destination, .. }),
        "{errors:?}"
    );
    assert!(matches!(errors[0], Error::PeerFailed { rank: 2, .. }), "{errors:?}");
}

#[test]
fn a_forgotten_move_harms_no_rank() {
    let moved = threads::run(3, |rank| {
        let mut bound = bind(rank)?;
        let source = held(Side::Source, rank.rank());
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let _ = bound.start(&source, &mut destination)?;
        bound.run(&source, &mut destination)?;
        assert_eq!(destination, held(Side::Destination, rank.rank()));
        let mut other = bind(rank)?;
        if rank.rank() == 1 {
            let _ = other.start(&source, &mut destination)?;
        } else {
            other.run(&source, &mut destination)?;
        }
        drop(other);
        bound.run(&source, &mut destination)?;
        Ok::<_, Error>(())
    });
    assert!(moved.is_ok(), "{moved:?}");
}

#[test]
fn a_struct_that_holds_a_bound_plan_can_be_printed() {
    #[derive(Debug)]
    struct Solver {
        bound: Bound<f64, 1>,
    }
    let told = threads::run(3, |rank| {
        let plan = TypedPlan::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3");
        let solver = Solver { bound: plan.expect("the notation is right").bind(rank)? };
        assert_eq!(solver.bound.rank(), rank.rank());
        Ok::<_, Error>(format!("{solver:?}"))
    });
    for (rank, text) in told.unwrap().into_iter().enumerate() {
        let rank = format!("rank: {rank}");
        for part in ["Solver", "Bound", &rank, "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3"] {
            assert!(text.contains(part), "`{part}` is missing in {text}");
        }
    }
}

/// Moves by a bound plan when its thread destroys it, after its rank has ended.
struct Late {
    bound: Bound<u64, 1>,
    told: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
}

impl Drop for Late {
    fn drop(&mut self) {
        let source = vec![7; self.bound.local_len(Side::Source)];
        let mut destination = vec![0; self.bound.local_len(Side::Destination)];
        let error = self.bound.run(&source, &mut destination).expect_err("its rank has ended");
        self.told.lock().unwrap().push(error.to_string());
    }
}

thread_local! {
    static KEPT: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) };
}

#[test]
fn what_a_thread_still_destroys_moves_nothing() {
    let told = std::sync::Arc::default();
    let result = threads::run(3, |rank| {
        let mut bound = bind_collectively(rank)?;
        if rank.rank() == 1 {
            let told = std::sync::Arc::clone(&told);
            KEPT.with(|kept| *kept.borrow_mut() = Some(Late { bound, told }));
            return Ok(());
        }
        let source = vec![1; bound.local_len(Side::Source)];
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let error = bound.run(&source, &mut destination).unwrap_err();
        assert!(matches!(error, Error::RankEnded { rank: 1, .. }), "{error}");
        Ok::<_, Error>(())
    });
    result.unwrap();
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("a move of rank 1 cannot be had here"), "{told:?}");
}

/// A rank panics amid packing, and goes on. The other ranks wait for unpacked messages.
#[test]
fn a_panic_amid_packing_that_is_caught_ends_one_move() {
    let errors = threads::run(3, |rank| {
        let mut bound = plan().binder().collectively().route(Route::Messages).bind(rank)?;
        let is_late = rank.rank() == 1;
        bound.watch(move |calls| assert!(!is_late || calls.packed != 1, "amid packing"));
        let source = held(Side::Source, rank.rank());
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        let mut moved = || bound.run(&source, &mut destination);
        let first = panic::catch_unwind(AssertUnwindSafe(&mut moved));
        moved()?;
        assert_eq!(destination, held(Side::Destination, rank.rank()));
        Ok::<_, Error>(first.ok())
    });
    let told = Error::PeerFailed { rank: 1, reason: "a panic while it packed".into() };
    assert_eq!(errors.unwrap(), [Some(Err(told.clone())), None, Some(Err(told))]);
}
