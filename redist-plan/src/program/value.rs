//! Programs: the loop nest of one rank's runs, and its messages.

use super::{LoopDim, StridedArray};
use crate::plan::{AnyPlan, Side, WindowTable};

/// The runs that one rank packs (as a source) or unpacks (as a destination).
#[derive(Clone, Debug)]
pub struct Program {
    pub dims: Vec<LoopDim>,
    /// Elements in memory before the local array.
    pub first: usize,
    pub(super) envelopes: Vec<Envelope>,
    /// Elements that the local array's memory must have.
    local_len: usize,
}

/// A message without its elements, of a rank's packing or unpacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Envelope {
    /// The other rank, numbered in the communicator.
    pub rank: usize,
    /// Number of elements.
    pub len: usize,
}

impl Program {
    /// Makes the program of `rank` on one side; without messages outside the grid. `windows` are
    /// tables by dimension; a walk replaces missing ones. Dimensions are in the source's storage
    /// order, by which both sides agree on messages.
    pub fn new(plan: &AnyPlan, windows: &[WindowTable<'_>], side: Side, rank: usize) -> Self {
        let dense = StridedArray::dense(plan.descriptor(side), rank);
        Self::in_array(plan, windows, side, rank, &dense)
    }

    #[doc(hidden)]
    pub fn in_array(
        plan: &AnyPlan,
        windows: &[WindowTable<'_>],
        side: Side,
        rank: usize,
        array: &StridedArray,
    ) -> Self {
        let own = plan.descriptor(side);
        let StridedArray { strides, first, len, .. } = array;
        let (first, local_len) = (*first, *len);
        let coordinates = own.coordinates(rank).filter(|_| !plan.is_empty());
        let Some(coordinates) = coordinates else {
            return Self { dims: Vec::new(), first, envelopes: Vec::new(), local_len };
        };
        let mut dims: Vec<LoopDim> = message_order(plan)
            .map(|dimension| {
                let axis = plan.axis_on(side, dimension);
                let window = windows.get(dimension).copied().unwrap_or(WindowTable::NONE);
                let dim = LoopDim::new(plan.axis(dimension), window, side, coordinates[axis]);
                LoopDim { stride: strides[axis], ..dim }
            })
            .collect();
        let mut messages = 1;
        for dim in dims.iter_mut().rev() {
            dim.message_stride = messages;
            messages *= dim.peers.len();
        }
        let envelopes = (0..messages).map(|message| envelope(plan, side, &dims, message)).collect();
        Self { dims, first, envelopes, local_len }
    }

    /// Returns the messages, in the order in which the dimensions number them. None is empty.
    pub fn envelopes(&self) -> &[Envelope] {
        &self.envelopes
    }

    /// Counts the elements in all messages: the scratch that packing needs.
    pub fn moved(&self) -> usize {
        self.envelopes.iter().map(|envelope| envelope.len).sum()
    }

    pub fn local_len(&self) -> usize {
        self.local_len
    }
}

pub(super) fn message_order(plan: &AnyPlan) -> impl DoubleEndedIterator<Item = usize> + use<> {
    plan.descriptor(Side::Source).stored_order()
}

fn envelope(plan: &AnyPlan, side: Side, dims: &[LoopDim], message: usize) -> Envelope {
    let other = plan.descriptor(side.other());
    let (mut number, mut len) = (0, 1);
    for (dimension, dim) in message_order(plan).zip(dims) {
        let peer = message / dim.message_stride % dim.peers.len();
        number += dim.peers[peer] * other.number_distance(plan.axis_on(side.other(), dimension));
        len *= dim.counts[peer];
    }
    Envelope { rank: other.nth_rank(number), len }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn an_empty_array_costs_nothing_however_large_its_other_axes() {
        let plan = Plan::parse([1 << 40, 0], "(cyclic, *) onto 3", "(cyclic(2), *) onto 2")
            .unwrap()
            .into();
        assert!(Program::new(&plan, &[], Side::Source, 1).envelopes().is_empty());
    }
}
