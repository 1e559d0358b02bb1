//! Moves in place end as other moves do.

use super::execution::{Tag, UNTOUCHED, expected, source_array};
use proptest::prelude::*;
use redist::{Error, Plan, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, one_in};

fn moved_in_place<const D: usize>(plan: &Plan<D>) -> Vec<(Vec<Tag>, Result<(), Error>)> {
    let moved = threads::run(plan.ranks(), |communicator| {
        let rank = communicator.rank();
        let mut bound = TypedPlan::<Tag, D>::from(*plan).bind(communicator)?;
        let mut array = source_array(plan, rank);
        array.reserve(rank % 2 * 1000);
        let told = bound.run_in_place(&mut array);
        Ok::<_, Error>((array, told))
    });
    moved.expect("all ranks bind the same plan")
}

/// If a rank's destination has unmoved elements, all ranks get an error, and keep their arrays.
fn an_array_is_moved_or_stays<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let plan = case.plan();
    let expected = expected(&plan, &messages(case.extents, &case.from, &case.to));
    let is_whole = !expected.iter().flatten().any(|tag| *tag == UNTOUCHED);
    for (rank, (array, told)) in moved_in_place(&plan).into_iter().enumerate() {
        if is_whole {
            prop_assert_eq!(told, Ok(()));
            prop_assert_eq!(&array, &expected[rank], "rank {}", rank);
        } else {
            prop_assert!(told.is_err(), "rank {}", rank);
            prop_assert_eq!(array, source_array(&plan, rank), "rank {}", rank);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(one_in(4))]

    // feature: one array for both sides = `Bound::run_in_place`
    #[test]
    fn one_dimension(case in cases::<1>()) {
        an_array_is_moved_or_stays(&case)?;
    }

    #[test]
    fn three_dimensions(case in cases::<3>()) {
        an_array_is_moved_or_stays(&case)?;
    }
}

#[test]
fn a_wrong_length_is_told_to_all_and_nothing_is_lost() {
    let plan = Plan::parse([60], "cyclic(3) onto 4", "cyclic(4) onto 3").unwrap();
    let told = threads::run(4, |communicator| {
        let rank = communicator.rank();
        let mut bound = TypedPlan::<u64, 1>::from(plan).bind(communicator)?;
        let mut array = vec![rank as u64; 15 + usize::from(rank == 2)];
        let told = bound.run_in_place(&mut array).unwrap_err().to_string();
        assert_eq!(array, vec![rank as u64; 15 + usize::from(rank == 2)]);
        // The next move is right.
        array.truncate(15);
        bound.run_in_place(&mut array)?;
        assert_eq!(array.len(), plan.descriptor(Side::Destination).local_len(rank));
        Ok::<_, Error>(told)
    });
    for told in told.unwrap() {
        assert!(told.contains("rank 2") && told.contains("15 elements, found 16"), "{told}");
    }
}

#[test]
fn elements_that_would_have_no_value_are_told_of() {
    let plan = Plan::parse([6], "block onto 2", "block onto 2 of [10] at [1]").unwrap();
    let [first, second] = &moved_in_place(&plan)[..] else { panic!("two ranks") };
    let told = first.1.as_ref().unwrap_err().to_string();
    assert!(told.contains("1 of the 5 elements that rank 0 has afterwards are outside"), "{told}");
    assert!(second.1.as_ref().unwrap_err().to_string().contains("outside"));
}

#[test]
fn gaps_that_would_keep_old_elements_are_told_of() {
    let plan = TypedPlan::<u8, 1>::parse([6], "block onto 2", "block onto 2").unwrap();
    let told = threads::run(2, |rank| {
        let mut bound = plan.binder().strides(Side::Destination, [2]).bind(rank)?;
        let mut array = vec![1, 2, 3];
        let told = bound.run_in_place(&mut array).unwrap_err().to_string();
        assert_eq!(array, [1, 2, 3]);
        Ok::<_, Error>(told)
    });
    assert!(told.unwrap()[0].contains("the destination of rank 0 has gaps"));
}
