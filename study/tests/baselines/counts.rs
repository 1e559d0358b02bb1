//! Counted operations are the closed forms, or below the stated bounds.

use crate::cases::{per_rank, together, whole};
use proptest::prelude::*;
use redist::plan::Axis;
use redist_study::baseline::{
    GuoNakata, HsuChungAnyRanks, Intersection, Scalapack, Window, counts,
};
use redist_testing::strategies::config;

pub fn check(axis: &Axis) -> Result<usize, TestCaseError> {
    let applicable = counts::EXACT.iter().filter(|(algorithm, _)| algorithm.applies(axis).is_ok());
    let mut checked = 2;
    for (algorithm, closed_form) in applicable {
        prop_assert_eq!(together(axis, *algorithm), closed_form(axis), "{}", algorithm.name());
        checked += 1;
    }
    check_bounds(axis)?;
    Ok(checked)
}

fn check_bounds(axis: &Axis) -> Result<(), TestCaseError> {
    let (scan, most) = (together(axis, &Scalapack), counts::scalapack_at_most(axis));
    prop_assert_eq!(scan.set_ups, most.set_ups);
    prop_assert!(scan.comparisons <= most.comparisons, "{} {}", scan.comparisons, most.comparisons);
    let (loose, most) = (together(axis, &GuoNakata), counts::guo_nakata_at_most(axis));
    prop_assert_eq!(loose.set_ups, most.set_ups);
    prop_assert!(loose.comparisons <= most.comparisons, "{:?} {:?}", loose, most);
    prop_assert!(loose.comparisons >= counts::falls(axis).comparisons);
    let (window, most) = (together(axis, &Window), counts::window(axis));
    prop_assert_eq!(window.set_ups, most.set_ups);
    if HsuChungAnyRanks.applies(axis).is_ok() {
        prop_assert!(window.comparisons <= most.comparisons);
    } else {
        prop_assert_eq!(window.comparisons, most.comparisons);
    }
    for rank in per_rank(axis, &Window) {
        prop_assert!(rank.comparisons <= axis.window_pieces());
    }
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn counts_equal_the_closed_forms(case in whole()) {
        check(&case.axis())?;
    }
}
