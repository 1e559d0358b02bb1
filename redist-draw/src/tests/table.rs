use super::super::Drawing;
use super::super::table::{Entry, Row, Tables, line, text};
use super::drawn::{attribute, of_class, plan};
use super::legibility::assert_legible;
use num_integer::gcd;
use proptest::prelude::*;
use redist_plan::plan::schedule::{Method, Schedule};
use redist_plan::plan::{Plan, Side};
use roxmltree::Document;
use std::collections::BTreeSet;

/// Lists the owners of every element of a period, counted by source and block.
fn by_hand(plan: &Plan<1>) -> Vec<Vec<Entry>> {
    let axis = plan.axis(0);
    let [from, to] = [Side::Source, Side::Destination].map(|side| axis.side(side));
    let mut columns = vec![Vec::new(); from.ranks()];
    let mut before = None;
    for index in 0..axis.period() {
        let (source, destination) = (from.owner(index), to.owner(index));
        let at = Some((from.block_of(index), to.block_of(index)));
        let column: &mut Vec<Entry> = &mut columns[source];
        match column.last_mut() {
            Some(last) if at == before => last.len += 1,
            _ => column.push(Entry { destination, len: 1 }),
        }
        before = at;
    }
    columns
}

fn of_source(rows: &[Row], source: usize) -> Vec<Entry> {
    rows.iter().filter_map(|row| row[source]).collect()
}

fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| (entry.destination, entry.len));
    entries
}

fn check(plan: &Plan<1>, schedule: &dyn Schedule) {
    let tables = Tables::new(plan, schedule).unwrap();
    let columns = by_hand(plan);
    for (source, column) in columns.iter().enumerate() {
        assert_eq!(&of_source(&tables.destinations, source), column);
        let steps: Vec<_> = of_source(&tables.rows_reorganised, source)
            .iter()
            .map(|it| schedule.meeting(source, it.destination))
            .collect();
        assert!(steps.is_sorted() && steps.iter().all(Option::is_some), "{steps:?}");
        for rows in [Some(&tables.rows_reorganised), tables.columns_reorganised.as_ref()] {
            let Some(rows) = rows else { continue };
            assert_eq!(sorted(of_source(rows, source)), sorted(column.clone()));
        }
    }
    for row in &tables.rows_reorganised {
        let destinations: Vec<_> = row.iter().flatten().map(|entry| entry.destination).collect();
        let different: BTreeSet<_> = destinations.iter().collect();
        assert_eq!(different.len(), destinations.len(), "{row:?}");
    }
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

fn shown(rows: &[Row]) -> Vec<String> {
    let cell = |entry: &Option<Entry>| entry.map_or("-".into(), |it| it.destination.to_string());
    rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" ")).collect()
}

/// x → 3x from 4 ranks to 6, worked out by hand. `G = 2` and `h = 1`: two groups of three steps. In
/// the first a source reaches ranks of its own parity, with two pieces each; in the second the
/// others, with one.
#[test]
fn four_ranks_to_six() {
    let plan = plan([36], "cyclic onto 4", "cyclic(3) onto 6");
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let tables = Tables::new(&plan, &*schedule).unwrap();
    // Piece i of source j is block 4 i + j, and goes to (4 i + j) div 3 mod 6.
    let destinations = [
        "0 0 0 1", "1 1 2 2", "2 3 3 3", "4 4 4 5", "5 5 0 0", "0 1 1 1", "2 2 2 3", "3 3 4 4",
        "4 5 5 5",
    ];
    assert_eq!(shown(&tables.destinations), destinations);
    let columns = [
        "0 1 0 1", "2 3 2 3", "4 5 4 5", "0 1 0 1", "2 3 2 3", "4 5 4 5", "1 0 3 2", "5 4 1 0",
        "3 2 5 4",
    ];
    assert_eq!(shown(tables.columns_reorganised.as_ref().unwrap()), columns);
    let rows = [
        "0 1 2 3", "0 1 2 3", "2 3 4 5", "2 3 4 5", "4 5 0 1", "4 5 0 1", "1 0 3 2", "3 2 5 4",
        "5 4 1 0",
    ];
    assert_eq!(shown(&tables.rows_reorganised), rows);
    let steps = ["0 1 2 3", "2 3 4 5", "4 5 0 1", "1 0 3 2", "3 2 5 4", "5 4 1 0"];
    assert_eq!(shown(&tables.steps), steps);
    assert!(text(&tables).contains("   0  0:2  1:2  2:2  3:2\n"), "{}", text(&tables));
}

/// In a group of steps, a source of x → kx reaches one class of ranks modulo H, each as often.
#[test]
fn a_group_of_steps_reaches_one_class() {
    for (p, k, q) in [(4, 3, 6), (6, 4, 9), (8, 12, 12), (5, 7, 5), (9, 6, 4)] {
        let plan = plan([p * k * q], &format!("cyclic onto {p}"), &format!("cyclic({k}) onto {q}"));
        let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
        let tables = Tables::new(&plan, &*schedule).unwrap();
        let columns = tables.columns_reorganised.as_ref().unwrap();
        let (g, h) = (gcd(p, k * q), gcd(k, p));
        let classes = g / h;
        for source in 0..p {
            let mut column = of_source(columns, source).into_iter().peekable();
            for group in 0..k.min(g) / h {
                let pieces = (k - group * h).div_ceil(g) * q / classes;
                let class: Vec<usize> =
                    column.by_ref().take(pieces).map(|entry| entry.destination % classes).collect();
                assert_eq!(class, vec![class[0]; pieces], "{p} → {q}, k = {k}, source {source}");
            }
            assert_eq!(column.next(), None);
        }
    }
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
    assert_eq!(cells.len(), 36 + 36 + 36 + 24);
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
