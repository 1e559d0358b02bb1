//! Every message of every pair, in order, from both its ends.

use proptest::prelude::*;
use redist::plan::Side;
use redist::program::Program;
use redist_testing::array::{Messages, messages, planned};
use redist_testing::strategies::{Case, cases, config};

fn messages_are_the_simulator_s<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    prop_assert_eq!(planned(&case.plan()), messages(case.extents, &case.from, &case.to));
    Ok(())
}

fn programs_list_the_same_messages<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let (plan, messages) = (case.plan(), messages(case.extents, &case.from, &case.to));
    for side in [Side::Source, Side::Destination] {
        for rank in 0..=plan.ranks() {
            let program = Program::new(&plan.into(), &[], side, rank);
            let mut listed: Vec<_> = program.envelopes().iter().map(|e| (e.rank, e.len)).collect();
            listed.sort_unstable();
            prop_assert_eq!(listed, peers(&messages, side, rank), "{} rank {}", side, rank);
            prop_assert_eq!(program.local_len(), plan.descriptor(side).local_len(rank));
        }
    }
    Ok(())
}

fn peers(messages: &Messages, side: Side, rank: usize) -> Vec<(usize, usize)> {
    let seen = |(&(p, q), message): (&(usize, usize), &Vec<_>)| match side {
        Side::Source => (p == rank).then_some((q, message.len())),
        Side::Destination => (q == rank).then_some((p, message.len())),
    };
    messages.iter().filter_map(seen).collect()
}

macro_rules! for_dimensions {
    ($name:ident, $dimensions:literal) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn messages_are_the_simulator_s(case in cases::<$dimensions>()) {
                    super::messages_are_the_simulator_s(&case)?;
                }

                #[test]
                fn programs_list_the_same_messages(case in cases::<$dimensions>()) {
                    super::programs_list_the_same_messages(&case)?;
                }
            }
        }
    };
}

for_dimensions!(one_dimension, 1);
for_dimensions!(two_dimensions, 2);
for_dimensions!(three_dimensions, 3);
for_dimensions!(four_dimensions, 4);
