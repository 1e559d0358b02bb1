//! Tables of runs have one period or one round, and spans that hold all runs.

use super::*;
use crate::plan::Plan;

/// Extents and the layouts of both sides.
const LAYOUTS: [(usize, &str, &str); 10] = [
    (1003, "cyclic(10) onto 4", "cyclic(2) onto 4"),
    (1003, "cyclic(2) onto 2", "cyclic(201) onto 3"),
    (1000, "cyclic(200) onto 2", "cyclic(2) onto 3"),
    (1003, "cyclic(3) onto 4", "cyclic(5) onto 2"),
    (803, "cyclic(3) onto 4 of [900] at [7]", "cyclic(5) onto 2 first 1 of [805] at [2]"),
    (1003, "block onto 4", "cyclic(3) onto 3"),
    (1003, "cyclic onto 3", "block onto 4"),
    (503, "block onto 1", "cyclic(7) onto 16"),
    (503, "cyclic(7) onto 16", "block onto 1"),
    (503, "gen_block([300, 0, 203]) onto 3", "cyclic(3) onto 4"),
];

fn axis((extent, from, to): (usize, &str, &str)) -> Axis {
    Plan::<1>::parse([extent], from, to).unwrap().axis(0)
}

#[test]
fn fronts_are_the_hulls_of_all_runs() {
    for layouts in LAYOUTS {
        let row_runs = RowRuns::new(&axis(layouts), None, 250).unwrap();
        row_runs.for_each(0..layouts.0, &mut |rounds| {
            for (side, spans) in
                rounds.spans.iter().enumerate().filter(|(_, spans)| !spans.is_empty())
            {
                for run in rounds.runs {
                    let (coordinate, start) =
                        [(run.from, run.source), (run.to, run.destination)][side];
                    let mut of_run = spans.iter().filter(|span| span.coordinate == coordinate);
                    let span = of_run.next().expect("a span for each coordinate");
                    assert!(of_run.next().is_none() && span.start <= start, "{layouts:?}: {run:?}");
                    assert!(span.end >= start as usize + run.len as usize, "{layouts:?}: {run:?}");
                }
            }
        });
    }
}

#[test]
fn a_table_has_one_period_or_one_round() {
    let runs = |from, to| {
        let row_runs = RowRuns::new(&axis((5_120_000, from, to)), None, 250).unwrap();
        (row_runs.runs.len(), row_runs.regions.len())
    };
    assert_eq!(runs("cyclic(10) onto 4", "cyclic(2) onto 4"), (20, 1));
    assert_eq!(runs("cyclic(200) onto 4", "cyclic(2) onto 4"), (16, 4));
    assert_eq!(runs("cyclic onto 4", "block onto 4"), (16, 4));
}

#[test]
fn rounds_that_all_take_turns_in_are_known() {
    let turns = |from, to| {
        let mut found = Vec::new();
        let row_runs = RowRuns::new(&axis((960, from, to)), None, 250).unwrap();
        row_runs.for_each(0..960, &mut |rounds| found.push(rounds.turns));
        found.dedup();
        found
    };
    assert_eq!(turns("block onto 3", "cyclic(2) onto 4"), [Some(Side::Source)]);
    assert_eq!(turns("cyclic(2) onto 4", "block onto 3"), [Some(Side::Destination)]);
    assert_eq!(turns("cyclic(10) onto 4", "cyclic(2) onto 4"), [None]);
}

#[test]
fn long_runs_and_large_tables_are_declined() {
    let is_made = |extent, from, to| RowRuns::new(&axis((extent, from, to)), None, 250).is_some();
    assert!(!is_made(100_000, "block onto 4", "block onto 3"));
    assert!(!is_made(100_000, "cyclic(2) onto 4", "cyclic(2) onto 4"));
    assert!(!is_made(200, "cyclic(2) onto 4", "cyclic(3) onto 4"));
    assert!(!is_made(10_000_000, "cyclic(63) onto 60", "cyclic(64) onto 59"));
    assert!(!is_made(100_000, "cyclic onto 100", "block onto 2"));
    assert!(is_made(100_000, "cyclic onto 50", "block onto 2"));
}
