//! One rank's list of indices, in runs.

use crate::layout::{AnyDescriptor, Descriptor, StorageOrder};
use core::ops::Range;

/// Indices at equal distances, which lie together in the local array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IndexRun {
    /// The first index.
    pub first: usize,
    /// Distance from one index to the next, perhaps 0 or below 0; 1 for a single index.
    pub step: isize,
    /// Number of indices, at least 1.
    pub count: usize,
    /// Place of the first one in the local array.
    pub local: usize,
}

/// The global indices of one rank's elements, in the order of its local array.
///
/// Neighbours and indices at equal distances are found, and kept as runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexList {
    runs: Vec<IndexRun>,
    /// Number of indices.
    len: usize,
}

impl IndexList {
    /// Finds the runs of a list.
    pub fn new(indices: &[usize]) -> Self {
        let (mut runs, mut at) = (Vec::new(), 0);
        while at < indices.len() {
            let (step, count) = progression(&indices[at..]);
            runs.push(IndexRun { first: indices[at], step, count, local: at });
            at += count;
        }
        Self { runs, len: indices.len() }
    }

    /// Lists what a rank has of an array by a layout; indices are those of the elements in row-major
    /// order. Takes time in proportion to the runs.
    pub fn of<const D: usize>(array: &Descriptor<D>, rank: usize) -> Self {
        let (extents, any) = (array.extents(), AnyDescriptor::from(array));
        let (Some(coordinates), true) = (array.coordinates(rank), array.local_len(rank) > 0) else {
            return Self::default();
        };
        let mut list = Self::default();
        if D == 0 {
            list.push(0, 1, 1);
            return list;
        }
        let mut steps = [1; D];
        for axis in (0..D - 1).rev() {
            steps[axis] = steps[axis + 1] * extents[axis + 1];
        }
        let fastest = if array.layout().storage == StorageOrder::C { D - 1 } else { 0 };
        let runs = blocks(&any, fastest, coordinates[fastest]);
        let slower: Vec<usize> = any.stored_order().filter(|axis| *axis != fastest).collect();
        let lens: Vec<usize> =
            slower.iter().map(|axis| array.axis(*axis).numroc(coordinates[*axis])).collect();
        for row in 0..lens.iter().product() {
            let (mut rest, mut start) = (row, 0);
            for (axis, len) in slower.iter().zip(&lens).rev() {
                let index = array.axis(*axis).global(coordinates[*axis], rest % len);
                start += index.unwrap_or(0) * steps[*axis];
                rest /= len;
            }
            for run in &runs {
                list.push(start + run.start * steps[fastest], steps[fastest] as isize, run.len());
            }
        }
        list
    }

    /// Adds indices at equal distances; goes on with the last run where they do.
    pub fn push(&mut self, first: usize, step: isize, count: usize) {
        if count == 0 {
            return;
        }
        let local = self.len;
        self.len += count;
        if let Some(last) = self.runs.last_mut()
            && last.step == step
            && last.first.wrapping_add_signed(step.wrapping_mul(last.count as isize)) == first
        {
            last.count += count;
            return;
        }
        self.runs.push(IndexRun { first, step, count, local });
    }

    /// Returns the list of which each index stands for `elements` neighbours.
    pub fn in_rows(&self, elements: usize) -> Self {
        let mut list = Self::default();
        for run in &self.runs {
            if run.step == 1 {
                list.push(run.first * elements, 1, run.count * elements);
                continue;
            }
            for index in run.indices() {
                list.push(index * elements, 1, elements);
            }
        }
        list
    }

    /// Returns the runs, in the order of the local array.
    pub fn runs(&self) -> &[IndexRun] {
        &self.runs
    }

    /// Returns the number of indices.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there is no index.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl IndexRun {
    /// Returns the indices.
    pub fn indices(&self) -> impl Iterator<Item = usize> + use<> {
        let Self { first, step, count, .. } = *self;
        (0..count).map(move |number| first.wrapping_add_signed(step * number as isize))
    }
}

/// Returns the distance of the indices at the front of a list, and how many have it. Two alone are a
/// progression if they are neighbours: the second may begin a longer one otherwise.
fn progression(indices: &[usize]) -> (isize, usize) {
    let [first, second, ..] = indices else { return (1, 1) };
    let step = second.wrapping_sub(*first) as isize;
    let follows = |pair: &&[usize]| pair[1].wrapping_sub(pair[0]) as isize == step;
    let count = 1 + indices.windows(2).take_while(follows).count();
    if count > 2 || step == 1 { (step, count) } else { (1, 1) }
}

/// Returns the indices of a coordinate along an axis, as ranges.
fn blocks(array: &AnyDescriptor, axis: usize, coordinate: usize) -> Vec<Range<usize>> {
    let (deal, mut found) = (array.axis(axis), Vec::<Range<usize>>::new());
    let mut local = 0;
    while let Some(start) = deal.global(coordinate, local) {
        let end = deal.block_at(start).end().min(deal.extent());
        local += end - start;
        match found.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => found.push(start..end),
        }
    }
    found
}
