//! One rank's part of the transform.

use crate::clock::{Clock, Phase};
use crate::serial::noise;
use redist::{Bound, Error, Side};
use rustfft::num_complex::Complex32;
use rustfft::{Fft, FftPlanner};
use std::sync::Arc;
use transpose::transpose;

/// Moves to columns and back.
pub struct Turns {
    pub to_columns: Bound<Complex32, 2>,
    pub to_rows: Bound<Complex32, 2>,
}

/// One rank's arrays.
pub struct Part {
    input: Vec<Complex32>,
    pub rows: Vec<Complex32>,
    columns: Vec<Complex32>,
    lines: Vec<Complex32>,
    /// Rows and columns of the array.
    extents: [usize; 2],
    fourier: Fourier,
}

impl Part {
    pub fn new(turns: &Turns) -> Self {
        let bound = &turns.to_columns;
        let input: Vec<_> = bound.global_indices(Side::Source).map(noise).collect();
        let columns = vec![Complex32::ZERO; bound.local_len(Side::Destination)];
        Self {
            rows: input.clone(),
            input,
            lines: columns.clone(),
            columns,
            extents: bound.local(Side::Destination).extents(),
            fourier: Fourier::new(bound.plan().extents()),
        }
    }

    /// Transforms the array along both axes; rows end as rows.
    pub fn transform(&mut self, turns: &mut Turns, clock: &mut Clock) -> Result<(), Error> {
        self.rows.copy_from_slice(&self.input);
        clock.time(Phase::Lines, || self.fourier.transform(&mut self.rows, ALONG_ROWS));
        clock.time(Phase::Turns, || turns.to_columns.run(&self.rows, &mut self.columns))?;
        self.transform_columns(clock);
        clock.time(Phase::Turns, || turns.to_rows.run(&self.columns, &mut self.rows))
    }

    /// Transforms columns as lines, because a transform takes contiguous lines.
    fn transform_columns(&mut self, clock: &mut Clock) {
        let Self { columns, lines, fourier, extents: [height, width], .. } = self;
        clock.time(Phase::Transpositions, || transpose(columns, lines, *width, *height));
        clock.time(Phase::Lines, || fourier.transform(lines, ALONG_COLUMNS));
        clock.time(Phase::Transpositions, || transpose(lines, columns, *height, *width));
    }

    pub fn turn_twice(
        &mut self,
        turns: &mut Turns,
        (clock, phase): (&mut Clock, Phase),
    ) -> Result<(), Error> {
        let Self { rows, columns, .. } = self;
        clock.time(phase, || {
            turns.to_columns.run(rows, columns)?;
            turns.to_rows.run(columns, rows)
        })
    }
}

/// Lines that are columns have the extent of dimension 0, rows that of dimension 1.
const ALONG_COLUMNS: usize = 0;
/// Index of the axis along rows.
const ALONG_ROWS: usize = 1;

/// Transforms of lines along both axes.
struct Fourier {
    /// Transform along each axis.
    along: [Arc<dyn Fft<f32>>; 2],
    scratch: Vec<Complex32>,
}

impl Fourier {
    fn new(extents: [usize; 2]) -> Self {
        let mut planner = FftPlanner::new();
        let along = extents.map(|len| planner.plan_fft_forward(len));
        let scratch = along.iter().map(|fft| fft.get_inplace_scratch_len()).max().unwrap_or(0);
        Self { along, scratch: vec![Complex32::ZERO; scratch] }
    }

    fn transform(&mut self, lines: &mut [Complex32], axis: usize) {
        self.along[axis].process_with_scratch(lines, &mut self.scratch);
    }
}
