//! One rank's costs as the other side gets more ranks, far beyond the paper.

use super::setting::{Line, algorithms};
use crate::context::Context;
use crate::processes::Timed;
use crate::sampling::medians;
use redist_study::baseline::Intersection;
use serde::Serialize;
use std::hint::black_box;

/// The paper's line, whose extent is soon ASPEN's period, and a line that takes many ranks.
pub const LINES: [Line; 2] = [
    Line { extent: 10_000, blocks: (30, 654), ranks: (8, 0) },
    Line { extent: 100_000, blocks: (7, 11), ranks: (5, 0) },
];

/// An algorithm that takes longer is left out for more ranks, in full runs and quick ones.
const MAX_SECONDS: (f64, f64) = (0.1, 0.002);

/// As many in a quick run: one interrupted sample would end an algorithm's curve.
const PASSES: usize = 5;

/// One algorithm on one line with so many ranks: a line of `growth.csv`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Extent, in elements.
    pub extent: usize,
    /// Elements in a block of the source.
    pub source_block: usize,
    /// Elements in a block of the destination.
    pub destination_block: usize,
    /// Rank 0 is measured.
    pub ranks: usize,
    /// Ranks of the destination.
    pub remote_ranks: usize,
    pub algorithm: &'static str,
    /// Set-ups of rank 0.
    pub set_ups: usize,
    /// Comparisons of rank 0.
    pub comparisons: usize,
    /// Set-ups and comparisons together.
    pub operations: usize,
    /// Time of rank 0.
    pub nanoseconds: f64,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![&mut self.nanoseconds]
    }
}

fn remote_ranks() -> impl Iterator<Item = usize> {
    (1..20).map(|exponent| 1 << exponent).chain([1_000_000])
}

pub fn measure(context: &Context) -> anyhow::Result<Vec<Row>> {
    let of_line = |line: Line| {
        remote_ranks().map(move |remote| Line { ranks: (line.ranks.0, remote), ..line })
    };
    let lines: Vec<Line> = LINES.into_iter().flat_map(of_line).collect();
    let patience = context.scale(MAX_SECONDS.0, MAX_SECONDS.1);
    let (mut rows, mut too_slow) = (Vec::new(), Vec::new());
    for line in context.progress("growth with the remote ranks", lines) {
        let measured = measure_line(&line, &too_slow)?;
        let slow = measured.iter().filter(|row| row.nanoseconds > patience * 1e9);
        too_slow.extend(slow.map(|row| (line.extent, row.algorithm)));
        rows.extend(measured);
    }
    Ok(rows)
}

fn measure_line(line: &Line, too_slow: &[(usize, &str)]) -> anyhow::Result<Vec<Row>> {
    let axis = line.axis()?;
    let patient: Vec<&'static dyn Intersection> = algorithms(&[axis])
        .into_iter()
        .filter(|algorithm| !too_slow.contains(&(line.extent, algorithm.name())))
        .collect();
    let mut works: Vec<Box<dyn FnMut()>> = Vec::new();
    for algorithm in &patient {
        let mut found = Vec::new();
        works.push(Box::new(move || {
            algorithm.intersect(black_box(&axis), 0, &mut found);
            black_box(&found);
        }));
    }
    let seconds = medians(&mut works, PASSES);
    let row = |(algorithm, seconds): (&&'static dyn Intersection, f64)| {
        let operations = algorithm.intersect(&axis, 0, &mut Vec::new());
        Row {
            extent: line.extent,
            source_block: line.blocks.0,
            destination_block: line.blocks.1,
            ranks: line.ranks.0,
            remote_ranks: line.ranks.1,
            algorithm: algorithm.name(),
            set_ups: operations.set_ups,
            comparisons: operations.comparisons,
            operations: operations.total(),
            nanoseconds: seconds * 1e9,
        }
    };
    Ok(patient.iter().zip(seconds).map(row).collect())
}
