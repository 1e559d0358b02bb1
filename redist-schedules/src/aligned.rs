//! Schedules of one dimension in closed form, on sides that begin on any coordinate.

use super::reduced::{Reduced, ReducedSide, StepPattern};
use super::{Method, Schedule, ScheduleError, circulant, closed_form};
use redist_plan::arithmetic::{add_modulo, subtract_modulo};
use redist_plan::plan::Axis;

/// A schedule with a bound of its cost.
#[derive(Debug)]
pub(super) struct CostedSchedule {
    pub schedule: Box<dyn Schedule>,
    /// At most the sum of the steps' longest messages, in elements.
    pub elements: usize,
}

impl CostedSchedule {
    pub fn new(axis: &Axis, dimension: usize, method: Method) -> Result<Self, ScheduleError> {
        let reduced = Reduced::of(axis, dimension, method)?;
        let (pattern, transposed) = match method {
            Method::Circulant => circulant::pattern(&reduced, dimension)?,
            _ => closed_form::pattern(&reduced, dimension)?,
        };
        let elements = reduced.elements(pattern.units());
        let schedule = Aligned { method, pattern, transposed, from: reduced.from, to: reduced.to };
        Ok(Self { schedule: Box::new(schedule), elements })
    }
}

/// A pattern between the ranks of two sides, each of which begins on a coordinate of its own.
#[derive(Debug)]
struct Aligned {
    method: Method,
    pattern: Box<dyn StepPattern>,
    /// `true` if the pattern's sources are the destinations.
    transposed: bool,
    from: ReducedSide,
    to: ReducedSide,
}

impl ReducedSide {
    fn relative(&self, rank: usize) -> Option<usize> {
        (rank < self.ranks).then(|| subtract_modulo(rank, self.first, self.ranks))
    }

    fn absolute(&self, relative: usize) -> usize {
        add_modulo(relative, self.first, self.ranks)
    }
}

impl Schedule for Aligned {
    fn method(&self) -> Method {
        self.method
    }

    fn sources(&self) -> usize {
        self.from.ranks
    }

    fn destinations(&self) -> usize {
        self.to.ranks
    }

    fn steps(&self) -> usize {
        self.pattern.steps()
    }

    fn destination(&self, step: usize, source: usize) -> Option<usize> {
        let source = self.from.relative(source).filter(|_| step < self.steps())?;
        let met = if self.transposed {
            self.pattern.source(step, source)
        } else {
            self.pattern.destination(step, source)
        };
        met.map(|destination| self.to.absolute(destination))
    }

    fn source(&self, step: usize, destination: usize) -> Option<usize> {
        let destination = self.to.relative(destination).filter(|_| step < self.steps())?;
        let met = if self.transposed {
            self.pattern.destination(step, destination)
        } else {
            self.pattern.source(step, destination)
        };
        met.map(|source| self.from.absolute(source))
    }

    fn meeting(&self, source: usize, destination: usize) -> Option<usize> {
        let (source, destination) = (self.from.relative(source)?, self.to.relative(destination)?);
        if self.transposed {
            self.pattern.meeting(destination, source)
        } else {
            self.pattern.meeting(source, destination)
        }
    }
}
