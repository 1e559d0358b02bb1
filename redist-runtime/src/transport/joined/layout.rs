//! Where the messages of a node's ranks lie in the memory that these share, and in what travels
//! between nodes.
//!
//! The part of a rank has its messages to all ranks, but where the rank is alone on its node: then
//! it packs those to others where they are sent from. What goes to a rank of another node are the
//! messages of all ranks of this node to that one, in their order, as many together in a *parcel*
//! as it holds: mostly all. Both nodes find the same from the plan.

use crate::transport::nodes::Nodes;
use std::ops::Range;

/// Messages begin on lines of the cache, since each is written by one rank and read by another.
const LINE: usize = 64;

/// Where a message to this rank lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a part, named by the place of its rank among those of the node.
    Part(usize, Range<usize>),
    /// In one of the parcels from another node: the node, the parcel, and the bytes.
    Parcel(usize, usize, Range<usize>),
}

/// The memory of one move, as one rank of the node needs to know it.
#[derive(Clone, Debug)]
pub struct JoinedLayout {
    /// Bytes of each part, by the place of its rank.
    pub lens: Vec<usize>,
    /// Where the message to each rank lies in each part; of those that have no place there, the
    /// lengths alone mean something.
    messages: Vec<Vec<Range<usize>>>,
    /// This rank, where it is the only one of its node.
    alone: Option<usize>,
    /// The messages to this rank, with the rank that each comes from, ascending.
    pub incoming: Vec<(usize, Place)>,
    /// Bytes of each parcel from each node; there is one at least, but from this one.
    pub parcels: Vec<Vec<usize>>,
    /// The most bytes of a parcel.
    most: usize,
}

impl JoinedLayout {
    /// Of `rank`, where messages have these bytes, by the ranks that send and receive them, and those
    /// between nodes are at most the `most` bytes of a parcel. Bytes saturate: what is longer than
    /// memory cannot be allocated.
    pub fn new(
        nodes: &Nodes,
        rank: usize,
        bytes: &dyn Fn(usize, usize) -> usize,
        most: usize,
    ) -> Self {
        let (here, ranks) = (nodes.of(rank), nodes.ranks());
        let alone = (nodes.members(here).len() == 1).then_some(rank);
        let (mut lens, mut messages) = (Vec::new(), Vec::new());
        for &source in nodes.members(here) {
            let mut end = 0usize;
            let place = |destination| {
                let bytes = bytes(source, destination);
                let start = if bytes > 0 { line_after(end) } else { end };
                let after = start.saturating_add(bytes);
                if alone.is_none_or(|alone| alone == destination) {
                    end = after;
                }
                start..after
            };
            messages.push((0..ranks).map(place).collect::<Vec<_>>());
            lens.push(end);
        }
        let (mut parcels, mut incoming) = (vec![Vec::new(); nodes.count()], Vec::new());
        for (node, parcels) in parcels.iter_mut().enumerate() {
            let lens = || nodes.members(node).iter().map(|source| bytes(*source, rank));
            let mut place = in_parcels(lens(), most);
            for ((owner, source), len) in nodes.members(node).iter().enumerate().zip(lens()) {
                let place = if node == here {
                    Place::Part(owner, messages[owner][rank].clone())
                } else {
                    let (parcel, start) = place.next().expect("there is one for each rank");
                    let end = start.saturating_add(len);
                    parcels.resize(parcel + 1, 0);
                    parcels[parcel] = end;
                    Place::Parcel(node, parcel, start..end)
                };
                if len > 0 {
                    incoming.push((*source, place));
                }
            }
        }
        incoming.sort_unstable_by_key(|(source, _)| *source);
        Self { lens, messages, alone, incoming, parcels, most }
    }

    /// Bytes of the longest parcel to any of these ranks.
    pub fn longest_to(&self, ranks: &[usize]) -> usize {
        let of_rank = |to: usize| {
            let lens = || self.messages.iter().map(move |part| part[to].len());
            let ends = in_parcels(lens(), self.most).zip(lens());
            ends.map(|((_, start), len)| start.saturating_add(len)).max().unwrap_or(0)
        };
        ranks.iter().map(|to| of_rank(*to)).max().unwrap_or(0)
    }

    /// The number of the parcel to a rank that each rank of the node has its message in.
    pub fn parcels_to(&self, to: usize) -> impl Iterator<Item = usize> {
        let lens = self.messages.iter().map(move |part| part[to].len());
        in_parcels(lens, self.most).map(|(parcel, _)| parcel)
    }

