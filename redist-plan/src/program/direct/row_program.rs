//! Copies between all arrays, or to one, row by row.

use super::chunks::{Chunks, share_of_period};
use super::row_runs::RowRuns;
use super::tiles::{self, DimPosition, RowEnd, Tiles, Walk};
use crate::arithmetic::{max, min};
use crate::layout::Ranks;
use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

/// Sizes that divide a direct copy, in elements.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Approximate size of a tile.
    pub tile: usize,
    /// Runs from this length on are copied in any order.
    pub long: usize,
}

/// All copies of a move, or all to one rank, along the rows that both sides store together. One
/// walk forward copies a row from all senders to all receivers, and uses a cache line once. A table
/// of one period has the runs.
#[derive(Clone, Debug)]
pub struct RowProgram {
    row_runs: RowRuns,
    /// The dimension that rows lie along, of the source.
    row: (usize, Axis),
    tiles: Tiles,
    /// The slower dimensions, slowest first, as the destination stores them.
    dims: Vec<RowDim>,
    /// Dimensions slower than the row as the source stores them, fastest first.
    source_order: Vec<usize>,
    /// By side and coordinate along the row: its part in the rank's number, and its local extent.
    ends: [Vec<(usize, usize)>; 2],
    /// Ranks of each side, by their numbers in the grid.
    ranks: [Ranks; 2],
}

/// A dimension slower than the row.
#[derive(Clone, Debug)]
struct RowDim {
    /// Of the source.
    dimension: usize,
    axis: Axis,
    /// The destination's coordinate, if there is only one.
    here: Option<usize>,
    /// Distance between the numbers of neighbouring coordinates, on each side.
    distances: [usize; 2],
}

/// Rows of the same runs between the same ranks.
#[derive(Clone, Copy, Debug)]
pub struct RowsBetween<'a> {
    /// Number of rows.
    pub count: usize,
    pub row_runs: &'a RowRuns,
    /// By coordinate along the row.
    pub sources: &'a [RowEnd],
    pub destinations: &'a [RowEnd],
    /// Indices along the row.
    pub elements: &'a Range<usize>,
}

impl RowProgram {
    /// Copies to one rank, or all of them. `None` if rows are not stored together on both sides,
    /// messages are better copied one by one, or the rank receives nothing.
    pub fn new(plan: &AnyPlan, receiver: Option<usize>, grain: Grain) -> Option<Self> {
        let here = match receiver {
            Some(rank) => Some(plan.descriptor(Side::Destination).coordinates(rank)?),
            None => None,
        };
        let order = tiles::nest_order(plan);
        let (&row, slower) = order.split_last()?;
        if row != tiles::fastest_of_source(plan) || plan.is_empty() {
            return None;
        }
        let here =
            |dimension: usize| here.as_ref().map(|here| here[plan.destination_axis(dimension)]);
        let distance =
            |side, dimension| plan.descriptor(side).number_distance(plan.axis_on(side, dimension));
        let row_runs = RowRuns::new(plan.axis(row), here(row), grain.long)?;
        let tile = row_runs.tile(grain.tile);
        let tiles = Tiles::of_rows(plan, slower, (row_runs.len(), tile), grain.tile);
        let dim = |&dimension: &usize| RowDim {
            dimension,
            axis: *plan.axis(dimension),
            here: here(dimension),
            distances: SIDES.map(|side| distance(side, dimension)),
        };
        let dims = slower.iter().map(dim).collect();
        let source_order = plan.descriptor(Side::Source).stored_order().rev().skip(1);
        let dim_of = |dimension: usize| order.iter().position(|other| *other == dimension);
        let ends = SIDES.map(|side| {
            let (axis, distance) = (plan.axis(row), distance(side, row));
            let end = |&coordinate: &usize| {
                (coordinate * distance, axis.side(side).deal().numroc(coordinate))
            };
            row_runs.coordinates(side).iter().map(end).collect()
        });
        Some(Self {
            tiles,
            dims,
            source_order: source_order.filter_map(dim_of).collect(),
            ends,
            ranks: SIDES.map(|side| plan.descriptor(side).map()),
            row_runs,
            row: (row, *plan.axis(row)),
        })
    }

    pub fn along(&self) -> (&Axis, &RowRuns) {
        (&self.row.1, &self.row_runs)
    }

    pub fn walk(&self) -> Walk {
        Walk {
            tile: vec![0..0; self.dims.len() + 1],
            positions: vec![[DimPosition::default(); 2]; self.dims.len()],
            rows: [0, 1].map(|side| vec![RowEnd::default(); self.ends[side].len()]),
            ..Walk::default()
        }
    }

    pub fn tiles(&self) -> usize {
        self.tiles.count()
    }

    pub fn for_each_of_tile(
        &self,
        walk: &mut Walk,
        tile: usize,
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        self.tiles.ranges(tile, &mut walk.tile);
        self.descend(walk, None, (0, 0), copy);
    }

    /// Returns `true` if chunks of a number are one part of the same rows: all, or whole periods.
    pub fn is_cut_by(&self, chunks: &Chunks) -> bool {
        let (dimension, axis) = &self.row;
        let (cut, share) = (chunks.cut(*dimension), share_of_period(axis));
        let has_periods = share.is_some_and(|share| cut.extent.is_multiple_of(share));
        cut.whole || axis.side(Side::Source).at() == 0 && (cut.boxes == 1 || has_periods)
    }

