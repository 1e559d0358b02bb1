//! Holdings and messages of one rank.

use crate::memory;
use redist_plan::plan::{Axis, Plan, Side};
use serde::Serialize;
use std::collections::BTreeSet;

/// The most coordinates of a dimension that are compared with the rank.
const MAX_COORDINATES: usize = 1 << 10;

/// The most pieces of a rank along a dimension that are visited instead.
const MAX_PIECES: usize = 1 << 20;

/// Holdings and messages of one rank on both sides.
#[derive(Serialize)]
pub struct OneRank {
    /// Rank of the communicator.
    pub rank: usize,
    pub source: Option<SideReport>,
    pub destination: Option<SideReport>,
}

/// One rank on one side.
#[derive(Serialize)]
pub struct SideReport {
    /// Grid coordinates.
    pub coordinates: Vec<usize>,
    /// Extents of the local array.
    pub local_extents: Vec<usize>,
    /// Elements of the local array.
    pub local_elements: usize,
    /// Elements of all messages.
    pub message_elements: usize,
    /// Messages, by rank of the other side.
    pub messages: Option<Vec<MessageReport>>,
    pub messages_omitted: Option<String>,
}

/// A message to or from one rank.
#[derive(Serialize)]
pub struct MessageReport {
    /// The rank on the other side.
    pub rank: usize,
    /// Number of elements.
    pub elements: usize,
}

impl OneRank {
    pub fn of<const D: usize>(plan: &Plan<D>, rank: usize, most: usize) -> Self {
        let half = |side| half(plan, side, rank, most);
        OneRank { rank, source: half(Side::Source), destination: half(Side::Destination) }
    }
}

fn half<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    rank: usize,
    most: usize,
) -> Option<SideReport> {
    let descriptor = plan.descriptor(side);
    let messages = messages(plan, side, descriptor.coordinates(rank)?, most);
    Some(SideReport {
        coordinates: descriptor.coordinates(rank)?.to_vec(),
        local_extents: descriptor.local_extents(rank)?.to_vec(),
        local_elements: descriptor.local_len(rank),
        message_elements: memory::moved(plan, side, rank),
        messages_omitted: messages
            .is_none()
            .then(|| format!("they are more than {most}, or made of more than {MAX_PIECES} pieces along a dimension")),
        messages,
    })
}

fn messages<const D: usize>(
    plan: &Plan<D>,
    side: Side,
    own: [usize; D],
    most: usize,
) -> Option<Vec<MessageReport>> {
    let mut found = vec![([0; D], 1usize)];
    for dimension in 0..D {
        let (axis, there) = (plan.axis(dimension), plan.axis_on(side.other(), dimension));
        let peers = peers(&axis, side, own[plan.axis_on(side, dimension)])?;
        if found.len().saturating_mul(peers.len()) > most {
            return None;
        }
        let extended = |&(coordinates, volume): &([usize; D], usize)| {
            let with = move |&(peer, count): &(usize, usize)| {
                let mut coordinates = coordinates;
                coordinates[there] = peer;
                (coordinates, count.saturating_mul(volume))
            };
            peers.iter().map(with).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(extended).collect();
    }
    let rank = |coordinates| plan.descriptor(side.other()).rank_at(coordinates);
    let mut messages: Vec<MessageReport> = found
        .into_iter()
        .map(|(coordinates, elements)| MessageReport { rank: rank(coordinates), elements })
        .collect();
    messages.sort_by_key(|message| message.rank);
    Some(messages)
}

fn peers(axis: &Axis, side: Side, own: usize) -> Option<Vec<(usize, usize)>> {
    let ranks = axis.side(side.other()).ranks();
    let candidates = if ranks <= MAX_COORDINATES {
        (0..ranks).collect()
    } else {
        peers_of_pieces(axis, side, own)?
    };
    let count = |peer| match side {
        Side::Source => axis.count(own, peer),
        Side::Destination => axis.count(peer, own),
    };
    Some(
        candidates
            .into_iter()
            .map(|peer| (peer, count(peer)))
            .filter(|(_, count)| *count > 0)
            .collect(),
    )
}

fn peers_of_pieces(axis: &Axis, side: Side, own: usize) -> Option<BTreeSet<usize>> {
    let mut pieces = axis.aspen(side, own);
    let peers = pieces.by_ref().take(MAX_PIECES).map(|piece| piece.peer).collect();
    pieces.next().is_none().then_some(peers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_lead_to_all_peers() {
        for (from, to) in [
            ("cyclic(63) onto 50", "cyclic(64) onto 70"),
            ("block onto 9", "cyclic(5) onto 40 of 20000 at 13"),
            ("gen_block([1000, 0, 9000]) onto 3", "cyclic(3) onto 11 first 4"),
        ] {
            let axis = Plan::<1>::parse([10_000], from, to).expect("a plan").axis(0);
            for side in [Side::Source, Side::Destination] {
                for own in 0..axis.side(side).ranks() {
                    let pieces = peers_of_pieces(&axis, side, own).expect("few pieces");
                    let counted: BTreeSet<usize> = peers(&axis, side, own)
                        .expect("few ranks")
                        .into_iter()
                        .map(|(peer, _)| peer)
                        .collect();
                    assert_eq!(pieces, counted, "{from} -> {to}: {side} {own}");
                }
            }
        }
    }
}
