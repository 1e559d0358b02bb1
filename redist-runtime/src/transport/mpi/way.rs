//! How one of several ways over MPI is taken.

use super::context::Context;
use crate::error::Error;
use crate::transport::{Route, Way};

/// The way that ranks take, and why, for elements of `element_bytes`: the same on all ranks, which
/// have found that they ask for the same. Collective.
pub(super) fn way(
    context: &Context,
    asked: Route,
    has_steps: bool,
    element_bytes: usize,
) -> Result<(Way, &'static str), Error> {
    const ASKED: &str = "asked for by the caller";
    match asked {
        Route::Messages => Ok((Way::Messages, ASKED)),
        Route::DerivedTypes => Ok((Way::DerivedTypes, ASKED)),
        Route::Automatic if has_steps => {
            Ok((Way::Messages, "the schedule has steps, in which messages go"))
        }
        Route::Automatic | Route::Staged => match (no_chunks(context, element_bytes)?, asked) {
            (None, Route::Staged) => Ok((Way::Chunks, ASKED)),
            (None, _) => {
                Ok((Way::Chunks, "all ranks share memory, in which chunks stay in a cache"))
            }
            (Some(reason), Route::Staged) => Err(Error::Unavailable {
                what: format!("the route `{asked}`"),
                reason: reason.into(),
            }),
            (Some(reason), _) => Ok((Way::Messages, reason)),
        },
    }
}

/// Why there are no chunks to be shown. Collective.
fn no_chunks(context: &Context, element_bytes: usize) -> Result<Option<&'static str>, Error> {
    Ok(match context.staging()? {
        Some(staging) if staging.elements(element_bytes) > 0 => None,
        Some(_) => Some("an element is longer than a chunk of shared memory"),
        None => Some("the ranks have no memory that they all share"),
    })
}
