//! Moves fields on a reduced Gaussian grid, ECMWF's N32. Fourier transforms along circles of
//! latitude need whole rows; work of single points takes an even part of every row. The result is
//! compared with that of one rank, bit by bit.
//!
//! ```text
//! cargo run --release -p redist-examples --features fft --example reduced_grid
//! ```

mod grid;
mod rows;

use grid::{LEVELS, POINTS, RANKS, ROWS, RowsToPoints};
use redist::threads::{self, Rank};
use redist::{Error, Redistribution, Side};
use rows::Filter;
use std::process::ExitCode;

/// A field at a point, counted from the first of its level: noise.
fn field([level, point]: [usize; 2]) -> f64 {
    ((level * 7919 + point * 104_729) % 1009) as f64
}

fn alone(value: f64) -> f64 {
    value * value
}

fn serial() -> Vec<f64> {
    let mut all: Vec<f64> =
        (0..LEVELS * POINTS).map(|at| field([at / POINTS, at % POINTS])).collect();
    for level in all.chunks_exact_mut(POINTS) {
        Filter::new().apply_to(level, ROWS);
    }
    all.into_iter().map(alone).collect()
}

fn rows_of(rank: usize) -> Vec<usize> {
    let plan = RowsToPoints::new().plan();
    let mut start = 0;
    let mut own = Vec::new();
    for length in ROWS {
        if plan.descriptor(Side::Source).owner([0, start]) == rank {
            own.push(length);
        }
        start += length;
    }
    own
}

/// Transforms rows, moves them to their points, works there, and returns index and value.
fn work(rank: &Rank) -> Result<Vec<([usize; 2], f64)>, Error> {
    let mut bound = RowsToPoints::new().bind(rank)?;
    let mut by_rows: Vec<f64> = bound.global_indices(Side::Source).map(field).collect();
    let own = rows_of(rank.rank());
    for level in by_rows.chunks_exact_mut(own.iter().sum()) {
        Filter::new().apply_to(level, own.iter().copied());
    }
    let mut by_points = vec![0.0; bound.local_len(Side::Destination)];
    bound.run(&by_rows, &mut by_points)?;
    let values = by_points.into_iter().map(alone);
    Ok(bound.global_indices(Side::Destination).zip(values).collect())
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
    let parts = threads::run(RANKS, work)?;
    let expected = serial();
    for (rank, part) in parts.iter().enumerate() {
        let wrong = part.iter().find(|([level, point], value)| {
            expected[level * POINTS + point].to_bits() != value.to_bits()
        });
        if let Some(([level, point], value)) = wrong {
            return Err(format!(
                "rank {rank}: {value} at point {point} of level {level}, where one rank alone comes to {}",
                expected[level * POINTS + point]
            )
            .into());
        }
    }
    let values: usize = parts.iter().map(Vec::len).sum();
    if values != expected.len() {
        return Err(format!("{values} values instead of {}", expected.len()).into());
    }
    report();
    Ok(())
}

fn report() {
    let plan = RowsToPoints::new().plan();
    println!("N32: {} rows, {POINTS} points, {LEVELS} levels, {RANKS} ranks", ROWS.len());
    for rank in 0..RANKS {
        let own = rows_of(rank);
        let points = plan.descriptor(Side::Destination).local(rank).extents()[1];
        let sent: usize = (0..RANKS).filter(|&to| to != rank).map(|to| plan.volume(rank, to)).sum();
        println!(
            "rank {rank}: {} whole rows with {} points, then {points} points of all rows; sent {sent} values",
            own.len(),
            own.iter().sum::<usize>(),
        );
    }
    println!("every value is that of one rank alone, bit by bit");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_that_of_one_rank() {
        compare().unwrap();
    }

    #[test]
    fn the_compiler_has_planned_it() {
        assert!(RowsToPoints::new().explain().contains("planned by rustc"));
    }
}
