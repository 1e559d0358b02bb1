//! The choice of one of several ways over MPI.

use super::context::Context;
use super::library::Library;
use super::staging::bytes_among;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::{Proposal, Route, Way};

/// Most pairs of this node's ranks with any others that automatic joining searches.
pub(super) const MAX_PAIRS: usize = 1 << 16;

/// Most parcels from a node to a rank for automatic joining; beyond, sending while packing wins.
const MAX_PARCELS: usize = 4;

/// Returns the way of all ranks, and the reason: the same on all, whose options agree. If some
/// local arrays are not dense, `strided` is the lowest such rank. Collective.
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
        Route::Joined if bound.is_some() => unavailable(
            "memory for it cannot be bounded, as `max_bytes` asks; packed messages can be",
        ),
        Route::Joined if context.is_one_node() => unavailable("all ranks are on one node"),
        Route::Joined if context.meetings().reports().is_none() => unavailable(
            "the ranks of a node have no memory to join them in, or there are more than 64 nodes",
        ),
        Route::Joined => Ok((Way::Joined, ASKED)),
        Route::Automatic if bound.is_none() && may_join(context, proposal)? => {
            Ok((Way::Joined, "short messages go between nodes"))
        }
        Route::Automatic if proposal.method != Method::AllAtOnce => {
            Ok((Way::Messages, "a schedule is asked for, in whose order messages go"))
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

/// Returns `true` if some messages go between nodes, and all are below the eager limit: starting
/// one then costs more than copying its bytes once more. Collective.
fn may_join(context: &Context, proposal: &Proposal<'_>) -> Result<bool, Error> {
    if context.meetings().reports().is_none() {
        return Ok(false);
    }
    let (own, nodes) = (context.communicator(), context.nodes()?);
    let (rank, here) = (own.rank(), nodes.of(own.rank()));
    let mut may = proposal.joining.may_join
        && nodes.members(here).len().saturating_mul(own.size()) <= MAX_PAIRS;
    let mut some = false;
    let (mut parcels, longest) = (vec![0usize; nodes.count()], Library::linked().unasked_bytes);
    // Others are sent in segments.
    let whole = proposal.options.max_message_bytes.unwrap_or(usize::MAX);
    for other in (0..own.size()).filter(|other| nodes.of(*other) != here) {
        if !may {
            break;
        }
        let [sent, received] =
            [(rank, other), (other, rank)].map(|(from, to)| (proposal.joining.bytes)(from, to));
        some |= sent > 0;
        let parcel = &mut parcels[nodes.of(other)];
        *parcel = parcel.saturating_add(received);
        may &= sent == 0 || sent < whole && sent <= longest;
        may &= *parcel <= MAX_PARCELS * longest;
    }
    let [all_may, none_sends] = own.minima([u64::from(may), u64::from(!some)])?;
    Ok(all_may == 1 && none_sends == 0)
}

/// Returns the reason that forbids chunks. Collective.
fn no_chunks(
    context: &Context,
    element_bytes: usize,
    bound: Option<usize>,
) -> Result<Option<&'static str>, Error> {
    let window = bytes_among(context.communicator().size());
    // As much is left for messages, which go if a move has a function.
    if bound.is_some_and(|bound| window > bound / 2) {
        return Ok(Some("the window for chunks is longer than half of `max_bytes`"));
    }
    Ok(match context.make_slots()? {
        Some(slots) if slots.elements(element_bytes) > 0 => None,
        Some(_) => Some("an element is longer than a chunk of shared memory"),
        None => Some("the ranks have no memory that they all share"),
    })
}
