use super::{Axis, Digest, Plan, Side};
use crate::layout::AnyDescriptor;
use core::ops::Range;

/// A [`Plan`] whose number of dimensions is a value, for code that is compiled once.
#[derive(Clone, Debug)]
pub struct AnyPlan {
    axes: Vec<Axis>,
    sides: [AnyDescriptor; 2],
    destination_axes: Vec<usize>,
    digest: Digest,
}

impl<const D: usize> From<&Plan<D>> for AnyPlan {
    fn from(plan: &Plan<D>) -> Self {
        Self {
            axes: (0..D).map(|dimension| plan.axis(dimension)).collect(),
            sides: [Side::Source, Side::Destination]
                .map(|side| AnyDescriptor::from(plan.descriptor(side))),
            destination_axes: (0..D).map(|dimension| plan.destination_axis(dimension)).collect(),
            digest: plan.digest(),
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let plan = AnyPlan::from(
            Plan::parse(
                [10, 13],
                "(cyclic(3), block) onto (2, 2) of [14, 15] at [4, 1]",
                "(cyclic(2), gen_block([5, 0, 8])) onto (2, 3)",
            )
            .unwrap(),
        );
        let starts = (0..10).step_by(4).flat_map(|row| [0, 6, 12].map(|column| (row, column)));
        let parts = starts
            .map(|(row, column)| plan.part(&[row..10.min(row + 4), column..13.min(column + 6)]));
        let parts: Vec<_> = parts.collect();
        for (source, destination) in (0..4).flat_map(|p| (0..6).map(move |q| (p, q))) {
            let sum: usize = parts.iter().map(|part| part.volume(source, destination)).sum();
            assert_eq!(sum, plan.volume(source, destination), "{source} {destination}");
        }
    }

    #[test]
    fn it_answers_as_the_plan_does() {
        let plan = Plan::parse(
            [10, 12, 5],
            "(cyclic(3), *, block) onto (2, 2) storage fortran order col",
            "(*, cyclic(2), cyclic(2)) onto (3, 2) first (1, 1) ranks 2..8 axes (1, 2, 0)",
        );
        let plan = plan.unwrap();
        let any = AnyPlan::from(&plan);
        assert_eq!(
            (any.ranks(), any.digest(), any.is_empty()),
            (plan.ranks(), plan.digest(), false)
        );
        for source in 0..9 {
            for destination in 0..9 {
                assert_eq!(any.volume(source, destination), plan.volume(source, destination));
            }
        }
        for rank in 0..9 {
            let sent: usize = (0..9).map(|to| any.volume(rank, to)).sum();
            let received: usize = (0..9).map(|from| any.volume(from, rank)).sum();
            assert_eq!(
                [Side::Source, Side::Destination].map(|side| any.moved(side, rank)),
                [sent, received]
            );
        }
        assert!(
            AnyPlan::from(&Plan::parse([1 << 40, 0], "(cyclic, *) onto 3", "(*, *)").unwrap())
                .is_empty()
        );
    }
}
