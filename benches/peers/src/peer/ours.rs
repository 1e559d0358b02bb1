//! redist: planned by the macro, planned at run time, and between arrays in shared memory.

use super::{Context, Peer};
use crate::worker::Scalar;
use core::cell::OnceCell;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use redist::mpi::{Calibration, SharedArray};
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, RuntimePlan, Side};

struct Ours<T: Scalar, const D: usize>(Bound<T, D>);

impl<T: Scalar, const D: usize> Peer<T> for Ours<T, D> {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        self.0.run(source, destination).expect("the arrays have the lengths of the plan");
    }
}

/// From an array that is in shared memory, as a program would have it that keeps its data there: it
/// is filled in the first call, whose time that counts to. Sources do not change.
struct Shared<T: Scalar, const D: usize> {
    bound: Bound<T, D>,
    source: SharedArray<T>,
    filled: bool,
}

impl<T: Scalar, const D: usize> Shared<T, D> {
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

/// As [`Shared`], to an array in shared memory.
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

/// Plans anew, from the layouts alone: that is part of its set-up.
pub fn planned_at_run_time<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    bind(&anew(context)?, context.world)
}

/// By packed messages that all go at once, planned at run time.
pub fn by_messages<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    Ok(Box::new(Ours(binder.bind(context.world).map_err(|error| error.to_string())?)))
}

/// As [`by_messages`], which go in longer pieces than to other nodes by themselves.
pub fn in_long_pieces<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    let bound = binder.max_message_bytes(1 << 20).bind(context.world);
    Ok(Box::new(Ours(bound.map_err(|error| error.to_string())?)))
}

/// By what it chooses itself once the network was measured, which the first set-up pays for.
pub fn over_a_measured_network<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let world = measured(context.world).map_err(|error| error.to_string())?;
    bind(&anew(context)?, world)
}

thread_local! {
    static MEASURED: OnceCell<&'static SimpleCommunicator> = const { OnceCell::new() };
}

/// All ranks, with a calibration that other ways do not see.
fn measured(world: &SimpleCommunicator) -> Result<&'static SimpleCommunicator, Error> {
    if let Some(measured) = MEASURED.with(|measured| measured.get().copied()) {
        return Ok(measured);
    }
    let own: &'static SimpleCommunicator = Box::leak(Box::new(world.duplicate()));
    Calibration::measure(own)?.keep(own)?;
    Ok(MEASURED.with(|measured| *measured.get_or_init(|| own)))
}

/// As [`by_messages`].
pub fn by_derived_types<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    via(context, Route::DerivedTypes)
}

/// As [`by_messages`], joined between nodes.
pub fn by_joined_messages<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    via(context, Route::Joined)
}

/// In the steps of a schedule, planned at run time.
pub fn by_steps<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
    method: Method,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let bound =
        plan.binder().method(method).bind(context.world).map_err(|error| error.to_string())?;
    Ok(Box::new(Ours(bound)))
}

fn via<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
    route: Route,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let bound =
        plan.binder().route(route).bind(context.world).map_err(|error| error.to_string())?;
    Ok(Box::new(Ours(bound)))
}

/// From a shared array to one that is not.
pub fn from_shared_memory<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(shared(context)?))
}

/// From a shared array to another.
pub fn between_shared_arrays<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let from = shared(context)?;
    let destination =
        from.bound.shared_array(Side::Destination).map_err(|error| error.to_string())?;
    Ok(Box::new(BetweenShared { from, destination }))
}

fn shared<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Shared<T, D>, String> {
    let bound = anew::<T, R, D>(context)?.bind(context.world).map_err(|error| error.to_string())?;
    let source = bound.shared_array(Side::Source).map_err(|error| error.to_string())?;
    Ok(Shared { bound, source, filled: false })
}

fn anew<T: Scalar, R, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<RuntimePlan<T, D>, String> {
    let [from, to] =
        [Side::Source, Side::Destination].map(|side| *context.plan.descriptor(side).layout());
    RuntimePlan::new(context.plan.extents(), from, to).map_err(|error| error.to_string())
}

fn bind<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    plan: &R,
    world: &SimpleCommunicator,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(Ours(plan.bind(world).map_err(|error| error.to_string())?)))
}
