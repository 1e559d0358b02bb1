//! Wrong parameters end the program with words.

use crate::edges::rows_to_columns;
use crate::grid::Grid;
use crate::routines::{Call, scalapack, shim};
use libloading::Library;
use redist::mpi::Communicator;
use redist_mpi_tests::Outcome;

fn spoilt(
    world: &Communicator,
    library: &Library,
    spoil: impl FnOnce(&mut Call, usize),
) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let row = Grid::row(rank, size);
    let column = Grid::new(rank, [size, 1], &(0..size).collect::<Vec<_>>());
    let (a, mut b) = (vec![0.0_f64; 8 * 8], vec![0.0_f64; 8 * 8]);
    let mut call = rows_to_columns([&column, &row, &row], [8, 8], [8, 8]);
    spoil(&mut call, rank);
    // SAFETY: the arrays have 8 by 8 elements each, and nothing moves.
    unsafe { call.run(library, a.as_ptr().cast(), b.as_mut_ptr().cast()) };
    // The harness expects the job to have failed.
    Ok(())
}

fn outside(call: &mut Call) {
    call.extents = [4, 8];
    call.first[0] = [6, 1];
}

pub fn scalapack_submatrix(world: &Communicator) -> Outcome {
    spoilt(world, scalapack(), |call, _| outside(call))
}

pub fn submatrix(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| outside(call))
}

pub fn source(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| {
        call.from_c = true;
        call.desc[1][6] = 2;
    })
}

pub fn leading_dimension(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, rank| {
        if rank == 1 {
            call.desc[1][8] = 3;
        }
    })
}

pub fn nowhere(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| {
        call.part = Some(*b"UN");
        call.desc[0][1] = -1;
    })
}

pub fn no_context(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| call.context = -1)
}

pub fn invalid_context(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| {
        call.from_c = true;
        call.context = 99;
    })
}

pub fn differs(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, rank| call.desc[0][5] = 2 + rank as i32)
}

/// A process of A's grid says that it is in none.
pub fn outside_alone(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, rank| {
        if rank == 1 {
            call.desc[0][1] = -1;
        }
    })
}

/// Descriptors of eight bytes a number, as a program compiled with `-i8` passes them.
pub fn wide_integers(world: &Communicator) -> Outcome {
    spoilt(world, shim(), |call, _| {
        for desc in &mut call.desc {
            let halves = desc.map(|number| [number, number >> 31]).into_iter().flatten();
            *desc = halves.take(9).collect::<Vec<_>>().try_into().expect("nine halves");
        }
    })
}

/// A call that moves, and the same from another thread.
pub fn two_threads(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let row = Grid::row(rank, size);
    let column = Grid::new(rank, [size, 1], &(0..size).collect::<Vec<_>>());
    let call = rows_to_columns([&column, &row, &row], [8, 8], [8, 8]);
    let moves = || {
        let (a, mut b) = (vec![0.0_f64; 8 * 8], vec![0.0_f64; 8 * 8]);
        // SAFETY: the arrays have 8 by 8 elements each.
        unsafe { call.run(shim(), a.as_ptr().cast(), b.as_mut_ptr().cast()) };
    };
    moves();
    std::thread::scope(|scope| scope.spawn(moves).join()).expect("the call ends the program");
    Ok(())
}

pub fn backtrace(world: &Communicator) -> Outcome {
    // SAFETY: no other thread reads the environment now.
    unsafe { std::env::set_var("REDIST_SCALAPACK_ABORT", "1") };
    spoilt(world, shim(), |call, _| outside(call))
}
