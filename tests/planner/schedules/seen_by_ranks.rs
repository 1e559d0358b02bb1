//! Ranks that follow a schedule, each by its own steps, never wait for each other in a circle.

use proptest::prelude::*;
use redist::Plan;
use redist::plan::schedule::{Method, Schedules, Step, steps};
use redist_testing::strategies::{Case, cases, config};

/// All ranks go through their steps, each waiting for its partners. Every message moves once.
fn all_finish<const D: usize>(plan: &Plan<D>, method: Method) -> Result<(), TestCaseError> {
    let Ok(Some(schedule)) = plan.schedule(method) else {
        return Ok(());
    };
    let mut left: Vec<Vec<Step>> =
        (0..plan.ranks()).map(|rank| steps(&plan.into(), &*schedule, rank)).collect();
    let mut sends: Vec<Vec<usize>> =
        left.iter().map(|own| own.iter().filter_map(|step| step.send).collect()).collect();
    let receives: Vec<Vec<usize>> =
        left.iter().map(|own| own.iter().filter_map(|step| step.receive).collect()).collect();
    for (rank, own) in receives.iter().enumerate() {
        // A pair of ranks has one message, so the order of receives fixes the order of the senders'
        // sends.
        for sender in own {
            prop_assert!(sends[*sender].contains(&rank), "{sender} does not send to {rank}");
        }
    }
    run(&mut left)?;
    for (rank, own) in sends.iter_mut().enumerate() {
        own.sort_unstable();
        let expected: Vec<usize> =
            (0..plan.ranks()).filter(|peer| plan.volume(rank, *peer) > 0).collect();
        prop_assert_eq!(&*own, &expected, "what rank {} sends", rank);
    }
    Ok(())
}

/// Advances each rank when the partners of its step are in a step that names it.
fn run(left: &mut [Vec<Step>]) -> Result<(), TestCaseError> {
    left.iter_mut().for_each(|own| own.reverse());
    while left.iter().any(|own| !own.is_empty()) {
        let now: Vec<Option<Step>> = left.iter().map(|own| own.last().copied()).collect();
        let mut moved = false;
        for (rank, own) in left.iter_mut().enumerate() {
            let Some(step) = own.last_mut() else { continue };
            let sent = step
                .send
                .filter(|peer| now[*peer].is_some_and(|other| other.receive == Some(rank)));
            let received = step
                .receive
                .filter(|peer| now[*peer].is_some_and(|other| other.send == Some(rank)));
            moved |= sent.is_some() || received.is_some();
            if sent.is_some() {
                step.send = None;
            }
            if received.is_some() {
                step.receive = None;
            }
        }
        prop_assert!(moved, "ranks wait for each other: {now:?}");
        for own in left.iter_mut() {
            own.pop_if(|step| *step == Step::default());
        }
    }
    Ok(())
}

fn every_method<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let plan = case.plan();
    Method::ALL.into_iter().try_for_each(|method| all_finish(&plan, method))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_dimension(case in cases::<1>()) {
        every_method(&case)?;
    }

    #[test]
    fn two_dimensions(case in cases::<2>()) {
        every_method(&case)?;
    }
}

/// Overlapping ranges: rank 3 sends to itself in one of its steps.
#[test]
fn a_rank_may_meet_itself() {
    let plan = Plan::<1>::parse([12], "cyclic(1) onto 4", "cyclic(1) onto 2 ranks 3..5").unwrap();
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let own = steps(&plan.into(), &*schedule, 3);
    // Elements 3, 7 and 11 go to rank 4; 0 2 4 .. come from ranks 0 and 2.
    assert_eq!(own.iter().filter_map(|step| step.send).collect::<Vec<_>>(), [4]);
    let mut senders: Vec<usize> = own.iter().filter_map(|step| step.receive).collect();
    senders.sort_unstable();
    assert_eq!(senders, [0, 2]);
    let whole = Plan::<1>::parse([12], "cyclic(1) onto 4", "cyclic(3) onto 4").unwrap();
    let schedule = whole.schedule(Method::Circulant).unwrap().unwrap();
    assert!((0..4).all(|rank| {
        steps(&whole.into(), &*schedule, rank).iter().any(|step| step.send == Some(rank))
    }));
}
