//! Hillslopes worn down by soil creep: the alternating-direction-implicit (ADI) method on a real elevation model.
//!
//! ```text
//! cargo run --release --example terrain [FILE.npy] [--steps N] [--spacing EAST,NORTH] [--out DIR]
//! ```
//!
//! ADI solves along whole rows, then along whole columns, then along rows again. Each solve needs its line in one
//! place, so the array is redistributed between block rows and block columns twice a step: the use for which the papers
//! on block-cyclic redistribution were written.

mod adi;
mod creep;
mod dem;
mod distributed;
mod options;
mod ownership;
mod picture;
mod relief;
mod report;
mod single;

use creep::Creep;
use dem::Dem;
use distributed::Outcome;
use indicatif::{ProgressBar, ProgressStyle};
use options::Options;
use redist::{Redistribution, RuntimePlan, redistribute};
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

redistribute! {
    /// Whole rows on each rank, to whole columns.
    pub struct RowsToColumns: [f64; 344, 403] {
        from: (block, *) onto 4,
        to: (*, block) onto 4 storage fortran,
    }
    /// And back.
    pub struct ColumnsToRows: [f64; 344, 403] {
        from: (*, block) onto 4 storage fortran,
        to: (block, *) onto 4,
    }
}

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match Options::from_arguments(std::env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Fallible<()> {
    let dem = Dem::read(&options.file, options.spacing)?;
    report::input(&options.file, &dem);
    // The macro planned the shipped model's extents; others are planned here, and everything after is the same.
    if dem.extents == [344, 403] {
        run_with(&RowsToColumns::new(), &ColumnsToRows::new(), &dem, options)
    } else {
        let (rows, columns) = ("(block, *) onto 4", "(*, block) onto 4 storage fortran");
        let to_columns = RuntimePlan::<f64, 2>::parse(dem.extents, rows, columns)?;
        let to_rows = RuntimePlan::<f64, 2>::parse(dem.extents, columns, rows)?;
        run_with(&to_columns, &to_rows, &dem, options)
    }
}

fn run_with<A, B>(to_columns: &A, to_rows: &B, dem: &Dem, options: &Options) -> Fallible<()>
where
    A: Redistribution<2, Element = f64> + Sync,
    B: Redistribution<2, Element = f64> + Sync,
{
    report::plans(to_columns, to_rows);
    let creep = Creep::new(dem, options.steps);
    let outcome = watched("diffusing on 4 ranks", creep.steps, |step| {
        distributed::diffuse(to_columns, to_rows, &dem.elevation, &creep, step)
    })?;
    report::creep(&creep, &dem.elevation, &outcome.elevation);

    let (alone, on_one_rank) = timed(|| {
        Ok(watched("the same on one rank", creep.steps, |step| single::diffuse(&dem.elevation, &creep, step)))
    })?;
    check(&outcome, &alone)?;
    report::movement(&outcome, on_one_rank);

    let worn = Dem { elevation: outcome.elevation, ..*dem };
    report::pictures(&picture::write_all(dem, &worn, &to_columns.plan(), &options.out)?);
    Ok(())
}

/// Every elevation must be the same, to the last bit, as without any distribution.
///
/// A sweep treats each line by itself, with the same operations in the same order wherever the line is kept, and a
/// redistribution only copies. Nothing is summed across ranks, so there is no rounding that could differ.
fn check(outcome: &Outcome, alone: &[f64]) -> Fallible<()> {
    let differs = |(ours, theirs): (&f64, &f64)| ours.to_bits() != theirs.to_bits();
    let different = outcome.elevation.iter().zip(alone).filter(|&pair| differs(pair)).count();
    if different > 0 || outcome.elevation.len() != alone.len() {
        return Err(format!("{different} of {} elevations differ from those of one rank", alone.len()).into());
    }
    Ok(())
}

/// Runs `work` under a progress bar, which `work` is given a means to advance.
fn watched<R>(what: &'static str, steps: u64, work: impl FnOnce(&(dyn Fn() + Sync)) -> R) -> R {
    let style = ProgressStyle::with_template("{msg:22} {wide_bar} {pos}/{len} steps {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(steps).with_style(style).with_message(what);
    let result = work(&|| bar.inc(1));
    bar.finish_and_clear();
    result
}

fn timed<R>(work: impl FnOnce() -> Fallible<R>) -> Fallible<(R, Duration)> {
    let start = Instant::now();
    work().map(|result| (result, start.elapsed()))
}
