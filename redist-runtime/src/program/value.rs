//! A rank's whole program on one side.

use super::{Level, OwnBlocks};
use crate::layout::StorageOrder;
use crate::plan::{Piece, Plan, Side};

/// What one rank packs (as a source) or unpacks (as a destination).
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) levels: Vec<Level>,
    envelopes: Vec<Envelope>,
    local_len: usize,
}

/// One message: whom it goes to or comes from, and its length in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// The other rank, numbered in the communicator.
    pub rank: usize,
    /// Number of elements.
    pub len: usize,
}

impl Program {
    /// The program of `rank` on one side of a plan. A rank outside that side's grid has no messages.
    ///
    /// `windows` are the window tables that there are, by dimension; an empty one is made up for by the walk.
    ///
    /// Levels are ordered as messages are: increasing global index, in the order of the source's storage, so that
    /// packing runs forward through memory and both sides agree.
    pub fn new<const D: usize>(plan: &Plan<D>, windows: &[&[Piece]; D], side: Side, rank: usize) -> Self {
        let own = plan.descriptor(side);
        let Some((coordinates, extents)) = own.coordinates(rank).zip(own.local_extents(rank)) else {
            return Self { levels: Vec::new(), envelopes: Vec::new(), local_len: 0 };
        };
        if plan.extents().contains(&0) {
            return Self { levels: Vec::new(), envelopes: Vec::new(), local_len: own.local_len(rank) };
        }
        let strides = own.strides(extents);
        let mut levels: Vec<Level> = message_order(plan)
            .map(|dimension| {
                let axis = plan.axis_on(side, dimension);
                let level = Level::new(&plan.axis(dimension), windows[dimension], side, coordinates[axis]);
                Level { stride: strides[axis], ..level }
            })
            .collect();
        let mut messages = 1;
        for level in levels.iter_mut().rev() {
            level.message_stride = messages;
            messages *= level.peers.len();
        }
        let envelopes = (0..messages).map(|message| envelope(plan, side, &levels, message)).collect();
        Self { levels, envelopes, local_len: own.local_len(rank) }
    }

    /// The messages, in the order in which the levels number them. None is empty.
    pub fn envelopes(&self) -> &[Envelope] {
        &self.envelopes
    }

    /// Elements in all messages together: the scratch that packing needs.
    pub fn moved(&self) -> usize {
        self.envelopes.iter().map(|envelope| envelope.len).sum()
    }

    /// The rank's whole blocks along the fastest dimension of its messages, where loops over them are right and
    /// worth it: they must lie together in memory, too.
    pub(crate) fn own_blocks<const D: usize>(&self, plan: &Plan<D>, side: Side, rank: usize) -> Option<OwnBlocks> {
        let (fastest, dimension) = (self.levels.last()?, message_order(plan).last()?);
        let coordinates = plan.descriptor(side).coordinates(rank)?;
        let coordinate = coordinates[plan.axis_on(side, dimension)];
        if fastest.stride == 1 { OwnBlocks::new(&plan.axis(dimension), side, coordinate, fastest) } else { None }
    }

    /// Elements in the rank's local array.
    pub fn local_len(&self) -> usize {
        self.local_len
    }
}

/// The dimensions from the slowest to the fastest of the source's storage.
pub(super) fn message_order<const D: usize>(plan: &Plan<D>) -> impl DoubleEndedIterator<Item = usize> {
    let order = plan.descriptor(Side::Source).layout().storage;
    (0..D).map(move |step| match order {
        StorageOrder::C => step,
        StorageOrder::Fortran => D - 1 - step,
    })
}

fn envelope<const D: usize>(plan: &Plan<D>, side: Side, levels: &[Level], message: usize) -> Envelope {
    let mut coordinates = [0; D];
    let mut len = 1;
    for (dimension, level) in message_order(plan).zip(levels) {
        let peer = message / level.message_stride % level.peers.len();
        coordinates[plan.axis_on(side.other(), dimension)] = level.peers[peer];
        len *= level.counts[peer];
    }
    Envelope { rank: plan.descriptor(side.other()).rank_at(coordinates), len }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_array_costs_nothing_however_large_its_other_axes() {
        let plan = Plan::parse([1 << 40, 0], "(cyclic, *) onto 3", "(cyclic(2), *) onto 2").unwrap();
        assert!(Program::new(&plan, &[&[]; 2], Side::Source, 1).envelopes().is_empty());
    }

    #[test]
    fn envelopes_hold_the_volumes_of_the_plan() {
        let plan = Plan::parse(
            [10, 12, 5],
            "(cyclic(3), *, block) onto (2, 2) storage fortran order col",
            "(*, cyclic(2), cyclic(2)) onto (3, 2) first (1, 1) ranks 2..8 axes (1, 2, 0)",
        );
        let plan = plan.unwrap();
        for side in [Side::Source, Side::Destination] {
            for rank in 0..8 {
                let program = Program::new(&plan, &[&[]; 3], side, rank);
                for other in 0..8 {
                    let volume = if side == Side::Source { plan.volume(rank, other) } else { plan.volume(other, rank) };
                    let sent: usize = program.envelopes().iter().filter(|e| e.rank == other).map(|e| e.len).sum();
                    assert_eq!(sent, volume, "{side} {rank}: {other}");
                }
            }
        }
    }
}
