//! The computation on threads, each with its block of rows or of columns.

use landscape::Creep;
use redist::threads::{self, Failure, Rank};
use redist::{Error, Redistribution, Side};
use std::time::{Duration, Instant};

/// The landscape after all steps, with its times.
pub struct Outcome {
    /// Elevations in metres, row by row.
    pub elevation: Vec<f64>,
    /// From dealing out the rows to the end of the last step.
    pub elapsed: Duration,
    pub clock: Clock,
}

/// Times of one rank.
#[derive(Clone, Copy, Default)]
pub struct Clock {
    pub solving: Duration,
    /// Copying, and waiting for other ranks.
    pub redistributing: Duration,
}

/// One rank's outcome.
struct Part {
    /// Elevations of the rank's rows.
    rows: Vec<f64>,
    clock: Clock,
}

pub fn diffuse<A, B>(
    to_columns: &A,
    to_rows: &B,
    elevation: &[f64],
    creep: &Creep,
) -> Result<Outcome, Failure<Error>>
where
    A: Redistribution<2, Element = f64> + Sync,
    B: Redistribution<2, Element = f64> + Sync,
{
    let start = Instant::now();
    let parts = threads::run(to_columns.plan().ranks(), |rank| {
        let rows = dealt(elevation, to_columns, rank.rank());
        diffuse_part(rank, (to_columns, to_rows), rows, creep)
    })?;
    let elapsed = start.elapsed();
    let clock = parts.iter().fold(Clock::default(), |sum, part| sum.and(part.clock));
    // Blocks of whole rows in C order: rank after rank, the parts are the array.
    let elevation = parts.into_iter().flat_map(|part| part.rows).collect();
    Ok(Outcome { elevation, elapsed, clock })
}

fn dealt(elevation: &[f64], to_columns: &impl Redistribution<2>, rank: usize) -> Vec<f64> {
    let plan = to_columns.plan();
    let rows = plan.descriptor(Side::Source);
    let start: usize = (0..rank).map(|before| rows.local(before).len()).sum();
    elevation[start..start + rows.local(rank).len()].to_vec()
}

fn diffuse_part<A, B>(
    rank: &Rank,
    (to_columns, to_rows): (&A, &B),
    mut rows: Vec<f64>,
    creep: &Creep,
) -> Result<Part, Error>
where
    A: Redistribution<2, Element = f64>,
    B: Redistribution<2, Element = f64>,
{
    let mut to_columns = to_columns.bind(rank)?;
    let mut to_rows = to_rows.bind(rank)?;
    let mut columns = vec![0.0; to_columns.local_len(Side::Destination)];
    let mut clock = Clock::default();
    for _ in 0..creep.steps {
        clock.solve(|| creep.rows.explicit(&mut rows));
        clock.redistribute(|| to_columns.run(&rows, &mut columns))?;
        clock.solve(|| {
            creep.columns.implicit(&mut columns);
            creep.columns.explicit(&mut columns);
        });
        clock.redistribute(|| to_rows.run(&columns, &mut rows))?;
        clock.solve(|| creep.rows.implicit(&mut rows));
    }
    Ok(Part { rows, clock })
}

impl Clock {
    fn solve(&mut self, work: impl FnOnce()) {
        let start = Instant::now();
        work();
        self.solving += start.elapsed();
    }

    fn redistribute(&mut self, work: impl FnOnce() -> Result<(), Error>) -> Result<(), Error> {
        let start = Instant::now();
        let result = work();
        self.redistributing += start.elapsed();
        result
    }

    fn and(self, other: Self) -> Self {
        Self {
            solving: self.solving + other.solving,
            redistributing: self.redistributing + other.redistributing,
        }
    }

    pub fn share(&self) -> f64 {
        self.redistributing.as_secs_f64()
            / (self.redistributing + self.solving).as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landscape::{Dem, Spacing, single};
    use redist::TypedPlan;

    #[test]
    fn any_number_of_ranks_computes_what_one_does() {
        let extents = [13, 9];
        let elevation = (0..13 * 9).map(|index| f64::from(index * index % 101)).collect();
        let dem = Dem { elevation, extents, spacing: Spacing::SHIPPED };
        let creep = Creep::new(&dem, 3);
        let alone = single::diffuse(&dem.elevation, &creep);
        assert!(alone != dem.elevation);
        // Of ten ranks some have no rows, and one no columns.
        for ranks in [1, 2, 3, 4, 10] {
            let rows = format!("(block, *) onto {ranks}");
            let columns = format!("(*, block) onto {ranks} storage fortran");
            let to_columns = TypedPlan::<f64, 2>::parse(extents, &rows, &columns).unwrap();
            let to_rows = TypedPlan::<f64, 2>::parse(extents, &columns, &rows).unwrap();
            let outcome = diffuse(&to_columns, &to_rows, &dem.elevation, &creep).unwrap();
            assert_eq!(outcome.elevation, alone, "{ranks} ranks");
        }
    }
}
