//! Places of a node's messages, in the memory that its ranks share and in messages between nodes. A
//! rank's part has its messages to all ranks. A rank alone on its node has only those to itself
//! there, and packs the others where they are sent from. A rank of another node receives the
//! messages of all ranks of this node in order, as many in a *parcel* as it holds: mostly all. Both
//! nodes derive the same layout from the plan.

use crate::transport::nodes::Nodes;
use std::ops::Range;

/// Messages begin on cache lines, because one rank writes each and another reads it.
const LINE: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a part, by the place of its rank in the node.
    Part(usize, Range<usize>),
    /// In a parcel from another node: the node, the parcel, and the bytes.
    Parcel(usize, usize, Range<usize>),
}

/// The memory of one move, as one rank of the node knows it.
#[derive(Clone, Debug)]
pub struct JoinedLayout {
    /// Bytes of each part, by the place of its rank in the node.
    pub lens: Vec<usize>,
    /// The place of each message, by part and receiver; some have only a length.
    messages: Vec<Vec<Range<usize>>>,
    /// This rank, if it is the only one of its node.
    alone: Option<usize>,
    /// The messages to this rank, with their senders, ascending.
    pub incoming: Vec<(usize, Place)>,
    /// Bytes of each parcel from each node: one at least, but none from this node.
    pub parcels: Vec<Vec<usize>>,
    most: usize,
}

impl JoinedLayout {
    /// The layout for `rank`, from the bytes of messages by sender and receiver. A parcel has at
    /// most `most` bytes. Sums saturate, because no allocation of that length succeeds.
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

    pub fn longest_to(&self, ranks: &[usize]) -> usize {
        let of_rank = |to: usize| {
            let lens = || self.messages.iter().map(move |part| part[to].len());
            let ends = in_parcels(lens(), self.most).zip(lens());
            ends.map(|((_, start), len)| start.saturating_add(len)).max().unwrap_or(0)
        };
        ranks.iter().map(|to| of_rank(*to)).max().unwrap_or(0)
    }

    /// Returns the number of the parcel of each message from this node to a rank.
    pub fn parcels_to(&self, to: usize) -> impl Iterator<Item = usize> {
        let lens = self.messages.iter().map(move |part| part[to].len());
        in_parcels(lens, self.most).map(|(parcel, _)| parcel)
    }

    /// Returns the place of a message in its sender's part, if it [has one](Self::has_place).
    pub fn message(&self, owner: usize, to: usize) -> Range<usize> {
        self.messages[owner][to].clone()
    }

    /// Returns `true` if messages to a rank lie in parts; else their sender packs them elsewhere.
    pub fn has_place(&self, to: usize) -> bool {
        self.alone.is_none_or(|alone| alone == to)
    }
}

/// Returns the number of each message's parcel, and its beginning there.
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

    /// Bytes of a parcel: less than some ranks receive.
    const MOST: usize = 6;

    fn bytes(source: usize, destination: usize) -> usize {
        // Some pairs have no message.
        (source * 7 + destination * 3) % 5
    }

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
