//! Copies from senders' arrays to one rank's array, message by message.

use super::chunks::Chunks;
use super::overlap::{Overlap, OverlapPart};
use super::strided_copy::{Spacing, StridedCopy};
use super::tiles::{self, Tiles, Walk};
use crate::plan::{AnyPlan, Side, WindowTable};
use crate::program::value::message_order;
use crate::program::{LoopDim, StridedArray, StridedArrays};

/// The copies of all messages to one rank, from their senders' local arrays to its own, tile by
/// tile, because a tile fits a cache. Each cache line of the destination is written once.
#[derive(Clone, Debug, Default)]
pub struct DirectProgram {
    /// Slowest first in the destination's order; the source's fastest is at least the last but one.
    dims: Vec<DirectDim>,
    tiles: Tiles,
    /// Sender of each message, numbered in the communicator.
    senders: Vec<usize>,
    /// Strides of each message along each dimension, in the source's and in the destination's
    /// array.
    strides: Vec<(usize, usize)>,
    /// Elements in memory before the local arrays of each message, on both sides.
    starts: Vec<(usize, usize)>,
}

/// One level of the loop nest, with its overlaps.
#[derive(Clone, Debug)]
struct DirectDim {
    /// Dimension of the source.
    dimension: usize,
    overlaps: Vec<Overlap>,
    /// Difference between the numbers of messages whose overlaps are neighbours.
    message_stride: usize,
}

