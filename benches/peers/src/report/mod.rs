//! What was measured, for people and for programs.

mod chart;
mod table;

pub use table::show;

use crate::measured::{Measured, Times};
use std::error::Error;
use std::fs;
use std::path::Path;

/// Writes `peers.md`, `peers.csv` and a chart for each number of ranks.
///
/// # Errors
/// What cannot be written.
pub fn write(measured: &[Measured], folder: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let markdown = table::markdown(measured);
    println!("{markdown}");
    fs::write(folder.join("peers.md"), markdown)?;
    records(measured, &folder.join("peers.csv"))?;
    for ranks in numbers_of_ranks(measured) {
        let cases: Vec<&Measured> = measured.iter().filter(|case| case.ranks == ranks).collect();
        chart::draw(&cases, &folder.join(format!("peers-{ranks}.svg")))?;
    }
    Ok(())
}

/// Each number of ranks once, in the order in which they were measured.
fn numbers_of_ranks(measured: &[Measured]) -> Vec<usize> {
    let mut numbers: Vec<usize> = measured.iter().map(|case| case.ranks).collect();
    numbers.dedup();
    numbers
}

fn records(measured: &[Measured], path: &Path) -> Result<(), Box<dyn Error>> {
    let mut csv = csv::Writer::from_path(path)?;
    csv.write_record([
        "case",
        "ranks",
        "element",
        "from",
        "to",
        "method",
        "setup_s",
        "setup_again_s",
        "first_s",
        "median_s",
        "least_s",
        "memcpy_s",
        "wire_s",
        "ratio",
        "wrong",
        "reason",
    ])?;
    for case in measured {
        for method in &case.methods {
            let head = [
                case.case.clone(),
                case.ranks.to_string(),
                case.element.clone(),
                case.from.clone(),
                case.to.clone(),
            ];
            let numbers = match &method.outcome {
                Ok(times) => {
                    let again = times.setup_again.unwrap_or(f64::NAN);
                    let wire = case.wire.unwrap_or(f64::NAN);
                    let Times { setup, first, median, least, .. } = *times;
                    let seconds = [setup, again, first, median, least, case.memcpy, wire];
                    let ratio = format!("{:.4}", times.median / case.memcpy);
                    let seconds = seconds.map(|seconds| format!("{seconds:.9}"));
                    [&seconds[..], &[ratio, times.wrong.to_string(), String::new()]].concat()
                }
                Err(reason) => [vec![String::new(); 9], vec![reason.clone()]].concat(),
            };
            csv.write_record(head.iter().chain([&method.name]).chain(&numbers))?;
        }
    }
    Ok(csv.flush()?)
}
