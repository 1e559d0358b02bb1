//! What redist can do instead of what it does by itself.

use super::Context;
use core::cell::OnceCell;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use redist::mpi::Calibration;
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist::{Error, Redistribution};
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Bare, Peer, Shared, anew};

/// By packed messages that all go at once, planned at run time.
pub fn by_messages<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    Ok(Box::new(Bare(binder.bind(context.world).map_err(|error| error.to_string())?)))
}

/// As [`by_messages`], which go in longer pieces than to other nodes by themselves.
pub fn in_long_pieces<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    let bound = binder.max_message_bytes(1 << 20).bind(context.world);
    Ok(Box::new(Bare(bound.map_err(|error| error.to_string())?)))
}

/// By what it chooses itself once the network was measured, which the first set-up pays for.
pub fn over_a_measured_network<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let world = measured(context.world).map_err(|error| error.to_string())?;
    let bound = anew(context)?.bind(world).map_err(|error| error.to_string())?;
    Ok(Box::new(Bare(bound)))
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
    Ok(Box::new(Bare(bound)))
}

fn via<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
    route: Route,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let bound =
        plan.binder().route(route).bind(context.world).map_err(|error| error.to_string())?;
    Ok(Box::new(Bare(bound)))
}

/// From a shared array to one that is not.
pub fn from_shared_memory<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(Shared::new(context)?))
}
