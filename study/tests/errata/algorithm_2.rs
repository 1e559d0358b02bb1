//! Erratum E14: Algorithms 2 and 3 count remote ranks from 1, Algorithm 4 from 0.

use crate::case::{Case, sorted};
use crate::printed::algorithm_2;
use redist_study::baseline::Classical;

#[test]
fn e14_ranks_from_1_miss_the_first() {
    let case = Case::new([1, 1, 1, 0, 1, 1]);
    assert_eq!(algorithm_2::run(&case, 1..=1), []);
    assert_eq!(algorithm_2::run(&case, 0..=0), [(0, 0, 1)]);
    assert_eq!(case.found_local(&Classical), [(0, 0, 1)]);
}

#[test]
fn with_ranks_from_0_it_is_right_as_printed() {
    for case in Case::small_space() {
        let printed = algorithm_2::run(&case, 0..=case.destination_ranks - 1);
        assert_eq!(sorted(printed), case.global(), "{case:?}");
        assert_eq!(case.found_local(&Classical), case.local(), "{case:?}");
    }
}
