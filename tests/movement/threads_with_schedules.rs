//! Plans with schedules over threads, which send nothing: the same arrays as without one.

use proptest::prelude::*;
use redist::plan::schedule::{Method, Schedules};
use redist::threads;
use redist::{Bound, Error, Plan, Redistribution, Side, TypedPlan};
use redist_testing::strategies::{Case, cases, one_in};

fn applicable<const D: usize>(plan: &Plan<D>) -> Vec<Method> {
    let methods = Method::ALL.into_iter().filter(|method| *method != Method::AllAtOnce);
    methods.filter(|method| plan.schedule(*method).is_ok()).collect()
}

fn source<const D: usize>(plan: &Plan<D>, rank: usize, round: u32) -> Vec<[u32; 3]> {
    let len = plan.descriptor(Side::Source).local_len(rank) as u32;
    (0..len).map(|offset| [round, rank as u32, offset]).collect()
}

type Moved = Vec<Vec<[u32; 3]>>;

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

fn all_methods_move_the_same<const D: usize>(plan: Plan<D>) -> usize {
    let methods = applicable(&plan);
    let redistribution = TypedPlan::from(plan);
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

// feature: method of the schedule, longest segment of a message
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

fn plan() -> Plan<1> {
    Plan::parse([997], "cyclic(3) onto 6", "cyclic(1) onto 6").unwrap()
}

#[test]
fn ranks_with_different_strategies_fail_together() {
    let errors = threads::run(6, |rank| {
        let method = if rank.rank() == 3 { Method::AllAtOnce } else { Method::Caterpillar };
        let bound = TypedPlan::<f32, 1>::from(plan()).binder().method(method).bind(rank);
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
        let bound = TypedPlan::<f32, 1>::from(plan).binder().method(Method::Circulant).bind(rank);
        Ok::<_, Error>(bound.map(drop).unwrap_err())
    });
    assert_eq!(errors.unwrap(), vec![Error::Schedule(why); 3]);
}
