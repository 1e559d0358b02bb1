//! Moving real arrays over thread ranks by the steps of a schedule: the same arrays as without one,
//! also where a rank goes wrong. That never two ranks read from one sender at a time, the
//! transport's own tests show.

use proptest::prelude::*;
use redist::plan::schedule::{CostModel, Method};
use redist::threads::{self, Rank};
use redist::{Bound, Error, Plan, Redistribution, RuntimePlan, Side};
use redist_testing::strategies::{Case, cases, one_in};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Methods that have steps for a plan.
fn applicable<const D: usize>(plan: &Plan<D>) -> Vec<Method> {
    let methods = Method::ALL.into_iter().filter(|method| *method != Method::AllAtOnce);
    methods.filter(|method| plan.schedule(*method).is_ok()).collect()
}

/// An array that tells where everything came from, and when.
fn source<const D: usize>(plan: &Plan<D>, rank: usize, round: u32) -> Vec<[u32; 3]> {
    let len = plan.descriptor(Side::Source).local_len(rank) as u32;
    (0..len).map(|offset| [round, rank as u32, offset]).collect()
}

type Moved = Vec<Vec<[u32; 3]>>;

/// What this rank holds after each of two rounds.
fn moved<const D: usize>(
    plan: &Plan<D>,
    bound: &mut Bound<[u32; 3], D>,
    rank: usize,
) -> Result<Moved, Error> {
    let round = |round| {
        let mut destination = vec![[u32::MAX; 3]; bound.local_len(Side::Destination)];
        bound.run(&source(plan, rank, round), &mut destination)?;
        Ok(destination)
    };
    (1..3).map(round).collect()
}

/// Moves an array by every method that applies, and compares with all at once. Tells how many
/// methods did.
fn all_methods_move_the_same<const D: usize>(plan: Plan<D>) -> usize {
    let methods = applicable(&plan);
    let redistribution = RuntimePlan::from(plan);
    let result = threads::run(plan.ranks(), |rank| {
        let bind = |method| redistribution.binder().method(method).bind(rank);
        let expected = moved(&plan, &mut bind(Method::AllAtOnce)?, rank.rank())?;
        for &method in &methods {
            let mut bound = bind(method)?;
            assert_eq!(
                moved(&plan, &mut bound, rank.rank())?,
                expected,
                "{method}: rank {}",
                rank.rank()
            );
            let steps = bound.steps().expect("a method with steps was asked for");
            assert_eq!(bound.method(), method);
            assert_eq!(
                steps.iter().filter(|step| step.send.is_some()).count(),
                bound.outgoing().len()
            );
            assert_eq!(
                steps.iter().filter(|step| step.receive.is_some()).count(),
                bound.incoming().len()
            );
        }
        Ok::<_, Error>(())
    });
    result.unwrap_or_else(|failure| panic!("{plan}: {failure}"));
    methods.len()
}

#[test]
fn every_method_moves_the_same() {
    let line =
        |extent, from, to| all_methods_move_the_same(Plan::parse([extent], from, to).unwrap());
    let plane =
        |extents, from, to| all_methods_move_the_same(Plan::parse(extents, from, to).unwrap());
    let by_method = [
        line(1003, "cyclic(10) onto 3", "cyclic(2) onto 3"),
        line(1003, "cyclic(2) onto 4", "cyclic(10) onto 6"),
        line(1003, "cyclic(6) onto 3", "cyclic(4) onto 5"),
        line(7, "cyclic(2) onto 6", "cyclic(1) onto 4"), // short: most pairs have no message
        line(0, "cyclic(2) onto 2", "cyclic(1) onto 3"),
        line(500, "cyclic(4) onto 3 ranks 0..3", "cyclic(8) onto 4 ranks 3..7"), // disjoint
        line(500, "cyclic(4) onto 4 ranks 0..4", "cyclic(8) onto 4 ranks 2..6"), // overlapping
        line(500, "cyclic(4) onto 4 first 3", "cyclic onto 3 ranks 1..4 first 2"),
        line(300, "gen_block([100, 0, 200]) onto 3", "gen_block([10, 90, 150, 50]) onto 4"),
        plane(
            [60, 70],
            "(cyclic(3), cyclic(2)) onto (2, 3)",
            "(cyclic(6), block) onto (3, 2) transposed",
        ),
        plane([40, 30], "(block, *) onto 4", "(*, block) onto 4 storage fortran"),
        plane(
            [50, 20],
            "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
            "(cyclic(7), cyclic(4)) onto (2, 3) first (1, 2) of [60, 20] at [3, 0]",
        ),
    ];
    assert!(by_method.iter().all(|methods| *methods > 0), "{by_method:?}");
}

