//! Layouts without blocks of one length, on both sides, against the simulator: 100 cases of each
//! number of dimensions, or 2,000 if all are played.

use proptest::prelude::*;
use redist_testing::array::{messages, planned};
use redist_testing::strategies::{Case, drawn, uneven_cases};

fn messages_are_the_simulator_s<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let (plan, expected) = (case.plan(), messages(case.extents, &case.from, &case.to));
    prop_assert_eq!(&planned(&plan), &expected);
    let elements: usize = expected.values().map(Vec::len).sum();
    prop_assert_eq!(elements, case.extents.iter().product::<usize>(), "each element moves once");
    // The notation says them all.
    for (layout, moved) in [(&case.from, "from"), (&case.to, "to")] {
        let again = layout.to_string().parse();
        prop_assert_eq!(again.as_ref(), Ok(layout), "{} {}", moved, layout);
    }
    Ok(())
}

proptest! {
    #![proptest_config(drawn(100, 2000))]

    #[test]
    fn one_dimension(case in uneven_cases::<1>()) {
        messages_are_the_simulator_s(&case)?;
    }

    #[test]
    fn two_dimensions(case in uneven_cases::<2>()) {
        messages_are_the_simulator_s(&case)?;
    }

    #[test]
    fn three_dimensions(case in uneven_cases::<3>()) {
        messages_are_the_simulator_s(&case)?;
    }
}
