//! `redist` over real MPI ranks, and the harness against ranks that go wrong.

mod harness;

use std::process::ExitCode;

/// The numbers of ranks that most tests run with; MPICH stops at four.
pub const EVERY: &[usize] = &[1, 2, 3, 4, 6, 9, 12];

fn main() -> ExitCode {
    redist_mpi_tests::main([harness::CASES].concat())
}
