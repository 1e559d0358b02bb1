//! Two programs that hold half of an elevation model's rows each, and two that want half of its
//! columns: four programs of one launch, coupled in pairs.
//!
//! ```text
//! cargo build --release -p redist-examples --features mpi --example halves
//! mpirun -n 2 target/release/examples/halves : -n 1 target/release/examples/halves : \
//!     -n 3 target/release/examples/halves : -n 2 target/release/examples/halves
//! ```
//!
//! One binary is any of them, by the number of its program in the launch. Each allocates its own
//! half alone, and learns from every other program their common part.

use landscape::{Dem, Fallible, Spacing};
use redist::exec::ArrayPart;
use redist::layout::Descriptor;
use redist::mpi::{Communicator, Coupling, Programs, abort_on_panic, initialize};
use redist::{Bound, Layout, Redistribution, RuntimePlan, Side};
use std::process::ExitCode;

const USAGE: &str =
    "launch four programs: mpirun -n 2 halves : -n 1 halves : -n 3 halves : -n 2 halves";

fn main() -> ExitCode {
    abort_on_panic();
    let Ok((world, _mpi)) = initialize()
        .and_then(|mpi| Ok((mpi.world()?, mpi)))
        .inspect_err(|error| eprintln!("error: {error}"))
    else {
        return ExitCode::FAILURE;
    };
    if let Err(error) = play(&world) {
        eprintln!("error: {error}");
        world.abort(1);
    }
    ExitCode::SUCCESS
}

fn play(world: &Communicator) -> Fallible<()> {
    let dem = Dem::read(&Dem::shipped(), Spacing::SHIPPED)?;
    let programs = Programs::of(world)?;
    if programs.count() != 4 {
        return Err(USAGE.into());
    }
    let part = part_of(programs.program(), dem.extents);
    let is_producer = programs.program() < 2;
    let (role, dealt) = if is_producer {
        (Side::Source, "(block, *)")
    } else {
        (Side::Destination, "(*, cyclic(16))")
    };
    // Every producer with every consumer, in an order in which none waits for ever.
    let others = if is_producer { 2..4 } else { 0..2 };
    let (mut local, mut received) = (Vec::new(), 0);
    for other in others {
        let coupling = programs.couple(role, other)?;
        let own: Layout<2> =
            format!("{dealt} onto {} ranks {}..", programs.size(), coupling.first_rank())
                .parse()?;
        let array = Descriptor::new(part.extents, own)?;
        local.resize(array.local(coupling.rank()).len(), f64::NAN);
        if is_producer {
            fill(&mut local, &array, coupling.rank(), |index| elevation(&dem, part, index));
        }
        received += meet(&coupling, own, part, &mut local)?;
        if other % 2 == 1 && !is_producer {
            check(&local, &array, coupling.rank(), |index| elevation(&dem, part, index))?;
            println!(
                "program {}, rank {}: {received} elevations are where they should be",
                programs.program(),
                programs.rank()
            );
        }
    }
    Ok(())
}

fn part_of(program: usize, [rows, columns]: [usize; 2]) -> ArrayPart<2> {
    let (row, column) = (rows / 2, columns / 2);
    match program {
        0 => ArrayPart { at: [0, 0], extents: [row, columns] },
        1 => ArrayPart { at: [row, 0], extents: [rows - row, columns] },
        2 => ArrayPart { at: [0, 0], extents: [rows, column] },
        _ => ArrayPart { at: [0, column], extents: [rows, columns - column] },
    }
}

/// Moves both programs' common part; returns this rank's number of received elements.
fn meet(
    coupling: &Coupling,
    own: Layout<2>,
    part: ArrayPart<2>,
    local: &mut [f64],
) -> Fallible<usize> {
    let Some(common) = coupling.handshake_of_parts(own, part)? else { return Ok(0) };
    let plan = RuntimePlan::<f64, 2>::new(common.part.extents, common.from, common.to)?;
    let mut bound: Bound<f64, 2> = plan.bind(coupling)?;
    match coupling.role() {
        Side::Source => bound.run(local, &mut [][..])?,
        Side::Destination => bound.run(&[][..], local)?,
    }
    Ok(bound.incoming().iter().map(|message| message.len).sum())
}

fn elevation(dem: &Dem, part: ArrayPart<2>, [row, column]: [usize; 2]) -> f64 {
    dem.elevation[(part.at[0] + row) * dem.extents[1] + part.at[1] + column]
}

fn fill(local: &mut [f64], array: &Descriptor<2>, rank: usize, value: impl Fn([usize; 2]) -> f64) {
    for (index, place) in places(array, rank) {
        local[place] = value(index);
    }
}

fn check(
    local: &[f64],
    array: &Descriptor<2>,
    rank: usize,
    value: impl Fn([usize; 2]) -> f64,
) -> Fallible<()> {
    match places(array, rank).find(|&(index, place)| local[place] != value(index)) {
        Some((index, place)) => Err(format!("{index:?} is {}", local[place]).into()),
        None => Ok(()),
    }
}

/// Lists a rank's elements: their index in the part, and their place in the rank's array.
fn places(array: &Descriptor<2>, rank: usize) -> impl Iterator<Item = ([usize; 2], usize)> {
    array.local(rank).global_indices().enumerate().map(|(place, index)| (index, place))
}
