//! Everything that is copied directly, as rows of the array, each of them for all pairs of ranks together.

use super::interleaving::Interleaving;
use super::tiles;
use crate::arithmetic::{max, min};

use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

/// How an array is taken apart; both in elements.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// In a tile, about.
    pub tile: usize,
    /// In runs that are long, so that it does not matter what is copied between one and the next.
    pub long: usize,
}

/// All copies of a move, or those to one rank, along the rows that both sides store together: a row is copied from all
/// ranks that have some of it to all that get some of it, in one walk forward through their local arrays.
///
/// A cache line is so used at one time, however many ranks' elements share it, and runs are found in a table of one period.
#[derive(Clone, Debug)]
pub struct RowProgram {
    interleaving: Interleaving,
    /// Elements of a row in a tile.
    tile: usize,
    /// The slower dimensions, slowest first, as the destination stores them.
    levels: Vec<RowLevel>,
    /// The levels as the source stores them, fastest first.
    source_order: Vec<usize>,
    /// What rank number a coordinate along the row adds, and the extent of its local arrays, on each side.
    ends: [Vec<(usize, usize)>; 2],
}

#[derive(Clone, Debug)]
struct RowLevel {
    axis: Axis,
    /// Elements of a tile along this dimension.
    tile: usize,
    /// The destination's coordinate, if there is only one.
    here: Option<usize>,
    /// Distance between the ranks of neighbouring coordinates, on each side.
    ranks: [usize; 2],
}

/// Where a walk is: memory that it needs, allocated once.
#[derive(Clone, Debug, Default)]
pub struct RowWalk {
    ranges: Vec<Range<usize>>,
    at: Vec<[Place; 2]>,
    rows: [Vec<(usize, usize)>; 2],
}

/// An index along one dimension, on one side.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    local: usize,
    /// Of the local arrays of its coordinate.
    extent: usize,
    /// What the coordinate adds to the number of a rank.
    rank: usize,
}

/// A row, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The runs of the dimension.
    pub interleaving: &'a Interleaving,
    /// Where the row is, for each of the source's coordinates, in this order: the rank, and where it begins in its array.
    pub sources: &'a [(usize, usize)],
    /// The same on the side of the destination.
    pub destinations: &'a [(usize, usize)],
    /// Indices of the row.
    pub elements: &'a Range<usize>,
}

