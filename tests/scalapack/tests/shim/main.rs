//! The library that replaces ScaLAPACK's redistribution routines, against ScaLAPACK in one process:
//! the same bits in all local arrays, padding included.
//!
//! `cargo build --package redist-scalapack-door` builds it, in this profile;
//! `REDIST_SCALAPACK_LIBRARY` is another path.

#[allow(dead_code, reason = "that is for the other comparison")]
#[path = "../gemr2d/case.rs"]
mod case;
mod compare;
#[path = "../gemr2d/draw.rs"]
mod draw;
mod edges;
mod faults;
mod grid;
mod kept;
#[allow(dead_code, reason = "that is for the other comparison")]
#[path = "../gemr2d/random.rs"]
mod random;
mod routines;
mod soak;
#[path = "../gemr2d/testers.rs"]
mod testers;

use draw::Draw;
use redist_mpi_tests::Case;
use std::process::ExitCode;

const CASES: [Case; 8] = [
    Case::new("testers", &[4], compare::testers).limit(600),
    Case::new("random", &[4, 1, 2, 3, 6], compare::random).limit(600),
    Case::new("nothing_moves", &[3], edges::nothing_moves),
    Case::new("one_allocation", &[4, 1, 2], edges::one_allocation),
    Case::new("past_2_31_elements", &[2], edges::past_2_31_elements),
    Case::new("found_again", &[4, 2], kept::found_again),
    Case::new("contexts_come_and_go", &[4], soak::contexts_come_and_go).limit(300),
    Case::new("flat", &[4, 2], soak::flat).limit(600),
];

/// Each ends its job. A draw plays the first, and some of the rest.
const FAULTS: [Case; 12] = [
    Case::new("no_context", &[2], faults::no_context)
        .fails(&["pdgemr2d: ICTXT = -1: this process is in no such", "launcher: exit status: 1 "]),
    Case::new("scalapack_ends", &[2], faults::scalapack_submatrix)
        .fails(&["Bad submatrix", "launcher: exit status: 1 "]),
    Case::new("submatrix", &[2], faults::submatrix).fails(&[
        "pdgemr2d: IA = 6, M = 4: rows 6 to 9 are not in 1 to M_A = 8",
        "launcher: exit status: 1 ",
    ]),
    Case::new("source", &[2], faults::source)
        .fails(&["Cpdgemr2d: RSRC_B = 2: the grid has 1 process row", "launcher: exit status: 1 "]),
    Case::new("leading_dimension", &[2], faults::leading_dimension)
        .fails(&["pdgemr2d: LLD_B = 3: process 1 has 8 rows", "launcher: exit status: 1 "]),
    Case::new("nowhere", &[2], faults::nowhere)
        .fails(&["pdtrmr2d: CTXT_A is no context of a grid", "launcher: exit status: 1 "]),
    Case::new("invalid_context", &[2], faults::invalid_context)
        .fails(&["Cpdgemr2d: ICTXT = 99: this process is in", "launcher: exit status: 1 "]),
    Case::new("differs", &[2], faults::differs)
        .fails(&["NB_A = 2 on one process, 3 on another", "launcher: exit status: 1 "]),
    Case::new("outside_alone", &[2], faults::outside_alone).fails(&[
        "pdgemr2d: CTXT_A = -1 on process 1 of ICTXT, which is in the grid of CTXT_A",
        "launcher: exit status: 1 ",
    ]),
    Case::new("wide_integers", &[2], faults::wide_integers)
        .fails(&["a program whose INTEGER has 8 bytes (ILP64, -i8)", "launcher: exit status: 1 "]),
    Case::new("two_threads", &[2], faults::two_threads)
        .fails(&["MPI was initialised for its main thread alone", "launcher: exit status: 1 "]),
    Case::new("backtrace", &[2], faults::backtrace).fails(&["pdgemr2d: IA = 6", "signal 6"]),
];

fn main() -> ExitCode {
    let mut draw = Draw::new(0);
    let mut cases = CASES.to_vec();
    for case in &mut cases {
        let first = usize::from(case.name == "random");
        case.ranks = draw.ranks(first, 1, case.ranks);
    }
    let [always, others @ ..] = FAULTS;
    cases.push(always);
    cases.extend(draw.some(2, others));
    redist_mpi_tests::main(cases)
}
