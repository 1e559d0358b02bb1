//! Fields on a reduced Gaussian grid: whole rows for work along circles of latitude, then a part of
//! every row for work that every point does by itself, which is spread evenly so.
//!
//! The grid is ECMWF's octahedral O32: the row `i` from a pole has `4 i + 16` points (Malardel et al.,
//! "A new grid for the IFS", ECMWF Newsletter 146, 2016), 5248 in 64 rows.
//!
//! Run by `cargo run --release -p redist-examples --example reduced_grid`.

use redist::threads::{self, Rank};
use redist::{Error, Redistribution, RuntimePlan, Side};
use std::process::ExitCode;

const RANKS: usize = 4;
const LEVELS: usize = 3;

/// Points in each row of the octahedral grid with `of` rows from a pole to the equator.
fn octahedral(of: usize) -> Vec<usize> {
    let half = (1..=of).map(|row| 4 * row + 16);
    half.clone().chain(half.rev()).collect()
}

/// A field at a point, counted from the first of its level.
fn field(level: usize, point: usize) -> f64 {
    ((level * 7919 + point * 104_729) % 1009) as f64
}

/// Takes the mean of each row from its points: what needs whole rows.
fn subtract_means(row: &mut [f64]) {
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.iter_mut().for_each(|value| *value -= mean);
}

/// What every point does by itself.
fn alone(value: f64) -> f64 {
    value * value
}

/// All of it on one rank, level by level.
fn serial(rows: &[usize]) -> Vec<f64> {
    let points: usize = rows.iter().sum();
    let mut all = Vec::new();
    for level in 0..LEVELS {
        let mut values: Vec<f64> = (0..points).map(|point| field(level, point)).collect();
        let mut rest = values.as_mut_slice();
        for &length in rows {
            let (row, after) = rest.split_at_mut(length);
            subtract_means(row);
            rest = after;
        }
        all.extend(values.into_iter().map(alone));
    }
    all
}

/// The points that a rank holds of a level on a side, in the order in which it stores them.
fn held(plan: &RuntimePlan<f64, 2>, side: Side, rank: usize) -> Vec<usize> {
    let points = plan.plan().descriptor(side).axis(1);
    (0..points.numroc(rank)).filter_map(|local| points.global(rank, local)).collect()
}

/// A rank's part: its rows are transformed, go to where their points are, and are worked on there.
fn work(plan: &RuntimePlan<f64, 2>, rows: &[usize], rank: &Rank) -> Result<Vec<f64>, Error> {
    let mut bound = plan.bind(rank)?;
    let own = held(plan, Side::Source, rank.rank());
    let mut by_rows: Vec<f64> =
        (0..LEVELS).flat_map(|level| own.iter().map(move |&point| field(level, point))).collect();
    let ends: Vec<usize> = rows
        .iter()
        .scan(0, |end, row| {
            *end += row;
            Some(*end)
        })
        .collect();
    let mut rest = by_rows.as_mut_slice();
    for _ in 0..LEVELS {
        let mut next = 0;
        while next < own.len() {
            // This rank has all points of a row, one after the other.
            let row = ends.partition_point(|&end| end <= own[next]);
            let (whole, after) = rest.split_at_mut(rows[row]);
            subtract_means(whole);
            rest = after;
            next += rows[row];
        }
    }
    let mut by_points = vec![0.0; bound.local_len(Side::Destination)];
    bound.run(&by_rows, &mut by_points)?;
    by_points.iter_mut().for_each(|value| *value = alone(*value));
    Ok(by_points)
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn compare() -> Result<(), Box<dyn std::error::Error>> {
    let rows = octahedral(32);
    let points: usize = rows.iter().sum();
    let from = format!("(*, rows({rows:?}, cyclic)) onto {RANKS}");
    let to = format!("(*, points({rows:?})) onto {RANKS}");
    let plan = RuntimePlan::<f64, 2>::parse([LEVELS, points], &from, &to)?;
    let parts = threads::run(RANKS, |rank| work(&plan, &rows, rank))?;
    let expected = serial(&rows);
    for (rank, part) in parts.iter().enumerate() {
        let own = held(&plan, Side::Destination, rank);
        let places = (0..LEVELS).flat_map(|level| own.iter().map(move |at| level * points + at));
        if !places.map(|place| expected[place]).eq(part.iter().copied()) {
            return Err(format!("rank {rank} has other values than the serial computation").into());
        }
    }
    println!("O32: {} rows, {points} points, {LEVELS} levels, {RANKS} ranks", rows.len());
    for rank in 0..RANKS {
        let [rows, points] =
            [Side::Source, Side::Destination].map(|side| held(&plan, side, rank).len());
        let sent: usize =
            (0..RANKS).filter(|&to| to != rank).map(|to| plan.plan().volume(rank, to)).sum();
        println!(
            "rank {rank}: {rows} points of whole rows, then {points} of all; sent {sent} values"
        );
    }
    println!("every value is that of the serial computation");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_is_ecmwf_s() {
        let rows = octahedral(32);
        assert_eq!((rows.len(), rows[0], rows[31], rows[63]), (64, 20, 144, 20));
        assert_eq!(rows.iter().sum::<usize>(), 5248);
    }

    #[test]
    fn the_result_is_the_serial_one() {
        compare().unwrap();
    }
}
