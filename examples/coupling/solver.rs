//! The solver of the producer.

use landscape::{Creep, Dem, Fallible};
use redist::mpi::Communicator;
use redist::{Bound, Error, Redistribution, Side, redistribute};

redistribute! {
    /// Whole rows on each rank, to whole columns.
    struct RowsToColumns(m: usize, n: usize, ranks: usize): [f64; m, n] {
        from: (block, *) onto ranks,
        to: (*, block) onto ranks storage fortran,
    }
    /// And back.
    struct ColumnsToRows(m: usize, n: usize, ranks: usize): [f64; m, n] {
        from: (*, block) onto ranks storage fortran,
        to: (block, *) onto ranks,
    }
}

/// The solver on one rank.
pub struct Solver<'a> {
    creep: &'a Creep,
    /// Moves rows to columns.
    to_columns: Bound<f64, 2>,
    /// Moves columns to rows.
    to_rows: Bound<f64, 2>,
    /// Elevations of this rank's rows.
    pub rows: Vec<f64>,
    /// Elevations of this rank's columns.
    columns: Vec<f64>,
}

impl<'a> Solver<'a> {
    pub fn new(own: &Communicator, dem: &Dem, creep: &'a Creep) -> Fallible<Self> {
        let ([m, n], ranks, rank) = (dem.extents, own.size(), own.rank());
        let plan = RowsToColumns::new(m, n, ranks)?;
        let rows = *plan.plan().descriptor(Side::Source);
        let start: usize = (0..rank).map(|before| rows.local(before).len()).sum();
        let (to_columns, to_rows) = (plan.bind(own)?, ColumnsToRows::new(m, n, ranks)?.bind(own)?);
        let columns = vec![0.0; to_columns.local_len(Side::Destination)];
        let rows = dem.elevation[start..start + rows.local(rank).len()].to_vec();
        Ok(Self { creep, to_columns, to_rows, rows, columns })
    }

    pub fn step(&mut self, mut between: impl FnMut() -> Result<(), Error>) -> Result<(), Error> {
        let Self { creep, to_columns, to_rows, rows, columns } = self;
        creep.rows.explicit(rows);
        between()?;
        to_columns.run(rows, columns)?;
        creep.columns.implicit(columns);
        between()?;
        creep.columns.explicit(columns);
        to_rows.run(columns, rows)?;
        between()?;
        creep.rows.implicit(rows);
        Ok(())
    }
}
