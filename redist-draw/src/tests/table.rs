//! Tables hold the owners and steps of their plans.

use super::super::Drawing;
use super::super::table::{Entry, Row, Tables, line, text};
use super::drawn::{attribute, of_class, plan};
use super::legibility::assert_legible;
use proptest::prelude::*;
use redist_plan::plan::{Plan, Side};
use redist_schedules::{Method, Schedule, Schedules};
use roxmltree::Document;
use std::collections::BTreeSet;

/// Lists the owners of every element of a period, counted by source and block.
fn by_hand(plan: &Plan<1>) -> Vec<Vec<Entry>> {
    let axis = plan.axis(0);
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side));
    let mut columns = vec![Vec::new(); from.ranks()];
    let mut before = None;
    let mut pieces = 0..;
    for index in 0..axis.period() {
        let (source, destination) = (from.owner(index), to.owner(index));
        let at = Some((from.block_of(index), to.block_of(index)));
        let column: &mut Vec<Entry> = &mut columns[source];
        match column.last_mut() {
            Some(last) if at == before => last.len += 1,
            _ => column.push(Entry { piece: pieces.next(), destination, len: 1 }),
        }
        before = at;
    }
    columns
}

fn of_rank(rows: &[Row], rank: usize) -> Vec<Entry> {
    rows.iter().filter_map(|row| row[rank]).collect()
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.piece);
    entries
}

/// The three stages: a column reorganisation changes no column, a row reorganisation changes no row.
fn check_stages(tables: &Tables, columns: &[Vec<Entry>], schedule: &dyn Schedule) {
    for (source, column) in columns.iter().enumerate() {
        assert_eq!(&of_rank(&tables.before, source), column);
        let reorganised = of_rank(&tables.columns_reorganised, source);
        let steps: Vec<_> =
            reorganised.iter().map(|it| schedule.meeting(source, it.destination)).collect();
        assert!(steps.is_sorted() && steps.iter().all(Option::is_some), "{steps:?}");
        assert_eq!(sorted(reorganised), *column);
    }
    assert_eq!(tables.columns_reorganised.len(), tables.rows_reorganised.len());
    for (before, after) in tables.columns_reorganised.iter().zip(&tables.rows_reorganised) {
        let destinations: Vec<_> = before.iter().flatten().map(|it| it.destination).collect();
        let different: BTreeSet<_> = destinations.iter().collect();
        assert_eq!(different.len(), destinations.len(), "{before:?}");
        let entries = |row: &Row| sorted(row.iter().flatten().copied().collect());
        assert_eq!(entries(before), entries(after));
        let in_place = |(column, entry): (usize, &Option<Entry>)| {
            entry.is_none_or(|entry| entry.destination == column)
        };
        assert!(after.iter().enumerate().all(in_place), "{after:?}");
    }
    for destination in 0..tables.rows_reorganised.first().map_or(0, Vec::len) {
        let arrived = of_rank(&tables.rows_reorganised, destination);
        let kept = of_rank(&tables.after, destination);
        assert!(kept.is_sorted_by_key(|entry| entry.piece), "{kept:?}");
        assert_eq!(sorted(arrived), kept);
    }
}

fn check(plan: &Plan<1>, schedule: &dyn Schedule) {
    let tables = Tables::new(plan, schedule).unwrap();
    check_stages(&tables, &by_hand(plan), schedule);
    assert_eq!(tables.steps.len(), schedule.steps());
    for (step, row) in tables.steps.iter().enumerate() {
        for (source, entry) in row.iter().enumerate() {
            let met = schedule.destination(step, source);
            let len = met.map_or(0, |destination| volume_between(plan, source, destination));
            assert_eq!(entry.map_or(0, |entry| entry.len), len);
            assert!(entry.is_none_or(|entry| Some(entry.destination) == met));
        }
    }
}

fn volume_between(plan: &Plan<1>, source: usize, destination: usize) -> usize {
    let [from, to] = [Side::Source, Side::Destination].map(|side| plan.descriptor(side));
    plan.volume(from.nth_rank(source), to.nth_rank(destination))
}

