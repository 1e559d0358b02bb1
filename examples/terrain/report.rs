//! Prints the outcome.

use crate::distributed::Outcome;
use crate::options::Options;
use landscape::{Creep, Dem, Spacing};
use redist::{Redistribution, Side};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub fn input(options: &Options, coarse: &Dem, dem: &Dem) {
    println!("model    {}", short(&options.file));
    println!(
        "         {}, {:.0} m to {:.0} m high",
        grid(coarse),
        coarse.lowest(),
        coarse.highest()
    );
    if options.refine > 1 {
        println!("refined  {}, by cubic interpolation", grid(dem));
    }
}

fn grid(Dem { extents: [rows, columns], spacing: Spacing { east, north }, .. }: &Dem) -> String {
    format!("{rows} x {columns} elevations, {east:.1} m apart east-west, {north:.1} m north-south")
}

pub fn plans(to_columns: &impl Redistribution<2>) {
    let plan = to_columns.plan();
    let (from, to) =
        (plan.descriptor(Side::Source).layout(), plan.descriptor(Side::Destination).layout());
    println!("plan     from {from}");
    println!("         to   {to}, and back");
    let all: usize = plan.extents().iter().product();
    let kept: usize = (0..plan.ranks()).map(|rank| plan.volume(rank, rank)).sum();
    println!(
        "         {:.1} MB each time, of which {:.0} % go to another rank",
        megabytes(all),
        percent(all - kept, all)
    );
}

pub fn creep(creep: &Creep, before: &[f64], after: &[f64]) {
    println!(
        "creep    {} steps of {:.0} years at {} m²/year, each twice as long as an explicit method's",
        creep.steps,
        creep.years(),
        Creep::DIFFUSIVITY
    );
    for (when, elevation) in [("before", before), ("after", after)] {
        let (mean, deviation) = (mean(elevation), deviation(elevation));
        println!(
            "         {when:6}: mean elevation {mean:.3} m, standard deviation {deviation:.2} m"
        );
    }
}

pub fn times(options: &Options, outcome: &Outcome, on_one_rank: Duration) {
    let (alone, together) = (on_one_rank.as_secs_f64(), outcome.elapsed.as_secs_f64());
    let (ranks, cores) = (counted(options.ranks, "rank"), counted(options.cores, "core"));
    println!("time     {alone:.2} s on one rank, without the library");
    println!(
        "         {together:.2} s on {ranks} (threads) on {cores}: {:.1} times as fast",
        alone / together
    );
    println!(
        "         {:.0} % of the ranks' time in {} redistributions, which includes waiting for each other",
        100.0 * outcome.clock.share(),
        2 * options.steps
    );
}

pub fn checked(outcome: &Outcome) {
    println!(
        "check    all {} elevations equal those of one rank, bit by bit",
        outcome.elevation.len()
    );
}

pub fn pictures(paths: &[PathBuf]) {
    let paths: Vec<String> = paths.iter().map(|path| short(path)).collect();
    println!("pictures {}", paths.join(" "));
}

fn short(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn megabytes(elements: usize) -> f64 {
    (elements * size_of::<f64>()) as f64 / 1e6
}

fn percent(part: usize, all: usize) -> f64 {
    100.0 * part as f64 / all as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len() as f64).sqrt()
}
