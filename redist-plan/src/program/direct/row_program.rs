use super::row_runs::RowRuns;
use super::tiles::{self, DimPosition, RowEnd, Tiles, Walk};
use crate::arithmetic::min;
use crate::layout::Ranks;
use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

#[derive(Clone, Copy, Debug)]
pub struct Grain {
    pub tile: usize,
    /// Runs from this length on are copied in any order.
    pub long: usize,
}

/// All copies of a move, or those to one rank, along the rows that both sides store together. One
/// walk forward copies a row from all senders to all receivers, and uses a cache line once. A table
/// of one period has the runs.
#[derive(Clone, Debug)]
pub struct RowProgram {
    row_runs: RowRuns,
    /// The dimension that rows lie along, of the source.
    pub(super) row: (usize, Axis),
    tiles: Tiles,
    /// The slower dimensions, slowest first, as the destination stores them.
    pub(super) dims: Vec<RowDim>,
    source_order: Vec<usize>,
    /// By side and coordinate along the row: its part in the rank's number, and its local extent.
    ends: [Vec<(usize, usize)>; 2],
    ranks: [Ranks; 2],
}

#[derive(Clone, Debug)]
pub(super) struct RowDim {
    /// Of the source.
    pub dimension: usize,
    pub axis: Axis,
    /// The destination's coordinate, if there is only one.
    pub here: Option<usize>,
    /// Distance between the numbers of neighbouring coordinates, on each side.
    distances: [usize; 2],
}

/// Rows of the same runs between the same ranks.
#[derive(Clone, Copy, Debug)]
pub struct RowsBetween<'a> {
    pub count: usize,
    pub row_runs: &'a RowRuns,
    /// By coordinate along the row.
    pub sources: &'a [RowEnd],
    pub destinations: &'a [RowEnd],
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
        self.descend(walk, 0, copy);
    }

    fn descend(&self, walk: &mut Walk, depth: usize, copy: &mut impl FnMut(RowsBetween<'_>)) {
        let Some(dim) = self.dims.get(depth) else { return self.rows(walk, (1, 0), copy) };
        let (mut index, end) = (walk.tile[depth].start, walk.tile[depth].end);
        let to = dim.axis.side(Side::Destination);
        loop {
            index = match dim.here {
                Some(here) => to.next_owned(here, index).unwrap_or(end),
                None => index,
            };
            if index >= end {
                return;
            }
            let ends = SIDES.map(|side| dim.axis.side(side).block_end(index));
            walk.positions[depth] = dim.places(index);
            let piece_end = min(min(ends[0], ends[1]), end);
            if depth + 1 == self.dims.len() {
                self.rows(walk, (piece_end - index, 0), copy);
                index = piece_end;
            }
            while index < piece_end {
                self.descend(walk, depth + 1, copy);
                index += 1;
                walk.positions[depth].iter_mut().for_each(|place| place.local += 1);
            }
        }
    }

    /// Visits `count` rows along the fastest slower dimension from the current indices on, `further`
    /// on in the destination's local arrays.
    pub(super) fn rows(
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
    pub fn places(&self, index: usize) -> [DimPosition; 2] {
        SIDES.map(|side| self.place(side, index))
    }

    fn place(&self, side: Side, index: usize) -> DimPosition {
        let section = self.axis.side(side);
        let coordinate = section.owner(index);
        let extent = section.deal().numroc(coordinate);
        DimPosition {
            local: section.local(index),
            extent,
            number: coordinate * self.distances[side as usize],
        }
    }
}

pub(super) const SIDES: [Side; 2] = [Side::Source, Side::Destination];
