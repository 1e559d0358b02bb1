//! Park, Prasanna and Raghavendra's example.

use super::support::pairs;
use redist::Plan;
use redist::plan::schedule::{Method, Schedules};

#[test]
fn four_ranks_to_six() {
    let plan = Plan::<1>::parse([36], "cyclic(1) onto 4", "cyclic(3) onto 6").unwrap();
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let rows: Vec<Vec<usize>> =
        pairs(&*schedule).iter().map(|step| step.iter().map(|pair| pair.1).collect()).collect();
    // G = 2 and h = 1: sources 0 and 2 send to even ranks in the first three steps, two blocks
    // each; then to odd ones, one block each.
    let expected =
        [[0, 1, 2, 3], [2, 3, 4, 5], [4, 5, 0, 1], [1, 0, 3, 2], [3, 2, 5, 4], [5, 4, 1, 0]];
    assert_eq!(rows, expected);
    for (step, size) in [2, 2, 2, 1, 1, 1].into_iter().enumerate() {
        assert!(
            schedule
                .pairs(step)
                .iter()
                .all(|(source, destination)| plan.volume(*source, *destination) == size)
        );
    }
}

/// The other direction, with origins: all numbers shift.
#[test]
fn six_ranks_to_four() {
    let plan = Plan::<1>::parse([36], "cyclic(3) onto 6", "cyclic(1) onto 4").unwrap();
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let there = Plan::<1>::parse([36], "cyclic(1) onto 4", "cyclic(3) onto 6").unwrap();
    let there = there.schedule(Method::Circulant).unwrap().unwrap();
    for step in 0..6 {
        let mut back: Vec<_> = there
            .pairs(step)
            .into_iter()
            .map(|(source, destination)| (destination, source))
            .collect();
        back.sort_unstable();
        assert_eq!(schedule.pairs(step), back);
    }
    let shifted =
        Plan::<1>::parse([36], "cyclic(3) onto 6 first 5", "cyclic(1) onto 4 first 1").unwrap();
    let shifted = shifted.schedule(Method::Circulant).unwrap().unwrap();
    for (source, destination) in schedule.pairs(2) {
        assert_eq!(shifted.destination(2, (source + 5) % 6), Some((destination + 1) % 4));
    }
}
