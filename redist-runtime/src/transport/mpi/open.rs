//! Opening a channel between processes.

use super::channel::MpiChannel;
use super::context::{Context, ContextUse, unasked_bytes};
use super::gateway::{Gateway, Parcel};
use super::near::{InSlots, NodeEnd};
use super::node::NodeBoard;
use super::node_slots::RingLength;
use super::packed::SlotMessages;
use super::preflight::{self, Preflight};
use super::way::way;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::board::Progress;
use crate::transport::{Channel, Partners, Proposal, Route, Way};

/// Opens a channel, if all ranks propose the same. Collective.
pub(super) fn open(
    context: &ContextUse,
    proposal: Result<Proposal<'_>, Error>,
    compared: Preflight,
) -> Result<Box<dyn Channel>, Error> {
    let (proposal, strided) = preflight::agreed(context.communicator(), proposal, compared)?;
    let Proposal { element, options, sizes, .. } = proposal;
    let (rank, nodes) = (context.communicator().rank(), context.nodes());
    let all = (proposal.partners)();
    let is_here = |other: usize| nodes.of(other) == nodes.of(rank);
    // Collectively all ranks are partners. A batch tells no bytes.
    let sends = |from: usize, to: usize| !options.collectively || (sizes.bytes)(from, to) > 0;
    let far = among(
        &all,
        |from| !is_here(from) && sends(from, rank),
        |to| !is_here(to) && sends(rank, to),
    );
    let near = if nodes.count() == 1 { all } else { among(&all, is_here, is_here) };
    let shares = !near.receivers.is_empty() && far.receivers.is_empty();
    let arriving = joined(context, &proposal)?;
    let way = way(context, &proposal, strided, shares)?;
    let gateway = match arriving {
        Some(parcels) => Gateway::new(context, sizes.bytes, parcels)?,
        None => None,
    };
    let way = match way.0 {
        Way::Messages if gateway.is_some() => (way.0, "short messages of a node travel together"),
        _ => way,
    };
    let communicator = context.tagged(options.max_tags)?;
    // Ranks of one node may pack where those of another do not, and all have to agree on a ring.
    let ring = match way.0 {
        Way::Chunks if options.bound().is_none() => ring(context, sizes.largest_array)?,
        _ => RingLength::Short,
    };
    let may_pack = way.0 == Way::Chunks && options.route == Route::Automatic;
    let slots = context.slots(RingLength::Short).filter(|_| may_pack);
    let packed = slots.and_then(|slots| SlotMessages::new(context, slots, sizes));
    let way = match packed {
        Some(_) => (Way::Slots, "ranks of a node share memory, and runs are short"),
        None => way,
    };
    let ring = if packed.is_some() { RingLength::Short } else { ring };
    let way = match ring {
        RingLength::Long if options.route == Route::Automatic => {
            (way.0, "ranks of a node share memory, and leave no core to others")
        }
        _ => way,
    };
    let board = NodeBoard::new(&context.pages, &communicator, &far.met)?;
    let progress = Progress::new(rank, board, near);
    let near = NodeEnd {
        progress,
        far,
        context: ContextUse::clone(context),
        element,
        way,
        ring,
        packed,
        slots: InSlots::default(),
    };
    Ok(Box::new(MpiChannel::new(near, gateway, *options, communicator)))
}

/// Returns the longest ring of a plan whose chunks go through slots; all ranks decide alike. Collective,
/// so that no rank may leave it out for what only its node knows.
fn ring(context: &Context, largest_array: usize) -> Result<RingLength, Error> {
    let is_full = context.pages.ranks_of_a_core() > 0;
    let wanted = context.rings(context.nodes().largest()).longest(is_full, largest_array);
    let has_room = match (wanted, context.slots(RingLength::Long)) {
        (RingLength::Long, None) => {
            context.rings(context.node().size()).have_room(context.communicator())?
        }
        _ => true,
    };
    Ok(match wanted {
        RingLength::Long if has_room && context.make_slots(RingLength::Long).is_some() => wanted,
        _ => RingLength::Short,
    })
}

/// Returns the parcels to this rank, a parcel from each other node with a message to it, if
/// messages to ranks of other nodes travel together. Some messages of a node have one receiver, and
/// all of each receiver are below the eager limit: there starting a message costs more than copying
/// its bytes once more. All ranks decide alike. Collective.
fn joined(context: &Context, proposal: &Proposal<'_>) -> Result<Option<Vec<Parcel>>, Error> {
    let nodes = context.nodes();
    if nodes.count() == 1 {
        return Ok(None);
    }
    let Proposal { options, sizes, .. } = proposal;
    let (own, most) = (context.communicator(), unasked_bytes());
    let in_segments = options.max_message_bytes.is_some() || options.bound().is_some();
    let is_asked = options.route != Route::Messages && proposal.method == Method::AllAtOnce;
    let others = (0..nodes.count()).filter(|node| *node != nodes.of(own.rank()));
    let bytes = |from| (sizes.bytes)(from, own.rank());
    let parcels = others.map(|node| Parcel::new(nodes.members(node), bytes));
    let parcels: Vec<_> = parcels.filter(|parcel| !parcel.parts.is_empty()).collect();
    let fits = parcels.iter().all(|parcel| parcel.len <= most);
    let gains = parcels.iter().any(|parcel| parcel.parts.len() > 1);
    let may = is_asked && !in_segments && fits;
    let [all_may, none_gains] = own.minima([u64::from(may), u64::from(!gains)])?;
    Ok((all_may == 1 && none_gains == 0).then_some(parcels))
}

/// Returns the partners that this rank sends to or receives from, as `is_receiver` and `is_sender`
/// tell.
fn among(
    all: &Partners,
    is_sender: impl Fn(usize) -> bool,
    is_receiver: impl Fn(usize) -> bool,
) -> Partners {
    let of = |ranks: &[usize], is_one: &dyn Fn(usize) -> bool| -> Vec<usize> {
        ranks.iter().copied().filter(|rank| is_one(*rank)).collect()
    };
    let (senders, receivers) = (of(&all.senders, &is_sender), of(&all.receivers, &is_receiver));
    let mut met = [&senders[..], &receivers].concat();
    met.sort_unstable();
    met.dedup();
    Partners { senders, receivers, met, divide: false }
}
