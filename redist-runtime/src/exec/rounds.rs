//! Moves within a bound of memory for messages: the moved section is cut into boxes of one shape,
//! and each is moved in a round of its own.
//!
//! All ranks cut alike, from the plan alone: a shape fits if it does wherever the boxes begin.

use crate::error::Error;
use crate::plan::{AnyPlan, Axis, Side};
use core::ops::Range;

/// Ranks that are looked at one by one; of more, the most that any has on each side is added up.
const MAX_RANKS: usize = 1024;

/// How a move is cut into rounds.
#[derive(Clone, Debug)]
pub(super) struct MoveRounds {
    /// Elements of a box along each dimension; the last ones may be shorter.
    shape: Vec<usize>,
    /// Indices of the section along each dimension.
    extents: Vec<usize>,
    /// Dimensions as the source stores them, slowest first: rounds follow its arrays.
    order: Vec<usize>,
    /// Bytes of this rank's messages in any round at most, by side.
    pub room: [usize; 2],
    /// What the caller allows.
    pub max_bytes: usize,
}

/// What messages need.
struct Needs<'a> {
    plan: &'a AnyPlan,
    /// Bytes of an element.
    width: usize,
    /// Whether incoming messages take memory, too.
    receives: bool,
    /// What ranks hold of the section along each dimension, by side: each different one once.
    held: Vec<[Vec<usize>; 2]>,
}

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl MoveRounds {
    /// The fewest rounds that are found in which the messages of every rank, both ways together,
    /// take at most `max_bytes`, of which `taken` are taken already. Incoming ones are counted where
    /// they are received into memory of the rank's own.
    ///
    /// # Errors
    /// [`Error::Scratch`] where one element at a time takes more: the same on all ranks.
    pub fn new(
        plan: &AnyPlan,
        rank: usize,
        width: usize,
        (max_bytes, taken): (usize, usize),
        receives: bool,
    ) -> Result<Self, Error> {
        let needs = Needs { plan, width, receives, held: held_by_all(plan) };
        let shape = needs
            .shape(max_bytes.saturating_sub(taken))
            .map_err(|needed| Error::Scratch { max_bytes, needed: needed.saturating_add(taken) })?;
        let room = needs.by_side(
            &[held(plan, Side::Source, rank), held(plan, Side::Destination, rank)],
            &needs.most_of_boxes(&shape),
        );
        Ok(Self {
            extents: plan.axes().iter().map(Axis::len).collect(),
            order: plan.descriptor(Side::Source).stored_order().collect(),
            room,
            max_bytes,
            shape,
        })
    }

    /// Boxes along a dimension.
    fn boxes(&self, dimension: usize) -> usize {
        self.extents[dimension].div_ceil(self.shape[dimension]).max(1)
    }

    /// How many rounds there are, the same on all ranks: at least 1.
    pub fn count(&self) -> usize {
        (0..self.shape.len()).map(|dimension| self.boxes(dimension)).fold(1, usize::saturating_mul)
    }

    /// Bytes that this rank's messages take at most.
    pub fn bytes(&self) -> usize {
        self.room[0].saturating_add(self.room[1])
    }

    /// The indices that move in a round, along each dimension.
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
    /// The shape of boxes that fit into `most` bytes.
    ///
    /// Halves, again and again, the dimension that leaves the least to be held, then lets each grow
    /// as far as it may, the fastest of the source first, and makes boxes alike.
    ///
    /// # Errors
    /// What a box of one element takes, where that is more.
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

    /// Makes a shape that fits as long along a dimension as fits, up to `longest`.
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

    /// The most bytes that boxes of a shape take on a rank, wherever they begin: never less for a
    /// longer one.
    fn bytes(&self, shape: &[usize]) -> usize {
        let most = self.most_of_boxes(shape);
        let of = |held| {
            let [outgoing, incoming] = self.by_side(held, &most);
            outgoing.saturating_add(incoming)
        };
        self.held.iter().map(of).max().unwrap_or(0)
    }

    /// The most of boxes of a shape that any rank holds along each dimension, on each side.
    fn most_of_boxes(&self, shape: &[usize]) -> [Vec<usize>; 2] {
        SIDES.map(|side| {
            let along = self.plan.axes().iter().zip(shape);
            along.map(|(axis, len)| axis.side(side).most_owned_of((*len).min(axis.len()))).collect()
        })
    }

    /// The most bytes that a rank sends and receives of boxes of which any rank holds so much, and
    /// which holds so much of everything, along each dimension on each side.
    fn by_side(&self, held: &[Vec<usize>; 2], most: &[Vec<usize>; 2]) -> [usize; 2] {
        SIDES.map(|side| {
            if side == Side::Destination && !self.receives {
                return 0;
            }
            let along = most[side as usize].iter().zip(&held[side as usize]);
            product(along.map(|(most, held)| *most.min(held))).saturating_mul(self.width)
        })
    }
}

/// Saturating, and 0 where one factor is, however large the others.
fn product(factors: impl Iterator<Item = usize> + Clone) -> usize {
    if factors.clone().any(|factor| factor == 0) {
        return 0;
    }
    factors.fold(1, usize::saturating_mul)
}

/// What a rank holds of the section along each dimension, on one side.
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

/// The same of all ranks; of too many, of one that holds the most on both sides.
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
