//! Many calls: memory and communicators do not grow.

use crate::draw::Draw;
use crate::edges::rows_to_columns;
use crate::grid::Grid;
use crate::routines::shim;
use redist::mpi::Communicator;
use redist_mpi_tests::Outcome;
use std::{env, fs};

/// Calls in a row, for a draw and for all cases, unless `REDIST_SCALAPACK_CALLS` is set.
const CALLS: [usize; 2] = [20_000, 100_000];

/// Growth of a process after the first tenth of the calls.
const GROWTH_BYTES: u64 = 1 << 20;

fn calls() -> usize {
    let [few, many] = CALLS;
    let said = env::var("REDIST_SCALAPACK_CALLS").ok().and_then(|text| text.parse().ok());
    said.unwrap_or_else(|| Draw::new(0).count(few, many))
}

fn resident() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages = text.split_whitespace().nth(1).expect("the second number");
    4096 * pages.parse::<u64>().expect("a number")
}

/// Open MPI takes the least free number in Fortran.
fn next_number(world: &Communicator) -> i32 {
    world.duplicate().expect("the library duplicates").as_fortran()
}

fn there_and_back(grids: [&Grid; 3], counted: usize) {
    let (a, mut b) = ([counted as f64; 16 * 16], [0.0_f64; 16 * 16]);
    let mut call = rows_to_columns(grids, [16, 16], [16, 16]);
    for _ in 0..2 {
        // SAFETY: the arrays have 16 rows for 16 columns, and no process has more.
        unsafe { call.run(shim(), a.as_ptr().cast(), b.as_mut_ptr().cast()) };
        call.desc.swap(0, 1);
    }
}

pub fn flat(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let row = Grid::row(rank, size);
    let column = Grid::new(rank, [size, 1], &(0..size).rev().collect::<Vec<_>>());
    let grids = [&column, &row, &row];
    let mut before = None;
    for counted in 0..calls() / 2 {
        if counted == calls() / 20 {
            before = Some((resident(), next_number(world)));
        }
        there_and_back(grids, counted);
    }
    did_not_grow(world, before.expect("after a tenth"))
}

pub fn contexts_come_and_go(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let rounds = calls() / 250;
    let mut before = None;
    for round in 0..rounds {
        if round == rounds / 4 {
            before = Some((resident(), next_number(world)));
        }
        let row = Grid::row(rank, size);
        let column = Grid::new(rank, [size, 1], &(0..size).rev().collect::<Vec<_>>());
        there_and_back([&column, &row, &row], round);
    }
    did_not_grow(world, before.expect("after a quarter"))
}

fn did_not_grow(world: &Communicator, (bytes, number): (u64, i32)) -> Outcome {
    let (bytes_now, number_now) = (resident(), next_number(world));
    println!("{bytes} bytes, then {bytes_now}; communicator {number}, then {number_now}");
    if number_now != number {
        return Err(format!("communicators: the next was {number}, is {number_now}").into());
    }
    if bytes_now > bytes + GROWTH_BYTES {
        return Err(format!("memory: {bytes} bytes, then {bytes_now}").into());
    }
    Ok(())
}
