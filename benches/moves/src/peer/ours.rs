//! The library's own ways.

use super::{Context, Peer, Way, Ways};
use crate::arrays::Scalar;
use mpi::topology::SimpleCommunicator;
use redist::mpi::SharedArray;
use redist::{Bound, Redistribution, Side, TypedPlan};

/// The ways that users get without asking.
#[derive(Clone, Copy, Debug)]
pub struct Ours;

impl Ways for Ours {
    fn all<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>() -> Vec<Way<T, R, D>> {
        vec![
            ("redist, static", planned_by_the_macro),
            ("redist, run time", planned_at_run_time),
            ("redist, shared memory", between_shared_arrays),
        ]
    }
}

/// Moves between slices.
pub struct Bare<T: Scalar, const D: usize>(pub Bound<T, D>);

impl<T: Scalar, const D: usize> Peer<T> for Bare<T, D> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        self.0.run(source, destination).expect("the arrays have the lengths of the plan");
    }
}

/// Moves from an array in shared memory. The first call fills it, and its time counts.
pub struct Shared<T: Scalar, const D: usize> {
    bound: Bound<T, D>,
    source: SharedArray<T>,
    /// `true` once the source is filled.
    filled: bool,
}

impl<T: Scalar, const D: usize> Shared<T, D> {
    /// Plans again, and makes room for the source.
    pub fn new<R: Redistribution<D, Element = T>>(
        context: &Context<'_, R, D>,
    ) -> Result<Self, String> {
        let bound = anew(context)?.bind(context.world).map_err(|error| error.to_string())?;
        let source = bound.shared_array(Side::Source).map_err(|error| error.to_string())?;
        Ok(Self { bound, source, filled: false })
    }

    fn fill(&mut self, source: &[T]) {
        if !self.filled {
            self.source.copy_from_slice(source);
            self.filled = true;
        }
    }
}

impl<T: Scalar, const D: usize> Peer<T> for Shared<T, D> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        self.fill(source);
        self.bound.run(&self.source, destination).expect("the arrays have the lengths of the plan");
    }
}

/// Moves between two arrays in shared memory.
struct BetweenShared<T: Scalar, const D: usize> {
    from: Shared<T, D>,
    destination: SharedArray<T>,
}

impl<T: Scalar, const D: usize> Peer<T> for BetweenShared<T, D> {
    fn run(&mut self, source: &[T], _: &mut [T]) {
        self.from.fill(source);
        let Shared { bound, source, .. } = &mut self.from;
        bound.run(source, &mut self.destination).expect("the arrays have the lengths of the plan");
    }

    fn own_destination(&mut self) -> Option<&mut [T]> {
        Some(&mut self.destination)
    }
}

pub fn planned_by_the_macro<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let planned = context.planned.ok_or("not a case of the table")?;
    bind(planned, context.world)
}

/// Plans again, from the layouts only, in its set-up.
pub fn planned_at_run_time<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    bind(&anew(context)?, context.world)
}

pub fn between_shared_arrays<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let from = Shared::new(context)?;
    let destination =
        from.bound.shared_array(Side::Destination).map_err(|error| error.to_string())?;
    Ok(Box::new(BetweenShared { from, destination }))
}

/// Plans at run time, from the layouts only.
pub fn anew<T: Scalar, R, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<TypedPlan<T, D>, String> {
    let [from, to] =
        [Side::Source, Side::Destination].map(|side| *context.plan.descriptor(side).layout());
    TypedPlan::new(context.plan.extents(), from, to).map_err(|error| error.to_string())
}

fn bind<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    plan: &R,
    world: &SimpleCommunicator,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(Bare(plan.bind(world).map_err(|error| error.to_string())?)))
}
