//! A Fourier transform along both axes of an array, with a corner turn between the two.
//!
//! ```text
//! cargo run --release -p redist-examples --features fft --example fft -- [RANKS]
//! cargo build --release -p redist-examples --features mpi,fft --example fft
//! mpirun -n 3 target/release/examples/fft
//! ```
//!
//! Each rank transforms its rows, then its columns; the array is turned between the two, and back
//! at the end. Both layouts are fixed at compile time: the turns have code of their own in the
//! binary. The program fails if that does not run.

mod clock;
mod part;
#[cfg(feature = "mpi")]
mod processes;
mod report;
mod serial;
mod task;
#[cfg(test)]
mod tests;
#[cfg(not(feature = "mpi"))]
mod threads;

use landscape::Fallible;
#[cfg(feature = "mpi")]
use processes::Ranks;
use redist::exec::Route;
use redist::{Redistribution, redistribute};
use rustfft::num_complex::Complex32;
use std::process::ExitCode;
use task::{Outcome, Task};
#[cfg(not(feature = "mpi"))]
use threads::Ranks;

const ROWS: usize = 1000;
const COLUMNS: usize = 1500;

redistribute! {
    /// Whole rows on each rank, to whole columns. These are dealt in threes: every rank has low and
    /// high frequencies. Three numbers are 24 bytes; runs of 32 or more would need no code of their
    /// own.
    pub struct CornerTurn<const RANKS: usize>: [Complex32; ROWS, COLUMNS] {
        from: (cyclic(8), *) onto RANKS,
        to: (*, cyclic(3)) onto RANKS,
    }
    /// All rows to rank 0, where they are checked.
    pub struct Gather<const RANKS: usize>: [Complex32; ROWS, COLUMNS] {
        from: (cyclic(8), *) onto RANKS,
        to: (*, *),
    }
}

/// Timed transforms; one more comes before them.
const TIMES: usize = 20;

/// Largest error, as a part of the largest coefficient. Single precision has about 1e-6, a
/// misplaced element at least 1e-3.
const TOLERANCE: f64 = 1e-5;

fn main() -> ExitCode {
    match Ranks::new() {
        Ok(ranks) => match run(&ranks) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => ranks.fail(error.as_ref()),
        },
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(ranks: &Ranks) -> Fallible<()> {
    match ranks.count() {
        2 => run_with(ranks, &CornerTurn::<2>::new(), &Gather::<2>::new()),
        3 => run_with(ranks, &CornerTurn::<3>::new(), &Gather::<3>::new()),
        4 => run_with(ranks, &CornerTurn::<4>::new(), &Gather::<4>::new()),
        other => Err(format!("it was compiled for 2, 3 and 4 ranks, found {other}").into()),
    }
}

fn run_with<T, G>(ranks: &Ranks, turn: &T, gather: &G) -> Fallible<()>
where
    T: Redistribution<2, Element = Complex32> + Sync,
    G: Redistribution<2, Element = Complex32> + Sync,
{
    let task = Task { turn, gather, route: Route::Automatic, times: TIMES };
    let outcomes = ranks.play(&task)?;
    for outcome in &outcomes {
        if outcome.rank == 0 {
            report::task(turn);
        }
        report::kernels(outcome);
        outcome.check_kernels()?;
    }
    match outcomes.iter().find(|outcome| outcome.rank == 0) {
        Some(first) => check(first),
        None => Ok(()),
    }
}

fn check(first: &Outcome) -> Fallible<()> {
    report::times(&first.clock);
    let expected = serial::transformed([ROWS, COLUMNS]);
    let error = serial::largest_error(&first.spectrum, &expected)?;
    report::error(error);
    if error < TOLERANCE { Ok(()) } else { Err(format!("{TOLERANCE:.0e} is allowed").into()) }
}
