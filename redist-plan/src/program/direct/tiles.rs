//! Tiles, and the state of walks over them.

use super::overlap::OverlapPart;
use crate::arithmetic::{max, min};
use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

/// An index along one dimension, as one side sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DimPosition {
    /// Local index on its owner.
    pub local: usize,
    /// Extent of the coordinate's local arrays.
    pub extent: usize,
    /// Share of the owner's coordinate in its number in the grid.
    pub number: usize,
}

/// Orders dimensions from the slowest loop to the fastest: as the destination stores them, but the
/// source's fastest is at least the last but one.
pub(super) fn nest_order(plan: &AnyPlan) -> Vec<usize> {
    let dimensions = plan.dimensions();
    let at = |axis| {
        (0..dimensions).find(|&dimension| plan.destination_axis(dimension) == axis).unwrap_or(axis)
    };
    let mut order: Vec<usize> = plan.descriptor(Side::Destination).stored_order().map(at).collect();
    let (fastest, slower) = (fastest_of_source(plan), dimensions - 1);
    if let Some(place) = order[..slower].iter().position(|&dimension| dimension == fastest) {
        order[place..slower].rotate_left(1);
    }
    order
}

/// Returns `true` if neighbours on one side lie apart on the opposite side: rows become columns.
pub fn transposes(plan: &AnyPlan) -> bool {
    nest_order(plan).last().is_some_and(|fastest| *fastest != fastest_of_source(plan))
}

pub(super) fn fastest_of_source(plan: &AnyPlan) -> usize {
    plan.descriptor(Side::Source).stored_order().next_back().unwrap_or(0)
}

/// Factor of the size of tiles if rows become columns: they need not fit a first-level cache.
const TRANSPOSED_FACTOR: usize = 8;

fn whole_periods(axis: &Axis, most: usize) -> usize {
    let period = max(axis.period(), 1);
    if period <= most { most / period * period } else { most }
}

/// An array cut into boxes of one shape, where each dimension's last boxes are shorter.
#[derive(Clone, Debug, Default)]
pub(super) struct Tiles {
    /// Extent of the array and of a tile along each dimension, slowest first.
    extents: Vec<(usize, usize)>,
}

impl Tiles {
    /// Makes tiles of about `elements` elements in nest order: whole rows of the destination. If
    /// the source is stored the other way round, larger tiles let both fill cache lines.
    pub fn new(plan: &AnyPlan, order: &[usize], elements: usize) -> Self {
        let last = order.len() - 1;
        let transposed = order[last] != fastest_of_source(plan);
        let factor = if transposed { TRANSPOSED_FACTOR } else { 1 };
        let mut tiles = Self { extents: Vec::new() };
        let mut room = max(elements.saturating_mul(factor), 1);
        for (step, &dimension) in order.iter().enumerate().rev() {
            let most = if transposed && step == last { room.isqrt() } else { room };
            room = max(room / tiles.push_slower(plan.axis(dimension), most), 1);
        }
        tiles.extents.reverse();
        tiles
    }

    /// Tiles of about `elements` elements, of `row.1` of each row of `row.0` elements.
    pub fn of_rows(plan: &AnyPlan, slower: &[usize], row: (usize, usize), elements: usize) -> Self {
        let mut tiles = Self { extents: vec![row] };
        let mut room = max(elements / row.1, 1);
        for &dimension in slower.iter().rev() {
            room = max(room / tiles.push_slower(plan.axis(dimension), room), 1);
        }
        tiles.extents.reverse();
        tiles
    }

    fn push_slower(&mut self, axis: &Axis, most: usize) -> usize {
        let tile = max(min(whole_periods(axis, most), axis.len()), 1);
        self.extents.push((axis.len(), tile));
        tile
    }

    pub fn count(&self) -> usize {
        let along = |&(len, tile): &(usize, usize)| len.div_ceil(tile);
        self.extents.iter().map(along).fold(1, usize::saturating_mul)
    }

    pub fn ranges(&self, mut tile: usize, ranges: &mut [Range<usize>]) {
        for (range, &(len, extent)) in ranges.iter_mut().zip(&self.extents).rev() {
            let tiles = len.div_ceil(extent);
            let start = tile % tiles * extent;
            *range = start..min(start.saturating_add(extent), len);
            tile /= tiles;
        }
    }
}

/// State of a walk over a program, allocated once.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Indices of the current tile along each dimension.
    pub(super) tile: Vec<Range<usize>>,
    /// Message by message: an overlap of each dimension, and its part in the tile.
    pub(super) parts: Vec<(usize, OverlapPart)>,
    /// Row by row: the position along each slower dimension.
    pub(super) positions: Vec<[DimPosition; 2]>,
    /// Row by row: the rows of each array, by side.
    pub(super) rows: [Vec<RowEnd>; 2],
}

/// The rows of one array that go between the same ranks.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowEnd {
    /// Rank of the array, numbered in the communicator.
    pub rank: usize,
    /// The start of the first row in the rank's array.
    pub at: usize,
    /// Elements to the start of the next.
    pub step: usize,
}

impl RowEnd {
    /// Returns the start of a row.
    pub fn row(&self, number: usize) -> usize {
        self.at + number * self.step
    }
}
