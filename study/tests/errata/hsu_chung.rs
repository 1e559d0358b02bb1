//! Errata of Hsu and Chung's equations, each shown by a counterexample.

use crate::case::Case;
use crate::printed::hsu_chung as printed;
use redist::plan::Side;
use redist_study::baseline::{HsuChung, equations};

fn scatter(ranks: i64, (k, r): (i64, i64), extent: i64, i: i64) -> Case {
    Case::new([extent, k * r, ranks, i, r, ranks])
}

/// Returns the first destination offset and the elements of each `j` in a cycle, by the simulator.
fn shares(case: &Case) -> Vec<(usize, usize)> {
    let found = case.found(&HsuChung);
    assert_eq!(case.found_local(&HsuChung), case.local(), "{case:?}");
    let of = |j: i64| found.iter().filter(move |segment| segment.peer as i64 == j);
    (0..case.destination_ranks)
        .map(|j| {
            (of(j).map(|s| s.destination_offset).min().unwrap_or(0), of(j).map(|s| s.len).sum())
        })
        .collect()
}

#[test]
fn equation_3_tests_the_rank_of_the_destination() {
    assert_eq!(shares(&scatter(2, (3, 1), 6, 1))[0], (2, 1));
    assert_eq!(
        (printed::alpha(1, (3, 1), 2), equations::first_offset_scattered(1, 0, (3, 1), 2)),
        (1, 2)
    );
}

#[test]
fn equation_7_subtracts_k_times_the_rank_of_the_destination() {
    assert_eq!(shares(&Case::new([6, 1, 2, 0, 3, 2]))[1], (1, 1));
    assert_eq!(
        (printed::beta(0, (3, 1), 2), equations::first_offset_gathered(0, 1, (3, 1), 2)),
        (0, 1)
    );
}

#[test]
fn the_last_destination_is_number_m_less_1() {
    assert_eq!(printed::destinations(2), [0, 1, 2]);
    let partners: std::collections::BTreeSet<usize> =
        scatter(2, (3, 1), 6, 0).found(&HsuChung).iter().map(|segment| segment.peer).collect();
    assert_eq!(partners, [0, 1].into());
}

/// All of these run their loops to the end of the message instead.
#[test]
fn cycles_end_with_the_message() {
    let whole = scatter(1, (1, 1), 1, 0);
    assert_eq!((printed::cycles(1, (1, 1)), whole.found(&HsuChung).len()), (2, 1));
    // In the last cycle, gamma elements are more than the message has.
    let short = scatter(1, (1, 2), 1, 0);
    assert_eq!((equations::scattered(0, 0, (1, 2), 1), shares(&short)[0]), (2, (0, 1)));
}

#[test]
fn the_destination_has_a_length_of_its_own() {
    let case = scatter(2, (2, 1), 2, 0);
    let len = |side| case.axis().side(side).deal().numroc(0);
    assert_eq!((len(Side::Source), len(Side::Destination)), (2, 1));
    assert_eq!(case.found_local(&HsuChung), [(0, 0, 1), (1, 1, 2)]);
}

#[test]
fn as_many_messages_are_received_as_are_sent() {
    // With k = 1 everything stays where it is.
    assert_eq!(printed::sent_and_received(1, 2), (2, 1));
    let messages = |extent, j: usize| {
        let from = |i| scatter(2, (1, 1), extent, i).found(&HsuChung);
        (0..2).filter(|&i| from(i).iter().any(|segment| segment.peer == j)).count()
    };
    assert_eq!([messages(2, 0), messages(2, 1)], [1, 1]);
    // A single element leaves rank 1 with nothing to receive.
    assert_eq!((messages(1, 0), messages(1, 1)), (1, 0));
}

fn destinations(i: usize, k: usize, ranks: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..k).map(|own| (own * ranks + i) / k).collect();
    order.dedup();
    order
}

/// It holds where `k` divides `M` or `M` divides `k`, and only there.
#[test]
fn the_recurrence_of_destinations() {
    let holds = |i, k, ranks| {
        printed::recurrence(i, k, ranks, |j| equations::gathered(i, j, (k, 1), ranks))
            == destinations(i, k, ranks)
    };
    let printed = printed::recurrence(1, 3, 2, |j| equations::gathered(1, j, (3, 1), 2));
    assert_eq!((printed, destinations(1, 3, 2)), (vec![0, 0], vec![0, 1]));
    for (k, ranks) in (1..=25usize).flat_map(|k| (1..=12usize).map(move |ranks| (k, ranks))) {
        let divides = k.is_multiple_of(ranks) || ranks.is_multiple_of(k);
        assert_eq!((0..ranks).all(|i| holds(i, k, ranks)), divides, "k = {k}, M = {ranks}");
    }
}

#[test]
fn the_corrected_methods_are_right_for_any_extent() {
    for (ranks, k, r) in
        (1..=5).flat_map(|m| (1..=7).flat_map(move |k| (1..=2).map(move |r| (m, k, r))))
    {
        for (extent, i) in
            (0..2 * ranks * k * r + 3).flat_map(|extent| (0..ranks).map(move |i| (extent, i)))
        {
            for case in
                [scatter(ranks, (k, r), extent, i), Case::new([extent, r, ranks, i, k * r, ranks])]
            {
                assert_eq!(case.found_local(&HsuChung), case.local(), "{case:?}");
            }
        }
    }
}