fn shown(rows: &[Row], of: impl Fn(&Entry) -> usize) -> Vec<String> {
    let cell = |entry: &Option<Entry>| entry.map_or("-".into(), |it| of(&it).to_string());
    rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

/// x → 3x from 4 ranks to 6, worked out by hand. A source reaches ranks of its own parity in the first
/// three steps, with two pieces each. It reaches ranks of the opposite parity in the last three,
/// with one piece each.
#[test]
fn four_ranks_to_six() {
    let plan = plan([36], "cyclic onto 4", "cyclic(3) onto 6");
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let tables = Tables::new(&plan, &*schedule).unwrap();
    let destination = |entry: &Entry| entry.destination;
    let piece = |entry: &Entry| entry.piece.unwrap();
    // Piece i of source j is block 4 i + j, and goes to (4 i + j) div 3 mod 6.
    let destinations = [
        "0 0 0 1", "1 1 2 2", "2 3 3 3", "4 4 4 5", "5 5 0 0", "0 1 1 1", "2 2 2 3", "3 3 4 4",
        "4 5 5 5",
    ];
    assert_eq!(shown(&tables.before, destination), destinations);
    let before = shown(&tables.before, piece);
    assert_eq!(before[..2], ["0 1 2 3", "4 5 6 7"]);
    let rows = [
        "0 1 2 3", "0 1 2 3", "2 3 4 5", "2 3 4 5", "4 5 0 1", "4 5 0 1", "1 0 3 2", "3 2 5 4",
        "5 4 1 0",
    ];
    assert_eq!(shown(&tables.columns_reorganised, destination), rows);
    let pieces = [
        "0 5 6 11",
        "20 21 26 27",
        "8 9 14 15",
        "24 29 30 35",
        "12 17 2 3",
        "32 33 18 23",
        "4 1 10 7",
        "28 25 34 31",
        "16 13 22 19",
    ];
    let sources = |row: &String| -> Vec<usize> {
        row.split(' ').map(|piece| piece.parse::<usize>().unwrap() % 4).collect()
    };
    let found = shown(&tables.columns_reorganised, piece);
    assert!(found.iter().all(|row| sources(row) == [0, 1, 2, 3]), "{found:?}");
    assert_eq!(found, pieces);
    // The first rows, with each piece in its destination's column.
    let moved = shown(&tables.rows_reorganised, piece);
    assert_eq!(moved[..3], ["0 5 6 11 - -", "20 21 26 27 - -", "- - 8 9 14 15"]);
    let after = [
        "0 3 6 9 12 15",
        "1 4 7 10 13 16",
        "2 5 8 11 14 17",
        "18 21 24 27 30 33",
        "19 22 25 28 31 34",
        "20 23 26 29 32 35",
    ];
    assert_eq!(shown(&tables.after, piece), after);
    let steps = ["0 1 2 3", "2 3 4 5", "4 5 0 1", "1 0 3 2", "3 2 5 4", "5 4 1 0"];
    assert_eq!(shown(&tables.steps, destination), steps);
    assert!(text(&tables).contains("   0  0:2  1:2  2:2  3:2\n"), "{}", text(&tables));
}

#[test]
fn a_dimension_is_picked() {
    let plan = plan([72, 60], "(cyclic(2), *) onto 3", "(cyclic(4), *) onto 6");
    let line = line(&plan, 0).unwrap();
    check(&line, &*line.schedule(Method::Circulant).unwrap().unwrap());
    let refused = Drawing::default().table(&plan, 2).unwrap_err().to_string();
    assert_eq!(refused, "dimension 2: there is no such dimension; there are 0..2");
}

#[test]
fn a_picture_has_a_cell_for_every_entry() {
    let plan = plan([36], "cyclic onto 4", "cyclic(3) onto 6");
    let svg = Drawing::default().table(&plan, 0).unwrap();
    assert_legible(&svg);
    let document = Document::parse(&svg).unwrap();
    let cells = of_class(&document, "entry");
    assert_eq!(cells.len(), 5 * 36 + 24);
    assert!(cells.iter().all(|cell| attribute(cell, "width") > 0.0));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_what_owners_and_steps_say(
        extent in 1usize..400,
        (s, p) in (1usize..9, 1usize..7),
        (t, q) in (1usize..9, 1usize..7),
    ) {
        let plan = plan([extent], &format!("cyclic({s}) onto {p}"), &format!("cyclic({t}) onto {q}"));
        for method in [Method::Circulant, Method::ClosedForm, Method::Koenig, Method::Caterpillar] {
            if let Ok(Some(schedule)) = plan.schedule(method) {
                check(&plan, &*schedule);
            }
        }
    }
}
