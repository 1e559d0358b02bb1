//! Launches of both programs.

use landscape::Fallible;
use redist::Side;
use redist::mpi::{Communicator, Coupling, Programs, abort_on_panic, initialize};
use std::process::ExitCode;

/// Text for wrong launches.
const USAGE: &str = "launch two programs: mpirun -n 3 target/release/examples/producer : -n 4 target/release/examples/consumer";

pub type Part = fn(&Communicator, &Coupling) -> Fallible<()>;

/// Plays a part. A rank that fails ends both programs, because other ranks would wait for it.
pub fn play(role: Side, part: Part) -> ExitCode {
    abort_on_panic();
    let Ok((world, _mpi)) = initialize()
        .and_then(|mpi| Ok((mpi.world()?, mpi)))
        .inspect_err(|error| eprintln!("error: {error}"))
    else {
        return ExitCode::FAILURE;
    };
    if let Err(error) = couple(&world, role, part) {
        eprintln!("error on the {role}'s side: {error}");
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn couple(world: &Communicator, role: Side, part: Part) -> Fallible<()> {
    let programs = Programs::of(world)?;
    if programs.count() != 2 {
        return Err(USAGE.into());
    }
    let own = world.split(programs.program(), world.rank())?;
    let coupling = programs.couple(role, 1 - programs.program())?;
    part(&own, &coupling)
}
