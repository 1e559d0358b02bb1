//! Every message of every pair, in order, from both its ends.

use proptest::prelude::*;
use redist::plan::{Side, View};
use redist::program::Program;
use redist::{Redistribution, TypedPlan};
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

fn views_copy_the_same_elements<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let (plan, mut expected) = (case.plan(), messages(case.extents, &case.from, &case.to));
    let mut received = Vec::new();
    for rank in 0..=plan.ranks() {
        let of_rank = plan.messages_of(rank);
        for message in &of_rank.sends {
            let views: Vec<View> = message.views().collect();
            prop_assert_eq!(views.len(), message.views().len());
            let mut copied: Vec<_> = views.iter().flat_map(copies).collect();
            copied.sort_unstable();
            prop_assert_eq!(copied.len(), message.elements);
            let pair = (rank, message.peer);
            let mut elements = expected.remove(&pair).unwrap_or_default();
            elements.sort_unstable();
            prop_assert_eq!(copied, elements, "{:?}", pair);
            prop_assert_eq!(&plan.views(rank, message.peer).collect::<Vec<_>>(), &views);
            received.push((pair, views));
        }
    }
    prop_assert!(expected.is_empty(), "no views of {:?}", expected);
    // Receivers have the views of their senders, in the same order.
    for rank in 0..=plan.ranks() {
        for message in plan.messages_of(rank).receives {
            let pair = (message.peer, rank);
            let at = received.iter().position(|(sent, _)| *sent == pair);
            let sent = at.map(|at| received.swap_remove(at).1);
            prop_assert_eq!(Some(message.views().collect()), sent, "{:?}", pair);
        }
    }
    prop_assert!(received.is_empty(), "nobody receives {:?}", received);
    Ok(())
}

fn single_messages_are_packed_alike<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let plan = TypedPlan::<u32, D>::from(case.plan());
    let expected = messages(case.extents, &case.from, &case.to);
    for rank in 0..plan.plan().ranks() {
        let (packing, unpacking) = (plan.binder().packing(rank), plan.binder().unpacking(rank));
        let local: Vec<u32> = (1..).take(packing.local_len()).collect();
        let empty = packing.envelopes().iter().map(|envelope| vec![0; envelope.len]);
        let mut all: Vec<Vec<u32>> = empty.clone().collect();
        packing.pack(&local, &mut all.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        for (number, mut found) in empty.enumerate() {
            packing.pack_message(&local, number, &mut found);
            let pair = (rank, packing.envelopes()[number].rank);
            let elements = expected[&pair].iter().map(|(source, _)| local[*source]);
            prop_assert_eq!(&elements.collect::<Vec<_>>(), &found, "{:?}", pair);
            prop_assert_eq!(&all[number], &found, "{:?}", pair);
        }
        for (number, envelope) in unpacking.envelopes().iter().enumerate() {
            let data: Vec<u32> = (1..).take(envelope.len).collect();
            let mut local = vec![0; unpacking.local_len()];
            unpacking.unpack_message(&mut local, number, &data);
            let mut wanted = vec![0; local.len()];
            let elements = expected[&(envelope.rank, rank)].iter().zip(&data);
            elements.for_each(|((_, destination), element)| wanted[*destination] = *element);
            prop_assert_eq!(local, wanted, "{} to {}", envelope.rank, rank);
        }
    }
    Ok(())
}

/// Returns the places of all elements of a view in both local arrays.
fn copies(view: &View) -> Vec<(usize, usize)> {
    let mut places = vec![(view.source.offset, view.destination.offset)];
    let strides = view.source.strides.iter().zip(&view.destination.strides);
    for (count, (from, to)) in view.shape.iter().zip(strides) {
        let along = |(source, destination)| {
            (0..*count).map(move |turn| (source + turn * from, destination + turn * to))
        };
        places = places.into_iter().flat_map(along).collect();
    }
    places
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

                // feature: messages as strided boxes = `Plan::messages_of`
                #[test]
                fn views_copy_the_same_elements(case in cases::<$dimensions>()) {
                    super::views_copy_the_same_elements(&case)?;
                }

                // feature: packing for a transport of your own = `Binder::packing`, `unpacking`
                #[test]
                fn single_messages_are_packed_alike(case in cases::<$dimensions>()) {
                    super::single_messages_are_packed_alike(&case)?;
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