/// The arrays that a program reads.
#[derive(Clone, Copy)]
enum From<'a> {
    /// Each sender's local array.
    Arrays(&'a dyn Fn(usize) -> StridedArray),
    /// Packed messages, whose elements lie in this order of dimensions.
    Messages(&'a [usize]),
}

impl DirectProgram {
    /// Makes the copies to `rank`, in tiles of about `tile` elements; none outside the grid. Arrays
    /// are dense unless they are given.
    pub fn new(plan: &AnyPlan, rank: usize, tile: usize, arrays: Option<&StridedArrays>) -> Self {
        let array = |side: Side, rank: usize| match arrays {
            Some(arrays) => arrays[rank][side as usize].clone(),
            None => StridedArray::dense(plan.descriptor(side), rank),
        };
        let there = array(Side::Destination, rank);
        let from = |sender| array(Side::Source, sender);
        Self::to_array(plan, (rank, &there), tile, From::Arrays(&from))
    }

    /// Makes the copies from packed messages to this array of `rank`, in tiles of about `tile`
    /// elements of a message. Places of the source count in a message.
    pub fn from_messages(plan: &AnyPlan, to: (usize, &StridedArray), tile: usize) -> Self {
        let order: Vec<usize> = message_order(plan).collect();
        Self::to_array(plan, to, of_all_pairs(plan, tile), From::Messages(&order))
    }

    /// Makes the copies from this array of `rank` to packed messages, in tiles as
    /// [`from_messages`](Self::from_messages). The copies are to be reversed: their source is a
    /// message, and its receiver takes the place of the sender.
    pub fn to_messages(plan: &AnyPlan, from: (usize, &StridedArray), tile: usize) -> Self {
        let order = message_order(plan).map(|dimension| plan.destination_axis(dimension));
        let order: Vec<usize> = order.collect();
        Self::to_array(&plan.turned(), from, of_all_pairs(plan, tile), From::Messages(&order))
    }

    /// Makes the copies from each sender's array, or from messages.
    fn to_array(
        plan: &AnyPlan,
        (rank, there): (usize, &StridedArray),
        tile: usize,
        from: From<'_>,
    ) -> Self {
        let mut program = Self::default();
        let coordinates = plan.descriptor(Side::Destination).coordinates(rank);
        let Some(coordinates) = coordinates.filter(|_| !plan.is_empty()) else {
            return program;
        };
        let order = tiles::nest_order(plan);
        let dim = |&dimension: &usize| {
            let (axis, here) =
                (plan.axis(dimension), coordinates[plan.destination_axis(dimension)]);
            let peers = LoopDim::new(axis, WindowTable::NONE, Side::Destination, here).peers;
            let overlap = |source| match from {
                From::Arrays(_) => Overlap::new(axis, source, here),
                From::Messages(_) => Overlap::of_message(axis, source, here),
            };
            DirectDim {
                dimension,
                overlaps: peers.into_iter().map(overlap).collect(),
                message_stride: 1,
            }
        };
        program.dims = order.iter().map(dim).collect();
        program.tiles = Tiles::new(plan, &order, tile);
        program.list_messages(plan, there, from);
        program
    }

    fn list_messages(&mut self, plan: &AnyPlan, there: &StridedArray, from: From<'_>) {
        let mut messages = 1;
        for dim in self.dims.iter_mut().rev() {
            dim.message_stride = messages;
            messages *= dim.overlaps.len();
        }
        let senders = plan.descriptor(Side::Source);
        for message in 0..messages {
            let number = self
                .dims
                .iter()
                .map(|dim| dim.overlap(message).1.source * senders.number_distance(dim.dimension));
            let sender = senders.nth_rank(number.sum());
            let here = match from {
                From::Arrays(array) => array(sender),
                From::Messages(order) => self.packed(order, message),
            };
            let strides = |dim: &DirectDim| {
                let there = there.strides[plan.destination_axis(dim.dimension)];
                (here.strides[dim.dimension], there)
            };
            self.senders.push(sender);
            self.starts.push((here.first, there.first));
            self.strides.extend(self.dims.iter().map(strides));
        }
    }

    /// Returns a message as an array, whose elements lie in this order of dimensions.
    fn packed(&self, order: &[usize], message: usize) -> StridedArray {
        let (mut strides, mut stride) = (vec![0; self.dims.len()], 1);
        for &dimension in order.iter().rev() {
            strides[dimension] = stride;
            let dim = self.dims.iter().find(|dim| dim.dimension == dimension);
            stride *= dim.map_or(1, |dim| dim.overlap(message).1.elements());
        }
        StridedArray { strides, ..StridedArray::default() }
    }

    pub fn senders(&self) -> &[usize] {
        &self.senders
    }

    pub fn walk(&self) -> Walk {
        let dims = self.dims.len();
        Walk { tile: vec![0..0; dims], parts: Vec::with_capacity(dims), ..Walk::default() }
    }

    /// Visits all copies once: the rank to copy from, and places in both arrays.
    pub fn for_each(&self, walk: &mut Walk, copy: &mut impl FnMut(usize, StridedCopy)) {
        (0..self.tiles()).for_each(|tile| self.for_each_of_tile(walk, tile, copy));
    }

    /// Counts the tiles of about `tile` elements, the same for every rank.
    pub fn tiles_of(plan: &AnyPlan, tile: usize) -> usize {
        Tiles::new(plan, &tiles::nest_order(plan), tile).count()
    }

    pub fn tiles(&self) -> usize {
        if self.senders.is_empty() { 0 } else { self.tiles.count() }
    }

    pub fn for_each_of_tile(
        &self,
        walk: &mut Walk,
        tile: usize,
        copy: &mut impl FnMut(usize, StridedCopy),
    ) {
        self.tiles.ranges(tile, &mut walk.tile);
        self.messages(walk, 0, copy);
    }

    /// Visits the copies of one round. `shown` is the number of the chunk that a sender publishes;
    /// `copy` gets the sender, the start of its chunk, and places in the local arrays.
    pub fn for_each_of_round(
        &self,
        walk: &mut Walk,
        chunks: &Chunks,
        shown: impl Fn(usize) -> Option<usize>,
        copy: &mut impl FnMut(usize, usize, StridedCopy),
    ) {
        for (message, &sender) in self.senders.iter().enumerate() {
            let Some(number) = shown(sender) else { continue };
            let (strides, _) = self.message(message);
            let mut start = 0;
            let Walk { parts, .. } = walk;
            let has_some = self.cut(message, parts, |depth, overlap| {
                let dimension = self.dims[depth].dimension;
                let indices = chunks.indices(number, dimension, overlap.start.0);
                start += strides[depth].0 * indices.start;
                overlap.part_of(Side::Source, indices)
            });
            if has_some {
                self.nest(parts, strides, (0, 0), &mut |strided| copy(sender, start, strided));
            }
            parts.clear();
        }
    }

    /// Visits the copies from one sender.
    pub fn for_each_of(&self, walk: &mut Walk, sender: usize, copy: &mut impl FnMut(StridedCopy)) {
        let found = self.senders.iter().position(|other| *other == sender);
        let Some(message) = found else { return };
        let (strides, _) = self.message(message);
        let Walk { tile, parts, .. } = walk;
        for number in 0..self.tiles() {
            self.tiles.ranges(number, tile);
            if self.cut(message, parts, |depth, overlap| overlap.part(&tile[depth])) {
                self.nest(parts, strides, self.starts[message], copy);
            }
            parts.clear();
        }
    }

    /// Lists the parts of a message's overlaps; returns `false` if one is empty.
    fn cut(
        &self,
        message: usize,
        parts: &mut Vec<(usize, OverlapPart)>,
        mut part: impl FnMut(usize, &Overlap) -> Option<OverlapPart>,
    ) -> bool {
        for (depth, dim) in self.dims.iter().enumerate() {
            let (place, overlap) = dim.overlap(message);
            parts.extend(part(depth, overlap).map(|part| (place, part)));
        }
        parts.len() == self.dims.len()
    }

    fn message(&self, message: usize) -> (&[(usize, usize)], usize) {
        let depth = self.dims.len();
        (&self.strides[message * depth..][..depth], self.senders[message])
    }

    fn messages(&self, walk: &mut Walk, message: usize, copy: &mut impl FnMut(usize, StridedCopy)) {
        let depth = walk.parts.len();
        let Some(dim) = self.dims.get(depth) else {
            let (strides, sender) = self.message(message);
            let start = self.starts[message];
            return self.nest(&walk.parts, strides, start, &mut |strided| copy(sender, strided));
        };
        for (number, overlap) in dim.overlaps.iter().enumerate() {
            if let Some(part) = overlap.part(&walk.tile[depth]) {
                walk.parts.push((number, part));
                self.messages(walk, message + number * dim.message_stride, copy);
                walk.parts.pop();
            }
        }
    }

    /// Visits copies of one message. Compiled once, because each copy takes far longer than a call.
    fn nest(
        &self,
        parts: &[(usize, OverlapPart)],
        strides: &[(usize, usize)],
        at: (usize, usize),
        copy: &mut dyn FnMut(StridedCopy),
    ) {
        let ([(number, part), faster @ ..], [stride, faster_strides @ ..]) = (parts, strides)
        else {
            return;
        };
        let depth = self.dims.len() - parts.len();
        let overlap = &self.dims[depth].overlaps[*number];
        if faster.is_empty() {
            return overlap.for_each(part, &mut |strided| spread(strided, *stride, at, copy));
        }
        overlap.for_each(part, &mut |strided| {
            for (source, destination) in strided.runs() {
                let at = (at.0 + source * stride.0, at.1 + destination * stride.1);
                let rows = Spacing { count: strided.len, source: stride.0, destination: stride.1 };
                match faster {
                    [(number, part)]
                        if rows.count > 1 && (stride.0 == 1 || faster_strides[0] == (1, 1)) =>
                    {
                        // Neighbours in the source, in rows: a block to transpose. Or runs: each is
                        // found once for all rows.
                        let overlap = &self.dims[depth + 1].overlaps[*number];
                        let across = &mut |row| across(row, rows, copy);
                        overlap.for_each(part, &mut |strided| {
                            spread(strided, faster_strides[0], at, across)
                        });
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

impl DirectDim {
    /// Returns the overlap of a message, and its place.
    fn overlap(&self, message: usize) -> (usize, &Overlap) {
        let place = message / self.message_stride % self.overlaps.len();
        (place, &self.overlaps[place])
    }
}

/// Returns the elements of a tile of the whole array that has so many of a message.
fn of_all_pairs(plan: &AnyPlan, tile: usize) -> usize {
    let ranks = [Side::Source, Side::Destination].map(|side| plan.descriptor(side).ranks());
    ranks.into_iter().fold(tile, usize::saturating_mul)
}

fn across(strided: StridedCopy, rows: Spacing, copy: &mut dyn FnMut(StridedCopy)) {
    for row in 0..strided.outer.count {
        let row = strided.shifted(row * strided.outer.source, row * strided.outer.destination);
        copy(StridedCopy { outer: rows, ..row });
    }
}

/// Turns indices into offsets; neighbours that lie together in both arrays stay runs.
#[inline]
fn spread(
    strided: StridedCopy,
    strides: (usize, usize),
    at: (usize, usize),
    copy: &mut dyn FnMut(StridedCopy),
) {
    let spaced = |spacing: Spacing| Spacing {
        source: spacing.source * strides.0,
        destination: spacing.destination * strides.1,
        ..spacing
    };
    let offset =
        |(source, destination)| (at.0 + source * strides.0, at.1 + destination * strides.1);
    let (source, destination) = offset((strided.source, strided.destination));
    if strides == (1, 1) || strided.len == 1 {
        let (inner, outer) = (spaced(strided.inner), spaced(strided.outer));
        return copy(StridedCopy { source, destination, inner, outer, ..strided });
    }
    let elements = spaced(Spacing { count: strided.len, source: 1, destination: 1 });
    for run in strided.runs() {
        let (source, destination) = offset(run);
        copy(StridedCopy { source, destination, len: 1, inner: elements, outer: Spacing::ONE });
    }
}
