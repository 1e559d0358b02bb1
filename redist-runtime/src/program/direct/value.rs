//! Everything that is copied directly, as a walk over tiles of the array.

use super::chunks::Chunks;
use super::lattice::{Lattice, Spacing};
use super::overlap::{Overlap, Part};
use super::tiles;
use crate::arithmetic::min;
use crate::plan::{AnyPlan, Side};
use crate::program::Level;
use core::ops::Range;

/// The copies that make up the messages to one rank, from their senders' local arrays straight to its own.
///
/// The array is taken in tiles that fit a cache, and everything in a tile is copied before the next tile's turn: each
/// cache line of the destination is written to once, however many ranks' elements share it, and receivers that go at
/// about the same pace find each other's source lines in the cache that they share. The canonical order of messages
/// plays no part.
///
/// Memory: the runs of one period for each coordinate that the rank receives from along a dimension, and a line for each
/// message.
#[derive(Clone, Debug)]
pub struct DirectProgram {
    /// Slowest loop first: in the order of the destination's storage, but for the source's fastest dimension, which is
    /// never further out than the last but one.
    levels: Vec<DirectLevel>,
    /// The rank that each message comes from.
    senders: Vec<usize>,
    /// Strides of each message along each level, in the source's and in the destination's local array.
    strides: Vec<(usize, usize)>,
}

#[derive(Clone, Debug)]
struct DirectLevel {
    /// Of the source.
    dimension: usize,
    len: usize,
    /// Elements of a tile along this dimension.
    tile: usize,
    overlaps: Vec<Overlap>,
    /// Distance between the messages of neighbouring overlaps.
    message_stride: usize,
}

impl DirectLevel {
    fn tiles(&self) -> usize {
        self.len.div_ceil(self.tile)
    }
}

/// Where a walk is: memory that it needs, allocated once.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    tile: Vec<Range<usize>>,
    parts: Vec<(usize, Part)>,
}

impl DirectProgram {
    /// The messages of a plan to `rank`, to be copied in tiles of about `tile` elements. None, where the rank is outside
    /// the destination's grid.
    pub fn new(plan: &AnyPlan, rank: usize, tile: usize) -> Self {
        let mut program = Self { levels: Vec::new(), senders: Vec::new(), strides: Vec::new() };
        let coordinates = plan.descriptor(Side::Destination).coordinates(rank);
        let Some(coordinates) = coordinates.filter(|_| !plan.is_empty()) else {
            return program;
        };
        let dimensions = tiles::nest_order(plan);
        let shape = tiles::shape(plan, &dimensions, tile);
        let level = |(&dimension, tile): (&usize, usize)| {
            let (axis, here) = (plan.axis(dimension), coordinates[plan.destination_axis(dimension)]);
            let peers = Level::new(axis, &[], Side::Destination, here).peers;
            let overlaps = peers.into_iter().map(|source| Overlap::new(axis, source, here)).collect();
            DirectLevel { dimension, len: axis.len(), tile, overlaps, message_stride: 1 }
        };
        program.levels = dimensions.iter().zip(shape).map(level).collect();
        program.list_messages(plan, &dimensions, rank);
        program
    }

    fn list_messages(&mut self, plan: &AnyPlan, dimensions: &[usize], rank: usize) {
        let mut messages = 1;
        for level in self.levels.iter_mut().rev() {
            level.message_stride = messages;
            messages *= level.overlaps.len();
        }
        let (from, to) = (plan.descriptor(Side::Source), plan.descriptor(Side::Destination));
        let there = to.strides(&to.local_extents(rank).unwrap_or_else(|| vec![0; dimensions.len()]));
        for message in 0..messages {
            let mut sender = from.ranks_from();
            for (&dimension, level) in dimensions.iter().zip(&self.levels) {
                let coordinate = level.overlaps[message / level.message_stride % level.overlaps.len()].source;
                sender += coordinate * from.rank_distance(dimension);
            }
            let here = from.strides(&from.local_extents(sender).unwrap_or_else(|| vec![0; dimensions.len()]));
            let strides = |&dimension: &usize| (here[dimension], there[plan.destination_axis(dimension)]);
            self.senders.push(sender);
            self.strides.extend(dimensions.iter().map(strides));
        }
    }

    /// The ranks that messages come from.
    pub fn senders(&self) -> &[usize] {
        &self.senders
    }

    /// Memory for walks over this program.
    pub fn walk(&self) -> Walk {
        Walk { tile: vec![0..0; self.levels.len()], parts: Vec::with_capacity(self.levels.len()) }
    }

    /// Everything that is to be copied, each element once: `copy` is given the rank to copy from, and places in the local
    /// arrays. Allocates nothing.
    pub fn for_each(&self, walk: &mut Walk, copy: &mut impl FnMut(usize, Lattice)) {
        (0..self.tiles()).for_each(|tile| self.for_each_of_tile(walk, tile, copy));
    }

    /// How many tiles of about `tile` elements the array has, for every rank.
    pub fn tiles_of(plan: &AnyPlan, tile: usize) -> usize {
        let dimensions = tiles::nest_order(plan);
        let shape = tiles::shape(plan, &dimensions, tile);
        let along = |(&dimension, tile): (&usize, usize)| plan.axis(dimension).len().div_ceil(tile);
        dimensions.iter().zip(shape).map(along).fold(1, usize::saturating_mul)
    }

    /// How many tiles there are; none where the rank receives nothing.
    pub fn tiles(&self) -> usize {
        match self.senders.is_empty() {
            true => 0,
            false => self.levels.iter().map(DirectLevel::tiles).fold(1, usize::saturating_mul),
        }
    }

