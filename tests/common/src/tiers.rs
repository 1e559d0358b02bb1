//! Items of every tier, for tests that compare them.

use redist::exec::Tier;
use redist::threads::{self, Rank};
use redist::{Element, Error, Redistribution, Side, TypedPlan};

pub trait Counted: Element + PartialEq + core::fmt::Debug {
    fn counted(count: usize) -> Self;
}

macro_rules! counted {
    ($($element:ty)*) => {$(impl Counted for $element {
        fn counted(count: usize) -> Self {
            count as $element
        }
    })*};
}

counted! { u8 u16 u32 u64 i16 i32 i64 f32 f64 }

impl Counted for [f32; 2] {
    fn counted(count: usize) -> Self {
        [count as f32, -1.0]
    }
}

/// Plans the same at run time, packs with both plans, and moves by alternating ranks.
#[track_caller]
pub fn same_at_run_time<const D: usize, R>(plan: &R, tier: Tier, from: &str, to: &str)
where
    R: Redistribution<D, Element: Counted> + Sync,
{
    let other = TypedPlan::<R::Element, D>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!((plan.plan(), plan.tier()), (other.plan(), tier));
    assert_eq!(other.tier(), Tier::RunTime);
    assert_eq!(plan.plan().digest(), other.plan().digest());
    for rank in 0..plan.plan().ranks() {
        assert_eq!(packed(plan, rank), packed(&other, rank), "rank {rank}");
    }
    assert_eq!(moved(plan, &other, true), moved(plan, &other, false));
}

fn local<const D: usize, R>(plan: &R, rank: usize) -> Vec<R::Element>
where
    R: Redistribution<D, Element: Counted>,
{
    let len = plan.plan().descriptor(Side::Source).local_len(rank);
    (0..len).map(|index| R::Element::counted(rank * len + index)).collect()
}

fn packed<const D: usize, R>(plan: &R, rank: usize) -> Vec<Vec<R::Element>>
where
    R: Redistribution<D, Element: Counted>,
{
    let packing = plan.binder().packing(rank);
    let mut messages: Vec<_> =
        packing.envelopes().iter().map(|to| vec![R::Element::ZERO; to.len]).collect();
    let mut slices: Vec<&mut [R::Element]> = messages.iter_mut().map(Vec::as_mut_slice).collect();
    packing.pack(&local(plan, rank), &mut slices);
    messages
}

/// Returns the destination arrays; if `mixed`, even ranks move by the item's plan.
fn moved<const D: usize, R>(
    plan: &R,
    other: &TypedPlan<R::Element, D>,
    mixed: bool,
) -> Vec<Vec<R::Element>>
where
    R: Redistribution<D, Element: Counted> + Sync,
{
    threads::run(plan.plan().ranks(), |rank: &Rank| {
        let mut bound = if mixed && rank.rank().is_multiple_of(2) {
            plan.bind(rank)?
        } else {
            other.bind(rank)?
        };
        let mut destination = vec![R::Element::ZERO; bound.local_len(Side::Destination)];
        bound.run(&local(plan, rank.rank()), &mut destination)?;
        Ok::<_, Error>(destination)
    })
    .unwrap()
}
