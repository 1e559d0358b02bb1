//! Destination-processor tables: against owners one by one, and against the planner's steps.

use super::super::Drawing;
use super::super::table::{Entry, Tables, line, text};
use super::drawn::{attribute, of_class, plan};
use super::legibility::assert_legible;
use proptest::prelude::*;
use redist_plan::plan::schedule::{Method, Schedule};
use redist_plan::plan::{Plan, Side};
use roxmltree::Document;

/// Owners of every element of a period, one after the other, counted by source and block.
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

fn check(plan: &Plan<1>, schedule: &dyn Schedule) {
    let tables = Tables::new(plan, schedule).unwrap();
    let columns = by_hand(plan);
    for (source, column) in columns.iter().enumerate() {
        let of = |rows: &[super::super::table::Row]| -> Vec<_> {
            rows.iter().filter_map(|row| row[source]).collect()
        };
        assert_eq!(&of(&tables.pieces), column);
        let mut sorted = of(&tables.sorted);
        let steps: Vec<_> =
            sorted.iter().map(|it| schedule.meeting(source, it.destination)).collect();
        assert!(steps.is_sorted() && steps.iter().all(Option::is_some), "{steps:?}");
        let key = |entry: &Entry| (entry.destination, entry.len);
        let mut expected = column.clone();
        sorted.sort_by_key(key);
        expected.sort_by_key(key);
        assert_eq!(sorted, expected);
    }
    assert_eq!(tables.steps.len(), schedule.steps());
    for (step, row) in tables.steps.iter().enumerate() {
        for (source, entry) in row.iter().enumerate() {
            let met = schedule.destination(step, source);
            let len = met.map_or(0, |destination| plan.volume_between(source, destination));
            assert_eq!(entry.map_or(0, |entry| entry.len), len);
            assert!(entry.is_none_or(|entry| Some(entry.destination) == met));
        }
    }
}

/// Elements of a pair of numbers in the grids.
trait Volume {
    fn volume_between(&self, source: usize, destination: usize) -> usize;
}

impl Volume for Plan<1> {
    fn volume_between(&self, source: usize, destination: usize) -> usize {
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.descriptor(side));
        self.volume(from.nth_rank(source), to.nth_rank(destination))
    }
}

#[test]
fn four_ranks_to_six() {
    let plan = plan([36], "cyclic onto 4", "cyclic(3) onto 6");
    let schedule = plan.schedule(Method::Circulant).unwrap().unwrap();
    let tables = Tables::new(&plan, &*schedule).unwrap();
    let destinations = |row: usize| -> Vec<_> {
        tables.steps[row].iter().flatten().map(|entry| entry.destination).collect()
    };
    assert_eq!(tables.pieces.len(), 9);
    assert_eq!((destinations(0), destinations(3)), (vec![0, 1, 2, 3], vec![1, 0, 3, 2]));
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
    assert_eq!(cells.len(), 36 + 36 + 24);
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
