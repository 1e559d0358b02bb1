use super::{Axis, Digest, Plan, Side};
use crate::layout::AnyDescriptor;
use core::ops::Range;
use std::sync::Arc;

/// A [`Plan`] whose number of dimensions is a value, for code that is compiled once.
#[derive(Clone, Debug)]
pub struct AnyPlan {
    axes: Vec<Axis>,
    sides: [AnyDescriptor; 2],
    destination_axes: Vec<usize>,
    digest: Digest,
    numbers: Arc<[u64]>,
}

impl<const D: usize> From<&Plan<D>> for AnyPlan {
    fn from(plan: &Plan<D>) -> Self {
        let (digest, numbers) = plan.numbers();
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

impl<const D: usize> From<Plan<D>> for AnyPlan {
    fn from(plan: Plan<D>) -> Self {
        Self::from(&plan)
    }
}

#[allow(missing_docs)] // Methods are those of [`Plan`].
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

    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Returns what ranks compare: equal plans have equal numbers.
    pub fn numbers(&self) -> Vec<u64> {
        self.numbers.to_vec()
    }
}
