//! Copies boxes from files to files.

use super::boxes::Boxes;
use super::checksum::Checksum;
use super::compact::{BoxSide, compact};
use super::files::FileSet;
use super::pool::Buffers;
use super::region::{Region, grown};
use super::side::StoredSide;
use redist_plan::plan::{Plan, Side};
use redist_runtime::exec::RankCopies;
use std::collections::HashMap;

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// Most prepared copies that a thread keeps.
const MAX_PREPARED: usize = 256;

/// All that boxes are copied with, shared by all threads.
pub struct Copier<'a, const D: usize> {
    pub plan: Plan<D>,
    pub sides: [&'a StoredSide<D>; 2],
    pub files: [FileSet<'a>; 2],
    pub boxes: Boxes<D>,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Buffers of threads that have worked on other arrays.
    pub buffers: &'a Buffers,
    /// Most bytes of a thread's buffer.
    pub most: usize,
}

/// A buffer, prepared copies and checksums of one thread.
#[derive(Default)]
pub struct CopyState<const D: usize> {
    /// Copies to a cell, by the box's plan and the cell's number.
    prepared: HashMap<(Plan<D>, usize), RankCopies>,
    /// Bytes of all source cells of a box, and behind them of one destination cell.
    pub held: Vec<u8>,
    /// Checksums of the elements that were read, and of the elements that were written.
    pub sums: [Checksum; 2],
}

impl<const D: usize> Copier<'_, D> {
    pub fn copy(&self, state: &mut CopyState<D>, number: usize) -> Result<u64, String> {
        let ranges = self.boxes.ranges(number);
        let (plan, [source, destination]) = compact(&self.plan, self.sides, &ranges)?;
        let elements: usize = ranges.iter().map(ExactSizeIterator::len).product();
        let bytes = (elements * self.element_bytes) as u64;
        let ranks = (0..source.cells()).map(|cell| source.region(self.sides[0], cell).0);
        if self.files[1].is_zeros() && self.files[0].is_nothing(ranks)? {
            return Ok(bytes);
        }
        if state.held.is_empty() {
            state.held = self.buffers.take();
        }
        // Both parts begin where a cache line does.
        let from = self.bytes(&source).next_multiple_of(LINE_BYTES);
        let to = self.longest(&destination);
        let CopyState { prepared, held, sums } = state;
        let (from, to) = grown(held, from + to, self.most).split_at_mut(from);
        let arrays = self.read((from, &mut sums[0]), &source)?;
        let sources: Vec<&[u8]> =
            arrays.iter().map(|&(start, len)| &from[start..start + len]).collect();
        // Threads begin with different files: the system lets one at a time write to a file.
        for cell in 0..destination.cells() {
            let cell = (cell + number) % destination.cells();
            let (rank, region) = destination.region(self.sides[1], cell);
            if region.len() == 0 {
                continue;
            }
            let array = &mut to[..destination.local_len(cell) * self.element_bytes];
            if prepared.len() >= MAX_PREPARED {
                prepared.clear();
            }
            let copies = prepared.entry((plan, cell));
            copies
                .or_insert_with(|| RankCopies::new(&plan, cell, self.element_bytes))
                .copy(&sources, array);
            self.add(&mut sums[1], Side::Destination, (&destination, cell), (&region, array));
            self.files[1].write(rank, &region, array)?;
        }
        Ok(bytes)
    }

    /// Bytes of the arrays of all cells of a box.
    fn bytes(&self, own: &BoxSide<D>) -> usize {
        (0..own.cells()).map(|cell| own.local_len(cell) * self.element_bytes).sum()
    }

    /// Bytes of the longest array of a cell of a box.
    fn longest(&self, own: &BoxSide<D>) -> usize {
        let bytes = (0..own.cells()).map(|cell| own.local_len(cell) * self.element_bytes);
        bytes.max().unwrap_or(0)
    }

    /// Reads the arrays of all source cells, one after the other, and returns their places.
    fn read(
        &self,
        (all, sum): (&mut [u8], &mut Checksum),
        source: &BoxSide<D>,
    ) -> Result<Vec<(usize, usize)>, String> {
        read_cells(&self.files[0], (self.sides[0], source), all, |cell, region, array| {
            self.add(sum, Side::Source, (source, cell), (region, array));
        })
    }

    fn add(
        &self,
        sum: &mut Checksum,
        side: Side,
        (own, cell): (&BoxSide<D>, usize),
        (region, array): (&Region<D>, &[u8]),
    ) {
        if region.len() == 0 {
            return;
        }
        let stored = self.sides[usize::from(side == Side::Destination)];
        let order = stored.stored_order();
        let strides = self.place_strides(side);
        let buffer = core::array::from_fn::<usize, D, _>(|step| {
            region.0[step + 1..].iter().map(|axis| axis.buffer.0).product()
        });
        let along = |step: usize| {
            let (axis, width) = (order[step], buffer[step]);
            own.stretches(stored, cell, axis)
                .map(move |(at, index, len)| (at * width, index * strides[axis], len))
        };
        // By step, fastest first: where indices are in the cell's array, where in the sum, and how
        // many. A single row may be as long as the box, and needs no list.
        let is_row = region.0[..D - 1].iter().all(|axis| axis.count == 1);
        let first = if is_row { Vec::new() } else { along(D - 1).collect() };
        let slower = (0..D - 1).rev().map(|step| along(step).collect());
        let steps = core::iter::once(first).chain(slower).collect();
        let places = (buffer, order.map(|axis| strides[axis]));
        let nest = Nest { steps, places, width: self.element_bytes, array };
        if is_row {
            let start = nest.steps[1..]
                .iter()
                .flatten()
                .fold((0, 0), |(at, place), stretch| (at + stretch.0, place + stretch.1));
            along(D - 1).for_each(|stretch| nest.add(start, stretch, sum));
        } else {
            nest.visit(D - 1, (0, 0), sum);
        }
    }

    /// Returns the distance in the checksum's order of neighbours along each of a side's axes.
    fn place_strides(&self, side: Side) -> [usize; D] {
        let (extents, mut strides, mut stride) = (self.plan.extents(), [0; D], 1usize);
        for dimension in (0..D).rev() {
            strides[self.plan.axis_on(side, dimension)] = stride;
            stride = stride.wrapping_mul(extents[dimension]);
        }
        strides
    }
}

