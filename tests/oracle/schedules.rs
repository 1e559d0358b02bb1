//! What bounds a schedule, computed from the planner's counts of one full period.
//!
//! Only the numbers that a scheduler starts from: the steps and costs of its own schedules belong with the scheduler.

use crate::vectors::{Parameters, Schedule, VECTORS};
use num_integer::Integer;

#[test]
fn the_message_graph_of_a_full_period() {
    for schedule in &VECTORS.schedules {
        let volumes = volumes(&schedule.parameters);
        let messages = volumes.iter().flatten().filter(|&&volume| volume > 0).count();
        let all = schedule.parameters.pairs().count();
        assert_eq!(messages, schedule.edges, "{:?}", schedule.parameters);
        assert_eq!(messages == all, schedule.a2a, "{:?}", schedule.parameters);
    }
}

#[test]
fn no_schedule_can_be_shorter_or_cheaper() {
    for schedule in &VECTORS.schedules {
        let ranked = ranked_messages(&schedule.parameters);
        assert_eq!(ranked.len(), schedule.min_steps, "{:?}", schedule.parameters);
        assert_eq!(ranked.iter().sum::<usize>(), schedule.lb, "{:?}", schedule.parameters);
    }
}

/// The largest first message of any rank, the largest second message, and so on: the least that each step can cost.
fn ranked_messages(parameters: &Parameters) -> Vec<usize> {
    let volumes = volumes(parameters);
    let columns = (0..parameters.destination_ranks()).map(|q| volumes.iter().map(|row| row[q]).collect());
    let mut ranked = Vec::new();
    for mut messages in volumes.iter().cloned().chain(columns) {
        let messages: &mut Vec<usize> = &mut messages;
        messages.retain(|&volume| volume > 0);
        messages.sort_unstable_by(|a, b| b.cmp(a));
        ranked.resize(ranked.len().max(messages.len()), 0);
        for (largest, &volume) in ranked.iter_mut().zip(messages.iter()) {
            *largest = volume.max(*largest);
        }
    }
    ranked
}

/// The caterpillar of ScaLAPACK: in step τ, rank p meets rank (τ - p) mod max(P, Q).
#[test]
fn the_caterpillar_costs_what_the_reference_says() {
    for schedule in &VECTORS.schedules {
        assert_eq!(caterpillar(schedule), schedule.cat, "{:?}", schedule.parameters);
    }
}

fn caterpillar(schedule: &Schedule) -> (usize, usize) {
    let volumes = volumes(&schedule.parameters);
    let (sources, destinations) = (schedule.parameters.source_ranks(), schedule.parameters.destination_ranks());
    let length = sources.max(destinations);
    let longest = |step: usize| {
        let met = |p: usize| (step + length - p) % length;
        (0..sources).filter_map(|p| volumes[p].get(met(p)).copied()).max().unwrap_or(0)
    };
    let steps: Vec<usize> = (0..length).map(longest).filter(|&largest| largest > 0).collect();
    (steps.len(), steps.iter().sum())
}

/// Elements that each pair exchanges in one full period.
fn volumes(parameters: &Parameters) -> Vec<Vec<usize>> {
    let ((s, sources, _), (t, destinations, _)) = (parameters.source, parameters.destination);
    let extent = (s * sources).lcm(&(t * destinations));
    let axis = Parameters { extent, ..*parameters }.axis();
    let row = |p| (0..destinations).map(|q| axis.count(p, q)).collect();
    (0..sources).map(row).collect()
}
