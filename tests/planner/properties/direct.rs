//! Direct copies: every element of every message exactly once, for any tiles.

use proptest::prelude::*;
use redist::Side;
use redist::plan::AnyPlan;
use redist::program::Program;
use redist::program::{
    Chunks, DirectProgram, Grain, RowProgram, RowsBetween, Spacing, StridedArray, StridedCopy,
};
use redist_testing::array::{Messages, messages};
use redist_testing::strategies::{Case, cases, config};

fn elements(strided: StridedCopy) -> impl Iterator<Item = (usize, usize)> {
    let elements = move |(source, destination)| {
        (0..strided.len).map(move |element| (source + element, destination + element))
    };
    strided.runs().flat_map(elements)
}

fn copied<const D: usize>(case: &Case<D>, rank: usize, tile: usize) -> Messages {
    let program = DirectProgram::new(&case.plan().into(), rank, tile, None);
    let mut copied = Messages::new();
    program.for_each(&mut program.walk(), &mut |source, strided| {
        copied.entry((source, rank)).or_default().extend(elements(strided));
    });
    sorted(copied)
}

/// Copies from messages, one after the other; places of the source count in each.
fn copied_from_messages<const D: usize>(case: &Case<D>, rank: usize, tile: usize) -> Messages {
    let plan = AnyPlan::from(case.plan());
    let own = StridedArray::dense(plan.descriptor(Side::Destination), rank);
    let program = DirectProgram::from_messages(&plan, (rank, &own), tile);
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    for sender in program.senders() {
        let message = copied.entry((*sender, rank)).or_default();
        program.for_each_of(&mut walk, *sender, &mut |strided| message.extend(elements(strided)));
    }
    sorted(copied)
}

fn copied_in_chunks<const D: usize>(
    case: &Case<D>,
    rank: usize,
    limit: usize,
) -> Result<Messages, TestCaseError> {
    let plan = AnyPlan::from(case.plan());
    let (program, chunks) = (DirectProgram::new(&plan, rank, 64, None), Chunks::new(&plan, limit));
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    let packing = |rank| Program::new(&plan, &[], Side::Source, rank);
    let shown: Vec<_> =
        (0..plan.ranks()).map(|rank| chunks.of_rank(&plan, &packing(rank), rank)).collect();
    for round in 0..chunks.count() {
        let mut outside = None;
        let number = |sender: usize| Some(shown[sender].number(round));
        program.for_each_of_round(&mut walk, &chunks, number, &mut |source, start, strided| {
            let own = shown[source].elements(round);
            let inside = |(from, _): (usize, usize)| own.start == start && own.contains(&from);
            outside = outside.or_else(|| elements(strided).find(|&element| !inside(element)));
            copied.entry((source, rank)).or_default().extend(elements(strided));
        });
        prop_assert_eq!(outside, None, "round {} of {}", round, chunks.count());
    }
    Ok(sorted(copied))
}

/// Copies to one rank, or to all, tile by tile; `None` if rows do not apply.
fn copied_in_rows<const D: usize>(
    case: &Case<D>,
    to: Option<usize>,
    tile: usize,
) -> Option<Messages> {
    let program = RowProgram::new(&case.plan().into(), to, Grain { tile, long: 20 })?;
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    let mut add = |rows: RowsBetween<'_>| {
        rows.row_runs.for_each(rows.elements.clone(), &mut |rounds| {
            let Spacing { count, source, destination } = rounds.spacing;
            for (run, round) in
                rounds.runs().iter().flat_map(|run| (0..count).map(move |round| (run, round)))
            {
                let (from, to) =
                    (rows.sources[usize::from(run.from)], rows.destinations[usize::from(run.to)]);
                let begin = rounds.at.0 + round * source + run.source as usize;
                let end = rounds.at.1 + round * destination + run.destination as usize;
                let pair = copied.entry((from.rank, to.rank)).or_default();
                for row in 0..rows.count {
                    let (begin, end) = (begin + from.row(row), end + to.row(row));
                    pair.extend((0..run.len as usize).map(|at| (begin + at, end + at)));
                }
            }
        });
    };
    (0..program.tiles()).for_each(|tile| program.for_each_of_tile(&mut walk, tile, &mut add));
    Some(sorted(copied))
}

fn sorted(mut messages: Messages) -> Messages {
    messages
        .values_mut()
        .for_each(|message| message.sort_unstable_by_key(|&(_, destination)| destination));
    messages
}

fn every_element_is_copied_once<const D: usize>(
    case: &Case<D>,
    tile: usize,
) -> Result<(), TestCaseError> {
    let messages = messages(case.extents, &case.from, &case.to);
    let in_messages = |message: &[(usize, usize)]| {
        message.iter().enumerate().map(|(place, (_, destination))| (place, *destination)).collect()
    };
    let packed = messages.iter().map(|(pair, message)| (*pair, in_messages(message)));
    let (packed, messages) = (sorted(packed.collect()), sorted(messages));
    for rank in 0..=case.plan().ranks() {
        let to_rank = messages.iter().filter(|((_, to), _)| *to == rank);
        let to_rank: Messages = to_rank.map(|(pair, message)| (*pair, message.clone())).collect();
        let packed = packed.iter().filter(|((_, to), _)| *to == rank);
        let packed: Messages = packed.map(|(pair, message)| (*pair, message.clone())).collect();
        prop_assert_eq!(&copied_from_messages(case, rank, tile), &packed);
        prop_assert_eq!(&copied(case, rank, tile), &to_rank);
        prop_assert_eq!(&copied_in_chunks(case, rank, tile)?, &to_rank);
        for in_rows in
            [tile, usize::MAX].into_iter().filter_map(|tile| copied_in_rows(case, Some(rank), tile))
        {
            prop_assert_eq!(&in_rows, &to_rank);
        }
    }
    for in_rows in
        [tile, usize::MAX].into_iter().filter_map(|tile| copied_in_rows(case, None, tile))
    {
        prop_assert_eq!(&in_rows, &messages);
    }
    Ok(())
}

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