    /// Visits the copies from chunks with this `number`, in which the source's places count.
    pub fn for_each_of_round(
        &self,
        walk: &mut Walk,
        (chunks, number): (&Chunks, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let ((dimension, axis), depth) = (self.row, self.dims.len());
        let cut = chunks.cut(dimension);
        let (mut elements, mut further) = (0..axis.len(), 0);
        if cut.boxes > 1 {
            let [from, to] = SIDES.map(|side| axis.side(side));
            let period = axis.period();
            let periods = cut.extent / (period / from.ranks());
            let before = cut.box_of(number) * periods;
            elements.end = min(periods.saturating_mul(period), axis.len() - before * period);
            further = before * (period / to.ranks());
        }
        walk.tile[depth] = elements;
        self.descend(walk, Some((chunks, number)), (0, further), copy);
    }

    /// Visits the rows of a tile, or of the chunks with this number, from a slower dimension on.
    fn descend(
        &self,
        walk: &mut Walk,
        shown: Option<(&Chunks, usize)>,
        (depth, further): (usize, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let Some(dim) = self.dims.get(depth) else { return self.rows(walk, (1, further), copy) };
        let Some((chunks, number)) = shown else {
            let tile = walk.tile[depth].clone();
            return self.pieces(walk, None, (depth, further), (None, tile, 0), copy);
        };
        let from = dim.axis.side(Side::Source);
        for sender in 0..from.ranks() {
            let local = chunks.indices(number, dim.dimension, from.local_from(sender, 0));
            let part = (Some(sender), dim.indices(sender, &local), local.start);
            self.pieces(walk, shown, (depth, further), part, copy);
        }
    }

    /// Visits the rows at these indices of a dimension, of one sender if there is one. The sender's
    /// places count from local index `first` on.
    fn pieces(
        &self,
        walk: &mut Walk,
        shown: Option<(&Chunks, usize)>,
        (depth, further): (usize, usize),
        (sender, mut left, first): (Option<usize>, Range<usize>, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let dim = &self.dims[depth];
        while let Some(index) = dim.next_shared(sender, &left) {
            let ends = SIDES.map(|side| dim.axis.side(side).block_end(index));
            left.start = min(min(ends[0], ends[1]), left.end);
            walk.positions[depth] = dim.places(index);
            walk.positions[depth][0].local -= first;
            if depth + 1 == self.dims.len() {
                self.rows(walk, (left.start - index, further), copy);
                continue;
            }
            for _ in index..left.start {
                self.descend(walk, shown, (depth + 1, further), copy);
                walk.positions[depth].iter_mut().for_each(|place| place.local += 1);
            }
        }
    }

    /// Visits `count` rows along the fastest slower dimension from the current indices on, `further`
    /// on in the destination's local arrays.
    fn rows(
        &self,
        walk: &mut Walk,
        (count, further): (usize, usize),
        copy: &mut impl FnMut(RowsBetween<'_>),
    ) {
        let Walk { tile, positions, rows, .. } = walk;
        let last = self.dims.len().saturating_sub(1);
        for (side, further) in SIDES.into_iter().zip([0, further]) {
            let (mut cell, mut number, mut rows_before, mut step) = (0, 0, 1, 0);
            for faster in 0..self.dims.len() {
                let dim =
                    if side == Side::Source { self.source_order[faster] } else { last - faster };
                let place = positions[dim][side as usize];
                if dim == last {
                    step = rows_before;
                }
                cell += place.number;
                number += place.local * rows_before;
                rows_before *= place.extent;
            }
            let ranks = self.ranks[side as usize];
            for (row, (along, extent)) in
                rows[side as usize].iter_mut().zip(&self.ends[side as usize])
            {
                let (rank, at) = (ranks.nth(cell + along), number * extent + further);
                *row = RowEnd { rank, at, step: step * extent };
            }
        }
        let (elements, [sources, destinations]) = (&tile[self.dims.len()], &*rows);
        copy(RowsBetween { count, row_runs: &self.row_runs, sources, destinations, elements });
    }
}

impl RowDim {
    fn indices(&self, sender: usize, local: &Range<usize>) -> Range<usize> {
        let from = self.axis.side(Side::Source);
        let (first, end) = (from.local_from(sender, 0), from.local_from(sender, self.axis.len()));
        let local = max(local.start, first)..min(local.end, end);
        let index = |local| from.deal().global(sender, local).map(|global| global - from.at());
        match local.end.checked_sub(1).filter(|_| !local.is_empty()) {
            Some(last) => index(local.start).unwrap_or(0)..index(last).map_or(0, |last| last + 1),
            None => 0..0,
        }
    }

    /// Returns the first of these indices that is a sender's, or any one's, and the receiver's.
    fn next_shared(&self, sender: Option<usize>, indices: &Range<usize>) -> Option<usize> {
        let [from, to] = SIDES.map(|side| self.axis.side(side));
        let mut index = indices.start;
        while index < indices.end {
            let sent = sender.map_or(Some(index), |sender| from.next_owned(sender, index))?;
            let shared = self.here.map_or(Some(sent), |here| to.next_owned(here, sent))?;
            if shared == sent {
                return Some(sent).filter(|index| indices.contains(index));
            }
            index = shared;
        }
        None
    }

    fn places(&self, index: usize) -> [DimPosition; 2] {
        SIDES.map(|side| {
            let section = self.axis.side(side);
            let coordinate = section.owner(index);
            DimPosition {
                local: section.local(index),
                extent: section.deal().numroc(coordinate),
                number: coordinate * self.distances[side as usize],
            }
        })
    }
}

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];
