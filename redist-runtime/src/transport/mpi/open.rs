//! Opening a channel between processes.

use super::channel::MpiChannel;
use super::context::Context;
use super::joined::JoinedMessages;
use super::near::NodeChannel;
use super::node::NodeBoard;
use super::packed::SlotMessages;
use super::preflight;
use super::way::way;
use crate::error::Error;
use crate::transport::board::Rounds;
use crate::transport::{Channel, Proposal, Route, Way};
use std::sync::Arc;

/// Opens a channel, if all ranks propose the same. Collective.
pub(super) fn open(
    context: &Arc<Context>,
    proposal: Result<Proposal<'_>, Error>,
) -> Result<Box<dyn Channel>, Error> {
    context.set_up()?;
    let (proposal, strided) = preflight::agreed(context.communicator(), proposal)?;
    let Proposal { element, options, joining, .. } = proposal;
    context.make_pages()?;
    let piece_bytes = context.piece_bytes(options);
    context.vote_over_nodes()?;
    let way = way(context, &proposal, strided)?;
    let communicator = context.tagged(options.max_tags)?;
    if let Some(pages) = context.pages() {
        let may_pack = way.0 == Way::Chunks && options.route == Route::Automatic;
        let packed = match context.slots().filter(|_| may_pack) {
            Some(slots) => SlotMessages::new(context, slots, joining)?,
            None => None,
        };
        let board = NodeBoard::new(pages)?;
        let rounds = Rounds::new(context.communicator().rank(), board, (proposal.partners)());
        let of = (element, way, piece_bytes[0]);
        let context = Arc::clone(context);
        return Ok(Box::new(NodeChannel::new(context, rounds, of, packed, communicator)));
    }
    let (way, joined) = match way.0 {
        Way::Joined => JoinedMessages::for_route(context, joining, options.route, way)?,
        _ => (way, None),
    };
    Ok(Box::new(MpiChannel::new(context, way, joined, piece_bytes, communicator)))
}