impl RowProgram {
    /// The messages of a plan to one rank, or all of them; `None` where rows are not stored together on both sides, or are
    /// better copied message by message, and where the rank receives nothing.
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
        let here = |dimension: usize| here.as_ref().map(|here| here[plan.destination_axis(dimension)]);
        let distance = |side, dimension| plan.descriptor(side).rank_distance(plan.axis_on(side, dimension));
        let interleaving = Interleaving::new(plan.axis(row), here(row), grain.long)?;
        let tile = interleaving.tile(grain.tile);
        let mut room = max(grain.tile / tile, 1);
        let level = |&dimension: &usize| {
            let axis = *plan.axis(dimension);
            let tile = max(min(tiles::whole_periods(&axis, room), axis.len()), 1);
            room = max(room / tile, 1);
            let ranks = SIDES.map(|side| distance(side, dimension));
            RowLevel { axis, tile, here: here(dimension), ranks }
        };
        let mut levels: Vec<_> = slower.iter().rev().map(level).collect();
        levels.reverse();
        let source_order = plan.descriptor(Side::Source).stored_order().rev().skip(1);
        let level_of = |dimension: usize| order.iter().position(|other| *other == dimension);
        let ends = SIDES.map(|side| {
            let (axis, distance) = (plan.axis(row), distance(side, row));
            let end = |&coordinate: &usize| (coordinate * distance, axis.side(side).deal().numroc(coordinate));
            let mut ends: Vec<_> = interleaving.coordinates(side).iter().map(end).collect();
            ends.iter_mut().for_each(|end| end.0 += plan.descriptor(side).ranks_from());
            ends
        });
        Some(Self { tile, levels, source_order: source_order.filter_map(level_of).collect(), ends, interleaving })
    }

    /// Memory for walks over this program.
    pub fn walk(&self) -> RowWalk {
        RowWalk {
            ranges: vec![0..0; self.levels.len() + 1],
            at: vec![[Place::default(); 2]; self.levels.len()],
            rows: [0, 1].map(|side| vec![(0, 0); self.ends[side].len()]),
        }
    }

    /// How many tiles there are.
    pub fn tiles(&self) -> usize {
        let tiles = (0..=self.levels.len()).map(|step| self.along(step)).map(|(tile, len)| len.div_ceil(tile));
        tiles.fold(1, usize::saturating_mul)
    }

    /// Elements of a tile along a level or, last, along rows; and of the array.
    fn along(&self, step: usize) -> (usize, usize) {
        match self.levels.get(step) {
            Some(level) => (level.tile, level.axis.len()),
            None => (self.tile, self.interleaving.len()),
        }
    }

    /// Everything that is to be copied, each element once. Allocates nothing.
    pub fn for_each(&self, walk: &mut RowWalk, copy: &mut impl FnMut(Row<'_>)) {
        for (step, range) in walk.ranges.iter_mut().enumerate() {
            *range = 0..self.along(step).1;
        }
        self.descend(walk, 0, copy);
    }

    /// What of it lies in one tile of the array. Allocates nothing.
    pub fn for_each_of_tile(&self, walk: &mut RowWalk, tile: usize, copy: &mut impl FnMut(Row<'_>)) {
        let mut number = tile;
        for step in (0..walk.ranges.len()).rev() {
            let (tile, len) = self.along(step);
            let tiles = len.div_ceil(tile);
            let start = number % tiles * tile;
            walk.ranges[step] = start..min(start.saturating_add(tile), len);
            number /= tiles;
        }
        self.descend(walk, 0, copy);
    }

    /// All indices of one level, and of those below.
    fn descend(&self, walk: &mut RowWalk, depth: usize, copy: &mut impl FnMut(Row<'_>)) {
        let Some(level) = self.levels.get(depth) else { return self.row(walk, copy) };
        let (mut index, end) = (walk.ranges[depth].start, walk.ranges[depth].end);
        let to = level.axis.side(Side::Destination);
        loop {
            index = match level.here {
                Some(here) => to.next_owned(here, index).unwrap_or(end),
                None => index,
            };
            if index >= end {
                return;
            }
            let ends = SIDES.map(|side| level.axis.side(side).block_end(index));
            walk.at[depth] = SIDES.map(|side| level.place(side, index));
            let piece_end = min(min(ends[0], ends[1]), end);
            while index < piece_end {
                self.descend(walk, depth + 1, copy);
                index += 1;
                walk.at[depth].iter_mut().for_each(|place| place.local += 1);
            }
        }
    }

    /// The row at the indices of all levels.
    fn row(&self, walk: &mut RowWalk, copy: &mut impl FnMut(Row<'_>)) {
        let RowWalk { ranges, at, rows } = walk;
        let fastest_first = |level: usize| self.levels.len() - 1 - level;
        for side in SIDES {
            let (mut rank, mut number, mut rows_before) = (0, 0, 1);
            for step in 0..self.levels.len() {
                let level = if side == Side::Source { self.source_order[step] } else { fastest_first(step) };
                let place = at[level][side as usize];
                rank += place.rank;
                number += place.local * rows_before;
                rows_before *= place.extent;
            }
            for (row, (base, extent)) in rows[side as usize].iter_mut().zip(&self.ends[side as usize]) {
                *row = (base + rank, number * extent);
            }
        }
        let elements = &ranges[self.levels.len()];
        copy(Row { interleaving: &self.interleaving, sources: &rows[0], destinations: &rows[1], elements });
    }
}

impl RowLevel {
    fn place(&self, side: Side, index: usize) -> Place {
        let section = self.axis.side(side);
        let coordinate = section.owner(index);
        let extent = section.deal().numroc(coordinate);
        Place { local: section.local(index), extent, rank: coordinate * self.ranks[side as usize] }
    }
}

const SIDES: [Side; 2] = [Side::Source, Side::Destination];
