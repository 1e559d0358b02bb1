//! Grids of BLACS, by its C interface.

use std::ffi::c_int;

// In ScaLAPACK's library, which these link this program with.
unsafe extern "C" {
    fn Cblacs_get(context: c_int, what: c_int, value: *mut c_int);
    fn Cblacs_gridmap(context: *mut c_int, ranks: *const c_int, leading: c_int, p: c_int, q: c_int);
    fn Cblacs_gridexit(context: c_int);
}

#[derive(Debug)]
pub struct Grid {
    /// -1 outside.
    pub context: c_int,
    pub shape: [usize; 2],
    /// (MYROW, MYCOL).
    pub at: Option<[usize; 2]>,
}

impl Grid {
    /// Makes a grid of these ranks of the world, row by row. Collective over the world.
    pub fn new(rank: usize, [p, q]: [usize; 2], ranks: &[usize]) -> Self {
        assert_eq!(ranks.len(), p * q);
        let by_columns: Vec<c_int> =
            (0..q).flat_map(|j| (0..p).map(move |i| ranks[i * q + j] as c_int)).collect();
        let mut context = 0;
        // SAFETY: the numbers are live, and the list has P Q ranks, column by column.
        unsafe {
            Cblacs_get(-1, 0, &mut context);
            Cblacs_gridmap(&mut context, by_columns.as_ptr(), p as c_int, p as c_int, q as c_int);
        }
        let place = ranks.iter().position(|&other| other == rank);
        assert_eq!(place.is_some(), context >= 0, "BLACS has this process elsewhere");
        Self { context, shape: [p, q], at: place.map(|place| [place / q, place % q]) }
    }

    pub fn row(rank: usize, size: usize) -> Self {
        Self::new(rank, [1, size], &(0..size).collect::<Vec<_>>())
    }
}

impl Drop for Grid {
    fn drop(&mut self) {
        if self.context >= 0 {
            // SAFETY: the context was made by `new` and is not used again.
            unsafe { Cblacs_gridexit(self.context) };
        }
    }
}