proptest! {
    #![proptest_config(one_in(4))]

    #[test]
    fn lines_move_the_same(case in cases::<1>()) {
        all_methods_move_the_same(Case::plan(&case));
    }

    #[test]
    fn planes_move_the_same(case in cases::<2>()) {
        all_methods_move_the_same(Case::plan(&case));
    }

    #[test]
    fn spaces_move_the_same(case in cases::<3>()) {
        all_methods_move_the_same(Case::plan(&case));
    }
}

/// Everybody sends to everybody, on six ranks.
fn plan() -> Plan<1> {
    Plan::parse([997], "cyclic(3) onto 6", "cyclic(1) onto 6").unwrap()
}

fn bind(rank: &Rank) -> Result<Bound<[u32; 3], 1>, Error> {
    RuntimePlan::from(plan()).binder().method(Method::Caterpillar).bind(rank)
}

fn expected(rank: usize) -> Moved {
    let result = threads::run(6, |rank| {
        moved(&plan(), &mut RuntimePlan::from(plan()).bind(rank)?, rank.rank())
    });
    result.unwrap().swap_remove(rank)
}

fn untouched(bound: &Bound<[u32; 3], 1>) -> Vec<[u32; 3]> {
    vec![[7; 3]; bound.local_len(Side::Destination)]
}

