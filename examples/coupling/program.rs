//! How either program begins and ends.

use landscape::Fallible;
use redist::Side;
use redist::mpi::rsmpi::{
    self, Threading, topology::Color, topology::SimpleCommunicator, traits::*,
};
use redist::mpi::{Coupling, Programs, abort_on_panic};
use std::process::ExitCode;

const USAGE: &str = "launch two programs: mpirun -n 3 target/release/examples/producer : -n 4 target/release/examples/consumer";

/// A program's part, on its own ranks and on those of both programs.
pub type Part = fn(&SimpleCommunicator, &Coupling) -> Fallible<()>;

/// Plays a part. A rank that fails ends both programs, as the others would wait for it.
pub fn play(role: Side, part: Part) -> ExitCode {
    abort_on_panic();
    let Some((universe, _)) = rsmpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI has been initialised before");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    if let Err(error) = couple(&world, role, part) {
        eprintln!("error on the {role}'s side: {error}");
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn couple(world: &SimpleCommunicator, role: Side, part: Part) -> Fallible<()> {
    let programs = Programs::of(world)?;
    if programs.count() != 2 {
        return Err(USAGE.into());
    }
    let own = world
        .split_by_color(Color::with_value(programs.program().try_into()?))
        .ok_or("no rank is left out")?;
    let coupling = programs.couple(role, 1 - programs.program())?;
    part(&own, &coupling)
}
