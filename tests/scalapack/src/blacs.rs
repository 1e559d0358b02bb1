//! BLACS grids.

use crate::ffi;
use redist::layout::RankOrder;
use redist::mpi::AsCommunicator;
use std::ffi::c_int;

/// A BLACS context: a P × Q grid of the first P Q ranks of MPI_COMM_WORLD, on any rank.
#[derive(Debug)]
pub struct Grid {
    /// -1 on ranks outside the grid.
    context: c_int,
    shape: [c_int; 2],
    /// (MYROW, MYCOL), on ranks inside the grid.
    coordinates: Option<[c_int; 2]>,
}

impl Grid {
    /// Makes a grid. Collective over MPI_COMM_WORLD, an argument because MPI must be initialised.
    ///
    /// # Panics
    /// MPI is not there, or has fewer ranks.
    pub fn new(world: &impl AsCommunicator, [p, q]: [usize; 2], order: RankOrder) -> Self {
        let ranks = world.borrowed().expect("MPI is initialised").size();
        assert!(p * q <= ranks, "a grid of {p} x {q} on {ranks} ranks");
        let shape = [integer(p), integer(q)];
        let (mut context, mut found, mut at) = (0, [-1; 2], [-1; 2]);
        let [nprow, npcol] = &mut found;
        let [myrow, mycol] = &mut at;
        let order = if order == RankOrder::Col { c"Col" } else { c"Row" };
        // SAFETY: MPI is initialised. All pointers are to distinct live integers, and the order is
        // a C string.
        unsafe {
            ffi::Cblacs_get(-1, 0, &mut context);
            ffi::Cblacs_gridinit(&mut context, order.as_ptr(), shape[0], shape[1]);
            ffi::Cblacs_gridinfo(context, nprow, npcol, myrow, mycol);
        }
        assert!(
            context < 0 || found == shape,
            "BLACS made a grid of {found:?} ranks for {shape:?}"
        );
        Self { context, shape, coordinates: (context >= 0 && at[0] >= 0).then_some(at) }
    }

    pub(crate) fn context(&self) -> c_int {
        self.context
    }

    pub(crate) fn coordinates(&self) -> Option<[c_int; 2]> {
        self.coordinates
    }

    pub(crate) fn shape(&self) -> [c_int; 2] {
        self.shape
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        if self.context >= 0 {
            // SAFETY: the context was made by `new` and is not used again.
            unsafe { ffi::Cblacs_gridexit(self.context) };
        }
    }
}

/// Converts to an integer of ScaLAPACK, which counts in 32 bits.
pub(crate) fn integer(value: usize) -> c_int {
    value.try_into().unwrap_or_else(|_| panic!("{value} is too large for ScaLAPACK"))
}
