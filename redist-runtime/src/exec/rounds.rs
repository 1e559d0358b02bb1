//! Moves within a memory bound for messages: cuts the section into boxes of one shape, one a round,
//! alike on all ranks. A shape must fit wherever its boxes begin.

use crate::error::Error;
use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

/// Most ranks considered one by one; beyond, the sides' maxima are added.
const MAX_RANKS: usize = 1024;

/// A move cut into rounds, each a box of the moved section.
#[derive(Clone, Debug)]
pub(super) struct MoveRounds {
    /// Elements of a box along each dimension; the last ones may be shorter.
    shape: Vec<usize>,
    /// Indices of the section along each dimension.
    extents: Vec<usize>,
    /// Dimensions in the source's storage order, slowest first; rounds follow its arrays.
    order: Vec<usize>,
    /// Most bytes of this rank's messages in any round, by side.
    pub room: [usize; 2],
    /// Most bytes of message buffers that the caller allows on a rank.
    pub max_bytes: usize,
}

/// Computes the bytes that a round's messages need.
struct Needs<'a> {
    plan: &'a AnyPlan,
    /// Bytes of an element.
    width: usize,
    /// `true` if incoming messages take this rank's memory, too.
    receives: bool,
    /// Indices of the section that ranks hold along each dimension, by side, without repetitions.
    held: Vec<[Vec<usize>; 2]>,
}

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl MoveRounds {
    /// Finds few rounds in which every rank's messages take at most `max_bytes`, of which `taken`
    /// are in use, and on each side `heads`. Counts incoming messages if they are received into the
    /// rank's own memory.
    ///
    /// # Errors
    /// [`Error::Scratch`] if even one element takes more: the same on all ranks.
    pub fn new(
        plan: &AnyPlan,
        rank: usize,
        width: usize,
        (max_bytes, taken, heads): (usize, usize, usize),
        receives: bool,
    ) -> Result<Self, Error> {
        let needs = Needs { plan, width, receives, held: held_by_all(plan) };
        let shape = needs
            .shape(max_bytes.saturating_sub(taken))
            .map_err(|needed| Error::Scratch { max_bytes, needed: needed.saturating_add(taken) })?;
        let held = [held(plan, Side::Source, rank), held(plan, Side::Destination, rank)];
        let room = needs.by_side(&held, &needs.most_of_boxes(&shape));
        let with_heads = |room: usize| if room > 0 { room.saturating_add(heads) } else { 0 };
        Ok(Self {
            extents: plan.axes().iter().map(Axis::len).collect(),
            order: plan.descriptor(Side::Source).stored_order().collect(),
            room: room.map(with_heads),
            max_bytes,
            shape,
        })
    }

    fn boxes(&self, dimension: usize) -> usize {
        self.extents[dimension].div_ceil(self.shape[dimension]).max(1)
    }

    pub fn count(&self) -> usize {
        (0..self.shape.len()).map(|dimension| self.boxes(dimension)).fold(1, usize::saturating_mul)
    }

    pub fn bytes(&self) -> usize {
        self.room[0].saturating_add(self.room[1])
    }

    pub fn indices(&self, mut round: usize) -> Vec<Range<usize>> {
        let mut indices = vec![0..0; self.shape.len()];
        for &dimension in self.order.iter().rev() {
            let (boxes, shape) = (self.boxes(dimension), self.shape[dimension]);
            let start = round % boxes * shape;
            indices[dimension] = start..self.extents[dimension].min(start.saturating_add(shape));
            round /= boxes;
        }
        indices
    }
}

impl Needs<'_> {
    /// Returns the shape of boxes that fit `most` bytes, or the bytes of one element if none does.
    ///
    /// Halves the dimension that leaves the least to hold until the box fits. Then lets each
    /// dimension grow, the source's fastest first, and evens the boxes out.
    fn shape(&self, most: usize) -> Result<Vec<usize>, usize> {
        let mut shape: Vec<usize> = self.plan.axes().iter().map(|axis| axis.len().max(1)).collect();
        let (whole, least) = (shape.clone(), self.bytes(&vec![1; shape.len()]));
        if least > most {
            return Err(least);
        }
        let order: Vec<usize> = self.plan.descriptor(Side::Source).stored_order().collect();
        while self.bytes(&shape) > most {
            let halved = |&dimension: &usize| {
                let mut halved = shape.clone();
                halved[dimension] = halved[dimension].div_ceil(2);
                halved
            };
            let longer = order.iter().filter(|dimension| shape[**dimension] > 1).map(halved);
            shape = longer.min_by_key(|shape| self.bytes(shape)).expect("one element fits");
        }
        for &dimension in order.iter().rev() {
            self.grow(&mut shape, dimension, whole[dimension], most);
        }
        for (len, whole) in shape.iter_mut().zip(whole) {
            *len = whole.div_ceil(whole.div_ceil(*len));
        }
        Ok(shape)
    }

    fn grow(&self, shape: &mut [usize], dimension: usize, longest: usize, most: usize) {
        let (mut fits, mut beyond) = (shape[dimension], longest + 1);
        while beyond - fits > 1 {
            shape[dimension] = fits + (beyond - fits) / 2;
            if self.bytes(shape) <= most {
                fits = shape[dimension];
            } else {
                beyond = shape[dimension];
            }
        }
        shape[dimension] = fits;
    }

    /// Returns the most bytes of boxes of a shape on a rank, in any place; grows with shapes.
    fn bytes(&self, shape: &[usize]) -> usize {
        let most = self.most_of_boxes(shape);
        let of = |held| {
            let [outgoing, incoming] = self.by_side(held, &most);
            outgoing.saturating_add(incoming)
        };
        self.held.iter().map(of).max().unwrap_or(0)
    }

    fn most_of_boxes(&self, shape: &[usize]) -> [Vec<usize>; 2] {
        SIDES.map(|side| {
            let along = self.plan.axes().iter().zip(shape);
            along.map(|(axis, len)| axis.side(side).most_owned_of((*len).min(axis.len()))).collect()
        })
    }

    /// Returns the most bytes that a rank sends and receives, from its own and any rank's holdings.
    fn by_side(&self, held: &[Vec<usize>; 2], most: &[Vec<usize>; 2]) -> [usize; 2] {
        SIDES.map(|side| {
            if side == Side::Destination && !self.receives {
                return 0;
            }
            let along = most[side as usize].iter().zip(&held[side as usize]);
            along.map(|(most, held)| *most.min(held)).fold(self.width, usize::saturating_mul)
        })
    }
}

fn held(plan: &AnyPlan, side: Side, rank: usize) -> Vec<usize> {
    let own = plan.descriptor(side);
    let along = |(dimension, axis): (usize, &Axis)| {
        let coordinate = own
            .number_of(rank)
            .map(|number| own.coordinate_of(number, plan.axis_on(side, dimension)));
        coordinate.map_or(0, |coordinate| axis.side(side).owned_below(coordinate, axis.len()))
    };
    plan.axes().iter().enumerate().map(along).collect()
}

/// Returns the holdings of all ranks. Of too many ranks, returns the largest holdings.
fn held_by_all(plan: &AnyPlan) -> Vec<[Vec<usize>; 2]> {
    if plan.ranks() > MAX_RANKS {
        let most = |side: Side| {
            let along = |axis: &Axis| axis.side(side).most_owned_below(axis.len());
            plan.axes().iter().map(along).collect()
        };
        return vec![SIDES.map(most)];
    }
    let mut all: Vec<_> =
        (0..plan.ranks()).map(|rank| SIDES.map(|side| held(plan, side, rank))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests;
