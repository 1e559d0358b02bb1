//! Kept plans: their number, and a repeated call's messages. A program's own functions come before
//! MPI's: the library's reductions come through here.

use crate::edges::rows_to_columns;
use crate::grid::Grid;
use crate::routines::shim;
use mpi::ffi::{MPI_Comm, MPI_Datatype, MPI_Op};
use redist::mpi::Communicator;
use redist_mpi_tests::Outcome;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::mem::take;

/// As the library's `plans::MOST`.
const MOST: usize = 32;

unsafe extern "C" {
    // MPI's other name of `MPI_Allreduce`, for code in between.
    fn PMPI_Allreduce(
        from: *const c_void,
        to: *mut c_void,
        count: c_int,
        datatype: MPI_Datatype,
        op: MPI_Op,
        communicator: MPI_Comm,
    ) -> c_int;
}

thread_local! {
    /// The numbers in each reduction since the last look.
    static REDUCED: RefCell<Vec<c_int>> = const { RefCell::new(Vec::new()) };
}

/// # Safety
/// As MPI's.
#[unsafe(no_mangle)]
unsafe extern "C" fn MPI_Allreduce(
    from: *const c_void,
    to: *mut c_void,
    count: c_int,
    datatype: MPI_Datatype,
    op: MPI_Op,
    communicator: MPI_Comm,
) -> c_int {
    REDUCED.with_borrow_mut(|counts| counts.push(count));
    // SAFETY: the caller promises MPI's arguments, which are passed on.
    unsafe { PMPI_Allreduce(from, to, count, datatype, op, communicator) }
}

/// Returns `true` if a call with these columns found its plan, and reduced three numbers only: bits
/// of plans, and the number of plans made with its complement.
fn is_found(grids: [&Grid; 3], columns: usize) -> bool {
    let size = grids[0].shape.iter().product::<usize>();
    let (a, mut b) = (vec![columns as f64; 8 * columns], vec![0.0_f64; 8 * columns]);
    let call = rows_to_columns(grids, [8, columns], [8, 8]);
    REDUCED.take();
    // SAFETY: the arrays have 8 rows for all columns, and no process has more.
    unsafe { call.run(shim(), a.as_ptr().cast(), b.as_mut_ptr().cast()) };
    let rank = grids[1].at.expect("all are in it")[1];
    let mine = (rank..columns).step_by(size).count();
    let written = b.iter().filter(|value| **value == columns as f64).count();
    assert_eq!(written, 8 * mine, "what was moved");
    let counts = REDUCED.with_borrow_mut(take);
    assert_eq!(counts.first(), Some(&3), "all calls ask for a plan: {counts:?}");
    // Otherwise descriptors follow: M, N, ten numbers of a matrix and its ranks, least and most.
    // Two numbers of each matrix and a number for each rank follow, of which the least counts.
    let descriptors = 2 * (2 + 2 * (10 + size)) + 2 * (2 + size);
    let exchanged = counts.contains(&(descriptors as c_int));
    assert_eq!(exchanged, counts.len() > 1, "{counts:?}");
    !exchanged
}

/// A repeated call sends no descriptor. With one set of descriptors more than places, in turns,
/// each is dropped before its next call.
pub fn found_again(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let column = Grid::new(rank, [size, 1], &(0..size).collect::<Vec<_>>());
    // Plans outlive contexts, so that each part has columns of its own.
    for (first, kinds, is_kept) in [(1, 1, true), (51, MOST, true), (101, MOST + 1, false)] {
        let row = Grid::row(rank, size);
        let grids = [&column, &row, &row];
        for round in 0..4 {
            for columns in first..first + kinds {
                let found = is_found(grids, columns);
                assert_eq!(found, is_kept && round > 0, "{columns} of {kinds}, round {round}");
            }
        }
    }
    Ok(())
}
