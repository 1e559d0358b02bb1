//! The choice of one of several ways over MPI.

use super::context::Context;
use super::node_slots::RingLength;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::{Proposal, Route, Way};

const NO_MEMORY: &str = "the ranks have no memory that they all share";

/// Returns the way of all ranks, and the reason: the same on all, whose options agree. If some
/// local arrays are not dense, `strided` is the lowest such rank. This rank `shares` if it has
/// elements only for its own node. Collective.
pub(super) fn way(
    context: &Context,
    proposal: &Proposal<'_>,
    strided: Option<usize>,
    shares: bool,
) -> Result<(Way, &'static str), Error> {
    const ASKED: &str = "asked for by the caller";
    let (asked, bound) = (proposal.options.route, proposal.options.bound());
    let unavailable = |reason: &str| {
        let what = format!("the route `{asked}`");
        Err(Error::Unavailable { what, reason: reason.into() })
    };
    match asked {
        Route::Messages => Ok((Way::Messages, ASKED)),
        Route::Chunks if context.nodes().count() > 1 => {
            unavailable(&context.pages.apart().map_or_else(|| NO_MEMORY.into(), Error::reason))
        }
        Route::Automatic if proposal.method != Method::AllAtOnce => {
            Ok((Way::Messages, "a schedule is asked for, in whose order messages go"))
        }
        Route::Automatic if strided.is_some() => {
            Ok((Way::Messages, "a rank's local array has strides of its own"))
        }
        Route::Automatic if context.pages.apart().is_some() => Ok((Way::Messages, NO_MEMORY)),
        Route::Automatic
            if context.nodes().count() > 1
                && context.communicator().minima([u64::from(!shares)])? == [1] =>
        {
            Ok((Way::Messages, "all ranks with elements for others have some for other nodes"))
        }
        Route::Automatic | Route::Chunks => {
            if let Some(rank) = strided {
                return unavailable(&format!(
                    "a local array of rank {rank} has strides of its own"
                ));
            }
            match (no_chunks(context, proposal.element.bytes(), bound)?, asked) {
                (None, Route::Chunks) => Ok((Way::Chunks, ASKED)),
                (None, _) => Ok((
                    Way::Chunks,
                    "ranks of a node share memory, in which chunks stay in a cache",
                )),
                (Some(reason), Route::Chunks) => unavailable(reason),
                (Some(reason), _) => Ok((Way::Messages, reason)),
            }
        }
    }
}

/// Returns the reason that forbids chunks. Collective.
fn no_chunks(
    context: &Context,
    element_bytes: usize,
    bound: Option<usize>,
) -> Result<Option<&'static str>, Error> {
    let window = context.rings(context.nodes().largest()).bytes(RingLength::Short);
    // As much is left for messages, which go if a move has a function.
    if bound.is_some_and(|bound| window > bound / 2) {
        return Ok(Some("the window for chunks is longer than half of `max_bytes`"));
    }
    Ok(match context.make_slots(RingLength::Short) {
        Some(slots) if slots.elements(element_bytes) > 0 => None,
        Some(_) => Some("an element is longer than a chunk of shared memory"),
        None => Some(NO_MEMORY),
    })
}
