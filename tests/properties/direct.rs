//! Direct copies: every element of every message exactly once, whatever the tiles.

use crate::common::array::{Messages, messages};
use crate::common::strategies::{Case, cases, config};
use proptest::prelude::*;
use redist::program::{Chunks, DirectProgram, Lattice};
use redist::{Program, Side};

fn elements(lattice: Lattice) -> impl Iterator<Item = (usize, usize)> {
    let elements =
        move |(source, destination)| (0..lattice.len).map(move |element| (source + element, destination + element));
    lattice.runs().flat_map(elements)
}

/// What is copied to a rank, by pair, in increasing place of the destination.
fn copied<const D: usize>(case: &Case<D>, rank: usize, tile: usize) -> Messages {
    let program = DirectProgram::new(&case.plan(), rank, tile);
    let mut copied = Messages::new();
    program.for_each(&mut program.walk(), &mut |source, lattice| {
        copied.entry((source, rank)).or_default().extend(elements(lattice));
    });
    sorted(copied)
}

/// The same, chunk by chunk of the source arrays.
fn copied_in_chunks<const D: usize>(case: &Case<D>, rank: usize, limit: usize) -> Result<Messages, TestCaseError> {
    let plan = case.plan();
    let (program, chunks) = (DirectProgram::new(&plan, rank, 64), Chunks::new(&plan, limit));
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    let packing = |rank| Program::new(&plan, &[&[]; D], Side::Source, rank);
    let shown: Vec<_> = (0..plan.ranks()).map(|rank| chunks.of_rank(&plan, &packing(rank), rank)).collect();
    for round in 0..chunks.count() {
        let mut outside = None;
        let number = |sender: usize| shown[sender].number(round);
        program.for_each_of_round(&mut walk, &chunks, number, &mut |source, start, lattice| {
            let own = shown[source].elements(round);
            let inside = |(from, _): (usize, usize)| own.start == start && own.contains(&from);
            outside = outside.or_else(|| elements(lattice).find(|&element| !inside(element)));
            copied.entry((source, rank)).or_default().extend(elements(lattice));
        });
        prop_assert_eq!(outside, None, "round {} of {}", round, chunks.count());
    }
    Ok(sorted(copied))
}

fn sorted(mut messages: Messages) -> Messages {
    messages.values_mut().for_each(|message| message.sort_unstable_by_key(|&(_, destination)| destination));
    messages
}

fn every_element_is_copied_once<const D: usize>(case: &Case<D>, tile: usize) -> Result<(), TestCaseError> {
    let messages = sorted(messages(case.extents, &case.from, &case.to));
    for rank in 0..=case.plan().ranks() {
        let to_rank = messages.iter().filter(|((_, to), _)| *to == rank);
        let to_rank: Messages = to_rank.map(|(pair, message)| (*pair, message.clone())).collect();
        prop_assert_eq!(&copied(case, rank, tile), &to_rank);
        prop_assert_eq!(&copied_in_chunks(case, rank, tile)?, &to_rank);
    }
    Ok(())
}

/// The property above, for one number of dimensions.
macro_rules! for_dimensions {
    ($name:ident, $dimensions:literal) => {
        proptest! {
            #![proptest_config(config())]

            #[test]
            fn $name(case in cases::<$dimensions>(), tile in 1usize..200) {
                every_element_is_copied_once(&case, tile)?;
            }
        }
    };
}

for_dimensions!(one_dimension, 1);
for_dimensions!(two_dimensions, 2);
for_dimensions!(three_dimensions, 3);
for_dimensions!(four_dimensions, 4);
