//! Compares items of random layouts with plans made at run time.

// Names say enough to the tests, the only users.
#![allow(missing_docs)]

use redist::exec::{Inverse, Tier};
use redist::exec::{Packing, Unpacking};
use redist::threads::{self, Rank};
use redist::{Bound, Element, Error, Plan, Redistribution, Side, TypedPlan};

/// A [`Redistribution`] of any type, so that one list holds all tiers.
pub trait Planned<T: Element, const D: usize>: Sync {
    fn planned(&self) -> Plan<D>;
    fn who(&self) -> (&str, Tier);
    fn halves(&self, rank: usize) -> (Packing<T>, Unpacking<T>);
    fn bound(&self, rank: &Rank) -> Result<Bound<T, D>, Error>;
    fn inverted(&self) -> Inverse<T, D>;
}

impl<T: Element, R: Redistribution<D, Element = T> + Sync, const D: usize> Planned<T, D> for R {
    fn planned(&self) -> Plan<D> {
        self.plan()
    }

    fn who(&self) -> (&str, Tier) {
        (self.name(), self.tier())
    }

    fn halves(&self, rank: usize) -> (Packing<T>, Unpacking<T>) {
        (self.binder().packing(rank), self.binder().unpacking(rank))
    }

    fn bound(&self, rank: &Rank) -> Result<Bound<T, D>, Error> {
        self.bind(rank)
    }

    fn inverted(&self) -> Inverse<T, D> {
        self.inverse()
    }
}

pub type Plans<'a, T, const D: usize> = [(&'a dyn Planned<T, D>, Option<Tier>)];

/// Compares all plans of a case, and their inverses, with its run-time plan.
pub fn check<T: Element + PartialEq + core::fmt::Debug, const D: usize>(
    extents: [usize; D],
    [from, to]: [&str; 2],
    counted: fn(usize) -> T,
    plans: &Plans<'_, T, D>,
) {
    let notation = format!("{extents:?}, from {from}, to {to}");
    let expected = TypedPlan::<T, D>::parse(extents, from, to).expect(&notation);
    compare(&expected, &notation, counted, plans);
    let inverses: Vec<Inverse<T, D>> = plans.iter().map(|(plan, _)| plan.inverted()).collect();
    let again: Vec<Inverse<T, D>> = inverses.iter().map(Redistribution::inverse).collect();
    let back = expected.plan().inverse().into();
    compare(&back, &format!("the inverse of {notation}"), counted, &listed(&inverses, plans));
    compare(
        &expected,
        &format!("the inverse of the inverse of {notation}"),
        counted,
        &listed(&again, plans),
    );
}

fn listed<'a, T: Element, const D: usize>(
    made: &'a [Inverse<T, D>],
    plans: &Plans<'_, T, D>,
) -> Vec<(&'a dyn Planned<T, D>, Option<Tier>)> {
    made.iter().zip(plans).map(|(plan, (_, tier))| (plan as &dyn Planned<T, D>, *tier)).collect()
}

fn compare<T: Element + PartialEq + core::fmt::Debug, const D: usize>(
    expected: &TypedPlan<T, D>,
    notation: &str,
    counted: fn(usize) -> T,
    plans: &Plans<'_, T, D>,
) {
    for (planned, tier) in plans {
        let (name, found) = planned.who();
        assert_eq!(planned.planned(), expected.plan(), "{name}: {notation}");
        assert_eq!(planned.planned().digest(), expected.plan().digest(), "{name}: {notation}");
        assert!(
            tier.is_none_or(|tier| tier == found),
            "{name} is {found}, not {tier:?}: {notation}"
        );
        for rank in 0..expected.plan().ranks() {
            let (ours, theirs) = (
                pack_and_unpack(*planned, rank, counted),
                pack_and_unpack(expected, rank, counted),
            );
            assert_eq!(ours, theirs, "{name}, rank {rank}: {notation}");
        }
    }
    let mixed = moved(plans.len() + 1, counted, expected, &|turn| {
        plans.get(turn).map_or(expected, |(plan, _)| *plan)
    });
    assert_eq!(mixed, moved(1, counted, expected, &|_| expected), "{notation}");
}

fn pack_and_unpack<T: Element, const D: usize>(
    plan: &dyn Planned<T, D>,
    rank: usize,
    counted: fn(usize) -> T,
) -> (Vec<Vec<T>>, Vec<T>) {
    let (packing, unpacking) = plan.halves(rank);
    let mut packed: Vec<_> = packing.envelopes().iter().map(|to| vec![T::ZERO; to.len]).collect();
    let mut slices: Vec<&mut [T]> = packed.iter_mut().map(Vec::as_mut_slice).collect();
    packing.pack(&source(rank, packing.local_len(), counted), &mut slices);
    let arriving: Vec<_> =
        unpacking.envelopes().iter().map(|from| source(from.rank, from.len, counted)).collect();
    let slices: Vec<&[T]> = arriving.iter().map(Vec::as_slice).collect();
    let mut unpacked = vec![T::ZERO; unpacking.local_len()];
    unpacking.unpack(&mut unpacked, &slices);
    (packed, unpacked)
}

fn source<T>(rank: usize, len: usize, counted: fn(usize) -> T) -> Vec<T> {
    (0..len).map(|index| counted(1 + rank + 23 * index)).collect()
}

fn moved<'a, T: Element, const D: usize>(
    turns: usize,
    counted: fn(usize) -> T,
    expected: &TypedPlan<T, D>,
    plan: &(dyn Fn(usize) -> &'a (dyn Planned<T, D>) + Sync),
) -> Vec<Vec<T>> {
    let shared = expected.plan();
    let run = |rank: &Rank| {
        let mut bound = plan(rank.rank() % turns).bound(rank)?;
        let source =
            source(rank.rank(), shared.descriptor(Side::Source).local_len(rank.rank()), counted);
        let mut destination = vec![T::ZERO; bound.local_len(Side::Destination)];
        bound.run(&source, &mut destination)?;
        Ok::<_, Error>(destination)
    };
    threads::run(shared.ranks(), run).expect("all ranks have the same plan")
}
