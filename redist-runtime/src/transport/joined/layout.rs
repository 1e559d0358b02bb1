//! Where the messages of a node's ranks lie in the memory that these share.
//!
//! A part holds what its rank sends to ranks of its node, and for each other node that it speaks
//! with two blocks: the messages of all ranks of this node to all of that one, and back. Both nodes
//! find the same order of the messages in a block, from the plan.

use crate::transport::nodes::Nodes;
use std::ops::Range;

/// Blocks are aligned to lines of the cache.
const LINE: usize = 64;

/// Bytes of a part of the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose part it is, by its place among the ranks of the node.
    pub owner: usize,
    pub bytes: Range<usize>,
}

/// What a rank exchanges with another node, in its part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointBlock {
    /// The rank there that receives and sends it.
    pub rank: usize,
    pub outgoing: Range<usize>,
    pub incoming: Range<usize>,
}

/// The memory of one move, as one rank of the node needs to know it.
#[derive(Clone, Debug, Default)]
pub struct JoinedLayout {
    /// Bytes of each part, by the place of its rank.
    pub lens: Vec<usize>,
    /// This rank's messages, with the rank that each goes to or comes from, ascending.
    pub outgoing: Vec<(usize, Place)>,
    pub incoming: Vec<(usize, Place)>,
    /// What this rank speaks.
    pub blocks: Vec<JointBlock>,
}

impl JoinedLayout {
    /// Of `rank`, where messages have these bytes, by the ranks that send and receive them. Bytes
    /// saturate: what is longer than memory cannot be allocated.
    pub fn new(nodes: &Nodes, rank: usize, bytes: &dyn Fn(usize, usize) -> usize) -> Self {
        let here = nodes.of(rank);
        let members = nodes.members(here);
        let mut layout = Self { lens: vec![0; members.len()], ..Self::default() };
        for (owner, from) in members.iter().enumerate() {
            layout.place(owner, [*from].as_slice(), members, rank, bytes);
        }
        for other in (0..nodes.count()).filter(|node| *node != here) {
            let (owner, others) = (nodes.speaker(here, other), nodes.members(other));
            let outgoing = layout.place(owner, members, others, rank, bytes);
            let incoming = layout.place(owner, others, members, rank, bytes);
            let speaks = members[owner] == rank && !(outgoing.is_empty() && incoming.is_empty());
            if speaks {
                let rank = others[nodes.speaker(other, here)];
                layout.blocks.push(JointBlock { rank, outgoing, incoming });
            }
        }
        layout.outgoing.sort_unstable_by_key(|(to, _)| *to);
        layout.incoming.sort_unstable_by_key(|(from, _)| *from);
        layout
    }

    /// Adds the messages of some ranks to others, in the order of both, to a part.
    fn place(
        &mut self,
        owner: usize,
        from: &[usize],
        to: &[usize],
        rank: usize,
        bytes: &dyn Fn(usize, usize) -> usize,
    ) -> Range<usize> {
        let start = self.lens[owner].checked_next_multiple_of(LINE).unwrap_or(usize::MAX);
        let mut end = start;
        for &source in from {
            for &destination in to {
                let message = end..end.saturating_add(bytes(source, destination));
                end = message.end;
                if message.is_empty() {
                    continue;
                }
                if source == rank {
                    let place = Place { owner, bytes: message.clone() };
                    self.outgoing.push((destination, place));
                }
                if destination == rank {
                    self.incoming.push((source, Place { owner, bytes: message }));
                }
            }
        }
        self.lens[owner] = end;
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn bytes(source: usize, destination: usize) -> usize {
        // Some pairs have no message.
        (source * 7 + destination * 3) % 5
    }

    /// No two messages meet in a part, all ranks of a node know the same places, and what one node
    /// sends in a block is where the other one finds it.
    #[test]
    fn places_are_apart_and_known_to_both() {
        let lowest = [0, 1, 0, 3, 1, 1, 0];
        let nodes = Nodes::new(&lowest);
        let ranks = lowest.len();
        let layouts: Vec<_> =
            (0..ranks).map(|rank| JoinedLayout::new(&nodes, rank, &bytes)).collect();
        let mut found = 0;
        for (source, layout) in layouts.iter().enumerate() {
            for (destination, sent) in &layout.outgoing {
                found += 1;
                assert_eq!(sent.bytes.len(), bytes(source, *destination));
                let into = &layouts[*destination].incoming;
                let (_, received) = into.iter().find(|(from, _)| *from == source).unwrap();
                let (here, there) = (nodes.of(source), nodes.of(*destination));
                if here == there {
                    assert_eq!(sent, received);
                    continue;
                }
                let block = |node: usize, other: usize, place: &Place| {
                    let speaker = nodes.members(node)[place.owner];
                    let back = nodes.members(other)[nodes.speaker(other, node)];
                    let of = |block: &&JointBlock| block.rank == back;
                    layouts[speaker].blocks.iter().find(of).unwrap().clone()
                };
                let out = block(here, there, sent).outgoing;
                let into = block(there, here, received).incoming;
                assert_eq!(out.len(), into.len());
                assert_eq!(sent.bytes.start - out.start, received.bytes.start - into.start);
            }
        }
        let expected = (0..ranks * ranks).filter(|at| bytes(at / ranks, at % ranks) > 0).count();
        assert_eq!(found, expected);
        for node in 0..nodes.count() {
            let mut taken: BTreeMap<(usize, usize), usize> = BTreeMap::new();
            for &rank in nodes.members(node) {
                assert_eq!(layouts[rank].lens, layouts[nodes.members(node)[0]].lens);
                let into =
                    layouts[rank].incoming.iter().filter(|(from, _)| nodes.of(*from) != node);
                for (_, place) in layouts[rank].outgoing.iter().chain(into) {
                    taken.insert((place.owner, place.bytes.start), place.bytes.end);
                    assert!(place.bytes.end <= layouts[rank].lens[place.owner]);
                }
            }
            let places: Vec<_> = taken.into_iter().collect();
            for pair in places.windows(2) {
                let (((owner, _), end), ((next, start), _)) = (pair[0], pair[1]);
                assert!(owner != next || end <= start);
            }
        }
    }

    #[test]
    fn what_is_longer_than_memory_saturates() {
        let nodes = Nodes::new(&[0, 1, 1]);
        let layout = JoinedLayout::new(&nodes, 1, &|_, _| usize::MAX / 2);
        assert_eq!(layout.lens.iter().max(), Some(&usize::MAX));
    }
}
