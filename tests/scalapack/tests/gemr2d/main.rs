//! `redist` against `pdgemr2d`, `psgemr2d`, `pigemr2d` and their twins for trapezoids: the same local
//! arrays afterwards, bit for bit, on every rank.
//!
//! Each trial is one MPI job, and compares many cases in it.

mod case;
mod compare;
mod literal;
mod pattern;
mod random;
mod testers;

use redist_mpi_tests::Case as Trial;
use std::process::ExitCode;

/// All of the testers' cases fit on four ranks; on more, some ranks are outside of both grids.
const TESTERS: Trial =
    Trial::new("testers", &[4, 6], |world| compare::all(world, &testers::cases())).limit(600);

/// Other cases for each number of ranks.
const RANDOM: Trial = Trial::new("random", &[1, 2, 3, 4, 5, 6, 9], |world| {
    compare::all(world, &random::cases(world))
})
.limit(600);

fn main() -> ExitCode {
    let (testers, random) = (testers::cases().len(), random::CASES_PER_JOB * RANDOM.ranks.len());
    let moves = compare::MOVES * (testers * TESTERS.ranks.len() + random);
    println!(
        "{testers} cases of ScaLAPACK's testers, each on {:?} ranks, and {random} random cases: {moves} moves to compare",
        TESTERS.ranks,
    );
    redist_mpi_tests::main(vec![TESTERS, RANDOM])
}
