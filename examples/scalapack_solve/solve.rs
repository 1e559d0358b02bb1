//! The charge on a conducting plate: a dense matrix, dealt by rows, solved by ScaLAPACK in tiles.
//!
//! ```text
//! cargo build --release -p redist-scalapack --features scalapack --example scalapack_solve
//! mpiexec -n 4 target/release/examples/scalapack_solve [PANELS]
//! ```
//!
//! The plate is cut into PANELS × PANELS rectangles, each an equation. Rows are easy to assemble
//! and to multiply by; LU wants tiles on a grid. `redistribute!` stands between the two.

mod plate;
mod report;
mod rows;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use plate::Plate;
use redist::layout::RankOrder;
use redist::{Bound, Redistribution, Side, redistribute};
use redist_scalapack::{Descriptor, Grid, gesv};
use report::{Report, Times};
use rows::Rows;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// ScaLAPACK's MB and NB.
const NB: usize = 64;

redistribute! {
    /// Whole rows on each rank, to ScaLAPACK's tiles on a P × Q grid.
    pub struct RowsToTiles(n: usize, columns: usize, ranks: usize, p: usize, q: usize): [f64; n, columns] {
        from: (block, *) onto ranks,
        to:   scalapack(NB, NB, p, q),
    }
    /// And back.
    pub struct TilesToRows(n: usize, columns: usize, ranks: usize, p: usize, q: usize): [f64; n, columns] {
        from: scalapack(NB, NB, p, q),
        to:   (block, *) onto ranks,
    }
}

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    redist::mpi::abort_on_panic();
    let universe = mpi::initialize().expect("MPI is initialised here only");
    let world = universe.world();
    let report = panels().and_then(|panels| run(&world, panels));
    let (text, passed) = match &report {
        Ok(report) => (report.to_string(), report.passed()),
        Err(error) => (format!("error: {error}"), false),
    };
    if world.rank() == 0 {
        println!("{text}");
    }
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn panels() -> Fallible<usize> {
    match std::env::args().nth(1) {
        Some(text) => text.parse().map_err(|error| format!("PANELS: `{text}`: {error}").into()),
        None => Ok(40),
    }
}

fn run(world: &SimpleCommunicator, panels: usize) -> Fallible<Report> {
    let (ranks, plate) = (world.size() as usize, Plate::new(panels)?);
    let (n, [p, q]) = (plate.equations(), near_square(ranks));

    let (assemble, rows) = timed(world, || Rows::assemble(&plate, world.rank() as usize, ranks));
    let (bind, bound) = timed(world, || -> Fallible<_> {
        let matrix = RowsToTiles::new(n, n, ranks, p, q)?.bind(world)?;
        let right_hand_side = RowsToTiles::new(n, 1, ranks, p, q)?.bind(world)?;
        Ok((matrix, right_hand_side, TilesToRows::new(n, 1, ranks, p, q)?.bind(world)?))
    });
    let (mut matrix, mut right_hand_side, mut solution) = bound?;

    let (mut a, mut b) = (destination(&matrix), destination(&right_hand_side));
    let (to_tiles, moved) = timed(world, || {
        matrix.run(rows.matrix(), &mut a)?;
        right_hand_side.run(rows.right_hand_side(), &mut b)
    });
    moved?;

    let grid = Grid::new(world, [p, q], RankOrder::Row);
    let [desc_a, desc_b] =
        [n, 1].map(|columns| Descriptor::new([n, columns], [NB, NB], [0, 0], &grid));
    let (solve, solved) = timed(world, || gesv(&mut a, &desc_a, &mut b, &desc_b));
    solved.map_err(|row| format!("the matrix is singular in row {row}"))?;

    let mut x = destination(&solution);
    let (to_rows, moved) = timed(world, || solution.run(&b, &mut x));
    moved?;

    let x = rows::gather(world, &x, n);
    let residual = rows.scaled_residual(world, &x);
    let times = Times { assemble, bind, to_tiles, solve, to_rows };
    Ok(Report { panels, ranks, grid: [p, q], times, residual, capacitance: plate.capacitance(&x) })
}

fn destination(bound: &Bound<f64, 2>) -> Vec<f64> {
    vec![0.0; bound.local_len(Side::Destination)]
}

/// Returns P and Q with P Q = `ranks` and P <= Q, as near to each other as possible.
fn near_square(ranks: usize) -> [usize; 2] {
    let p = (1..=ranks.isqrt()).rev().find(|p| ranks.is_multiple_of(*p)).unwrap_or(1);
    [p, ranks / p]
}

fn timed<R>(world: &SimpleCommunicator, work: impl FnOnce() -> R) -> (Duration, R) {
    world.barrier();
    let begun = Instant::now();
    let result = work();
    let (own, mut slowest) = (begun.elapsed().as_secs_f64(), 0.0);
    world.all_reduce_into(&own, &mut slowest, SystemOperation::max());
    (Duration::from_secs_f64(slowest), result)
}
