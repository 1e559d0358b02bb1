//! Right programs, drawn: every one must end, with right values, within bounds of memory and time.
//! So must every order of ends.
//!
//! `REDIST_RIGHT=17,99` plays the programs of these numbers, and `REDIST_ENDS` orders of ends.
//! Otherwise as many are drawn as are this run's share: `.ci/mpi` plays the suite over two
//! libraries, on one node, two and three.

mod draw;
mod ends;
mod limits;
mod moves;
mod numbers;
mod play;
mod program;
mod reported;

use std::process::ExitCode;

fn main() -> ExitCode {
    redist_mpi_tests::main_in_lists(&[moves::cases(), ends::cases()].concat())
}
