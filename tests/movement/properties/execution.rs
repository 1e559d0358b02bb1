//! Real arrays, moved by a run-time plan: packed and unpacked in turn, and between threads.

use proptest::prelude::*;
use redist::{Element, Error, Plan, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::{Messages, messages};
use redist_testing::strategies::{Case, cases, config, one_in};
use redist_testing::tabled::Tabled;
use std::collections::BTreeMap;

pub type Tag = [u32; 2];

pub const UNTOUCHED: Tag = [u32::MAX, u32::MAX];

fn tag(rank: usize, offset: usize) -> Tag {
    [rank as u32, offset as u32]
}

pub fn source_array<const D: usize>(plan: &Plan<D>, rank: usize) -> Vec<Tag> {
    let len = plan.descriptor(Side::Source).local_len(rank);
    (0..len).map(|offset| tag(rank, offset)).collect()
}

pub fn expected<const D: usize>(plan: &Plan<D>, messages: &Messages) -> Vec<Vec<Tag>> {
    let len = |rank| plan.descriptor(Side::Destination).local_len(rank);
    let mut arrays: Vec<_> = (0..plan.ranks()).map(|rank| vec![UNTOUCHED; len(rank)]).collect();
    for (&(p, q), message) in messages {
        for &(source, destination) in message {
            arrays[q][destination] = tag(p, source);
        }
    }
    arrays
}

fn pack_all<const D: usize>(
    redistribution: &impl Redistribution<D, Element = Tag>,
) -> BTreeMap<(usize, usize), Vec<Tag>> {
    let plan = redistribution.plan();
    let mut packed = BTreeMap::new();
    for rank in 0..plan.ranks() {
        let packing = redistribution.binder().packing(rank);
        let mut buffers: Vec<_> =
            packing.envelopes().iter().map(|e| vec![UNTOUCHED; e.len]).collect();
        let mut slices: Vec<_> = buffers.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&source_array(&plan, rank), &mut slices);
        let peers = packing.envelopes().iter().map(|envelope| (rank, envelope.rank));
        packed.extend(peers.zip(buffers));
    }
    packed
}

fn what_is_packed_is_unpacked<const D: usize>(
    case: &Case<D>,
    redistribution: &impl Redistribution<D, Element = Tag>,
) -> Result<(), TestCaseError> {
    let (plan, messages) = (case.plan(), messages(case.extents, &case.from, &case.to));
    let packed = pack_all(redistribution);
    let tags =
        |p, message: &[(usize, usize)]| message.iter().map(|&(source, _)| tag(p, source)).collect();
    let expected_messages =
        messages.iter().map(|(&(p, q), message)| ((p, q), tags(p, message))).collect();
    prop_assert_eq!(&packed, &expected_messages);
    for (rank, expected) in expected(&plan, &messages).into_iter().enumerate() {
        let unpacking = redistribution.binder().unpacking(rank);
        let slices: Vec<_> =
            unpacking.envelopes().iter().map(|from| &packed[&(from.rank, rank)][..]).collect();
        let mut array = vec![UNTOUCHED; unpacking.local_len()];
        unpacking.unpack(&mut array, &slices);
        prop_assert_eq!(array, expected, "rank {}", rank);
    }
    Ok(())
}

/// Runs twice with other values: a stale message would show.
fn move_between_threads<T: Element, const D: usize>(
    case: &Case<D>,
    value: impl Fn(usize, Tag) -> T + Sync,
) -> Vec<[Vec<T>; 2]> {
    let plan = case.plan();
    let results = threads::run(plan.ranks(), |communicator| {
        let rank = communicator.rank();
        let mut bound = TypedPlan::<T, D>::from(plan).bind(communicator)?;
        let mut run = |round| {
            let source: Vec<T> =
                source_array(&plan, rank).into_iter().map(|tag| value(round, tag)).collect();
            let mut destination =
                vec![value(round, UNTOUCHED); plan.descriptor(Side::Destination).local_len(rank)];
            bound.run(&source, &mut destination)?;
            Ok::<_, Error>(destination)
        };
        Ok::<_, Error>([run(0)?, run(1)?])
    });
    results.expect("all ranks bind the same plan and bring arrays of the right length")
}

fn threads_move_the_array<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let value = |round: usize, [rank, offset]: Tag| [round as u32, rank, offset];
    let expected = expected(&case.plan(), &messages(case.extents, &case.from, &case.to));
    for (rank, moved) in move_between_threads(case, value).into_iter().enumerate() {
        for (round, array) in moved.into_iter().enumerate() {
            let expected: Vec<_> = expected[rank].iter().map(|&tag| value(round, tag)).collect();
            prop_assert_eq!(array, expected, "rank {}, round {}", rank, round);
        }
    }
    Ok(())
}

macro_rules! for_dimensions {
    ($name:ident, $dimensions:literal) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn what_is_packed_is_unpacked(case in cases::<$dimensions>()) {
                    super::what_is_packed_is_unpacked(&case, &TypedPlan::from(case.plan()))?;
                }

                #[test]
                fn tables_change_nothing(case in cases::<$dimensions>()) {
                    super::what_is_packed_is_unpacked(&case, &Tabled::<Tag, _>::new(case.plan(), true))?;
                }
            }

            proptest! {
                #![proptest_config(one_in(4))]

                // feature: dimensions of an array = any number
                #[test]
                fn threads_move_the_array(case in cases::<$dimensions>()) {
                    super::threads_move_the_array(&case)?;
                }
            }
        }
    };
}

for_dimensions!(one_dimension, 1);
for_dimensions!(two_dimensions, 2);
for_dimensions!(three_dimensions, 3);
for_dimensions!(four_dimensions, 4);
