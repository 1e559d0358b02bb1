//! A million ranks on either side: entries of the closed forms, in constant memory.

use super::support::{Random, plan_of};
use redist::Plan;
use redist::layout::MAX_EXTENT;
use redist::plan::schedule::{CostModel, Method, Schedule, ScheduleError, Schedules};

const MILLION: usize = 1_000_000;

/// Partners name each other, in steps spread over the schedule.
fn inverse(schedule: &dyn Schedule, pairs: usize) {
    let mut random = Random::new(7);
    let mut met = 0;
    for _ in 0..pairs {
        let (step, rank) =
            (random.up_to(schedule.steps()) - 1, random.up_to(schedule.sources()) - 1);
        if let Some(destination) = schedule.destination(step, rank) {
            assert!(destination < schedule.destinations());
            assert_eq!(schedule.source(step, destination), Some(rank), "step {step}");
            assert_eq!(schedule.meeting(rank, destination), Some(step));
            met += 1;
        }
        let rank = random.up_to(schedule.destinations()) - 1;
        if let Some(source) = schedule.source(step, rank) {
            assert_eq!(schedule.destination(step, source), Some(rank), "step {step}");
        }
    }
    assert!(met * 2 > pairs, "only {met} of {pairs} had a partner");
}

/// A rank's steps are at least as many as its pieces in a period.
fn sends_all(plan: &Plan<1>, schedule: &dyn Schedule, rank: usize) {
    for piece in plan.axis(0).aspen(redist::Side::Source, rank).take(1000) {
        let step = schedule.meeting(rank, piece.peer).expect("a pair with a message meets");
        assert_eq!(schedule.destination(step, rank), Some(piece.peer));
    }
}

#[test]
fn circulant() {
    for line in [
        (1, MILLION, 30, MILLION),
        (64, MILLION, 64 * 12, MILLION - 1),
        (7 * 250, 999_983, 7, MILLION),
    ] {
        let plan = plan_of(MAX_EXTENT, line, (3, MILLION / 2));
        let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
        inverse(&*schedule, 20_000);
        sends_all(&plan, &*schedule, 123_456);
    }
}

#[test]
fn closed_form() {
    for line in [(63, MILLION, 64, MILLION), (5, MILLION, 7, 999_999), (64, MILLION, 63, MILLION)] {
        let plan = plan_of(MAX_EXTENT, line, (0, 99));
        let schedule = plan
            .schedule(Method::ClosedForm)
            .unwrap_or_else(|error| panic!("{line:?}: {error}"))
            .unwrap();
        inverse(&*schedule, 20_000);
        sends_all(&plan, &*schedule, 987_654);
    }
}

#[test]
fn the_choice_needs_no_graph() {
    let plan = plan_of(MAX_EXTENT, (1, MILLION, 30, MILLION), (0, 0));
    let choice = plan.choose_steps(&CostModel::NETWORK, 8);
    assert_eq!((choice.method, choice.least_steps), (Method::Circulant, Some(30)));
    assert_eq!(choice.schedule.unwrap().steps(), 30);
    let koenig =
        choice.candidates.iter().find(|candidate| candidate.method == Method::Koenig).unwrap();
    assert!(matches!(
        koenig.estimate,
        Err(ScheduleError::TooManyMessages { messages: 30_000_000, .. })
    ));
    assert!(
        choice.reason.starts_with("circulant: 30 steps, the least possible,"),
        "{}",
        choice.reason
    );

    let general = plan_of(MAX_EXTENT, (63, MILLION, 64, MILLION), (0, 0))
        .choose_steps(&CostModel::NETWORK, 8);
    assert_eq!((general.method, general.least_steps), (Method::ClosedForm, Some(128)));
    let estimate = general.candidates[2].estimate.clone().unwrap();
    assert_eq!(estimate.steps, 128);
}

/// Bounds are at least the bounds of the messages.
#[test]
fn two_dimensions_of_a_thousand() {
    let plan = Plan::<2>::parse(
        [1 << 30, 1 << 30],
        "(cyclic(8), cyclic(6)) onto (1000, 1000)",
        "(cyclic(32), cyclic(9)) onto (1000, 1000) order col",
    );
    let plan = plan.unwrap();
    let choice = plan.choose_steps(&CostModel::NETWORK, 4);
    assert_eq!(choice.method, Method::ClosedForm);
    let schedule = choice.schedule.unwrap();
    assert_eq!(Some(schedule.steps()), choice.least_steps);
    inverse(&*schedule, 5_000);
}
