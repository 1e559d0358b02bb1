//! The product of the dimensions' schedules: two ranks meet in a step if their coordinates do in
//! each dimension. Steps, messages of a rank and longest messages are products, too. It is the
//! shortest if every dimension's is, and the same side is the bottleneck in all (Park, Prasanna and
//! Raghavendra).

use super::aligned::CostedSchedule;
use super::{Method, Schedule, ScheduleError};
use redist_plan::layout::AnyDescriptor;
use redist_plan::plan::{AnyPlan, Axis, Class, Side};

/// The product of the dimensions' schedules, for the ranks of two grids.
#[derive(Debug)]
struct Product {
    method: Method,
    from: AnyDescriptor,
    to: AnyDescriptor,
    /// Axis of the destination's array for each axis of the source's.
    axes: Vec<usize>,
    /// Schedule of each dimension, in the source's axes.
    lines: Vec<Box<dyn Schedule>>,
}

/// Returns a plan's schedule in closed form; fails if the method does not apply to a dimension.
pub(super) fn closed(plan: &AnyPlan, method: Method) -> Result<CostedSchedule, ScheduleError> {
    let lines: Result<Vec<CostedSchedule>, _> =
        (0..plan.dimensions()).map(|dimension| line(plan, dimension, method)).collect();
    let mut lines = lines?;
    let elements =
        lines.iter().fold(1, |elements: usize, line| elements.saturating_mul(line.elements));
    if plan.dimensions() == 1
        && let Some(line) = lines.pop()
    {
        return Ok(line);
    }
    let schedule = Product {
        method,
        from: plan.descriptor(Side::Source).clone(),
        to: plan.descriptor(Side::Destination).clone(),
        axes: (0..plan.dimensions()).map(|dimension| plan.destination_axis(dimension)).collect(),
        lines: lines.into_iter().map(|line| line.schedule).collect(),
    };
    Ok(CostedSchedule { schedule: Box::new(schedule), elements })
}

/// The closed form leaves x → kx to the circulant, unless all dimensions are such.
fn line(plan: &AnyPlan, dimension: usize, method: Method) -> Result<CostedSchedule, ScheduleError> {
    let axis = plan.axis(dimension);
    let general = |axis: &Axis| axis.class() == Class::General;
    if method == Method::ClosedForm && !general(axis) && plan.axes().iter().any(general) {
        return CostedSchedule::new(axis, dimension, Method::Circulant)
            .or_else(|_| CostedSchedule::new(axis, dimension, method));
    }
    CostedSchedule::new(axis, dimension, method)
}

impl Product {
    fn digits(&self, step: usize) -> Option<impl Iterator<Item = usize>> {
        let mut weight = self.steps();
        (step < weight).then(|| {
            self.lines.iter().map(move |line| {
                weight /= line.steps();
                step / weight % line.steps()
            })
        })
    }

    fn coordinate(side: &AnyDescriptor, number: usize, axis: usize) -> Option<usize> {
        (number < side.ranks()).then(|| side.coordinate_of(number, axis))
    }
}

impl Schedule for Product {
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
        let mut number = 0;
        for ((axis, line), step) in self.lines.iter().enumerate().zip(self.digits(step)?) {
            let there = line.destination(step, Self::coordinate(&self.from, source, axis)?)?;
            number += there * self.to.number_distance(self.axes[axis]);
        }
        Some(number)
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        let mut number = 0;
        for ((axis, line), step) in self.lines.iter().enumerate().zip(self.digits(step)?) {
            let there =
                line.source(step, Self::coordinate(&self.to, destination, self.axes[axis])?)?;
            number += there * self.from.number_distance(axis);
        }
        Some(number)
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let mut step = 0usize;
        for (axis, line) in self.lines.iter().enumerate() {
            let from = Self::coordinate(&self.from, source, axis)?;
            let digit =
                line.meeting(from, Self::coordinate(&self.to, destination, self.axes[axis])?)?;
            step = step.saturating_mul(line.steps()).saturating_add(digit);
        }
        Some(step)
    }
}
