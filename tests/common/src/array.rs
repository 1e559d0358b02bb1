//! Arrays of any number of dimensions, dealt element by element.
//!
//! A side takes its stored array's indices in the order of storage, and appends every element to
//! its owner's list: its place there is the local offset. Only [`planned`] uses the planner.

use crate::dealing::{Blocks, Deal, Dealt};
use crate::message::Message;
use redist::layout::{Dist, RankOrder, Ranks, StorageOrder};
use redist::{Layout, Plan};
use std::array::from_fn;
use std::collections::BTreeMap;
use std::iter::successors;

pub type Place = (usize, usize);

/// For each pair of ranks, (source offset, destination offset) of every element, in message order.
pub type Messages = BTreeMap<(usize, usize), Vec<(usize, usize)>>;

/// One side, dealt: the place of each element, each rank's length, and the rank at each point.
#[derive(Clone, Debug)]
pub struct Stored<const D: usize> {
    pub places: Table<Place, D>,
    pub lengths: BTreeMap<usize, usize>,
    pub grid: Table<usize, D>,
    pub dealt: [Dealt; D],
}

/// A value for each index, faster than a map.
#[derive(Clone, Debug)]
pub struct Table<T, const D: usize> {
    extents: [usize; D],
    values: Vec<T>,
}

impl<T: Copy + Default, const D: usize> Table<T, D> {
    fn new(extents: [usize; D]) -> Self {
        Self { extents, values: vec![T::default(); extents.iter().product()] }
    }

    fn place(&self, index: [usize; D]) -> usize {
        let mut place = 0;
        for (axis, extent) in self.extents.iter().enumerate() {
            assert!(index[axis] < *extent, "{index:?} is outside");
            place = place * extent + index[axis];
        }
        place
    }

    pub fn get(&self, index: [usize; D]) -> T {
        self.values[self.place(index)]
    }

    fn set(&mut self, index: [usize; D], value: T) {
        let place = self.place(index);
        self.values[place] = value;
    }

    pub fn iter(&self) -> impl Iterator<Item = ([usize; D], T)> {
        tuples(self.extents, StorageOrder::C).map(|index| (index, self.get(index)))
    }
}

fn tuples<const D: usize>(
    extents: [usize; D],
    order: StorageOrder,
) -> impl Iterator<Item = [usize; D]> {
    let fastest_first: [usize; D] = from_fn(|axis| match order {
        StorageOrder::C => D - 1 - axis,
        StorageOrder::Fortran => axis,
    });
    let first = (!extents.contains(&0)).then_some([0; D]);
    successors(first, move |index| {
        let mut next = *index;
        // As in an odometer, a dimension at its end starts again, and the next one moves on.
        let moved = fastest_first.into_iter().find(|&axis| {
            next[axis] = if next[axis] + 1 < extents[axis] { next[axis] + 1 } else { 0 };
            next[axis] > 0
        });
        moved.map(|_| next)
    })
}

pub fn deal(dist: Dist, extent: usize, ranks: usize, first: usize) -> Deal {
    let blocks = match dist {
        Dist::Collapsed => Blocks::Of(extent.max(1)),
        Dist::Block => {
            Blocks::Of((1..).find(|block| block * ranks >= extent).expect("some block is enough"))
        }
        Dist::BlockOf(block) | Dist::Cyclic(block) => Blocks::Of(block),
        Dist::Balanced { last } => Blocks::balanced(extent, ranks, last),
        Dist::GenBlock(sizes) => Blocks::Given(sizes),
        Dist::Blocks { cuts, owners } => Blocks::Listed { cuts, owners },
        Dist::Split(factors) => Blocks::Split(factors),
        Dist::Points(lengths) => Blocks::Rows { lengths, turn: 1, parts: ranks },
        Dist::Rows { lengths, turn, points } => {
            let groups = ranks / points;
            let enough = |turn: &usize| turn * groups >= lengths.len();
            let turn = turn.or_else(|| (1..).find(enough)).expect("some turn is enough");
            Blocks::Rows { lengths, turn, parts: points }
        }
    };
    Deal { extent, blocks, ranks, first }
}

