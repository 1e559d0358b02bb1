//! Schedules beside the reference.

use num_integer::Integer;
use redist::Plan;
use redist::plan::schedule::{
    Checked, CostModel, MessageGraph, Method, ScheduleError, Schedules, check,
};
use redist_testing::vectors::{Schedule, VECTORS};

fn plan(schedule: &Schedule) -> Plan<1> {
    let ((s, sources, _), (t, destinations, _)) =
        (schedule.parameters.source, schedule.parameters.destination);
    let extent = (s * sources).lcm(&(t * destinations));
    let mut parameters = schedule.parameters;
    parameters.extent = extent;
    parameters.plan()
}

fn checked(schedule: &Schedule, method: Method) -> Result<Checked, ScheduleError> {
    let plan = plan(schedule);
    let steps = plan.schedule(method)?.expect("a method with steps");
    Ok(check(&*steps, &MessageGraph::of(&plan)?)
        .unwrap_or_else(|fault| panic!("{:?}: {fault}", schedule.parameters)))
}

#[test]
fn the_message_graph_of_a_full_period() {
    for schedule in &VECTORS.schedules {
        let graph = MessageGraph::of(&plan(schedule)).unwrap();
        let all = schedule.parameters.pairs().count();
        assert_eq!(graph.edges().len(), schedule.edges, "{:?}", schedule.parameters);
        assert_eq!(graph.edges().len() == all, schedule.a2a, "{:?}", schedule.parameters);
        let axis = schedule.parameters.plan().axis(0);
        let plan = plan(schedule);
        for (p, q) in schedule.parameters.pairs() {
            assert_eq!(graph.elements(p, q), plan.axis(0).count(p, q), "{axis}, {p} to {q}");
        }
    }
}

#[test]
fn no_schedule_can_be_shorter_or_cheaper() {
    for schedule in &VECTORS.schedules {
        let graph = MessageGraph::of(&plan(schedule)).unwrap();
        assert_eq!(graph.least_steps(), schedule.min_steps, "{:?}", schedule.parameters);
        assert_eq!(graph.least_elements(), schedule.lb, "{:?}", schedule.parameters);
    }
}

#[test]
fn the_caterpillar_costs_what_the_reference_says() {
    for schedule in &VECTORS.schedules {
        let caterpillar = checked(schedule, Method::Caterpillar).unwrap();
        assert_eq!(
            (caterpillar.steps, caterpillar.elements),
            schedule.cat,
            "{:?}",
            schedule.parameters
        );
    }
}

#[test]
fn koenig_has_the_fewest_steps() {
    for schedule in &VECTORS.schedules {
        let koenig = checked(schedule, Method::Koenig).unwrap();
        assert_eq!(koenig.steps, schedule.min_steps, "{:?}", schedule.parameters);
    }
}

/// The factors of the blocks' common divisor decide if the closed form exists.
#[test]
fn the_closed_form_is_as_good_as_the_reference_says() {
    let mut reached = 0;
    for schedule in &VECTORS.schedules {
        let ((s, sources, _), (t, destinations, _)) =
            (schedule.parameters.source, schedule.parameters.destination);
        let common = (s * sources).gcd(&(t * destinations)) / s.gcd(&t);
        let factors = [s, t].map(|block| (block / s.gcd(&t)).gcd(&common));
        assert_eq!(
            (common, factors),
            (schedule.common, [schedule.gs, schedule.gt]),
            "{:?}",
            schedule.parameters
        );
        match checked(schedule, Method::ClosedForm) {
            Ok(closed) => {
                let best = (closed.steps, closed.elements) == (schedule.min_steps, schedule.lb);
                assert_eq!(best, schedule.closed, "{:?}: {closed:?}", schedule.parameters);
                reached += usize::from(best);
            }
            Err(ScheduleError::NoClosedForm { gs, gt, .. }) => {
                assert!(gs > 1 && gt > 1 && !schedule.closed, "{:?}", schedule.parameters);
            }
            Err(error) => panic!("{:?}: {error}", schedule.parameters),
        }
    }
    assert!(reached > 20, "only {reached} of the vectors have a closed form that cannot be beaten");
}

#[test]
fn the_circulant_cannot_be_beaten() {
    let mut found = 0;
    for schedule in &VECTORS.schedules {
        let (s, t) = (schedule.parameters.source.0, schedule.parameters.destination.0);
        if let Ok(circulant) = checked(schedule, Method::Circulant) {
            // One rank holds all blocks, of any size.
            let alone = schedule.parameters.source_ranks() == 1
                || schedule.parameters.destination_ranks() == 1;
            assert!(alone || s.is_multiple_of(t) || t.is_multiple_of(s));
            assert_eq!((circulant.steps, circulant.elements), (schedule.min_steps, schedule.lb));
            found += 1;
        }
    }
    assert!(found > 10, "only {found} of the vectors are x → kx or kx → x");
}

// feature: steps, elements that stay, memory = `Plan::steps`, `stays`, `memory`
#[test]
fn the_choice_knows_the_least_number_of_steps() {
    for schedule in &VECTORS.schedules {
        let choice = plan(schedule).choose_steps(&CostModel::NETWORK, 8);
        assert_eq!(choice.least_steps, Some(schedule.min_steps), "{:?}", schedule.parameters);
        assert_eq!(
            choice.schedule.unwrap().steps(),
            schedule.min_steps,
            "{:?}",
            schedule.parameters
        );
    }
}
