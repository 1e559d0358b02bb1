//! redist: planned by the macro, and planned at run time.

use super::{Context, Peer};
use crate::worker::Scalar;
use mpi::topology::SimpleCommunicator;
use redist::{Bound, Redistribution, RuntimePlan};

struct Ours<T: Scalar>(Bound<T, SimpleCommunicator>);

impl<T: Scalar> Peer<T> for Ours<T> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        self.0.run(source, destination).expect("the arrays have the lengths of the plan");
    }
}

pub fn planned_by_the_macro<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let planned = context.planned.ok_or("not a case of the table")?;
    bind(planned, context.world)
}

/// Plans anew, from the layouts alone: that is part of its set-up.
pub fn planned_at_run_time<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let [from, to] =
        [redist::Side::Source, redist::Side::Destination].map(|side| *context.plan.descriptor(side).layout());
    let plan = RuntimePlan::<T, D>::new(context.plan.extents(), from, to).map_err(|error| error.to_string())?;
    bind(&plan, context.world)
}

fn bind<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    plan: &R,
    world: &SimpleCommunicator,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(Ours(plan.bind(world).map_err(|error| error.to_string())?)))
}