/// Deals one side's stored array; `moved` are the extents of the moved part in its axes.
pub fn store<const D: usize>(moved: [usize; D], layout: &Layout<D>) -> Stored<D> {
    let extents = layout.of.unwrap_or(moved);
    let dealt: [Dealt; D] = from_fn(|axis| {
        let (ranks, first) = (layout.grid[axis], layout.first[axis]);
        deal(layout.dists[axis], extents[axis], ranks, first).simulate()
    });
    let grid = number_the_grid(layout);
    let mut lengths: BTreeMap<usize, usize> = grid.iter().map(|(_, rank)| (rank, 0)).collect();
    let mut places = Table::new(extents);
    for index in tuples(extents, layout.storage) {
        let owner = grid.get(from_fn(|axis| dealt[axis].owner[index[axis]]));
        let length = lengths.get_mut(&owner).expect("owners are in the grid");
        places.set(index, (owner, *length));
        *length += 1;
    }
    Stored { places, lengths, grid, dealt }
}

/// Numbers the points of the grid, row by row or column by column; with a map, in its order.
fn number_the_grid<const D: usize>(layout: &Layout<D>) -> Table<usize, D> {
    let order = match layout.order {
        RankOrder::Row => StorageOrder::C,
        RankOrder::Col => StorageOrder::Fortran,
    };
    let mut grid = Table::new(layout.grid);
    for (number, point) in tuples(layout.grid, order).enumerate() {
        let rank = match layout.ranks {
            Ranks::From(first) => first + number,
            Ranks::Map(list) => list[number],
        };
        grid.set(point, rank);
    }
    grid
}

pub fn permuted<const D: usize>(extents: [usize; D], axes: [usize; D]) -> [usize; D] {
    let mut permuted = [0; D];
    for (axis, &becomes) in axes.iter().enumerate() {
        permuted[becomes] = extents[axis];
    }
    permuted
}

pub fn messages<const D: usize>(extents: [usize; D], from: &Layout<D>, to: &Layout<D>) -> Messages {
    messages_in_order(extents, from, to, from.storage)
}

/// Returns all messages, their elements by increasing index of the moved part in the source's axes.
pub fn messages_in_order<const D: usize>(
    extents: [usize; D],
    from: &Layout<D>,
    to: &Layout<D>,
    order: StorageOrder,
) -> Messages {
    let axes = to.axes;
    let (source, destination) = (store(extents, from), store(permuted(extents, axes), to));
    let mut messages = Messages::new();
    for index in tuples(extents, order) {
        let (here, there) = (shift(index, from.at), shift(permuted(index, axes), to.at));
        let ((p, source_offset), (q, destination_offset)) =
            (source.places.get(here), destination.places.get(there));
        let message = messages.entry((p, q)).or_default();
        message.push((source_offset, destination_offset));
    }
    messages
}

type Simulator<const D: usize> =
    (fn([usize; D], &Layout<D>) -> Stored<D>, fn([usize; D], &Layout<D>, &Layout<D>) -> Messages);

/// The simulator for one to three dimensions, compiled here, as test binaries are not optimised.
pub static SIMULATORS: (Simulator<1>, Simulator<2>, Simulator<3>) =
    ((store, messages), (store, messages), (store, messages));

fn shift<const D: usize>(index: [usize; D], at: [usize; D]) -> [usize; D] {
    from_fn(|axis| index[axis] + at[axis])
}

pub fn planned<const D: usize>(plan: &Plan<D>) -> Messages {
    let ranks = 0..plan.ranks();
    let mut messages = Messages::new();
    for (p, q) in ranks.clone().flat_map(|p| ranks.clone().map(move |q| (p, q))) {
        for run in Message::new(plan, p, q).runs() {
            let element = |number| {
                (
                    run.source_offset + number * run.source_stride,
                    run.destination_offset + number * run.destination_stride,
                )
            };
            messages.entry((p, q)).or_default().extend((0..run.len).map(element));
        }
    }
    messages
}
