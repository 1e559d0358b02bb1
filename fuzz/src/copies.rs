//! Compares copies from array to array, tile by tile, in rows or in chunks, with the simulator.

use redist::Side;
use redist::plan::AnyPlan;
use redist::program::{
    Chunks, DirectProgram, Grain, Program, RowProgram, RowsBetween, Spacing, StridedCopy,
};
use redist_testing::array::{Messages, messages};
use redist_testing::strategies::Case;

pub fn check<const D: usize>(case: &Case<D>, tile: usize) {
    let all = sorted(messages(case.extents, &case.from, &case.to));
    let plan = AnyPlan::from(case.plan());
    for rank in 0..plan.ranks() {
        let to_rank = all.iter().filter(|((_, to), _)| *to == rank);
        let to_rank: Messages = to_rank.map(|(pair, message)| (*pair, message.clone())).collect();
        assert_eq!(in_tiles(&plan, rank, tile), to_rank, "{case:?}, tiles of {tile}");
        assert_eq!(in_chunks(&plan, rank, tile), to_rank, "{case:?}, chunks of {tile}");
        if let Some(copied) = in_rows(&plan, Some(rank), tile) {
            assert_eq!(copied, to_rank, "{case:?}, rows in tiles of {tile}");
        }
    }
    if let Some(copied) = in_rows(&plan, None, tile) {
        assert_eq!(copied, all, "{case:?}, rows of all ranks in tiles of {tile}");
    }
}

fn elements(strided: StridedCopy) -> impl Iterator<Item = (usize, usize)> {
    let elements = move |(source, destination)| {
        (0..strided.len).map(move |element| (source + element, destination + element))
    };
    strided.runs().flat_map(elements)
}

fn in_tiles(plan: &AnyPlan, rank: usize, tile: usize) -> Messages {
    let (program, mut copied) = (DirectProgram::new(plan, rank, tile, None), Messages::new());
    program.for_each(&mut program.walk(), &mut |source, strided| {
        copied.entry((source, rank)).or_default().extend(elements(strided));
    });
    sorted(copied)
}

fn in_chunks(plan: &AnyPlan, rank: usize, limit: usize) -> Messages {
    let (program, chunks) = (DirectProgram::new(plan, rank, 64, None), Chunks::new(plan, limit));
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    let packing = |rank| Program::new(plan, &[], Side::Source, rank);
    let shown: Vec<_> =
        (0..plan.ranks()).map(|rank| chunks.of_rank(plan, &packing(rank), rank)).collect();
    for round in 0..chunks.count() {
        let number = |sender: usize| Some(shown[sender].number(round));
        program.for_each_of_round(&mut walk, &chunks, number, &mut |source, start, strided| {
            let own = shown[source].elements(round);
            let inside = |(from, _): (usize, usize)| own.start == start && own.contains(&from);
            assert!(elements(strided).all(inside), "outside of round {round}: {plan:?}");
            copied.entry((source, rank)).or_default().extend(elements(strided));
        });
    }
    sorted(copied)
}

fn in_rows(plan: &AnyPlan, to: Option<usize>, tile: usize) -> Option<Messages> {
    let program = RowProgram::new(plan, to, Grain { tile, long: 20 })?;
    let (mut copied, mut walk) = (Messages::new(), program.walk());
    let mut add = |rows: RowsBetween<'_>| {
        rows.row_runs.for_each(rows.elements.clone(), &mut |rounds| {
            let Spacing { count, source, destination } = rounds.spacing;
            let each =
                rounds.runs().iter().flat_map(|run| (0..count).map(move |round| (run, round)));
            for ((run, round), row) in
                each.flat_map(|run| (0..rows.count).map(move |row| (run, row)))
            {
                let from = &rows.sources[usize::from(run.from)];
                let to = &rows.destinations[usize::from(run.to)];
                let begin = from.row(row) + rounds.at.0 + round * source + run.source as usize;
                let end =
                    to.row(row) + rounds.at.1 + round * destination + run.destination as usize;
                let elements = (0..run.len as usize).map(|place| (begin + place, end + place));
                copied.entry((from.rank, to.rank)).or_default().extend(elements);
            }
        });
    };
    (0..program.tiles()).for_each(|tile| program.for_each_of_tile(&mut walk, tile, &mut add));
    Some(sorted(copied))
}

fn sorted(mut messages: Messages) -> Messages {
    messages.values_mut().for_each(|message| message.sort_unstable_by_key(|element| element.1));
    messages
}
