//! Several dimensions: the product of the schedules of each.
//!
//! A step of the product is a step of every dimension; two ranks meet in it if their coordinates do in each. A product
//! of partial matchings is one, and since a message's size is the product of what its coordinates share, so is a step's
//! longest message. Its length is the product of the lengths, the most messages that a rank sends are the product of
//! those of each dimension, and likewise those that one receives: so it is the shortest if every dimension's is and the
//! same side is the bottleneck in all of them. Source: Park, Prasanna and Raghavendra, where that is so.

use super::aligned::Line;
use super::{Method, Schedule, ScheduleError};
use crate::layout::Descriptor;
use crate::plan::{Class, Plan, Side};

/// The product of one schedule a dimension, for the ranks of two grids.
#[derive(Debug)]
struct Product<const D: usize> {
    method: Method,
    from: Descriptor<D>,
    to: Descriptor<D>,
    /// The destination's axis for each of the source's.
    axes: [usize; D],
    /// In the source's axes.
    lines: Vec<Box<dyn Schedule>>,
}

/// The schedule of a plan in closed form, and the sum of its steps' longest messages, at most.
///
/// # Errors
/// The first dimension that the method does not apply to.
pub(super) fn closed<const D: usize>(plan: &Plan<D>, method: Method) -> Result<Line, ScheduleError> {
    let lines: Result<Vec<Line>, _> = (0..D).map(|dimension| line(plan, dimension, method)).collect();
    let mut lines = lines?;
    let elements = lines.iter().fold(1, |elements: usize, line| elements.saturating_mul(line.elements));
    if D == 1
        && let Some(line) = lines.pop()
    {
        return Ok(line);
    }
    let schedule = Product {
        method,
        from: *plan.descriptor(Side::Source),
        to: *plan.descriptor(Side::Destination),
        axes: core::array::from_fn(|dimension| plan.destination_axis(dimension)),
        lines: lines.into_iter().map(|line| line.schedule).collect(),
    };
    Ok(Line { schedule: Box::new(schedule), elements })
}

/// One dimension. The general closed form leaves those to the circulant that are x → kx or kx → x, unless all are.
fn line<const D: usize>(plan: &Plan<D>, dimension: usize, method: Method) -> Result<Line, ScheduleError> {
    let axis = plan.axis(dimension);
    let general = |dimension| plan.axis(dimension).class() == Class::General;
    if method == Method::ClosedForm && !general(dimension) && (0..D).any(general) {
        return Line::new(&axis, dimension, Method::Circulant).or_else(|_| Line::new(&axis, dimension, method));
    }
    Line::new(&axis, dimension, method)
}

/// Whether no dimension has its bottleneck on the other side than the rest, given the most messages that a rank sends
/// and the most that one receives in each: the condition for a product of shortest schedules to be the shortest.
pub(super) fn same_bottleneck(degrees: &[(usize, usize)]) -> bool {
    degrees.iter().all(|(out, into)| out <= into) || degrees.iter().all(|(out, into)| out >= into)
}

impl<const D: usize> Product<D> {
    /// The step of each dimension, the last one fastest.
    fn digits(&self, step: usize) -> Option<[usize; D]> {
        let (mut rest, mut digits) = (step, [0; D]);
        for (digit, line) in digits.iter_mut().zip(&self.lines).rev() {
            (*digit, rest) = (rest % line.steps(), rest / line.steps());
        }
        (rest == 0).then_some(digits)
    }

    fn coordinates(side: &Descriptor<D>, number: usize) -> Option<[usize; D]> {
        side.coordinates(side.layout().ranks_from.checked_add(number)?)
    }

    fn number(side: &Descriptor<D>, coordinates: [usize; D]) -> usize {
        side.rank_at(coordinates) - side.layout().ranks_from
    }
}

impl<const D: usize> Schedule for Product<D> {
    fn method(&self) -> Method {
        self.method
    }

    fn sources(&self) -> usize {
        self.from.ranks()
    }

    fn destinations(&self) -> usize {
        self.to.ranks()
    }

    fn steps(&self) -> usize {
        self.lines.iter().fold(1, |steps: usize, line| steps.saturating_mul(line.steps()))
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        let (steps, from) = (self.digits(step)?, Self::coordinates(&self.from, source)?);
        let mut to = [0; D];
        for (axis, line) in self.lines.iter().enumerate() {
            to[self.axes[axis]] = line.destination(steps[axis], from[axis])?;
        }
        Some(Self::number(&self.to, to))
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        let (steps, to) = (self.digits(step)?, Self::coordinates(&self.to, destination)?);
        let mut from = [0; D];
        for (axis, line) in self.lines.iter().enumerate() {
            from[axis] = line.source(steps[axis], to[self.axes[axis]])?;
        }
        Some(Self::number(&self.from, from))
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let (from, to) = (Self::coordinates(&self.from, source)?, Self::coordinates(&self.to, destination)?);
        let mut step = 0usize;
        for (axis, line) in self.lines.iter().enumerate() {
            let digit = line.meeting(from[axis], to[self.axes[axis]])?;
            step = step.saturating_mul(line.steps()).saturating_add(digit);
        }
        Some(step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bottleneck_is_on_one_side_or_on_both() {
        assert!(same_bottleneck(&[(2, 3), (4, 4), (1, 2)]));
        assert!(same_bottleneck(&[(3, 2), (4, 4)]));
        assert!(!same_bottleneck(&[(2, 1), (1, 4)]));
    }
}
