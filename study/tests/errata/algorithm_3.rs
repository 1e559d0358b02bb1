//! Errata E10 to E13: Algorithm 3, FALLS.

use crate::case::{Case, sorted};
use crate::printed::algorithm_3::{CORRECTED, PRINTED, Reading, run};
use redist_study::baseline::{Falls, Intersection};

fn tuples(case: [i64; 6], reading: Reading) -> Vec<(i64, i64, i64)> {
    run(&Case::new(case), reading).0
}

fn wrong(reading: Reading) -> usize {
    Case::small_space().filter(|case| sorted(run(case, reading).0) != case.global()).count()
}

#[test]
fn e10_one_repetition_too_many() {
    let reading = Reading { last_period_too: true, unclipped: true, ..CORRECTED };
    assert_eq!(tuples([1, 1, 1, 0, 1, 1], reading), [(0, 0, 1), (0, 1, 2)]);
    assert_eq!(tuples([1, 1, 1, 0, 1, 1], CORRECTED), [(0, 0, 1)]);
}

#[test]
fn e11_the_last_repetition_reaches_past_the_data() {
    let reading = Reading { unclipped: true, ..CORRECTED };
    assert_eq!(tuples([3, 2, 1, 0, 2, 1], reading), [(0, 0, 2), (0, 2, 4)]);
    assert_eq!(tuples([3, 2, 1, 0, 2, 1], CORRECTED), [(0, 0, 2), (0, 2, 3)]);
    assert_eq!(wrong(reading), 71);
}

#[test]
fn e12_two_bounds_that_are_wrong_together_find_a_piece_twice() {
    let both = Reading { larger: true, last_too: true, ..CORRECTED };
    assert_eq!(tuples([2, 1, 1, 0, 1, 1], both), [(0, 0, 1), (0, 1, 2), (0, 1, 2)]);
    for one in [Reading { last_too: false, ..both }, Reading { larger: false, ..both }] {
        assert_eq!(tuples([2, 1, 1, 0, 1, 1], one), [(0, 0, 1), (0, 1, 2)]);
        assert_eq!(wrong(one), 0); // only wasteful
    }
    assert_eq!(wrong(both), 475);
}

#[test]
fn e13_loose_bounds_compare_in_vain() {
    let case = Case::new([2, 1, 1, 0, 1, 2]);
    assert_eq!(run(&case, CORRECTED).1, 4); // as printed, `to` read as exclusive
    assert_eq!(Falls.intersect(&case.axis(), 0, &mut Vec::new()).comparisons, 2);
}

#[test]
fn as_printed_793_of_2880_cases_are_wrong() {
    assert_eq!((Case::small_space().count(), wrong(PRINTED), wrong(CORRECTED)), (2880, 793, 0));
}

#[test]
fn the_crate_s_is_right_in_all_of_them_and_every_comparison_hits() {
    for case in Case::small_space() {
        assert_eq!(case.found_local(&Falls), case.local(), "{case:?}");
        let mut found = Vec::new();
        let operations = Falls.intersect(&case.axis(), case.p as usize, &mut found);
        assert_eq!(operations.comparisons, found.len(), "{case:?}");
    }
}
