//! Arrays of any number of dimensions, dealt element by element.
//!
//! A side goes through the indices of its stored array in the order in which ranks store their parts, and appends
//! every element to its owner's list. The place in the list is the local offset: no strides, no products. Only
//! [`planned`], at the end, asks the planner: it puts the planner's messages in the simulator's terms.

use crate::dealing::{Blocks, Deal, Dealt};
use crate::message::Message;
use redist::{Dist, Layout, Plan, RankOrder, StorageOrder};
use std::collections::{BTreeMap, HashMap};

/// A rank of the communicator and an offset in its local array.
pub type Place = (usize, usize);

/// For each pair of ranks, (source offset, destination offset) of every element, in message order.
pub type Messages = BTreeMap<(usize, usize), Vec<(usize, usize)>>;

/// One side, dealt.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Where each element of the stored array is.
    pub places: HashMap<Vec<usize>, Place>,
    /// How many elements each rank of the grid holds, by rank of the communicator.
    pub lengths: BTreeMap<usize, usize>,
    /// The rank at each point of the grid.
    pub grid: HashMap<Vec<usize>, usize>,
    /// Each dimension by itself.
    pub dealt: Vec<Dealt>,
}

/// All index tuples below `extents`, with the last dimension running fastest for `StorageOrder::C`.
pub fn tuples(extents: &[usize], order: StorageOrder) -> Vec<Vec<usize>> {
    let mut tuples = vec![Vec::new()];
    let slowest_first: Vec<usize> = match order {
        StorageOrder::C => extents.to_vec(),
        StorageOrder::Fortran => extents.iter().rev().copied().collect(),
    };
    for extent in slowest_first {
        tuples = tuples.iter().flat_map(|head| extend(head, extent)).collect();
    }
    if order == StorageOrder::Fortran {
        tuples.iter_mut().for_each(|tuple| tuple.reverse());
    }
    tuples
}

fn extend(head: &[usize], extent: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..extent).map(move |index| head.iter().copied().chain([index]).collect())
}

/// The numbers behind a distribution's words.
pub fn deal(dist: Dist, extent: usize, ranks: usize, first: usize) -> Deal {
    let blocks = match dist {
        Dist::Collapsed => Blocks::Of(extent.max(1)),
        Dist::Block => Blocks::Of((1..).find(|block| block * ranks >= extent).expect("some block is enough")),
        Dist::BlockOf(block) | Dist::Cyclic(block) => Blocks::Of(block),
        Dist::GenBlock(sizes) => Blocks::Given(sizes),
    };
    Deal { extent, blocks, ranks, first }
}

/// Deals the stored array of one side; `moved` are the extents of the moved part in this side's axes.
pub fn store<const D: usize>(moved: [usize; D], layout: &Layout<D>) -> Stored {
    let extents = layout.of.unwrap_or(moved);
    let dealt: Vec<Dealt> = (0..D)
        .map(|axis| {
            let (ranks, first) = (layout.grid[axis], layout.first[axis]);
            deal(layout.dists[axis], extents[axis], ranks, first).simulate()
        })
        .collect();
    let grid = number_the_grid(layout);
    let mut lengths: BTreeMap<usize, usize> = grid.values().map(|&rank| (rank, 0)).collect();
    let mut places = HashMap::new();
    for index in tuples(&extents, layout.storage) {
        let owner: Vec<usize> = index.iter().zip(&dealt).map(|(&i, axis)| axis.owner[i]).collect();
        let length = lengths.get_mut(&grid[&owner]).expect("owners are in the grid");
        places.insert(index, (grid[&owner], *length));
        *length += 1;
    }
    Stored { places, lengths, grid, dealt }
}

/// Ranks go to the points of the grid in turn, row by row or column by column.
fn number_the_grid<const D: usize>(layout: &Layout<D>) -> HashMap<Vec<usize>, usize> {
    let order = match layout.order {
        RankOrder::Row => StorageOrder::C,
        RankOrder::Col => StorageOrder::Fortran,
    };
    tuples(&layout.grid, order).into_iter().zip(layout.ranks_from..).collect()
}

/// The extents of the moved part in the destination's axes.
pub fn permuted<const D: usize>(extents: [usize; D], axes: [usize; D]) -> [usize; D] {
    let mut permuted = [0; D];
    for (axis, &becomes) in axes.iter().enumerate() {
        permuted[becomes] = extents[axis];
    }
    permuted
}

/// All messages, their elements in the order of the source's storage.
pub fn messages<const D: usize>(extents: [usize; D], from: &Layout<D>, to: &Layout<D>) -> Messages {
    messages_in_order(extents, from, to, from.storage)
}

/// All messages, their elements in increasing index of the moved part, counted in the source's axes, in any order.
pub fn messages_in_order<const D: usize>(
    extents: [usize; D],
    from: &Layout<D>,
    to: &Layout<D>,
    order: StorageOrder,
) -> Messages {
    let axes = to.axes;
    let (source, destination) = (store(extents, from), store(permuted(extents, axes), to));
    let mut messages = Messages::new();
    for index in tuples(&extents, order) {
        let index: [usize; D] = index.try_into().expect("one number a dimension");
        let (here, there) = (shift(index, from.at), shift(permuted(index, axes), to.at));
        let ((p, source_offset), (q, destination_offset)) = (source.places[&here], destination.places[&there]);
        let message = messages.entry((p, q)).or_default();
        message.push((source_offset, destination_offset));
    }
    messages
}

fn shift<const D: usize>(index: [usize; D], at: [usize; D]) -> Vec<usize> {
    index.iter().zip(at).map(|(index, at)| index + at).collect()
}

/// What the planner says, in the simulator's terms: every run of every message, element by element.
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
