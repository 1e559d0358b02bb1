//! Sections: a section of a section is a section, and the parts of an array make all of it.

use super::support::{
    ROUTES, Tag, UNTOUCHED, for_dimensions, moved, moves_into, tagged, untouched,
};
use proptest::prelude::*;
use redist::Error;
use redist::threads::{self, Rank};
use redist::transport::Route;
use redist_testing::array::permuted;
use redist_testing::strategies::{Case, Chain, awkward_cases_on, chains_on, one_in};

fn section<const D: usize>(extents: [usize; D], seed: usize) -> ([usize; D], [usize; D]) {
    let at = extents.map(|extent| seed % (extent + 1));
    let len = core::array::from_fn(|axis| {
        let left = extents[axis] - at[axis];
        left - (seed / 7) % (left + 1)
    });
    (at, len)
}

fn chosen_chains<const D: usize>(ranks: usize) -> impl Strategy<Value = (Chain<D>, usize)> {
    (chains_on::<D>(ranks), 0..400usize)
}

fn chosen_cases<const D: usize>(ranks: usize) -> impl Strategy<Value = (Case<D>, usize)> {
    (awkward_cases_on::<D>(ranks), 0..400usize)
}

/// Moves from A to all of a section of B, and a part of that to C; compares with A to C.
fn part_of_what_moved<const D: usize>(
    chain: &Chain<D>,
    seed: usize,
    by: (&Rank, Route),
) -> Result<(), Error> {
    let (at, len) = section(chain.first.extents, seed);
    let [at_b, len_b] = [at, len].map(|extents| permuted(extents, chain.first.to.axes));
    let source = tagged(&chain.first, by.0.rank());
    let between = moved(&chain.first, by, &source)?;
    let twice = moved(&chain.second.part(at_b, len_b), by, &between)?;
    assert_eq!(twice, moved(&chain.both.part(at, len), by, &source)?, "{at:?}, {len:?}");
    Ok(())
}

fn sections_nest<const D: usize>((chain, seed): (Chain<D>, usize)) -> Result<(), TestCaseError> {
    for route in ROUTES {
        let moves = |rank: &Rank| part_of_what_moved(&chain, seed, (rank, route));
        let result = threads::run(chain.ranks(), moves);
        prop_assert!(result.is_ok(), "{route}: {result:?}");
    }
    Ok(())
}

for_dimensions!(one_in(4), a_section_of_a_section_is_a_section, chosen_chains, sections_nest, 6);

fn halves<const D: usize>(case: &Case<D>, seed: usize) -> [Case<D>; 2] {
    let (axis, extents) = (seed % D, case.extents);
    let cut = (seed / D) % (extents[axis] + 1);
    let (mut at, mut first, mut second) = ([0; D], extents, extents);
    (at[axis], first[axis], second[axis]) = (cut, cut, extents[axis] - cut);
    [case.part([0; D], first), case.part(at, second)]
}

/// One half touches only its elements, the other the rest. Counts this rank's elements of each.
fn by_halves<const D: usize>(
    case: &Case<D>,
    seed: usize,
    by: (&Rank, Route),
) -> Result<[usize; 2], Error> {
    let source = tagged(case, by.0.rank());
    let whole = moved(case, by, &source)?;
    let [first, second] = halves(case, seed);
    let mut destination = untouched(case, by.0.rank());
    moves_into(&first, by, &source, &mut destination)?;
    let count = |array: &[Tag]| array.iter().filter(|tag| **tag != UNTOUCHED).count();
    let after_one = count(&destination);
    moves_into(&second, by, &source, &mut destination)?;
    assert_eq!(destination, whole, "rank {}", by.0.rank());
    Ok([after_one, count(&whole) - after_one])
}

fn parts_make_the_whole<const D: usize>(
    (case, seed): (Case<D>, usize),
) -> Result<(), TestCaseError> {
    let volumes = halves(&case, seed).map(|half| half.extents.iter().product::<usize>());
    for route in ROUTES {
        let moves = |rank: &Rank| by_halves(&case, seed, (rank, route));
        let result = threads::run(case.plan().ranks(), moves);
        let counts = result.map(|ranks| {
            ranks.iter().fold([0; 2], |sum, counts| [sum[0] + counts[0], sum[1] + counts[1]])
        });
        prop_assert_eq!(&counts, &Ok(volumes), "{}", route);
    }
    Ok(())
}

for_dimensions!(one_in(4), two_halves_are_the_whole, chosen_cases, parts_make_the_whole, 6);
