//! The system of equations by rows.

use crate::plate::Plate;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use std::ops::Range;

/// One rank's rows of the system.
pub struct Rows {
    /// Number of unknowns.
    columns: usize,
    /// Rows of the matrix, one after the other.
    matrix: Vec<f64>,
    /// Right-hand side of each row.
    right_hand_side: Vec<f64>,
}

impl Rows {
    pub fn assemble(plate: &Plate, rank: usize, ranks: usize) -> Self {
        let (columns, rows) = (plate.equations(), block(plate.equations(), ranks, rank));
        let right_hand_side = vec![1.0; rows.len()];
        let matrix = rows
            .flat_map(|row| (0..columns).map(move |column| plate.potential(row, column)))
            .collect();
        Self { columns, matrix, right_hand_side }
    }

    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    pub fn right_hand_side(&self) -> &[f64] {
        &self.right_hand_side
    }

    /// ‖Ax - b‖ / (‖A‖ ‖x‖ n eps) in the maximum norm, with eps = 2^-53, as in LAPACK and HPL.
    pub fn scaled_residual(&self, world: &SimpleCommunicator, x: &[f64]) -> f64 {
        let rows = || self.matrix.chunks_exact(self.columns);
        let error =
            |(row, b): (&[f64], &f64)| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>() - b;
        let error = maximum(world, rows().zip(&self.right_hand_side).map(error));
        let norm = maximum(world, rows().map(|row| row.iter().map(|a| a.abs()).sum()));
        let largest = maximum(world, x.iter().copied());
        error / (norm * largest * self.columns as f64 * f64::EPSILON / 2.0)
    }
}

pub fn gather(world: &SimpleCommunicator, own: &[f64], len: usize) -> Vec<f64> {
    let ranks = world.size() as usize;
    let blocks = || (0..ranks).map(|rank| block(len, ranks, rank));
    let counts: Vec<i32> = blocks().map(|rows| rows.len() as i32).collect();
    let begins: Vec<i32> = blocks().map(|rows| rows.start as i32).collect();
    let mut all = vec![0.0; len];
    world.all_gather_varcount_into(own, &mut PartitionMut::new(&mut all, counts, begins));
    all
}

fn block(len: usize, ranks: usize, rank: usize) -> Range<usize> {
    let rows = len.div_ceil(ranks);
    (rank * rows).min(len)..((rank + 1) * rows).min(len)
}

/// Returns the largest magnitude on any rank. NaN must not pass for small.
fn maximum(world: &SimpleCommunicator, values: impl Iterator<Item = f64>) -> f64 {
    let larger =
        |most: f64, value: f64| if value.is_nan() { f64::INFINITY } else { most.max(value.abs()) };
    let (own, mut all) = (values.fold(0.0, larger), 0.0);
    world.all_reduce_into(&own, &mut all, SystemOperation::max());
    all
}