#[test]
fn again_and_again() {
    let result = threads::run(6, |rank| {
        let (mut bound, expected) = (bind(rank)?, expected(rank.rank()));
        for _ in 0..50 {
            assert_eq!(moved(&plan(), &mut bound, rank.rank())?, expected);
        }
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn a_wrong_length_on_one_rank_stops_all_and_changes_nothing() {
    let errors = threads::run(6, |rank| {
        let mut bound = bind(rank)?;
        let mut destination = untouched(&bound);
        let mut source = source(&plan(), rank.rank(), 1);
        source.truncate(if rank.rank() == 4 { 5 } else { usize::MAX });
        let error = bound.run(&source, &mut destination).unwrap_err();
        assert_eq!(destination, untouched(&bound), "nothing may move");
        assert_eq!(
            moved(&plan(), &mut bound, rank.rank())?,
            expected(rank.rank()),
            "and the next run works"
        );
        Ok::<_, Error>(error)
    });
    for (rank, error) in errors.unwrap().into_iter().enumerate() {
        match error {
            Error::LocalLength { rank: 4, found: 5, .. } if rank == 4 => {}
            Error::PeerFailed { rank: 4, .. } if rank != 4 => {}
            other => panic!("rank {rank}: {other}"),
        }
    }
}

#[test]
fn ranks_with_different_strategies_fail_together() {
    let errors = threads::run(6, |rank| {
        let method = if rank.rank() == 3 { Method::AllAtOnce } else { Method::Caterpillar };
        let bound = RuntimePlan::<f32, 1>::from(plan()).binder().method(method).bind(rank);
        Ok::<_, Error>(bound.map(drop).unwrap_err())
    });
    let (theirs, ours) = (Method::AllAtOnce, Method::Caterpillar);
    assert_eq!(
        errors.unwrap(),
        vec![Error::DifferentSchedule { rank: 3, theirs, here: 0, ours }; 6]
    );
}

#[test]
fn a_method_that_does_not_apply_is_an_error_on_all_ranks() {
    let plan = Plan::parse([300], "gen_block([100, 0, 200]) onto 3", "cyclic(3) onto 2").unwrap();
    let why = plan.schedule(Method::Circulant).expect_err("its blocks are not of one size");
    let errors = threads::run(3, |rank| {
        let bound = RuntimePlan::<f32, 1>::from(plan).binder().method(Method::Circulant).bind(rank);
        Ok::<_, Error>(bound.map(drop).unwrap_err())
    });
    assert_eq!(errors.unwrap(), vec![Error::Schedule(why); 3]);
}

/// Threads share memory; a caller may know of something that makes steps pay.
#[test]
fn the_cost_model_decides() {
    let dear = CostModel { startup: 0.0, per_byte: 1.0, contention: 1000.0 };
    let result = threads::run(6, |rank| {
        let redistribution = RuntimePlan::<[u32; 3], 1>::from(plan());
        let chosen = |model: &CostModel| plan().choose(model, size_of::<[u32; 3]>()).method;
        let usual = redistribution.bind(rank)?;
        assert_eq!((usual.method(), usual.steps()), (Method::AllAtOnce, None));
        assert_eq!(usual.method(), chosen(&CostModel::SHARED_MEMORY));
        let mut bound = redistribution.binder().cost_model(dear).bind(rank)?;
        assert_ne!(bound.method(), Method::AllAtOnce);
        assert_eq!(bound.method(), chosen(&dear));
        assert!(bound.explain().contains("steps"), "{}", bound.explain());
        assert_eq!(moved(&plan(), &mut bound, rank.rank())?, expected(rank.rank()));
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn moves_that_are_started_need_no_turns() {
    let result = threads::run(6, |rank| {
        let (mut one, mut other) = (bind(rank)?, bind(rank)?);
        let [source, again] = [1, 2].map(|round| source(&plan(), rank.rank(), round));
        let expected = expected(rank.rank());
        let (mut here, mut there) = (untouched(&one), untouched(&one));
        let mut started = [one.start(&source, &mut here)?, other.start(&again, &mut there)?];
        while !started[0].test()? {
            std::thread::yield_now();
        }
        // Half of the ranks wait for the second move first.
        if rank.rank() % 2 == 1 {
            started.reverse();
        }
        for started in started {
            started.finish()?;
        }
        assert_eq!([here, there], expected[..]);
        Ok::<_, Error>(())
    });
    result.unwrap();
}

/// Rank 0 finishes only after all others have run: they must not wait for its turn.
#[test]
fn some_ranks_may_run_what_others_start() {
    let ran = AtomicUsize::new(0);
    let result = threads::run(6, |rank| {
        let (mut bound, expected) = (bind(rank)?, expected(rank.rank()));
        let (source, mut destination) = (source(&plan(), rank.rank(), 1), untouched(&bound));
        if rank.rank() == 0 {
            let started = bound.start(&source, &mut destination)?;
            let begun = Instant::now();
            while ran.load(Ordering::Acquire) < 5 {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "they wait for a turn that is given up"
                );
                std::thread::yield_now();
            }
            started.finish()?;
        } else {
            bound.run(&source, &mut destination)?;
            ran.fetch_add(1, Ordering::Release);
        }
        assert_eq!(destination, expected[0]);
        assert_eq!(moved(&plan(), &mut bound, rank.rank())?, expected);
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn a_forgotten_move_harms_no_rank() {
    let result = threads::run(6, |rank| {
        let (mut bound, mut gone) = (bind(rank)?, bind(rank)?);
        let (source, mut destination) = (source(&plan(), rank.rank(), 1), untouched(&bound));
        std::mem::forget(bound.start(&source, &mut destination)?);
        assert_eq!(moved(&plan(), &mut bound, rank.rank())?, expected(rank.rank()));
        if rank.rank() == 1 {
            std::mem::forget(gone.start(&source, &mut destination)?);
        } else {
            gone.run(&source, &mut destination)?;
        }
        drop(gone);
        assert_eq!(moved(&plan(), &mut bound, rank.rank())?, expected(rank.rank()));
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn ranks_that_end_reach_the_others_as_an_error() {
    for panics in [true, false] {
        let result = threads::run(6, |rank| {
            let mut bound = bind(rank)?;
            moved(&plan(), &mut bound, rank.rank())?;
            if rank.rank() == 2 {
                assert!(!panics, "rank 2 has had enough");
                return Ok(());
            }
            let mut destination = untouched(&bound);
            let error = bound.run(&source(&plan(), rank.rank(), 1), &mut destination).unwrap_err();
            assert!(matches!(error, Error::RankEnded { rank: 2, .. }), "{error}");
            assert_eq!(destination, untouched(&bound), "nothing may move");
            Ok::<_, Error>(())
        });
        assert_eq!(result.is_err(), panics, "{result:?}");
    }
}
