use super::entry::{Entry, Row};
use num_integer::gcd;
use redist_plan::plan::schedule::{Method, Schedule};
use redist_plan::plan::{Axis, Side};

/// Returns each column's entries by groups of steps, in their old order within a group. In the
/// steps of a group, a source meets all destinations of one residue class.
///
/// Source: Park, Prasanna, Raghavendra, *Efficient Algorithms for Block-Cyclic Array Redistribution
/// Between Processor Sets*, without its figures.
pub fn columns(
    axis: &Axis,
    schedule: &dyn Schedule,
    columns: &[Vec<Entry>],
) -> Option<Vec<Vec<Entry>>> {
    let rotations = rotations(axis, schedule.method())?;
    let mut columns = columns.to_vec();
    for (source, column) in columns.iter_mut().enumerate() {
        column.sort_by_key(|entry| {
            schedule.meeting(source, entry.destination).map(|step| step / rotations)
        });
    }
    Some(columns)
}

/// Counts the steps of a group of the circulant schedule, `max(P, Q) / H`. Of x → kx, `P` ranks
/// hold the short blocks and `Q` the long ones; `H = gcd(P, k Q) / gcd(k, P)`.
fn rotations(axis: &Axis, method: Method) -> Option<usize> {
    let (s, t) = axis.regular_blocks().filter(|_| method == Method::Circulant)?;
    let [sources, destinations] =
        [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    let (k, short, long) =
        if s <= t { (t / s, sources, destinations) } else { (s / t, destinations, sources) };
    let residues = gcd(short, k % short * long) / gcd(k, short);
    Some(short.max(long) / residues)
}

/// Returns the entries step after step. A step has a row for each piece of one of its messages in a
/// period.
pub fn rows(schedule: &dyn Schedule, columns: &[Vec<Entry>]) -> Vec<Row> {
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
