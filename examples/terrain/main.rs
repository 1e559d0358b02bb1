//! Hillslopes worn down by soil creep: alternating directions (ADI) on a real elevation model.
//!
//! ```text
//! cargo run --release -p redist-examples --example terrain -- [FILE.png] [--refine N] [--steps N] [--ranks N] [--out DIR]
//! ```
//!
//! ADI solves along whole rows, whole columns, and rows again: the array is redistributed twice a
//! step, for which the papers on block-cyclic redistribution were written.

mod distributed;
mod options;
mod ownership;
mod pictures;
mod report;

use distributed::Outcome;
use landscape::{Creep, Dem, Fallible, single};
use options::Options;
use redist::{Redistribution, TypedPlan, redistribute};
use std::process::ExitCode;
use std::time::Instant;

redistribute! {
    /// Whole rows on each rank, to whole columns.
    pub struct RowsToColumns<const RANKS: usize>: [f64; 1376, 1612] {
        from: (block, *) onto RANKS,
        to: (*, block) onto RANKS storage fortran,
    }
    /// And back.
    pub struct ColumnsToRows<const RANKS: usize>: [f64; 1376, 1612] {
        from: (*, block) onto RANKS storage fortran,
        to: (block, *) onto RANKS,
    }
}

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
    let coarse = Dem::read(&options.file, options.spacing)?;
    let dem = coarse.refined(options.refine);
    report::input(options, &coarse, &dem);
    // The usual extents and ranks were planned when this was compiled; others are planned here, and
    // everything after is the same.
    match (dem.extents, options.ranks) {
        ([1376, 1612], 2) => {
            run_with(&RowsToColumns::<2>::new(), &ColumnsToRows::<2>::new(), &dem, options)
        }
        ([1376, 1612], 4) => {
            run_with(&RowsToColumns::<4>::new(), &ColumnsToRows::<4>::new(), &dem, options)
        }
        (extents, ranks) => {
            let (rows, columns) = (
                format!("(block, *) onto {ranks}"),
                format!("(*, block) onto {ranks} storage fortran"),
            );
            let to_columns = TypedPlan::<f64, 2>::parse(extents, &rows, &columns)?;
            let to_rows = TypedPlan::<f64, 2>::parse(extents, &columns, &rows)?;
            run_with(&to_columns, &to_rows, &dem, options)
        }
    }
}

fn run_with<A, B>(to_columns: &A, to_rows: &B, dem: &Dem, options: &Options) -> Fallible<()>
where
    A: Redistribution<2, Element = f64> + Sync,
    B: Redistribution<2, Element = f64> + Sync,
{
    report::plans(to_columns);
    let creep = Creep::new(dem, options.steps);
    let outcome = distributed::diffuse(to_columns, to_rows, &dem.elevation, &creep)?;
    report::creep(&creep, &dem.elevation, &outcome.elevation);

    let start = Instant::now();
    let alone = single::diffuse(&dem.elevation, &creep);
    report::times(options, &outcome, start.elapsed());
    check(&outcome, &alone)?;
    report::checked(&outcome);

    let worn = Dem { elevation: outcome.elevation, ..*dem };
    report::pictures(&pictures::write(dem, &worn, &to_columns.plan(), &options.out)?);
    Ok(())
}

/// Checks that every elevation is the same, to the last bit, as without any distribution. A sweep
/// treats each line separately, in the same order on any rank; a redistribution only copies.
fn check(outcome: &Outcome, alone: &[f64]) -> Fallible<()> {
    let differs = |(ours, theirs): (&f64, &f64)| ours.to_bits() != theirs.to_bits();
    let different = outcome.elevation.iter().zip(alone).filter(|&pair| differs(pair)).count();
    if different > 0 || outcome.elevation.len() != alone.len() {
        return Err(format!(
            "{different} of {} elevations differ from those of one rank",
            alone.len()
        )
        .into());
    }
    Ok(())
}
