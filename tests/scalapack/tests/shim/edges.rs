//! Edges of the routines: empty, shared and huge matrices.

use crate::grid::Grid;
use crate::random::Random;
use crate::routines::{Call, scalapack, shim};
use redist::mpi::Communicator;
use redist_mpi_tests::Outcome;
use std::ffi::c_int;
use std::ptr::{null, null_mut};

pub fn rows_to_columns(grids: [&Grid; 3], extents: [usize; 2], lld: [usize; 2]) -> Call {
    let [a, b, context] = grids;
    let [m, n] = extents.map(|extent| extent as c_int);
    let [lld_a, lld_b] = lld.map(|lld| lld as c_int);
    Call {
        letter: 'd',
        from_c: false,
        is_old: false,
        part: None,
        extents: [m, n],
        first: [[1, 1]; 2],
        desc: [[1, a.context, m, n, 1, n, 0, 0, lld_a], [1, b.context, m, n, m, 1, 0, 0, lld_b]],
        context: context.context,
    }
}

/// M = 0 or N = 0 returns before any check: not all processes have to call.
pub fn nothing_moves(world: &Communicator) -> Outcome {
    if world.rank() != 1 {
        return Ok(());
    }
    for extents in [[0, 5], [5, 0], [0, -1]] {
        for from_c in [false, true] {
            let junk = [[-9; 9]; 2];
            let call = Call {
                letter: 'z',
                from_c,
                is_old: false,
                part: None,
                extents,
                first: [[-1; 2]; 2],
                desc: junk,
                context: -5,
            };
            // SAFETY: the call reads nothing.
            unsafe {
                call.run(scalapack(), null(), null_mut());
                call.run(shim(), null(), null_mut());
            }
        }
    }
    Ok(())
}

/// A is the upper rows of an allocation, B the lower ones: their ranges interleave.
pub fn one_allocation(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let everyone = Grid::row(rank, size);
    let column = Grid::new(rank, [size, 1], &(0..size).rev().collect::<Vec<_>>());
    let (m, n) = (24, 24);
    // Rows of A: M / P; all rows of B; and as many columns of both as the larger has.
    let (rows, lld) = (m / size, m / size + m + 3);
    let call = rows_to_columns([&column, &everyone, &everyone], [m, n], [lld, lld]);
    let mut random = Random(rank as u64);
    let before: Vec<u64> = (0..lld * n).map(|_| random.bits()).collect();
    let (mut ours, mut theirs) = (before.clone(), before);
    for (library, memory) in [(scalapack(), &mut theirs), (shim(), &mut ours)] {
        let memory = memory.as_mut_ptr();
        // SAFETY: both local arrays have LLD rows, of which they use the first, or all but these.
        // They have at most N columns.
        unsafe { call.run(library, memory.cast(), memory.add(rows).cast()) };
    }
    if ours == theirs { Ok(()) } else { Err("the two differ".into()) }
}

/// Returns memory that costs nothing until it is written to.
fn sparse(len: usize) -> &'static mut [i32] {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: the mapping is new and stays. It is zeroed, as long as the slice, and aligned to
    // pages.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let first = libc::mmap(null_mut(), 4 * len, protection, flags, -1, 0);
        assert_ne!(first, libc::MAP_FAILED, "no room for {len} elements");
        std::slice::from_raw_parts_mut(first.cast(), len)
    }
}

/// Moves local arrays of three columns 2^31 - 1 elements apart, of which two pages are touched.
/// ScaLAPACK counts in 32 bits, and does not run it.
pub fn past_2_31_elements(world: &Communicator) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    let everyone = Grid::row(rank, size);
    let lld = c_int::MAX as usize;
    let n = 3 * size;
    let mut call = rows_to_columns([&everyone, &everyone, &everyone], [8, n], [lld, 8]);
    // Both deal columns, but A from the last process on.
    call.letter = 'i';
    call.desc[0] = [1, everyone.context, 8, n as c_int, 8, 1, 0, size as c_int - 1, lld as c_int];
    let a = sparse(3 * lld);
    let mut b = vec![0_i32; 8 * 3];
    let value = |row: usize, column: usize| (1000 * row + column + 1) as i32;
    let first = (rank + 1) % size;
    for (local, column) in (first..n).step_by(size).enumerate() {
        for row in 0..8 {
            a[local * lld + row] = value(row, column);
        }
    }
    // SAFETY: A has LLD rows and three columns, B eight rows and three columns.
    unsafe { call.run(shim(), a.as_ptr().cast(), b.as_mut_ptr().cast()) };
    for (local, column) in (rank..n).step_by(size).enumerate() {
        let found: Vec<i32> = b[local * 8..][..8].to_vec();
        let expected: Vec<i32> = (0..8).map(|row| value(row, column)).collect();
        assert_eq!(found, expected, "column {column}");
    }
    Ok(())
}
