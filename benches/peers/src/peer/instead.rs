//! Moves by ways that redist does not choose.

use super::Context;
use redist::Redistribution;
use redist::plan::schedule::Method;
use redist::transport::Route;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Bare, Peer, Shared, anew};

pub fn by_messages<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    Ok(Box::new(Bare(binder.bind(context.world).map_err(|error| error.to_string())?)))
}

pub fn in_long_pieces<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let binder = plan.binder().route(Route::Messages).method(Method::AllAtOnce);
    let bound = binder.max_message_bytes(1 << 20).bind(context.world);
    Ok(Box::new(Bare(bound.map_err(|error| error.to_string())?)))
}

pub fn by_steps<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
    method: Method,
) -> Result<Box<dyn Peer<T>>, String> {
    let plan = anew::<T, R, D>(context)?;
    let bound =
        plan.binder().method(method).bind(context.world).map_err(|error| error.to_string())?;
    Ok(Box::new(Bare(bound)))
}

pub fn from_shared_memory<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    Ok(Box::new(Shared::new(context)?))
}
