//! `redist` against `p?gemr2d` and `p?trmr2d` of three types, bit for bit. Each trial is one MPI
//! job of many cases.

mod case;
mod compare;
mod draw;
mod literal;
mod pattern;
mod random;
mod testers;

use draw::Draw;
use redist_mpi_tests::Case as Trial;
use std::process::ExitCode;

/// The testers' cases fit on four ranks; on more, some ranks are outside of both grids.
const TESTERS: Trial = Trial::new("testers", &[4, 6], |world| {
    let mut draw = Draw::new(world.size() as u64);
    let cases = draw.some(20, testers::cases());
    compare::all(world, &cases, &mut draw)
})
.limit(600);

const RANDOM: Trial = Trial::new("random", &[4, 1, 2, 3, 5, 6, 9], |world| {
    let mut draw = Draw::new(100 + world.size() as u64);
    let cases = random::cases(world, &mut draw);
    compare::all(world, &cases, &mut draw)
})
.limit(600);

fn main() -> ExitCode {
    let mut draw = Draw::new(0);
    let (mut testers, mut random) = (TESTERS, RANDOM);
    testers.ranks = draw.ranks(0, 1, testers.ranks);
    random.ranks = draw.ranks(1, 2, random.ranks);
    redist_mpi_tests::main(vec![testers, random])
}