    /// Where the message of a rank of the node, named by its place, to any rank lies in its part;
    /// see [`has_place`](Self::has_place).
    pub fn message(&self, owner: usize, to: usize) -> Range<usize> {
        self.messages[owner][to].clone()
    }

    /// Whether messages to a rank have a place in parts: not where the one that packs them sends
    /// them.
    pub fn has_place(&self, to: usize) -> bool {
        self.alone.is_none_or(|alone| alone == to)
    }
}

/// For messages of these lengths, the number of the parcel that each is in, and where it begins there.
fn in_parcels(
    lens: impl Iterator<Item = usize>,
    most: usize,
) -> impl Iterator<Item = (usize, usize)> {
    let (mut parcel, mut end) = (0, 0usize);
    lens.map(move |len| {
        let start = match end.saturating_add(len) <= most {
            true => end,
            false => {
                parcel += usize::from(end > 0);
                0
            }
        };
        end = start.saturating_add(len);
        (parcel, start)
    })
}

fn line_after(end: usize) -> usize {
    end.checked_next_multiple_of(LINE).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of a parcel: less than some ranks are sent.
    const MOST: usize = 6;

    fn bytes(source: usize, destination: usize) -> usize {
        // Some pairs have no message.
        (source * 7 + destination * 3) % 5
    }

    /// All ranks of a node know the same places, in which no two messages meet, and what one node
    /// puts into a parcel is where the rank that gets it finds it.
    #[test]
    fn places_are_apart_and_known_to_both() {
        let lowest = [0, 1, 0, 3, 1, 1, 0];
        let nodes = Nodes::new(&lowest);
        let ranks = lowest.len();
        let layouts: Vec<_> =
            (0..ranks).map(|rank| JoinedLayout::new(&nodes, rank, &bytes, MOST)).collect();
        let (mut found, mut several) = (0, false);
        for (destination, layout) in layouts.iter().enumerate() {
            for (source, place) in &layout.incoming {
                found += 1;
                let (owner, sender) = (nodes.place(*source), &layouts[*source]);
                let sent = sender.message(owner, destination);
                assert_eq!(sent.len(), bytes(*source, destination));
                match place {
                    Place::Part(part, received) => assert_eq!((*part, received), (owner, &sent)),
                    Place::Parcel(node, parcel, received) => {
                        assert_eq!(*node, nodes.of(*source));
                        let parcel_of: Vec<usize> = sender.parcels_to(destination).collect();
                        assert_eq!(parcel_of[owner], *parcel);
                        let is_in = |other: &usize| parcel_of[*other] == *parcel;
                        let len = |other| sender.message(other, destination).len();
                        let before: usize = (0..owner).filter(is_in).map(len).sum();
                        assert_eq!(received.start, before);
                        assert_eq!(received.len(), sent.len());
                        let whole: usize = (0..parcel_of.len()).filter(is_in).map(len).sum();
                        assert_eq!(layout.parcels[*node][*parcel], whole);
                        assert!(whole <= MOST);
                        several |= *parcel > 0;
                    }
                }
            }
        }
        assert!(several);
        for layout in &layouts {
            let far: Vec<usize> = (0..ranks).collect();
            assert!((1..=MOST).contains(&layout.longest_to(&far)));
        }
        let expected = (0..ranks * ranks).filter(|at| bytes(at / ranks, at % ranks) > 0).count();
        assert_eq!(found, expected);
        for layout in &layouts {
            for (part, len) in layout.messages.iter().zip(&layout.lens) {
                let has_place = |to: &usize| layout.has_place(*to);
                let part: Vec<_> =
                    (0..ranks).filter(has_place).map(|to| part[to].clone()).collect();
                let apart = |pair: &[Range<usize>]| pair[0].end <= pair[1].start;
                assert!(part.windows(2).all(apart));
                assert_eq!(part.last().unwrap().end, *len);
            }
        }
    }

    #[test]
    fn what_is_longer_than_memory_saturates() {
        let nodes = Nodes::new(&[0, 1, 1]);
        let layout = JoinedLayout::new(&nodes, 1, &|_, _| usize::MAX / 2, MOST);
        assert_eq!(layout.lens.iter().max(), Some(&usize::MAX));
    }
}
