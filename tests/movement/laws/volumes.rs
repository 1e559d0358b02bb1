//! Elements that leave, arrive and stay add up.

use super::support::for_dimensions;
use proptest::prelude::*;
use redist::program::Envelope;
use redist::{Plan, Redistribution, Side, TypedPlan};
use redist_testing::strategies::{Case, awkward_cases_on, config};

fn with(envelopes: &[Envelope], rank: usize) -> usize {
    envelopes.iter().filter(|envelope| envelope.rank == rank).map(|envelope| envelope.len).sum()
}

pub fn all_adds_up<const D: usize>(plan: &Plan<D>) -> Result<(), TestCaseError> {
    let (there, back) = (TypedPlan::<u8, D>::from(*plan), plan.inverse());
    let outgoing: Vec<_> =
        (0..plan.ranks()).map(|rank| there.binder().packing(rank).envelopes().to_vec()).collect();
    let (mut sent, mut received) = (0, 0);
    for rank in 0..plan.ranks() {
        let unpacking = there.binder().unpacking(rank);
        let incoming = unpacking.envelopes();
        for (peer, outgoing) in outgoing.iter().enumerate() {
            let volume = with(outgoing, rank);
            prop_assert_eq!(volume, with(incoming, peer), "{} to {}", peer, rank);
            prop_assert_eq!(volume, plan.volume(peer, rank), "{} to {}", peer, rank);
            prop_assert_eq!(volume, back.volume(rank, peer), "{} to {}, back", peer, rank);
        }
        let (out, into) = (total(&outgoing[rank]), total(incoming));
        fits(plan, Side::Source, rank, out)?;
        fits(plan, Side::Destination, rank, into)?;
        (sent, received) = (sent + out, received + into);
    }
    let all = plan.extents().iter().product::<usize>();
    prop_assert_eq!((sent, received), (all, all));
    Ok(())
}

fn total(envelopes: &[Envelope]) -> usize {
    envelopes.iter().map(|envelope| envelope.len).sum()
}

fn fits<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    rank: usize,
    moves: usize,
) -> Result<(), TestCaseError> {
    let (held, layout) = (plan.descriptor(side).local_len(rank), plan.descriptor(side).layout());
    prop_assert!(moves <= held, "{side} rank {rank}: {moves} of {held}");
    if layout.of.is_none() {
        prop_assert_eq!(moves, held, "{} rank {}", side, rank);
    }
    Ok(())
}

fn case_adds_up<const D: usize>(case: Case<D>) -> Result<(), TestCaseError> {
    all_adds_up(&case.plan())
}

for_dimensions!(config(), both_ends_agree, awkward_cases_on, case_adds_up, 24);
