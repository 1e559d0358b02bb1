//! Plans of any number of dimensions.

use super::{Axis, Digest, Plan, Side};
use crate::layout::{AnyDescriptor, Dist, Layout};
use core::ops::Range;
use std::sync::Arc;

/// A [`Plan`] whose number of dimensions is a value, for code that is compiled once. Lists of sizes
/// are indexed: a rank's part of a plan takes time in proportion to its own blocks.
#[derive(Clone, Debug)]
pub struct AnyPlan {
    axes: Vec<Axis>,
    sides: [AnyDescriptor; 2],
    /// Axis of the destination's array for each axis of the source's.
    destination_axes: Vec<usize>,
    digest: Digest,
    /// Numbers that ranks compare: see [`AnyPlan::numbers`].
    numbers: Arc<[u64]>,
}

impl<const D: usize> From<&Plan<D>> for AnyPlan {
    fn from(plan: &Plan<D>) -> Self {
        let (plan, (digest, numbers)) = (plan.indexed(), plan.numbers());
        if D == 0 {
            return Self { digest, numbers: numbers.into(), ..Self::from(&line(&plan)) };
        }
        Self {
            axes: (0..D).map(|dimension| plan.axis(dimension)).collect(),
            sides: [Side::Source, Side::Destination]
                .map(|side| AnyDescriptor::from(plan.descriptor(side))),
            destination_axes: (0..D).map(|dimension| plan.destination_axis(dimension)).collect(),
            digest,
            numbers: numbers.into(),
        }
    }
}

/// Returns the plan of one dimension that moves the only element of an array without dimensions.
fn line<const D: usize>(plan: &Plan<D>) -> Plan<1> {
    let layout = |side| {
        let ranks = plan.descriptor(side).layout().ranks;
        Layout::new([Dist::Collapsed], [1]).ranks(ranks)
    };
    let (from, to) = (layout(Side::Source), layout(Side::Destination));
    Plan::new([1], from, to).expect("one element is on one rank")
}

impl<const D: usize> From<Plan<D>> for AnyPlan {
    fn from(plan: Plan<D>) -> Self {
        Self::from(&plan)
    }
}

#[allow(missing_docs)] // [`Plan`] documents the methods.
impl AnyPlan {
    pub fn dimensions(&self) -> usize {
        self.axes.len()
    }

    pub fn descriptor(&self, side: Side) -> &AnyDescriptor {
        &self.sides[side as usize]
    }

    pub fn axis(&self, dimension: usize) -> &Axis {
        &self.axes[dimension]
    }

    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub fn destination_axis(&self, dimension: usize) -> usize {
        self.destination_axes[dimension]
    }

    pub fn axis_on(&self, side: Side, dimension: usize) -> usize {
        match side {
            Side::Source => dimension,
            Side::Destination => self.destination_axis(dimension),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.axes.iter().any(|axis| axis.len() == 0)
    }

    pub fn ranks(&self) -> usize {
        self.sides.iter().map(AnyDescriptor::ranks_end).max().unwrap_or(0)
    }

    pub fn volume(&self, source: usize, destination: usize) -> usize {
        let [from, to] = &self.sides;
        let Some((source, destination)) = from.number_of(source).zip(to.number_of(destination))
        else {
            return 0;
        };
        let shared = |(dimension, axis): (usize, &Axis)| {
            axis.count(
                from.coordinate_of(source, dimension),
                to.coordinate_of(destination, self.destination_axis(dimension)),
            )
        };
        let mut volume = 1;
        for elements in self.axes.iter().enumerate().map(shared) {
            // An empty array may be too large in its other dimensions, so a product on the way to 0
            // may be, too.
            volume = elements.saturating_mul(volume);
            if volume == 0 {
                break;
            }
        }
        volume
    }

    pub fn moved(&self, side: Side, rank: usize) -> usize {
        let own = self.descriptor(side);
        let Some(number) = own.number_of(rank).filter(|_| !self.is_empty()) else { return 0 };
        let along = |(dimension, axis): (usize, &Axis)| {
            let coordinate = own.coordinate_of(number, self.axis_on(side, dimension));
            axis.side(side).owned_below(coordinate, axis.len())
        };
        self.axes.iter().enumerate().map(along).product()
    }

    /// Returns the move of these indices of the section; local arrays and digest stay the whole's.
    #[doc(hidden)]
    pub fn part(&self, indices: &[Range<usize>]) -> Self {
        let axes = self.axes.iter().zip(indices);
        let axes = axes.map(|(axis, indices)| axis.part(indices.start, indices.len())).collect();
        Self { axes, ..self.clone() }
    }

    /// Returns the same move back, in the destination's axes, for walks over a sender's arrays. Digest
    /// and numbers stay those of the move.
    pub(crate) fn turned(&self) -> Self {
        let mut back = vec![0; self.dimensions()];
        for (dimension, axis) in self.destination_axes.iter().enumerate() {
            back[*axis] = dimension;
        }
        let axes = back.iter().map(|dimension| self.axes[*dimension].turned()).collect();
        let [source, destination] = self.sides.clone();
        Self { axes, sides: [destination, source], destination_axes: back, ..self.clone() }
    }

    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns what ranks compare: equal plans have equal numbers.
    pub fn numbers(&self) -> Vec<u64> {
        self.numbers.to_vec()
    }
}