    /// What of it lies in one tile of the array, the same one for every rank. Allocates nothing.
    pub fn for_each_of_tile(&self, walk: &mut Walk, tile: usize, copy: &mut impl FnMut(usize, Lattice)) {
        let mut number = tile;
        for (elements, level) in walk.tile.iter_mut().zip(&self.levels).rev() {
            let start = number % level.tiles() * level.tile;
            *elements = start..min(start.saturating_add(level.tile), level.len);
            number /= level.tiles();
        }
        self.messages(walk, 0, copy);
    }

    /// What of it comes in one round, where every rank shows its source array chunk by chunk, each in an order of its own;
    /// `shown` tells the number of the chunk that one of the [`senders`](Self::senders) shows. `copy` is given the rank to
    /// copy from, where the chunk begins in its local array, and places in the local arrays. All rounds one after the other
    /// are [`for_each`](Self::for_each) in another order. Allocates nothing.
    pub fn for_each_of_round(
        &self,
        walk: &mut Walk,
        chunks: &Chunks,
        shown: impl Fn(usize) -> usize,
        copy: &mut impl FnMut(usize, usize, Lattice),
    ) {
        for (message, &sender) in self.senders.iter().enumerate() {
            let number = shown(sender);
            let (strides, _) = self.message(message);
            let mut start = 0;
            walk.parts.clear();
            for (level, stride) in self.levels.iter().zip(strides) {
                let overlap = message / level.message_stride % level.overlaps.len();
                let indices = chunks.indices(number, level.dimension);
                start += stride.0 * indices.start;
                let part = level.overlaps[overlap].part_of(Side::Source, indices);
                walk.parts.extend(part.map(|part| (overlap, part)));
            }
            if walk.parts.len() == self.levels.len() {
                self.nest(&walk.parts, strides, (0, 0), &mut |lattice| copy(sender, start, lattice));
            }
            walk.parts.clear();
        }
    }

    /// Strides of a message along the levels, and the rank that it comes from.
    fn message(&self, message: usize) -> (&[(usize, usize)], usize) {
        let depth = self.levels.len();
        (&self.strides[message * depth..][..depth], self.senders[message])
    }

    /// Every message that has something in the tile.
    fn messages(&self, walk: &mut Walk, message: usize, copy: &mut impl FnMut(usize, Lattice)) {
        let depth = walk.parts.len();
        let Some(level) = self.levels.get(depth) else {
            let (strides, sender) = self.message(message);
            return self.nest(&walk.parts, strides, (0, 0), &mut |lattice| copy(sender, lattice));
        };
        for (number, overlap) in level.overlaps.iter().enumerate() {
            if let Some(part) = overlap.part(&walk.tile[depth]) {
                walk.parts.push((number, part));
                self.messages(walk, message + number * level.message_stride, copy);
                walk.parts.pop();
            }
        }
    }

    /// The loop nest of one message in one tile.
    fn nest(
        &self,
        parts: &[(usize, Part)],
        strides: &[(usize, usize)],
        at: (usize, usize),
        copy: &mut impl FnMut(Lattice),
    ) {
        let ([(number, part), faster @ ..], [stride, faster_strides @ ..]) = (parts, strides) else { return };
        let depth = self.levels.len() - parts.len();
        let overlap = &self.levels[depth].overlaps[*number];
        if faster.is_empty() {
            return overlap.for_each(part, &mut |lattice| spread(lattice, *stride, at, copy));
        }
        overlap.for_each(part, &mut |lattice| {
            for (source, destination) in lattice.runs() {
                let at = (at.0 + source * stride.0, at.1 + destination * stride.1);
                let rows = Spacing { count: lattice.len, source: stride.0, destination: stride.1 };
                match faster {
                    [(number, part)] if rows.count > 1 && (stride.0 == 1 || faster_strides[0] == (1, 1)) => {
                        // Neighbours of the source, in rows: a block that is copied across. Or runs: each in all rows, so
                        // that finding it is worth its time.
                        let overlap = &self.levels[depth + 1].overlaps[*number];
                        let across = &mut |row| across(row, rows, copy);
                        overlap.for_each(part, &mut |lattice| spread(lattice, faster_strides[0], at, across));
                    }
                    _ => {
                        for row in 0..rows.count {
                            let at = (at.0 + row * rows.source, at.1 + row * rows.destination);
                            self.nest(faster, faster_strides, at, copy);
                        }
                    }
                }
            }
        });
    }
}

/// Single elements, or one row of them, in rows; what are rows already, one after the other.
fn across(lattice: Lattice, rows: Spacing, copy: &mut impl FnMut(Lattice)) {
    for row in 0..lattice.outer.count {
        let row = lattice.shifted(row * lattice.outer.source, row * lattice.outer.destination);
        copy(Lattice { outer: rows, ..row });
    }
}

/// A lattice of indices as one of offsets: runs stay runs only where neighbours lie together in both arrays.
#[inline]
fn spread(lattice: Lattice, strides: (usize, usize), at: (usize, usize), copy: &mut impl FnMut(Lattice)) {
    let spaced = |spacing: Spacing| Spacing {
        source: spacing.source * strides.0,
        destination: spacing.destination * strides.1,
        ..spacing
    };
    let offset = |(source, destination)| (at.0 + source * strides.0, at.1 + destination * strides.1);
    let (source, destination) = offset((lattice.source, lattice.destination));
    if strides == (1, 1) || lattice.len == 1 {
        let (inner, outer) = (spaced(lattice.inner), spaced(lattice.outer));
        return copy(Lattice { source, destination, inner, outer, ..lattice });
    }
    let elements = spaced(Spacing { count: lattice.len, source: 1, destination: 1 });
    for run in lattice.runs() {
        let (source, destination) = offset(run);
        copy(Lattice { source, destination, len: 1, inner: elements, outer: Spacing::ONE });
    }
}
