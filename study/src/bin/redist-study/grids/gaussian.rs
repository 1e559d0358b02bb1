//! Reduced Gaussian grids: from whole rows to points.

use super::row::{self, Row};
use crate::sampling::medians;
use anyhow::Context as _;
use redist::plan::schedule::MessageGraph;
use redist::{Plan, Redistribution, TypedPlan};
use std::hint::black_box;

/// Rows between a pole and the equator of ECMWF's octahedral grids O32 to O1280.
const OCTAHEDRAL: [usize; 4] = [32, 160, 640, 1280];

/// Source ranks and destination ranks.
const RANKS: [(usize, usize); 3] = [(4, 4), (32, 32), (48, 36)];

/// Returns the points of an octahedral grid's rows: 20 beside the poles, and 4 more in each row on.
fn rows(number: usize) -> Vec<usize> {
    let north = (1..=number).map(|row| 4 * row + 16);
    north.clone().chain(north.rev()).collect()
}

pub fn measure(quick: bool, passes: usize) -> anyhow::Result<Vec<Row>> {
    let grids = if quick { &OCTAHEDRAL[..1] } else { &OCTAHEDRAL[..] };
    let cases = grids.iter().flat_map(|grid| RANKS.map(|ranks| (*grid, ranks)));
    cases.map(|(grid, ranks)| case(grid, ranks, passes)).collect()
}

fn case(
    number: usize,
    (sources, destinations): (usize, usize),
    passes: usize,
) -> anyhow::Result<Row> {
    let rows = rows(number);
    let points: usize = rows.iter().sum();
    let list = rows.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let from = format!("rows([{list}], cyclic) onto {sources}");
    let to = format!("points([{list}]) onto {destinations}");
    let make = || Plan::<1>::parse([points], &from, &to);
    let plan = make().with_context(|| format!("O{number}"))?;
    let (axis, rank) = (plan.axis(0), sources / 2);
    let mut found = Vec::new();
    let counted = row::aspen(&axis, sources, &mut found);
    let runtime = TypedPlan::<f64, 1>::from(plan);
    let receiver = destinations / 2;
    let both = || (runtime.binder().packing(rank), runtime.binder().unpacking(receiver));
    let (packing, unpacking) = both();
    let source = vec![1.0; packing.local_len()];
    let mut destination = vec![0.0; unpacking.local_len()];
    let mut outbox = crate::scale::messages(packing.envelopes());
    let inbox = crate::scale::messages(unpacking.envelopes());
    let mut works: Vec<Box<dyn FnMut() + '_>> = vec![
        Box::new(|| drop(black_box(make().map(|plan| plan.digest())))),
        Box::new(|| {
            black_box(row::aspen(&axis, sources, &mut found));
        }),
        Box::new(|| drop(black_box(both()))),
        Box::new(|| {
            let mut out: Vec<&mut [f64]> = outbox.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&source, &mut out);
            let arrived: Vec<&[f64]> = inbox.iter().map(Vec::as_slice).collect();
            unpacking.unpack(&mut destination, &arrived);
        }),
    ];
    let seconds = medians(&mut works, passes);
    drop(works);
    let parts: usize = rows.iter().map(|points| parts_of(*points, destinations)).sum();
    Ok(Row {
        case: format!("O{number}, {points} points in {} rows", rows.len()),
        source: "rows, cyclic".into(),
        destination: "points".into(),
        sources,
        destinations,
        elements: points,
        plans: 1,
        messages: MessageGraph::of(&plan)?.edges().len(),
        operations: counted.total(),
        classical: rows.len() * parts,
        plan_nanoseconds: seconds[0] * 1e9,
        intersect_nanoseconds: seconds[1] * 1e9,
        program_nanoseconds: seconds[2] * 1e9,
        pack_nanoseconds: seconds[3] * 1e9,
    })
}

/// Counts the parts of a row that is divided among all ranks.
fn parts_of(points: usize, ranks: usize) -> usize {
    points.div_ceil(points.div_ceil(ranks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octahedral_grids_have_the_published_points() {
        assert_eq!(rows(32).iter().sum::<usize>(), 5248);
        assert_eq!(rows(1280).iter().sum::<usize>(), 6_599_680);
        assert_eq!((rows(32)[0], rows(32)[31], rows(32)[63]), (20, 144, 20));
    }

    /// A piece is a part of one row and of one destination's part of it: here, that part.
    #[test]
    fn the_walk_finds_every_part_of_every_row_once() {
        let row = case(32, (4, 4), 1).unwrap();
        // 64 rows, of 4 parts each: as many pieces, and a set-up for each row.
        assert_eq!(row.operations, 64 * 4 + 64);
        assert_eq!((row.classical, row.messages), (64 * 64 * 4, 16));
    }
}
