//! How one of several ways over MPI is taken.

use super::context::Context;
use super::staging::Staging;
use crate::error::Error;
use crate::transport::{Proposal, Route, Way};

/// Pairs of a rank of this node with any other whose messages are looked at, at most, before they
/// are joined without having been asked for.
const MAX_PAIRS: usize = 1 << 16;

/// The way that ranks take, and why: the same on all ranks, which have found that they ask for the
/// same; `strided` is the lowest whose local arrays are not dense. Collective.
pub(super) fn way(
    context: &Context,
    proposal: &Proposal<'_>,
    strided: Option<usize>,
) -> Result<(Way, &'static str), Error> {
    const ASKED: &str = "asked for by the caller";
    let (asked, bound) = (proposal.options.route, proposal.options.bound());
    let unavailable = |reason: &str| {
        let what = format!("the route `{asked}`");
        Err(Error::Unavailable { what, reason: reason.into() })
    };
    match asked {
        Route::Messages => Ok((Way::Messages, ASKED)),
        Route::DerivedTypes | Route::Joined if bound.is_some() => unavailable(
            "memory for it cannot be bounded, as `max_bytes` asks; packed messages can be",
        ),
        Route::DerivedTypes => Ok((Way::DerivedTypes, ASKED)),
        Route::Joined if context.is_one_node() => unavailable("all ranks are on one node"),
        Route::Joined => Ok((Way::Joined, ASKED)),
        Route::Automatic if bound.is_none() && may_join(context, proposal)? => {
            Ok((Way::Joined, "many short messages go between nodes"))
        }
        Route::Automatic if proposal.steps.is_some() => {
            Ok((Way::Messages, "the schedule has steps, in which messages go"))
        }
        Route::Automatic if strided.is_some() => {
            Ok((Way::Messages, "a rank's local array has strides of its own"))
        }
        Route::Automatic | Route::Staged => {
            if let Some(rank) = strided {
                return unavailable(&format!(
                    "a local array of rank {rank} has strides of its own"
                ));
            }
            match (no_chunks(context, proposal.element.bytes(), bound)?, asked) {
                (None, Route::Staged) => Ok((Way::Chunks, ASKED)),
                (None, _) => {
                    Ok((Way::Chunks, "all ranks share memory, in which chunks stay in a cache"))
                }
                (Some(reason), Route::Staged) => unavailable(reason),
                (Some(reason), _) => Ok((Way::Messages, reason)),
            }
        }
    }
}

/// Whether messages between nodes are so short that their startups cost more than their bytes, and
/// some node sends several to another. Collective.
fn may_join(context: &Context, proposal: &Proposal<'_>) -> Result<bool, Error> {
    if context.is_one_node() {
        return Ok(false);
    }
    // Where the library cannot tell, it cannot on all ranks.
    let Ok(nodes) = context.nodes() else { return Ok(false) };
    if !nodes.is_worth_joining() {
        return Ok(false);
    }
    let own = context.communicator();
    let here = nodes.of(own.rank());
    let members = nodes.members(here).len();
    let (mut may, mut repeats) = (members.saturating_mul(own.size()) <= MAX_PAIRS, false);
    for other in (0..nodes.count()).filter(|node| *node != here) {
        if !may {
            break;
        }
        let bytes = |rank: &usize| (proposal.joining.bytes)(own.rank(), *rank);
        let sent = || nodes.members(other).iter().map(bytes).filter(|bytes| *bytes > 0);
        may &= sent().all(|bytes| bytes < proposal.joining.below);
        // Other ranks of this node most likely send to that one, too.
        repeats |= sent().count() * members > 1;
    }
    let [all_may, none_repeats] = own.minima([u64::from(may), u64::from(!repeats)])?;
    Ok(all_may == 1 && none_repeats == 0)
}

/// Why there are no chunks to be shown. Collective.
fn no_chunks(
    context: &Context,
    element_bytes: usize,
    bound: Option<usize>,
) -> Result<Option<&'static str>, Error> {
    let window = Staging::bytes_among(context.communicator().size());
    // As much is left for messages, which go where a move has a function.
    if bound.is_some_and(|bound| window > bound / 2) {
        return Ok(Some("the window for chunks is longer than half of `max_bytes`"));
    }
    Ok(match context.staging()? {
        Some(staging) if staging.elements(element_bytes) > 0 => None,
        Some(_) => Some("an element is longer than a chunk of shared memory"),
        None => Some("the ranks have no memory that they all share"),
    })
}
