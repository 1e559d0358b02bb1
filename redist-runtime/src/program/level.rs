//! One dimension of a rank's local array, as one loop of the nest that packs or unpacks it.

use super::deal::deals;
use super::table::WindowIndex;
use super::{Deal, Period};
use crate::arithmetic::add_modulo;
use crate::plan::{Axis, Piece, Side};
use core::iter;

/// One loop of the nest: the deals of one period, repeated, then what is left.
///
/// Peers are numbered from 0 among those that the rank exchanges anything with along this dimension.
#[derive(Clone, Debug)]
pub struct Level {
    /// Local index at which the moved part begins.
    pub(crate) start: usize,
    /// Distance in the local array, in elements, between neighbours.
    pub(crate) stride: usize,
    /// The deals of one period.
    pub(crate) deals: Vec<Deal>,
    /// Number of whole periods.
    pub(crate) repeats: usize,
    /// The deals after the last whole period.
    pub(crate) rest: Vec<Deal>,
    /// Grid coordinate of each peer, increasing.
    pub(crate) peers: Vec<usize>,
    /// Elements exchanged with each peer.
    pub(crate) counts: Vec<usize>,
    /// The period sorted by message, where that pays.
    pub(crate) period: Option<Period>,
    /// Distance between the messages of neighbouring peers.
    pub(crate) message_stride: usize,
}

impl Level {
    pub(super) fn new(axis: &Axis, window: &[Piece], side: Side, rank: usize) -> Self {
        let table = WindowIndex::new(axis, window, side);
        let deals = |end| match &table {
            Some(table) => table.deals(rank, end),
            None => deals(axis, side, rank, 0..end),
        };
        let (len, period) = (axis.len(), axis.period().max(1));
        let mut level = Self {
            start: axis.side(side).local_from(rank, 0),
            stride: 1,
            deals: deals(period.min(len)),
            repeats: len / period,
            rest: if len < period { Vec::new() } else { deals(len % period) },
            peers: Vec::new(),
            counts: Vec::new(),
            period: None,
            message_stride: 1,
        };
        level.join_repetitions(axis.side(side.other()).ranks());
        level.number_the_peers(axis.side(side.other()).ranks());
        level.period = Period::of(&level);
        level
    }

    /// Where a period is one deal that the next period continues, all periods are.
    fn join_repetitions(&mut self, ranks: usize) {
        let [deal] = self.deals.as_mut_slice() else { return };
        match ranks {
            1 => deal.len *= self.repeats,
            _ if deal.count.is_multiple_of(ranks) => deal.count *= self.repeats,
            _ => return,
        }
        self.repeats = 1;
    }

    /// Replaces grid coordinates by numbers. Consecutive peers stay consecutive: a deal names every peer it passes.
    fn number_the_peers(&mut self, ranks: usize) {
        for deal in self.deals.iter().chain(&self.rest) {
            let next = |peer: &usize| Some(add_modulo(*peer, 1 % ranks, ranks));
            self.peers.extend(iter::successors(Some(deal.peer), next).take(deal.count.min(ranks)));
        }
        self.peers.sort_unstable();
        self.peers.dedup();
        for deals in [&mut self.deals, &mut self.rest] {
            number(deals, &self.peers);
        }
        self.counts = vec![0; self.peers.len()];
        for (deals, times) in [(&self.deals, self.repeats), (&self.rest, 1)] {
            deals.iter().for_each(|deal| add_up(deal, times, &mut self.counts));
        }
    }

    /// Number of the peer with this grid coordinate.
    pub(super) fn peer(&self, coordinate: usize) -> usize {
        self.peers.partition_point(|&peer| peer < coordinate)
    }

    /// All deals, in increasing local index from `start` on.
    pub(crate) fn all_deals(&self) -> impl Iterator<Item = &Deal> {
        let deals = &self.deals;
        (0..self.repeats).flat_map(move |_| deals.iter()).chain(&self.rest)
    }
}

/// Replaces grid coordinates by places in the list of peers.
pub(super) fn number(deals: &mut [Deal], peers: &[usize]) {
    for deal in deals {
        deal.peer = peers.partition_point(|&peer| peer < deal.peer);
    }
}

/// Adds a deal's elements, `times` over, to each peer's count.
fn add_up(deal: &Deal, times: usize, counts: &mut [usize]) {
    let (peers, mut peer) = (counts.len(), deal.peer);
    // Most deals are over before they come round.
    let (rounds, extra) = if deal.count < peers { (0, deal.count) } else { (deal.count / peers, deal.count % peers) };
    for step in 0..deal.count.min(peers) {
        counts[peer] += (rounds + usize::from(step < extra)) * deal.len * times;
        peer = if peer + 1 == peers { 0 } else { peer + 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn counts_equal_the_closed_form() {
        for (extent, from, to) in [
            (1003, "cyclic(10) onto 3", "cyclic(2) onto 3"),
            (1003, "cyclic(3) onto 5", "cyclic(7) onto 4 first 2"),
            (50, "block onto 7", "cyclic onto 30"),
            (200, "cyclic(4) onto 2 of [300] at [55]", "cyclic(6) onto 3 of [220] at [13]"),
            (97, "gen_block([30, 0, 60, 7]) onto 4", "cyclic(7) onto 3 first 1"),
            (97, "cyclic(3) onto 5", "gen_block([30, 0, 60, 12]) onto 4 of [102] at [3]"),
        ] {
            let axis = Plan::<1>::parse([extent], from, to).unwrap().axis(0);
            for rank in 0..axis.side(Side::Source).ranks() {
                let level = Level::new(&axis, &[], Side::Source, rank);
                for peer in 0..axis.side(Side::Destination).ranks() {
                    let number = level.peers.binary_search(&peer);
                    let count = number.map_or(0, |number| level.counts[number]);
                    assert_eq!(count, axis.count(rank, peer), "{from} -> {to}: {rank} -> {peer}");
                }
            }
        }
    }
}
