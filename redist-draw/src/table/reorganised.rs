//! The three stages between the array before and the array after.

use super::entry::{Entry, Row};
use redist_schedules::Schedule;

/// Reorganises columns: each source puts its pieces step after step, so that a row has no destination
/// twice. A step has a row for each piece of one of its messages in a period.
pub fn columns(schedule: &dyn Schedule, columns: &[Vec<Entry>]) -> Vec<Row> {
    let mut steps: Vec<Vec<Row>> = vec![Vec::new(); schedule.steps()];
    for (source, column) in columns.iter().enumerate() {
        let mut filled = vec![0; steps.len()];
        for entry in column {
            let Some(step) = schedule.meeting(source, entry.destination) else { continue };
            let (rows, row) = (&mut steps[step], filled[step]);
            if row == rows.len() {
                rows.push(vec![None; columns.len()]);
            }
            rows[row][source] = Some(*entry);
            filled[step] += 1;
        }
    }
    steps.concat()
}

/// Reorganises rows: every piece goes to the column of its destination. This is the communication.
pub fn rows(columns_reorganised: &[Row], destinations: usize) -> Vec<Row> {
    let moved = |row: &Row| {
        let mut moved = vec![None; destinations];
        row.iter().flatten().for_each(|entry| moved[entry.destination] = Some(*entry));
        moved
    };
    columns_reorganised.iter().map(moved).collect()
}

/// Reorganises columns again: each destination puts its pieces into the order of its local array,
/// which is that of the global index.
pub fn columns_again(rows_reorganised: &[Row], destinations: usize) -> Vec<Vec<Entry>> {
    let column = |destination: usize| {
        let mut pieces: Vec<Entry> =
            rows_reorganised.iter().filter_map(|row| row[destination]).collect();
        pieces.sort_by_key(|entry| entry.piece);
        pieces
    };
    (0..destinations).map(column).collect()
}
