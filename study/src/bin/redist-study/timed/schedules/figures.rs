//! Figures of timed schedules, and their ratios case by case: all tables are made of these.

use crate::report::{distinct, ratio};
use crate::sampling::geometric_mean;
use redist_study::links::TimedSchedule;

pub const STEPS: &str = "in steps";

/// Times nearer to each other count as equal.
pub const EQUAL: f64 = 0.05;

pub type Network<'a> = ((usize, &'a str), Vec<&'a TimedSchedule>);

/// A figure of a row, in milliseconds.
pub type Figure = fn(&TimedSchedule) -> Option<f64>;

/// The figures that the tables compare, by their names.
pub const FIGURES: [(&str, Figure); 4] = [
    ("mean", |row| Some(row.mean)),
    ("least", |row| Some(row.least)),
    ("total", |row| Some(row.total)),
    ("transfer", |row| row.transfer_mean),
];

pub fn case_of(row: &TimedSchedule) -> String {
    let TimedSchedule { source_block, destination_block, sources, destinations, .. } = row;
    format!("{source_block} → {destination_block}, {sources} → {destinations}")
}

pub fn sizes(rows: &[&TimedSchedule]) -> Vec<usize> {
    distinct(rows.iter().map(|row| row.bytes))
}

pub fn in_bytes(bytes: usize) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}

/// Returns one method's figures in a way over a second method's, in all cases of a size that have
/// both.
pub fn over(
    rows: &[&TimedSchedule],
    size: usize,
    [(method, way), (other, beside)]: [(&str, &str); 2],
    figure: Figure,
) -> Vec<f64> {
    let is = |row: &TimedSchedule, method: &str, way: &str| {
        row.bytes == size && row.method == method && row.way == way
    };
    let ratios = rows.iter().filter(|row| is(row, method, way)).filter_map(|row| {
        let mut others = rows.iter().filter(|others| is(others, other, beside));
        let found = others.find(|others| case_of(others) == case_of(row))?;
        Some(figure(row)? / figure(found)?)
    });
    ratios.collect()
}

/// Writes the geometric mean of ratios, and how many of them are below 1.
pub fn judged(ratios: &[f64]) -> String {
    let ahead = ratios.iter().filter(|ratio| **ratio < 1.0).count();
    match ratios {
        [] => "–".into(),
        _ => format!("{}, {ahead} of {}", ratio(geometric_mean(ratios)), ratios.len()),
    }
}

#[cfg(test)]
pub mod examples {
    //! Rows for tests.

    use redist::plan::schedule::Method;
    use redist_study::links::TimedSchedule;

    pub fn row(method: Method, way: &str, sources: usize, time: f64) -> TimedSchedule {
        TimedSchedule {
            nodes: 12,
            link: "250mbit,shallow".into(),
            family: "x→kx".into(),
            source_block: 8,
            destination_block: 16,
            sources,
            destinations: 8,
            extent: 128,
            bytes: 8192,
            way: way.into(),
            method: method.to_string(),
            steps: 2,
            wire: 10.0,
            schedule: time / 1e5,
            most: time,
            mean: time,
            median: time,
            least: time,
            transfer_most: Some(time / 2.0),
            transfer_mean: Some(time / 2.0),
            transfer_median: Some(time / 2.0),
            transfer_least: Some(time / 2.0),
            total: time,
        }
    }
}
