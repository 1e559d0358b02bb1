//! In which round a rank shows which chunk of its source array.

use super::chunks::Chunks;
use crate::plan::{Axis, Plan, Side};

/// The order in which one rank shows its chunks, one a round.
///
/// Where each chunk has something for every receiver, the order is that of the array: all ranks then show about the same
/// part of the array in a round, and what a receiver writes in a round lies together. Where a chunk is for few receivers,
/// chunks for different ones take turns, and each rank begins with another receiver's, so that all have something to copy in
/// every round (as in the circulant schedules of Park, Prasanna and Raghavendra, §4).
#[derive(Clone, Debug)]
pub struct Order {
    chunks: usize,
    /// `None` where it is that of the array.
    turns: Option<Vec<u32>>,
}

impl Order {
    /// The order of a rank's chunks.
    pub fn new<const D: usize>(plan: &Plan<D>, chunks: &Chunks, rank: usize) -> Self {
        let natural = Self { chunks: chunks.count(), turns: None };
        let source = plan.descriptor(Side::Source);
        let Some(coordinates) = source.coordinates(rank) else { return natural };
        let coarse: Vec<usize> =
            (0..D).filter(|&dimension| is_coarse(&plan.axis(dimension), chunks, dimension)).collect();
        if coarse.is_empty() || u32::try_from(chunks.count()).is_err() {
            return natural;
        }
        let group = |number: usize| {
            coarse.iter().fold(0, |group, &dimension| {
                let axis = plan.axis(dimension);
                let first = chunks.indices(number, dimension).start;
                group * axis.side(Side::Destination).ranks() + receiver(&axis, coordinates[dimension], first)
            })
        };
        let groups = coarse.iter().map(|&dimension| plan.axis(dimension).side(Side::Destination).ranks()).product();
        let begin = rank - source.layout().base_rank();
        Self { turns: Some(take_turns(chunks.count(), groups, begin, group)), ..natural }
    }

    /// The number of the chunk of a round.
    pub fn chunk(&self, round: usize) -> usize {
        self.turns.as_ref().map_or(round, |turns| turns[round] as usize)
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        self.chunks
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

/// The coordinate in the destination's grid that a local index of the source goes to; of one outside the moved section, that
/// of the section's end that it is nearer to.
fn receiver(axis: &Axis, coordinate: usize, local: usize) -> usize {
    let (from, to) = (axis.side(Side::Source), axis.side(Side::Destination));
    let global = from.deal().global(coordinate, local).unwrap_or(usize::MAX);
    let index = global.saturating_sub(from.at()).min(axis.len() - 1);
    to.owner(index)
}

/// The numbers from 0 to `count`, one of each group in turn as long as it has any, beginning with group `begin`.
fn take_turns(count: usize, groups: usize, begin: usize, group: impl Fn(usize) -> usize) -> Vec<u32> {
    let mut members = vec![Vec::new(); groups];
    (0..count).for_each(|number| members[group(number)].push(number as u32));
    let mut turns = Vec::with_capacity(count);
    for turn in 0..members.iter().map(Vec::len).max().unwrap_or(0) {
        turns.extend((0..groups).filter_map(|next| members[(begin + next) % groups].get(turn)));
    }
    turns
}
