//! `redist` over real MPI ranks, and the harness against ranks that go wrong.

mod abort;
mod ahead;
mod allocations;
mod apart;
mod arrays;
mod batch;
mod between;
mod chosen;
mod communicators;
mod contexts;
mod explained;
mod faults;
mod harness;
mod in_place;
mod indices;
mod injected;
mod large;
mod laws;
mod lives;
mod maps;
mod matrix;
mod packed;
mod preflight;
mod random;
mod repeated;
mod rounds;
mod routes;
mod shared;
mod soak;
mod started;
mod steps;
mod strides;
mod transforms;
mod turns;
mod unwinding;
mod users;
mod written;

use std::process::ExitCode;

/// The usual numbers of ranks; MPICH stops at four, and more than four have a job of their own.
const EVERY: &[usize] = &[1, 2, 3, 4, 6, 9, 12];

const FROM_THREE: &[usize] = &[3, 4, 6, 9, 12];

fn main() -> ExitCode {
    let cases = [
        harness::CASES,
        random::CASES,
        repeated::CASES,
        allocations::CASES,
        chosen::CASES,
        rounds::CASES,
        routes::CASES,
        shared::CASES,
        between::CASES,
        communicators::CASES,
        contexts::CASES,
        explained::CASES,
        users::CASES,
        written::CASES,
        packed::CASES,
        preflight::CASES,
        started::CASES,
        steps::CASES,
        strides::CASES,
        large::CASES,
        laws::CASES,
        lives::CASES,
        maps::CASES,
        in_place::CASES,
        indices::CASES,
        batch::CASES,
        transforms::CASES,
        turns::CASES,
        unwinding::CASES,
        soak::CASES,
        abort::CASES,
        ahead::CASES,
        apart::CASES,
    ];
    redist_mpi_tests::main_in_lists(&[cases.concat(), faults::cases(), matrix::cases()].concat())
}
