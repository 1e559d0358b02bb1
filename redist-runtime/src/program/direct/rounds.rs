//! In which round a rank shows which chunk of its source array.

use super::chunks::Chunks;
use crate::arithmetic::min;
use crate::plan::{Axis, Plan, Side};
use core::ops::Range;

/// The order in which one rank shows its chunks, one a round.
///
/// Where each chunk has something for every receiver, the order is that of the array: all ranks then show about the same
/// part of the array in a round, and what a receiver writes in a round lies together. Where a chunk is for few receivers,
/// chunks for different ones take turns, and each rank begins with another receiver's, so that all have something to copy in
/// every round (as in the circulant schedules of Park, Prasanna and Raghavendra, §4).
#[derive(Clone, Debug)]
pub struct Order {
    /// `None` where it is that of the array.
    turns: Option<Vec<u32>>,
}

impl Order {
    /// The order of a rank's chunks.
    pub fn new<const D: usize>(plan: &Plan<D>, chunks: &Chunks, rank: usize) -> Self {
        let natural = Self { turns: None };
        let source = plan.descriptor(Side::Source);
        let Some(coordinates) = source.coordinates(rank) else { return natural };
        let axes = (0..D).map(|dimension| (dimension, plan.axis(dimension)));
        let coarse = axes.filter(|(dimension, axis)| is_coarse(axis, chunks, *dimension));
        let mut coarse: Vec<_> =
            coarse.map(|(dimension, axis)| (dimension, Receivers::of(axis, coordinates[dimension]))).collect();
        if coarse.is_empty() || u32::try_from(chunks.count()).is_err() {
            return natural;
        }
        let groups = coarse.iter().map(|(_, receivers)| receivers.ranks()).product();
        let group = |number: usize| {
            coarse.iter_mut().fold(0, |group, (dimension, receivers)| {
                let first = chunks.indices(number, *dimension).start;
                group * receivers.ranks() + receivers.of_local(first)
            })
        };
        let begin = rank - source.layout().base_rank();
        Self { turns: Some(take_turns(chunks.count(), groups, begin, group)) }
    }

    /// The number of the chunk of a round.
    pub fn chunk(&self, round: usize) -> usize {
        self.turns.as_ref().map_or(round, |turns| turns[round] as usize)
    }
}

/// Whether a box is shorter than it takes the destination to come round to all its ranks.
fn is_coarse(axis: &Axis, chunks: &Chunks, dimension: usize) -> bool {
    if axis.is_empty() || chunks.count() == 0 {
        return false;
    }
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    let indices = chunks.indices(0, dimension);
    // Elements of the array from the first to the last of a box: its own, and where blocks are dealt out also the others'.
    let dealt = indices.len() > from.block();
    let span = indices.len().saturating_mul(if dealt { from.ranks() } else { 1 });
    to.ranks() > 1 && span < to.block().saturating_mul(to.ranks())
}

/// Who receives what one coordinate of the source's grid has along a dimension.
struct Receivers {
    axis: Axis,
    coordinate: usize,
    /// Local indices with one receiver, and that receiver: looking up neighbours takes no division.
    last: (Range<usize>, usize),
}

impl Receivers {
    fn of(axis: Axis, coordinate: usize) -> Self {
        Self { axis, coordinate, last: (0..0, 0) }
    }

    /// Ranks along the dimension of the destination's grid.
    fn ranks(&self) -> usize {
        self.axis.side(Side::Destination).ranks()
    }

    /// The coordinate in the destination's grid that a local index of the source goes to; of one outside the moved section,
    /// that of the section's end that it is nearer to.
    fn of_local(&mut self, local: usize) -> usize {
        if !self.last.0.contains(&local) {
            let (from, to) = (self.axis.side(Side::Source), self.axis.side(Side::Destination));
            let global = from.deal().global(self.coordinate, local).unwrap_or(usize::MAX);
            let index = global.saturating_sub(from.at()).min(self.axis.len() - 1);
            let end = min(from.block_end(index), to.block_end(index));
            let same = if global == from.at() + index { end - index } else { 1 };
            self.last = (local..local.saturating_add(same), to.owner(index));
        }
        self.last.1
    }
}

/// The numbers from 0 to `count`, one of each group in turn as long as it has any, beginning with group `begin`.
fn take_turns(count: usize, groups: usize, begin: usize, mut group: impl FnMut(usize) -> usize) -> Vec<u32> {
    let mut members = vec![Vec::new(); groups];
    (0..count).for_each(|number| members[group(number)].push(number as u32));
    let mut turns = Vec::with_capacity(count);
    for turn in 0..members.iter().map(Vec::len).max().unwrap_or(0) {
        turns.extend((0..groups).filter_map(|next| members[(begin + next) % groups].get(turn)));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which chunk each rank shows in each round.
    fn shown(extent: usize, from: &str, to: &str, elements: usize) -> Vec<Vec<usize>> {
        let plan = Plan::<1>::parse([extent], from, to).unwrap();
        let chunks = Chunks::new(&plan, elements);
        let orders: Vec<_> = (0..4).map(|rank| Order::new(&plan, &chunks, rank)).collect();
        (0..chunks.count()).map(|round| orders.iter().map(|order| order.chunk(round)).collect()).collect()
    }

    #[test]
    fn in_every_round_there_is_something_for_every_receiver() {
        // 100 elements a rank, of which each receiver gets 25 that lie together: 5 chunks.
        let rounds = shown(400, "cyclic onto 4", "block onto 4", 5);
        assert_eq!(rounds[0], [0, 5, 10, 15]);
        for chunks in &rounds {
            let mut receivers: Vec<_> = chunks.iter().map(|chunk| chunk / 5).collect();
            receivers.sort_unstable();
            assert_eq!(receivers, [0, 1, 2, 3], "{chunks:?}");
        }
    }

    #[test]
    fn chunks_for_every_receiver_come_in_the_order_of_the_array() {
        for (round, chunks) in shown(400, "block onto 4", "cyclic onto 4", 20).into_iter().enumerate() {
            assert_eq!(chunks, [round; 4]);
        }
    }
}
