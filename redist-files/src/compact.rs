//! Plans the move of one box between the cells of both sides that hold some of it.

use super::region::{Region, RegionAxis};
use super::side::StoredSide;
use redist_plan::layout::{BlockCyclic, Dist, Layout};
use redist_plan::plan::{Plan, Side};
use std::ops::Range;

/// A box on one side, with a grid of its own.
pub struct BoxSide<const D: usize> {
    /// Indices of the box in the stored array, by the side's axes.
    stored: [Range<usize>; D],
    /// Coordinate that holds all of them along an axis, if one does.
    fixed: [Option<usize>; D],
    /// The side of the box's own plan.
    own: redist_plan::layout::Descriptor<D>,
}

/// Plans the box with these indices, in the source's axes. A dimension that one coordinate holds is
/// not distributed.
pub fn compact<const D: usize>(
    plan: &Plan<D>,
    sides: [&StoredSide<D>; 2],
    ranges: &[Range<usize>; D],
) -> Result<(Plan<D>, [BoxSide<D>; 2]), String> {
    let extents = core::array::from_fn(|dimension| ranges[dimension].len());
    let [from, to] = sides.map(|side| {
        let mut stored = core::array::from_fn(|_| 0..0);
        for (dimension, range) in ranges.iter().enumerate() {
            let axis = plan.axis_on(side.side, dimension);
            let at = side.descriptor.layout().at[axis];
            stored[axis] = range.start + at..range.end + at;
        }
        stored
    });
    let (from_layout, from_fixed) = layout(sides[0], &from);
    let (to_layout, to_fixed) = layout(sides[1], &to);
    let own = Plan::new(extents, from_layout, to_layout)
        .map_err(|error| format!("the box {ranges:?} cannot be planned: {error}"))?;
    let side = |side: Side, stored, fixed| BoxSide { stored, fixed, own: *own.descriptor(side) };
    let box_sides = [side(Side::Source, from, from_fixed), side(Side::Destination, to, to_fixed)];
    Ok((own, box_sides))
}

fn layout<const D: usize>(
    side: &StoredSide<D>,
    stored: &[Range<usize>; D],
) -> (Layout<D>, [Option<usize>; D]) {
    let of = side.descriptor.layout();
    let (mut own, mut fixed) = (Layout::new([Dist::Collapsed; D], [1; D]), [None; D]);
    let (mut extents, mut starts) = ([0; D], [0; D]);
    for (axis, range) in stored.iter().enumerate() {
        let deal: BlockCyclic = side.descriptor.axis(axis);
        let block = deal.block_at(range.start);
        extents[axis] = range.len();
        if deal.ranks() == 1 || block.end() >= range.end {
            fixed[axis] = Some(deal.owner(range.start));
        } else {
            own.dists[axis] = Dist::Cyclic(block.len);
            own.grid[axis] = deal.ranks();
            own.first[axis] = deal.owner(range.start);
            starts[axis] = range.start - block.start;
            extents[axis] += starts[axis];
        }
    }
    (own.storage(of.storage).axes(of.axes).of(extents).at(starts), fixed)
}

impl<const D: usize> BoxSide<D> {
    pub fn cells(&self) -> usize {
        self.own.ranks()
    }

    pub fn local_len(&self, cell: usize) -> usize {
        self.own.local_len(cell)
    }

    fn coordinates(&self, cell: usize) -> ([usize; D], [usize; D]) {
        let own = self.own.coordinates(cell).unwrap_or([0; D]);
        (own, core::array::from_fn(|axis| self.fixed[axis].unwrap_or(own[axis])))
    }

    /// Returns a cell's rank, and its part of the box in the rank's local array.
    pub fn region(&self, side: &StoredSide<D>, cell: usize) -> (usize, Region<D>) {
        let (own, coordinates) = self.coordinates(cell);
        let at = self.own.layout().at;
        let region = side.stored_order().map(|axis| {
            let (deal, coordinate) = (side.descriptor.axis(axis), coordinates[axis]);
            let below = |index| deal.owned_below(coordinate, index);
            let Range { start, end } = self.stored[axis];
            let compact = self.own.axis(axis);
            RegionAxis {
                stored: (deal.numroc(coordinate), below(start)),
                buffer: (compact.numroc(own[axis]), compact.owned_below(own[axis], at[axis])),
                count: below(end) - below(start),
            }
        });
        (side.number(coordinates), Region(region))
    }

    /// Lists the cell's parts of the box along an axis: the first index in the cell's array and in
    /// the section, and their number.
    pub fn stretches(
        &self,
        side: &StoredSide<D>,
        cell: usize,
        axis: usize,
    ) -> impl Iterator<Item = (usize, usize, usize)> + use<D> {
        let (own, coordinates) = self.coordinates(cell);
        let (deal, coordinate) = (side.descriptor.axis(axis), coordinates[axis]);
        let compact = self.own.axis(axis);
        let Range { start, end } = self.stored[axis];
        let (section, at) = (side.descriptor.layout().at[axis], self.own.layout().at[axis]);
        let mut place = compact.owned_below(own[axis], at);
        let (mut local, last) =
            (deal.owned_below(coordinate, start), deal.owned_below(coordinate, end));
        core::iter::from_fn(move || {
            let index = if local < last { deal.global(coordinate, local)? } else { return None };
            let len = match deal.ranks() {
                1 => last - local,
                _ => deal.block_at(index).end().min(end) - index,
            };
            let stretch = (place, index - section, len);
            (place, local) = (place + len, local + len);
            Some(stretch)
        })
    }
}
