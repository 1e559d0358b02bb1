//! A level seen from one message: for transports whose messages arrive one by one.

use super::{Deal, Level};

/// The stretches of a level, sorted by peer.
#[derive(Clone, Debug)]
pub(crate) struct ByPeer {
    peers: Vec<OfPeer>,
    /// Elements in a period, and where those after the last whole period begin.
    period: usize,
    rest_start: usize,
}

#[derive(Clone, Debug, Default)]
struct OfPeer {
    periodic: Vec<Strided>,
    repeats: usize,
    rest: Vec<Strided>,
}

/// Evenly spaced stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Strided {
    /// Local index of the first, from the start of the level.
    pub start: usize,
    /// Elements in each.
    pub len: usize,
    /// Distance from start to start.
    pub spacing: usize,
    /// Number of stretches.
    pub count: usize,
}

impl ByPeer {
    pub(crate) fn of(level: &Level) -> Self {
        let period = level.deals.iter().map(|deal| deal.len * deal.count).sum();
        let (periodic, rest) = (sorted(&level.deals, level.peers.len()), sorted(&level.rest, level.peers.len()));
        let peers = periodic.into_iter().zip(rest).map(|(periodic, rest)| {
            let mut of_peer = OfPeer { periodic, repeats: level.repeats, rest };
            // One stretch in each period is evenly spaced over all of them.
            if let [Strided { spacing, count: count @ 1, .. }] = of_peer.periodic.as_mut_slice() {
                (*spacing, *count, of_peer.repeats) = (period, level.repeats, level.repeats.min(1));
            }
            of_peer
        });
        Self { peers: peers.collect(), period, rest_start: period * level.repeats }
    }

    /// What belongs to one peer in a period, how often that is repeated, and how long a period is.
    pub(super) fn periodic(&self, peer: usize) -> (Vec<Strided>, usize, usize) {
        let OfPeer { periodic, repeats, .. } = &self.peers[peer];
        (periodic.clone(), *repeats, self.period)
    }

    /// What belongs to one peer after the last whole period.
    pub(super) fn rest(&self, peer: usize) -> Vec<Strided> {
        let rest = self.peers[peer].rest.iter();
        rest.map(|stretch| Strided { start: stretch.start + self.rest_start, ..*stretch }).collect()
    }

    /// What belongs to one peer, in increasing order.
    pub(crate) fn stretches(&self, peer: usize) -> impl Iterator<Item = Strided> {
        let OfPeer { periodic, repeats, rest } = &self.peers[peer];
        let shifted = |stretch: &Strided, by: usize| Strided { start: stretch.start + by, ..*stretch };
        let period = self.period;
        let whole = (0..*repeats).flat_map(move |repeat| periodic.iter().map(move |s| shifted(s, repeat * period)));
        whole.chain(rest.iter().map(move |stretch| shifted(stretch, self.rest_start)))
    }
}

/// The stretches of each peer, in increasing order.
fn sorted(deals: &[Deal], peers: usize) -> Vec<Vec<Strided>> {
    let mut sorted = vec![Vec::new(); peers];
    let mut start = 0;
    for deal in deals {
        for step in 0..deal.count.min(peers) {
            let count = (deal.count - 1 - step) / peers + 1;
            let stretch = Strided { start: start + step * deal.len, len: deal.len, spacing: peers * deal.len, count };
            sorted[(deal.peer + step) % peers].push(stretch);
        }
        start += deal.len * deal.count;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Plan, Side};

    #[test]
    fn every_element_belongs_to_one_peer_and_in_order() {
        for (from, to) in [
            ("cyclic(10) onto 3", "cyclic(2) onto 3"),
            ("cyclic(2) onto 3", "cyclic(10) onto 2"),
            ("cyclic(4) onto 3", "cyclic(6) onto 5 first 2"),
            ("block onto 4", "cyclic onto 3"),
        ] {
            let axis = Plan::<1>::parse([1003], from, to).unwrap().axis(0);
            for side in [Side::Source, Side::Destination] {
                let level = Level::new(&axis, &[], side, 1);
                let by_peer = ByPeer::of(&level);
                let mut owners = vec![usize::MAX; axis.side(side).owned_below(1, 1003)];
                for peer in 0..level.peers.len() {
                    let mut last = None;
                    for stretch in by_peer.stretches(peer) {
                        for step in 0..stretch.count {
                            for element in 0..stretch.len {
                                let at = stretch.start + step * stretch.spacing + element;
                                assert!(last < Some(at), "in order");
                                assert_eq!(std::mem::replace(&mut owners[at], peer), usize::MAX);
                                last = Some(at);
                            }
                        }
                    }
                }
                let mut at = 0;
                for deal in level.all_deals() {
                    for step in 0..deal.count {
                        assert!(
                            owners[at..at + deal.len]
                                .iter()
                                .all(|&owner| owner == (deal.peer + step) % level.peers.len())
                        );
                        at += deal.len;
                    }
                }
            }
        }
    }
}