/// Reads the arrays of all cells of a box, one after the other, and returns their places in bytes.
pub fn read_cells<const D: usize>(
    files: &FileSet<'_>,
    (stored, source): (&StoredSide<D>, &BoxSide<D>),
    all: &mut [u8],
    mut visit: impl FnMut(usize, &Region<D>, &[u8]),
) -> Result<Vec<(usize, usize)>, String> {
    let (mut arrays, mut start) = (Vec::with_capacity(source.cells()), 0);
    for cell in 0..source.cells() {
        let len = source.local_len(cell) * files.element_bytes;
        let (rank, region) = source.region(stored, cell);
        let array = &mut all[start..start + len];
        files.read(rank, &region, array)?;
        visit(cell, &region, array);
        arrays.push((start, len));
        start += len;
    }
    Ok(arrays)
}

/// Visits a cell's part of a box, in the order in which it is stored.
struct Nest<'a, const D: usize> {
    /// Runs along each axis, the fastest axis first: start in the array, start in the checksum's
    /// order, and indices.
    steps: Vec<Vec<(usize, usize, usize)>>,
    /// Distances in the array and in the checksum's order, slowest axis first.
    places: ([usize; D], [usize; D]),
    /// Bytes of an element.
    width: usize,
    /// Bytes of the part.
    array: &'a [u8],
}

impl<const D: usize> Nest<'_, D> {
    fn visit(&self, level: usize, start: (usize, usize), sum: &mut Checksum) {
        let step = D - 1 - level;
        for &stretch in &self.steps[level] {
            if level == 0 {
                self.add(start, stretch, sum);
                continue;
            }
            let (at, place, len) = (start.0 + stretch.0, start.1 + stretch.1, stretch.2);
            for index in 0..len {
                let at = at + index * self.places.0[step];
                self.visit(level - 1, (at, place + index * self.places.1[step]), sum);
            }
        }
    }

    fn add(&self, start: (usize, usize), stretch: (usize, usize, usize), sum: &mut Checksum) {
        let (at, place, len) = (start.0 + stretch.0, start.1 + stretch.1, stretch.2);
        let bytes = &self.array[at * self.width..(at + len) * self.width];
        sum.add(bytes, self.width, (place, self.places.1[D - 1]));
    }
}
