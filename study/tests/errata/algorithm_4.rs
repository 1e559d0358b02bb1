//! Errata E1 to E9: Algorithm 4, ASPEN.

use crate::case::{Case, Tuple, set_without_empties, sorted};
use crate::printed::algorithm_4::{CORRECTED, PRINTED, PRINTED_B, Reading, Tail, run};
use redist::plan::Side;
use redist_study::baseline::{Aspen, Intersection};

fn tuples(case: [i64; 6], reading: Reading) -> Vec<Tuple> {
    run(&Case::new(case), reading)
}

fn wrong(reading: Reading) -> usize {
    Case::small_space().filter(|case| sorted(run(case, reading)) != case.local()).count()
}

fn wrong_as_a_set(reading: Reading) -> usize {
    Case::small_space()
        .filter(|case| set_without_empties(run(case, reading)) != case.local())
        .count()
}

#[test]
fn e1_a_block_is_enumerated_and_repeated() {
    let reading = Reading { larger: true, ..CORRECTED };
    assert_eq!(tuples([2, 1, 1, 0, 1, 1], reading), [(0, 0, 1), (0, 1, 2), (0, 1, 2)]);
    assert_eq!(tuples([2, 1, 1, 0, 1, 1], CORRECTED), [(0, 0, 1), (0, 1, 2)]);
}

#[test]
fn e2_blocks_that_do_not_exist_are_visited() {
    let reading = Reading { larger: true, extent_too: true, tail: Tail::AtMost, ..CORRECTED };
    assert!(tuples([1, 1, 1, 0, 1, 2], reading).contains(&(1, 1, 1)));
    assert_eq!(tuples([1, 1, 1, 0, 1, 2], CORRECTED), [(0, 0, 1)]);
}

#[test]
fn e3_an_exclusive_end_belongs_to_another_rank() {
    let reading = Reading { converts_ends: true, ..CORRECTED };
    assert_eq!(tuples([1, 1, 2, 0, 1, 1], reading), [(0, 0, 0)]);
    assert_eq!(tuples([1, 1, 2, 0, 1, 1], CORRECTED), [(0, 0, 1)]);
    assert_eq!((wrong(reading), wrong_as_a_set(reading)), (1104, 1104));
}

#[test]
fn e4_a_tail_of_nothing_is_sent() {
    for whole_blocks_only in [false, true] {
        let reading = Reading { tail: Tail::AtMost, whole_blocks_only, ..CORRECTED };
        assert_eq!(tuples([2, 1, 1, 0, 1, 1], reading), [(0, 0, 1), (0, 1, 2), (0, 1, 1)]);
        // It is addressed to the next remote rank.
        assert_eq!(tuples([2, 1, 1, 0, 1, 2], reading), [(0, 0, 1), (1, 1, 1), (1, 1, 2)]);
        assert_eq!(wrong(reading), 1137);
    }
}

#[test]
fn e5_a_tuple_starts_at_the_extent() {
    let reading = Reading { extent_too: true, ..CORRECTED };
    assert_eq!(tuples([1, 1, 1, 0, 1, 1], reading), [(0, 0, 1), (0, 1, 1)]);
    assert_eq!(tuples([1, 1, 1, 0, 1, 1], CORRECTED), [(0, 0, 1)]);
}

#[test]
fn e6_the_inner_loop_goes_one_too_far() {
    let reading = Reading { end_too: true, ..CORRECTED };
    assert!(tuples([2, 1, 1, 0, 1, 1], reading).iter().any(|(_, start, end)| start == end));
    assert_eq!(wrong(reading), 1137);
}

/// Reading A never needs lines 31 to 39, reading B does.
#[test]
fn e7_the_tail_is_dead_code_or_essential() {
    let without =
        |whole_blocks_only| Reading { tail: Tail::Absent, whole_blocks_only, ..CORRECTED };
    assert_eq!(wrong(without(false)), 0);
    assert_eq!(tuples([1, 1, 1, 0, 2, 1], without(true)), []);
    let with_tail = Reading { whole_blocks_only: true, ..CORRECTED };
    assert_eq!((tuples([1, 1, 1, 0, 2, 1], with_tail), wrong(with_tail)), (vec![(0, 0, 1)], 0));
}

#[test]
fn e8_the_destination_s_first_rank_is_ignored() {
    let case = Case::new([1, 1, 1, 0, 1, 2]);
    assert_eq!(run(&case, CORRECTED), [(0, 0, 1)]);
    let mut found = Vec::new();
    Aspen.intersect(&case.axis_from(1), 0, &mut found);
    assert_eq!(found[0].peer, 1);
}

/// A piece's repetitions all come before the next piece. Indices are only the sender's.
#[test]
fn e9_tuples_are_not_in_increasing_order() {
    let case = Case::new([3, 2, 1, 0, 1, 1]);
    let starts: Vec<i64> = run(&case, CORRECTED).iter().map(|(_, start, _)| *start).collect();
    assert_eq!(starts, [0, 2, 1]);
    let found = case.found(&Aspen);
    assert!(found.is_sorted_by_key(|segment| segment.start));
    let receiving: Vec<(usize, usize)> = case
        .axis()
        .aspen(Side::Destination, 0)
        .map(|piece| (piece.peer_offset, piece.own_offset))
        .collect();
    let sending: Vec<(usize, usize)> = case
        .axis()
        .aspen(Side::Source, 0)
        .map(|piece| (piece.own_offset, piece.peer_offset))
        .collect();
    assert_eq!(receiving, sending);
}

#[test]
fn as_printed_1662_of_2880_cases_are_wrong() {
    for printed in [PRINTED, PRINTED_B] {
        assert_eq!((wrong(printed), wrong_as_a_set(printed)), (1662, 1104), "{printed:?}");
        let with_e3 = Reading { converts_ends: false, ..printed };
        assert_eq!((wrong(with_e3), wrong_as_a_set(with_e3)), (1212, 0), "{printed:?}");
    }
    assert_eq!(wrong(CORRECTED), 0);
}

/// `to` includes its end in lines 13, 21, 24 and 34, as it has to in line 5.
#[test]
fn read_as_inclusive_2852_of_2880_cases_are_wrong() {
    assert_eq!(Case::small_space().count(), 2880);
    let inclusive = Reading { extent_too: true, end_too: true, ..PRINTED };
    assert_eq!(wrong(inclusive), 2852);
}

#[test]
fn the_crate_s_is_right_in_all_of_them() {
    for case in Case::small_space() {
        assert_eq!(case.found_local(&Aspen), case.local(), "{case:?}");
    }
}
