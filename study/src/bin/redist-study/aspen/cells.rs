//! Operations and times of all algorithms in each cell of the ASPEN paper's setting.

use super::count::{Count, check};
use super::setting::{Cell, SIDES, algorithms, blocks, is_ours};
use crate::context::Context;
use crate::processes::Timed;
use crate::sampling::medians;
use redist::Side;
use redist::plan::Axis;
use redist_study::baseline::{Intersection, Segments};
use serde::Serialize;
use std::hint::black_box;

/// One algorithm in one cell: a line of `cells.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub source: String,
    pub destination: String,
    /// Ranks along either dimension of the source's square grid.
    pub source_side: usize,
    /// Ranks along either dimension of the destination's square grid.
    pub destination_side: usize,
    pub algorithm: &'static str,
    /// Set-ups of all source ranks, in both dimensions.
    pub set_ups: usize,
    /// Comparisons of all source ranks, in both dimensions.
    pub comparisons: usize,
    /// Set-ups and comparisons together.
    pub operations: usize,
    /// Of the busiest rank of either dimension.
    pub busiest_rank_operations: usize,
    /// Time of all source ranks, one after the other.
    pub nanoseconds: f64,
    /// Mean time of a source rank along a dimension.
    pub nanoseconds_per_rank: f64,
    /// Operations, as a multiple of the window table's in the same cell.
    pub operations_over_window: f64,
    /// Operations of the busiest rank, as a multiple of the window table's in the same cell.
    pub busiest_over_window: f64,
    /// Time, as a multiple of the window table's in the same cell.
    pub time_over_window: f64,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![&mut self.nanoseconds, &mut self.nanoseconds_per_rank, &mut self.time_over_window]
    }
}

pub fn measure(context: &Context) -> anyhow::Result<Vec<Row>> {
    let cells = Cell::all(context.scale(&SIDES[..], &[8, 32]));
    let mut rows = Vec::new();
    for cell in context.progress("intersections, cell by cell", cells) {
        rows.extend(measure_cell(&cell, context.scale(9, 1))?);
    }
    Ok(rows)
}

fn measure_cell(cell: &Cell, passes: usize) -> anyhow::Result<Vec<Row>> {
    let axes = cell.axes()?;
    let algorithms = algorithms(&axes);
    let mut found = Vec::new();
    let mut counts = Vec::new();
    for algorithm in &algorithms {
        let count = axes.map(|axis| Count::of(*algorithm, &axis, &mut found));
        axes.iter()
            .zip(&count)
            .try_for_each(|(axis, count)| check(algorithm.name(), axis, count))?;
        counts.push(count[0] + count[1]);
    }
    let seconds = times(&axes, &algorithms, passes);
    let ours = algorithms.iter().position(|algorithm| is_ours(algorithm.name()));
    let ours =
        ours.map(|ours| (counts[ours], seconds[ours])).unwrap_or((Count::default(), f64::NAN));
    let rows = algorithms.iter().zip(counts.into_iter().zip(seconds));
    Ok(rows.map(|(algorithm, found)| row(cell, algorithm.name(), found, ours)).collect())
}

fn times(axes: &[Axis; 2], algorithms: &[&'static dyn Intersection], passes: usize) -> Vec<f64> {
    let whole_source = |algorithm: &'static dyn Intersection| {
        let mut found: Vec<Segments> = Vec::new();
        Box::new(move || {
            for axis in black_box(axes) {
                for rank in 0..axis.side(Side::Source).ranks() {
                    algorithm.intersect(axis, rank, &mut found);
                    black_box(&found);
                }
            }
        }) as Box<dyn FnMut()>
    };
    medians(
        &mut algorithms.iter().map(|algorithm| whole_source(*algorithm)).collect::<Vec<_>>(),
        passes,
    )
}

fn row(
    cell: &Cell,
    algorithm: &'static str,
    (count, seconds): (Count, f64),
    ours: (Count, f64),
) -> Row {
    Row {
        source: blocks(cell.from),
        destination: blocks(cell.to),
        source_side: cell.sides.0,
        destination_side: cell.sides.1,
        algorithm,
        set_ups: count.all.set_ups,
        comparisons: count.all.comparisons,
        operations: count.all.total(),
        busiest_rank_operations: count.busiest,
        nanoseconds: seconds * 1e9,
        nanoseconds_per_rank: seconds * 1e9 / cell.sides.0 as f64,
        operations_over_window: count.all.total() as f64 / ours.0.all.total() as f64,
        busiest_over_window: count.busiest as f64 / ours.0.busiest as f64,
        time_over_window: seconds / ours.1,
    }
}
