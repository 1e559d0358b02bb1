//! Parameters that decide a plan, as far as one process knows them.

use crate::blacs::{self, Place};
use crate::call::{Call, Desc, Section};
use crate::fault::Fault;
use crate::grid::{self, Ranks};
use redist::layout::BlockCyclic;
use redist::plan::{Diag, Uplo};
use redist_mpi::Communicator;

/// This process's arguments that matter to a plan; of a matrix, only inside of its grid. Some
/// process knows each: a plan that fits on all processes is the call's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Told {
    /// Bytes of an element.
    pub width: usize,
    pub part: Option<(Uplo, Diag)>,
    /// M and N.
    pub extents: [i32; 2],
    pub sides: [Option<Matrix>; 2],
}

/// One matrix, as a process of its grid knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matrix {
    pub place: Place,
    pub ranks: Ranks,
    /// IA and JA, from 1.
    pub first: [i32; 2],
    /// Without DTYPE_, which is not read, and CTXT_, which the ranks replace.
    pub desc: Desc,
}

impl Told {
    pub fn of(call: &Call, context: &Communicator) -> Result<Self, Fault> {
        let &Call { width, part, extents, .. } = call;
        let [a, b] = call.sides.each_ref().map(|section| Matrix::of(section, context));
        Ok(Self { width, part, extents, sides: [a?, b?] })
    }
}

impl Matrix {
    fn of(section: &Section, context: &Communicator) -> Result<Option<Self>, Fault> {
        let Some(place) = blacs::place(section.context())? else { return Ok(None) };
        let ranks = grid::ranks(&*blacs::communicator(section.context())?, context)?;
        let mut desc = section.desc;
        [desc[0], desc[1]] = [0; 2];
        Ok(Some(Self { place, ranks, first: section.first, desc }))
    }

    pub fn lld(&self) -> i32 {
        self.desc[8]
    }

    /// LOCr(M_); 0 without a matrix.
    pub fn rows(&self) -> i32 {
        let [_, _, m, _, mb, _, rsrc, _, _] = self.desc;
        let numbers = [m, mb, self.place.grid[0], rsrc, self.place.at[0]].map(usize::try_from);
        let [Ok(m), Ok(mb), Ok(p), Ok(rsrc), Ok(row)] = numbers else { return 0 };
        BlockCyclic::new(m, mb, p, rsrc).map_or(0, |rows| rows.numroc(row) as i32)
    }

    pub fn is_short(&self) -> bool {
        self.rows() > self.lld()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_as_they_are_dealt() {
        for (m, mb, p, rsrc) in
            [(0, 3, 2, 1), (1, 3, 2, 1), (10, 3, 2, 1), (29, 4, 3, 2), (12, 2, 3, 0)]
        {
            for row in 0..p {
                let place = Place { grid: [p, 1], at: [row, 0] };
                let desc = [0, 0, m, 1, mb, 1, rsrc, 0, 4];
                let matrix = Matrix { place, ranks: Err(0), first: [1; 2], desc };
                let dealt = (0..m).filter(|index| (index / mb + rsrc) % p == row).count();
                assert_eq!(matrix.rows(), dealt as i32, "{m} rows by {mb} on {row} of {p}");
                assert_eq!(matrix.is_short(), dealt > 4);
            }
        }
    }
}
