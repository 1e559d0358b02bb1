//! Moving twice is moving once: A → B → C is A → C, and A → B → A is staying.

use super::support::{ROUTES, UNTOUCHED, for_dimensions, moved, tagged};
use proptest::prelude::*;
use redist::threads::{self, Rank};
use redist::transport::Route;
use redist::{Error, Redistribution, Side, TypedPlan};
use redist_testing::strategies::{Case, Chain, awkward_cases_on, chains_on, one_in};

fn moves_twice<const D: usize>(chain: &Chain<D>, by: (&Rank, Route)) -> Result<(), Error> {
    let source = tagged(&chain.first, by.0.rank());
    let between = moved(&chain.first, by, &source)?;
    let twice = moved(&chain.second, by, &between)?;
    assert_eq!(twice, moved(&chain.both, by, &source)?, "rank {}", by.0.rank());
    Ok(())
}

fn twice_is_once<const D: usize>(chain: Chain<D>) -> Result<(), TestCaseError> {
    for route in ROUTES {
        let result = threads::run(chain.ranks(), |rank| moves_twice(&chain, (rank, route)));
        prop_assert!(result.is_ok(), "{route}: {result:?}");
    }
    Ok(())
}

for_dimensions!(one_in(4), a_to_b_to_c_is_a_to_c, chains_on, twice_is_once, 6);

/// Moves there and back by the inverse, and from a layout to itself. Counts this rank's elements.
fn stays<const D: usize>(case: &Case<D>, by: (&Rank, Route)) -> Result<usize, Error> {
    let (rank, route) = by;
    let source = tagged(case, rank.rank());
    let there = TypedPlan::<[u32; 2], D>::from(case.plan());
    let mut home = there.inverse().binder().route(route).bind(rank)?;
    let mut back = vec![UNTOUCHED; home.local_len(Side::Destination)];
    home.run(&moved(case, by, &source)?, &mut back)?;
    let stayed = moved(&Case { to: case.from, ..*case }, by, &source)?;
    assert_eq!(back, stayed, "rank {}", rank.rank());
    let written: Vec<_> =
        stayed.iter().zip(&source).filter(|(now, _)| **now != UNTOUCHED).collect();
    assert!(written.iter().all(|(now, before)| now == before), "rank {}", rank.rank());
    Ok(written.len())
}

fn back_is_here<const D: usize>(case: Case<D>) -> Result<(), TestCaseError> {
    for route in ROUTES {
        let result = threads::run(case.plan().ranks(), |rank| stays(&case, (rank, route)));
        let written = result.map(|written| written.iter().sum());
        prop_assert_eq!(&written, &Ok(case.extents.iter().product::<usize>()), "{}", route);
    }
    Ok(())
}

for_dimensions!(one_in(4), there_and_back_is_staying, awkward_cases_on, back_is_here, 6);
