//! What a person wants to read.

use crate::creep::Creep;
use crate::dem::Dem;
use crate::distributed::Outcome;
use redist::Redistribution;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn input(file: &Path, dem: &Dem) {
    let [rows, columns] = dem.extents;
    println!("model    {}", short(file));
    println!(
        "         {rows} x {columns} elevations from {:.0} m to {:.0} m, {} m apart east-west, {} m north-south",
        dem.lowest(),
        dem.highest(),
        dem.spacing.east,
        dem.spacing.north
    );
}

pub fn plans(to_columns: &impl Redistribution<2>, to_rows: &impl Redistribution<2>) {
    println!("plan     {}", to_columns.explain().replace('\n', "\n         "));
    println!("         and back by {}, digest {}", to_rows.name(), to_rows.plan().digest());
}

pub fn creep(creep: &Creep, before: &[f64], after: &[f64]) {
    println!(
        "creep    {} steps of {:.0} years at {} m²/year, each twice as long as an explicit method could take",
        creep.steps,
        creep.years(),
        Creep::DIFFUSIVITY
    );
    println!(
        "         mean elevation {:.3} m before, {:.3} m after; standard deviation {:.1} m before, {:.1} m after",
        mean(before),
        mean(after),
        deviation(before),
        deviation(after)
    );
}

pub fn movement(outcome: &Outcome, on_one_rank: Duration) {
    let (traffic, times) = (outcome.traffic, outcome.redistributions);
    let bytes = |elements: usize, times: u64| amount(elements as u64 * size_of::<f64>() as u64 * times);
    println!(
        "moved    {} in {} messages each time, {} more stay with their rank; {times} times, {} in {} messages",
        bytes(traffic.moved / 2, 1),
        traffic.messages / 2,
        bytes(traffic.kept / 2, 1),
        bytes(traffic.moved / 2, times),
        traffic.messages as u64 / 2 * times,
    );
    println!(
        "time     {:.1} ms on {} ranks, {:.0} % of it redistributing (packing, unpacking, waiting); {:.1} ms on one rank",
        milliseconds(outcome.elapsed),
        outcome.ranks,
        100.0 * outcome.clock.share(),
        milliseconds(on_one_rank),
    );
    println!("check    all {} elevations equal those of one rank, bit by bit", outcome.elevation.len());
}

pub fn pictures(paths: &[PathBuf]) {
    let paths: Vec<String> = paths.iter().map(|path| short(path)).collect();
    println!("pictures {}", paths.join(" "));
}

/// As seen from the working directory.
fn short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

fn amount(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.0} MB", bytes as f64 / 1e6),
        _ => format!("{:.0} GB", bytes as f64 / 1e9),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len() as f64).sqrt()
}
